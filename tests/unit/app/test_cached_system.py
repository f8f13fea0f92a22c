"""``cached_system``: answers that are paid for once, with their noise."""

from __future__ import annotations

import asyncio
import random
import threading
from collections.abc import Callable
from typing import Any

import pytest

from robust import Relation, RobustError, UsageError, cached_system, check, unchanged


class Model:
    """Numbers its answers; it counts what it was asked."""

    def __init__(self) -> None:
        self.asked: list[Any] = []

    def __call__(self, given: Any) -> str:
        self.asked.append(given)
        return f"answer {len(self.asked)}"


def test_the_same_input_is_another_trial_each_time() -> None:
    """So that noise is never hidden; after a rewind the same answers come again."""
    model = Model()
    system = cached_system(model)
    assert [system("a"), system("a"), system("b")] == ["answer 1", "answer 2", "answer 3"]
    system.rewind()
    assert [system("a"), system("b"), system("a"), system("a")] == ["answer 1", "answer 3", "answer 2", "answer 4"]
    assert system.calls == len(model.asked) == 4


def test_inputs_are_told_apart_by_their_canonical_digest() -> None:
    """The order of keys does not matter, types do."""
    system = cached_system(Model())
    first = system({"a": 1, "b": 2})
    system.rewind()
    assert system({"b": 2, "a": 1}) == first
    assert system({"a": 1.0, "b": 2}) != first


def test_a_key_says_what_identifies_an_input() -> None:
    """Such as the prompt without a request number."""
    system = cached_system(Model(), key=lambda given: given["prompt"])
    first = system({"prompt": "a", "request": 1})
    system.rewind()
    assert system({"prompt": "a", "request": 2}) == first


def test_a_failed_call_is_not_paid_for_twice() -> None:
    """It fails again, with the same exception."""
    asked: list[str] = []

    def fails(text: str) -> str:
        asked.append(text)
        raise ConnectionError("no answer")

    system = cached_system(fails)
    for _ in range(3):
        system.rewind()
        with pytest.raises(ConnectionError, match="no answer"):
            system("a")
    assert asked == ["a"]


def test_an_interrupted_call_is_asked_again() -> None:
    """It is no answer."""
    asked: list[str] = []

    def interrupted(text: str) -> str:
        asked.append(text)
        if len(asked) == 1:
            raise KeyboardInterrupt
        return "answer"

    system = cached_system(interrupted)
    with pytest.raises(KeyboardInterrupt):
        system("a")
    system.rewind()
    assert system("a") == "answer"


def test_more_calls_than_allowed_are_an_error_of_the_check() -> None:
    """Never a pass; what was paid for is kept."""
    system = cached_system(lambda text: len(text.split()[0]), max_calls=7)
    relation = Relation("numbered", lambda text, rng: f"{text} {rng.random()}", unchanged())
    report = check(system, "text", [relation])
    assert report.verdicts == {"numbered": "errored"}
    assert system.calls == 7
    assert "as often as it may be" in report.summary()
    with pytest.raises(RobustError) as refused:
        system("other")
    assert refused.value.code == "too_many_calls"


def test_an_answer_that_is_changed_stays_as_it_was() -> None:
    """Each caller has a copy."""
    system = cached_system(lambda text: [text])
    system("a").append("b")
    system.rewind()
    assert system("a") == ["a"]


@pytest.mark.parametrize("asynchronous", [False, True])
def test_an_answer_that_the_system_changes_later_stays_as_it_was(asynchronous: bool) -> None:
    """What is kept is no object of the system's own."""
    asked: list[str] = []

    def system(text: str) -> list[str]:
        asked.append(text)
        return asked

    async def later(text: str) -> list[str]:
        return system(text)

    given = ["a", "b"]
    if asynchronous:
        cached = cached_system(later)
        answers = [asyncio.run(cached(each)) for each in given]
        cached.rewind()
        again = [asyncio.run(cached(each)) for each in given]
    else:
        cached = cached_system(system)
        answers = [cached(each) for each in given]
        cached.rewind()
        again = [cached(each) for each in given]
    assert answers == again == [["a"], ["a", "b"]]


def test_an_asynchronous_system_stays_asynchronous() -> None:
    """And is cached likewise."""
    model = Model()

    async def later(text: str) -> str:
        await asyncio.sleep(0)
        return model(text)

    system = cached_system(later)
    relation = Relation("numbered", lambda text, rng: f"{text} {rng.random()}", lambda before, after: True)
    first = check(system, "text", [relation], workers=4)
    again = check(system, "text", [relation], workers=4)
    assert first.status == again.status == "pass"
    assert len(model.asked) == system.calls == 25


def test_threads_do_not_pay_twice() -> None:
    """Every trial is asked once, whoever comes first."""
    lock = threading.Lock()
    asked: list[str] = []

    def model(text: str) -> int:
        with lock:
            asked.append(text)
            return len(asked)

    system = cached_system(model)
    answers: list[int] = []

    def work() -> None:
        answers.extend(system("a") for _ in range(50))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(answers) == list(range(1, 201))


def in_turn(outputs: list[str]) -> Callable[[str], str]:
    """A system that gives one output after the other."""
    left = iter(outputs)
    return lambda _: next(left)


def test_noise_is_the_same_whether_cached_or_not() -> None:
    """The check of a cached system comes to what that of the system itself does."""
    relation = Relation("numbered", lambda text, rng: f"{text} {rng.random()}", unchanged())
    for seed in range(20):
        noise = random.Random(seed)
        outputs = [noise.choice("AAB") for _ in range(100)]
        plain = check(in_turn(outputs), "text", [relation])
        cached = check(cached_system(in_turn(outputs)), "text", [relation])
        assert plain.to_dict() == cached.to_dict()


@pytest.mark.parametrize("options", [{"call": 5}, {"key": "prompt"}, {"max_calls": -1}, {"max_calls": 1.5}])
def test_arguments_out_of_range_are_refused(options: dict[str, Any]) -> None:
    """By name."""
    with pytest.raises(UsageError):
        cached_system(**{"call": len, **options})
