"""Asking a backend: answers in order, bounded look-ahead, and coroutines from anywhere."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest

from robust import CallableBackend, DecisionRequest
from robust.records.request import ShownDecision
from robust.run.answers import Answer
from robust.run.execute import Engine, run_coroutine

SHOWN = ShownDecision(name="q", type="noul", labels=("yes", "no"))


def _request(item: int) -> DecisionRequest:
    return DecisionRequest(case_id=str(item), decision=SHOWN, input=str(item))


def _ask(function: Any, items: Any, at_once: int, request_of: Any = _request) -> list[tuple[int, Answer]]:
    async def collect() -> list[tuple[int, Answer]]:
        engine = Engine(CallableBackend(function), concurrency=at_once, tolerance=0.001)
        return [pair async for pair in engine.answers(items, request_of)]

    return run_coroutine(collect())


def _share(request: DecisionRequest) -> dict[str, float]:
    share = int(request.case_id) / 100
    return {"yes": share, "no": 1 - share}


def test_answers_come_in_the_order_of_the_items_whatever_is_done_first() -> None:
    """The first call is the slowest."""

    async def model(request: DecisionRequest) -> dict[str, float]:
        await asyncio.sleep((100 - int(request.case_id)) / 5000)
        return _share(request)

    answers = _ask(model, range(100), 16)
    assert [item for item, _ in answers] == list(range(100))
    assert [(answer.probabilities or (None,))[0] for _, answer in answers] == [n / 100 if n else 0 for n in range(100)]


def test_items_are_read_only_as_far_as_answers_can_wait() -> None:
    """Memory does not grow with the work: while the first call hangs, a window is read and no more."""
    read, release = 0, threading.Event()

    def items() -> Iterator[int]:
        nonlocal read
        for item in range(1000):
            read += 1
            yield item

    def model(request: DecisionRequest) -> dict[str, float]:
        if request.case_id == "0":
            assert release.wait(30)
        return _share(DecisionRequest(case_id="50", decision=SHOWN, input=""))

    def watch() -> None:
        time.sleep(0.3)
        seen.append(read)
        release.set()

    seen: list[int] = []
    watcher = threading.Thread(target=watch)
    watcher.start()
    assert len(_ask(model, items(), 4)) == 1000
    watcher.join()
    assert seen == [16]


@pytest.mark.parametrize("at_once", [1, 3])
def test_an_item_without_a_request_is_not_sent(at_once: int) -> None:
    """Its answer is an original_error, in its place."""
    asked: list[str] = []

    def model(request: DecisionRequest) -> dict[str, float]:
        asked.append(request.case_id)
        return _share(request)

    answers = _ask(model, range(6), at_once, lambda item: None if item % 2 else _request(item))
    assert [answer.error for _, answer in answers] == [None, "original_error"] * 3
    assert sorted(asked) == ["0", "2", "4"]


def test_latency_is_observed_and_nothing_else_of_time() -> None:
    """In milliseconds, at least as long as the model took."""

    def model(request: DecisionRequest) -> dict[str, float]:
        time.sleep(0.02)
        return _share(request)

    ((_, answer),) = _ask(model, [1], 1)
    assert set(answer.observed) == {"latency_ms"}
    assert 20 <= answer.observed["latency_ms"] < 20_000


def test_a_coroutine_runs_inside_a_running_loop_too() -> None:
    """Its result, and its exception of any kind, reach the caller."""

    async def value() -> int:
        await asyncio.sleep(0)
        return 5

    async def failing(error: BaseException) -> None:
        raise error

    async def inside() -> int:
        for error in (ValueError("x"), SystemExit(3), KeyboardInterrupt()):
            with pytest.raises(type(error)):
                run_coroutine(failing(error))
        return run_coroutine(value())

    assert asyncio.run(inside()) == run_coroutine(value()) == 5
