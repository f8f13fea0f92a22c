"""An event loop in a thread of its own, for synchronous and asynchronous callers in any thread."""

from __future__ import annotations

import asyncio
import os
import threading
import warnings
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from typing import Any, Final, TypeVar

from robust.errors import UsageError

T = TypeVar("T")
# For so long in seconds a task that was cancelled may go on, such as to close what it opened.
GRACE_S: Final = 1.0


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
        self._ended = threading.Event()

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
                self._thread = threading.Thread(
                    target=_serve, args=(self._loop, self._ended), name=self._name, daemon=True
                )
                self._thread.start()
            elif self._process != os.getpid():
                message = f"the {self._name} was used before this process was forked, and has no thread here"
                raise UsageError.of("forked", message, hint="make one in each process")
            return asyncio.run_coroutine_threadsafe(make(), self._loop)

    def is_current(self) -> bool:
        """Whether the caller runs on the loop's own thread, where waiting for the loop would last for ever."""
        return threading.current_thread() is self._thread

    def close(self, last: Callable[[], Coroutine[Any, Any, None]]) -> None:
        """Cancel what still runs, run ``last``, and end the loop. A second call does nothing.

        A task that goes on although it was cancelled is let go after :data:`GRACE_S`, with a warning.
        """
        with self._lock:
            if self._closed:
                return
            self._closed = True
            loop, thread = self._loop, self._thread
        if loop is None or thread is None or self._process != os.getpid():
            return
        try:
            left = asyncio.run_coroutine_threadsafe(_cancel_others_then(last), loop).result()
            if left:
                message = f"the {self._name} ended, and {left} of its calls did not, although they were cancelled"
                warnings.warn(message, RuntimeWarning, stacklevel=2)
        finally:
            loop.call_soon_threadsafe(self._end, loop)
            thread.join()

    def _end(self, loop: asyncio.AbstractEventLoop) -> None:
        self._ended.set()
        loop.stop()


def _serve(loop: asyncio.AbstractEventLoop, ended: threading.Event) -> None:
    asyncio.set_event_loop(loop)
    try:
        loop.run_forever()
        while not ended.is_set():
            # What runs on a loop may stop it, and others would wait for it for ever.
            loop.run_forever()
    finally:
        loop.run_until_complete(loop.shutdown_asyncgens())
        loop.close()


async def _cancel_others_then(last: Callable[[], Coroutine[Any, Any, None]]) -> int:
    """How many of the others did not end."""
    others = asyncio.all_tasks() - {asyncio.current_task()}
    for task in others:
        task.cancel()
    left = (await asyncio.wait(others, timeout=GRACE_S))[1] if others else ()
    await last()
    return len(left)
