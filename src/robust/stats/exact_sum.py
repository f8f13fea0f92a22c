"""Sums that do not depend on the order of what is summed."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def exact_mean(values: Sequence[float]) -> float | None:
    """The mean by the correctly rounded sum, equal for every order of the values; None of nothing."""
    return math.fsum(values) / len(values) if values else None


def group_sums(groups: NDArray[np.int64], values: NDArray[np.float64], count: int) -> list[float]:
    """The correctly rounded sum of each group's values.

    Args:
        groups: the group of each value, from 0 to ``count`` − 1.
        values: as many numbers.
        count: how many groups there are.
    """
    import numpy as np

    ordered: list[float] = values[np.argsort(groups, kind="stable")].tolist()
    sizes = np.bincount(groups, minlength=count)
    if count == len(ordered) and sizes.max(initial=0) == 1:  # each is a group of its own
        return ordered
    ends: list[int] = np.cumsum(sizes).tolist()
    return [math.fsum(ordered[start:end]) for start, end in zip([0, *ends], ends, strict=False)]
