"""From a model's raw answer to a validated distribution, or to a typed error; nothing is repaired (B8, B12)."""

from __future__ import annotations

from collections import OrderedDict
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from robust import BackendAnswer, BackendFailure, CallableBackend, DecisionRequest, Usage
from robust.records.decision import distribution_problem
from robust.records.request import ShownDecision
from robust.run.answers import Answer, read_answer
from tests.run_fixtures import numbers, run, told

REQUEST = DecisionRequest(case_id="c", decision=ShownDecision(name="q", type="noul", labels=("yes", "no")), input="x")


def _read(raw: Any, tolerance: float = 0.001) -> Answer:
    return read_answer(raw, REQUEST, tolerance)


@pytest.mark.parametrize(
    ("raw", "says"),
    [
        ({"yes": 1.0}, "has no 'no'"),
        ({"yes": 0.5, "no": 0.5, "maybe": 0.0}, "unknown label 'maybe'"),
        ({"yes": 0.5, "No": 0.5}, "has no 'no' and has the unknown label 'No'"),
        ({"yes": "0.96", "no": 0.04}, "'yes' is text, not a number"),
        ({"yes": True, "no": 0.0}, "'yes' is a boolean"),
        ({"yes": None, "no": 1.0}, "'yes' is null"),
        ({"yes": Decimal("0.5"), "no": 0.5}, "'yes' is"),
        ({"yes": Fraction(1, 2), "no": 0.5}, "'yes' is"),
        ({"yes": float("nan"), "no": 0.5}, "finite"),
        ({"yes": float("inf"), "no": 0.0}, "finite"),
        ({"yes": 10**400, "no": 0}, "finite"),
        ({"yes": -(10**400), "no": 0}, "finite"),
        ({"yes": 1e308, "no": 1e308}, "sum to inf"),
        ({"yes": -0.1, "no": 1.1}, "not negative"),
        ({"yes": 96, "no": 4}, "divided by 100"),
        ({"yes": 96.0, "no": 3.5}, "divided by 100"),
        ({"yes": 0.6, "no": 0.6}, "sum to 1.2"),
        ({"yes": 0.0, "no": 0.0}, "sum to 0.0"),
        ([0.5, 0.5], "must be an object, not a list"),
        ("yes", "must be an object, not text"),
        (None, "must be an object, not null"),
        (0.96, "must be an object, not a number"),
        ({1: 0.5, "no": 0.5}, "unknown label '1'"),
    ],
)
def test_what_is_no_distribution_over_the_labels_is_an_invalid_response(raw: Any, says: str) -> None:
    """The kind is typed, the reason is kept, and no number is taken from it."""
    answer = _read(raw)
    assert (answer.probabilities, answer.error) == (None, "invalid_response")
    assert says in answer.observed["message"]
    assert ("100" in answer.observed["message"]) == ("100" in says)


@pytest.mark.parametrize(
    "raw", [{"no": 0.25, "yes": 0.75}, OrderedDict(no=0.25, yes=0.75), MappingProxyType({"no": 0.25, "yes": 0.75})]
)
def test_any_mapping_will_do_and_the_labels_go_in_their_order(raw: Any) -> None:
    """The order of the answer is no information."""
    assert _read(raw).probabilities == (0.75, 0.25)


@pytest.mark.parametrize(("total", "holds"), [(0.999, True), (1.001, True), (0.9989, False), (1.0011, False)])
def test_sums_may_miss_one_by_the_tolerance_and_no_more(total: float, holds: bool) -> None:
    """B12: both edges are inside, and nothing is rescaled."""
    raw = {"yes": total - 0.25, "no": 0.25}
    assert (_read(raw).error is None) is holds
    if holds:
        assert _read(raw).probabilities == (total - 0.25, 0.25)


@given(st.floats(1e-6, 0.1), st.booleans(), st.floats(0, 1))
def test_the_tolerance_is_symmetric(tolerance: float, above: bool, share: float) -> None:
    """1 − t and 1 + t are both accepted, a little further neither."""
    for factor, holds in ((1.0, True), (1.01, False)):
        total = 1 + (1 if above else -1) * tolerance * factor
        answer = {"yes": total * share, "no": total * (1 - share)}
        assert (distribution_problem(answer, ("yes", "no"), tolerance) is None) is holds


def test_the_model_that_answered_is_taken_from_the_answer() -> None:
    """With its version; metadata is kept as an observation with secrets redacted."""
    metadata = {"request": "r-1", "api_key": "sk-secret"}
    answer = _read(BackendAnswer(probabilities={"yes": 1, "no": 0}, model="m", model_version="2", metadata=metadata))
    assert (answer.model, answer.model_version) == ("m", "2")
    assert answer.observed["metadata"]["request"] == "r-1"
    assert "sk-secret" not in str(answer)


@pytest.mark.parametrize(
    "fields",
    [{"model": 5}, {"model_version": b"2"}, {"model": "\ud800"}, {"metadata": [1]}, {"metadata": {"at": object()}}],
)
def test_what_comes_with_an_answer_must_be_portable_too(fields: Any) -> None:
    """Else the case is an invalid response, never a crash later on."""
    assert _read(BackendAnswer(probabilities={"yes": 1, "no": 0}, **fields)).error == "invalid_response"


