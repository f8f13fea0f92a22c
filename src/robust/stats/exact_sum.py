"""Sums that do not depend on the order of what is summed."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import chain
from typing import TYPE_CHECKING, Final

# How many numbers are made objects of at once.
_AT_ONCE: Final = 4096

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def exact_mean(values: Sequence[float]) -> float | None:
    """The mean by the correctly rounded sum, equal for every order of the values; None of nothing."""
    return math.fsum(values) / len(values) if values else None


def exact_sum(values: NDArray[np.float64]) -> float:
    """The correctly rounded sum, equal for every order of the values, without a list of all of them."""
    parts = (values[start : start + _AT_ONCE].tolist() for start in range(0, len(values), _AT_ONCE))
    return math.fsum(chain.from_iterable(parts))


def group_sums(groups: NDArray[np.int64], values: NDArray[np.float64], count: int) -> list[float]:
    """The correctly rounded sum of each group's values.

    Args:
        groups: the group of each value, from 0 to ``count`` − 1.
        values: as many numbers.
        count: how many groups there are.
    """
    import numpy as np

    ordered = values[np.argsort(groups, kind="stable")]
    sizes = np.bincount(groups, minlength=count)
    if count == len(ordered) and sizes.max(initial=0) == 1:  # each is a group of its own
        alone: list[float] = ordered.tolist()
        return alone
    ends = np.cumsum(sizes)
    starts = ends - sizes
    sums = np.zeros(count)
    # The sum of one or two numbers is rounded correctly as it is.
    few = (sizes == 1) | (sizes == 2)
    sums[few] = ordered[starts[few]]
    two = sizes == 2
    sums[two] += ordered[starts[two] + 1]
    found: list[float] = sums.tolist()
    if (many := np.flatnonzero(sizes > 2)).size:
        listed = ordered.tolist()
        for group, start, end in zip(many.tolist(), starts[many].tolist(), ends[many].tolist(), strict=True):
            found[group] = math.fsum(listed[start:end])
    return found
