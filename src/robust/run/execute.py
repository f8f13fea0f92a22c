"""Asking a backend: bounded concurrency, answers in order, every failure a typed value."""

from __future__ import annotations

import asyncio
import inspect
import threading
import time
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, TypeVar

from robust.canon import MAX_PART_DEPTH, JsonObject, canonical_bytes, exact_text, plain_parts
from robust.records.decision import ErrorKind, distribution_problem, tidy_number
from robust.records.failure import cap_text, describe_exception
from robust.records.redaction import redact_metadata
from robust.records.request import BACKEND_FAILURE_KINDS, BackendAnswer, BackendFailure, DecisionRequest
from robust.records.seams import Backend

T = TypeVar("T")
# How many finished answers may wait for a slow one before them, for each call in flight.
_WINDOW_PER_CALL = 4
MAX_METADATA_BYTES = 64 * 1024
# How many inline answers are given between two looks at whether to stop.
_INLINE_BURST = 64


@dataclass(frozen=True, slots=True)
class Answer:
    """What came of one call: probabilities in the order of the labels shown, or the kind of error."""

    probabilities: tuple[float | int, ...] | None
    error: ErrorKind | None
    model: str | None = None
    model_version: str | None = None
    observed: JsonObject = field(default_factory=dict)


def read_answer(raw: Any, request: DecisionRequest, tolerance: float) -> Answer:
    """Validate a backend's raw answer; nothing is repaired."""
    try:
        answer = raw if isinstance(raw, BackendAnswer) else BackendAnswer(probabilities=raw)
        # Read once: what is checked is what is kept, whatever the mapping answers next time.
        numbers = _exact_numbers(answer.probabilities)
        model, version = answer.model, answer.model_version
        metadata, refused = plain_parts(answer.metadata, max_depth=MAX_PART_DEPTH)
    except Exception as error:  # noqa: BLE001 - an object of the model's own may raise anything
        message = cap_text(f"the answer cannot be read: {describe_exception(error)}")
        return Answer(None, "invalid_response", observed={"message": message})
    problem = distribution_problem(numbers, request.decision.labels, tolerance)
    for name, value in (("model", model), ("model_version", version)):
        if problem is None and value is not None and not (isinstance(value, str) and not plain_parts(value)[1]):
            problem = f"{name} must be text or None"
    if problem is None and (refused or not isinstance(metadata, dict)):
        problem = f"metadata is not a JSON object: {refused[0] if refused else 'another type'}"
    if problem is None and (size := len(canonical_bytes(metadata))) > MAX_METADATA_BYTES:
        problem = f"metadata has {size} bytes, over the limit of {MAX_METADATA_BYTES}"
    if problem is not None:
        return Answer(None, "invalid_response", observed={"message": cap_text(problem)})
    observed: JsonObject = {"metadata": redact_metadata(metadata)} if metadata else {}
    probabilities = tuple(tidy_number(numbers[label]) for label in request.decision.labels)
    return Answer(probabilities, None, model, version, observed)


def _exact_numbers(probabilities: Any) -> Any:
    """A copy of a mapping whose texts and numbers are of the built-in types; anything else stays for the check."""
    if not isinstance(probabilities, Mapping):
        return probabilities
    copied: dict[Any, Any] = {}
    for key in probabilities:
        value = probabilities[key]
        if isinstance(value, float) and type(value) is not float:
            value = float.__add__(value, 0.0)
        copied[exact_text(key) if isinstance(key, str) else key] = value
    return copied


