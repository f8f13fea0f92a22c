"""Fitted classifiers as models: classes and columns, labels, inputs, and what cannot be an answer."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from robust import BackendError, BackendFailure, DecisionRequest
from robust.backends.sklearn import SklearnBackend
from robust.records.request import ShownDecision
from robust.records.seams import Backend
from tests.programs import python
from tests.run_fixtures import numbers, run

TEXTS = ["refund my money", "money back please", "repair the screen", "fix it, repair", "thanks", "all good, thanks"]
ANSWERS = ["refund", "refund", "repair", "repair", "none", "none"]
OPTIONS = ("repair", "refund", "none")
ROWS = [[1, 0], [2, 1], [8, 0], [9, 1]]


class Fixed:
    """A classifier that always gives the same table."""

    def __init__(self, classes: Any, table: Any = ((0.75, 0.25),)) -> None:
        self.classes_ = classes
        self.table = table
        self.seen: list[Any] = []

    def predict_proba(self, rows: Any) -> Any:
        """The table, whatever is asked."""
        self.seen.append(rows)
        return self.table


def _request(text: Any = "x", labels: Sequence[str] = ("yes", "no")) -> DecisionRequest:
    return DecisionRequest(
        case_id="c", decision=ShownDecision(name="q", type="choice", labels=tuple(labels)), input=text
    )


def _ask(backend: SklearnBackend, text: Any = "x", labels: Sequence[str] = ("yes", "no")) -> dict[str, float]:
    return dict(backend.decide(_request(text, labels)).probabilities)


def _refusal(backend: SklearnBackend, text: Any = "x", labels: Sequence[str] = ("yes", "no")) -> tuple[str, str]:
    with pytest.raises(BackendFailure) as caught:
        _ask(backend, text, labels)
    return caught.value.kind, str(caught.value)


def test_a_text_pipeline_answers_by_its_classes_not_by_the_order_of_the_labels() -> None:
    """The columns are in the order of classes_, which is sorted; the contract's order is another one."""
    model = make_pipeline(TfidfVectorizer(), LogisticRegression()).fit(TEXTS, ANSWERS)
    expected = dict(zip(["none", "refund", "repair"], model.predict_proba(["money"])[0].tolist(), strict=True))
    answer = _ask(SklearnBackend(model), "money", OPTIONS)
    assert answer == expected
    assert list(answer) == list(OPTIONS)
    assert max(answer, key=lambda label: answer[label]) == "refund"
    assert all(type(value) is float for value in answer.values())


@pytest.mark.parametrize(
    ("classes", "labels"),
    [
        (np.array(["no", "yes"]), ("yes", "no")),
        (np.array([1, 2]), ("2", "1")),
        (np.array([1.0, 2.0], dtype=np.float32), ("2", "1")),
        (np.array([False, True]), ("true", "false")),
        (np.array([0.5, 1.5]), ("1.5", "0.5")),
        (["no", "yes"], ("yes", "no")),
        ((np.int64(1), np.int64(2)), ("2", "1")),
        (np.array(["a", 7], dtype=object), ("7", "a")),
    ],
)
def test_a_class_goes_to_the_label_that_is_its_text(classes: Any, labels: tuple[str, str]) -> None:
    """Texts, whole and broken numbers, booleans, of this language or of an array library."""
    assert _ask(SklearnBackend(Fixed(classes)), labels=labels) == {labels[0]: 0.25, labels[1]: 0.75}


def test_classes_with_another_text_are_mapped_by_the_caller() -> None:
    """All of them, or some; the keys may be numbers of an array library."""
    tree = DecisionTreeClassifier().fit(ROWS, [0, 0, 1, 1])
    backend = SklearnBackend(tree, labels={np.int64(1): "yes", 0: "no"}, features=["amount", "new"])
    assert _ask(backend, {"amount": 9, "new": 1}) == {"yes": 1.0, "no": 0.0}
    assert _ask(SklearnBackend(Fixed([False, True]), labels={True: "yes", False: "no"})) == {"yes": 0.25, "no": 0.75}
    assert _ask(SklearnBackend(Fixed(["n", "yes"]), labels={"n": "no"})) == {"yes": 0.25, "no": 0.75}


def test_an_object_becomes_a_row_by_the_names_of_its_fields() -> None:
    """In the order of the names, whatever the order of the object; what is not named is not handed over."""
    model = Fixed(["yes", "no"])
    _ask(SklearnBackend(model, features=("b", "a")), {"a": 1, "x": 3, "b": "two"})
    assert model.seen == [[["two", 1]]]


