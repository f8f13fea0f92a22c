"""Faults of comparable tools over rows, L8–L12 of the acceptance table among them, each as it should be here."""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import singledispatch
from typing import Any

import numpy as np
import pandas as pd  # type: ignore[import-untyped]
import polars as pl
import pytest

from robust import PopulationResult, UsageError, column_edits, decreasing, increasing, invariance

Rows = list[dict[str, Any]]
EQUIVALENCES: list[dict[str, Any]] = [
    {"method": "equivalence", "test": test, "window": 0.2} for test in ("t", "wilcoxon")
]
DIRECTED: list[dict[str, Any]] = [{"method": method} for method in ("proportion", "t_test", "wilcoxon")]


def rows_of(values: list[float]) -> Rows:
    """Rows with one number each."""
    return [{"x": value} for value in values]


def value_of(rows: Rows) -> list[float]:
    """A model that gives the number back."""
    return [row["x"] for row in rows]


def moved(by: Callable[[int, float], float]) -> Callable[[Rows], Rows]:
    """A transformation of the number of each row, by its position."""

    def transformation(rows: Rows) -> Rows:
        return [{**row, "x": by(place, row["x"])} for place, row in enumerate(rows)]

    return transformation


class Labeller:
    """A classifier of the label of a row, with sure probabilities."""

    def __init__(self, *classes: Any) -> None:
        self.classes_ = np.array(classes)

    def predict(self, rows: Rows) -> Any:
        """The label."""
        return np.array([row["label"] for row in rows])

    def predict_proba(self, rows: Rows) -> Any:
        """0.9 for the label, the rest for the others."""
        at = self.predict(rows)[:, np.newaxis] == self.classes_
        return np.where(at, 0.9, 0.1 / (len(self.classes_) - 1))


def exchanged(rows: Rows) -> Rows:
    """Every label becomes the other one."""
    return [{"label": "no" if row["label"] == "yes" else "yes"} for row in rows]


BALANCED: Rows = [{"label": label} for label in ("yes", "no")] * 100


def says_why(result: PopulationResult, *words: str) -> bool:
    """Whether the message holds all of these words."""
    return all(word in result.message for word in words)


@pytest.mark.parametrize("count", [1, 2, 30])
def test_l8_a_regression_from_minus_10_to_minus_1000_is_violated(count: int) -> None:
    """Its difference over its output is negative, and no less than a share of 0.1 for that."""
    result = invariance(value_of, rows_of([-10.0] * count), column_edits.scaled("x", 100))
    assert (result.verdict, result.metric, result.failing) == ("violated", 0, tuple(range(count)))
    assert result.largest_change == 990
    assert result.status == "fail"


def test_l8_a_regression_that_goes_from_0_is_judged_by_abs_tol_alone() -> None:
    """A share of nothing is nothing."""
    rows = rows_of([0.0] * 10)
    assert invariance(value_of, rows, column_edits.shifted("x", 0.05)).verdict == "violated"
    assert invariance(value_of, rows, column_edits.shifted("x", 0.05), abs_tol=0.1).verdict == "holds"


