"""Systems that stop the event loop, cancel themselves or do not let themselves be cancelled: every check ends."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from robust import Relation, assert_robust, check, check_many, judge_bias, unchanged

NEXT = Relation("next", lambda number: number + 1, unchanged(), deterministic=True)
MANY = Relation("many", lambda number, random: number + 1 + random.randrange(1, 10**6), unchanged())


async def stopping(given: Any) -> Any:
    """Stops the loop that it runs on."""
    asyncio.get_running_loop().stop()
    await asyncio.sleep(0)
    return 1


async def cancelling_itself(given: Any) -> Any:
    """Cancels its own task."""
    task = asyncio.current_task()
    if given and task is not None:
        task.cancel()
    await asyncio.sleep(0)
    return 1


async def cancelled(given: Any) -> Any:
    """Raises what a cancelled task does."""
    if given:
        raise asyncio.CancelledError
    return 1


def cancelled_at_once(given: Any) -> Any:
    """Likewise, without a task."""
    if given:
        raise asyncio.CancelledError
    return 1


def awaitable(given: Any) -> Any:
    """Gives what is to be waited for."""
    return cancelled(given)


async def stubborn() -> None:
    """Goes on whatever is done."""
    while True:
        try:
            await asyncio.sleep(100)
        except asyncio.CancelledError:
            continue


def test_a_system_that_stops_the_loop_is_answered_all_the_same() -> None:
    """The loop goes on, so that nobody waits for ever."""
    assert check(stopping, 0, [NEXT]).verdicts == {"next": "holds"}
    assert check_many(stopping, [0, 1], [NEXT], workers=2).verdicts == {"next": "holds"}
    judged = judge_bias(stopping, [["a", "b"]], field=None, picks="index", deterministic_judge=True)
    assert (judged.tested, judged.failed) == (1, 0)


@pytest.mark.parametrize("workers", [1, 3])
@pytest.mark.parametrize("system", [cancelling_itself, cancelled, cancelled_at_once, awaitable])
def test_a_cancellation_of_the_systems_own_is_an_error_of_it(system: Callable[[Any], Any], workers: int) -> None:
    """Nobody cancelled the caller."""
    report = check(system, 0, [NEXT], workers=workers)
    assert report.verdicts == {"next": "errored"}
    assert "CancelledError" in report.results["next"].errors[0].message
    assert check_many(system, [0, 1], [NEXT], workers=workers).verdicts == {"next": "errored"}
    assert judge_bias(lambda _: system(1), [["a", "b"]], field=None, workers=workers).verdict == "errored"


def test_a_cancellation_of_transform_and_assertion_is_an_error_too() -> None:
    """As everything else that they raise."""
    relations = [
        Relation("transform", lambda _: cancelled_at_once(1), unchanged()),
        Relation("assertion", lambda number: number + 1, lambda *_: cancelled_at_once(1)),
    ]
    assert set(check(lambda _: 1, 0, relations).verdicts.values()) == {"errored"}


def test_a_task_that_swallows_its_cancellation_is_let_go_with_a_warning() -> None:
    """It may go on for a while, and then nobody waits for it."""

    async def leaving(given: int) -> int:
        left.append(asyncio.ensure_future(stubborn()))
        return 1

    left: list[Any] = []
    with pytest.warns(RuntimeWarning, match="did not, although they were cancelled"):
        assert check(leaving, 0, [NEXT], deterministic_system=True).verdicts == {"next": "holds"}


def test_an_interrupt_is_not_held_up_by_calls_that_cannot_be_cancelled() -> None:
    """It is what the caller gets."""

    async def interrupted(given: int) -> int:
        if given == 1:
            raise KeyboardInterrupt
        if given > 1:
            await stubborn()
        return 1

    with pytest.warns(RuntimeWarning, match="did not"), pytest.raises(KeyboardInterrupt):
        check(interrupted, 0, [NEXT, MANY], workers=4)


def test_a_check_that_is_itself_cancelled_ends_with_that() -> None:
    """A caller that waits for it in a thread is cancelled as everywhere."""

    async def outside() -> str:
        waiting = asyncio.create_task(asyncio.to_thread(assert_robust, stopping, 0, [NEXT]))
        await asyncio.sleep(0)
        waiting.cancel()
        try:
            await waiting
        except asyncio.CancelledError:
            return "cancelled"
        return "went on"

    assert asyncio.run(outside()) == "cancelled"
