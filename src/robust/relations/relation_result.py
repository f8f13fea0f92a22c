"""What a relation came to, from its course."""

from __future__ import annotations

from collections.abc import Sequence

from robust.records.relation_check import CheckError, RelationResult
from robust.relations.trial_plan import Conclusion, TrialPlan
from robust.stats.intervals import Interval, clopper_pearson

_CONFIDENCE = 0.95


def relation_result(
    name: str, plan: TrialPlan, base: str | None, errors: Sequence[CheckError], conclusion: Conclusion
) -> RelationResult:
    """The result of one relation on one input.

    Args:
        name: the relation's name.
        plan: its course in numbers.
        base: how the base's runs compare; None where that could not be told.
        errors: what raised.
        conclusion: the verdict.
    """
    return RelationResult(
        name=name,
        verdict=conclusion.verdict,
        reason=conclusion.reason,
        base="unknown" if base is None else base,
        planned=plan.planned,
        trials=plan.trials,
        contradictions=plan.contradictions,
        skipped=dict(plan.skipped),
        errors=tuple(errors),
        attempts=tuple((attempt.sample, attempt.p_value) for attempt in plan.attempts),
        p_value=plan.p_value,
        adjusted_p=conclusion.adjusted_p,
        smallest_p=plan.smallest_p,
        interval=exact_interval(plan.contradictions, plan.trials),
        saved=plan.unasked,
    )


def exact_interval(hits: int, trials: int) -> Interval | None:
    """The exact 95 % interval of a share (Clopper & Pearson 1934); None of no trial."""
    return clopper_pearson(hits, trials, _CONFIDENCE) if trials else None
