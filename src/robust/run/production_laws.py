"""What must hold of counts and sums that were kept of production records; whatever breaks it is no such thing."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import accumulate, pairwise
from typing import Final

from robust.records.contract import Contract
from robust.records.decision import LIMIT_SLACK
from robust.records.production_cell import Bins, Cell, Distribution, Sample
from robust.records.production_record import MOST_MEASURED
from robust.run.production_tally import MOST_SEGMENT_VALUES, MOST_VALUES
from robust.stats.distinct_counts import bin_end, is_bin_start

# Sums are rounded once, so that they agree to about this share of them.
_ROUNDING: Final = 1e-9
# What is summed is rounded to a multiple of this; see :class:`robust.stats.group_totals.GroupTotals`.
_TINY: Final = 2.0**-104
_COUNTS: Final = ("records", "known", "right", "outcomes", "covered", "fallback_known", "fallbacks")
_SPREADS: Final = ("confidence", "latency_ms", "cost")

# Where something does not hold, and what.
Broken = tuple[str, str]


def broken_laws(cell: Cell, contract: Contract, *, whole: bool) -> Iterator[Broken]:
    """What does not hold of a cell, as paths within it with messages.

    Args:
        cell: the cell.
        contract: says the bins, the threshold and the tolerance.
        whole: whether it is of all records, and not of a segment.
    """
    yield from _counts(cell, contract)
    bins, settings = cell.bins, contract.evaluation
    if {len(bins.records), len(bins.known), len(bins.right), len(bins.confidence)} != {settings.calibration_bins}:
        yield ".bins", f"there must be {settings.calibration_bins} bins"
        return
    yield from _bins(cell, settings.probability_tolerance)
    limit = MOST_VALUES if whole else MOST_SEGMENT_VALUES
    ends = {"confidence": 1 + 2 * settings.probability_tolerance}
    for name in _SPREADS:
        for path, message in _spread(getattr(cell, name), limit, ends.get(name, MOST_MEASURED)):
            yield f".{name}{path}", message
        if getattr(cell, name).count > cell.records:
            yield f".{name}.count", f"{getattr(cell, name).count} numbers of {cell.records} records"
    if cell.confidence.count == cell.records:
        yield from _confidence(cell, contract)
    elif cell.confidence.count < cell.records:
        yield ".confidence.count", f"every one of {cell.records} records has one, not {cell.confidence.count}"


def _counts(cell: Cell, contract: Contract) -> Iterator[Broken]:
    if not cell.records:
        yield ".records", "there must be records"
    if not cell.right <= cell.known <= cell.records:
        yield ".known", f"{cell.right} right of {cell.known} known of {cell.records} records"
    if not cell.outcomes <= cell.known:
        yield ".outcomes", f"{cell.outcomes} outcomes, and of {cell.known} records it is known whether they were right"
    if (cell.covered is None) != (contract.evaluation.confidence_threshold is None):
        yield ".covered", "must be there exactly with a threshold"
    if cell.covered is not None and cell.covered > cell.records:
        yield ".covered", f"{cell.covered} of {cell.records} records"
    yield from _routing(cell)
    for name, moments, highest in (("brier", cell.brier, 4.0), ("nll", cell.nll, 40.0)):
        count, total = cell.outcomes, moments.total
        # Distributions may sum to a little more than 1, and a logarithm is then a little below 0.
        if not -0.1 * count <= total <= highest * count or (count < 2 and moments.deviations > _ROUNDING):
            yield f".{name}", f"{total!r} is no sum over {count} records"
        elif count and moments.deviations > count * (highest + 1) ** 2:
            yield f".{name}.deviations", f"{moments.deviations!r} is too much for {count} records"


def _routing(cell: Cell) -> Iterator[Broken]:
    known, routed = cell.fallback_known, cell.actions
    # A record with an action tells of a fallback, too; one without may.
    least, most = routed.fallback, routed.fallback + known - routed.known
    if not routed.known <= known <= cell.records:
        yield ".fallback_known", f"{known} beside {routed.known} actions of {cell.records} records"
    elif not least <= cell.fallbacks <= most:
        yield ".fallbacks", f"{cell.fallbacks}, from {least} to {most} can be"


def _bins(cell: Cell, tolerance: float) -> Iterator[Broken]:
    bins: Bins = cell.bins
    for name, due in (("records", cell.records), ("known", cell.known), ("right", cell.right)):
        if sum(getattr(bins, name)) != due:
            yield f".bins.{name}", f"they sum to {sum(getattr(bins, name))}, not to {due}"
    size = len(bins.records)
    for index, (count, known, right, total) in enumerate(
        zip(bins.records, bins.known, bins.right, bins.confidence, strict=True)
    ):
        if not right <= known <= count:
            yield f".bins.known[{index}]", f"{right} right of {known} known of {count} records"
        high = (index + 1) / size if index < size - 1 else 1 + 2 * tolerance
        if not (index / size * (1 - _ROUNDING) * known <= total <= high * (1 + _ROUNDING) * known):
            yield f".bins.confidence[{index}]", f"{total!r} is no sum over {known} records in this bin"


def _spread(spread: Distribution, limit: int, highest: float) -> Iterator[Broken]:
    values, counts, shift = spread.values, spread.counts, spread.shift
    if len(values) != len(counts) or len(values) > limit or sum(counts) != spread.count:
        yield ".counts", f"{sum(counts)} in {len(counts)} bins, of {spread.count} numbers with {len(values)} bins"
        return
    if any(one >= other for one, other in pairwise(values)) or not all(is_bin_start(value, shift) for value in values):
        yield ".values", f"they must ascend, and be multiples of a bin of {shift} bits"
        return
    if not values:
        if (spread.least, spread.most, spread.total, shift) != (None, None, 0, 0):
            yield "", "there are no numbers, so nothing can be said of them"
        return
    least, most, last = spread.least, spread.most, bin_end(values[-1], shift)
    ends = [bin_end(value, shift) for value in values] if shift else values
    if least is None or most is None or not (values[0] <= least <= ends[0] and values[-1] <= most <= ends[-1]):
        yield "", f"the least and the largest, {least!r} and {most!r}, are not in the first and the last bin"
        return
    if not shift and (least, most) != (values[0], values[-1]):
        yield "", f"the least and the largest are {values[0]!r} and {values[-1]!r}"
    if most > highest:
        yield ".most", f"{most!r} is more than {highest!r}, which no record may hold"
    low = sum(value * count for value, count in zip(values, counts, strict=True))
    high = sum(value * count for value, count in zip(ends, counts, strict=True))
    slack = _ROUNDING * max(high, last) + _TINY * spread.count
    if not low - slack <= spread.total <= high + slack:
        yield ".total", f"{spread.total!r} is no sum of these numbers, from {low!r} to {high!r} can be"


def _confidence(cell: Cell, contract: Contract) -> Iterator[Broken]:
    """The confidence of all records, told by two tables and perhaps a threshold."""
    spread, bins = cell.confidence, cell.bins.records
    sums = [0, *accumulate(spread.counts)]

    def between(edge: float, *, inclusive: bool) -> tuple[int, int]:
        """How many numbers are at most, or below, an edge: at least and at most."""
        cut = bisect_right if inclusive else bisect_left
        sure = cut(spread.values, edge)
        if not spread.shift or not sure or bin_end(spread.values[sure - 1], spread.shift) <= edge:
            return sums[sure], sums[sure]
        return sums[sure - 1], sums[sure]

    size = len(bins)
    for index, total in enumerate(accumulate(bins[:-1])):
        low, high = between((index + 1) / size, inclusive=True)
        if not low <= total <= high:
            yield f".bins.records[{index}]", f"{total} records up to this bin, from {low} to {high} by their confidence"
    if cell.covered is not None and contract.evaluation.confidence_threshold is not None:
        low, high = between(contract.evaluation.confidence_threshold - LIMIT_SLACK, inclusive=False)
        if not low <= cell.records - cell.covered <= high:
            yield ".covered", f"{cell.covered}, from {cell.records - high} to {cell.records - low} by their confidence"


def broken_sample(sample: Sample) -> Iterator[Broken]:
    """What does not hold of what is told of a file, as paths within it with messages."""
    if sample.ids > sample.records or sample.timestamps > sample.records:
        yield "", "the sample has more ids or timestamps than records"
    if sample.bytes < sample.records:
        yield ".bytes", f"{sample.records} records in {sample.bytes} bytes"
    moments = []
    for name, told in (("first", sample.first), ("last", sample.last)):
        if (told is None) != (sample.timestamps == 0):
            yield f".{name}", "must be there exactly with timestamps"
        elif told is not None:
            try:
                moments.append(datetime.fromisoformat(told))
            except ValueError:
                yield f".{name}", "is no time in ISO 8601"
                continue
            if moments[-1].tzinfo is not UTC or moments[-1].isoformat() != told:
                yield f".{name}", "is not written as a time in UTC is"
                moments.pop()
    if len(moments) > 1 and (moments[1] < moments[0] or (sample.timestamps == 1 and moments[0] != moments[1])):
        yield ".last", f"{sample.last!r} is no latest of {sample.timestamps} timestamps from {sample.first!r}"


def parts_of_a_whole(whole: Cell, parts: list[Cell]) -> Iterator[Broken]:
    """Where the segments of a key do not add up to all records."""
    due, found = _summands(whole), [_summands(part) for part in parts]
    for path, one in due.items():
        total = sum(each[path] for each in found)
        if total != one:
            yield path, f"the segments have {total}, all records {one}"
    for name in ("brier", "nll", *_SPREADS):
        amount, totals = getattr(whole, name).total, [getattr(part, name).total for part in parts]
        if abs(sum(totals) - amount) > _ROUNDING * max(1.0, abs(amount)):
            yield f".{name}.total", f"the segments sum to {sum(totals)!r}, all records to {amount!r}"


def _summands(cell: Cell) -> dict[str, int]:
    """Every count of a cell that those of the segments add up to, by path."""
    counts = {f".{name}": getattr(cell, name) or 0 for name in _COUNTS}
    counts |= {f".actions.{name}": getattr(cell.actions, name) for name in type(cell.actions).model_fields}
    counts |= {f".{name}.count": getattr(cell, name).count for name in _SPREADS}
    for name in ("records", "known", "right"):
        counts |= {f".bins.{name}[{place}]": count for place, count in enumerate(getattr(cell.bins, name))}
    return counts
