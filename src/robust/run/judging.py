"""Candidates before an oracle: what it is shown, and what of its judgement a record keeps."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from robust.canon import JsonObject, canonical_bytes, decode_own, digest_bytes
from robust.oracle.asked import Observer
from robust.oracle.guarded import GuardedObserver
from robust.oracle.question import Terms, capture, read_terms
from robust.oracle.validate import identify, judge, make_observer
from robust.records.case import Case, Origin, Relation, content_digest
from robust.records.comparator import EXACT
from robust.records.presentation import Presentation, presentation_json
from robust.records.validation import ValidationRecord, read_validation
from robust.transforms.candidate import Candidate, Shown

MAX_ID_LENGTH: Final = 256


class JudgedBase(NamedTuple):
    """A base case as an oracle is shown it, with its content digest."""

    case: Case
    content: str


def judged_base(case: Case, labels: tuple[str, ...] | None) -> JudgedBase:
    """A base case as an oracle is shown it.

    Args:
        case: the base case.
        labels: the labels of the contract where the candidates show them otherwise; then the input is an object of
            ``input`` and ``labels``, since the labels are what changes.
    """
    shown = case.input if labels is None else _with_labels(case.input, tuple((label, label) for label in labels))
    judged = _case(case, case.case_id, shown, case.expected, None)
    return JudgedBase(judged, content_digest(shown, [item.to_json() for item in case.media]))


def judged_candidate(
    base: JudgedBase,
    candidate: Candidate,
    *,
    identifier: str,
    property_name: str,
    relation: Relation,
    seed: int,
    sample: int,
    labels: tuple[str, ...] | None,
) -> Case:
    """A candidate as an oracle is shown it: without an answer, and with where it comes from."""
    shown = candidate.input
    if labels is not None:
        shown = _with_labels(shown, candidate.presentation or tuple((label, label) for label in labels))
    origin = Origin.of_own(
        {
            "parent_id": base.case.case_id,
            "parent_content": base.content,
            "transform": property_name,
            "params": {"steps": list(candidate.steps)},
            "seed": seed,
            "index": sample,
            "relation": relation,
        }
    )
    return _case(base.case, candidate_id(identifier), shown, None, origin)


def candidate_id(identifier: str) -> str:
    """The case id of a candidate: the pair's id, or where that is too long for a case, its digest."""
    return identifier if len(identifier) <= MAX_ID_LENGTH else digest_bytes(identifier.encode())


def _with_labels(shown: Shown, presentation: Presentation) -> JsonObject:
    return {"input": shown, "labels": presentation_json(presentation)}


def _case(like: Case, case_id: str, shown: Shown, expected: Any, origin: Origin | None) -> Case:
    case = object.__new__(Case)
    fields = {
        "case_id": case_id,
        "source_id": like.source_id,
        "input": shown,
        "expected": expected,
        "metadata": like.metadata if origin is None else {},
        "media": like.media,
        "origin": origin,
    }
    object.__setattr__(case, "__dict__", fields)
    return case


class CandidateJudge:
    """One oracle that judges the candidates of a property before they are sent.

    Args:
        validator: the oracle: any validator from Python, a built-in one included. It may declare ``contract``, the name
            of its oracle contract, ``comparator``, how its answers are compared, and ``waits``, whether it may take
            long, so that it is asked in a thread.
        contract: the name of the oracle contract for one that declares none.
        timeout_s: how long one judgement may take, in seconds.

    Raises:
        CaseError: it cannot be called, or does not tell who it is.
    """

    def __init__(self, validator: Any, *, contract: str, timeout_s: float | None = None) -> None:
        declared = getattr(validator, "contract", None)
        self._terms: Terms = read_terms(
            contract=declared if isinstance(declared, str) else contract,
            comparator=getattr(validator, "comparator", EXACT),
            require_answers=False,
            timeout_s=timeout_s,
        )
        self._observer: Observer = make_observer(validator, self._terms, isolate=False)
        self.identity = identify(validator, self._terms)
        self._guarded = GuardedObserver(self._observer)
        # Only what is known to be quick is called on the loop.
        self.waits = bool(getattr(validator, "waits", True))
        self.validator = validator

    def judge(self, base: JudgedBase, candidate: Case) -> ValidationRecord:
        """Judge one candidate.

        Raises:
            CaseError: the pair cannot be judged, as it is no portable JSON or too large.
        """
        question = capture(base.case, candidate, relation=None, labels=self._terms.labels)
        return judge(question, self._guarded, self._terms, self.identity, ValidationRecord)

    @property
    def contract(self) -> str:
        """The name of the oracle contract."""
        return self._terms.contract

    def oracle(self) -> JsonObject:
        """The oracle as its records name it."""
        identity: JsonObject = decode_own(self.identity)
        return identity

    def close(self) -> None:
        """Let go of what the oracle holds."""
        self._observer.close()


def kept_validation(record: ValidationRecord) -> JsonObject:
    """What a pair's record keeps of its validation: all but the two cases, which follow from the records."""
    kept: JsonObject = decode_own(record.without_cases())
    return kept


def whole_validation(kept: JsonObject, base: JudgedBase, candidate: Case, *, file: str, line: int) -> ValidationRecord:
    """The validation whose kept part a record has, derived again.

    Raises:
        IntegrityError: its status, strength, issues or digest do not follow from what was shown and said.
    """
    shown = {"base": base.case.to_json(), "candidate": candidate.to_json()}
    # Encoded and read once more, so that nothing of the stored record is shared or missed.
    whole = decode_own(canonical_bytes({**kept, **shown}))
    return read_validation(whole, file=file, line=line)
