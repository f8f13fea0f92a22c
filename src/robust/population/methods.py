"""What each method measures over rows or groups, and what it shows."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from robust.population.evidence import Evidence
from robust.records.population import PopulationSettings
from robust.stats.equivalence import equivalence
from robust.stats.exact_sum import group_sums
from robust.stats.intervals import Interval, clopper_pearson
from robust.stats.paired import (
    Side,
    moments,
    moves_p_value,
    signed_rank_p_value,
    significant,
    t_interval,
    t_p_value,
)
from robust.stats.pseudo_median import pseudo_median
from robust.stats.wide_sum import wide_mean

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True, kw_only=True, slots=True)
class Measured:
    """What a method found.

    Attributes:
        reason: ``shown``, or why not; see :data:`~robust.records.population.REASONS`.
        metric: what it measures.
        p_value: None where the method has none, NaN where the numbers give none.
        effect: how much outputs changed.
        interval: of the metric.
        window: the full width of the window in the unit of the output.
        least_units: how many units it takes at least, if there are too few.
    """

    reason: str
    metric: float | None = None
    p_value: float | None = None
    effect: float | None = None
    interval: Interval | None = None
    window: float | None = None
    least_units: int | None = None


def measure(
    settings: PopulationSettings,
    evidence: Evidence,
    kept: NDArray[np.bool_],
    change: NDArray[np.float64],
    before: NDArray[np.float64] | None,
    slack: NDArray[np.float64] | None,
) -> Measured:
    """Apply the method to rows or groups: a group keeps the rule if all its rows do, and its change is their mean.

    Args:
        settings: what was asked.
        evidence: what was seen.
        kept: which rows keep the row rule, or move in the direction of the claim.
        change: how much each output changed.
        before: the outputs before, of numbers.
        slack: how far each change may be off by rounding alone; None of labels.
    """
    if settings.method == "proportion":
        return _proportion(settings, evidence, kept, change)
    if settings.method == "mcnemar":
        return _moves(settings, evidence, change)
    means = _means(change, evidence)
    slack = None if slack is None else _means(slack, evidence)
    if settings.method == "equivalence":
        return _equivalence(settings, means, _means(abs(before), evidence) if before is not None else means, slack)
    return _direction(settings, means, slack)


def _means(values: NDArray[np.float64], evidence: Evidence) -> NDArray[np.float64]:
    """The values, or the mean of each group's."""
    import numpy as np

    if evidence.groups is None:
        return values
    if not np.isfinite(values).all():
        sums = np.bincount(evidence.groups, weights=values, minlength=evidence.units)
    else:
        sums = np.array(group_sums(evidence.groups, values, evidence.units))
    means: NDArray[np.float64] = sums / np.bincount(evidence.groups, minlength=evidence.units)
    return means


def _whole_groups(kept: NDArray[np.bool_], evidence: Evidence) -> NDArray[np.bool_]:
    """Which units keep the rule: rows, or groups all of whose rows do."""
    import numpy as np

    if evidence.groups is None:
        return kept
    whole: NDArray[np.bool_] = np.bincount(evidence.groups[~kept], minlength=evidence.units) == 0
    return whole


def _proportion(
    settings: PopulationSettings, evidence: Evidence, kept: NDArray[np.bool_], change: NDArray[np.float64]
) -> Measured:
    import numpy as np

    units = _whole_groups(kept, evidence)
    count, hits = len(units), int(np.count_nonzero(units))
    share = hits / count
    low, high = clopper_pearson(hits, count, settings.confidence)
    # One row or group is a counterexample, but no population.
    passes = share >= settings.threshold
    return Measured(
        reason="share_too_small" if not passes else "too_few" if count < 2 else "shown",
        metric=share,
        effect=_shown(wide_mean(_means(change, evidence))),
        interval=(significant(low), significant(high)),
        least_units=2 if passes and count < 2 else None,
    )


def _moves(settings: PopulationSettings, evidence: Evidence, change: NDArray[np.float64]) -> Measured:
    """McNemar's test, of rows, or of groups: one in which rows moved both ways counts against the claim.

    Where no label moved there is nothing to test, as in the tests of numbers.
    """
    import numpy as np

    moved = change if settings.test == "increasing" else -change
    if evidence.groups is None:
        towards, away = int(np.count_nonzero(moved > 0)), int(np.count_nonzero(moved < 0))
    else:
        against = np.bincount(evidence.groups[moved < 0], minlength=evidence.units) > 0
        some = np.bincount(evidence.groups[moved > 0], minlength=evidence.units) > 0
        towards, away = int(np.count_nonzero(some & ~against)), int(np.count_nonzero(against))
    total = towards + away
    interval = None
    if total:
        low, high = clopper_pearson(towards, total, settings.confidence)
        interval = significant(low), significant(high)
    p_value = moves_p_value(towards, away)
    least = _least_signs(settings.alpha)
    too_few = evidence.units < least
    return Measured(
        reason="too_few" if too_few else _by_p_value(p_value, settings.alpha),
        metric=towards / total if total else None,
        p_value=p_value,
        effect=_shown(wide_mean(_means(change, evidence))),
        interval=interval,
        least_units=least if too_few else None,
    )


def _direction(settings: PopulationSettings, means: NDArray[np.float64], slack: NDArray[np.float64] | None) -> Measured:
    side: Side = "greater" if settings.test == "increasing" else "less"
    found = moments(means, slack)
    if settings.method == "t_test":
        p_value, effect = t_p_value(found, side), found.mean
        interval, least = t_interval(found, settings.confidence), 2
    else:
        p_value = signed_rank_p_value(means, side, slack)
        effect, interval = pseudo_median(means, settings.confidence)
        least = _least_signs(settings.alpha)
    too_few = len(means) < least
    return Measured(
        reason="too_few" if too_few else _by_p_value(p_value, settings.alpha),
        metric=_shown(effect),
        p_value=p_value,
        effect=_shown(effect),
        interval=interval,
        least_units=least if too_few else None,
    )


def _equivalence(
    settings: PopulationSettings,
    means: NDArray[np.float64],
    before: NDArray[np.float64],
    slack: NDArray[np.float64] | None,
) -> Measured:
    window = settings.window or 0.0
    if settings.relative:
        window *= wide_mean(before)
    if not (window > 0 and math.isfinite(window)):
        return Measured(reason="no_window" if window == 0 else "no_p_value")
    statistic = settings.statistic or "t"
    found = equivalence(means, window / 2, settings.alpha, statistic=statistic, slack=slack)
    least = 2 if statistic == "t" else _least_signs(settings.alpha)
    reason = _by_p_value(found.p_value, settings.alpha)
    if len(means) < least:
        reason = "too_few"
    elif reason == "no_p_value" and found.constant:
        reason = "constant_at_window"
    return Measured(
        reason=reason,
        metric=_shown(found.effect),
        p_value=found.p_value,
        effect=_shown(found.effect),
        interval=found.interval,
        window=significant(window),
        least_units=least if reason == "too_few" else None,
    )


def _by_p_value(p_value: float, alpha: float) -> str:
    if math.isnan(p_value):
        return "no_p_value"
    return "shown" if p_value < alpha else "not_shown"


def _least_signs(alpha: float) -> int:
    """How many differences it takes so that all of them on one side, p = 2⁻ⁿ, are below the level."""
    count = 1
    while not 2.0**-count < alpha:
        count += 1
    return count


def _shown(value: float) -> float:
    return significant(value) if math.isfinite(value) else math.nan
