"""The public function that audits an oracle: what invalid candidates it accepts, and what valid ones it refuses."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import ExitStack, closing
from datetime import UTC, datetime
from itertools import repeat, tee
from typing import Any, Literal, NamedTuple

from robust.app.audit_pairs import DistinctPairs, Labelled, PlantedPairs, all_pairs, check_plan
from robust.app.audit_report import derive
from robust.app.audit_tally import AuditTally
from robust.app.candidate_files import check_outputs
from robust.app.oracle_audit import OracleAudit
from robust.app.validation import Validation, check_workers
from robust.canon import JsonObject, decode_own
from robust.errors import UsageError
from robust.oracle.ahead import AsksAhead
from robust.oracle.batch import Batch
from robust.oracle.guarded import GuardedObserver
from robust.oracle.question import Labels, Terms, read_terms
from robust.oracle.validate import identify, make_observer
from robust.records.case import Case
from robust.records.comparator import EXACT, Comparator
from robust.records.labelled_pair import LabelledPair
from robust.records.oracle_audit import SCHEMA, AuditFacts, AuditLimits, read_facts
from robust.store.attestations import evidence_output
from robust.store.outputs import check_output
from robust.store.validations import FileJournal
from robust.version import __version__


def audit_oracle(
    validator: Any,
    *,
    contract: str,
    bases: str | os.PathLike[str] | Iterable[Case] | None = None,
    pairs: str | os.PathLike[str] | Iterable[LabelledPair] | None = None,
    domains: Iterable[str] | None = None,
    seed: int = 0,
    per_case: int = 1,
    text_field: str | None = None,
    split: str | None = None,
    second: Any = None,
    second_contract: str | None = None,
    comparator: Comparator | str = EXACT,
    labels: Labels = "hidden",
    require_answers: bool = False,
    repeats: int = 1,
    timeout_s: float | None = None,
    isolate: bool = False,
    workers: int = 1,
    confidence: float = 0.95,
    max_accepted_invalid: float | None = None,
    max_refused_valid: float | None = None,
    max_undecided: float | None = None,
    judge: Literal["point", "bound"] = "point",
    journal: str | os.PathLike[str] | None = None,
    records: str | os.PathLike[str] | None = None,
    output: str | os.PathLike[str] | None = None,
    overwrite: bool = False,
) -> OracleAudit:
    """Ask an oracle about pairs of which it is known whether the candidate is valid, and count its mistakes.

    Args:
        validator: the oracle, as :func:`validate_variants` takes one.
        contract: the name and version of its contract, ``name/vN``.
        bases: cases, a data set or a manifest: known-invalid and known-valid edits are planted into them.
        pairs: labelled pairs, or a file of them, beside or instead of planted ones.
        domains: the domains of planted edits; all by default.
        seed: of planted edits.
        per_case: how many of each planted edit of each base, at most.
        text_field: of object inputs, the key of the text; without it an object must have exactly one text.
        split: of a manifest, the split whose bases are used.
        second: another oracle, which is asked about the same pairs: its agreement is measured.
        second_contract: the contract of the second oracle; the same by default.
        comparator: how answers are compared.
        labels: ``hidden`` shows both oracles copies without expected answers, and leaves these out of the records.
        require_answers: whether a valid verdict needs both derived answers; without, as in a run, it does not.
        repeats: how often each pair is asked.
        timeout_s: seconds for each answer.
        isolate: ask in worker processes; the validator must then be importable.
        workers: how many pairs are judged at once, 1–256.
        confidence: of the intervals.
        max_accepted_invalid: the largest share of invalid candidates that may be judged valid, 0–1.
        max_refused_valid: the largest share of valid candidates that may be judged invalid, 0–1.
        max_undecided: the largest share of all candidates that may be left unknown, 0–1.
        judge: ``point`` judges the shares themselves, ``bound`` their whole intervals.
        journal: a file that keeps finished judgements, so that an audit that was stopped goes on.
        records: a file for every judgement, one a line, from which the audit can be counted again.
        output: a file for the audit itself.
        overwrite: whether these two files may be replaced.

    Raises:
        CaseError: a term is wrong, or a pair is unusable.
        DataError: a row of a file is wrong, or one pair has two labels.
        UsageError: there is no pair, a setting is wrong, or a file cannot be used.
        IntegrityError: a manifest or the journal is damaged.
    """
    started, began = datetime.now(UTC), time.perf_counter()
    plan = check_plan(domains, seed, per_case, text_field)
    limits = _limits(judge, max_accepted_invalid, max_refused_valid, max_undecided, confidence)
    terms = read_terms(
        contract=contract,
        comparator=comparator,
        labels=labels,
        require_answers=require_answers,
        repeats=repeats,
        timeout_s=timeout_s,
    )
    check_workers(workers)
    check_outputs(tuple(map(_path, (bases, pairs))), (output, records, journal))
    check_output(output, overwrite=overwrite)
    judges = [_Judge(validator, terms)]
    if second is not None:
        name = read_terms(contract=second_contract or contract).contract
        judges.append(_Judge(second, terms._replace(contract=name)))
    with ExitStack() as stack:
        planted = None if bases is None else stack.enter_context(PlantedPairs(bases, plan, split=split))
        labelled = DistinctPairs(all_pairs(planted, pairs), terms.labels)
        write = None if records is None else stack.enter_context(evidence_output(records, overwrite=overwrite))
        kept = None if journal is None else stack.enter_context(FileJournal(journal))
        tally = _count(labelled, judges, write, kept, isolate=isolate, workers=workers)
        facts = _facts(judges, planted, labelled, tally, confidence, limits)
    audit = OracleAudit(facts, derive(facts), _observed(started, time.perf_counter() - began))
    if output is not None:
        audit.save(output, overwrite=overwrite)
    return audit


def _path(given: Any) -> str | os.PathLike[str] | None:
    return given if isinstance(given, str | os.PathLike) else None


def _facts(
    judges: Sequence[_Judge],
    planted: PlantedPairs | None,
    labelled: DistinctPairs,
    tally: AuditTally,
    confidence: float,
    limits: AuditLimits,
) -> AuditFacts:
    """Everything that was counted.

    Raises:
        UsageError: nothing was.
    """
    if not tally.pairs:
        hint = "give bases with more text or other domains, or labelled pairs"
        raise UsageError.of("no_pairs", "there is no pair to audit with: no edit could be planted", hint=hint)
    first, *others = judges
    data = {
        "schema": SCHEMA,
        **first.to_json(),
        "comparator": first.terms.comparator.to_json(),
        "require_answers": first.terms.require_answers,
        "planted": None if planted is None else planted.to_json(),
        "given": labelled.given,
        "duplicates": labelled.duplicates,
        **tally.to_json(),
        "second": {**others[0].to_json(), **tally.agreement_json()} if others else None,
        "confidence": confidence,
        "limits": limits.to_json(),
    }
    return read_facts({**data, "observed": {}})[0]


def _observed(started: datetime, seconds: float) -> JsonObject:
    return {
        "audited_at": started.isoformat(timespec="milliseconds"),
        "duration_s": round(seconds, 3),
        "robust_version": __version__,
    }


class _Judge(NamedTuple):
    """An oracle that is asked, and on what terms."""

    validator: Any
    terms: Terms

    def to_json(self) -> JsonObject:
        """Who it is."""
        return {"oracle": decode_own(identify(self.validator, self.terms)), "contract": self.terms.contract}

    def judge(
        self, pairs: Iterable[Labelled], journal: FileJournal | None, *, isolate: bool, workers: int
    ) -> Generator[Validation, None, None]:
        """Judge pairs, streaming, in their order."""
        observer = make_observer(self.validator, self.terms, isolate=isolate)
        batch = Batch(
            # A program that is asked ahead is apart from this one.
            observer if isinstance(observer, AsksAhead) else GuardedObserver(observer),
            self.terms,
            identify(self.validator, self.terms),
            Validation,
            relation=None,
            journal=journal,
        )
        yield from batch.run(((item.base, item.candidate) for item in pairs), workers)


def _count(
    labelled: Iterable[Labelled],
    judges: list[_Judge],
    write: Callable[[bytes], object] | None,
    journal: FileJournal | None,
    *,
    isolate: bool,
    workers: int,
) -> AuditTally:
    """Have one or two oracles judge the same pairs, and count what they say."""
    tally = AuditTally(second=len(judges) > 1)
    known, *streams = tee(labelled, 1 + len(judges))
    with ExitStack() as stack:
        first, *further = (
            stack.enter_context(closing(judge.judge(stream, journal, isolate=isolate, workers=workers)))
            for judge, stream in zip(judges, streams, strict=True)
        )
        others: Iterator[Validation | None] = further[0] if further else repeat(None)
        # Not strict: where there is no second oracle, its records never end.
        for record, other, item in zip(first, others, known, strict=False):
            line = tally.add(item.asked, record, other)
            if write is not None:
                write(line + b"\n")
    return tally


def _limits(
    judge: Any, accepted: float | None, refused: float | None, undecided: float | None, confidence: Any
) -> AuditLimits:
    """The limits of an audit.

    Raises:
        UsageError: one is no share, or what is judged is neither the point nor the bound.
    """
    limits = {"max_accepted_invalid": accepted, "max_refused_valid": refused, "max_undecided": undecided}
    for name, limit in limits.items():
        if limit is not None and not (type(limit) in (int, float) and 0 <= limit <= 1):
            raise UsageError.of("bad_limit", f"must be a share from 0 to 1, not {limit!r}", path=name)
    if judge not in ("point", "bound"):
        raise UsageError.of("bad_judge", f"must be 'point' or 'bound', not {judge!r}", path="judge")
    if not (type(confidence) is float and 0 < confidence < 1):
        raise UsageError.of(
            "bad_confidence", f"must be a number between 0 and 1, not {confidence!r}", path="confidence"
        )
    return AuditLimits(judge=judge, **{name: None if limit is None else float(limit) for name, limit in limits.items()})
