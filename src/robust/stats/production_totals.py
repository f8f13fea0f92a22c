"""Counts and exact sums over production records, by group: of all of them, or of the segments of a key."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final, NamedTuple

from robust.stats.calibration import NLL_FLOOR, negative_logs
from robust.stats.distinct_counts import Counted, DistinctCounts
from robust.stats.group_totals import Digits, GroupMoments, GroupTotals, digits_of, moment_digits
from robust.stats.production_batch import UNKNOWN, Batch

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

# Powers of two above what can come: of a confidence, a Brier score, a negative logarithm, what is measured.
_CONFIDENCE, _BRIER, _NLL, _MEASURED = 1, 2, math.frexp(-math.log(NLL_FLOOR))[1], 50
_FIRST_ROOM: Final = 8
# Digits of sums: of numbers up to 2, and of others.
_FEW, _MANY = 4, 5
_SHORT: Final = 2**16


class CellNumbers(NamedTuple):
    """What was counted and summed of one group; see :class:`robust.records.production_cell.Cell`."""

    counts: dict[str, int]
    brier: tuple[float, float]
    nll: tuple[float, float]
    confidence: Measured
    bins: tuple[list[int], list[int], list[int], list[float]]
    latency_ms: Measured
    cost: Measured


class Measured(NamedTuple):
    """How numbers are distributed; see :class:`robust.records.production_cell.Distribution`."""

    total: float
    least: float | None
    most: float | None
    counted: Counted


class _Numbers(NamedTuple):
    """Numbers of a batch, ascending: whose they are, and what they are taken apart into."""

    rows: NDArray[np.int64]
    values: NDArray[np.float64]
    digits: Digits


class Prepared(NamedTuple):
    """A batch with everything that is the same however its records are grouped."""

    size: int
    members: NDArray[np.int64]
    masks: tuple[NDArray[np.bool_], ...]
    known: NDArray[np.int64]
    known_digits: Digits
    scored: NDArray[np.int64]
    brier: tuple[Digits, Digits, Digits]
    nll: tuple[Digits, Digits, Digits]
    spreads: tuple[_Numbers, ...]


def prepared(batch: Batch, *, bins: int, threshold: float | None, actions: int) -> Prepared:
    """A batch, ready to be counted by whatever groups.

    Args:
        batch: the records.
        bins: how many bins of confidence there are.
        threshold: the least confidence that is covered, or None without one.
        actions: how many actions there are.
    """
    import numpy as np

    edges = np.array([(index + 1) / bins for index in range(bins)])
    every = np.ones(len(batch), np.bool_)
    known, scored = batch.right != UNKNOWN, ~np.isnan(batch.share)
    covered = every if threshold is None else batch.confidence >= threshold
    masks = [every, known, batch.right == 1, scored, covered, batch.fallback != UNKNOWN, batch.fallback == 1]
    masks += [batch.action == action for action in range(actions)]
    spreads = ((batch.confidence, _CONFIDENCE), (batch.latency_ms, _MEASURED), (batch.cost, _MEASURED))
    return Prepared(
        size=len(batch),
        members=np.minimum(np.searchsorted(edges, batch.confidence, side="left"), bins - 1),
        masks=tuple(masks),
        known=np.flatnonzero(known),
        known_digits=digits_of(batch.confidence[known], _CONFIDENCE, _FEW),
        scored=np.flatnonzero(scored),
        brier=moment_digits(batch.brier[scored], _BRIER),
        nll=moment_digits(negative_logs(batch.share[scored]), _NLL),
        spreads=tuple(_ascending(values, exponent) for values, exponent in spreads),
    )


def _ascending(values: NDArray[np.float64], exponent: int) -> _Numbers:
    import numpy as np

    # NaN, which stands for what is not known, comes last.
    rows = np.argsort(values, kind="stable")
    rows = rows[: len(values) - int(np.count_nonzero(np.isnan(values)))]
    ordered = values[rows] + 0.0
    return _Numbers(rows, ordered, digits_of(ordered, exponent, _MANY))


class _Spread:
    """The sum, the ends and the distribution of the numbers of each group."""

    def __init__(self, exponent: int, limit: int) -> None:
        self._limit = limit
        self._totals = GroupTotals(exponent, _MANY)
        self._counts: list[DistinctCounts] = []
        self._ends: list[tuple[float, float] | None] = []

    def add(self, groups: NDArray[np.int64] | None, numbers: _Numbers, count: int) -> None:
        import numpy as np

        while len(self._counts) < count:
            self._counts.append(DistinctCounts(self._limit))
            self._ends.append(None)
        if groups is None:
            self._totals.add_digits(None, numbers.digits, count)
            self._add(0, numbers.values)
            return
        of_each = groups[numbers.rows]
        self._totals.add_digits(of_each, numbers.digits, count)
        # Numbers of 16 bits are sorted in no time; stably, so that those of each group still ascend.
        order = np.argsort(of_each.astype(np.uint16) if count < _SHORT else of_each, kind="stable")
        ordered, sizes = numbers.values[order], np.bincount(of_each, minlength=count)
        ends = np.cumsum(sizes)
        for group in np.flatnonzero(sizes).tolist():
            self._add(group, ordered[ends[group] - sizes[group] : ends[group]])

    def _add(self, group: int, values: NDArray[np.float64]) -> None:
        """Count the numbers of a group, which ascend."""
        if not len(values):
            return
        self._counts[group].add_sorted(values)
        least, most, known = float(values[0]), float(values[-1]), self._ends[group]
        self._ends[group] = (least, most) if known is None else (min(known[0], least), max(known[1], most))

    def measured(self, group: int) -> Measured:
        least, most = self._ends[group] or (None, None)
        return Measured(self._totals.total(group), least, most, self._counts[group].counted())


class ProductionTotals:
    """Counts and sums of records by group.

    Args:
        bins: how many bins of confidence there are.
        actions: how many actions there are.
        limit: how many different numbers are told apart in a distribution of a group.
    """

    def __init__(self, *, bins: int, actions: int, limit: int) -> None:
        import numpy as np

        self._bins = bins
        self._small: NDArray[np.int64] = np.zeros((0, 7 + actions), np.int64)
        self._binned: NDArray[np.int64] = np.zeros((0, 3, bins), np.int64)
        self._bin_totals = GroupTotals(_CONFIDENCE, _FEW)
        self._brier, self._nll = GroupMoments(_BRIER), GroupMoments(_NLL)
        self._spreads = (_Spread(_CONFIDENCE, limit), _Spread(_MEASURED, limit), _Spread(_MEASURED, limit))

    def add(self, places: Sequence[int] | None, batch: Prepared, count: int) -> None:
        """Take in records.

        Args:
            places: the group of each, from 0; None where there is one group only.
            batch: the records.
            count: how many groups there are so far.
        """
        import numpy as np

        self._grow(count)
        groups = None if places is None else np.array(places, np.int64)
        cells = batch.members if groups is None else groups * self._bins + batch.members
        for place, chosen in enumerate(batch.masks[:3]):
            found = np.bincount(cells[chosen], minlength=self._binned.shape[0] * self._bins)
            self._binned[:, place] += found.reshape(-1, self._bins)
        self._bin_totals.add_digits(cells[batch.known], batch.known_digits, count * self._bins)
        for place, chosen in enumerate(batch.masks):
            if groups is None:
                self._small[0, place] += np.count_nonzero(chosen)
            else:
                self._small[:, place] += np.bincount(groups[chosen], minlength=len(self._small))
        scored = None if groups is None else groups[batch.scored]
        self._brier.add_digits(scored, batch.brier, count)
        self._nll.add_digits(scored, batch.nll, count)
        for spread, numbers in zip(self._spreads, batch.spreads, strict=True):
            spread.add(groups, numbers, count)

    def _grow(self, count: int) -> None:
        import numpy as np

        if count > len(self._small):
            more = max(count, 2 * len(self._small), _FIRST_ROOM if count > 1 else 1) - len(self._small)
            self._small = np.concatenate([self._small, np.zeros((more, self._small.shape[1]), np.int64)])
            self._binned = np.concatenate([self._binned, np.zeros((more, 3, self._bins), np.int64)])

    def numbers(self, group: int) -> CellNumbers:
        """What was counted and summed of a group that has records."""
        small: list[int] = self._small[group].tolist()
        names = ("records", "known", "right", "outcomes", "covered", "fallback_known", "fallbacks")
        counts = dict(zip(names, small, strict=False))
        counts |= {str(action): number for action, number in enumerate(small[len(names) :])}
        scored = counts["outcomes"]
        records, known, right = self._binned[group].tolist()
        sums = [self._bin_totals.total(group * self._bins + place) for place in range(self._bins)]
        confidence, latency, cost = (spread.measured(group) for spread in self._spreads)
        return CellNumbers(
            counts=counts,
            brier=(self._brier.total(group), self._brier.deviations(group, scored)),
            nll=(self._nll.total(group), self._nll.deviations(group, scored)),
            confidence=confidence,
            bins=(records, known, right, sums),
            latency_ms=latency,
            cost=cost,
        )
