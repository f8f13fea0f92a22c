"""Sums of a million numbers, fast, and the same on every machine and in every order."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# Of 2³⁰ digits to this base the sum is a whole number of 64 bits.
_BASE: Final = 2.0**31
_DIGITS: Final = 3
# Fewer are summed one by one just as fast.
_FEW: Final = 2000


def wide_sum(values: NDArray[np.float64]) -> float:
    """The sum of finite numbers, as if rounded once, but for what is below 2⁻⁹³ of the largest of them.

    Every number is taken apart into digits to the base 2³¹, whose sums are exact.
    """
    import numpy as np

    if len(values) < _FEW:
        return math.fsum(values.tolist())
    largest = float(max(abs(values.max()), abs(values.min())))
    if largest == 0:
        return 0.0
    exponent = math.frexp(largest)[1]
    rest = np.ldexp(values, -exponent)
    total = digits = 0
    # Whole numbers, such as counts and moves of labels, have no more than one.
    while digits < _DIGITS and (not digits or rest.any()):
        digits += 1
        rest *= _BASE
        digit = np.rint(rest)
        rest -= digit
        total = (total << 31) + int(digit.astype(np.int64).sum())
    try:
        return math.ldexp(float(total), exponent - 31 * digits)
    except OverflowError:
        return math.inf if total > 0 else -math.inf


def wide_mean(values: NDArray[np.float64]) -> float:
    """The mean of finite numbers; NaN of none, and where one is not finite."""
    import numpy as np

    if not len(values) or not np.isfinite(values).all():
        return math.nan
    count = len(values)
    total = wide_sum(values)
    # Where the sum is beyond all doubles the mean need not be.
    return total / count if math.isfinite(total) else wide_sum(values / count)
