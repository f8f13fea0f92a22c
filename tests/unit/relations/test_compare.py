"""Comparing a base's distribution with its variant's."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from robust.canon import JsonObject, canonical_bytes
from robust.relations.compare import ANSWER_VIOLATION, agreed_in_error, compare_decisions, violations_of

shares = st.integers(0, 1000).map(lambda share: (share / 1000, 1 - share / 1000))


def _compared(base: tuple[float, ...], variant: tuple[float, ...], **fields: Any) -> JsonObject:
    terms = {
        "labels": ("yes", "no"),
        "decision_type": "noul",
        "base_expected": "yes",
        "variant_expected": "yes",
        "relation": "invariant",
        **fields,
    }
    return compare_decisions(base=base, variant=variant, **terms)


def test_a_pair_worked_out_by_hand() -> None:
    """Every field of the comparison of (0.7, 0.3) with (0.4, 0.6)."""
    comparison = _compared((0.7, 0.3), (0.4, 0.6))
    assert comparison["tv_distance"] == pytest.approx(0.3, abs=1e-15)
    assert comparison["max_abs_delta"] == pytest.approx(0.3, abs=1e-15)
    assert comparison["confidence_delta"] == pytest.approx(-0.1, abs=1e-15)
    assert comparison["js_divergence"] == pytest.approx(0.0666537, abs=5e-8)
    chosen = {key: comparison[key] for key in ("base_selected", "variant_selected", "flipped", "rank_changed")}
    assert chosen == {"base_selected": "yes", "variant_selected": "no", "flipped": True, "rank_changed": True}
    assert [comparison[key] for key in ("base_correct", "variant_correct", "relation_kept")] == [True, False, False]
    assert comparison["level_delta"] is None


def test_a_tie_selects_the_label_listed_first() -> None:
    """So a move from a tie towards the second label flips."""
    assert _compared((0.5, 0.5), (0.49, 0.51))["flipped"] is True
    assert _compared((0.5, 0.5), (0.51, 0.49))["flipped"] is False


@pytest.mark.parametrize(
    ("relation", "same", "moved"),
    [("invariant", True, False), ("counterfactual", False, True), ("increasing", None, None)],
)
def test_whether_the_relation_was_kept_depends_on_the_relation(relation: str, same: object, moved: object) -> None:
    """T3: an invariant wants the same answer, a counterfactual another one, an order needs levels."""
    assert _compared((0.9, 0.1), (0.8, 0.2), relation=relation)["relation_kept"] is same
    assert _compared((0.9, 0.1), (0.2, 0.8), relation=relation)["relation_kept"] is moved


@pytest.mark.parametrize(("relation", "up", "down"), [("increasing", True, False), ("decreasing", False, True)])
def test_levels_move_with_the_relation(relation: str, up: bool, down: bool) -> None:
    """A score decision also records how far the expected level moved."""
    terms: dict[str, Any] = {"labels": ("low", "mid", "high"), "decision_type": "score", "relation": relation}
    raised = _compared((0.8, 0.1, 0.1), (0.1, 0.1, 0.8), **terms)
    lowered = _compared((0.1, 0.1, 0.8), (0.8, 0.1, 0.1), **terms)
    level = _compared((0.8, 0.1, 0.1), (0.8, 0.1, 0.1), **terms)
    assert (raised["relation_kept"], lowered["relation_kept"], level["relation_kept"]) == (up, down, True)
    assert raised["level_delta"] == pytest.approx(1.4, abs=1e-15)
    assert lowered["level_delta"] == pytest.approx(-1.4, abs=1e-15)


def test_only_a_right_base_with_a_wrong_variant_violates() -> None:
    """Two wrong answers are no violation, and neither is a variant that is right where the base is wrong."""
    right, wrong = (0.9, 0.1), (0.2, 0.8)
    assert violations_of(_compared(right, wrong), {}) == [ANSWER_VIOLATION]
    assert violations_of(_compared(right, right), {}) == []
    assert violations_of(_compared(wrong, right), {}) == []
    assert violations_of(_compared(wrong, wrong), {}) == []
    assert violations_of(_compared(right, wrong, variant_expected=None), {}) == []


@pytest.mark.parametrize(
    ("limit", "broken"),
    [
        ({"max_tv_distance": 0.19}, True),
        ({"max_tv_distance": 0.2}, False),
        ({"max_abs_delta": 0.19}, True),
        ({"max_confidence_delta": 0.19}, True),
        ({"max_confidence_delta": 0.2}, False),
        ({"max_js_divergence": 0.01}, True),
        ({"max_js_divergence": 0.2}, False),
    ],
)
def test_each_distribution_limit_binds_invariant_pairs_alone(limit: dict[str, float], broken: bool) -> None:
    """The same move under another relation breaks no limit; a fall of confidence counts like a rise."""
    comparison = _compared((0.9, 0.1), (0.7, 0.3))
    assert violations_of(comparison, limit) == (list(limit) if broken else [])
    counterfactual = _compared((0.9, 0.1), (0.7, 0.3), relation="counterfactual", variant_expected="yes")
    assert violations_of(counterfactual, limit) == []


def test_two_wrong_answers_that_keep_the_relation_agree_in_error() -> None:
    """They look right without labels; a broken relation does not."""
    wrong, right = (0.1, 0.9), (0.9, 0.1)
    assert agreed_in_error(_compared(wrong, wrong))
    assert not agreed_in_error(_compared(wrong, right))
    assert not agreed_in_error(_compared(right, right))
    # Both answers exchanged: the change that the relation asks for is there, and no answer is right.
    assert agreed_in_error(_compared(wrong, right, relation="counterfactual", variant_expected="no"))
    assert not agreed_in_error(_compared(wrong, wrong, relation="counterfactual", variant_expected="no"))


@given(shares, shares)
def test_a_comparison_is_portable_and_symmetric_where_it_should_be(
    base: tuple[float, float], variant: tuple[float, float]
) -> None:
    """Distances do not depend on the direction, deltas change their sign, and canonical JSON holds all of it."""
    there, back = _compared(base, variant), _compared(variant, base)
    for name in ("tv_distance", "js_divergence", "max_abs_delta", "flipped"):
        assert there[name] == back[name]
    assert there["confidence_delta"] == -back["confidence_delta"]
    assert canonical_bytes(there)
