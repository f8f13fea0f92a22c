"""All golden metrics at once, from one row of numbers for each case."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from robust.stats.calibration import (
    NLL_FLOOR,
    ReliabilityBin,
    expected_calibration_error,
    negative_logs,
    reliability,
)
from robust.stats.case_rows import COLUMNS, NONE
from robust.stats.classification import macro_f1
from robust.stats.exact_sum import exact_sum
from robust.stats.intervals import Estimate, jackknife_estimate, rate_estimate
from robust.stats.jackknife import macro_f1_left_out, means_left_out

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Measured:
    """A metric: its value (None where it cannot be computed), over how many cases of how many source groups.

    ``estimate`` gives its interval; it is None where a metric has none.
    """

    value: float | None
    n: int
    groups: int
    estimate: Estimate | None = None


@dataclass(frozen=True, slots=True)
class Measurement:
    """What was measured: counts, metrics by name, counts by (expected, selected) position, the reliability table."""

    cases: int
    labelled: int
    metrics: dict[str, Measured]
    confusion: dict[tuple[int, int], int]
    reliability: list[ReliabilityBin]


class Measuring:
    """Computes every golden metric of the cases.

    Args:
        table: a row for each case, as :class:`~robust.stats.case_rows.CaseRows` keeps them.
        labels: how many labels the decision has.
        threshold: the least confidence that covers a case, or None without one.
        bins: how many bins the reliability table has.
        ordinal: whether the labels are ordered levels.
    """

    def __init__(
        self, table: NDArray[np.float64], *, labels: int, threshold: float | None, bins: int, ordinal: bool
    ) -> None:
        import numpy as np

        self._groups, self._expected, self._selected = (table[:, column].astype(np.int64) for column in range(3))
        self._confidence, self._share, self._brier = (table[:, column] for column in range(3, COLUMNS))
        self._labels = labels
        self._threshold = threshold
        self._bins = bins
        self._ordinal = ordinal
        self._decided = self._selected != NONE
        self._scored = self._decided & (self._expected != NONE)
        self._right = self._expected == self._selected
        self._scored_groups, self._scored_count = self._numbered(self._scored)

    def measure(self) -> Measurement:
        """Everything, at once."""
        import numpy as np

        confusion = self._confusion()
        table = reliability(self._confidence[self._scored], self._right[self._scored], self._bins)
        every = np.ones(len(self._groups), dtype=np.bool_)
        metrics = {
            "accuracy": self._rate(self._right, self._scored),
            "macro_f1": self._macro_f1(confusion),
            "nll": self._mean(negative_logs(self._share[self._scored]), -math.log(NLL_FLOOR)),
            "brier": self._mean(self._brier[self._scored], 2),
            "ece": self._without_interval(expected_calibration_error(table)),
            **self._selective(),
            "error_rate": self._rate(~self._decided, every),
        }
        if self._ordinal:
            steps = np.abs(self._expected - self._selected)[self._scored].astype(np.float64)
            metrics["ordinal_mae"] = self._mean(steps, self._labels - 1)
        return Measurement(
            cases=len(every),
            labelled=int(np.count_nonzero(self._expected != NONE)),
            metrics=metrics,
            confusion=confusion,
            reliability=table,
        )

    def _selective(self) -> dict[str, Measured]:
        if self._threshold is None:
            decided, count = self._numbered(self._decided)
            uncovered = Measured(None, len(decided), count)
            return {"coverage": uncovered, "abstention_rate": uncovered, "selective_accuracy": Measured(None, 0, 0)}
        covered = self._confidence >= self._threshold
        return {
            "coverage": self._rate(covered, self._decided),
            "abstention_rate": self._rate(~covered, self._decided),
            "selective_accuracy": self._rate(self._right, self._scored & covered),
        }

    def _rate(self, hits: NDArray[np.bool_], among: NDArray[np.bool_]) -> Measured:
        groups, count = self._numbered(among)
        estimate = rate_estimate(hits[among], groups)
        return Measured(None if estimate is None else estimate.value, len(groups), count, estimate)

    def _mean(self, values: NDArray[np.float64], highest: float) -> Measured:
        """The mean of one number for each scored case, 0 to ``highest``."""
        several = self._scored_count > 1
        left_out = means_left_out(values, self._scored_groups, self._scored_count) if several else []
        mean = exact_sum(values) / len(values) if len(values) else None
        return self._jackknifed(mean, left_out, highest)

    def _macro_f1(self, confusion: dict[tuple[int, int], int]) -> Measured:
        named: dict[str, dict[str, int]] = {}
        for (expected, selected), number in confusion.items():
            named.setdefault(str(expected), {})[str(selected)] = number
        scored = self._expected[self._scored], self._selected[self._scored]
        several = self._scored_count > 1
        left_out = macro_f1_left_out(*scored, self._scored_groups, self._labels) if several else []
        return self._jackknifed(macro_f1(named), left_out, 1)

    def _jackknifed(self, value: float | None, left_out: list[float], highest: float) -> Measured:
        estimate = (
            jackknife_estimate(value, left_out, lowest=0, highest=highest) if value is not None and left_out else None
        )
        return Measured(value, len(self._scored_groups), self._scored_count, estimate)

    def _without_interval(self, value: float | None) -> Measured:
        return Measured(value, len(self._scored_groups), self._scored_count)

    def _numbered(self, among: NDArray[np.bool_]) -> tuple[NDArray[np.int64], int]:
        """The groups of some cases, numbered from 0 without a gap, and how many there are."""
        import numpy as np

        found, numbered = np.unique(self._groups[among], return_inverse=True)
        return numbered.astype(np.int64), len(found)

    def _confusion(self) -> dict[tuple[int, int], int]:
        import numpy as np

        cells = self._expected[self._scored] * self._labels + self._selected[self._scored]
        found, counts = np.unique(cells, return_counts=True)
        return {divmod(cell, self._labels): count for cell, count in zip(found.tolist(), counts.tolist(), strict=True)}
