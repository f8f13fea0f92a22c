"""Cues of a receipt whose amount is clearly the next line."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from robust.relations.receipt_lines import Line


def clear_pairs(lines: Sequence[Line]) -> list[int]:
    """The places of cues whose amount is clearly the next line.

    It is not clear where several cues stand above several amounts, nor where amounts may stand above their cues: then a
    cue is left over at the end of the run.
    """
    found: list[int] = []
    for run in _runs(lines):
        pairs = [place for place in run if lines[place].waits and place + 1 in run and lines[place + 1].alone]
        first_amount = next((place for place in run if lines[place].bare), run.stop)
        if all(place in pairs for place in run if place > first_amount and lines[place].waits):
            found += [
                place
                for place in pairs
                if not (place > run.start and lines[place - 1].waits)
                and not (place + 2 in run and lines[place + 2].bare)
            ]
    return found


def _runs(lines: Sequence[Line]) -> Iterator[range]:
    """Runs of lines that have either words or an amount."""
    start = 0
    for place, line in enumerate(lines):
        if line.separates or (line.priced and not line.bare):
            yield range(start, place)
            start = place + 1
    yield range(start, len(lines))