def test_a_function_makes_a_row_or_a_whole_table() -> None:
    """A row is put into a list; what has two dimensions already is handed over as it is."""
    table, row = np.array([[1.0, 2.0]]), np.array([1.0, 2.0])

    def handed_over(made: Any) -> Any:
        model = Fixed(["yes", "no"])
        _ask(SklearnBackend(model, features=lambda _input: made), "text")
        return model.seen[0]

    assert handed_over([1, 2]) == [[1, 2]]
    assert handed_over(table) is table
    assert len(handed_over(row)) == 1
    assert handed_over(row)[0] is row


@pytest.mark.parametrize("labels", [("B) Yes", "A) no"), ("1. YES", "2. NO"), ('"yes"', '"no"'), ("no", "yes")])
def test_another_order_or_form_of_the_labels_gets_the_same_answer(labels: tuple[str, str]) -> None:
    """A classifier does not see labels, so how they are shown cannot move it."""
    answer = _ask(SklearnBackend(Fixed(["yes", "no"])), labels=labels)
    assert {label.strip('".) 12AB').lower(): value for label, value in answer.items()} == {"yes": 0.75, "no": 0.25}


@pytest.mark.parametrize(
    ("classes", "table", "labels", "said"),
    [
        (["yes", "no"], [[0.75, 0.25]], ("yes", "no", "maybe"), "the model has no class for the label 'maybe'; say"),
        (["yes", "no", "maybe"], [[0.5, 0.25, 0.25]], ("yes", "no"), "the model's class 'maybe' is no label"),
        ([1, 0], [[0.75, 0.25]], ("yes", "no"), "the model has no class for the label 'yes'; say"),
        (["A) x", "B) x"], [[0.75, 0.25]], ("a) X", "b) X"), "no label of the decision"),
        (["yes", "no"], [0.75, 0.25], ("yes", "no"), "predict_proba gave 2 rows for one input"),
        (["yes", "no"], [[0.75, 0.25]] * 2, ("yes", "no"), "predict_proba gave 2 rows for one input"),
        (["yes", "no"], [[0.5, 0.25, 0.25]], ("yes", "no"), "predict_proba gave 3 numbers for 2 classes"),
        (["yes", "no"], np.array([[0.75]]), ("yes", "no"), "predict_proba gave 1 numbers for 2 classes"),
        (["yes", "no"], [0.75], ("yes", "no"), "predict_proba gave a number for 2 classes"),
        (["yes", "no"], None, ("yes", "no"), "predict_proba gave null for one input"),
        (["yes", "no"], {"yes": 1}, ("yes", "no"), "predict_proba gave an object for one input"),
    ],
)
def test_what_cannot_be_told_to_be_an_answer_is_an_invalid_response(
    classes: Any, table: Any, labels: tuple[str, ...], said: str
) -> None:
    """Nothing is filled in, left out or guessed."""
    kind, message = _refusal(SklearnBackend(Fixed(classes, table)), labels=labels)
    assert kind == "invalid_response"
    assert said in message


@pytest.mark.parametrize(
    "numbers_given",
    [[float("nan"), 1.0], [np.float32("nan"), 1], [75, 25], [1.5, -0.5], ["0.75", "0.25"], [True, False], [None, 1]],
)
def test_numbers_that_are_no_distribution_end_as_such(tmp_path: Path, numbers_given: list[Any]) -> None:
    """They pass through as they are, and the one check of all answers refuses them."""
    backend = SklearnBackend(Fixed(["yes", "no"], [numbers_given]))
    finished = run(tmp_path, backend, dataset=numbers("total 5"))
    assert finished.report["errors_by_kind"] == {"invalid_response": 1}


@pytest.mark.parametrize(
    ("features", "given", "said"),
    [
        (None, {"text": "x"}, "the input is an object; say which fields"),
        (["amount"], "x", "the input is text"),
        (["amount", "new"], {"amount": 1}, "the input has no field 'new'"),
    ],
)
def test_an_input_that_cannot_become_a_row_is_not_sent(features: Any, given: Any, said: str) -> None:
    """The model is not asked about something else instead."""
    model = Fixed(["yes", "no"])
    kind, message = _refusal(SklearnBackend(model, features=features), given)
    assert kind == "backend_error"
    assert said in message
    assert model.seen == []


