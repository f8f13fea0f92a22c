"""Guards among threads, loops and processes, and the end of it all."""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from robust import (
    BackendError,
    CallableBackend,
    DecisionRequest,
    Guard,
    UsageError,
)
from tests.programs import python
from tests.run_fixtures import sure
from tests.unit.app.guards import guard_around, policy_contract, sure_as_told, sure_later


@pytest.fixture(params=["threads", "inline", "async"])
def guard(request: pytest.FixtureRequest) -> Iterator[Guard]:
    """A guard whose model is as confident as its input says, called in each of the three ways."""
    model: Any = sure_later if request.param == "async" else sure_as_told
    with guard_around(model, inline=request.param == "inline") as made:
        yield made


def test_many_threads_share_a_guard(guard: Guard) -> None:
    """Each gets the answer to its own question."""

    def ask(number: int) -> tuple[str, float]:
        result = guard.decide(f"0.{500 + number}", case_id=f"c{number}").result
        return result.case_id, result.confidence

    with ThreadPoolExecutor(16) as pool:
        found = list(pool.map(ask, range(400)))
    assert found == [(f"c{number}", float(f"0.{500 + number}")) for number in range(400)]


@pytest.mark.parametrize(("way", "most"), [("threads", 3), ("inline", 1), ("async", 3)])
def test_no_more_calls_are_in_flight_than_the_contract_allows(way: str, most: int) -> None:
    """However many ask at once; an inline model is never called twice at a time."""
    running, seen, lock = 0, [0], threading.Lock()

    def enter(step: int) -> None:
        nonlocal running
        with lock:
            running += step
            seen.append(running)

    def model(request: DecisionRequest) -> dict[str, float]:
        enter(1)
        time.sleep(0.002)
        enter(-1)
        return sure("yes")

    async def model_later(request: DecisionRequest) -> dict[str, float]:
        enter(1)
        await asyncio.sleep(0.002)
        enter(-1)
        return sure("yes")

    evaluation = {"max_concurrency": 3}
    guard = guard_around(model_later if way == "async" else model, inline=way == "inline", evaluation=evaluation)
    with guard, ThreadPoolExecutor(12) as pool:
        assert {decision.action for decision in pool.map(guard.decide, ["x"] * 60)} == {"accept"}
    assert max(seen) == most


def test_a_guard_works_inside_a_running_loop(guard: Guard) -> None:
    """As in a notebook; and there it can be awaited as well, many at a time, while the loop goes on."""

    async def inside() -> tuple[Any, list[Any], int]:
        ticks = 0

        async def tick() -> None:
            nonlocal ticks
            while True:
                ticks += 1
                await asyncio.sleep(0)

        ticking = asyncio.create_task(tick())
        first = guard.decide("0.95")
        rest = await asyncio.gather(*(guard.adecide(f"0.{number}", case_id=str(number)) for number in range(51, 99)))
        ticking.cancel()
        return first, list(rest), ticks

    first, rest, ticks = asyncio.run(inside())
    assert first.action == "accept"
    assert [decision.result.case_id for decision in rest] == [str(number) for number in range(51, 99)]
    assert [decision.result.confidence for decision in rest] == [number / 100 for number in range(51, 99)]
    assert ticks > 1


def test_a_guard_outlives_the_loops_that_use_it() -> None:
    """One loop of its own asks, so that connections stay."""
    loops = set()

    async def model(request: DecisionRequest) -> dict[str, float]:
        loops.add(id(asyncio.get_running_loop()))
        return sure("yes", 0.95)

    async def use(guard: Guard) -> str:
        return (await guard.adecide("x")).action

    with guard_around(model) as guard:
        assert [asyncio.run(use(guard)) for _ in range(3)] == ["accept"] * 3
        assert guard.decide("x").action == "accept"
    assert len(loops) == 1


def test_giving_up_waiting_cancels_the_call() -> None:
    """It reaches the model, and the caller sees it as its own; the guard goes on."""
    entered, cancelled = threading.Event(), threading.Event()

    async def model(request: DecisionRequest) -> dict[str, float]:
        if request.case_id == "slow":
            entered.set()
            try:
                await asyncio.sleep(60)
            except asyncio.CancelledError:
                cancelled.set()
                raise
        return sure("yes", 0.95)

    async def use(guard: Guard) -> str:
        waiting = asyncio.create_task(guard.adecide("x", case_id="slow"))
        assert await asyncio.to_thread(entered.wait, 30)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        return (await guard.adecide("x")).action

    with guard_around(model) as guard:
        assert asyncio.run(use(guard)) == "accept"
        assert cancelled.wait(30)


