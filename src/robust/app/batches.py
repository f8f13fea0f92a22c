"""Judging a file of candidates with the oracle that is chosen."""

from __future__ import annotations

import os
import time
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Any, Final

from robust.app.candidate_files import check_outputs
from robust.app.oracle_sources import OracleChoice, notices_of, open_oracle
from robust.app.pairs import read_pairs
from robust.app.validation import validate_variants
from robust.canon import JsonObject
from robust.errors import UsageError
from robust.oracle.batch import ended_unanswered
from robust.records.progress import ProgressState
from robust.records.seams import Progress
from robust.records.status import ISSUE_LEADS_TO, NO_VERDICT
from robust.records.validation import ValidationRecord
from robust.store.attestations import evidence_output
from robust.store.files import read_lines
from robust.store.validations import FileJournal

_UPDATE_EVERY_S: Final = 0.1
# A program that ends on so many pairs at the start is not asked about the others.
_MOST_DEAD_STARTS: Final = 5


@dataclass(slots=True)
class BatchOutcome:
    """How many records have each status and each code, and what the journal had to say.

    ``by_relation`` are the valid ones without derived answers, which no manifest takes; ``dead_starts`` the pairs at
    the start on which an oracle program ended instead of answering, with no other pair before them.
    """

    statuses: dict[str, int] = field(default_factory=lambda: {"valid": 0, "invalid": 0, "unknown": 0})
    codes: dict[str, int] = field(default_factory=dict)
    notices: list[str] = field(default_factory=list)
    unanswered: int = 0
    by_relation: int = 0
    dead_starts: int = 0

    @property
    def total(self) -> int:
        """How many records there are."""
        return sum(self.statuses.values())

    def add(self, record: ValidationRecord) -> None:
        """Count a record."""
        if self.dead_starts == self.total and "validator_error" in record.issues:
            self.dead_starts += ended_unanswered(record)
        self.statuses[record.status] += 1
        self.by_relation += record.strength == "relation"
        self.unanswered += not NO_VERDICT.isdisjoint(record.issues)
        for code in record.issues:
            self.codes[code] = self.codes.get(code, 0) + 1

    def to_json(self) -> JsonObject:
        """The counts as plain JSON data."""
        return {
            "total": self.total,
            "statuses": self.statuses,
            "valid_by_relation": self.by_relation,
            "codes": self.codes,
            "unanswered": self.unanswered,
        }


def check_code(code: str | None) -> None:
    """Refuse a code that no record can have.

    Raises:
        UsageError: there is no such code.
    """
    if code is not None and code not in ISSUE_LEADS_TO:
        raise UsageError.of("unknown_code", f"there is no code {code!r}", hint="use " + ", ".join(ISSUE_LEADS_TO))


def validate_files(
    bases: str | os.PathLike[str],
    candidates: str | os.PathLike[str],
    *,
    output: str | os.PathLike[str],
    oracle: OracleChoice,
    contract: str,
    journal: str | os.PathLike[str] | None = None,
    overwrite: bool = False,
    progress: Progress | None = None,
    **terms: Any,
) -> BatchOutcome:
    """Judge the candidates of a file and write their validation records, in the candidates' order.

    The output appears when the last pair is judged; with a journal, a batch that was stopped continues.

    Args:
        bases: base cases.
        candidates: candidates, matched by ``origin.parent_id``.
        output: the file of validation records to write.
        oracle: which oracles judge, and how they are combined.
        contract: the oracle's contract, ``name/vN``.
        journal: keeps finished pairs.
        overwrite: whether ``output`` may be replaced.
        progress: told how far it is.
        terms: the other keywords of :func:`validate_variants`.

    Raises:
        UsageError: a file cannot be read or written, or would be written over one that is read; there are no
            candidates; no usable oracle is chosen; or an oracle program ended without an answer on each of the first
            five pairs, or on all if there are fewer.
        BackendError: see :func:`open_oracle`.
        DataError: a line is wrong.
        CaseError: a pair or a term is unusable.
        IntegrityError: the journal, or a file of reviews, is damaged.
    """
    check_outputs((bases, candidates, *oracle.reviewed), (output, journal))
    outcome = BatchOutcome()
    with ExitStack() as stack:
        validator = stack.enter_context(open_oracle(oracle, contract=contract))
        outcome.notices += notices_of(validator)
        write = stack.enter_context(evidence_output(output, overwrite=overwrite))
        kept = None if journal is None else stack.enter_context(FileJournal(journal))
        outcome.notices += [] if kept is None else kept.notices
        told = None if progress is None else _Told(progress, candidates)
        pairs = read_pairs(bases, candidates)
        for record in validate_variants(pairs, validator=validator, contract=contract, journal=kept, **terms):
            write(record.line() + b"\n")
            outcome.add(record)
            if outcome.dead_starts == _MOST_DEAD_STARTS:
                raise _never_answered(outcome)
            if told is not None:
                told.show(outcome)
        if told is not None:
            told.show(outcome, ended=True)
        if not outcome.total:
            raise UsageError.of("no_candidates", "there are no candidates", file=os.fspath(candidates))
        if outcome.dead_starts == outcome.total:
            raise _never_answered(outcome)
    return outcome


def _never_answered(outcome: BatchOutcome) -> UsageError:
    pairs = "the only pair" if outcome.total == 1 else f"each of the first {outcome.total} pairs"
    message = f"the oracle program ended without an answer on {pairs}; nothing is written"
    hint = "its own messages stand above; try it by hand with one question on its standard input"
    return UsageError.of("oracle_ended", message, path="--oracle-command", hint=hint)


class _Told:
    """Tells a batch's progress now and then."""

    def __init__(self, progress: Progress, candidates: str | os.PathLike[str]) -> None:
        self._progress = progress
        self._total = sum(1 for _, line in read_lines(candidates) if line.strip())
        self._began = time.monotonic()
        self._due = 0.0

    def show(self, outcome: BatchOutcome, *, ended: bool = False) -> None:
        elapsed = time.monotonic() - self._began
        if elapsed < self._due and not ended:
            return
        self._due = elapsed + _UPDATE_EVERY_S
        done = outcome.total
        state = ProgressState(
            done=done,
            total=done if ended else max(done, self._total),
            errors=outcome.unanswered,
            calls=0,
            cached=0,
            tokens=0,
            cost=0.0,
            elapsed_s=elapsed,
        )
        self._progress.update(state)
