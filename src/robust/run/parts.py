"""Parts of a run's records that can be checked side by side, each without the others."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice
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
        bases: the lines of the decisions, which were checked before, each with its line feed.
        answers: the distributions that they hold.
        lines: what stands there, likewise.
    """

    place: int
    bases: bytes
    answers: tuple[tuple[float, ...] | None, ...]
    lines: bytes


class CheckedPart(NamedTuple):
    """A part in which every record follows from what stands before it, but for what only the whole run can tell.

    Attributes:
        burst: its records, digested and counted; without the lines of pairs, which whoever hands these out has.
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


def pair_parts(
    decisions: Iterator[tuple[bytes, tuple[float, ...] | None]], records: RecordLines
) -> Iterator[tuple[PairPart, list[NumberedLine]]]:
    """The decisions in parts, each with the records behind them that name its cases, and these with their numbers.

    Args:
        decisions: the lines of decisions, with the distributions that they hold.
        records: what stands behind the decisions; the lines of a part are taken from it.
    """
    place = 0
    while block := [*islice(decisions, BASES_PER_PART)]:
        taken = [line for decision, _ in block for line in _records_of(decision, records)]
        bases, answers = zip(*block, strict=True)
        yield PairPart(place, _joined(bases), answers, _joined([line for _, line in taken])), taken
        place += len(block)


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


def _joined(lines: Sequence[bytes]) -> bytes:
    """Lines, each with its line feed."""
    return b"\n".join((*lines, b""))
