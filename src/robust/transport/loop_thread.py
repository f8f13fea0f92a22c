"""An event loop in a thread of its own, for synchronous and asynchronous callers in any thread."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from typing import Any, TypeVar

from robust.errors import UsageError

T = TypeVar("T")


class LoopThread:
    """Runs coroutines on one loop, which starts with the first of them.

    One loop, because connections belong to the loop that opened them; a thread of its own, because the caller may be
    inside a running loop, or be many threads.

    Args:
        name: what the thread is called, and what messages call its owner.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._process = os.getpid()
        self._closed = False

    def submit(self, make: Callable[[], Coroutine[Any, Any, T]]) -> Future[T]:
        """Start what ``make`` gives; when the loop is closed meanwhile, its future is cancelled.

        Raises:
            UsageError: it is closed, or was started in the process that this one was forked from.
        """
        with self._lock:
            if self._closed:
                raise UsageError.of("closed", f"the {self._name} is closed", hint="make a new one")
            if self._loop is None:
                self._process = os.getpid()
                self._loop = asyncio.new_event_loop()
                # A daemon, so that a forgotten close never keeps a program from ending.
                self._thread = threading.Thread(target=_serve, args=(self._loop,), name=self._name, daemon=True)
                self._thread.start()
            elif self._process != os.getpid():
                message = f"the {self._name} was used before this process was forked, and has no thread here"
                raise UsageError.of("forked", message, hint="make one in each process")
            return asyncio.run_coroutine_threadsafe(make(), self._loop)

    def is_current(self) -> bool:
        """Whether the caller runs on the loop's own thread, where waiting for the loop would last for ever."""
        return threading.current_thread() is self._thread

    def close(self, last: Callable[[], Coroutine[Any, Any, None]]) -> None:
        """Cancel what still runs, run ``last``, and end the loop. A second call does nothing."""
        with self._lock:
            if self._closed:
                return
            self._closed = True
            loop, thread = self._loop, self._thread
        if loop is None or thread is None or self._process != os.getpid():
            return
        try:
            asyncio.run_coroutine_threadsafe(_cancel_others_then(last), loop).result()
        finally:
            loop.call_soon_threadsafe(loop.stop)
            thread.join()


def _serve(loop: asyncio.AbstractEventLoop) -> None:
    asyncio.set_event_loop(loop)
    try:
        loop.run_forever()
    finally:
        loop.run_until_complete(loop.shutdown_asyncgens())
        loop.close()


async def _cancel_others_then(last: Callable[[], Coroutine[Any, Any, None]]) -> None:
    others = asyncio.all_tasks() - {asyncio.current_task()}
    for task in others:
        task.cancel()
    await asyncio.gather(*others, return_exceptions=True)
    await last()
