"""Counts production records as they pass by: all of them, and by segment."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Final

from robust.canon import MAX_SAFE_INTEGER, join_path
from robust.errors import DataError
from robust.records.contract import Contract
from robust.records.decision import LIMIT_SLACK, tidy_number
from robust.records.production_cell import Actions, Bins, Cell, Distribution, Moments
from robust.records.production_record import ACTIONS, MOST_SEGMENTS, SegmentValue, segment_name
from robust.run.production_columns import Columns
from robust.stats.production_batch import joined
from robust.stats.production_totals import CellNumbers, Measured, Prepared, ProductionTotals, prepared

# Different numbers that are told apart in a distribution: of all records, and of those of a segment.
MOST_VALUES: Final = 4096
MOST_SEGMENT_VALUES: Final = 1024
# Records that are counted at once.
_AT_ONCE: Final = 65_536


class ProductionTally:
    """Counts records that are in order.

    Args:
        contract: says the bins of confidence and the threshold.
        segment_by: the metadata keys whose values make segments; others are not looked at.
    """

    def __init__(self, contract: Contract, segment_by: Sequence[str]) -> None:
        threshold = contract.evaluation.confidence_threshold
        self._has_threshold = threshold is not None
        self._bins = contract.evaluation.calibration_bins
        self._threshold = None if threshold is None else threshold - LIMIT_SLACK
        self._all = self._totals(MOST_VALUES)
        self._segments = [_Segments(key, self._totals(MOST_SEGMENT_VALUES)) for key in segment_by]
        self._waiting: list[Columns] = []
        self._pending = 0
        self.records = 0
        self.ids = 0
        self.timestamps = 0
        self.first: datetime | None = None
        self.last: datetime | None = None

    def _totals(self, limit: int) -> ProductionTotals:
        return ProductionTotals(bins=self._bins, actions=len(ACTIONS), limit=limit)

    def add(self, columns: Columns) -> None:
        """Count some records.

        Raises:
            DataError: ``too_many_segments``: keys have too many different values.
        """
        self.records += len(columns)
        self.ids += len(columns) - columns.ids.count(None)
        self.timestamps += columns.timestamps
        if columns.first is not None and columns.last is not None:
            self.first = columns.first if self.first is None else min(self.first, columns.first)
            self.last = columns.last if self.last is None else max(self.last, columns.last)
        for segments, values in zip(self._segments, columns.segments, strict=True):
            segments.name(values)
        if sum(map(len, self._segments)) > MOST_SEGMENTS:
            worst = max(self._segments, key=len)
            raise DataError.of(
                "too_many_segments",
                f"there are over {MOST_SEGMENTS} segments, {len(worst)} of them by {worst.key!r}",
                path=join_path("$.metadata", worst.key),
                hint="segment by a key that names kinds of records, and not each of them",
            )
        self._waiting.append(columns)
        self._pending += len(columns)
        if self._pending >= _AT_ONCE:
            self._count()

    def _count(self) -> None:
        if not self._waiting:
            return
        batch = prepared(
            joined([columns.batch for columns in self._waiting]),
            bins=self._bins,
            threshold=self._threshold,
            actions=len(ACTIONS),
        )
        self._waiting, self._pending = [], 0
        self._all.add(None, batch, 1)
        for segments in self._segments:
            segments.count(batch)

    def cell(self) -> Cell:
        """All records."""
        self._count()
        return self._cell(self._all.numbers(0))

    def segments(self) -> Iterator[tuple[str, SegmentValue, Cell]]:
        """The segments: key, value and records; by key, then by name, the missing ones last."""
        self._count()
        for segments in self._segments:
            for value, place in segments.ordered():
                yield segments.key, value, self._cell(segments.totals.numbers(place))

    def _cell(self, numbers: CellNumbers) -> Cell:
        counts, bins = numbers.counts, numbers.bins
        return Cell(
            **{name: counts[name] for name in ("records", "known", "right", "outcomes", "fallback_known", "fallbacks")},
            brier=_moments(numbers.brier),
            nll=_moments(numbers.nll),
            covered=counts["covered"] if self._has_threshold else None,
            actions=Actions(**{name: counts[str(place)] for place, name in enumerate(ACTIONS)}),
            confidence=_distribution("confidence", numbers.confidence),
            bins=Bins(records=tuple(bins[0]), known=tuple(bins[1]), right=tuple(bins[2]), confidence=tuple(bins[3])),
            latency_ms=_distribution("latency_ms", numbers.latency_ms),
            cost=_distribution("cost", numbers.cost),
        )


class _Segments:
    """The segments of one key."""

    def __init__(self, key: str, totals: ProductionTotals) -> None:
        self.key = key
        self.totals = totals
        # By name the place; and by text, or None, as it stands in records, which is found at once.
        self._places: dict[str, int] = {}
        self._texts: dict[SegmentValue, int] = {}
        self._values: list[SegmentValue] = []
        self._waiting: list[int] = []

    def __len__(self) -> int:
        return len(self._values)

    def name(self, values: Sequence[SegmentValue]) -> None:
        """Tell the segment of each record."""
        if {str, type(None)}.issuperset(map(type, values)):
            places = [place for place in map(self._texts.get, values) if place is not None]
            if len(places) < len(values):
                places = [*map(self._place, values)]
        else:
            places = [*map(self._place, values)]
        self._waiting += places

    def _place(self, value: SegmentValue) -> int:
        place = self._places.setdefault(segment_name(value), len(self._values))
        if place == len(self._values):
            self._values.append(tidy_number(value) if type(value) is float else value)
        if value is None or type(value) is str:
            self._texts[value] = place
        return place

    def count(self, batch: Prepared) -> None:
        """Count the records whose segments were told."""
        places, self._waiting = self._waiting, []
        self.totals.add(places, batch, len(self._values))

    def ordered(self) -> list[tuple[SegmentValue, int]]:
        """Values and places in the order of the names."""
        named = sorted(self._places.items(), key=lambda item: (self._values[item[1]] is None, item[0]))
        return [(self._values[place], place) for _, place in named]


def _moments(told: tuple[float, float]) -> Moments:
    return Moments(total=told[0], deviations=told[1])


def _distribution(name: str, told: Measured) -> Distribution:
    if told.total > MAX_SAFE_INTEGER:
        message = f"they sum to {told.total!r}, more than every JSON reader can hold (2^53 - 1)"
        raise DataError.of("too_large", message, path=join_path("$", name), hint="write them in a larger unit")
    counted = told.counted
    return Distribution(
        count=sum(counted.counts),
        total=told.total,
        least=told.least,
        most=told.most,
        shift=counted.shift,
        values=counted.values,
        counts=counted.counts,
    )