@pytest.mark.parametrize("asynchronous", [False, True])
def test_closing_ends_what_is_under_way(asynchronous: bool) -> None:
    """Whoever still waits is told so; afterwards nothing is asked, and closing again does nothing."""
    entered = threading.Event()

    async def model(request: DecisionRequest) -> dict[str, float]:
        entered.set()
        await asyncio.sleep(60)
        return sure("yes")

    guard = guard_around(model)

    def wait() -> str:
        with pytest.raises(UsageError) as caught:
            asyncio.run(_later(guard)) if asynchronous else guard.decide("x")
        return caught.value.code

    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(wait)
        assert entered.wait(30)
        guard.close()
        assert waiting.result(30) == "closed"
    guard.close()
    with pytest.raises(UsageError) as caught:
        guard.decide("x")
    assert caught.value.code == "closed"


async def _later(guard: Guard) -> Any:
    return await guard.adecide("x")


class Connected(CallableBackend):
    """A backend with something to let go of."""

    def __init__(self) -> None:
        super().__init__(sure_later)
        self.loops: list[Any] = []

    async def decide(self, request: DecisionRequest) -> Any:
        """Answer, and remember on which loop."""
        self.loops.append(asyncio.get_running_loop())
        return sure_as_told(request)

    async def aclose(self) -> None:
        """Remember on which loop."""
        self.loops.append(asyncio.get_running_loop())


def test_connections_are_let_go_on_the_loop_that_opened_them() -> None:
    """Once, whether a context or a call ends it; a guard that was never used has nothing to close."""

    async def use(backend: Connected) -> None:
        async with Guard.from_contract(policy_contract(), backend=backend) as guard:
            await guard.adecide("0.95")

    for asynchronous in (False, True):
        backend = Connected()
        if asynchronous:
            asyncio.run(use(backend))
        else:
            with Guard.from_contract(policy_contract(), backend=backend) as guard:
                guard.decide("0.95")
        assert len(backend.loops) == 2
        assert backend.loops[0] is backend.loops[1]
        assert backend.loops[0].is_closed()
    unused = Connected()
    Guard.from_contract(policy_contract(), backend=unused).close()
    assert unused.loops == []


def test_a_model_that_asks_its_own_guard_is_told_so() -> None:
    """Waiting for oneself would last for ever."""
    held: list[Guard] = []

    async def model(request: DecisionRequest) -> Any:
        return held[0].decide("x") if request.input == "ask" else held[0].close()

    with guard_around(model) as guard:
        held.append(guard)
        for given in ("ask", "close"):
            with pytest.raises(BackendError) as caught:
                guard.decide(given)
            assert "would wait for itself for ever" in str(caught.value)


def _ask_in_a_child(guard: Guard, told: Any) -> None:
    try:
        guard.decide("0.95")
    except UsageError as error:
        guard.close()
        told.send(error.code)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are not forked here")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_forked_process_is_told_to_make_its_own_guard() -> None:
    """The thread and the connections stay with the parent; waiting for them would last for ever."""
    context = multiprocessing.get_context("fork")
    receiver, sender = context.Pipe(duplex=False)
    with guard_around(sure_later) as guard:
        guard.decide("0.95")
        child = context.Process(target=_ask_in_a_child, args=(guard, sender))
        child.start()
        assert receiver.poll(30)
        assert receiver.recv() == "forked"
        child.join(30)
        assert guard.decide("0.95").action == "accept"


def test_a_guard_that_was_never_closed_does_not_keep_the_program_from_ending() -> None:
    """Its thread is a daemon; a thread that was closed is gone."""
    before = set(threading.enumerate())
    guard = guard_around(sure_later)
    guard.decide("0.95")
    (thread,) = set(threading.enumerate()) - before
    assert thread.daemon
    guard.close()
    assert not thread.is_alive()


INTERRUPTED = """
import asyncio, os, signal, sys, threading
from robust import CallableBackend, Guard
cancelled = threading.Event()

async def model(request):
    while sys._current_frames()[threading.main_thread().ident].f_code.co_name != "wait":
        await asyncio.sleep(0.001)
    os.kill(os.getpid(), signal.SIGINT)
    try:
        await asyncio.sleep(60)
    except asyncio.CancelledError:
        cancelled.set()
        raise

signal.signal(signal.SIGINT, signal.default_int_handler)
contract = {"schema_version": "1", "decision": {"name": "q", "type": "noul"}, "backend": "callable",
            "policy": {"routes": [{"action": "accept"}]}}
with Guard.from_contract(contract, backend=CallableBackend(model)) as guard:
    try:
        guard.decide("x")
    except KeyboardInterrupt:
        print("interrupted", cancelled.wait(30))
print("closed", threading.active_count())
"""


def test_an_interrupt_ends_the_waiting_and_the_call() -> None:
    """Ctrl-C while the model thinks: the call is cancelled, and nothing is left behind."""
    done = python(INTERRUPTED)
    assert (done.returncode, done.stdout, done.stderr) == (0, "interrupted True\nclosed 1\n", "")
