"""How far two who judge the same things agree, beyond what chance alone would give."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import TypeAlias

from robust.stats.intervals import Interval, rounded_interval, student_quantile

Cell: TypeAlias = tuple[Hashable, Hashable]


@dataclass(frozen=True, slots=True)
class Agreement:
    """What two raters said of the same things, and what follows from it.

    Attributes:
        table: how many things each pair of answers was given to, (first, second); no cell is 0.
        groups: in how many source groups the things are.
        products: for each two cells of the table, in this order and the other, the sum over groups of the product of
            their counts in the group; what is 0 is left out. The interval needs no more of the groups than this.
    """

    table: Mapping[Cell, int]
    groups: int
    products: Mapping[tuple[Cell, Cell], int]

    @property
    def pairs(self) -> int:
        """How many things both judged."""
        return sum(self.table.values())

    @property
    def agreeing(self) -> int:
        """Of how many both said the same."""
        return sum(count for (first, second), count in self.table.items() if first == second)

    @property
    def share(self) -> float | None:
        """The share of things of which both said the same; None of nothing."""
        return self.agreeing / self.pairs if self.pairs else None

    @property
    def kappa(self) -> float | None:
        """Cohen's κ = (p_o − p_e) / (1 − p_e) (Cohen 1960, Educational and Psychological Measurement 20, 37–46).

        None where it says nothing: of nothing, and where both gave everything one and the same answer (p_e = 1).
        """
        exact = self._exact()
        return None if exact is None else float(exact[0])

    def interval(self, confidence: float) -> Interval | None:
        """The two-sided interval of κ, within −1 and 1.

        κ ± t₍G−1₎ · s, with s² the linearised variance of Fleiss, Cohen & Everitt (1969, Psychological Bulletin 72,
        323–327) summed over source groups, G/(G−1) Σ z²; with one thing in each group it is theirs times n/(n−1).
        Where all groups are alike (s = 0, as where the raters never differ) at most the share q = 1 − (α/2)^(1/G) of
        the groups is otherwise, and the ends are what κ would be if all that is in them were.

        Args:
            confidence: 0–1, without the ends.

        Returns:
            None where κ is None, and of one group, which says nothing of others.
        """
        exact = self._exact()
        if exact is None or self.groups < 2:
            return None
        kappa, expected = exact
        variance = self._variance(kappa, expected)
        if variance:
            reach = student_quantile(confidence, self.groups - 1) * math.sqrt(variance)
            low, high = float(kappa) - reach, float(kappa) + reach
        else:
            unseen = 1 - ((1 - confidence) / 2) ** (1 / self.groups)
            by_chance = 1 - float(expected)
            differing = 1 - self.agreeing / self.pairs
            low = 1 - (differing * (1 - unseen) + unseen) / by_chance
            high = 1 - differing * (1 - unseen) / by_chance
        return rounded_interval(max(low, -1.0), min(high, 1.0))

    def is_possible(self) -> bool:
        """Whether there can be groups with these products: they fit the table (Cauchy and Schwarz), each is there."""
        table, products = self.table, self.products
        if not self.pairs:
            return not self.groups and not products
        if not 0 < self.groups <= self.pairs or any(not {*cells} <= set(table) for cells in products):
            return False
        for cell, count in table.items():
            square = products.get((cell, cell), 0)
            if not count <= square <= count**2 <= self.groups * square:
                return False
        # The products with the whole table are what a share of cases needs: each group has at least one thing.
        total = sum(products.values())
        within = all(
            count == products.get((other, one), 0) and count <= table[one] * table[other]
            for (one, other), count in products.items()
        )
        return within and self.pairs <= total and self.groups * total >= self.pairs**2

    def _exact(self) -> tuple[Fraction, Fraction] | None:
        """κ and the agreement that chance would give."""
        pairs = self.pairs
        if not pairs:
            return None
        first, second = self._margins()
        expected = Fraction(sum(count * second[answer] for answer, count in first.items()), pairs**2)
        if expected == 1:
            return None
        return (Fraction(self.agreeing, pairs) - expected) / (1 - expected), expected

    def _margins(self) -> tuple[Counter[Hashable], Counter[Hashable]]:
        first: Counter[Hashable] = Counter()
        second: Counter[Hashable] = Counter()
        for (left, right), count in self.table.items():
            first[left] += count
            second[right] += count
        return first, second

    def _variance(self, kappa: Fraction, expected: Fraction) -> float:
        """The variance of κ over source groups; in fractions, so that it is 0 exactly where all groups are alike."""
        pairs = self.pairs
        first, second = self._margins()
        # What one more thing in a cell does to κ, times n: the derivative of κ by the cell's share.
        weights = {
            (left, right): Fraction(left == right)
            - (1 - kappa) * Fraction(second[left] + first[right], pairs)
            - (kappa - expected * (1 - kappa))
            for left, right in self.table
        }
        total = sum(weights[one] * weights[other] * count for (one, other), count in self.products.items())
        scale = (pairs * (1 - expected)) ** 2
        return float(Fraction(self.groups, self.groups - 1) * total / scale)


def cohens_kappa(pairs: Iterable[Cell], groups: Iterable[Hashable] | None = None) -> Agreement:
    """The agreement of two raters who judged the same things; memory grows with the groups, not with the things.

    Args:
        pairs: what the first and what the second said of each thing, as anything that can be compared.
        groups: the source group of each thing; by default each is its own.

    Raises:
        ValueError: there are not as many groups as things.
    """
    if groups is None:
        table = Counter(pairs)
        return Agreement(dict(table), table.total(), {(cell, cell): count for cell, count in table.items()})
    of_group: dict[Hashable, Counter[Cell]] = {}
    for pair, group in zip(pairs, groups, strict=True):
        of_group.setdefault(group, Counter())[pair] += 1
    return agreement_of(of_group.values())


def agreement_of(tables: Iterable[Mapping[Cell, int]]) -> Agreement:
    """The agreement of two raters from the table of each source group."""
    total: Counter[Cell] = Counter()
    products: Counter[tuple[Cell, Cell]] = Counter()
    # Most groups look like others, so each look is worked out once.
    looks = Counter(frozenset((cell, count) for cell, count in table.items() if count) for table in tables)
    for look, times in looks.items():
        for cell, count in look:
            total[cell] += count * times
        for (one, count), (other, further) in product(look, look):
            products[one, other] += count * further * times
    return Agreement(dict(total), sum(times for look, times in looks.items() if look), dict(products))
