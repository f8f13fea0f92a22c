"""Statistics with one source group left out at a time, and the standard error that follows."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from robust.stats.exact_sum import group_sums

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def standard_error(left_out: Sequence[float]) -> float:
    """The delete-one-group jackknife's standard error √((G−1)/G Σ (θ₍g₎ − θ̄)²) (Efron & Tibshirani 1993, eq. 11.5).

    Args:
        left_out: the statistic without each group; at least two.
    """
    import numpy as np

    groups = len(left_out)
    mean = math.fsum(left_out) / groups
    squares: list[float] = np.square(np.array(left_out) - mean).tolist()
    return math.sqrt((groups - 1) / groups * math.fsum(squares))


def means_left_out(values: NDArray[np.float64], groups: NDArray[np.int64], count: int) -> list[float]:
    """The mean of the values without each group.

    Args:
        values: one for each case.
        groups: the group of each case, from 0 to ``count`` − 1, each of which occurs.
        count: how many groups there are; at least two.
    """
    import numpy as np

    total, cases = math.fsum(values.tolist()), len(values)
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

    cells, group_uses = np.unique(
        np.concatenate([groups * labels + expected, groups * labels + selected]), return_counts=True
    )
    places = np.searchsorted(cells, (groups * labels + expected)[right])
    group_hits = np.bincount(places, minlength=len(cells))
    of_group, of_label = cells // labels, cells % labels
    left = uses[of_label] - group_uses
    anew = np.divide(2 * (hits[of_label] - group_hits), left, out=np.zeros(len(cells)), where=left > 0)

    count = int(groups.max()) + 1
    changes = group_sums(of_group, anew - scores[of_label], count)
    occurring = np.count_nonzero(uses) - np.bincount(of_group[left == 0], minlength=count)
    total = math.fsum(scores.tolist())
    left_out: list[float] = ((total + np.array(changes)) / occurring).tolist()
    return left_out