@pytest.mark.parametrize(
    ("model", "path", "said"),
    [
        (LogisticRegression(), "model", "has no classes_; fit it first"),
        (make_pipeline(TfidfVectorizer(), LogisticRegression()), "model", "has no classes_; fit it first"),
        (SVC(), "model", "has no predict_proba"),
        (None, "model", "has no predict_proba"),
        (Fixed([]), "model", "classes_ must be a list of classes"),
        (Fixed([["a", "b"], ["c", "d"]]), "model", "a class is text, a number or a boolean, not a list"),
        (Fixed([float("nan"), 1.0]), "model", "a class is text, a number or a boolean"),
        (Fixed(["1", 1]), "labels", "two classes have the label '1'"),
    ],
)
def test_what_is_no_fitted_classifier_is_refused_at_once(model: Any, path: str, said: str) -> None:
    """With what to do about it."""
    with pytest.raises(BackendError) as caught:
        SklearnBackend(model)
    assert caught.value.problems[0].path == path
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("options", "path"),
    [
        ({"labels": {"maybe": "no"}}, "labels"),
        ({"labels": {"yes": 5}}, "labels"),
        ({"labels": ["yes", "no"]}, "labels"),
        ({"labels": {"yes": "no"}}, "labels"),
        ({"labels": {True: "yes"}}, "labels"),
        ({"features": "amount"}, "features"),
        ({"features": []}, "features"),
        ({"features": [1]}, "features"),
        ({"features": {"amount": 1}}, "features"),
    ],
)
def test_settings_that_do_not_fit_the_model_are_refused_at_once(options: dict[str, Any], path: str) -> None:
    """A mistyped class, two classes with one label, a text where a list of names is due."""
    with pytest.raises(BackendError) as caught:
        SklearnBackend(Fixed(["yes", "no"]), **options)
    assert caught.value.problems[0].path == path


def test_a_model_that_was_fitted_again_is_not_read_by_its_old_classes() -> None:
    """The columns may mean something else now."""
    model = LogisticRegression().fit(ROWS, ["no", "no", "yes", "yes"])
    backend = SklearnBackend(model, features=["a", "b"])
    assert set(_ask(backend, {"a": 1, "b": 1})) == {"yes", "no"}
    model.fit(ROWS, ["yes", "yes", "zero", "zero"])
    assert _refusal(backend, {"a": 1, "b": 1}) == (
        "invalid_response",
        "the model has other classes now than when the backend was made",
    )


def test_the_identity_says_what_the_model_is_and_what_its_columns_mean() -> None:
    """Class, steps, classes, labels and features; the name of the class unless another is given."""
    model = make_pipeline(TfidfVectorizer(), LogisticRegression()).fit(TEXTS, ANSWERS)
    identity = SklearnBackend(model, version="3", labels={"none": "other"}).identity
    assert (identity.name, identity.provider, identity.model, identity.model_version) == (
        "default",
        "callable",
        "Pipeline",
        "3",
    )
    assert identity.details == {
        "class": "sklearn.pipeline.Pipeline",
        "steps": [
            "sklearn.feature_extraction.text.TfidfVectorizer",
            "sklearn.linear_model._logistic.LogisticRegression",
        ],
        "classes": ["none", "refund", "repair"],
        "labels": ["other", "refund", "repair"],
        "features": None,
    }
    named = SklearnBackend(Fixed(["a"]), name="main", model_name="triage", features=_ask).identity
    assert (named.name, named.model, named.details["features"]) == ("main", "triage", "function _ask")


def test_only_a_declared_version_makes_answers_cacheable() -> None:
    """The key then holds who answers, how it is fed, the labels as shown, and the input."""
    model = Fixed(["yes", "no"])
    assert SklearnBackend(model).sent(_request()) is None
    keys = [
        SklearnBackend(model, **options).sent(_request(text, labels))
        for text, labels in (("x", ("yes", "no")), ("y", ("yes", "no")), ("x", ("no", "yes")))
        for options in ({"version": "1"}, {"version": "2"}, {"version": "1", "features": ["a"]})
    ]
    assert None not in keys
    assert len({str(key) for key in keys}) == 9


def test_a_classifier_runs_a_contract(tmp_path: Path) -> None:
    """From the fitted model to a report; in threads, and inline."""
    texts = [f"total {number}" for number in range(990, 1010)]
    amounts = [[int(text.split()[1])] for text in texts]
    model = DecisionTreeClassifier().fit(amounts, [amount > 1000 for (amount,) in amounts])
    labels = {True: "yes", False: "no"}
    for inline in (False, True):
        backend = SklearnBackend(
            model, labels=labels, features=lambda text: [int(text.split()[1])], version="1", inline=inline
        )
        assert isinstance(backend, Backend)
        finished = run(
            tmp_path, backend, name=f"run-{inline}", dataset=numbers(*texts), requirements={"min_accuracy": 1}
        )
        assert finished.status == "pass"
        assert finished.report["backend"]["model"] == "DecisionTreeClassifier"


def test_the_adapter_loads_no_array_library() -> None:
    """Whoever has no such model pays nothing for it."""
    shown = python(
        "import sys; import robust.backends.sklearn; print(sorted({'sklearn', 'numpy', 'scipy'} & set(sys.modules)))"
    )
    assert (shown.stdout, shown.stderr) == ("[]\n", "")