class Engine:
    """Asks one backend.

    Args:
        backend: the model under test. ``inline`` (cheap and without I/O) and ``is_async`` may be declared by it; what
            declares neither is called in a bounded pool of threads.
        concurrency: the most calls in flight.
        tolerance: how far the sum of an answer may be from 1.
    """

    def __init__(self, backend: Backend, *, concurrency: int, tolerance: float) -> None:
        self._backend = backend
        self._concurrency = concurrency
        self._tolerance = tolerance
        self._inline = bool(getattr(backend, "inline", False))
        self._is_async = bool(getattr(backend, "is_async", False)) or inspect.iscoroutinefunction(backend.decide)

    async def answers(
        self, items: Iterable[T], request_of: Callable[[T], DecisionRequest | None]
    ) -> AsyncIterator[tuple[T, Answer]]:
        """Ask about items and yield each with its answer, in their order.

        ``request_of`` may say None for an item that is not to be sent; it is called when the item's turn comes, after
        the answers to all items before the window were yielded.
        """
        if self._inline:
            for count, item in enumerate(items):
                if count % _INLINE_BURST == 0:
                    # An interrupt reaches a coroutine only where it waits, and an inline model never does.
                    await asyncio.sleep(0)
                request = request_of(item)
                yield item, _NOT_SENT if request is None else await self._ask(request, None)
            return
        window: deque[tuple[T, asyncio.Task[Answer] | None]] = deque()
        gate = asyncio.Semaphore(self._concurrency)
        pool = None if self._is_async else ThreadPoolExecutor(self._concurrency, thread_name_prefix="robust-backend")
        try:
            for item in items:
                request = request_of(item)
                task = None if request is None else asyncio.create_task(self._gated(request, gate, pool))
                window.append((item, task))
                if len(window) >= self._concurrency * _WINDOW_PER_CALL:
                    first, pending = window.popleft()
                    yield first, _NOT_SENT if pending is None else await pending
            while window:
                first, pending = window.popleft()
                yield first, _NOT_SENT if pending is None else await pending
        finally:
            for _, pending in window:
                if pending is not None:
                    pending.cancel()
            if pool is not None:
                pool.shutdown(wait=False, cancel_futures=True)

    async def _gated(
        self, request: DecisionRequest, gate: asyncio.Semaphore, pool: ThreadPoolExecutor | None
    ) -> Answer:
        async with gate:
            return await self._ask(request, pool)

    async def _ask(self, request: DecisionRequest, pool: ThreadPoolExecutor | None) -> Answer:
        started = time.perf_counter()
        if pool is None:
            raw, error = self._call(request)
        else:
            raw, error = await asyncio.get_running_loop().run_in_executor(pool, self._call, request)
        if error is None and inspect.isawaitable(raw):
            raw, error = await _wait(raw)
        latency = (time.perf_counter() - started) * 1000
        answer = read_answer(raw, request, self._tolerance) if error is None else _failed(error)
        observed = {"latency_ms": tidy_number(round(latency, 4)), **answer.observed}
        return Answer(answer.probabilities, answer.error, answer.model, answer.model_version, observed)

    def _call(self, request: DecisionRequest) -> tuple[Any, BaseException | None]:
        """Call the backend and give what it raises as a value: a future cannot carry every exception."""
        try:
            return self._backend.decide(request), None
        except (KeyboardInterrupt, SystemExit):
            raise
        except BaseException as error:  # noqa: BLE001 - a model's crash is evidence
            return None, error


async def _wait(awaitable: Awaitable[Any]) -> tuple[Any, BaseException | None]:
    try:
        return await awaitable, None
    except (KeyboardInterrupt, SystemExit):
        raise
    except asyncio.CancelledError as error:
        task = asyncio.current_task()
        if task is not None and task.cancelling():
            raise  # the run is stopping; a model that cancels itself is only a model that failed
        return None, error
    except BaseException as error:  # noqa: BLE001 - a model's crash is evidence
        return None, error


def _failed(error: BaseException) -> Answer:
    """The typed error that an exception stands for."""
    if isinstance(error, BackendFailure):
        if error.kind in BACKEND_FAILURE_KINDS:
            return Answer(None, error.kind, observed={"message": cap_text(str(error))})
        shown = cap_text(f"BackendFailure of the unknown kind {error.kind!r}: {error}")
        return Answer(None, "exception", observed={"message": shown})
    kind: ErrorKind = "timeout" if isinstance(error, TimeoutError) else "exception"
    return Answer(None, kind, observed={"message": describe_exception(error)})


_NOT_SENT = Answer(None, "original_error", observed={"message": "its base was not decided; it was not sent"})


def run_coroutine(coroutine: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine to its end, also where an event loop is running already (notebooks): then in a thread."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(coroutine)
    outcome: list[T] = []
    failure: list[BaseException] = []

    def target() -> None:
        try:
            outcome.append(asyncio.run(coroutine))
        except BaseException as error:  # noqa: BLE001 - raised again in the caller's thread
            failure.append(error)

    thread = threading.Thread(target=target, name="robust-run")
    thread.start()
    thread.join()
    if failure:
        raise failure[0]
    return outcome[0]
