"""Comparing a base decision with the decision on its variant."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from robust.canon import JsonObject
from robust.records.case import Relation
from robust.records.decision import LIMIT_SLACK, select, tidy_number
from robust.records.properties import DISTRIBUTION_LIMITS
from robust.records.request import DecisionType
from robust.stats.distances import expected_level, jensen_shannon, largest_delta, ranking, total_variation

ANSWER_VIOLATION: Final = "wrong_variant_answer"
FLIP_VIOLATION: Final = "max_flip_rate"
LEVEL_VIOLATION: Final = "max_level_decrease"


def compare_decisions(
    *,
    labels: Sequence[str],
    decision_type: DecisionType,
    base: Sequence[float],
    variant: Sequence[float],
    base_expected: str | None,
    variant_expected: str | None,
    relation: Relation,
    exchanged: bool = False,
    directed: bool = False,
) -> JsonObject:
    """Everything that a pair's comparison records; a pure function of the two distributions and the two answers.

    Args:
        labels: the labels in contract order.
        decision_type: ``score`` decisions also get the move of the expected level.
        base: the base's probabilities, in the order of ``labels``.
        variant: the variant's probabilities, likewise.
        base_expected: the right label of the base where it is known.
        variant_expected: the right label of the variant where it is known.
        relation: what the pair claims; decides ``relation_kept``.
        exchanged: whether the variant's distribution is compared with its two labels exchanged, so that distances and
            ``flipped`` are from the answer that is due. ``variant_selected`` is what was answered all the same.
        directed: whether only a selected level that moved against ``increasing`` or ``decreasing`` is flipped.
    """
    base_choice, variant_choice = base.index(max(base)), variant.index(max(variant))
    base_label, variant_label = labels[base_choice], labels[variant_choice]
    due = tuple(reversed(variant)) if exchanged else variant
    due_choice = select(due) if exchanged else variant_choice
    same = base == due
    against = variant_choice < base_choice if relation == "increasing" else variant_choice > base_choice
    return {
        "relation": relation,
        "tv_distance": 0 if same else tidy_number(total_variation(base, due)),
        "js_divergence": 0 if same else tidy_number(jensen_shannon(base, due)),
        "max_abs_delta": 0 if same else tidy_number(largest_delta(base, due)),
        "confidence_delta": tidy_number(due[due_choice] - base[base_choice]),
        "base_selected": base_label,
        "variant_selected": variant_label,
        "flipped": against if directed else base_choice != due_choice,
        "rank_changed": not same and ranking(base) != ranking(due),
        "level_delta": (
            tidy_number(expected_level(variant) - expected_level(base)) if decision_type == "score" else None
        ),
        "relation_kept": _relation_kept(relation, base_choice, variant_choice, decision_type),
        "base_correct": None if base_expected is None else base_label == base_expected,
        "variant_correct": None if variant_expected is None else variant_label == variant_expected,
    }


def _relation_kept(relation: Relation, base: int, variant: int, decision_type: DecisionType) -> bool | None:
    if relation in ("invariant", "counterfactual"):
        return (base == variant) == (relation == "invariant")
    if decision_type != "score":
        return None
    return variant >= base if relation == "increasing" else variant <= base


def violations_of(comparison: JsonObject, limits: Mapping[str, float]) -> list[str]:
    """The names of what a pair broke: its variant's answer, or a distribution limit on an ``invariant`` pair."""
    broken = [ANSWER_VIOLATION] if comparison["base_correct"] and comparison["variant_correct"] is False else []
    return broken + (broken_limits(comparison, limits) if comparison["relation"] == "invariant" else [])


def broken_limits(comparison: JsonObject, limits: Mapping[str, float]) -> list[str]:
    """The names of the distribution limits that a pair breaks."""
    return [
        name
        for name, field in DISTRIBUTION_LIMITS.items()
        if name in limits and abs(comparison[field]) > limits[name] + LIMIT_SLACK
    ]


def level_falls(comparison: JsonObject, allowed: float) -> bool:
    """Whether the expected level moved further against the pair's direction than is allowed, in levels."""
    delta: float = comparison["level_delta"]
    return (delta if comparison["relation"] == "increasing" else -delta) < -(allowed + LIMIT_SLACK)


def breaks_a_limit(violations: Iterable[str]) -> bool:
    """Whether a pair is a violation, and not only one whose selected label changed."""
    return any(name != FLIP_VIOLATION for name in violations)


def agreed_in_error(comparison: JsonObject) -> bool:
    """Whether a pair looks right by its relation while both of its answers are wrong."""
    return (
        comparison["base_correct"] is False
        and comparison["variant_correct"] is False
        and comparison["relation_kept"] is True
    )
