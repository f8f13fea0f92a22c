"""How often a model that is asked the same again answers otherwise."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction


class BaseFlips:
    """The base's own flip rate, taken in case by case.

    Of each case that was decided more than once, the share of pairs of trials whose labels differ; averaged over the
    cases of each source group, then over groups, as the statistic of :class:`~robust.stats.exchange.Exchange` is.
    Without any effect of a transformation both have the same expectation.
    """

    def __init__(self) -> None:
        self._shares: dict[int, Fraction] = {}
        self._cases: Counter[int] = Counter()

    @property
    def cases(self) -> int:
        """How many cases were decided more than once."""
        return self._cases.total()

    @property
    def groups(self) -> int:
        """In how many source groups."""
        return len(self._cases)

    @property
    def rate(self) -> float | None:
        """The flip rate, 0–1; None where no case was decided more than once."""
        if not self._cases:
            return None
        return math.fsum(float(self._shares[group] / cases) for group, cases in self._cases.items()) / self.groups

    def add(self, group: int, selected: Sequence[str]) -> None:
        """Take in a case.

        Args:
            group: the number of its source group.
            selected: the label that each of its base trials selected; a case with less than two says nothing.
        """
        pairs = math.comb(len(selected), 2)
        if not pairs:
            return
        alike = sum(math.comb(number, 2) for number in Counter(selected).values())
        self._shares[group] = self._shares.get(group, Fraction()) + Fraction(pairs - alike, pairs)
        self._cases[group] += 1
