"""Making the calls of checks: inline, on a bounded number of threads, or on one event loop."""

from __future__ import annotations

import asyncio
import contextvars
import inspect
import queue
import threading
from collections.abc import Awaitable, Callable, Coroutine
from types import FunctionType, TracebackType
from typing import Any, Final, Self, TypeVar

from robust.errors import UsageError
from robust.relations.drive_async import Ask, Stopped, asking
from robust.relations.input_check import InputCheck, called
from robust.transport.loop_thread import LoopThread

T = TypeVar("T")
Tick = Callable[[InputCheck], None]


def is_asynchronous(system: Any) -> bool:
    """Whether a system is declared to give awaitables."""
    if type(system) is FunctionType:
        return bool(system.__code__.co_flags & inspect.CO_COROUTINE)
    return inspect.iscoroutinefunction(system) or inspect.iscoroutinefunction(getattr(system, "__call__", None))  # noqa: B004 - whether calling it gives a coroutine is asked, not whether it can be called


_STARTING: Final = threading.Lock()


class Loop:
    """One event loop in a thread of its own, so that callers may sit inside a running one; it starts when needed."""

    __slots__ = ("_thread",)

    def __init__(self) -> None:
        self._thread: LoopThread | None = None

    def settle(self, awaitable: Awaitable[T]) -> T:
        """Wait for an awaitable.

        Raises:
            UsageError: the loop is closed already.
        """

        async def wait() -> T:
            return await awaitable

        try:
            return self.run(wait)
        except UsageError:
            if isinstance(awaitable, Coroutine):
                awaitable.close()
            raise

    def run(self, make: Callable[[], Coroutine[Any, Any, T]]) -> T:
        """Run the coroutine that ``make`` gives to its end; an interrupt cancels it.

        Raises:
            UsageError: the loop is closed already.
        """
        with _STARTING:
            if self._thread is None:
                self._thread = LoopThread("check")
        future = self._thread.submit(lambda: _guarded(make))
        try:
            return future.result()
        except BaseExceptionGroup as group:
            raise _first(group) from None
        except Stopped as stop:
            raise stop.cause from None
        finally:
            future.cancel()

    def close(self) -> None:
        """Cancel what still runs and end the loop."""
        if self._thread is not None:
            self._thread.close(_nothing)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


async def _guarded(make: Callable[[], Coroutine[Any, Any, T]]) -> T:
    try:
        return await make()
    except (KeyboardInterrupt, SystemExit) as stop:
        raise Stopped(stop) from None


def _first(group: BaseExceptionGroup[Any]) -> BaseException:
    found: BaseException = group
    while isinstance(found, BaseExceptionGroup):
        found = found.exceptions[0]
    return found.cause if isinstance(found, Stopped) else found


async def _nothing() -> None:
    """Nothing is held."""


class CallThreads:
    """A bounded number of threads that call a synchronous system for an event loop.

    Daemons, so that a call that never ends does not keep the program from ending.

    Args:
        workers: how many there are at most.
    """

    def __init__(self, workers: int) -> None:
        self._workers = workers
        self._work: queue.SimpleQueue[tuple[Any, ...] | None] = queue.SimpleQueue()
        self._threads: list[threading.Thread] = []
        self._lock = threading.Lock()

    def asking(self, system: Callable[[Any], Any], tick: Tick | None) -> Ask:
        """What asks a synchronous system, with no more calls under way than there are threads."""

        async def ask(check: InputCheck, given: Any) -> Any:
            loop = asyncio.get_running_loop()
            future: asyncio.Future[Any] = loop.create_future()
            if len(self._threads) < self._workers:
                thread = threading.Thread(target=self._serve, name="robust-check", daemon=True)
                self._threads.append(thread)
                thread.start()
            self._work.put((loop, future, contextvars.copy_context(), check, system, given))
            output = await future
            if tick is not None:
                tick(check)
            return output

        return ask

    def _serve(self) -> None:
        while (work := self._work.get()) is not None:
            loop, future, context, check, system, given = work
            if future.cancelled():
                continue
            with self._lock:
                check.calls += 1
            try:
                done = context.run(called, check, system, given)
                settle = future.set_result
            except BaseException as error:  # noqa: BLE001 - handed to the thread that waits
                done, settle = Stopped(error), future.set_exception
            try:
                loop.call_soon_threadsafe(_settle, future, settle, done)
            except RuntimeError:
                return  # the loop was closed meanwhile

    def close(self) -> None:
        """Let the threads end once their calls have."""
        for _ in self._threads:
            self._work.put(None)

    def finish(self) -> None:
        """Wait for calls that nobody waits for any more, so that nothing goes on behind the caller's back."""
        self.close()
        for thread in self._threads:
            thread.join()


def _settle(future: asyncio.Future[Any], settle: Callable[[Any], None], done: Any) -> None:
    if not future.done():
        settle(done)


def asker(system: Callable[[Any], Any], workers: int, tick: Tick | None, threads: CallThreads | None) -> Ask:
    """What asks a system on the running loop."""
    if threads is not None:
        return threads.asking(system, tick)
    return asking(system, asyncio.Semaphore(workers), tick)
