"""Driving checks with several calls in flight, on one event loop; outcomes are taken in the order of the plan."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, Final, NamedTuple, TypeAlias

from robust.records.failure import describe_exception
from robust.relations.course import Course, Raised, Skip, Trial, Variant
from robust.relations.input_check import Failed, InputCheck
from robust.relations.stored_value import detached

# Asks the system, and gives its output, detached, or a :class:`Failed`.
Ask: TypeAlias = Callable[[InputCheck, Any], Coroutine[Any, Any, Any]]
# So many outcomes for each call in flight may wait for an earlier one, so that a slow call does not stop the others.
_AHEAD: Final = 4
# Likewise samples that are no trials.
_SKIPPED: Final = 16
# For so long in seconds a call that was cancelled may go on, such as to close what it opened; then nobody waits for it.
GRACE_S: Final = 1.0


class Stopped(Exception):
    """Carries what must not be raised on an event loop, which it would end."""

    def __init__(self, cause: BaseException) -> None:
        super().__init__(repr(cause))
        self.cause = cause


class _Ahead(NamedTuple):
    """A sample that was prepared, and its call, where there is one."""

    course: Course
    sample: int
    prepared: Variant | Skip | Raised
    task: asyncio.Task[Any] | None


def asking(
    system: Callable[[Any], Awaitable[Any]], gate: asyncio.Semaphore, tick: Callable[[InputCheck], None] | None
) -> Ask:
    """What asks an asynchronous system, with no more calls in flight than the gate lets through."""

    async def ask(check: InputCheck, given: Any) -> Any:
        async with gate:
            check.calls += 1
            # A task of its own, so that a system that cancels it, or does not let itself be cancelled, is told from us.
            call = asyncio.ensure_future(_called(system, given))
            call.add_done_callback(_looked_at)
            try:
                await asyncio.wait((call,))
            except asyncio.CancelledError:
                call.cancel()
                await asyncio.wait((call,), timeout=GRACE_S)
                raise
            try:
                output = detached(call.result())
            except (Exception, asyncio.CancelledError) as error:
                if isinstance(error, Stopped):
                    raise
                output = Failed(describe_exception(error))
        if tick is not None:
            tick(check)
        return output

    return ask


async def _called(system: Callable[[Any], Awaitable[Any]], given: Any) -> Any:
    try:
        return await system(given)
    except (KeyboardInterrupt, SystemExit) as stop:
        raise Stopped(stop) from None


def _looked_at(call: asyncio.Future[Any]) -> None:
    """What a call raised that nobody waits for any more is no error of the loop's."""
    if not call.cancelled():
        call.exception()


async def drive_async(check: InputCheck, ask: Ask, workers: int) -> None:
    """Make every call of a check.

    Samples of the next relations are asked while those of one before are waited for. A call that was under way when
    its relation stopped is a call, but no trial.

    Args:
        check: of one input.
        ask: asks the system.
        workers: how many calls are in flight at most; what ``ask`` holds to.
    """
    async with asyncio.TaskGroup() as group:
        if not check.courses:
            return
        base = [group.create_task(ask(check, check.fresh_base())) for _ in range(check.base_runs)]
        ahead = _Samples(check, ask, group, workers)
        ahead.fill()
        if not check.take_base([await task for task in base]):
            ahead.cancel(None)
            return
        for course in check.courses:
            if course.base is None:
                ahead.cancel(course)
                continue
            await _drive_course(check, course, ahead)
            check.finish(course)


class _Samples:
    """Samples that were asked ahead, in the order of the plan."""

    def __init__(self, check: InputCheck, ask: Ask, group: asyncio.TaskGroup, workers: int) -> None:
        self.check, self.ask, self.group = check, ask, group
        self._limit = _AHEAD * workers
        self._waiting: deque[_Ahead] = deque()
        self._calls = 0
        self._dropped: set[int] = set()
        self._places = ((course, sample) for course in check.courses for sample in range(course.plan.planned))

    def fill(self) -> None:
        """Prepare samples, and ask those that are to be asked, as far ahead as may be."""
        while self._calls < self._limit and len(self._waiting) < _SKIPPED * self._limit:
            place = next(self._places, None)
            if place is None:
                return
            course, sample = place
            if id(course) in self._dropped:
                continue
            prepared = self.check.prepare(course, sample)
            task = None
            if type(prepared) is Variant:
                task = self.group.create_task(self.ask(self.check, prepared.fresh()))
                self._calls += 1
            self._waiting.append(_Ahead(course, sample, prepared, task))

    async def next_of(self, course: Course) -> tuple[_Ahead, Any] | None:
        """The next sample of a course, and what came of its call; None after the last."""
        self.fill()
        if not self._waiting or self._waiting[0].course is not course:
            return None
        found = self._waiting.popleft()
        if found.task is None:
            return found, None
        output = await found.task
        self._calls -= 1
        self.fill()
        return found, output

    def cancel(self, course: Course | None) -> None:
        """Let go of what is asked of a course, or of all of them."""
        kept: deque[_Ahead] = deque()
        for each in self._waiting:
            if course is not None and each.course is not course:
                kept.append(each)
            elif each.task is not None:
                each.task.cancel()
                self._calls -= 1
        self._waiting = kept
        self._dropped |= {id(each) for each in self.check.courses if course is None or each is course}


async def _drive_course(check: InputCheck, course: Course, ahead: _Samples) -> None:
    while (found := await ahead.next_of(course)) is not None:
        each, output = found
        step = check.take(course, each.sample, each.prepared, output)
        if step == "confirm" and type(each.prepared) is Variant:
            runs, variant = course.plan.confirmation_runs, each.prepared
            # Turn by turn, so that a system that drifts changes both sides alike.
            sides = [side() for _ in range(runs) for side in (check.fresh_base, variant.fresh)]
            tasks = [ahead.group.create_task(ahead.ask(check, given)) for given in sides]
            outputs = [await task for task in tasks]
            step = check.take_confirmation(course, each.sample, outputs[::2], outputs[1::2])
        if step == "stop":
            ahead.cancel(course)
            return


async def minimise_async(check: InputCheck, course: Course, found: Trial, ask: Ask) -> None:
    """Look for a simpler variant that contradicts the base as well."""
    steps = check.simpler(course, found)
    runs = 1 if course.plan.base == "declared" else course.plan.confirmation_runs
    candidate = next(steps, None)
    while candidate is not None:
        outputs: list[Any] = []
        for _ in range(runs):
            outputs.append(await ask(check, candidate.fresh()))
            check.shrink_calls += 1
            if not check.still_contradicts(course, outputs[-1]):
                break
        try:
            candidate = steps.send(outputs)
        except StopIteration:
            return
