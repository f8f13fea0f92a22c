"""Models of every kind as functions of rows, and what is said of outputs that cannot be used."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd  # type: ignore[import-untyped]
import polars as pl
import pytest
from sklearn.linear_model import LinearRegression, LogisticRegression

from robust import DataError, RobustError, UsageError, column_edits, increasing, invariance
from robust.population.output_arrays import labels_of, numbers_of, output_array, probabilities_of, same_labels
from robust.population.table_models import BATCH_ROWS

X = np.arange(40.0).reshape(20, 2)
RAISED = column_edits.shifted(0, 100.0)


def gives(outputs: Callable[[int], Any]) -> Callable[[Any], Any]:
    """A model that gives something for so many rows."""
    return lambda rows: outputs(len(rows))


def objects(*values: Any) -> Any:
    """An array of anything."""
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array


@pytest.mark.parametrize(
    "outputs",
    [
        lambda count: [1.5] * count,
        lambda count: (1.5,) * count,
        lambda count: np.full(count, 1.5, dtype=np.float32),
        lambda count: np.full((count, 1), 1.5),
        lambda count: [[1.5]] * count,
        lambda count: pd.Series([1.5] * count, index=[3] * count),
        lambda count: pl.Series([1.5] * count),
        lambda count: [Decimal("1.5")] * count,
        lambda count: (1.5 for _ in range(count)),
        lambda count: [1, 1.5] * (count // 2),
    ],
)
def test_numbers_may_come_in_any_form(outputs: Callable[[int], Any]) -> None:
    """One for each row."""
    result = invariance(gives(outputs), X, RAISED)
    assert (result.verdict, result.largest_change) == ("holds", 0)


@pytest.mark.parametrize(
    "outputs",
    [
        lambda count: ["a"] * count,
        lambda count: np.array(["a"] * count),
        lambda count: np.array([True] * count),
        lambda count: [True, False] * (count // 2),
        lambda count: pd.Series(["a"] * count, dtype="category"),
        lambda count: pl.Series(["a"] * count),
        lambda count: objects(*["a", True] * (count // 2)),
    ],
)
def test_labels_may_come_in_any_form(outputs: Callable[[int], Any]) -> None:
    """They have no change in numbers."""
    result = invariance(gives(outputs), X, RAISED)
    assert (result.verdict, result.largest_change) == ("holds", None)


@pytest.mark.parametrize(
    ("outputs", "classes"),
    [
        (lambda count: np.tile([0.2, 0.8], (count, 1)), ["no", "yes"]),
        (lambda count: [[0.2, 0.8]] * count, ("no", "yes")),
        (lambda count: pd.DataFrame({"no": [0.2] * count, "yes": [0.8] * count}), None),
        (lambda count: pl.DataFrame({"no": [0.2] * count, "yes": [0.8] * count}), None),
        (lambda count: [{"no": 0.2, "yes": 0.8}, {"yes": 0.8, "no": 0.2}] * (count // 2), None),
    ],
)
def test_probabilities_may_come_in_any_form(outputs: Callable[[int], Any], classes: Any) -> None:
    """Their classes by name; one is picked by ``label``, and its probability is a number."""
    result = invariance(gives(outputs), X, RAISED, classes=classes)
    assert (result.verdict, result.largest_change) == ("holds", None)
    number = invariance(gives(outputs), X, RAISED, classes=classes, label="yes", method="equivalence", window=0.1)
    assert (number.verdict, number.effect) == ("holds", 0)
    with pytest.raises(UsageError, match="its classes are 'no', 'yes'"):
        invariance(gives(outputs), X, RAISED, classes=classes, label="maybe")


@pytest.mark.parametrize(
    ("outputs", "words"),
    [
        (lambda count: None, "gave nothing"),
        (lambda count: "text", "one output for each row"),
        (lambda count: [1.0] * (count - 1), "asked for 20 rows and gave 19"),
        (lambda count: 1.0, "an array, a list or a series"),
        (lambda count: np.zeros((count, 2, 2)), "3 dimensions"),
        (lambda count: [[1.0], [1.0, 2.0]] * (count // 2), "several lengths"),
        (lambda count: {"a": 1}, "one output for each row"),
        (lambda count: [{"a": 1.0}, {"b": 1.0}] * (count // 2), "probabilities of"),
        (lambda count: [{"a": "x"}] * count, "no number"),
        (lambda count: [object()] * count, "output 0 of the model"),
        (lambda count: [1j] * count, "output 0 of the model"),
        (lambda count: np.full(count, 1j), "complex"),
        (lambda count: np.array([b"a"] * count), "bytes"),
    ],
)
def test_outputs_that_are_not_one_for_each_row_are_errors(outputs: Callable[[int], Any], words: str) -> None:
    """And no verdicts."""
    with pytest.raises(RobustError, match=words):
        invariance(gives(outputs), X, RAISED)


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ([2.0, 3.0], "one of them 3.0"),
        ([-0.5, 1.5], "one of them -0.5"),
        ([0.2, 0.2], "sum to 0.4"),
        ([0.8, 0.9], "sum to 1.7"),
    ],
)
def test_several_numbers_that_are_no_probabilities_are_errors(row: list[float], words: str) -> None:
    """Nothing is repaired."""
    with pytest.raises(DataError, match=words):
        invariance(gives(lambda count: [row] * count), X, RAISED, classes=["a", "b"])


def test_probabilities_without_classes_are_refused() -> None:
    """So are too few classes, and one that is there twice."""
    model = gives(lambda count: [[0.5, 0.5]] * count)
    for classes, words in ((None, "has no classes_"), (["a"], "there are 1 classes"), (["a", "a"], "there twice")):
        with pytest.raises(UsageError, match=words):
            invariance(model, X, RAISED, classes=classes)


def test_an_asynchronous_model_is_refused_with_a_way_out() -> None:
    """And leaves no coroutine behind that nobody waits for."""

    async def model(rows: Any) -> list[float]:
        return [1.0] * len(rows)

    with pytest.raises(DataError, match=r"asyncio\.run"):
        invariance(model, X, RAISED)


@pytest.mark.parametrize("model", [5, "model", None, LogisticRegression, object()])
def test_what_cannot_be_asked_is_no_model(model: Any) -> None:
    """A class is none either: it was never fitted."""
    with pytest.raises(UsageError):
        invariance(model, X, RAISED)


def test_models_of_scikit_learn_are_asked_as_they_are() -> None:
    """A classifier for its label or the probability of one, a regressor for its number."""
    source = np.random.default_rng(0)
    table = source.normal(size=(200, 2))
    labels = np.where(table[:, 0] > 0, 3, 1)
    classifier = LogisticRegression().fit(table, labels)
    assert increasing(classifier, table, RAISED, label=3).metric == 1
    assert increasing(classifier, table, RAISED, label=3, method="mcnemar").passed
    assert invariance(classifier, table, column_edits.shifted(1, 1e-3), threshold=0.99).passed
    regressor = LinearRegression().fit(table, table[:, 0] * 2)
    result = increasing(regressor, table, RAISED, method="t_test")
    assert result.passed
    assert result.effect == pytest.approx(200)
    with pytest.raises(UsageError, match="names a class"):
        increasing(regressor, table, RAISED, label=3)


class Tuned:
    """A classifier with a threshold of its own: its label is not its most probable class."""

    classes_ = ("no", "yes")

    def predict(self, rows: Any) -> list[str]:
        """Yes from 0.3 on."""
        return ["yes" if row[1] >= 0.3 else "no" for row in self.predict_proba(rows)]

    def predict_proba(self, rows: Any) -> Any:
        """0.4 after the change, 0.2 before."""
        yes = np.where(rows[:, 0] >= 100, 0.4, 0.2)
        return np.column_stack([1 - yes, yes])


def test_a_label_is_what_the_model_calls_it() -> None:
    """By ``predict`` where there is one, since a threshold may be its own."""
    assert invariance(Tuned(), X, RAISED).verdict == "violated"
    assert increasing(Tuned(), X, RAISED, label="yes", method="mcnemar").passed


def test_a_task_decides_what_is_asked() -> None:
    """A classifier may be taken as one that gives numbers, if it does."""
    whole = gives(np.arange)
    assert invariance(whole, X, RAISED, task="regression").largest_change == 0
    assert invariance(whole, X, RAISED, task="classification").largest_change is None
    with pytest.raises(UsageError, match="must be 'classification' or 'regression'"):
        invariance(whole, X, RAISED, task="ranking")  # type: ignore[arg-type]
    with pytest.raises(DataError, match="task='classification'"):
        invariance(gives(lambda count: ["a"] * count), X, RAISED, task="regression")
    with pytest.raises(UsageError, match="gives 2 numbers"):
        invariance(gives(lambda count: [[0.5, 0.5]] * count), X, RAISED, task="regression")


def test_labels_alone_are_refused_where_numbers_are_needed() -> None:
    """With what to do instead."""
    labels = gives(lambda count: ["a"] * count)
    for options in ({"method": "equivalence", "window": 1.0}, {"label": "a"}):
        with pytest.raises(UsageError, match="no mean is ever taken over class indices"):
            invariance(labels, X, RAISED, **options)
    with pytest.raises(UsageError, match="this test needs labels"):
        increasing(gives(lambda count: [0.5] * count), X, RAISED, method="mcnemar", label="a")


def test_a_model_is_called_in_batches_of_bounded_size() -> None:
    """As often as these take, with changed rows only, and it may use its own array again."""
    sizes: list[int] = []
    buffer = np.empty(BATCH_ROWS)

    def model(rows: Any) -> Any:
        sizes.append(len(rows))
        buffer[: len(rows)] = rows
        return buffer[: len(rows)]

    values = np.arange(BATCH_ROWS + 11.0)
    change = lambda rows: np.where(rows < 5, rows, rows + 1)  # noqa: E731 - a transformation in a line
    result = increasing(model, values, change)
    assert sizes == [BATCH_ROWS, 6, BATCH_ROWS, 6]
    assert result.observed()["calls"] == 4
    assert (result.n, result.n_changed, result.metric) == (BATCH_ROWS + 11, BATCH_ROWS + 6, 1)


def test_a_model_whose_outputs_are_all_missing_is_inconclusive() -> None:
    """Even where nothing tells what they would be."""
    for missing in (None, float("nan")):
        model = lambda rows, missing=missing: [missing if row[0] < 100 else "a" for row in rows]  # noqa: E731
        result = invariance(model, X, RAISED)
        assert (result.verdict, result.missing_before, result.missing_after) == ("inconclusive", 20, 0)


def test_labels_before_and_numbers_after_are_an_error() -> None:
    """They cannot be compared."""
    with pytest.raises(DataError, match="labels for some rows and numbers for others"):
        invariance(lambda rows: ["a" if row[0] < 100 else 1.5 for row in rows], X, RAISED)


def test_outputs_are_read_without_guessing() -> None:
    """A label of one kind is not one of another, and what is missing or a fraction is a number."""
    assert same_labels(objects("1", 1, True, 1), objects(1, 1.0, 1, True)).tolist() == [False, True, False, False]
    assert numbers_of(objects(None, np.nan, np.ma.masked, Decimal("sNaN"))).tolist() == pytest.approx(
        [np.nan] * 4, nan_ok=True
    )
    assert numbers_of(objects(Fraction(1, 3), Decimal("0.1"), 2**60)).tolist() == [1 / 3, 0.1, 2.0**60]
    assert labels_of(objects("a", pd.NA, np.nan, np.int64(3))).tolist() == ["a", None, None, 3]
    table = probabilities_of(np.array([[0.5, np.nan], [0.5, 0.5]]))
    assert np.isnan(table[0]).all()
    assert output_array(np.array([[1.0], [2.0]]), 2)[0].shape == (2,)


MASKED = np.ma.array
FIRST = [True] + [False] * 19


@pytest.mark.parametrize(
    ("outputs", "options", "missing"),
    [
        (lambda count: MASKED(["x"] * count, mask=True), {}, 20),
        (lambda count: MASKED(["x"] * count, mask=FIRST), {}, 1),
        (lambda count: MASKED([True] * count, mask=True), {}, 20),
        (lambda count: MASKED([1] * count, mask=True), {"task": "regression"}, 20),
        (lambda count: MASKED([1] * count, mask=FIRST), {"task": "classification"}, 1),
        (lambda count: MASKED([1.5] * count, mask=FIRST), {}, 1),
        (lambda count: MASKED([[1.5]] * count, mask=True), {}, 20),
        (lambda count: MASKED([1.5] * count, mask=FIRST), {"method": "equivalence", "window": 1}, 1),
        (lambda count: [np.ma.masked] + [1.5] * (count - 1), {}, 1),
        (lambda count: MASKED([[0.2, 0.8]] * count, mask=True), {"classes": [0, 1], "label": 1}, 20),
        (lambda count: MASKED([[0, 1]] * count, mask=[[True, False]] * count), {"classes": [0, 1]}, 20),
        (lambda count: [MASKED([0.2, 0.8], mask=[False, True])] * count, {"classes": [0, 1]}, 20),
        (lambda count: [[0.2, np.ma.masked]] * count, {"classes": [0, 1]}, 20),
        (lambda count: [{"a": 0.2, "b": np.ma.masked}] * count, {}, 20),
        (lambda count: [Decimal("sNaN")] * count, {}, 20),
    ],
)
def test_what_a_mask_hides_is_missing(outputs: Callable[[int], Any], options: dict[str, Any], missing: int) -> None:
    """Of labels, numbers and probabilities, in an array or one by one; nothing is concluded then."""
    result = invariance(gives(outputs), X, RAISED, **options)
    assert (result.reason, result.missing_before, result.missing_after) == ("missing_predictions", missing, missing)


@pytest.mark.parametrize("method", ["t_test", "wilcoxon"])
def test_numbers_of_which_some_are_masked_are_no_crash(method: Any) -> None:
    """In a test of the mean and of ranks."""
    result = increasing(lambda rows: MASKED(rows[:, 0], mask=FIRST), X, RAISED, method=method)
    assert (result.verdict, result.missing_before) == ("inconclusive", 1)


@pytest.mark.parametrize(
    "value",
    [
        10**400,
        2**53 + 1,
        np.int64(2**53 + 1),
        np.uint64(2**64 - 1),
        np.longdouble("1e-4000"),
        np.longdouble(2**53) + 1,
        Decimal("1e400"),
        Decimal("1e-400"),
        Decimal(2**53 + 1),
        Fraction(10**400),
    ],
)
@pytest.mark.parametrize("as_array", [True, False])
def test_a_number_that_is_none_of_64_bits_is_refused(value: Any, as_array: bool) -> None:
    """Since two that differ would be one, and stay."""
    if isinstance(value, np.longdouble) and np.finfo(np.longdouble).nmant <= np.finfo(float).nmant:
        pytest.skip("a long double is a double on this machine")

    def model(rows: Any) -> Any:
        return np.array([value] * len(rows)) if as_array else [value] * len(rows)

    with pytest.raises(DataError, match=r"output 0 .* cannot hold"):
        invariance(model, X, RAISED, task="regression")


def test_probabilities_beyond_all_numbers_are_refused() -> None:
    """As whatever they are given."""
    for outputs in ([[10**400, 0]], [{"a": 10**400, "b": 0}], objects([10**400, 0])):
        with pytest.raises(DataError):
            invariance(lambda rows, given=outputs: list(given) * len(rows), X, RAISED, classes=["a", "b"])


@pytest.mark.parametrize("value", [2**60, -(2**63), 2.0**80])
def test_a_large_number_that_is_one_of_64_bits_is_taken(value: Any) -> None:
    """As it is."""
    result = invariance(gives(lambda count: np.array([value] * count)), X, RAISED, task="regression")
    assert (result.verdict, result.largest_change) == ("holds", 0)
