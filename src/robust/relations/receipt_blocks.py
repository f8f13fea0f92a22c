"""Blocks of a receipt that can change places without parting anything that belongs together."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from robust.relations.receipt_lines import Line, read_line
from robust.relations.receipt_pairs import clear_pairs
from robust.relations.relation import NotApplicable

# So many lines behind a cue without an amount may be looked at for one.
_REACH: Final = 3


@dataclass(frozen=True, slots=True)
class Blocks:
    """Blocks in their order.

    Attributes:
        blocks: the lines of each; together they are all lines.
        first_stays: whether the first must stay where it is, since its first line belongs to nothing before it.
        last_stays: whether the last must, since its last lines wait for an amount that nothing may seem to give.
    """

    blocks: list[list[str]]
    first_stays: bool = False
    last_stays: bool = False

    @property
    def movable(self) -> range:
        """The numbers of those that can change places."""
        return range(self.first_stays, len(self.blocks) - self.last_stays)


def blocks_of(texts: Sequence[str], cues: re.Pattern[str]) -> Blocks:
    """The header, the items, the totals with taxes and payments, and the footer; header and footer also in parts.

    Blocks end where these do, and in header and footer at blank lines and rules. No line of numbers alone is parted
    from the line before it, and no cue without an amount from the three lines behind it.

    Raises:
        NotApplicable: no totals are recognised, or there are not two blocks that could change places.
    """
    lines = [read_line(text, cues) for text in texts]
    clear = set(clear_pairs(lines))
    start, end = _totals(lines, clear)
    first_item = next((place for place in range(start) if lines[place].priced), start)
    while 0 < first_item < start and lines[first_item].bare:
        first_item -= 1
    wanted = {first_item, start, end, *_separated(lines, 0, first_item), *_separated(lines, end, len(lines))}
    cuts = sorted({place for place in (_behind_rules(lines, cut) for cut in wanted) if _may_part(lines, place, clear)})
    edges = [0, *cuts, len(lines)]
    blocks = [list(texts[here:there]) for here, there in pairwise(edges)]
    filled = [line for line in lines if not line.separates]
    found = Blocks(blocks, filled[0].bare, _waiting(filled))
    if len(found.movable) < 2:
        raise NotApplicable(f"blocks that could change places: {max(0, len(found.movable))}")
    return found


def _totals(lines: Sequence[Line], clear: Collection[int]) -> tuple[int, int]:
    """From the first to behind the last line of totals, taxes and payments."""
    places = [place for place, line in enumerate(lines) if line.cue and (line.priced or _amount_below(lines, place))]
    if not places:
        raise NotApplicable("no line of a total with its amount is recognised; give cues= or blocks=")
    start, end = places[0], places[-1] + 1
    if lines[start].waits and start not in clear:
        # Labels may stand in a column, and amounts in another: each label counts, whatever it says.
        while start > 0 and not (lines[start - 1].priced or lines[start - 1].separates):
            start -= 1
    for place in range(end, len(lines)):
        line = lines[place]
        if line.bare or (line.priced and not any(each.separates for each in lines[end:place])):
            end = place + 1
        elif not line.separates and any(each.separates for each in lines[end:place]):
            break
    return start, end


def _amount_below(lines: Sequence[Line], place: int) -> bool:
    """Whether a cue has its amount below, perhaps behind other cues."""
    for line in lines[place + 1 :]:
        if not (line.separates or line.waits):
            return line.bare and line.priced
    return False


def _separated(lines: Sequence[Line], start: int, end: int) -> Iterator[int]:
    """Where a block ends at a blank line or a rule."""
    for place in range(start, end):
        if lines[place].separates:
            yield place


def _behind_rules(lines: Sequence[Line], place: int) -> int:
    """Behind blank lines and rules, which go with the block before them."""
    while place < len(lines) and lines[place].separates:
        place += 1
    return place


def _may_part(lines: Sequence[Line], place: int, clear: Collection[int]) -> bool:
    """Whether what stands before and behind a place does not belong together."""
    before = [line for line in lines[:place] if not line.separates]
    if not before or place >= len(lines) or lines[place].bare or _waiting(before):
        return False
    # An amount may stand above its cue.
    return not (lines[place].waits and lines[place - 1].bare) or place in clear


def _waiting(lines: Sequence[Line]) -> bool:
    """Whether a cue of the last lines has no amount behind it yet."""
    waiting = False
    for line in lines[-_REACH:]:
        waiting = line.waits or (waiting and not line.bare)
    return waiting
