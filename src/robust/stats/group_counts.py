"""A share of things that come in source groups, from sums over the groups that are all its interval needs."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from robust.stats.intervals import Interval, RateEstimate, clopper_pearson, rounded_interval


@dataclass(frozen=True, slots=True)
class GroupedShare:
    """How many of so many things count, in how many source groups, and how unevenly over them.

    Attributes:
        hits: how many count.
        cases: how many there are.
        groups: in how many source groups.
        hits_squared: the sum over groups of the square of their hits.
        hits_by_cases: the sum over groups of their hits times their cases.
        cases_squared: the sum over groups of the square of their cases.
    """

    hits: int
    cases: int
    groups: int
    hits_squared: int
    hits_by_cases: int
    cases_squared: int

    @property
    def value(self) -> float | None:
        """The share; None of nothing."""
        return self.hits / self.cases if self.cases else None

    def is_possible(self) -> bool:
        """Whether there can be groups with these sums: Cauchy and Schwarz hold, and a group has at least one thing."""
        hits, cases, groups = self.hits, self.cases, self.groups
        if not 0 <= hits <= cases or not (groups <= cases if cases else not groups) or (cases and not groups):
            return False
        return (
            hits <= self.hits_squared <= self.hits_by_cases <= self.cases_squared <= cases**2
            and self.hits_by_cases <= hits * cases
            and groups * self.hits_squared >= hits**2
            and groups * self.cases_squared >= cases**2
            and self.hits_squared * self.cases_squared >= self.hits_by_cases**2
            and self.cases_squared >= cases
        )

    def interval(self, confidence: float) -> Interval | None:
        """The two-sided interval; None of nothing and of one group, which says nothing of others.

        Where each thing is a group of its own it is exact (Clopper & Pearson 1934). Where groups have several it is
        theirs at the effective size, see :class:`~robust.stats.intervals.RateEstimate`.

        Args:
            confidence: 0–1, without the ends.
        """
        if self.groups < 2:
            return None
        if self.groups == self.cases:
            return rounded_interval(*clopper_pearson(self.hits, self.cases, confidence))
        hits, cases, groups = self.hits, self.cases, self.groups
        # n⁴ Σ z² in whole numbers, so that it is 0 exactly where every group has the same share.
        spread = cases**2 * self.hits_squared - 2 * cases * hits * self.hits_by_cases + hits**2 * self.cases_squared
        effective = hits * (cases - hits) * cases**2 * (groups - 1) / (groups * spread) if spread else None
        return RateEstimate(hits, cases, groups, effective).interval(confidence)


def grouped_share(groups: Iterable[tuple[int, int]]) -> GroupedShare:
    """The share over groups of which each has (hits, things); those without a thing are none."""
    found = [(hits, cases) for hits, cases in groups if cases]
    return GroupedShare(
        hits=sum(hits for hits, _ in found),
        cases=sum(cases for _, cases in found),
        groups=len(found),
        hits_squared=sum(hits**2 for hits, _ in found),
        hits_by_cases=sum(hits * cases for hits, cases in found),
        cases_squared=sum(cases**2 for _, cases in found),
    )
