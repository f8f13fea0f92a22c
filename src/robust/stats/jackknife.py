"""Statistics with one source group left out at a time, and the standard error that follows."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from robust.stats.exact_sum import exact_sum, group_sums

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_GROUPS_AT_ONCE: Final = 4096


def standard_error(left_out: Sequence[float]) -> float:
    """The delete-one-group jackknife's standard error √((G−1)/G Σ (θ₍g₎ − θ̄)²) (Efron & Tibshirani 1993, eq. 11.5).

    Args:
        left_out: the statistic without each group; at least two.
    """
    import numpy as np

    groups = len(left_out)
    mean = math.fsum(left_out) / groups
    squares = np.square(np.array(left_out) - mean)
    return math.sqrt((groups - 1) / groups * exact_sum(squares))


def means_left_out(values: NDArray[np.float64], groups: NDArray[np.int64], count: int) -> list[float]:
    """The mean of the values without each group.

    Args:
        values: one for each case.
        groups: the group of each case, from 0 to ``count`` − 1, each of which occurs.
        count: how many groups there are; at least two.
    """
    import numpy as np

    total, cases = exact_sum(values), len(values)
    left_out: list[float] = (
        (total - np.array(group_sums(groups, values, count))) / (cases - np.bincount(groups, minlength=count))
    ).tolist()
    return left_out


def macro_f1_left_out(
    expected: NDArray[np.int64], selected: NDArray[np.int64], groups: NDArray[np.int64], labels: int
) -> list[float]:
    """Macro-F1 without each group, in time that grows with the cases and not with cases times groups.

    Leaving a group out changes the F1 of the labels in it and no other, so only those are counted anew.

    Args:
        expected: the position of the right label of each case.
        selected: the position of the selected label.
        groups: the group of each case, from 0, each of which occurs; at least two.
        labels: how many labels there are.
    """
    import numpy as np

    right = expected == selected
    # An F1 is 2 hits / (times expected + times selected).
    hits = np.bincount(expected[right], minlength=labels)
    uses = np.bincount(expected, minlength=labels) + np.bincount(selected, minlength=labels)
    scores = np.divide(2 * hits, uses, out=np.zeros(labels), where=uses > 0)

    occurring, total = np.count_nonzero(uses), math.fsum(scores.tolist())
    left_out: list[float] = []
    # Some groups after the other, so that little is held of all of them at once.
    order = np.argsort(groups, kind="stable")
    ordered, count = groups[order], int(groups.max()) + 1
    for first in range(0, count, _GROUPS_AT_ONCE):
        end = min(first + _GROUPS_AT_ONCE, count)
        part = order[slice(*np.searchsorted(ordered, (first, end)))]
        cells, group_uses, group_hits = _cells(expected[part], selected[part], groups[part] - first, labels)
        of_group, of_label = cells // labels, cells % labels
        left = uses[of_label] - group_uses
        anew = np.divide(2 * (hits[of_label] - group_hits), left, out=np.zeros(len(cells)), where=left > 0)
        changes = group_sums(of_group, anew - scores[of_label], end - first)
        still = occurring - np.bincount(of_group[left == 0], minlength=end - first)
        left_out += ((total + np.array(changes)) / still).tolist()
    return left_out


def _cells(
    expected: NDArray[np.int64], selected: NDArray[np.int64], groups: NDArray[np.int64], labels: int
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Each group × labels + label that occurs; how often as the right or the selected one, and how often as both."""
    import numpy as np

    due = groups * labels + expected
    cells, uses = np.unique(np.concatenate([due, groups * labels + selected]), return_counts=True)
    hits = np.bincount(np.searchsorted(cells, due[expected == selected]), minlength=len(cells))
    return cells, uses, hits
