"""Asking a validator in this process: on detached copies, with or without a time limit, synchronous or not."""

from __future__ import annotations

import asyncio
import inspect
import queue
import threading
from collections.abc import Awaitable
from typing import Any

from robust.oracle.copies import copies_of_state, decoded_copies, mutations
from robust.oracle.question import Observation, Question
from robust.records.case import Case
from robust.records.failure import Failure, describe_exception
from robust.records.verdict import OracleVerdict, read_verdict


class InlineObserver:
    """Asks a validator in this process.

    With a time limit each call runs in a daemon thread of its own, which is left behind when the limit passes: Python
    cannot end a thread. Use a worker process where a validator may hang for good.
    """

    def __init__(self, validator: Any, timeout_s: float | None) -> None:
        self._validator = validator
        self._timeout_s = timeout_s

    def observe(self, question: Question) -> Observation:
        """Ask once about a captured pair."""
        shown = (question.shown_base, question.shown_candidate)
        if question.state is None:
            return self.ask(*shown)
        base, candidate = copies_of_state(question.state)
        return self._ask(base, candidate, question.state, shown)

    def ask(self, shown_base: bytes, shown_candidate: bytes) -> Observation:
        """Ask once about two cases in canonical bytes.

        Whatever the validator does is an observation, but KeyboardInterrupt and SystemExit.
        """
        base, candidate, state = decoded_copies(shown_base, shown_candidate)
        return self._ask(base, candidate, state, (shown_base, shown_candidate))

    def _ask(self, base: Case, candidate: Case, state: bytes, shown: tuple[bytes, bytes]) -> Observation:
        try:
            if self._timeout_s is None:
                result = self._validator(base, candidate)
                if type(result) is not OracleVerdict and inspect.isawaitable(result):
                    result = run_awaitable(result, None)
            else:
                result = _call_in_thread(self._validator, base, candidate, self._timeout_s)
        except (KeyboardInterrupt, SystemExit):
            raise
        except _TimedOut:
            return Observation(None, [Failure("validator_timeout", "$", f"no answer within {self._timeout_s:g} s")])
        except BaseException as error:  # noqa: BLE001 - a validator's crash is evidence; so is a cancellation
            observation = Observation(None, [Failure("validator_error", "$", describe_exception(error))])
        else:
            observation = Observation(*read_verdict(result))
        observation.failures += mutations(base, candidate, state, shown)
        return observation

    def close(self) -> None:
        """Nothing is held."""


class _TimedOut(Exception):
    """The time limit passed."""


def _call_in_thread(validator: Any, base: Case, candidate: Case, timeout_s: float) -> Any:
    answers: queue.SimpleQueue[tuple[Any, BaseException | None]] = queue.SimpleQueue()

    def call() -> None:
        try:
            result = validator(base, candidate)
            if inspect.isawaitable(result):
                result = run_awaitable(result, timeout_s)
        except BaseException as error:  # noqa: BLE001 - handed to the thread that asked
            answers.put((None, error))
        else:
            answers.put((result, None))

    threading.Thread(target=call, name="robust-validator", daemon=True).start()
    try:
        result, error = answers.get(timeout=timeout_s)
    except queue.Empty:
        raise _TimedOut from None
    if error is not None:
        raise error
    return result


class _LoopThread:
    """An event loop in a daemon thread, so that coroutines also run when the caller sits inside a running loop."""

    def __init__(self) -> None:
        self.loop = asyncio.new_event_loop()
        self.thread = threading.Thread(target=self._run, name="robust-loop", daemon=True)
        self.thread.start()

    def _run(self) -> None:
        asyncio.set_event_loop(self.loop)
        while True:
            # What runs on it may stop it, and others would wait for it for ever.
            self.loop.run_forever()


_LOCK = threading.Lock()
_LOOP: _LoopThread | None = None


def run_awaitable(awaitable: Awaitable[Any], timeout_s: float | None) -> Any:
    """Wait for an awaitable on the shared background loop, whether or not the caller runs inside a loop."""
    global _LOOP  # noqa: PLW0603 - one loop for the process, made when it is first needed

    async def wait() -> tuple[Any, BaseException | None]:
        try:
            return await awaitable, None
        except (KeyboardInterrupt, SystemExit) as error:
            # Raised here it would end the loop, and the caller would wait for ever.
            return None, error

    with _LOCK:
        if _LOOP is None or not _LOOP.thread.is_alive():
            _LOOP = _LoopThread()
        current = _LOOP
    future = asyncio.run_coroutine_threadsafe(wait(), current.loop)
    try:
        result, interruption = future.result(timeout_s)
    except TimeoutError:
        if future.done():
            raise  # the validator's own TimeoutError
        future.cancel()
        with _LOCK:
            _LOOP = None  # it may be blocked for good; the next call gets a new one
        raise _TimedOut from None
    if interruption is not None:
        raise interruption
    return result
