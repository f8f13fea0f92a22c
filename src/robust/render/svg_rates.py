"""Shares with their intervals beside their limits, one below the other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from robust.render.html_blocks import Svg, Tone
from robust.render.plain import number_text
from robust.render.svg_parts import LETTER, MARKS, WIDTH, box, dot, drawing, line, nice_end, text, ticks

_ROW: Final = 40
_AXIS: Final = 26
_PAD: Final = 6


class Rate(NamedTuple):
    """A share as a row of the drawing.

    Attributes:
        name: what it is the share of.
        value: from 0 on; None where there is none.
        interval: of it.
        limit: what it is held against.
        tone: whether it keeps its limit.
        said: the share in words, such as ``12 of 16``.
    """

    name: str
    value: float | None
    interval: tuple[float, float] | None = None
    limit: float | None = None
    tone: Tone = "plain"
    said: str = ""


def rates_svg(rates: Sequence[Rate], *, end: float | None = None, reference: float | None = None) -> Svg:
    """Each share as a point on its interval, all on one axis from 0, with its limit as a mark across.

    Args:
        rates: the rows.
        end: where the axis ends; by default at a round number beyond all that is drawn.
        reference: a value that all are compared with, as a line through all rows.
    """
    farthest = max(
        (
            edge
            for rate in rates
            for edge in (rate.value, rate.limit, rate.interval[1] if rate.interval else None)
            if edge is not None
        ),
        default=1.0,
    )
    right = nice_end(max(farthest, reference or 0)) if end is None else end
    bottom = _ROW * len(rates) + 4
    return drawing(bottom + _AXIS, [*_axis(right, bottom, reference), *_rows(rates, right)])


def _x(value: float, end: float) -> float:
    return _PAD + min(max(value / end, 0), 1) * (WIDTH - 2 * _PAD)


def _axis(end: float, bottom: float, reference: float | None) -> Iterator[str]:
    for tick in ticks(end):
        x = _x(tick, end)
        yield line(x, 0, x, bottom, "grid")
        anchor = "start" if tick == 0 else "end" if tick == end else "middle"
        yield text(
            x - (_PAD if tick == 0 else -_PAD if tick == end else 0), bottom + 16, _short(tick), "t-s", anchor=anchor
        )
    if reference is not None:
        yield line(_x(reference, end), 0, _x(reference, end), bottom, "reference")


def _short(value: float) -> str:
    return number_text(value) if value else "0"


def _rows(rates: Sequence[Rate], end: float) -> Iterator[str]:
    for place, rate in enumerate(rates):
        top = place * _ROW
        middle = top + 27
        taken = LETTER * (len(rate.said) + 1)
        yield text(_PAD, top + 14, rate.name, "t", room=WIDTH - 2 * _PAD - taken)
        yield text(WIDTH - _PAD, top + 14, rate.said, "t-b", anchor="end", room=WIDTH / 2)
        yield line(_PAD, middle, WIDTH - _PAD, middle, "track")
        mark = MARKS[rate.tone]
        if rate.interval is not None:
            low, high = (_x(edge, end) for edge in rate.interval)
            yield box(low, middle - 4, max(high - low, 1), 8, f"band {mark}")
        if rate.limit is not None:
            x = _x(rate.limit, end)
            yield line(x, middle - 9, x, middle + 9, "limit")
        if rate.value is not None:
            yield dot(_x(rate.value, end), middle, 4.5, f"dot {mark}")
