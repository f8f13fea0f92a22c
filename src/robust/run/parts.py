"""Parts of a run's records that can be checked side by side, each without the others."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from robust.run.burst import Burst
from robust.run.record_lines import RecordLines

DECISIONS_PER_PART: Final = 256
BASES_PER_PART: Final = 64
# How the record of a decision begins, whose keys are in order: the id of its case as a JSON string.
_CASE: Final = re.compile(rb'\{"case_id":("(?:[^"\\]|\\.)*"),')

NumberedLine = tuple[int, bytes]


class DecisionPart(NamedTuple):
    """Lines that should be decisions, with their numbers."""

    lines: tuple[NumberedLine, ...]


class PairPart(NamedTuple):
    """The decisions on some base cases, and the lines that should be the records of what was made of these.

    Attributes:
        place: the position of the first base case.
        bases: the lines of the decisions, which were checked before.
        answers: the distributions that they hold.
        lines: what stands there, with line numbers.
    """

    place: int
    bases: tuple[bytes, ...]
    answers: tuple[tuple[float, ...] | None, ...]
    lines: tuple[NumberedLine, ...]


class CheckedPart(NamedTuple):
    """A part in which every record follows from what stands before it, but for what only the whole run can tell.

    Attributes:
        burst: its records, digested and counted.
        cases: of decisions, 32 bytes for each: the hash of its case's leaf.
    """

    burst: Burst
    cases: bytes


def decision_parts(records: RecordLines, count: int) -> Iterator[DecisionPart]:
    """The next lines in parts, as many as there should be decisions."""
    while count > 0 and records.raw is not None:
        part = tuple(records.take(min(count, DECISIONS_PER_PART)))
        count -= len(part)
        yield DecisionPart(part)


def pair_parts(decisions: Iterator[tuple[bytes, tuple[float, ...] | None]], records: RecordLines) -> Iterator[PairPart]:
    """The decisions in parts, each with the records behind them that name its cases.

    Args:
        decisions: the lines of decisions, with the distributions that they hold.
        records: what stands behind the decisions; the lines of a part are taken from it.
    """
    place, bases, answers, lines = 0, list[bytes](), list[tuple[float, ...] | None](), list[NumberedLine]()
    for line, answer in decisions:
        bases.append(line)
        answers.append(answer)
        lines += _records_of(line, records)
        if len(bases) == BASES_PER_PART:
            yield PairPart(place, tuple(bases), tuple(answers), tuple(lines))
            place, bases, answers, lines = place + len(bases), [], [], []
    if bases:
        yield PairPart(place, tuple(bases), tuple(answers), tuple(lines))


def _records_of(decision: bytes, records: RecordLines) -> Iterator[NumberedLine]:
    """The next lines, as long as they name the case of a decision."""
    match = _CASE.match(decision)
    if match is None:
        return
    own = match.group(1)
    starts = (b'{"case_id":%s,' % own, b'{"assumed":true,"case_id":%s,' % own)
    while (raw := records.raw) is not None and raw.startswith(starts):
        yield records.number, raw
        records.skip()
