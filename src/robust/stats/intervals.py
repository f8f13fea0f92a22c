"""Confidence intervals over source groups, and how many more groups a decision would take."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Protocol

from robust.stats.jackknife import standard_error

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import numpy as np
    from numpy.typing import NDArray

Interval = tuple[float, float]
# Quantiles differ in their last bits between versions of the library; ends are given to this many digits.
_DIGITS: Final = 10
# Beyond it nobody would collect the groups that a decision takes.
_MAX_GROUPS: Final = 10**9
# A standard error below this share of the metric's range is the rounding of none at all.
_NO_ERROR: Final = 1e-12


class Estimate(Protocol):
    """A metric with the uncertainty that it has from its source groups."""

    @property
    def value(self) -> float:
        """The metric."""
        ...

    @property
    def groups(self) -> int:
        """How many source groups it rests on."""
        ...

    def interval(self, confidence: float, groups: int | None = None) -> Interval | None:
        """The two-sided interval; None with one group, which says nothing of others.

        Args:
            confidence: 0–1, without the ends.
            groups: how many groups there would be, all alike; by default those that there are.
        """
        ...


@dataclass(frozen=True, slots=True)
class RateEstimate:
    """A share of cases, whose interval is that of Korn & Graubard (1998, Survey Methodology 24, 193–201).

    It is Clopper–Pearson at the effective sample size n* = p(1−p)/v, corrected for degrees of freedom by
    (t₍n−1₎ / t₍G−1₎)². v is the with-replacement linearisation estimator over source groups,
    G/(G−1) Σ z² with z = Σ(y − p)/n in each group (Cochran 1977, section 3.12). n* is at most n, as the standards of
    the NCHS have it (Parker et al. 2017): groups that happen to differ less than chance would have them are no evidence
    of more cases than there are. Where v is 0 the groups are the sample: n* = G.

    Attributes:
        hits: how many of the cases count.
        cases: how many there are.
        groups: in how many source groups.
        effective: p(1−p)/v; None where v is 0.
    """

    hits: int
    cases: int
    groups: int
    effective: float | None

    @property
    def value(self) -> float:
        """The share."""
        return self.hits / self.cases

    def interval(self, confidence: float, groups: int | None = None) -> Interval | None:
        """See :class:`Estimate`."""
        count = self.groups if groups is None else groups
        if count < 2:
            return None
        size = float(count)
        if self.effective is not None:
            growth = count / self.groups
            cases = self.cases * growth
            correction = (student_quantile(confidence, cases - 1) / student_quantile(confidence, count - 1)) ** 2
            size = min(self.effective * growth * correction, cases)
        low, high = clopper_pearson(self.value * size, size, confidence)
        return rounded_interval(min(low, self.value), max(high, self.value))


def rate_estimate(hits: NDArray[np.bool_], groups: NDArray[np.int64]) -> RateEstimate | None:
    """The share of cases that count, or None of no case.

    Args:
        hits: whether each case counts.
        groups: the group of each case, from 0 on, each of which occurs.
    """
    import numpy as np

    if not len(hits):
        return None
    sizes = np.bincount(groups)
    found = np.bincount(groups[hits], minlength=len(sizes))
    cases, right, count = len(hits), int(np.count_nonzero(hits)), len(sizes)
    # n⁴ Σ z² in whole numbers, so that it is 0 exactly where every group has the same share.
    spread = cases**2 * int(found @ found) - 2 * cases * right * int(found @ sizes) + right**2 * int(sizes @ sizes)
    effective = right * (cases - right) * cases**2 * (count - 1) / (count * spread) if spread else None
    return RateEstimate(right, cases, count, effective)


def clopper_pearson(hits: float, cases: float, confidence: float) -> Interval:
    """The exact interval of a binomial share (Clopper & Pearson 1934), by quantiles of the beta distribution.

    Args:
        hits: 0 to ``cases``; need not be whole.
        cases: more than 0; need not be whole.
        confidence: 0–1, without the ends.
    """
    from scipy.special import betaincinv  # type: ignore[import-untyped]

    tail = (1 - confidence) / 2
    misses = cases - hits
    low = float(betaincinv(hits, misses + 1, tail)) if hits > 0 else 0.0
    high = 1.0 - float(betaincinv(misses, hits + 1, tail)) if misses > 0 else 1.0
    return low, high


def upper_share_bound(hits: int, groups: int, confidence: float) -> float:
    """The one-sided exact upper bound of the share of source groups that count (Clopper & Pearson 1934).

    With no hit among n groups it is 1 − (1 − confidence)^(1/n): 59 groups show a share of at most 0.05 at 95 %.

    Args:
        hits: how many groups count, 0 to ``groups``.
        groups: how many groups there are.
        confidence: 0–1, without the ends.

    Returns:
        1 of no group, which shows nothing.

    Raises:
        ValueError: there are more hits than groups, or fewer than none.
    """
    from scipy.special import betaincinv

    if not 0 <= hits <= groups:
        raise ValueError(f"{hits} of {groups} groups cannot count")
    if hits == groups:
        return 1.0
    # By the complement, which keeps the digits of the tail.
    bound = betaincinv(groups - hits, hits + 1, 1 - confidence)
    return round(1.0 - float(bound), _DIGITS)


@dataclass(frozen=True, slots=True)
class JackknifeEstimate:
    """A metric with its delete-one-group jackknife error; its interval is value ± t₍G−1₎ · error, within its range.

    Where all groups are alike the jackknife sees no error at all, and would be sure after two groups. Then at most the
    share q = 1 − (α/2)^(1/G) of the groups behaves otherwise (Clopper–Pearson, none of G seen), and the interval is
    what the metric would be if they were as far off as it goes. A rate that is 0 or 1 gets the same interval.

    Attributes:
        value: the metric.
        groups: how many source groups it rests on.
        error: its standard error; 0 where it is that of rounding.
        lowest: the least value of the metric.
        highest: the greatest.
    """

    value: float
    groups: int
    error: float
    lowest: float
    highest: float

    def interval(self, confidence: float, groups: int | None = None) -> Interval | None:
        """See :class:`Estimate`."""
        count = self.groups if groups is None else groups
        if count < 2:
            return None
        if self.error:
            reach = student_quantile(confidence, count - 1) * self.error * math.sqrt(self.groups / count)
            low, high = max(self.value - reach, self.lowest), min(self.value + reach, self.highest)
        else:
            unseen = 1 - ((1 - confidence) / 2) ** (1 / count)
            low = self.value - unseen * (self.value - self.lowest)
            high = self.value + unseen * (self.highest - self.value)
        # A value may be a little outside of its range, as distributions may sum to a little more than 1.
        return rounded_interval(min(low, self.value), max(high, self.value))


def jackknife_estimate(value: float, left_out: Sequence[float], *, lowest: float, highest: float) -> JackknifeEstimate:
    """A metric and its error from what it would be without each source group.

    Args:
        value: the metric over all groups.
        left_out: the metric without each group; at least two.
        lowest: the least value of the metric.
        highest: the greatest.
    """
    error = standard_error(left_out)
    seen = error if error > _NO_ERROR * (highest - lowest) else 0.0
    return JackknifeEstimate(value, len(left_out), seen, lowest, highest)


def groups_to_decide(estimate: Estimate, decides: Callable[[Interval], bool], confidence: float) -> int | None:
    """About how many more source groups, like those seen, would make the interval narrow enough to decide.

    Rounded up to two digits, since no more of them means anything.

    Args:
        estimate: what was measured.
        decides: whether an interval decides; what is narrower around the same value must decide too.
        confidence: 0–1, without the ends.

    Returns:
        None where there is no telling (one group), or where no number that anybody could collect would do.
    """

    def enough(groups: int) -> bool:
        interval = estimate.interval(confidence, groups)
        return interval is not None and decides(interval)

    if estimate.groups < 2 or not enough(_MAX_GROUPS):
        return None
    low, high = estimate.groups, _MAX_GROUPS
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    more = high - estimate.groups
    unit = int(10 ** max(0, len(str(more)) - 2))
    return -(-more // unit) * unit


def student_quantile(confidence: float, freedom: float) -> float:
    """The quantile of Student's distribution that leaves half of the rest above it.

    Args:
        confidence: 0–1, without the ends.
        freedom: degrees of freedom, more than 0; need not be whole.
    """
    from scipy.special import stdtrit

    # By the lower tail, which keeps its digits where the confidence is close to 1.
    return -float(stdtrit(freedom, (1 - confidence) / 2))


def rounded_interval(low: float, high: float) -> Interval:
    """The ends to as many digits as all versions of the library agree on."""
    return round(low, _DIGITS), round(high, _DIGITS)
