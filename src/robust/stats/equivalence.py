"""Two one-sided tests: whether the middle of paired differences lies within a window around 0."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from robust.stats.intervals import Interval
from robust.stats.paired import ROUNDING_UNITS, moments, signed_rank_p_value, t_interval, t_p_value
from robust.stats.pseudo_median import pseudo_median

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Statistic: TypeAlias = Literal["t", "wilcoxon"]


@dataclass(frozen=True, slots=True)
class Equivalence:
    """What two one-sided tests of differences against a window showed.

    Attributes:
        above: the p-value of the middle not being above the lower end of the window.
        below: the p-value of the middle not being below the upper end.
        effect: the mean, or the pseudo-median, of the differences.
        interval: of the effect at 1 − 2·alpha, which lies within the window where both tests reject; None of too few.
        constant: whether all differences are equal but for rounding.
    """

    above: float
    below: float
    effect: float
    interval: Interval | None
    constant: bool

    @property
    def p_value(self) -> float:
        """The larger of the two: both must reject. NaN where there is none."""
        return math.nan if math.isnan(self.above) or math.isnan(self.below) else max(self.above, self.below)


def equivalence(
    change: NDArray[np.float64],
    half: float,
    alpha: float,
    *,
    statistic: Statistic,
    slack: NDArray[np.float64] | None = None,
) -> Equivalence:
    """Test whether the mean, or the pseudo-median, of differences lies within ±``half``.

    Two one-sided tests, each at ``alpha`` (Schuirmann 1987, J. Pharmacokinet. Biopharm. 15, 657–680): of the mean by
    Student's t, or of the pseudo-median by the signed-rank test (Wellek 2010, Testing Statistical Hypotheses of
    Equivalence and Noninferiority, sections 5.3 and 5.4).

    Differences that are all equal have no spread to measure anything by. Within the window the t-tests then reject
    without doubt (p = 0). At an end of the window, and from there to twice as far, so that it makes no difference
    whether half or full width was meant, there is no p-value; beyond, p is 1.

    Args:
        change: the differences.
        half: half the width of the window, more than 0.
        alpha: of each test; the interval is at 1 − 2·alpha.
        statistic: ``t`` or ``wilcoxon``.
        slack: how far each difference may be off by the rounding of what it was made of.
    """
    import numpy as np

    found = moments(change, slack)
    constant = found.deviation == 0
    if statistic == "t":
        effect, interval = found.mean, t_interval(found, 1 - 2 * alpha)
    else:
        effect, interval = pseudo_median(change, 1 - 2 * alpha)
    edge = half * ROUNDING_UNITS * float(np.finfo(np.float64).eps)
    off = np.full(len(change), edge) if slack is None else slack + edge
    nearest = float(off.min(initial=math.inf))
    if constant and abs(found.mean) >= half - nearest:
        # Beyond twice the half, and not by rounding, it is out of the window however its width was meant.
        p_value = 1.0 if abs(found.mean) > 2 * half + nearest else math.nan
        return Equivalence(p_value, p_value, effect, interval, constant)
    if statistic == "t":
        above, below = t_p_value(found, "greater", -half), t_p_value(found, "less", half)
    else:
        raised, lowered = change + half, change - half
        raised[np.abs(raised) <= off] = 0.0
        lowered[np.abs(lowered) <= off] = 0.0
        above, below = (
            signed_rank_p_value(raised, "greater", off),
            signed_rank_p_value(lowered, "less", off),
        )
    return Equivalence(above, below, effect, interval, constant)
