"""Counts and exact sums over production records, by group: of all of them, or of the segments of a key."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final, NamedTuple

from robust.stats.calibration import NLL_FLOOR, brier_scores, negative_logs
from robust.stats.distinct_counts import Counted, DistinctCounts
from robust.stats.group_totals import GroupMoments, GroupTotals

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

UNKNOWN: Final = -1
# A sum over a thousand labels is rounded by less than this.
_ROUNDING: Final = 1e-12
_MOST_LABELS: Final = 1000
# Powers of two above what can come: of a confidence, a Brier score, a negative logarithm, what is measured.
_CONFIDENCE, _BRIER, _NLL, _MEASURED = 1, 2, math.frexp(-math.log(NLL_FLOOR))[1], 50
_FIRST_ROOM: Final = 8


class Batch(NamedTuple):
    """Columns of some records; see :class:`robust.records.production_record.ProductionRecord`.

    What is not known is :data:`UNKNOWN` in columns of small numbers, and NaN in others.
    """

    confidence: NDArray[np.float64]
    share: NDArray[np.float64]
    brier: NDArray[np.float64]
    right: NDArray[np.int8]
    action: NDArray[np.int8]
    fallback: NDArray[np.int8]
    latency_ms: NDArray[np.float64]
    cost: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.confidence)


def joined(batches: Sequence[Batch]) -> Batch:
    """Several batches as one."""
    import numpy as np

    return Batch(*map(np.concatenate, zip(*batches, strict=True)))


def shares_of(
    values: Sequence[float], labels: int, tolerance: float, *, checked: bool = False
) -> NDArray[np.float64] | None:
    """Distributions as a table of shape (records, labels); None where one of them is not seen to be in order.

    Args:
        values: the probabilities of all records, one record after the other; numbers of the built-in types.
        labels: how many labels there are.
        tolerance: how far a sum may be from 1.
        checked: whether each was looked at by itself and is in order.
    """
    import numpy as np

    if checked:
        return np.array(values, np.float64).reshape(-1, labels)
    if labels > _MOST_LABELS:
        return None
    try:
        shares = np.array(values, np.float64).reshape(-1, labels)
    except (OverflowError, ValueError):
        return None
    # Also false of NaN. What is at the edge of the tolerance is left to an exact sum.
    if not (shares.min() >= 0 and bool((np.abs(shares.sum(axis=1) - 1) <= tolerance - _ROUNDING).all())):
        return None
    return shares


def measured(values: Sequence[float | None], most: float) -> NDArray[np.float64] | None:
    """Numbers, NaN where there is None; None where one of them is not from 0 to ``most``."""
    import numpy as np

    try:
        numbers = np.array(values, np.float64)
    except (OverflowError, ValueError):
        return None
    known = numbers[~np.isnan(numbers)]
    if len(known) and not (known.min() >= 0 and known.max() <= most):
        return None
    return numbers


class Told(NamedTuple):
    """What records tell in small numbers, each :data:`UNKNOWN` where it is not told.

    Attributes:
        outcome: the position of the right label.
        correct: 1 where the selected label is said to be right, 0 where not.
        action: the position of the action.
        fallback: 1 where a fallback is said to have been taken, 0 where not.
    """

    outcome: Sequence[int]
    correct: Sequence[int]
    action: Sequence[int]
    fallback: Sequence[int]


def batch_of(
    shares: NDArray[np.float64],
    told: Told,
    latency_ms: NDArray[np.float64],
    cost: NDArray[np.float64],
    *,
    fallback_action: int,
) -> Batch | None:
    """The columns of records; None where one of them contradicts itself.

    Args:
        shares: their distributions, of shape (records, labels).
        told: what they tell.
        latency_ms: in milliseconds, NaN where it is not known.
        cost: in any unit, NaN where it is not known.
        fallback_action: the position of the action that is a fallback.
    """
    import numpy as np

    confidence = shares.max(axis=1)
    places = np.array(told.outcome, np.int64)
    known = np.flatnonzero(places != UNKNOWN)
    share, brier = np.full(len(shares), np.nan), np.full(len(shares), np.nan)
    if len(known):
        share[known] = shares[known, places[known]]
        brier[known] = brier_scores(shares[known], share[known])
    action = np.array(told.action, np.int8)
    right = _agreed(places != UNKNOWN, places == shares.argmax(axis=1), np.array(told.correct, np.int8))
    fallback = _agreed(action != UNKNOWN, action == fallback_action, np.array(told.fallback, np.int8))
    if right is None or fallback is None:
        return None
    return Batch(confidence, share, brier, right, action, fallback, latency_ms, cost)


def _agreed(known: NDArray[np.bool_], holds: NDArray[np.bool_], told: NDArray[np.int8]) -> NDArray[np.int8] | None:
    """What follows where something is known, and what is told elsewhere; None where one contradicts the other."""
    import numpy as np

    if bool((known & (told != UNKNOWN) & (told != holds)).any()):
        return None
    return np.where(known, holds, told).astype(np.int8)


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


class _Spread:
    """The sum, the ends and the distribution of the numbers of each group."""

    def __init__(self, exponent: int, limit: int) -> None:
        self._limit = limit
        self._totals = GroupTotals(exponent, 5)
        self._counts: list[DistinctCounts] = []
        self._ends: list[tuple[float, float] | None] = []

    def add(self, groups: NDArray[np.int64], values: NDArray[np.float64], count: int) -> None:
        import numpy as np

        while len(self._counts) < count:
            self._counts.append(DistinctCounts(self._limit))
            self._ends.append(None)
        self._totals.add(groups, values, count)
        order = np.argsort(groups, kind="stable")
        ordered, sizes = values[order], np.bincount(groups, minlength=count)
        ends = np.cumsum(sizes)
        for group in np.flatnonzero(sizes).tolist():
            part = ordered[ends[group] - sizes[group] : ends[group]]
            self._counts[group].add(part)
            least, most = float(part.min()) + 0.0, float(part.max()) + 0.0
            known = self._ends[group]
            self._ends[group] = (least, most) if known is None else (min(known[0], least), max(known[1], most))

    def measured(self, group: int) -> Measured:
        least, most = self._ends[group] or (None, None)
        return Measured(self._totals.total(group), least, most, self._counts[group].counted())


class ProductionTotals:
    """Counts and sums of records by group.

    Args:
        bins: how many bins of confidence there are.
        threshold: the least confidence that is covered, or None without one.
        actions: how many actions there are.
        limit: how many different numbers are told apart in a distribution of a group.
    """

    def __init__(self, *, bins: int, threshold: float | None, actions: int, limit: int) -> None:
        import numpy as np

        self._bins = bins
        self._threshold = threshold
        self._actions = actions
        self._edges = np.array([(index + 1) / bins for index in range(bins)])
        self._small: NDArray[np.int64] = np.zeros((0, 7 + actions), np.int64)
        self._binned: NDArray[np.int64] = np.zeros((0, 3, bins), np.int64)
        self._bin_totals = GroupTotals(_CONFIDENCE)
        self._brier, self._nll = GroupMoments(_BRIER), GroupMoments(_NLL)
        self._confidence = _Spread(_CONFIDENCE, limit)
        self._latency, self._cost = _Spread(_MEASURED, limit), _Spread(_MEASURED, limit)

    def add(self, places: Sequence[int] | None, batch: Batch, count: int) -> None:
        """Take in records.

        Args:
            places: the group of each, from 0; None where there is one group only.
            batch: the records.
            count: how many groups there are so far.
        """
        import numpy as np

        self._grow(count)
        groups = np.zeros(len(batch), np.int64) if places is None else np.array(places, np.int64)
        known, scored = batch.right != UNKNOWN, ~np.isnan(batch.share)
        members = np.minimum(np.searchsorted(self._edges, batch.confidence, side="left"), self._bins - 1)
        cells, every = groups * self._bins + members, np.ones(len(batch), np.bool_)
        right = batch.right == 1
        for place, chosen in enumerate((every, known, right)):
            found = np.bincount(cells[chosen], minlength=self._binned.shape[0] * self._bins)
            self._binned[:, place] += found.reshape(-1, self._bins)
        self._bin_totals.add(cells[known], batch.confidence[known], count * self._bins)
        covered = every if self._threshold is None else batch.confidence >= self._threshold
        columns = [every, known, right, scored, covered, batch.fallback != UNKNOWN, batch.fallback == 1]
        columns += [batch.action == action for action in range(self._actions)]
        for place, chosen in enumerate(columns):
            self._small[:, place] += np.bincount(groups[chosen], minlength=len(self._small))
        self._brier.add(groups[scored], batch.brier[scored], count)
        self._nll.add(groups[scored], negative_logs(batch.share[scored]), count)
        self._confidence.add(groups, batch.confidence, count)
        for spread, values in ((self._latency, batch.latency_ms), (self._cost, batch.cost)):
            told = ~np.isnan(values)
            spread.add(groups[told], values[told], count)

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
        return CellNumbers(
            counts=counts,
            brier=(self._brier.total(group), self._brier.deviations(group, scored)),
            nll=(self._nll.total(group), self._nll.deviations(group, scored)),
            confidence=self._confidence.measured(group),
            bins=(records, known, right, sums),
            latency_ms=self._latency.measured(group),
            cost=self._cost.measured(group),
        )
