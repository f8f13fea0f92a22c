"""Smaller forms of candidates: whether stored steps are one."""

from __future__ import annotations

from typing import Any

from robust.canon import JsonObject, canonical_bytes
from robust.errors import DataError
from robust.run.pairs import PlannedPair
from robust.run.property_plan import PropertyPlan
from robust.transforms.candidate import Candidate, StepError, Steps


def read_smaller(item: PlannedPair, steps: list[Any]) -> Candidate | None:
    """The candidate that steps make, if it is a smaller form of the pair's own; None to look closer.

    Args:
        item: the pair.
        steps: as they are stored, of any kind.
    """
    if not item.plan.reducible or not steps or any(type(step) is not dict for step in steps):
        return None
    try:
        candidate = item.plan.transformation.apply(item.base.case.input, tuple(steps))
        return candidate if is_smaller(item.plan, steps, item.candidate.steps) else None
    except (StepError, DataError):
        return None


def is_smaller(plan: PropertyPlan, steps: list[JsonObject], whole: Steps) -> bool:
    """Whether steps that fit are fewer than those of a candidate, or an order nearer to the contract's."""
    if plan.name == "option_order":
        return _inversions(steps[0]["order"]) < _inversions(whole[0]["order"])
    left = iter(map(canonical_bytes, whole))
    # In their order, as nothing but leaving out is done to them.
    return len(steps) < len(whole) and all(canonical_bytes(step) in left for step in steps)


def _inversions(order: list[int]) -> int:
    return sum(1 for place, one in enumerate(order) for other in order[place + 1 :] if one > other)