def test_every_kind_of_failure_is_a_typed_record_of_its_case(tmp_path: Path) -> None:
    """The other cases are decided, and messages hold no control characters or secrets."""
    failures: dict[str, Any] = {
        "number 1": BackendFailure("unavailable", "no connection"),
        "number 2": TimeoutError("took too long"),
        "number 3": ValueError("bad \x1b[31m token=abcdef1234567890"),
        "number 4": BackendFailure("backend_error", "status 500"),
        "number 5": {"yes": "1", "no": 0},
    }
    finished = run(tmp_path, told(failures), dataset=numbers(*failures, "number 6"))
    kinds = [record.get("error", {}).get("kind") for record in finished.records()]
    assert kinds == ["unavailable", "timeout", "exception", "backend_error", "invalid_response", None]
    assert finished.report["errors_by_kind"] == dict.fromkeys(sorted(filter(None, kinds)), 1)
    assert finished.report["counts"]["errors"] == 5
    stored = (finished.path / "records.jsonl").read_text(encoding="utf-8")
    assert "abcdef1234567890" not in stored
    assert "\\u001b" not in stored.replace("\\\\u001b", "")


@pytest.mark.parametrize("inline", [True, False])
def test_a_model_that_ends_the_program_is_a_model_that_failed(tmp_path: Path, inline: bool) -> None:
    """It must not choose the exit code of its own test: here the one that says that all is well."""

    def leave(_request: DecisionRequest) -> dict[str, float]:
        raise SystemExit(0)

    done = run(tmp_path, CallableBackend(leave, inline=inline), dataset=numbers("number 5", "number 6"))
    assert (done.status, done.exit_code) == ("error", 2)
    assert done.report["errors_by_kind"] == {"exception": 2}


@pytest.mark.parametrize("name", ["model", "model_version"])
def test_a_model_name_that_cannot_be_stored_is_an_error_of_its_case(name: str) -> None:
    """A lone surrogate, at first sight a text like any other."""
    named: dict[str, Any] = {name: "\ud800"}
    answer = _read(BackendAnswer(probabilities={"yes": 0.5, "no": 0.5}, **named))
    assert answer.error == "invalid_response"


@pytest.mark.parametrize("cost", [1e308, float("inf"), float("nan"), -1.0, True])
def test_a_cost_that_is_none_is_refused(cost: float) -> None:
    """A sum of such would be no number."""
    assert _read(BackendAnswer(probabilities={"yes": 0.5, "no": 0.5}, usage=Usage(cost=cost))).error


def test_observations_beyond_all_bounds_are_left_out() -> None:
    """A record has to stay within its limit; that they were left out is said."""
    answer = _read(BackendAnswer(probabilities={"yes": 0.5, "no": 0.5}, observed={"x": "y" * 100_000}))
    assert answer.probabilities == (0.5, 0.5)
    assert "over the limit" in answer.observed["left_out"]


class _Raises:
    """An object that does nothing but raise, whatever it is asked."""

    def __getattribute__(self, name: str) -> Any:
        if name == "__class__":
            return object.__getattribute__(self, name)
        raise RuntimeError(name)

    def __bool__(self) -> bool:
        raise RuntimeError("bool")


class _LyingFailure(BackendFailure):
    """A failure none of whose parts can be read."""

    def __str__(self) -> str:
        raise RuntimeError("str")


@pytest.mark.parametrize("name", ["probabilities", "model", "model_version", "metadata", "usage", "observed"])
def test_a_part_of_an_answer_that_raises_is_an_error_of_its_case(name: str) -> None:
    """As an array does when it is asked whether it is true."""
    parts: dict[str, Any] = {"probabilities": {"yes": 0.5, "no": 0.5}, name: _Raises()}
    assert _read(BackendAnswer(**parts)).error == "invalid_response"


def test_a_failure_that_cannot_be_read_is_an_error_of_its_case(tmp_path: Path) -> None:
    """Its message raises."""

    def model(_request: DecisionRequest) -> dict[str, float]:
        raise _LyingFailure("timeout", "x")

    done = run(tmp_path, CallableBackend(model), dataset=numbers("number 5"))
    assert done.exit_code == 2
    assert sum(done.report["errors_by_kind"].values()) == 1


def test_observations_under_secret_looking_keys_are_redacted() -> None:
    """As metadata is."""
    answer = _read(BackendAnswer(probabilities={"yes": 0.5, "no": 0.5}, observed={"api_key": "abcdefgh"}))
    assert answer.observed["api_key"] == "[redacted]"


def test_attempts_that_nobody_can_have_made_count_as_one(tmp_path: Path) -> None:
    """Fantasy calls would spend the budget, and make a sum that no record can hold."""

    def model(_request: DecisionRequest) -> BackendAnswer:
        return BackendAnswer(probabilities={"yes": 0.9, "no": 0.1}, observed={"attempts": 2**53 - 1})

    done = run(tmp_path, CallableBackend(model), dataset=numbers("number 5", "number 6", "number 7"))
    assert done.report["observed"]["calls"] == 3
