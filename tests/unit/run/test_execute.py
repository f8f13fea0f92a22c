"""Asking a backend: answers in order, bounded look-ahead, and coroutines from anywhere."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import AsyncIterator, Iterable, Iterator
from typing import Any

import pytest

from robust import CallableBackend, DecisionRequest
from robust.records.request import ShownDecision
from robust.run.answers import Answer
from robust.run.dialogue import Dialogue, Waiting
from robust.run.execute import Engine, run_coroutine
from tests.run_fixtures import answers

SHOWN = ShownDecision(name="q", type="noul", labels=("yes", "no"))


def _request(item: int) -> DecisionRequest:
    return DecisionRequest(case_id=str(item), decision=SHOWN, input=str(item))


def _ask(function: Any, items: Iterable[int], at_once: int) -> list[tuple[int, Answer]]:
    return answers(Engine(CallableBackend(function), concurrency=at_once, tolerance=0.001), items, _request)


def _share(request: DecisionRequest) -> dict[str, float]:
    share = int(request.case_id) / 100
    return {"yes": share, "no": 1 - share}


def test_answers_come_in_the_order_of_the_items_whatever_is_done_first() -> None:
    """The first call is the slowest."""

    async def model(request: DecisionRequest) -> dict[str, float]:
        await asyncio.sleep((100 - int(request.case_id)) / 5000)
        return _share(request)

    given = _ask(model, range(100), 16)
    assert [item for item, _ in given] == list(range(100))
    assert [(answer.probabilities or (None,))[0] for _, answer in given] == [n / 100 if n else 0 for n in range(100)]


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


def _refuse() -> None:
    raise ValueError("not this one")


def _dialogue(item: int) -> Dialogue[str]:
    """Asks as often as its item says, waits, and tells what it was given."""
    if item == 0:
        return "nothing asked"
    shares = []
    for trial in range(item):
        answer = yield _request(10 * item + trial)
        shares.append(answer.probabilities[0])
    threads = {(yield Waiting(threading.get_ident)), (yield Waiting(threading.get_ident))}
    try:
        yield Waiting(_refuse)
    except ValueError as error:
        return f"{shares} in {len(threads)}: {error}"
    return "it did not raise"


async def _each(items: Iterable[int]) -> AsyncIterator[int]:
    for item in items:
        yield item


@pytest.mark.parametrize("inline", [False, True])
def test_a_dialogue_asks_waits_and_may_ask_nothing(inline: bool) -> None:
    """Each item's dialogue decides how often it asks; what it returns, or an exception of a call, comes back to it."""
    asked: list[str] = []

    def model(request: DecisionRequest) -> dict[str, float]:
        asked.append(request.case_id)
        return _share(request)

    async def collect() -> list[tuple[int, str]]:
        engine = Engine(CallableBackend(model, inline=inline), concurrency=2, tolerance=0.001)
        try:
            if inline:
                return [(item, engine.converse_inline(_dialogue(item))) for item in range(3)]
            return [pair async for pair in engine.in_order(_each(range(3)), _dialogue)]
        finally:
            await engine.close()

    assert run_coroutine(collect()) == [
        (0, "nothing asked"),
        (1, "[0.1] in 1: not this one"),
        (2, "[0.2, 0.21] in 1: not this one"),
    ]
    assert sorted(asked) == ["10", "20", "21"]


def test_oracles_are_called_one_at_a_time() -> None:
    """Whatever takes long is waited for in one thread, as an oracle need not bear two calls at once."""
    inside, most = 0, 0

    def slowly() -> None:
        nonlocal inside, most
        inside += 1
        most = max(most, inside)
        time.sleep(0.002)
        inside -= 1

    def dialogue(item: int) -> Dialogue[int]:
        yield Waiting(slowly)
        return item

    async def collect() -> list[int]:
        engine = Engine(CallableBackend(_share), concurrency=8, tolerance=0.001)
        try:
            return [result async for _, result in engine.in_order(_each(range(20)), dialogue)]
        finally:
            await engine.close()

    assert run_coroutine(collect()) == list(range(20))
    assert most == 1


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
