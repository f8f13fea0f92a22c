"""Sums of many numbers by group, exact: the same whatever the order of the numbers, and however they came in parts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

# Numbers are taken apart into digits to the base 2³¹: sums of 2²² of them are exact in a double, and of 2³² in 64 bits.
_DIGIT_BITS: Final = 31
# Enough for numbers of any size that are squared.
_MANY: Final = 5
MOST_AT_ONCE: Final = 2**22
Digits: TypeAlias = "Sequence[NDArray[np.float64] | None]"
# Of a double, to part it into halves whose products are exact (Dekker 1971).
_SPLITTER: Final = 2.0**27 + 1


def digits_of(values: NDArray[np.float64], exponent: int, count: int) -> Digits:
    """Numbers taken apart into digits, so that the sum of each digit is exact.

    Args:
        values: the numbers, each between −2^exponent and 2^exponent.
        exponent: see :class:`GroupTotals`.
        count: how many digits.

    Returns:
        for each place the digits of all numbers; None where all of them are 0.
    """
    import numpy as np

    rest = np.ldexp(values, -exponent)
    digits: list[NDArray[np.float64] | None] = []
    for _ in range(count):
        rest *= 2.0**_DIGIT_BITS
        # To the nearest one, so that nothing is lost of what is left of a small negative number.
        digit = np.rint(rest)
        rest -= digit
        digits.append(digit if digit.any() else None)
    return digits


def squares_of(values: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The square of each number, and what its rounding took off, which is exact (Dekker 1971)."""
    squares = values * values
    large = values * _SPLITTER
    large = large - (large - values)
    small = values - large
    return squares, ((large * large - squares) + 2 * large * small) + small * small


class GroupTotals:
    """The sum of the numbers of each group.

    Each number is rounded to a multiple of 2^(exponent − 31·digits), which of all but the tiniest changes nothing; from
    there on everything is exact.

    Args:
        exponent: every number is below 2^exponent, and above −2^exponent.
        digits: how many digits of 31 bits a number is taken apart into.
    """

    def __init__(self, exponent: int, digits: int = 4) -> None:
        import numpy as np

        self._exponent = exponent
        self._digits = digits
        self._sums: NDArray[np.int64] = np.zeros((0, digits), np.int64)

    def add(self, groups: NDArray[np.int64], values: NDArray[np.float64], count: int) -> None:
        """Add numbers.

        Args:
            groups: the group of each.
            values: the numbers, at most :data:`MOST_AT_ONCE`.
            count: how many groups there are so far.
        """
        self.add_digits(groups, digits_of(values, self._exponent, self._digits), count)

    def add_digits(self, groups: NDArray[np.int64] | None, digits: Digits, count: int) -> None:
        """Add numbers that were taken apart.

        Args:
            groups: the group of each; None where there is one group only.
            digits: what :func:`digits_of` gave for the exponent and number of digits of this.
            count: how many groups there are so far.
        """
        import numpy as np

        self._grow(count)
        for place, digit in enumerate(digits):
            if digit is None:
                continue
            if groups is None:
                self._sums[0, place] += int(digit.sum())
            else:
                self._sums[:, place] += np.bincount(groups, digit, len(self._sums)).astype(np.int64)

    def _grow(self, count: int) -> None:
        import numpy as np

        if count > len(self._sums):
            more = np.zeros((max(count, 2 * len(self._sums)) - len(self._sums), self._digits), np.int64)
            self._sums = np.concatenate([self._sums, more])

    def scaled(self, group: int) -> int:
        """The sum of a group as a whole number of :attr:`unit`."""
        total = 0
        if group < len(self._sums):
            for digit in self._sums[group].tolist():
                total = (total << _DIGIT_BITS) + digit
        return total

    @property
    def shift(self) -> int:
        """How many halvings of 1 the unit of :meth:`scaled` is."""
        return _DIGIT_BITS * self._digits - self._exponent

    def total(self, group: int) -> float:
        """The sum of a group, rounded once."""
        return self.scaled(group) / (1 << self.shift)


class GroupMoments:
    """The sum, and the sum of squared distances from the mean, of the numbers of each group.

    Args:
        exponent: every number is below 2^exponent, and above −2^exponent.
    """

    def __init__(self, exponent: int) -> None:
        self._exponent = exponent
        self._sums = GroupTotals(exponent, _MANY)
        # Each square is a rounded one and what the rounding took off, both exact.
        self._squares = GroupTotals(2 * exponent, _MANY)
        self._rests = GroupTotals(2 * exponent, _MANY)

    def add(self, groups: NDArray[np.int64], values: NDArray[np.float64], count: int) -> None:
        """Add numbers; see :meth:`GroupTotals.add`."""
        self.add_digits(groups, moment_digits(values, self._exponent), count)

    def add_digits(self, groups: NDArray[np.int64] | None, digits: tuple[Digits, Digits, Digits], count: int) -> None:
        """Add numbers that :func:`moment_digits` took apart."""
        for totals, of in zip((self._sums, self._squares, self._rests), digits, strict=True):
            totals.add_digits(groups, of, count)

    def total(self, group: int) -> float:
        """The sum of a group, rounded once."""
        return self._sums.total(group)

    def deviations(self, group: int, count: int) -> float:
        """Σ(x − x̄)² of a group of so many numbers, rounded once; exactly 0 where all are equal."""
        if not count:
            return 0.0
        total, squares = self._sums.scaled(group), self._squares.scaled(group) + self._rests.scaled(group)
        unit = self._squares.shift
        # (n Σx² − (Σx)²) / n, over one denominator.
        fine = max(2 * self._sums.shift, unit)
        spread = count * (squares << (fine - unit)) - (total * total << (fine - 2 * self._sums.shift))
        return max(spread, 0) / (count << fine)


def moment_digits(values: NDArray[np.float64], exponent: int) -> tuple[Digits, Digits, Digits]:
    """Numbers, their squares and what the rounding of these took off, each taken apart."""
    squares, rests = squares_of(values)
    return (
        digits_of(values, exponent, _MANY),
        digits_of(squares, 2 * exponent, _MANY),
        digits_of(rests, 2 * exponent, _MANY),
    )
