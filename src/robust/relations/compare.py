"""Comparing a base decision with the decision on its variant."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from robust.canon import JsonObject
from robust.records.case import Relation
from robust.records.decision import LIMIT_SLACK, select, tidy_number
from robust.records.properties import DISTRIBUTION_LIMITS
from robust.records.request import DecisionType
from robust.stats.distances import expected_level, jensen_shannon, largest_delta, ranking, total_variation

ANSWER_VIOLATION = "wrong_variant_answer"


def compare_decisions(
    *,
    labels: Sequence[str],
    decision_type: DecisionType,
    base: Sequence[float],
    variant: Sequence[float],
    base_expected: str | None,
    variant_expected: str | None,
    relation: Relation,
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
    """
    base_choice, variant_choice = select(base), select(variant)
    base_label, variant_label = labels[base_choice], labels[variant_choice]
    return {
        "relation": relation,
        "tv_distance": tidy_number(total_variation(base, variant)),
        "js_divergence": tidy_number(jensen_shannon(base, variant)),
        "max_abs_delta": tidy_number(largest_delta(base, variant)),
        "confidence_delta": tidy_number(variant[variant_choice] - base[base_choice]),
        "base_selected": base_label,
        "variant_selected": variant_label,
        "flipped": base_choice != variant_choice,
        "rank_changed": ranking(base) != ranking(variant),
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
    if comparison["relation"] == "invariant":
        broken += [
            name
            for name, field in DISTRIBUTION_LIMITS.items()
            if name in limits and abs(comparison[field]) > limits[name] + LIMIT_SLACK
        ]
    return broken


def agreed_in_error(comparison: JsonObject) -> bool:
    """Whether a pair looks right by its relation while both of its answers are wrong."""
    return (
        comparison["base_correct"] is False
        and comparison["variant_correct"] is False
        and comparison["relation_kept"] is True
    )
