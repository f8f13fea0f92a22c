"""From what a population test saw to its result: one pure function, used when it is made and when it is read again."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from robust.population.evidence import Evidence
from robust.population.methods import measure
from robust.population.output_arrays import same_label, same_labels
from robust.records.population import REASONS, PopulationOutcome, PopulationSettings, PopulationVerdict
from robust.stats.group_counts import grouped_share
from robust.stats.intervals import Interval, clopper_pearson
from robust.stats.paired import differences, rounding, significant

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_PERCENTILE: Final = 95


@dataclass(frozen=True, slots=True)
class Rows:
    """What the counted rows did.

    Attributes:
        kept: which keep the row rule, or move in the direction of the claim.
        change: after minus before, of numbers; of labels +1 for a move to the named label, −1 from it, 0 else (without
            a label +1 for any other label).
        slack: how far each change may be off by rounding alone, of numbers.
        before: the outputs before, of numbers.
    """

    kept: NDArray[np.bool_]
    change: NDArray[np.float64]
    slack: NDArray[np.float64] | None
    before: NDArray[np.float64] | None


def judge_population(settings: PopulationSettings, evidence: Evidence) -> PopulationOutcome:
    """The result of a population test.

    Args:
        settings: what was asked.
        evidence: what was seen.
    """
    base: dict[str, Any] = {
        "settings": settings,
        "n": evidence.in_slice,
        "n_changed": len(evidence.places),
        "n_invalid": evidence.invalid,
        "n_unknown": evidence.unknown,
        "groups": evidence.units if settings.grouped else None,
        "metric_name": metric_name(settings),
    }
    if (reason := _nothing_tested(evidence)) is not None:
        verdict = REASONS[reason]
        return PopulationOutcome(
            **base,
            verdict=verdict,
            reason=reason,
            row_verdict=verdict,
            population_verdict=verdict,
            error=evidence.error,
        )
    missing = _missing(evidence.before), _missing(evidence.after)
    counted = {"missing_before": int(missing[0].sum()), "missing_after": int(missing[1].sum())}
    if counted["missing_before"] or counted["missing_after"]:
        return _with_missing(settings, evidence, {**base, **counted}, ~(missing[0] | missing[1]))
    rows = _rows_of(settings, evidence)
    return _judged(settings, evidence, rows, base)


def metric_name(settings: PopulationSettings) -> str:
    """What the metric of a method is called."""
    if settings.method == "proportion":
        what = {"invariance": "unchanged", "increasing": "increasing", "decreasing": "decreasing"}[settings.test]
        return f"share_of_{what}_{'groups' if settings.grouped else 'rows'}"
    if settings.method == "mcnemar":
        return "share_of_moves"
    return "pseudo_median_change" if "wilcoxon" in (settings.method, settings.statistic) else "mean_change"


def _nothing_tested(evidence: Evidence) -> str | None:
    if evidence.error is not None:
        return "raised"
    if not evidence.rows:
        return "no_rows"
    if not evidence.in_slice:
        return "empty_slice"
    if not len(evidence.places):
        return "none_valid" if evidence.invalid or evidence.unknown else "nothing_changed"
    return None


def _missing(values: NDArray[Any]) -> NDArray[np.bool_]:
    import numpy as np

    if values.dtype.kind == "f":
        missing: NDArray[np.bool_] = np.isnan(values)
        return missing
    if values.dtype.kind != "O":
        return np.zeros(len(values), dtype=bool)
    return np.fromiter((value is None for value in values.tolist()), bool, len(values))


def _with_missing(
    settings: PopulationSettings, evidence: Evidence, base: dict[str, Any], whole: NDArray[np.bool_]
) -> PopulationOutcome:
    """The result where predictions are missing: the rows that can be looked at are, and nothing is concluded."""
    import numpy as np

    present = Evidence(
        rows=evidence.rows,
        in_slice=evidence.in_slice,
        outputs=evidence.outputs,
        places=evidence.places[whole],
        # Numbered anew, since one whose rows all miss a prediction does not occur any more.
        groups=None if evidence.groups is None else np.unique(evidence.groups[whole], return_inverse=True)[1],
        before=evidence.before[whole],
        after=evidence.after[whole],
    )
    if not len(present.places):
        seen: dict[str, Any] = {}
    else:
        rows = _rows_of(settings, present)
        seen = {**_row_level(settings, present, rows), **_changes(present, rows)}
    seen["row_verdict"] = "inconclusive"
    return PopulationOutcome(
        **base, **seen, verdict="inconclusive", reason="missing_predictions", population_verdict="inconclusive"
    )


def _rows_of(settings: PopulationSettings, evidence: Evidence) -> Rows:
    """What each row did; no output is missing."""
    import numpy as np

    if evidence.outputs == "labels":
        if settings.method == "mcnemar":
            at = [
                np.fromiter((same_label(value, settings.label) for value in values.tolist()), bool, len(values))
                for values in (evidence.before, evidence.after)
            ]
            change = at[1].astype(np.float64) - at[0].astype(np.float64)
            return Rows(change > 0 if settings.test == "increasing" else change < 0, change, None, None)
        same = same_labels(evidence.before, evidence.after)
        return Rows(same, (~same).astype(np.float64), None, None)
    before, after = evidence.before, evidence.after
    with np.errstate(invalid="ignore"):
        change = differences(before, after)
    # An infinite output that stays has not changed, though the difference is not a number.
    change[before == after] = 0.0
    slack = rounding(before, after)
    with np.errstate(invalid="ignore", over="ignore"):
        allowed = np.maximum(settings.abs_tol, settings.output_sensitivity * np.abs(before)) + slack
    finite = np.isfinite(before) & np.isfinite(after)
    if settings.test == "invariance":
        kept = ((np.abs(change) <= allowed) & finite) | (change == 0)
    else:
        moved = change if settings.test == "increasing" else -change
        # To or from an infinite output is farther than any share of it.
        kept = np.where(finite, moved > allowed, moved > 0)
    return Rows(kept, change, slack, before)


def _judged(settings: PopulationSettings, evidence: Evidence, rows: Rows, base: dict[str, Any]) -> PopulationOutcome:
    seen = {**_row_level(settings, evidence, rows), **_changes(evidence, rows)}
    found = measure(settings, evidence, rows.kept, rows.change, rows.before, rows.slack)
    population = REASONS[found.reason]
    reason = found.reason
    if reason == "shown" and settings.method == "equivalence" and seen["row_verdict"] != "holds":
        # Opposite changes cancel in a mean, and must not pass by that.
        reason = "rows_change"
    return PopulationOutcome(
        **base,
        **seen,
        verdict=REASONS[reason],
        reason=reason,
        population_verdict=population,
        metric=_number(found.metric),
        p_value=_number(found.p_value),
        effect=_number(found.effect),
        interval=found.interval,
        window=found.window,
        least_units=found.least_units,
    )


def _row_level(settings: PopulationSettings, evidence: Evidence, rows: Rows) -> dict[str, Any]:
    import numpy as np

    count, kept = len(rows.kept), int(np.count_nonzero(rows.kept))
    share = kept / count
    verdict: PopulationVerdict = "holds" if share >= settings.threshold else "violated"
    failing = evidence.places[~rows.kept].tolist()
    return {
        "row_verdict": verdict,
        "rows": kept,
        "row_share": share,
        "row_interval": _share_interval(rows.kept, evidence.groups, settings.confidence),
        "failing": tuple(failing),
    }


def _share_interval(kept: NDArray[np.bool_], groups: NDArray[np.int64] | None, confidence: float) -> Interval | None:
    """Exact where each row stands for itself; by the bounds over groups where they do not."""
    import numpy as np

    if groups is None:
        low, high = clopper_pearson(int(np.count_nonzero(kept)), len(kept), confidence)
        return significant(low), significant(high)
    sizes = np.bincount(groups)
    hits = np.bincount(groups[kept], minlength=len(sizes))
    return grouped_share(zip(hits.tolist(), sizes.tolist(), strict=True)).interval(confidence)


def _changes(evidence: Evidence, rows: Rows) -> dict[str, float | None]:
    """The largest and the 95th percentile of absolute changes, of numbers."""
    import numpy as np

    if evidence.outputs == "labels":
        return {}
    sizes = np.abs(rows.change)
    # From infinite to something else is farther than any number.
    sizes[np.isnan(sizes)] = np.inf
    with np.errstate(invalid="ignore"):
        percentile = float(np.percentile(sizes, _PERCENTILE, overwrite_input=True))
    largest = float(sizes.max())
    return {
        "largest_change": significant(largest) if math.isfinite(largest) else largest,
        "percentile_95_change": significant(percentile) if math.isfinite(percentile) else math.inf,
    }


def _number(value: float | None) -> float | None:
    return None if value is None or math.isnan(value) else value
