"""How often answers of a confidence are right, beside that confidence, with how many answers there are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple

from robust.render.html_blocks import Svg
from robust.render.plain import number_text
from robust.render.svg_parts import WIDTH, box, dot, drawing, line, text

_LEFT: Final = 36
_RIGHT: Final = 8
_TOP: Final = 8
_SIDE: Final = WIDTH - _LEFT - _RIGHT
_HEIGHT: Final = 220
_GAP: Final = 20
_COUNTS: Final = 44
_MOST_NUMBERS: Final = 12


class Bin(NamedTuple):
    """A bin of a reliability table; mean and accuracy are None where it is empty."""

    lower: float
    upper: float
    number: int
    mean: float | None
    accuracy: float | None


def bins_of(reliability: Sequence[dict[str, Any]]) -> list[Bin]:
    """The bins of a report's reliability table."""
    return [
        Bin(row["lower"], row["upper"], row["count"], row["mean_confidence"], row["accuracy"]) for row in reliability
    ]


def reliability_svg(bins: Sequence[Bin]) -> Svg:
    """A reliability diagram (DeGroot & Fienberg 1983): accuracy over mean confidence, the diagonal, and the counts.

    A line from each point to the diagonal is how far the two are apart; the bars below are how many answers that is.
    """
    floor = _TOP + _HEIGHT
    parts = [*_frame(floor), *_points(bins, floor), *_counts(bins, floor + _GAP)]
    return drawing(floor + _GAP + _COUNTS + 42, parts)


def _x(value: float) -> float:
    return _LEFT + _SIDE * value


def _frame(floor: float) -> Iterator[str]:
    for tick in (0, 0.25, 0.5, 0.75, 1):
        x, y = _x(tick), floor - _HEIGHT * tick
        yield line(x, _TOP, x, floor, "grid")
        yield line(_LEFT, y, WIDTH - _RIGHT, y, "grid")
        yield text(_LEFT - 5, y + 4, number_text(tick), "t-s", anchor="end")
    yield line(_x(0), floor, _x(1), _TOP, "reference")


def _points(bins: Sequence[Bin], floor: float) -> Iterator[str]:
    found = [(_x(each.mean), each) for each in bins if each.mean is not None]
    for x, each in found:
        if each.accuracy is not None and each.mean is not None:
            yield line(x, floor - _HEIGHT * each.mean, x, floor - _HEIGHT * each.accuracy, "gap")
    for x, each in found:
        if each.accuracy is not None:
            yield dot(x, floor - _HEIGHT * each.accuracy, 4.5, "dot m-plain")


def _counts(bins: Sequence[Bin], top: float) -> Iterator[str]:
    most = max((each.number for each in bins), default=0)
    floor = top + _COUNTS
    numbers = len(bins) <= _MOST_NUMBERS
    for each in bins:
        if not each.number:
            continue
        left, right = _x(each.lower), _x(each.upper)
        height = max((_COUNTS - 12) * each.number / most, 1.5)
        yield box(left + 0.5, floor - height, max(right - left - 1, 1), height, "bar m-plain")
        if numbers:
            yield text((left + right) / 2, floor - height - 3, _few(each.number), "t-n", anchor="middle")
    yield line(_LEFT, floor, WIDTH - _RIGHT, floor, "axis")
    for tick in (0, 0.25, 0.5, 0.75, 1):
        yield text(_x(tick), floor + 14, number_text(tick), "t-s", anchor="middle")
    yield text(_x(0.5), floor + 32, "confidence", "t-s", anchor="middle")


def _few(count: int) -> str:
    return str(count) if count < 10_000 else f"{count // 1000}k"
