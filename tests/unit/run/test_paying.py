"""What an engine pays for: each answer once, never more than the budget, and nothing while the model is not healthy."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from robust import BackendAnswer, BackendFailure, CallableBackend, DecisionRequest
from robust.errors import BackendError
from robust.records.request import BackendIdentity, Health, ShownDecision, Usage
from robust.run.answers import Answer
from robust.run.budget import Budget, Limits
from robust.run.execute import Engine, run_coroutine
from robust.store.cache import AnswerStore
from tests.run_fixtures import answers

SHOWN = ShownDecision(name="q", type="noul", labels=("yes", "no"))


class Counting:
    """A model that can be cached, and that counts how often it is asked."""

    def __init__(self, *, version: str | None = "1", usage: Usage | None = None, attempts: int = 1) -> None:
        self.calls = 0
        self.usage = usage
        self.attempts = attempts
        self.backend = CallableBackend(self.answer, version=version)

    def answer(self, request: DecisionRequest) -> BackendAnswer:
        """Answer, or fail where the input says so."""
        self.calls += 1
        observed = {"attempts": self.attempts}
        if request.input == "fail":
            raise BackendFailure("unavailable", "no", observed=observed, usage=self.usage)
        return BackendAnswer(probabilities={"yes": 0.75, "no": 0.25}, usage=self.usage, observed=observed)


def ask(engine: Engine, inputs: Iterable[Any], trial: int = 0) -> list[Answer]:
    """Ask about inputs, with their positions as ids."""

    def request(item: tuple[int, Any]) -> DecisionRequest:
        return DecisionRequest(case_id=str(item[0]), decision=SHOWN, input=item[1], trial=trial)

    return [answer for _, answer in answers(engine, enumerate(inputs), request)]


def engine(model: Counting, at_once: int = 4, **settings: Any) -> Engine:
    """An engine around a counting model."""
    return Engine(model.backend, concurrency=at_once, tolerance=0.001, **settings)


def test_an_answer_is_paid_once(tmp_path: Path) -> None:
    """A second engine with the same file asks nobody, and gives the same answers."""
    model = Counting(usage=Usage(tokens=3, cost=0.5))
    with AnswerStore(tmp_path / "answers.sqlite") as store:
        first = ask(engine(model, own=store), ["a", "b", "c"])
        assert store.spent() == {"calls": 3, "tokens": 9, "cost": 1.5}
    with AnswerStore(tmp_path / "answers.sqlite") as store:
        assert ask(engine(model, own=store), ["a", "b", "c"]) == first
        assert store.spent() == {"calls": 3, "tokens": 9, "cost": 1.5}
    assert model.calls == 3


def test_b2_each_trial_is_a_call_of_its_own(tmp_path: Path) -> None:
    """The same input five times, with a cache: five calls, and five more hits."""
    model = Counting()
    with AnswerStore(tmp_path / "answers.sqlite") as store:
        for trial in [0, 1, 2, 3, 4, 0, 1, 2, 3, 4]:
            ask(engine(model, own=store), ["same"], trial)
    assert model.calls == 5


def test_b1_another_version_or_order_of_labels_is_asked_anew(tmp_path: Path) -> None:
    """Nothing is taken from the file where anything that was sent differs."""
    with AnswerStore(tmp_path / "answers.sqlite") as store:
        models = [Counting(version="1"), Counting(version="2")]
        for model in models:
            ask(engine(model, own=store), ["x"])
        reordered = ShownDecision(name="q", type="noul", labels=("no", "yes"))
        request = DecisionRequest(case_id="0", decision=reordered, input="x")
        run_coroutine(engine(models[0], own=store).ask(request))
    assert [model.calls for model in models] == [2, 1]


def test_what_is_shared_over_runs_is_marked_and_costs_nothing(tmp_path: Path) -> None:
    """The record of such an answer says that it was cached."""
    model = Counting(usage=Usage(tokens=7))
    with AnswerStore(tmp_path / "shared.sqlite") as shared, AnswerStore(tmp_path / "own.sqlite") as own:
        (paid,) = ask(engine(model, own=own, shared=shared), ["x"])
        assert "cached" not in paid.observed
        with AnswerStore(tmp_path / "other.sqlite") as other:
            later = engine(model, own=other, shared=shared)
            (known,) = ask(later, ["x"])
            assert other.spent() == {"calls": 0, "tokens": 0, "cost": 0}
        assert (known.observed["cached"], known.probabilities) == (True, paid.probabilities)
        assert (later.cached, later.budget.calls, model.calls) == (1, 0, 1)


def test_errors_are_never_cached_but_counted(tmp_path: Path) -> None:
    """A failed call was a call, with each of its attempts and all its tokens."""
    model = Counting(usage=Usage(tokens=2), attempts=3)
    with AnswerStore(tmp_path / "answers.sqlite") as store:
        for _ in range(2):
            (answer,) = ask(engine(model, own=store), ["fail"])
            assert answer.error == "unavailable"
        assert store.spent() == {"calls": 6, "tokens": 4, "cost": 0}
    assert model.calls == 2


def test_a_model_without_a_version_is_asked_each_time(tmp_path: Path) -> None:
    """Nobody knows whether it is still the same."""
    model = Counting(version=None)
    with AnswerStore(tmp_path / "answers.sqlite") as store:
        for _ in range(2):
            ask(engine(model, own=store), ["x"])
        assert store.spent()["calls"] == 2
    assert model.calls == 2


@pytest.mark.parametrize("at_once", [1, 16])
def test_calls_never_exceed_their_budget(at_once: int) -> None:
    """The first ones in order are asked, the rest end as budget_exhausted, however many are in flight."""
    model = Counting()
    given = ask(engine(model, at_once, budget=Budget(limits=Limits(calls=5))), ["x"] * 40)
    assert [answer.error for answer in given] == [None] * 5 + ["budget_exhausted"] * 35
    assert model.calls == 5


def test_a_spent_budget_counts_what_an_earlier_life_spent() -> None:
    """Two calls are left of five."""
    model = Counting()
    budget = Budget(limits=Limits(calls=5), calls=3)
    assert sum(answer.error is None for answer in ask(engine(model, 1, budget=budget), ["x"] * 9)) == 2


@pytest.mark.parametrize(("limits", "asked"), [(Limits(tokens=25), 3), (Limits(cost=0.75), 3), (Limits(tokens=0), 0)])
def test_tokens_and_cost_end_a_run(limits: Limits, asked: int) -> None:
    """Once they are spent, nothing more is asked."""
    model = Counting(usage=Usage(tokens=10, cost=0.25))
    ask(engine(model, 1, budget=Budget(limits=limits)), ["x"] * 9)
    assert model.calls == asked


@pytest.mark.parametrize("at_once", [1, 8])
def test_retries_are_calls_that_the_budget_knows_beforehand(at_once: int) -> None:
    """Six tries a question, 20 calls in all: three questions are asked, and never a call too many."""
    model = Counting(attempts=6)
    model.backend.calls_per_decision = 6  # type: ignore[attr-defined]
    budget = Budget(limits=Limits(calls=20))
    given = ask(engine(model, at_once, budget=budget), ["x"] * 9)
    assert [answer.error for answer in given] == [None] * 3 + ["budget_exhausted"] * 6
    assert (model.calls, budget.calls) == (3, 18)


def test_what_was_set_aside_for_retries_is_given_back() -> None:
    """With one try each, seven of twelve calls are enough for seven questions, though six are set aside for each."""
    model = Counting(attempts=1)
    model.backend.calls_per_decision = 6  # type: ignore[attr-defined]
    given = ask(engine(model, 8, budget=Budget(limits=Limits(calls=12))), ["x"] * 9)
    assert [answer.error for answer in given] == [None] * 7 + ["budget_exhausted"] * 2


def test_cost_is_added_as_it_is_written() -> None:
    """Eight times 0.1 is 0.8, and not a little less."""
    model = Counting(usage=Usage(cost=0.1))
    budget = Budget(limits=Limits(cost=0.8))
    ask(engine(model, 1, budget=budget), ["x"] * 12)
    assert (model.calls, budget.cost) == (8, 0.8)


def test_usage_stands_in_the_record() -> None:
    """Tokens and cost of each answer are observed, of a failed one too."""
    model = Counting(usage=Usage(tokens=7, cost=0.5))
    for answer in ask(engine(model), ["x", "fail"]):
        assert answer.observed["usage"] == {"tokens": 7, "cost": 0.5}


class Awkward:
    """A backend whose other members fail."""

    is_async = True
    identity = BackendIdentity(name="default", provider="callable")

    async def decide(self, request: DecisionRequest) -> dict[str, float]:
        """Answer at once."""
        await asyncio.sleep(0)
        return {"yes": 1.0, "no": 0.0}

    def sent(self, request: DecisionRequest) -> Any:
        """Fail for one input, and give what is no JSON for another."""
        if request.input == "raise":
            raise ValueError("no key")
        return {"x": float("nan")} if request.input == "nan" else {"x": 1}

    async def aclose(self) -> None:
        """Fail."""
        raise OSError("stuck")


def test_what_fails_beside_the_answer_ends_no_run(tmp_path: Path) -> None:
    """A key that cannot be made is an error of its case; a backend that cannot be closed is a notice."""
    with AnswerStore(tmp_path / "answers.sqlite") as store:
        asked = Engine(Awkward(), concurrency=2, tolerance=0.001, own=store)
        given = ask(asked, ["fine", "raise", "nan"])
    assert [answer.error for answer in given] == [None, "exception", "exception"]
    assert asked.notices == ["the backend could not be closed: OSError: stuck"]


class Sick:
    """A model with a health check."""

    is_async = True
    identity = BackendIdentity(name="default", provider="callable")

    def __init__(self, health: Any) -> None:
        self._health = health
        self.closed = False

    async def decide(self, request: DecisionRequest) -> dict[str, float]:
        """Answer at once."""
        await asyncio.sleep(0)
        return {"yes": 1.0, "no": 0.0}

    async def health(self) -> Any:
        """Say what it was told to say."""
        if isinstance(self._health, BaseException):
            raise self._health
        return self._health

    async def aclose(self) -> None:
        """Remember that it was let go."""
        self.closed = True


@pytest.mark.parametrize(
    ("health", "says"),
    [
        (Health(status="unhealthy", detail="out of memory"), "not healthy: out of memory"),
        (OSError("refused"), "health check failed: OSError: refused"),
        (SystemExit(0), "health check failed: SystemExit: 0"),
        (asyncio.CancelledError(), "health check failed: CancelledError"),
        ("fine", "gave text, not a Health"),
    ],
)
def test_an_unhealthy_model_is_not_asked(health: Any, says: str) -> None:
    """The check is asked once, and its answer is read."""
    with pytest.raises(BackendError, match=says):
        run_coroutine(Engine(Sick(health), concurrency=1, tolerance=0.001).check_health())


def test_a_healthy_model_is_asked_and_let_go() -> None:
    """An unknown health is no reason not to ask."""
    for status in ("ok", "unknown"):
        model = Sick(Health(status=status))
        asked = Engine(model, concurrency=1, tolerance=0.001)
        run_coroutine(asked.check_health())
        assert ask(asked, ["x"])[0].probabilities == (1, 0)
        assert model.closed


def test_a_damaged_answer_is_asked_again(tmp_path: Path) -> None:
    """B3: what is kept under the right key but is no answer to the question does not become a result."""
    model = Counting()
    with AnswerStore(tmp_path / "answers.sqlite") as store:
        asked = engine(model, own=store)
        request = DecisionRequest(case_id="0", decision=SHOWN, input="x")
        key = asked._key(request)
        assert key is not None
        for value in (
            b"{}",
            b"[1]",
            b"not json",
            b'{"probabilities":{"yes":1},"model":null,"model_version":null,"usage":null,"observed":{}}',
        ):
            store.put(key, value)
            calls = model.calls
            assert run_coroutine(asked.ask(request)).probabilities == (0.75, 0.25)
            assert model.calls == calls + 1
