"""Asking a validator in this process: on detached copies, with or without a time limit, synchronous or not."""

from __future__ import annotations

import asyncio
import inspect
import marshal
import queue
import threading
from collections.abc import Awaitable
from typing import Any

from robust.canon import canonical_bytes, decode_own
from robust.oracle.question import Observation, Question
from robust.records.case import Case, Origin
from robust.records.encoding import canonical_case
from robust.records.failure import Failure, describe_exception
from robust.records.media import Media
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
        return self.ask(question.shown_base, question.shown_candidate)

    def ask(self, shown_base: bytes, shown_candidate: bytes) -> Observation:
        """Ask once about two cases in canonical bytes.

        Whatever the validator does is an observation, but KeyboardInterrupt and SystemExit.
        """
        base = Case.of_own(decode_own(shown_base))
        candidate = Case.of_own(decode_own(shown_candidate))
        before = _snapshot(base, candidate)
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
        observation.failures += _mutations(base, candidate, before, (shown_base, shown_candidate))
        return observation

    def close(self) -> None:
        """Nothing is held."""


class _TimedOut(Exception):
    """The time limit passed."""


def _mutated(name: str) -> Failure:
    return Failure("validator_mutated_input", f"$.{name}", f"the {name} that it was given changed")


def _snapshot(*cases: Case) -> bytes:
    """The state of copies, encoded fast and with exact types.

    Version 2 of the format has no back references, so that equal states give equal bytes.
    """
    return marshal.dumps([_state(case) for case in cases], 2)


def _state(case: Case) -> tuple[Any, ...]:
    origin = case.origin
    # A validator may have put anything there; code of its own is not run to find out what.
    ours = type(case.media) is tuple and (origin is None or type(origin) is Origin)
    if not ours or (case.media and any(type(item) is not Media for item in case.media)):
        raise TypeError
    return (
        case.case_id,
        case.source_id,
        case.input,
        case.expected,
        case.metadata,
        [item.to_json() for item in case.media] if case.media else None,
        None if origin is None else origin.__dict__,
    )


def _mutations(base: Case, candidate: Case, before: bytes, shown: tuple[bytes, bytes]) -> list[Failure]:
    """A failure for each copy that is no longer what was shown."""
    try:
        if _snapshot(base, candidate) == before:
            return []
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException:  # noqa: BLE001, S110 - a copy may hold anything by now; each is looked at by itself
        pass
    copies = (("base", base, shown[0]), ("candidate", candidate, shown[1]))
    return [_mutated(name) for name, copy, stored in copies if not _unchanged(copy, stored)]


def _unchanged(case: Case, shown: bytes) -> bool:
    """Whether a copy says the same as what was shown; its members may stand in another order."""
    try:
        _state(case)
        # Storing redacts metadata, so that it is compared as it is too.
        metadata = canonical_bytes(decode_own(shown)["metadata"])
        return canonical_case(case, "$") == shown and canonical_bytes(case.metadata) == metadata
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException:  # noqa: BLE001 - whatever a hostile copy raises, it is not what was shown
        return False


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