@pytest.mark.parametrize("options", [{}, {"label": "yes"}, *({**each, "label": "yes"} for each in EQUIVALENCES)])
@pytest.mark.parametrize("grouped", [False, True])
def test_l9_no_invariance_test_passes_when_all_labels_of_a_balanced_set_flip(
    options: dict[str, Any], grouped: bool
) -> None:
    """Not even those of means, in which all changes cancel; they say that they do."""
    groups = [place // 2 for place in range(len(BALANCED))] if grouped else None
    result = invariance(Labeller("no", "yes"), BALANCED, exchanged, groups=groups, **options)
    assert (result.verdict, result.passed) == ("violated", False)
    assert (result.row_verdict, result.row_share) == ("violated", 0)
    if "method" in options:
        assert (result.population_verdict, result.effect) == ("holds", 0)
        assert result.largest_change == pytest.approx(0.8)
        assert says_why(result, "opposite changes cancel")


def test_l9_opposite_changes_of_a_regression_do_not_cancel() -> None:
    """Half goes up and half goes down, each far beyond the window."""
    rows = rows_of([10.0] * 200)
    for options in EQUIVALENCES:
        result = invariance(
            value_of, rows, moved(lambda place, x: x + (5 if place % 2 else -5) + place * 1e-6), **options
        )
        assert result.verdict == "violated"
        assert result.percentile_95_change == pytest.approx(5, abs=1e-3)


@pytest.mark.parametrize("options", [{}, *EQUIVALENCES])
@pytest.mark.parametrize("where", ["before", "after"])
def test_l10_nan_predictions_are_inconclusive(options: dict[str, Any], where: str) -> None:
    """One of them among a hundred is enough, and it is counted."""
    odd = 7.0 if where == "before" else 107.0

    def model(rows: Rows) -> list[float]:
        return [np.nan if row["x"] == odd else 50.0 for row in rows]

    result = invariance(model, rows_of([float(x) for x in range(100)]), column_edits.shifted("x", 100), **options)
    assert (result.verdict, result.reason) == ("inconclusive", "missing_predictions")
    assert (result.missing_before, result.missing_after) == ((1, 0) if where == "before" else (0, 1))
    assert says_why(result, "missing or not a number")


@pytest.mark.parametrize("missing", [None, np.nan, float("nan")])
def test_l10_missing_labels_are_inconclusive(missing: Any) -> None:
    """In whatever way they are missing."""
    model = lambda rows: [missing if row["x"] == 3 else "a" for row in rows]  # noqa: E731 - a model in a line
    result = invariance(model, rows_of([1, 2, 3.0]), column_edits.shifted("x", 10))
    assert (result.verdict, result.missing_before, result.missing_after) == ("inconclusive", 1, 0)


@pytest.mark.parametrize("options", DIRECTED)
def test_l10_nan_predictions_decide_nothing_of_a_direction(options: dict[str, Any]) -> None:
    """A comparison with NaN is false, which is no evidence of anything."""
    for test in (increasing, decreasing):
        result = test(lambda rows: [np.nan] * len(rows), rows_of([1.0] * 30), column_edits.shifted("x", 1), **options)
        assert (result.verdict, result.missing_before) == ("inconclusive", 30)


@pytest.mark.parametrize("slicing", [lambda rows: [False] * len(rows), [False] * 3])
def test_l10_an_empty_slice_is_vacuous(slicing: Any) -> None:
    """And the model is not asked."""

    def model(rows: Rows) -> list[float]:
        raise AssertionError("asked")

    result = invariance(model, rows_of([1.0, 2, 3]), column_edits.shifted("x", 1), slicing=slicing)
    assert (result.verdict, result.reason, result.n) == ("vacuous", "empty_slice", 0)
    assert (result.passed, result.status, result.exit_code) == (False, "error", 2)
    assert says_why(result, "the slice holds no row")


@pytest.mark.parametrize("data", [[], np.empty((0, 2)), pd.DataFrame({"x": []})])
def test_l10_no_rows_are_vacuous(data: Any) -> None:
    """Of any kind."""
    result = invariance(value_of, data, lambda rows: rows)
    assert (result.verdict, result.reason) == ("vacuous", "no_rows")


@pytest.mark.parametrize("options", [{}, *EQUIVALENCES])
def test_l10_one_row_is_inconclusive(options: dict[str, Any]) -> None:
    """It may stay as it will: it is no population."""
    result = invariance(lambda rows: [1.0] * len(rows), rows_of([1.0]), column_edits.shifted("x", 1), **options)
    assert (result.verdict, result.reason) == ("inconclusive", "too_few")
    assert says_why(result, "1 row can never be enough", "at least")


@pytest.mark.parametrize("options", DIRECTED)
def test_l10_one_row_shows_no_direction(options: dict[str, Any]) -> None:
    """However far it moves."""
    result = increasing(value_of, rows_of([1.0]), column_edits.shifted("x", 1), **options)
    assert (result.verdict, result.reason) == ("inconclusive", "too_few")


def test_l10_as_many_rows_as_a_test_takes_are_enough() -> None:
    """Five for the signed-rank test and for McNemar's at 0.05, since 2⁻⁵ is less; two for the t-test."""
    methods: list[tuple[Any, int]] = [("wilcoxon", 5), ("t_test", 2)]
    for method, least in methods:
        for count, verdict in ((least - 1, "inconclusive"), (least, "holds")):
            result = increasing(
                value_of, rows_of([1.0, 2, 3, 4, 5][:count]), column_edits.shifted("x", 1), method=method
            )
            assert (result.verdict, count) == (verdict, count)
            assert result.least_units == (least if verdict == "inconclusive" else None)


@pytest.mark.parametrize("options", EQUIVALENCES)
@pytest.mark.parametrize("shift", [0.1, 0.2, -0.1, -0.2])
@pytest.mark.parametrize("start", [0.5, 0.1, 1e6, 3.3])
def test_l10_a_constant_shift_equal_to_the_window_is_inconclusive(
    options: dict[str, Any], shift: float, start: float
) -> None:
    """Whether its half or its full width was meant, and in spite of all rounding: no spread, no p-value."""
    rows = rows_of([start + place / 8 for place in range(40)])
    result = invariance(value_of, rows, column_edits.shifted("x", shift), abs_tol=1.0, **options)
    assert (result.verdict, result.reason) == ("inconclusive", "constant_at_window")
    assert result.p_value is None
    assert says_why(result, "same", "edge of the window", "equivalence is not shown")


@pytest.mark.parametrize("options", EQUIVALENCES)
def test_a_constant_shift_is_judged_exactly_on_both_sides_of_the_window(options: dict[str, Any]) -> None:
    """Within it equivalence is shown; far outside it is not."""
    rows = rows_of([1 + place / 8 for place in range(40)])
    for shift, verdict in ((0.0999, "holds"), (-0.0999, "holds"), (0.2001, "violated"), (-7.0, "violated")):
        result = invariance(value_of, rows, column_edits.shifted("x", shift), abs_tol=10.0, **options)
        assert (result.verdict, shift) == (verdict, shift)
        assert result.effect == pytest.approx(shift)


@pytest.mark.parametrize("options", EQUIVALENCES)
def test_a_model_that_ignores_a_column_is_equivalent(options: dict[str, Any]) -> None:
    """Though all differences are 0, by which a t-test would divide."""
    rows = [{"x": float(place), "y": 1.0} for place in range(40)]
    result = invariance(value_of, rows, column_edits.shifted("y", 1), **options)
    assert (result.verdict, result.effect, result.interval) == ("holds", 0, (0, 0))


def test_an_output_that_does_not_move_shows_no_direction() -> None:
    """No difference test of it has a p-value."""
    for options in DIRECTED:
        result = increasing(
            lambda rows: [1.0] * len(rows), rows_of([1.0] * 30), column_edits.shifted("x", 1), **options
        )
        assert not result.passed
        assert result.verdict == ("violated" if options["method"] == "proportion" else "inconclusive")


@pytest.mark.parametrize("classes", [(0, 1), (1, 2), (np.int64(10), np.int64(20))])
def test_l11_integer_class_labels_are_labels(classes: tuple[int, int]) -> None:
    """They are never averaged, and the probability of one is found by it and not by its position."""
    low, high = (int(label) for label in classes)
    rows = [{"label": low, "x": 1.0}] * 20
    model = Labeller(*classes)
    raised = lambda rows: [{**row, "label": high} for row in rows]  # noqa: E731 - a transformation in a line
    assert invariance(model, rows, raised).verdict == "violated"
    assert invariance(model, rows, column_edits.shifted("x", 1)).verdict == "holds"
    for method in ("proportion", "t_test", "wilcoxon", "mcnemar"):
        assert increasing(model, rows, raised, label=high, method=method).verdict == "holds"
        assert decreasing(model, rows, raised, label=np.int64(low), method=method).verdict == "holds"
        assert increasing(model, rows, raised, label=low, method=method).verdict == "violated"


def test_l11_no_mean_is_taken_over_class_indices() -> None:
    """Without a label each test of numbers is refused, and says what to name."""
    model, rows = Labeller(0, 1), [{"label": 0}] * 10
    raised = lambda rows: [{"label": 1} for _ in rows]  # noqa: E731 - a transformation in a line
    for options in EQUIVALENCES:
        with pytest.raises(UsageError, match=r"no mean is ever taken over class indices.*label= one of 0, 1"):
            invariance(model, rows, raised, **options)
    for options in DIRECTED:
        with pytest.raises(UsageError, match="no mean is ever taken"):
            increasing(model, rows, raised, **options)


@pytest.mark.parametrize("wrong", ["maybe", "Yes", 1, True, "yes "])
@pytest.mark.parametrize("options", [{}, {"method": "mcnemar"}])
def test_l11_a_wrong_label_is_an_error_that_names_the_classes(wrong: Any, options: dict[str, Any]) -> None:
    """Before the model is asked."""
    with pytest.raises(UsageError, match="is no class of the model; its classes are 'no', 'yes'") as caught:
        increasing(Labeller("no", "yes"), BALANCED, exchanged, label=wrong, **options)
    assert caught.value.code == "unknown_label"


def test_l11_a_label_of_another_type_is_told_apart() -> None:
    """The text "1" is not the class 1."""
    with pytest.raises(UsageError, match="the class 1 is of type int, and the label of type str"):
        increasing(Labeller(0, 1), [{"label": 0}] * 10, lambda rows: rows, label="1")


def test_l11_a_label_that_a_model_without_classes_never_gives_is_an_error() -> None:
    """What it gives is named."""
    model = lambda rows: [row["label"] for row in rows]  # noqa: E731 - a model in a line
    with pytest.raises(UsageError, match=r"'maybe' is no class.*'yes', 'no'"):
        increasing(model, BALANCED, exchanged, label="maybe", method="mcnemar")


def test_l11_whole_numbers_without_a_task_are_refused() -> None:
    """They may be labels or amounts; it must be said which."""
    model, rows = (lambda rows: [int(row["x"]) for row in rows]), rows_of([1.0, 2, 3])
    with pytest.raises(UsageError, match="task='classification' or task='regression'"):
        invariance(model, rows, column_edits.shifted("x", 1), output_sensitivity=2)
    assert invariance(model, rows, column_edits.shifted("x", 1), output_sensitivity=2, task="regression").passed
    assert not invariance(model, rows, column_edits.shifted("x", 1), task="classification").passed


@pytest.mark.parametrize("index", [[0] * 30, [1, 2] * 15, ["a"] * 30])
def test_l12_duplicate_row_labels_leave_ratios_within_0_and_1(index: list[Any]) -> None:
    """Rows are matched by position; their labels have no part in anything."""
    frame = pd.DataFrame({"x": np.arange(30.0), "y": np.arange(30.0)}, index=index)
    model = lambda rows: rows["x"].to_numpy() + 1  # noqa: E731 - a model in a line

    def second_half(rows: Any) -> Any:
        rows["x"] = np.where(rows["y"] >= 15, rows["x"] * 3, rows["x"])
        return rows

    for transformation, changed, share in ((second_half, 15, 0.0), (column_edits.shifted("y", 1), 30, 1.0)):
        result = invariance(model, frame, transformation)
        assert (result.n, result.n_changed, result.metric) == (30, changed, share)
        assert result.interval is not None
        assert 0 <= result.interval[0] <= share <= result.interval[1] <= 1
    assert invariance(model, frame, second_half).failing == tuple(range(15, 30))
    assert invariance(model, frame, second_half, slicing=frame["y"] > 20).failing == tuple(range(21, 30))


def test_identity_samples_do_not_count() -> None:
    """A transformation that changes nothing passes nothing; one that changes some is judged by those."""
    rows = rows_of([float(place) for place in range(10)])
    nothing = invariance(value_of, rows, lambda rows: rows)
    assert (nothing.verdict, nothing.reason, nothing.n, nothing.n_changed) == ("vacuous", "nothing_changed", 10, 0)
    one = invariance(value_of, rows, moved(lambda place, x: x + 100 if place < 2 else x))
    assert (one.verdict, one.n_changed, one.metric) == ("violated", 2, 0)


def test_nan_cells_that_stay_are_not_changes() -> None:
    """Though NaN is not equal to itself."""
    frame = pd.DataFrame({"x": [1.0, np.nan, 3.0], "s": ["a", None, np.nan]})
    for transformation in (lambda rows: rows, column_edits.scaled("x", 1.0), column_edits.case("s", to="lower")):
        assert invariance(lambda rows: [1.0] * len(rows), frame, transformation).verdict == "vacuous"


@singledispatch
def damage(rows: Any) -> None:
    """Change rows in place in every way that their kind allows, cells included."""
    raise TypeError(type(rows))


@damage.register
def _(rows: np.ndarray) -> None:
    rows[:] = -1


@damage.register
def _(rows: pl.DataFrame) -> None:
    rows[0, "x"] = -1.0
    rows.drop_in_place("s")


@damage.register
def _(rows: pd.DataFrame) -> None:
    for cell in rows["list"]:
        cell.append(-1)
    rows.loc[:, "x"] = -1.0
    rows["more"] = 1


@damage.register
def _(rows: list) -> None:  # type: ignore[type-arg]
    for row in rows:
        if isinstance(row, dict):
            row["list"].append(-1)
            row["x"] = -1
    rows.clear()


def raised_in_place(rows: Any) -> Any:
    """A transformation that changes what it is given, where that can be changed."""
    if isinstance(rows, np.ndarray):
        rows += 1
    elif isinstance(rows, pl.DataFrame):
        rows.replace_column(0, rows["x"] + 1)
    elif isinstance(rows, pd.DataFrame):
        rows["x"] += 1
    else:
        for place, row in enumerate(rows):
            rows[place] = {**row, "x": row["x"] + 1} if isinstance(row, dict) else row + "!"
    return rows


@pytest.mark.parametrize(
    "data",
    [
        np.arange(60.0).reshape(20, 3),
        [{"x": float(place), "list": [place]} for place in range(20)],
        [f"text {place}" for place in range(20)],
        pd.DataFrame({"x": np.arange(20.0), "list": [[place] for place in range(20)]}),
        pl.DataFrame({"x": np.arange(20.0), "s": ["a"] * 20}),
    ],
    ids=["array", "records", "texts", "pandas", "polars"],
)
def test_edits_in_place_by_model_transformation_and_slicing_stay_without_effect(data: Any) -> None:
    """Each gets a copy that it may damage, lists in cells included."""
    seen: list[str] = []

    def shown(rows: Any) -> str:
        return repr(rows.to_dict("list") if isinstance(rows, pd.DataFrame) else rows)

    def model(rows: Any) -> list[float]:
        seen.append(shown(rows))
        count = len(rows)
        damage(rows)
        return [1.0] * count

    def slicing(rows: Any) -> list[bool]:
        count = len(rows)
        damage(rows)
        return [place % 2 == 0 for place in range(count)]

    before = shown(data)
    results = [invariance(model, data, raised_in_place, slicing=slicing) for _ in range(2)]
    assert shown(data) == before
    assert [(result.n, result.n_changed, result.verdict) for result in results] == [(10, 10, "holds")] * 2
    assert "-1" not in "".join(seen)
    assert seen[0] != seen[1]
    assert seen[:2] == seen[2:]


def test_the_global_generators_are_left_alone() -> None:
    """Neither seeded nor drawn from."""
    random.seed(5)
    np.random.seed(5)
    before = random.getstate(), np.random.get_state()
    frame = pd.DataFrame({"x": np.arange(30.0), "s": ["words of a text"] * 30})
    for edit in (column_edits.noise("x"), column_edits.typos("s")):
        assert invariance(lambda rows: rows["x"].to_numpy() * 0 + 1, frame, edit).n_changed > 0
    after = random.getstate(), np.random.get_state()
    assert before[0] == after[0]
    assert all(np.array_equal(one, other) for one, other in zip(before[1], after[1], strict=True))


@pytest.mark.parametrize("method", ["t_test", "wilcoxon", "mcnemar"])
def test_a_difference_test_of_invariance_is_refused(method: str) -> None:
    """One that rejects does not show invariance, and neither does one that does not."""
    with pytest.raises(UsageError, match="a difference test that rejects does not show invariance"):
        invariance(value_of, rows_of([1.0]), column_edits.shifted("x", 1), method=method)  # type: ignore[arg-type]


@pytest.mark.parametrize("test", [increasing, decreasing])
def test_equivalence_shows_no_direction_and_is_refused(test: Any) -> None:
    """As is any method that there is not."""
    for method, words in (("equivalence", "show that an output stays"), ("anova", "there is no method 'anova'")):
        with pytest.raises(UsageError, match=words):
            test(value_of, rows_of([1.0]), column_edits.shifted("x", 1), method=method)
