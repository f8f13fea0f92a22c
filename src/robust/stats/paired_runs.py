"""Two runs on the same cases, case by case: what moved, by how much, and how sure that is over source groups."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

from robust.stats.calibration import NLL_FLOOR, negative_logs
from robust.stats.case_rows import COLUMNS, NONE
from robust.stats.exact_sum import exact_sum
from robust.stats.intervals import JackknifeEstimate, RateEstimate, jackknife_estimate, rate_estimate
from robust.stats.jackknife import macro_f1_left_out, means_left_out
from robust.stats.measurement import Measured, Measuring
from robust.stats.paired_difference import mean_difference

if TYPE_CHECKING:
    from array import array

    import numpy as np
    from numpy.typing import NDArray

# Metrics whose value is a share of cases, by what is counted among which cases; see _Side.
_RATES: Final = ("accuracy", "coverage", "abstention_rate", "selective_accuracy", "error_rate")
# Means of a number that each scored case has.
_MEANS: Final = ("nll", "brier", "ordinal_mae")
TV_BINS: Final = 50


class PairedMetric(NamedTuple):
    """A metric of two runs over the same cases.

    Attributes:
        baseline: of the first run.
        candidate: of the second.
        delta: candidate minus baseline; None where one of them cannot be computed.
        estimate: of ``delta`` over source groups; None where it has no interval.
    """

    baseline: Measured
    candidate: Measured
    delta: float | None
    estimate: JackknifeEstimate | None


class Moves(NamedTuple):
    """How correctness moved, over the cases whose right answer is known and that both runs decided.

    Attributes:
        both_right: cases that both runs answer right.
        newly_wrong: right in the baseline, wrong in the candidate.
        newly_right: the other way round.
        both_wrong: wrong in both, with whatever labels.
        groups_worse: source groups in which more cases are newly wrong than newly right.
        groups_better: the other way round.
    """

    both_right: int
    newly_wrong: int
    newly_right: int
    both_wrong: int
    groups_worse: int
    groups_better: int

    @property
    def cases(self) -> int:
        """How many cases there are."""
        return self.both_right + self.newly_wrong + self.newly_right + self.both_wrong


@dataclass(frozen=True, slots=True)
class Shift:
    """The mean of one number for each case that both runs decided, and the largest of them by size.

    Attributes:
        mean: None of no case.
        largest: likewise.
        estimate: of the mean over source groups; None of fewer than two.
    """

    mean: float | None
    largest: float | None
    estimate: JackknifeEstimate | None


class SegmentFigures(NamedTuple):
    """The cases of one segment.

    Attributes:
        cases: how many there are.
        compared: how many of them both runs decided.
        flips: how many of these have another label.
        baseline: accuracy of the first run; None where no case is labelled and decided.
        candidate: likewise of the second.
        rows: where its cases stand in the tables.
    """

    cases: int
    compared: int
    flips: int
    baseline: float | None
    candidate: float | None
    rows: NDArray[np.int64]


class _Side:
    """The columns of one run, by name."""

    def __init__(self, table: NDArray[np.float64], threshold: float | None) -> None:
        import numpy as np

        self.groups, self.expected, self.selected = (table[:, column].astype(np.int64) for column in range(3))
        self.confidence, self.share, self.brier = (table[:, column] for column in range(3, COLUMNS))
        self.decided = self.selected != NONE
        self.scored = self.decided & (self.expected != NONE)
        self.right = self.scored & (self.expected == self.selected)
        self.covered = self.decided & (self.confidence >= (math.inf if threshold is None else threshold))

    def values(self, metric: str) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        """The number of each case whose mean is a metric, and the cases over which it is taken."""
        import numpy as np

        every = np.ones(len(self.groups), dtype=np.bool_)
        # Of each metric only what it needs, as a logarithm of every case costs more than a look.
        if metric == "nll":
            return negative_logs(self.share), self.scored
        if metric == "ordinal_mae":
            return np.abs(self.expected - self.selected).astype(np.float64), self.scored
        hits, among = {
            "accuracy": (self.right, self.scored),
            "brier": (self.brier, self.scored),
            "coverage": (self.covered, self.decided),
            "abstention_rate": (~self.covered, self.decided),
            "selective_accuracy": (self.right, self.scored & self.covered),
            "error_rate": (~self.decided, every),
        }[metric]
        return hits.astype(np.float64), among


class PairedRuns:
    """Two runs on the same cases.

    Args:
        baseline: a row for each case, as :class:`~robust.stats.case_rows.CaseRows` keeps them.
        candidate: the rows of the same cases in the same order, with the same groups and right answers.
        distances: of one case behind the other, the total variation distance and the Jensen–Shannon divergence of its
            two answers, as 64-bit numbers; looked at only where both runs decided.
        labels: how many labels the decision has.
        threshold: the least confidence that covers a case, or None without one.
        bins: how many bins the reliability table has.
        ordinal: whether the labels are ordered levels.

    Raises:
        ValueError: the two do not speak of the same cases.
    """

    def __init__(
        self,
        baseline: NDArray[np.float64],
        candidate: NDArray[np.float64],
        distances: array[float],
        *,
        labels: int,
        threshold: float | None,
        bins: int,
        ordinal: bool,
    ) -> None:
        import numpy as np

        if not 2 * len(baseline) == 2 * len(candidate) == len(distances) or (baseline[:, :2] != candidate[:, :2]).any():
            raise ValueError("two runs can only be compared over the same cases")
        self._base, self._new = _Side(baseline, threshold), _Side(candidate, threshold)
        self._groups = self._base.groups
        self._labels = labels
        self._threshold = threshold
        self._measured = [
            Measuring(table, labels=labels, threshold=threshold, bins=bins, ordinal=ordinal).measure()
            for table in (baseline, candidate)
        ]
        self._compared = self._base.decided & self._new.decided
        self._flipped = self._compared & (self._base.selected != self._new.selected)
        self._distances = np.frombuffer(distances, dtype=np.float64).reshape(-1, 2)[self._compared]

    @property
    def compared(self) -> int:
        """How many cases both runs decided."""
        return int(self._compared.sum())

    @property
    def groups(self) -> int:
        """How many source groups the cases are of."""
        import numpy as np

        return len(np.unique(self._groups))

    def metrics(self) -> dict[str, PairedMetric]:
        """Every golden metric of both runs, by name, with the difference and its interval."""
        first, second = (measured.metrics for measured in self._measured)
        return {name: self._metric(name, first[name], second[name]) for name in first}

    def _metric(self, name: str, baseline: Measured, candidate: Measured) -> PairedMetric:
        if baseline.value is None or candidate.value is None:
            return PairedMetric(baseline, candidate, None, None)
        delta = candidate.value - baseline.value
        return PairedMetric(baseline, candidate, delta, self._estimate(name, delta, baseline, candidate))

    def _estimate(self, name: str, delta: float, baseline: Measured, candidate: Measured) -> JackknifeEstimate | None:
        if name == "macro_f1":
            return self._macro_f1_estimate(delta, baseline, candidate)
        if name not in (*_RATES, *_MEANS):
            return None
        highest = {"nll": -math.log(NLL_FLOOR), "brier": 2.0, "ordinal_mae": self._labels - 1.0}.get(name, 1.0)
        first, second = self._base.values(name), self._new.values(name)
        return mean_difference(first, second, self._groups, delta, highest)

    def _macro_f1_estimate(self, delta: float, baseline: Measured, candidate: Measured) -> JackknifeEstimate | None:
        import numpy as np

        found = np.unique(self._groups[self._base.scored | self._new.scored])
        if len(found) < 2:
            return None
        sides = []
        for side, whole in ((self._base, baseline.value), (self._new, candidate.value)):
            own, numbered = np.unique(self._groups[side.scored], return_inverse=True)
            if len(own) < 2:
                return None  # without its only group a run has no such metric
            left_out = np.full(len(found), whole)
            scored = side.expected[side.scored], side.selected[side.scored]
            left_out[np.searchsorted(found, own)] = macro_f1_left_out(*scored, numbered.astype(np.int64), self._labels)
            sides.append(left_out)
        return jackknife_estimate(delta, (sides[1] - sides[0]).tolist(), lowest=-1, highest=1)

    def moves(self) -> Moves:
        """How correctness moved."""
        import numpy as np

        both = self._base.scored & self._new.scored
        was, now = self._base.right[both], self._new.right[both]
        change = now.astype(np.float64) - was
        found, numbered = np.unique(self._groups[both], return_inverse=True)
        net = np.bincount(numbered, weights=change, minlength=len(found))
        return Moves(
            both_right=int((was & now).sum()),
            newly_wrong=int((was & ~now).sum()),
            newly_right=int((~was & now).sum()),
            both_wrong=int((~was & ~now).sum()),
            groups_worse=int((net < 0).sum()),
            groups_better=int((net > 0).sum()),
        )

    def flips(self) -> RateEstimate | None:
        """The share of cases that both runs decided and whose label is another one; None of no case."""
        return rate_estimate(self._flipped[self._compared], self._numbered())

    def total_variation(self) -> Shift:
        """Total variation distances of the two answers."""
        return self._shift(self._distances[:, 0], 0.0, 1.0)

    def jensen_shannon(self) -> Shift:
        """Jensen–Shannon divergences of the two answers, in bits."""
        return self._shift(self._distances[:, 1], 0.0, 1.0)

    def tv_bins(self) -> tuple[int, list[int]]:
        """How many total variation distances are 0, and of the others how many are in which of equal bins."""
        import numpy as np

        moved = self._distances[:, 0][self._distances[:, 0] > 0]
        places = np.clip(np.ceil(moved * TV_BINS).astype(np.int64) - 1, 0, TV_BINS - 1)
        bins: list[int] = np.bincount(places, minlength=TV_BINS).tolist()
        return len(self._distances) - len(moved), bins

    def confidence(self) -> tuple[Shift, Shift]:
        """How confidence moved, candidate minus baseline; and by how much, whatever the direction."""
        import numpy as np

        moved = (self._new.confidence - self._base.confidence)[self._compared]
        return self._shift(moved, -1.0, 1.0), self._shift(np.abs(moved), 0.0, 1.0)

    def segments(self, codes: Sequence[int], count: int) -> list[SegmentFigures]:
        """The cases by segment.

        Args:
            codes: the segment of each case, from 0 to ``count`` − 1.
            count: how many segments there are.
        """
        import numpy as np

        if not count:
            return []

        numbers = np.asarray(codes, dtype=np.int64)

        def counts(among: NDArray[np.bool_]) -> list[int]:
            found: list[int] = np.bincount(numbers[among], minlength=count).tolist()
            return found

        order = np.argsort(numbers, kind="stable")
        ends = np.cumsum(np.bincount(numbers, minlength=count))
        rows = np.split(order, ends[:-1])
        sides = [
            [
                hits / cases if cases else None
                for hits, cases in zip(counts(side.right), counts(side.scored), strict=True)
            ]
            for side in (self._base, self._new)
        ]
        figures = zip(counts(self._compared), counts(self._flipped), *sides, rows, strict=True)
        return [SegmentFigures(len(found[-1]), *found) for found in figures]

    def accuracy_change(self, segment: SegmentFigures) -> JackknifeEstimate | None:
        """How accuracy changed within a segment, over its source groups; None where that has no interval."""
        if segment.baseline is None or segment.candidate is None:
            return None
        first, second = (
            (side.right[segment.rows].astype(float), side.scored[segment.rows]) for side in (self._base, self._new)
        )
        return mean_difference(first, second, self._groups[segment.rows], segment.candidate - segment.baseline, 1.0)

    def _numbered(self) -> NDArray[np.int64]:
        import numpy as np

        _, numbered = np.unique(self._groups[self._compared], return_inverse=True)
        return numbered.astype(np.int64)

    def _shift(self, values: NDArray[np.float64], lowest: float, highest: float) -> Shift:
        import numpy as np

        if not len(values):
            return Shift(None, None, None)
        mean = exact_sum(values) / len(values)
        groups = self._numbered()
        count = int(groups.max()) + 1
        left_out = means_left_out(values, groups, count) if count > 1 else []
        estimate = jackknife_estimate(mean, left_out, lowest=lowest, highest=highest) if left_out else None
        return Shift(mean, float(np.abs(values).max()), estimate)
