"""Judging a file of candidates with an oracle program."""

from __future__ import annotations

import os
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from robust.app.exporting import read_pairs
from robust.app.validation import validate_variants
from robust.errors import UsageError
from robust.oracle.command import CommandOracle
from robust.records.status import ISSUE_LEADS_TO
from robust.store.files import atomic_output
from robust.store.validations import FileJournal

# What is reported when a program gave no verdict at all.
_ANSWERLESS = frozenset(("validator_error", "validator_timeout", "verdict_malformed"))


@dataclass(slots=True)
class BatchOutcome:
    """How many records have each status and each code, and what the journal had to say."""

    statuses: dict[str, int] = field(default_factory=lambda: {"valid": 0, "invalid": 0, "unknown": 0})
    codes: dict[str, int] = field(default_factory=dict)
    notices: list[str] = field(default_factory=list)
    unanswered: int = 0

    @property
    def total(self) -> int:
        """How many records there are."""
        return sum(self.statuses.values())


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
    command: str,
    oracle_name: str | None = None,
    oracle_version: str | None = None,
    journal: str | os.PathLike[str] | None = None,
    overwrite: bool = False,
    **terms: Any,
) -> BatchOutcome:
    """Judge the candidates of a file and write their validation records, in the candidates' order.

    The output appears when the last pair is judged; with a journal, a batch that was stopped continues.

    Args:
        bases: base cases.
        candidates: candidates, matched by ``origin.parent_id``.
        output: the file of validation records to write.
        command: the oracle program, which speaks ``robust.oracle/1``.
        oracle_name: the oracle's recorded name.
        oracle_version: the oracle's recorded version.
        journal: keeps finished pairs.
        overwrite: whether ``output`` may be replaced.
        terms: the other keywords of :func:`validate_variants`.

    Raises:
        UsageError: a file cannot be read or written, or the command is none.
        DataError: a line is wrong.
        CaseError: a pair or a term is unusable.
        IntegrityError: the journal is damaged.
    """
    oracle = CommandOracle(command, name=oracle_name, version=oracle_version)
    oracle.check_program()
    outcome = BatchOutcome()
    with ExitStack() as stack:
        stack.enter_context(oracle)
        write = stack.enter_context(atomic_output(Path(output), overwrite=overwrite))
        kept = None if journal is None else stack.enter_context(FileJournal(journal))
        outcome.notices += [] if kept is None else kept.notices
        pairs = read_pairs(bases, candidates)
        for record in validate_variants(pairs, validator=oracle, journal=kept, **terms):
            write(record.line() + b"\n")
            outcome.statuses[record.status] += 1
            outcome.unanswered += not _ANSWERLESS.isdisjoint(record.issues)
            for code in record.issues:
                outcome.codes[code] = outcome.codes.get(code, 0) + 1
        if not any(outcome.statuses.values()):
            raise UsageError.of("no_candidates", "there are no candidates", file=os.fspath(candidates))
    return outcome
