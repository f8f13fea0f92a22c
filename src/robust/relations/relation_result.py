"""What a relation came to, from its course."""

from __future__ import annotations

from collections.abc import Sequence

from robust.records.relation_check import CheckError, RelationResult
from robust.relations.shares import share_of_cases
from robust.relations.trial_plan import Conclusion, TrialPlan


def relation_result(name: str, plan: TrialPlan, errors: Sequence[CheckError], conclusion: Conclusion) -> RelationResult:
    """The result of one relation on one input.

    Args:
        name: the relation's name.
        plan: its course in numbers.
        errors: what raised.
        conclusion: the verdict.
    """
    share = share_of_cases(plan.contradictions, plan.trials)
    return RelationResult(
        name=name,
        verdict=conclusion.verdict,
        reason=conclusion.reason,
        base=plan.base,
        planned=plan.planned,
        trials=plan.trials,
        contradictions=plan.contradictions,
        skipped=dict(plan.skipped),
        errors=tuple(errors),
        attempts=tuple((attempt.sample, attempt.p_value) for attempt in plan.attempts),
        p_value=plan.p_value,
        adjusted_p=conclusion.adjusted_p,
        smallest_p=plan.smallest_p,
        interval=(share.low, share.high) if share.cases else None,
        saved=plan.unasked,
    )
