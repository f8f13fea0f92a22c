"""Random sums of one number from each of many cases that are alike."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import accumulate
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import numpy as np
    from numpy.random import BitGenerator
    from numpy.typing import NDArray

# The whole numbers that a case may give, ascending from 0, and in what proportion it does.
Spread = tuple[tuple[int, ...], tuple[int, ...]]
# So many cases are drawn at once, if the table that this takes is not larger than that.
_AT_ONCE: Final = 256
_TABLE_BYTES: Final = 1 << 16


def random_sums(spread: Spread, times: int, stream: BitGenerator, draws: int) -> NDArray[np.int64]:
    """So many random sums, in whole-number arithmetic alone, so that they are the same everywhere.

    A random word of 64 bits is compared with the distribution of the sum of up to 256 cases, which is exact to 2⁻⁶⁴.

    Args:
        spread: what one case gives.
        times: how many such cases there are.
        stream: where random words come from.
        draws: how many sums are drawn.
    """
    import numpy as np

    sums = np.zeros(draws, dtype=np.int64)
    at_once = _at_once(spread)
    for start in range(0, times, at_once):
        values, bounds = _sums(spread, min(at_once, times - start))
        sums += values[np.searchsorted(bounds, stream.random_raw(draws), side="right")]
    return sums


def _at_once(spread: Spread) -> int:
    values, counts = spread
    times = _AT_ONCE
    while times > 1 and (times * values[-1] + 1) * _width(counts, times) > _TABLE_BYTES:
        times //= 2
    return times


def _width(counts: Sequence[int], times: int) -> int:
    """The bytes that hold in how many ways so many cases can be relabelled."""
    ways: int = sum(counts) ** times
    return ways.bit_length() // 8 + 1


@lru_cache(maxsize=256)
def _sums(spread: Spread, times: int) -> tuple[NDArray[np.int64], NDArray[np.uint64]]:
    """The values of a sum over cases that are alike, and where a random word of 64 bits parts them.

    The number of ways to each sum is exact: it is a coefficient of the power of the polynomial Σ count · x^value, which
    is computed as the power of one whole number, with a place of its own for each coefficient (Kronecker 1882).

    Returns:
        The values, ascending, and ⌊2⁶⁴ · P(sum ≤ value)⌋ of all but the last.
    """
    import numpy as np

    values, counts = spread
    if times > 1:
        width = _width(counts, times)
        packed = sum(count << 8 * width * value for value, count in zip(values, counts, strict=True))
        digits = (packed**times).to_bytes(width * (times * values[-1] + 1), "little")
        ways = [int.from_bytes(digits[start : start + width], "little") for start in range(0, len(digits), width)]
        values, counts = zip(*((value, count) for value, count in enumerate(ways) if count), strict=True)
    total = sum(counts)
    bounds = [(below << 64) // total for below in accumulate(counts[:-1])]
    return np.array(values, dtype=np.int64), np.array(bounds, dtype=np.uint64)
