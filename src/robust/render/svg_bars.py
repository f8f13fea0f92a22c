"""Counts as bars, one below the other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from robust.render.html_blocks import Svg
from robust.render.svg_parts import LETTER, WIDTH, box, drawing, text

_ROW: Final = 30
_PAD: Final = 6
_BAR: Final = 7


class Bar(NamedTuple):
    """A row of the drawing: its name, how many there are, and how that is said."""

    name: str
    number: int
    said: str


def bars_svg(bars: Sequence[Bar]) -> Svg:
    """Bars from one edge, as long as their counts are large."""
    most = max((bar.number for bar in bars), default=0)
    parts = [part for place, bar in enumerate(bars) for part in _row(bar, place * _ROW, most)]
    return drawing(_ROW * len(bars) + 4, parts)


def _row(bar: Bar, top: float, most: int) -> Iterator[str]:
    room = WIDTH - 2 * _PAD
    yield text(_PAD, top + 13, bar.name, "t", room=room - LETTER * (len(bar.said) + 1))
    yield text(WIDTH - _PAD, top + 13, bar.said, "t-b", anchor="end", room=room / 2)
    yield box(_PAD, top + 18, room, _BAR, "trough")
    if bar.number:
        yield box(_PAD, top + 18, max(room * bar.number / most, 1.5), _BAR, "bar m-plain")
