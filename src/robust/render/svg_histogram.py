"""How many values there are where between 0 and 1, with a limit marked."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from robust.render.html_blocks import Svg
from robust.render.plain import number_text
from robust.render.svg_parts import WIDTH, box, drawing, line, text, ticks

_HEIGHT: Final = 54
_ROW: Final = _HEIGHT + 40
_AXIS: Final = 22
_PAD: Final = 6
_STEP: Final = 0.1


class Histogram(NamedTuple):
    """Counts over equal bins from 0 to 1, as a row of the drawing.

    Attributes:
        name: what was counted.
        bins: the counts.
        limit: what the values are held against; None where nothing limits them.
        said: what stands beside the name.
    """

    name: str
    bins: Sequence[int]
    limit: float | None = None
    said: str = ""


def histogram_svg(histograms: Sequence[Histogram]) -> Svg:
    """Histograms, one below the other, on one axis that ends behind what is farthest; each has a scale of its own."""
    end = max((_end(each) for each in histograms), default=1.0)
    parts = [part for place, each in enumerate(histograms) for part in _row(each, place * _ROW, end)]
    bottom = _ROW * len(histograms)
    for tick in ticks(end):
        anchor = "start" if tick == 0 else "end" if tick == end else "middle"
        x = _x(tick, end) + (-_PAD if tick == 0 else _PAD if tick == end else 0)
        parts.append(text(x, bottom + 10, number_text(tick) if tick else "0", "t-s", anchor=anchor))
    return drawing(bottom + _AXIS, parts)


def _end(histogram: Histogram) -> float:
    """Where an axis ends on which it is seen, in steps of a tenth."""
    bins = len(histogram.bins)
    last = max((place + 1 for place, count in enumerate(histogram.bins) if count), default=0) / bins
    farthest = max(last, histogram.limit or 0)
    return min(max(-(-round(farthest / _STEP, 6) // 1) * _STEP, _STEP), 1.0)


def _x(value: float, end: float) -> float:
    return _PAD + min(value / end, 1) * (WIDTH - 2 * _PAD)


def _row(histogram: Histogram, top: float, end: float) -> Iterator[str]:
    yield text(_PAD, top + 12, histogram.name, "t", room=WIDTH / 2)
    yield text(WIDTH - _PAD, top + 12, histogram.said, "t-s", anchor="end", room=WIDTH / 2)
    floor = top + 24 + _HEIGHT
    most, width = max(histogram.bins, default=0), 1 / len(histogram.bins)
    for place, count in enumerate(histogram.bins):
        low = place * width
        if not count or low >= end:
            continue
        # Only a bin that is beyond the limit as a whole is surely beyond it.
        beyond = histogram.limit is not None and low >= histogram.limit - 1e-9
        height = max(_HEIGHT * count / most, 1.5)
        left, right = _x(low, end), _x(low + width, end)
        yield box(left + 0.5, floor - height, right - left - 1, height, "bar m-bad" if beyond else "bar m-plain")
    yield line(_PAD, floor, WIDTH - _PAD, floor, "axis")
    if histogram.limit is not None and histogram.limit <= end + 1e-9:
        x = _x(histogram.limit, end)
        yield line(x, top + 20, x, floor + 4, "limit")
