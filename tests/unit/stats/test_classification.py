"""Accuracy and macro-F1 against values worked out by hand and an independent computation over the cases."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from robust.stats.classification import LabelScores, accuracy, label_scores, macro_f1

LABELS = ("a", "b", "c")
outcomes = st.lists(st.tuples(st.sampled_from(LABELS), st.sampled_from(LABELS)), max_size=40)


def _confusion(pairs: list[tuple[str, str]]) -> dict[str, dict[str, int]]:
    table: dict[str, dict[str, int]] = {}
    for expected, selected in pairs:
        row = table.setdefault(expected, {})
        row[selected] = row.get(selected, 0) + 1
    return table


def _naive_macro_f1(pairs: list[tuple[str, str]]) -> float:
    scores = []
    for label in {side for pair in pairs for side in pair}:
        hits = sum(1 for expected, selected in pairs if expected == selected == label)
        predicted = sum(1 for _, selected in pairs if selected == label)
        actual = sum(1 for expected, _ in pairs if expected == label)
        precision = hits / predicted if predicted else 0.0
        recall = hits / actual if actual else 0.0
        scores.append(2 * precision * recall / (precision + recall) if hits else 0.0)
    return sum(scores) / len(scores)


def test_a_table_worked_out_by_hand() -> None:
    """Of 7 yes and 3 no, 6 and 2 are right: F1 are 12/14 and 4/6."""
    table = {"yes": {"yes": 6, "no": 1}, "no": {"yes": 1, "no": 2}}
    assert accuracy(table) == 0.8
    assert macro_f1(table) == pytest.approx((12 / 14 + 4 / 6) / 2, abs=1e-15)


def test_a_label_that_is_only_predicted_counts_with_an_f1_of_zero() -> None:
    """Undefined ratios are 0, and labels that never occur do not count."""
    assert macro_f1({"a": {"a": 1, "b": 1}}) == pytest.approx((2 / 3 + 0) / 2, abs=1e-15)
    assert macro_f1({"a": {"a": 3}, "c": {}}) == 1.0


def test_nothing_scored_has_no_metric() -> None:
    """None, not 0 and not 1."""
    assert accuracy({}) is None
    assert macro_f1({"a": {}}) is None


@given(outcomes)
def test_both_metrics_equal_an_independent_computation(pairs: list[tuple[str, str]]) -> None:
    """Counted from the cases themselves."""
    table = _confusion(pairs)
    if not pairs:
        assert (accuracy(table), macro_f1(table)) == (None, None)
        return
    assert accuracy(table) == sum(1 for expected, selected in pairs if expected == selected) / len(pairs)
    assert macro_f1(table) == pytest.approx(_naive_macro_f1(pairs), abs=1e-12)


def test_scores_of_labels_worked_out_by_hand() -> None:
    """Precision over what was selected, recall over what was expected."""
    table = {"yes": {"yes": 6, "no": 1}, "no": {"yes": 1, "no": 2}}
    scores = label_scores(table, ["yes", "no", "never"])
    assert scores["yes"] == LabelScores(precision=6 / 7, recall=6 / 7, f1=6 / 7, support=7)
    assert scores["no"] == LabelScores(precision=2 / 3, recall=2 / 3, f1=2 / 3, support=3)
    assert scores["never"] == LabelScores(precision=0, recall=0, f1=0, support=0)


def test_undefined_ratios_of_a_label_are_zero() -> None:
    """Never selected: no precision; never expected: no recall."""
    scores = label_scores({"a": {"b": 3}}, LABELS)
    assert scores["a"] == LabelScores(precision=0, recall=0, f1=0, support=3)
    assert scores["b"] == LabelScores(precision=0, recall=0, f1=0, support=0)


@given(outcomes)
def test_scores_of_labels_equal_an_independent_computation(pairs: list[tuple[str, str]]) -> None:
    """For every label, those that do not occur included."""
    scores = label_scores(_confusion(pairs), LABELS)
    for label in LABELS:
        hits = pairs.count((label, label))
        claimed, support = sum(b == label for _, b in pairs), sum(a == label for a, _ in pairs)
        score = scores[label]
        assert score.support == support
        assert score.precision == (hits / claimed if claimed else 0)
        assert score.recall == (hits / support if support else 0)
        both = score.precision + score.recall
        assert score.f1 == pytest.approx(2 * score.precision * score.recall / both if both else 0, abs=1e-15)
