"""How often each number occurs, in bounded memory: exact while the different ones are few, then by narrow bins.

A bin holds the numbers that share the first bits of their binary form, so that its width is a fixed share of what is in
it. How many bits are left off depends on the numbers alone and on nothing of their order or of how they came in parts:
as few as keep the bins within the limit.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# The bits of a double behind its exponent.
_MANTISSA: Final = 52


class Counted(NamedTuple):
    """How often numbers occur.

    Attributes:
        shift: how many of the last bits of a number are left off; 0 where every number is told exactly.
        values: the least number of each bin, ascending.
        counts: how many numbers are in it.
    """

    shift: int
    values: tuple[float, ...]
    counts: tuple[int, ...]

    @property
    def relative_error(self) -> float:
        """How far a percentile may be off, as a share of it; 0 where every number is told exactly."""
        if not self.shift:
            return 0.0
        # Up to the mantissa a bin is a share of a power of two wide, beyond it several powers.
        return 2.0 ** (self.shift - _MANTISSA) if self.shift <= _MANTISSA else 2.0**2 ** (self.shift - _MANTISSA) - 1


class DistinctCounts:
    """Counts finite numbers of at least 0.

    Args:
        limit: the most bins that are kept; from 1024 on, which is half as many as doubles have exponents, a bin is
            never wider than two powers of two.
    """

    def __init__(self, limit: int) -> None:
        import numpy as np

        self._limit = limit
        self._shift = 0
        self._keys: NDArray[np.uint64] = np.empty(0, np.uint64)
        self._counts: NDArray[np.int64] = np.empty(0, np.int64)

    def add(self, values: NDArray[np.float64]) -> None:
        """Count numbers."""
        import numpy as np

        self.add_sorted(np.sort(values))

    def add_sorted(self, values: NDArray[np.float64]) -> None:
        """Count numbers that ascend."""
        import numpy as np

        if not len(values):
            return
        # Of numbers that are not negative the bits have the order of the numbers; -0.0 becomes 0.0.
        keys = (values + 0.0).view(np.uint64) >> np.uint64(self._shift)
        starts = np.flatnonzero(np.concatenate([[True], keys[1:] != keys[:-1]]))
        found, counts = keys[starts], np.diff(starts, append=len(keys))
        if len(self._keys):
            together = np.concatenate([self._keys, found])
            order = np.argsort(together, kind="stable")
            self._merge(together[order], np.concatenate([self._counts, counts])[order])
        else:
            self._keys, self._counts = found, counts.astype(np.int64)
        while len(self._keys) > self._limit:
            self._shift += 1
            self._merge(self._keys >> np.uint64(1), self._counts)

    def _merge(self, keys: NDArray[np.uint64], counts: NDArray[np.int64]) -> None:
        import numpy as np

        starts = np.flatnonzero(np.concatenate([[True], keys[1:] != keys[:-1]]))
        self._keys, self._counts = keys[starts], np.add.reduceat(counts, starts)

    def counted(self) -> Counted:
        """What was counted."""
        import numpy as np

        values = (self._keys << np.uint64(self._shift)).view(np.float64)
        return Counted(self._shift, tuple(values.tolist()), tuple(self._counts.tolist()))


def bin_end(value: float, shift: int) -> float:
    """Where the bin that begins with a number ends."""
    import numpy as np

    bits = np.array([value]).view(np.uint64) + np.uint64(1 << shift)
    end = float(bits.view(np.float64)[0])
    return end if np.isfinite(end) else float(np.finfo(np.float64).max)


def is_bin_start(value: float, shift: int) -> bool:
    """Whether a number can be the least one of a bin."""
    import numpy as np

    return not int(np.array([value + 0.0]).view(np.uint64)[0]) % (1 << shift)


def percentiles(counted: Counted, percents: Sequence[float], *, most: float) -> list[float | None]:
    """Percentiles by linear interpolation between closest ranks (type 7 of Hyndman & Fan 1996, numpy's default).

    Within a bin numbers are taken as spread evenly, so that a percentile is at most the width of its bin off; see
    :attr:`Counted.relative_error`.

    Args:
        counted: the numbers.
        percents: each 0–100.
        most: the largest number, which no percentile exceeds.

    Returns:
        None for each where there are no numbers.
    """
    import numpy as np

    total = sum(counted.counts)
    if not total:
        return [None] * len(percents)
    ends = np.cumsum(np.array(counted.counts, np.int64))

    def at(rank: int) -> float:
        place = int(np.searchsorted(ends, rank, side="right"))
        low = counted.values[place]
        if not counted.shift:
            return low
        count = counted.counts[place]
        within = (rank - (int(ends[place]) - count) + 0.5) / count
        return min(low + (bin_end(low, counted.shift) - low) * within, most)

    found: list[float | None] = []
    for percent in percents:
        position = (total - 1) * percent / 100
        below = int(position)
        low, high = at(below), at(min(below + 1, total - 1))
        found.append(low + (high - low) * (position - below))
    return found
