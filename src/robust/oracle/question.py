"""What an oracle is asked: bytes captured before the call, so that nothing that happens during it can change them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, TypeAlias

from robust.canon import JsonObject, describe, digest_bytes, exact_text, joined
from robust.errors import CaseError
from robust.records.case import RELATIONS, Case, Origin, Relation, relation_problem
from robust.records.comparator import EXACT, Comparator, read_comparator
from robust.records.encoding import encode_case
from robust.records.failure import Failure
from robust.records.validation import CONTRACT_NAME, MAX_RECORD_BYTES, MAX_REPEATS, pair_problems

Labels: TypeAlias = Literal["hidden", "visible"]
# What every way of waiting can count.
MAX_TIMEOUT_S = 10_000_000
# What a record has room for beside the verdict and what surrounds it.
MAX_PAIR_BYTES = MAX_RECORD_BYTES - 4 * 1024 * 1024


class Terms(NamedTuple):
    """On what terms candidates are judged; the same for a whole batch."""

    contract: str
    comparator: Comparator
    labels: Labels
    require_answers: bool
    repeats: int
    timeout_s: float | None


class Question(NamedTuple):
    """One pair as captured, in canonical bytes.

    Attributes:
        base: the base as it is stored.
        candidate: the candidate as it is stored.
        base_content: what the content digest of the base is over.
        candidate_content: what that of the candidate is over.
        base_label: the base's expected answer.
        candidate_label: the candidate's.
        shown_base: the base as it is shown to the oracle.
        shown_candidate: the candidate, likewise.
        relation: what is claimed between the two right answers.
        state: the binary form of both as they are shown, for copies in this process; None where only decoding the bytes
            gives what they say.
    """

    base: bytes
    candidate: bytes
    base_content: bytes
    candidate_content: bytes
    base_label: bytes
    candidate_label: bytes
    shown_base: bytes
    shown_candidate: bytes
    relation: Relation
    state: bytes | None


@dataclass(slots=True)
class Observation:
    """What came of asking once.

    Attributes:
        verdict: its canonical bytes; None when there is none.
        failures: those that were seen.
        said: what the bytes say, where that is known without decoding them.
    """

    verdict: bytes | None
    failures: list[Failure] = field(default_factory=list)
    said: JsonObject | None = None


def read_terms(
    *,
    contract: str,
    comparator: object = EXACT,
    labels: str = "hidden",
    require_answers: bool = True,
    repeats: int = 1,
    timeout_s: float | None = None,
) -> Terms:
    """Check the terms of a judgement.

    Raises:
        CaseError: a term is wrong; names it and its value.
    """
    contract, labels = exact_text(contract), exact_text(labels)
    if type(contract) is not str or not CONTRACT_NAME.match(contract):
        raise CaseError.of(
            "bad_contract",
            f"{contract!r} is not the name of an oracle contract",
            path="contract",
            hint="write name/vN, such as integer-addition/v1",
        )
    if type(labels) is not str or labels not in ("hidden", "visible"):
        raise CaseError.of("bad_labels", f"labels must be 'hidden' or 'visible', not {labels!r}", path="labels")
    if type(repeats) is not int or not 1 <= repeats <= MAX_REPEATS:
        raise CaseError.of(
            "bad_repeats", f"must be an integer from 1 to {MAX_REPEATS}, not {repeats!r}", path="repeats"
        )
    if timeout_s is not None and not (type(timeout_s) in (int, float) and 0 < timeout_s <= MAX_TIMEOUT_S):
        message = f"must be a number of seconds above 0, at most {MAX_TIMEOUT_S}, not {timeout_s!r}"
        raise CaseError.of("bad_timeout", message, path="timeout_s")
    if type(require_answers) is not bool:
        message = f"must be True or False, not {require_answers!r}"
        raise CaseError.of("bad_require_answers", message, path="require_answers")
    return Terms(
        contract=contract,
        comparator=comparator if comparator is EXACT else read_comparator(comparator),
        labels="visible" if labels == "visible" else "hidden",
        require_answers=require_answers,
        repeats=repeats,
        timeout_s=timeout_s,
    )


def read_relation(relation: object, candidate: Case) -> Relation:
    """The relation that is claimed: the one given, else the candidate's own hypothesis.

    Raises:
        CaseError: there is none, or it is unknown.
    """
    origin = candidate.origin if isinstance(candidate, Case) else None
    chosen: Any = exact_text(relation if relation is not None or origin is None else origin.relation)
    if chosen is None:
        message, hint = "no relation is given and the candidate claims none", "use one of " + ", ".join(RELATIONS)
        raise CaseError.of("unknown_relation", message, path="relation", hint=hint)
    if problem := relation_problem(chosen, "relation"):
        raise CaseError(problem)
    known: Relation = chosen
    return known


def capture(base: Case, candidate: Case, *, relation: object, labels: Labels) -> Question:
    """Capture a pair as canonical bytes.

    A candidate without an origin gets one that names its base, so that every record says what it descends from.

    Raises:
        CaseError: unknown relation, ids missing or equal, different sources, another parent, or not portable JSON.
    """
    if not (isinstance(base, Case) and isinstance(candidate, Case)):
        name, other = ("candidate", candidate) if isinstance(base, Case) else ("base", base)
        raise CaseError.of("not_a_case", f"must be a Case, not {describe(other)}", path=name)
    claimed = read_relation(relation, candidate)
    stored_base = encode_case(base, "base")
    content = digest_bytes(stored_base.content)
    origin: Origin | None = None
    if candidate.origin is None:
        origin = Origin.of_own(
            {
                "parent_id": base.case_id,
                "parent_content": content,
                "transform": "external",
                "params": {},
                "seed": None,
                "index": 0,
                "relation": claimed,
            }
        )
    problems = pair_problems(base, candidate, content)
    if problems:
        raise CaseError(*problems)
    stored_candidate = encode_case(candidate, "candidate", origin=origin)
    size = len(stored_base.stored) + len(stored_candidate.stored)
    if size > MAX_PAIR_BYTES:
        raise CaseError.of("too_large", f"base and candidate have {size} bytes together", path="base", hint="use media")
    if labels == "hidden":
        shown_base, shown_candidate = stored_base.shown, stored_candidate.shown
        base_state, candidate_state = stored_base.shown_state, stored_candidate.shown_state
    else:
        shown_base, shown_candidate = stored_base.stored, stored_candidate.stored
        base_state, candidate_state = stored_base.state, stored_candidate.state
    return Question(
        stored_base.stored,
        stored_candidate.stored,
        stored_base.content,
        stored_candidate.content,
        stored_base.label,
        stored_candidate.label,
        shown_base,
        shown_candidate,
        claimed,
        None if base_state is None or candidate_state is None else joined(base_state, candidate_state),
    )
