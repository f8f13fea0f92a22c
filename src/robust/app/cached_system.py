"""A system whose answers are paid for once."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, Final

from robust.app.calling import is_asynchronous
from robust.app.check_arguments import wrong_argument
from robust.errors import UsageError
from robust.relations.rewinding import Rewinding
from robust.relations.stored_value import detached, digest_of

_MAX_CALLS_HINT: Final = "raise max_calls, or ask for fewer samples"


def cached_system(
    call: Callable[[Any], Any], key: Callable[[Any], Any] | None = None, max_calls: int | None = None
) -> CachedSystem:
    """A system that asks ``call`` and keeps every answer, so that the same check, made again, costs nothing.

    Answers are kept by the input's canonical digest *and the trial*: the first call for an input since the last
    :meth:`~CachedSystem.rewind` gets the first answer that was ever given to it, the second the second, and so on. Two
    calls of one check for the same input are so two answers of the model, and its noise is never hidden. :func:`check`,
    :func:`check_many`, :func:`replay_trial`, :func:`judge_bias` and :func:`length_bias` begin at the first trial.

    Args:
        call: the system; it may be asynchronous, and then this one is.
        key: what identifies an input, such as the prompt without a request number; by default all of it.
        max_calls: how often ``call`` is called at most; None for no limit.

    Raises:
        UsageError: an argument is not what it must be.
    """
    if not callable(call):
        raise wrong_argument("call", "a function of an input", call)
    if key is not None and not callable(key):
        raise wrong_argument("key", "a function of an input", key)
    if max_calls is not None and (type(max_calls) is not int or max_calls < 0):
        raise wrong_argument("max_calls", "an integer, 0 or more, or None", max_calls)
    kind = _AsyncCachedSystem if is_asynchronous(call) else CachedSystem
    return kind(call, key, max_calls)


class CachedSystem(Rewinding):
    """What :func:`cached_system` makes; it may be called from several threads.

    What is kept is a copy, which the system cannot change later. A call that failed is kept as well, and raises the
    same exception again without being paid for.

    Attributes:
        calls: how often the system was really called.
        max_calls: how often it may be.
    """

    def __init__(self, call: Callable[[Any], Any], key: Callable[[Any], Any] | None, max_calls: int | None) -> None:
        self.calls = 0
        self.max_calls = max_calls
        self.__name__ = getattr(call, "__name__", "system")
        self._call = call
        self._key = key
        self._lock = threading.Lock()
        self._answers: dict[tuple[str, int], Future[Any]] = {}
        self._trials: dict[str, int] = {}

    def rewind(self) -> None:
        """Begin at the first trial of every input again."""
        with self._lock:
            self._trials.clear()

    def __call__(self, given: Any) -> Any:
        """The answer to an input.

        Raises:
            UsageError: ``too_many_calls``: it would take more calls than there may be.
            Exception: whatever the system raised.
        """
        answer, is_new = self._take(given)
        if is_new:
            try:
                answer.set_result(detached(self._call(given)))
            except BaseException as error:
                self._failed(answer, error)
                raise
        return self._copy(answer.result())

    def _take(self, given: Any) -> tuple[Future[Any], bool]:
        """Where the answer of the next trial of an input is, or will be; and whether it is to be asked for."""
        digest = digest_of(given if self._key is None else self._key(detached(given)))
        with self._lock:
            trial = self._trials.get(digest, 0)
            found = self._answers.get((digest, trial))
            is_new = found is None
            if found is None:
                if self.max_calls is not None and self.calls >= self.max_calls:
                    message = f"the system was called {self.calls} times, as often as it may be"
                    raise UsageError.of("too_many_calls", message, path="max_calls", hint=_MAX_CALLS_HINT)
                self.calls += 1
                found = self._answers[digest, trial] = Future()
            self._trials[digest] = trial + 1
        return found, is_new

    def _failed(self, answer: Future[Any], error: BaseException) -> None:
        """An exception of the system is an answer; an interrupt is none, and is asked for again."""
        if isinstance(error, Exception):
            answer.set_exception(error)
            return
        with self._lock:
            for place, kept in list(self._answers.items()):
                if kept is answer:
                    del self._answers[place]
        answer.cancel()

    @staticmethod
    def _copy(value: Any) -> Any:
        return detached(value)


class _AsyncCachedSystem(CachedSystem):
    """One that gives awaitables."""

    async def __call__(self, given: Any) -> Any:
        """The answer to an input; see :meth:`CachedSystem.__call__`."""
        answer, is_new = self._take(given)
        if is_new:
            try:
                answer.set_result(detached(await self._call(given)))
            except BaseException as error:
                self._failed(answer, error)
                raise
        return self._copy(await asyncio.wrap_future(answer))
