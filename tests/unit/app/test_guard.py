"""Decisions inside an application: routes, errors, and what makes no guard."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from robust import (
    BackendAnswer,
    BackendError,
    BackendFailure,
    CallableBackend,
    CaseError,
    ContractError,
    DataError,
    DecisionRequest,
    Guard,
)
from robust.store.contracts import read_contract
from tests.run_fixtures import sure
from tests.unit.app.guards import ROUTES, guard_around, policy_contract, sure_as_told, sure_later


@pytest.fixture(params=["threads", "inline", "async"])
def guard(request: pytest.FixtureRequest) -> Iterator[Guard]:
    """A guard whose model is as confident as its input says, called in each of the three ways."""
    model: Any = sure_later if request.param == "async" else sure_as_told
    with guard_around(model, inline=request.param == "inline") as made:
        yield made


@pytest.mark.parametrize(
    ("confidence", "action", "backend", "route"),
    [
        ("0.95", "accept", None, 0),
        ("0.9", "accept", None, 0),
        ("0.7", "fallback", "large", 1),
        ("0.55", "human_review", None, 2),
    ],
)
def test_an_answer_takes_the_first_route_that_its_confidence_allows(
    guard: Guard, confidence: str, action: str, backend: str | None, route: int
) -> None:
    """The action, the decision, and for a fallback whom to ask."""
    decision = guard.decide(confidence, case_id="c1")
    assert (decision.action, decision.fallback_backend, decision.route) == (action, backend, route)
    result = decision.result
    assert (result.case_id, result.decision, result.decision_type) == ("c1", "over_limit", "noul")
    assert (result.selected, result.confidence, result.labels) == ("yes", float(confidence), ("yes", "no"))
    assert result.probabilities == sure("yes", float(confidence))
    assert (result.backend, result.provider, result.model) == ("default", "callable", "m")
    assert decision.observed["latency_ms"] >= 0


def test_a_decision_is_plain_json_where_that_is_needed() -> None:
    """With what the model said besides; what varies stands apart."""

    def model(request: DecisionRequest) -> BackendAnswer:
        return BackendAnswer(probabilities=sure("no", 0.75), model_version="9", metadata={"token": "t", "why": "w"})

    with guard_around(model) as guard:
        data = guard.decide({"amount": 5}).to_json()
    assert json.loads(json.dumps(data)) == data
    assert set(data.pop("observed")) == {"latency_ms"}
    assert data == {
        "action": "fallback",
        "fallback_backend": "large",
        "route": 1,
        "confidence_gte": 0.6,
        "result": {
            "case_id": "decision",
            "decision": "over_limit",
            "decision_type": "noul",
            "labels": ["yes", "no"],
            "probabilities": {"yes": 0.25, "no": 0.75},
            "selected": "no",
            "confidence": 0.75,
            "backend": "default",
            "provider": "callable",
            "model": "m",
            "model_version": "9",
            "metadata": {"token": "[redacted]", "why": "w"},
        },
    }


class Unreachable(CallableBackend):
    """A backend that cannot answer anything."""

    def decide(self, request: DecisionRequest) -> Any:
        """Say so."""
        raise BackendError.of("no_credential", "the variable API_KEY is not set")


@pytest.mark.parametrize(
    ("raised", "code"),
    [
        (BackendFailure("unavailable", "no route to the host"), "unavailable"),
        (BackendFailure("invalid_response", "HTML"), "invalid_response"),
        (TimeoutError("too slow"), "timeout"),
        (ValueError("odd"), "exception"),
        (StopIteration("odd"), "exception"),
        (asyncio.CancelledError("odd"), "exception"),
        ({"yes": 95, "no": 5}, "invalid_response"),
        ({"yes": float("nan"), "no": 1.0}, "invalid_response"),
        ({"yes": 1.0}, "invalid_response"),
        (None, "invalid_response"),
        ("accept", "invalid_response"),
    ],
)
@pytest.mark.parametrize("routes", [ROUTES, [{"action": "accept"}]])
@pytest.mark.parametrize("asynchronous", [False, True])
def test_an_error_is_never_an_action(raised: Any, code: str, routes: Any, asynchronous: bool) -> None:
    """Not even where the policy accepts everything: there is nothing to accept. The next input is asked as ever."""
    answers = iter([raised, sure("yes", 0.95)])

    def model(request: DecisionRequest) -> Any:
        answer = next(answers)
        if isinstance(answer, BaseException):
            raise answer
        return answer

    async def model_later(request: DecisionRequest) -> Any:
        return model(request)

    with guard_around(model_later if asynchronous else model, policy={"routes": routes}) as guard:
        with pytest.raises(BackendError) as caught:
            guard.decide("x", case_id="c1")
        assert guard.decide("x").action == "accept"
    problem = caught.value.problems[0]
    assert (problem.code, problem.path) == (code, "case 'c1'")
    assert "no route was chosen" in str(caught.value)


def test_a_backend_that_cannot_answer_at_all_says_why() -> None:
    """Its own error, with its own code."""
    guard = Guard.from_contract(policy_contract(), backend=Unreachable(sure_as_told))
    with guard, pytest.raises(BackendError) as caught:
        guard.decide("0.95")
    assert caught.value.code == "no_credential"


@pytest.mark.parametrize(("stop", "seen"), [(SystemExit(0), BackendError), (KeyboardInterrupt(), KeyboardInterrupt)])
@pytest.mark.parametrize("way", ["threads", "inline", "async"])
def test_a_model_that_ends_the_program_does_not_end_the_guard(
    stop: BaseException, seen: type[BaseException], way: str
) -> None:
    """Nobody is left waiting, and the next input is decided; an exit is a model that failed."""
    answers: Iterator[Any] = iter([stop, sure("yes", 0.95)])

    def model(request: DecisionRequest) -> Any:
        answer = next(answers)
        if isinstance(answer, BaseException):
            raise answer
        return answer

    async def model_later(request: DecisionRequest) -> Any:
        return model(request)

    with guard_around(model_later if way == "async" else model, inline=way == "inline") as guard:
        with pytest.raises(seen):
            guard.decide("x")
        assert guard.decide("x").action == "accept"


def test_a_contract_without_a_policy_makes_no_guard(tmp_path: Path) -> None:
    """Found at once, with the remedy and the file."""
    file = tmp_path / "c.json"
    file.write_text(json.dumps(policy_contract(policy=None)), encoding="utf-8")
    with pytest.raises(ContractError) as caught:
        Guard.from_contract(file)
    problem = caught.value.problems[0]
    assert (problem.code, problem.file, problem.path) == ("no_policy", str(file), "policy")
    assert "add a policy" in str(problem.hint)


def test_one_of_the_contracts_backends_can_be_asked() -> None:
    """By name; the name of none is an error with a suggestion, and so is a model that only Python has."""
    with Guard.from_contract(read_contract(policy_contract()), backend="large") as guard:
        decision = guard.decide("x")
    assert (decision.action, decision.result.backend, decision.result.model) == ("accept", "large", "large")
    with pytest.raises(ContractError) as caught:
        Guard.from_contract(policy_contract(), backend="lrge")
    assert caught.value.code == "unknown_backend"
    with pytest.raises(ContractError) as caught:
        Guard.from_contract(policy_contract())
    assert caught.value.code == "callable_backend"
    function: Any = sure_as_told
    with pytest.raises(BackendError):
        Guard.from_contract(policy_contract(), backend=function)


@pytest.mark.parametrize(
    ("given", "error"),
    [(5, CaseError), (None, CaseError), (["x"], CaseError), ("\ud800", DataError), ({"n": float("nan")}, DataError)],
)
def test_an_input_that_no_case_can_have_is_not_sent(given: Any, error: type[Exception]) -> None:
    """The model is not asked."""
    asked: list[DecisionRequest] = []
    with guard_around(asked.append) as guard, pytest.raises(error):
        guard.decide(given)
    assert asked == []
    with guard_around(asked.append) as guard, pytest.raises(CaseError):
        guard.decide("x", case_id="")


def test_a_model_cannot_reach_the_callers_object() -> None:
    """It gets a copy."""

    def model(request: DecisionRequest) -> dict[str, float]:
        given: Any = request.input
        given["deep"].clear()
        return sure("yes")

    mine = {"deep": [1, 2]}
    with guard_around(model) as guard:
        guard.decide(mine)
    assert mine == {"deep": [1, 2]}
