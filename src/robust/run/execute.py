"""Asking a backend: bounded concurrency, answers in order, every failure a typed value, no call paid twice."""

from __future__ import annotations

import asyncio
import inspect
import threading
import time
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Coroutine, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from robust.canon import JsonObject, describe
from robust.errors import BackendError
from robust.records.decision import tidy_number
from robust.records.failure import describe_exception
from robust.records.request import DecisionRequest, Health
from robust.records.seams import AnswerCache, Backend
from robust.run.answers import Answer, answer_of_exception, failed, read_answer
from robust.run.asked import Asked, ask_many
from robust.run.budget import Budget, Limits, calls_made
from robust.run.caching import answer_key, decode_answer, encode_answer
from robust.run.dialogue import Dialogue, Waiting
from robust.run.window import in_order

S = TypeVar("S")
T = TypeVar("T")
_SPENT = failed("budget_exhausted", "the budget was spent; it was not sent")


class Engine:
    """Asks one backend.

    Args:
        backend: the model under test. ``inline`` (cheap and without I/O) and ``is_async`` may be declared by it; what
            declares neither is called in a bounded pool of threads.
        concurrency: the most calls in flight.
        tolerance: how far the sum of an answer may be from 1.
        own: where this run keeps what it paid for, so that it can be continued.
        shared: where answers are kept over runs.
        budget: what may be spent; without limits by default.

    Neither store is used for an inline backend, nor for what cannot be cached.
    """

    def __init__(
        self,
        backend: Backend,
        *,
        concurrency: int,
        tolerance: float,
        own: AnswerCache | None = None,
        shared: AnswerCache | None = None,
        budget: Budget | None = None,
    ) -> None:
        self._backend = backend
        self._concurrency = concurrency
        self._tolerance = tolerance
        self.inline = bool(getattr(backend, "inline", False))
        self._is_async = bool(getattr(backend, "is_async", False)) or inspect.iscoroutinefunction(backend.decide)
        self._sent: Callable[[DecisionRequest], Any] | None = getattr(backend, "sent", None)
        self._own = None if self.inline else own
        self._shared = None if self.inline else shared
        self.budget = budget or Budget(limits=Limits())
        # The most calls that one question may come to, retries included.
        self._calls_each = max(1, int(getattr(backend, "calls_per_decision", 1)))
        self._pool: ThreadPoolExecutor | None = None
        self._oracle_thread: ThreadPoolExecutor | None = None
        self.cached = 0
        self.kept = 0
        self.notices: list[str] = []

    async def check_health(self) -> None:
        """Ask the backend's health check, where it has one.

        Raises:
            BackendError: it says that it is unhealthy, or the check itself fails.
        """
        check = getattr(self._backend, "health", None)
        if check is None:
            return
        hint = "start the server, or skip the check with --no-healthcheck (healthcheck=False)"
        try:
            health = check()
            health, failure = await _wait(health) if inspect.isawaitable(health) else (health, None)
        except (KeyboardInterrupt, asyncio.CancelledError):
            raise
        except BaseException as error:  # noqa: BLE001 - the backend is not ours
            health, failure = None, error
        if isinstance(failure, BackendError):
            raise failure
        if failure is not None:
            message = f"its health check failed: {describe_exception(failure)}"
            raise BackendError.of("unhealthy", message, path="backend", hint=hint)
        if not isinstance(health, Health):
            message = f"its health check gave {describe(health)}, not a Health"
            raise BackendError.of("bad_backend", message, path="backend")
        if health.status == "unhealthy":
            raise BackendError.of("unhealthy", f"it is not healthy: {health.detail}", path="backend", hint=hint)

    async def close(self) -> None:
        """Let go of the backend's connections and of the threads."""
        for pool in (self._pool, self._oracle_thread):
            if pool is not None:
                pool.shutdown(wait=False, cancel_futures=True)
        self._pool = self._oracle_thread = None
        release = getattr(self._backend, "aclose", None)
        if release is None:
            return
        try:
            _, failure = await _wait(release())
        except (KeyboardInterrupt, asyncio.CancelledError):
            raise
        except BaseException as error:  # noqa: BLE001 - what was answered stays answered
            failure = error
        if failure is not None:
            self.notices.append(f"the backend could not be closed: {describe_exception(failure)}")

    def converse_inline(self, dialogue: Dialogue[T]) -> T:
        """Hold a dialogue with an inline backend; what may take long is waited for.

        Returns:
            what came of it.
        """
        try:
            asked = next(dialogue)
            while True:
                if isinstance(asked, Waiting):
                    asked = _tell(dialogue, *_outcome_of(asked))
                else:
                    asked = dialogue.send(self.ask_inline(asked))
        except StopIteration as ending:
            result: T = ending.value
            return result

    async def converse(self, dialogue: Dialogue[T]) -> T:
        """Hold a dialogue: requests go to the backend, and what may take long to a thread, one at a time.

        Returns:
            what came of it.
        """
        try:
            asked = next(dialogue)
            while True:
                if isinstance(asked, Waiting):
                    loop = asyncio.get_running_loop()
                    asked = _tell(dialogue, *await loop.run_in_executor(self._one_thread(), _outcome_of, asked))
                else:
                    asked = dialogue.send(await self.ask(asked))
        except StopIteration as ending:
            result: T = ending.value
            return result

    def in_order(self, items: AsyncIterator[S], start: Callable[[S], Dialogue[T]]) -> AsyncGenerator[tuple[S, T], None]:
        """Hold a dialogue about each item, and yield each item with what came of it, in their order.

        A bounded number of dialogues is held at a time; see :func:`robust.run.window.in_order`.
        """
        return in_order(items, lambda item: self.converse(start(item)), self._concurrency)

    def _one_thread(self) -> ThreadPoolExecutor:
        # Oracles are not ours, and need not bear to be called from two threads at once.
        if self._oracle_thread is None:
            self._oracle_thread = ThreadPoolExecutor(1, thread_name_prefix="robust-oracle")
        return self._oracle_thread

    async def ask(self, request: DecisionRequest) -> Answer:
        """Answer one request: from the cache, or by the backend within the budget.

        Raises:
            BackendError: the backend cannot answer anything.
        """
        try:
            key = self._key(request)
        except KeyboardInterrupt:
            raise
        except BaseException as failure:  # noqa: BLE001 - the backend is not ours
            return answer_of_exception(failure)
        if key is not None and (known := self._look_up(key, request)) is not None:
            return known
        if not await self.budget.reserve(self._calls_each):
            return _SPENT
        made, usage = 0, None
        try:
            started = time.perf_counter()
            raw, error = await self._call_anywhere(request)
            latency = (time.perf_counter() - started) * 1000
            if isinstance(error, BackendError):
                raise error  # no case can be answered: a credential is missing, for example
            answer = self._read(raw, error, request, latency)
            made, usage = calls_made(answer.observed), answer.usage
        finally:
            spent = await self.budget.settle(self._calls_each, made, usage)
        await self._keep(key, answer, request, spent)
        return answer

    def _read(self, raw: Any, error: BaseException | None, request: DecisionRequest, latency: float) -> Answer:
        """The answer, with how long it took and what it cost."""
        seen: JsonObject = {"latency_ms": tidy_number(round(latency, 4))}
        if error is None:
            answer = read_answer(raw, request, self._tolerance, seen)
        else:
            answer = answer_of_exception(error)
            answer = answer._replace(observed={**answer.observed, **seen})
        if answer.usage is None:
            return answer
        usage = {"tokens": answer.usage.tokens, "cost": answer.usage.cost}
        return answer._replace(observed={**answer.observed, "usage": usage})

    def _key(self, request: DecisionRequest) -> str | None:
        if self._sent is None or (self._own is None and self._shared is None):
            return None
        sent = self._sent(request)
        return None if sent is None else answer_key(sent, request.trial)

    def _look_up(self, key: str, request: DecisionRequest) -> Answer | None:
        for store in (self._own, self._shared):
            kept = None if store is None else store.get(key)
            answer = None if kept is None else decode_answer(kept, request, self._tolerance)
            if answer is None:
                continue
            if store is self._own:
                return answer  # paid by this run before it was interrupted
            self.cached += 1
            return answer._replace(observed={**answer.observed, "cached": True})
        return None

    async def _keep(
        self, key: str | None, answer: Answer, request: DecisionRequest, spent: tuple[int, int, float]
    ) -> None:
        value = None if key is None or answer.error is not None else encode_answer(answer, request)
        if self._own is not None:
            if value is None or key is None:
                self._own.add_spent(*spent)
            else:
                self._own.put(key, value, spent=spent)
                self.kept += 1
        if self._shared is not None and value is not None and key is not None:
            self._shared.put(key, value)
        if self._own is not None:
            # Before the next call takes this one's place: a kill then costs no more than the calls in flight.
            await asyncio.wrap_future(self._own.on_disk())

    def ask_inline(self, request: DecisionRequest) -> Answer:
        """Answer one request by an inline backend, within the budget.

        Raises:
            BackendError: the backend cannot answer anything.
        """
        if not self.budget.fits(1):
            return _SPENT
        started = time.perf_counter()
        raw, error = self._call(request)
        latency = (time.perf_counter() - started) * 1000
        if isinstance(error, BackendError):
            raise error
        return self._count(self._read(raw, error, request, latency))

    @property
    def asks_many(self) -> bool:
        """Whether many requests may be asked before any answer is looked at.

        A pure backend gives each answer to keep. Where anything is limited, each answer may be the last.
        """
        return self.inline and bool(getattr(self._backend, "pure", False)) and self.budget.limits == Limits()

    def ask_many(self, requests: Iterable[DecisionRequest], seconds: float) -> Asked:
        """Ask about requests without looking at any answer; see :func:`robust.run.asked.ask_many`."""
        return ask_many(self._backend, requests, seconds)

    def read_many(self, asked: Asked, requests: Iterable[DecisionRequest]) -> list[Answer]:
        """The answer to each request that was asked, and what they cost counted."""
        answers = []
        for place, (raw, latency, request) in enumerate(zip(asked.raws, asked.latencies, requests, strict=False)):
            answers.append(self._count(self._read(raw, asked.errors.get(place), request, latency)))
        return answers

    def _count(self, answer: Answer) -> Answer:
        """Count what an answer of an inline backend came to."""
        if answer.usage is None:
            self.budget.calls += 1
        else:
            self.budget.count(1, answer.usage)
        return answer

    async def _call_anywhere(self, request: DecisionRequest) -> tuple[Any, BaseException | None]:
        if self._is_async:
            raw, error = self._call(request)
        else:
            if self._pool is None:
                self._pool = ThreadPoolExecutor(self._concurrency, thread_name_prefix="robust-backend")
            raw, error = await asyncio.get_running_loop().run_in_executor(self._pool, self._call, request)
        if error is None and inspect.isawaitable(raw):
            raw, error = await _wait(raw)
        return raw, error

    def _call(self, request: DecisionRequest) -> tuple[Any, BaseException | None]:
        """Call the backend and give what it raises as a value: a future cannot carry every exception.

        Also ``sys.exit``: a model must not choose the exit code of its own test.
        """
        try:
            return self._backend.decide(request), None
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # noqa: BLE001 - a model's crash is evidence
            return None, error


def _outcome_of(waiting: Waiting) -> tuple[Any, BaseException | None]:
    """What a call returns, or raises; an interrupt is raised here."""
    try:
        return waiting.call(), None
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # noqa: BLE001 - raised again in the dialogue that asked
        return None, error


def _tell(dialogue: Dialogue[Any], value: Any, error: BaseException | None) -> DecisionRequest | Waiting:
    """Give a dialogue what it waited for."""
    return dialogue.send(value) if error is None else dialogue.throw(error)


async def _wait(awaitable: Awaitable[Any]) -> tuple[Any, BaseException | None]:
    try:
        return await awaitable, None
    except KeyboardInterrupt:
        raise
    except asyncio.CancelledError as error:
        task = asyncio.current_task()
        if task is not None and task.cancelling():
            raise  # the run is stopping; a model that cancels itself is only a model that failed
        return None, error
    except BaseException as error:  # noqa: BLE001 - a model's crash is evidence
        return None, error


def run_coroutine(coroutine: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine to its end, also where an event loop is running already (notebooks): then in a thread."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(coroutine)
    outcome: list[T] = []
    failure: list[BaseException] = []
    running: list[tuple[asyncio.AbstractEventLoop, asyncio.Task[Any]]] = []

    async def run() -> T:
        task = asyncio.current_task()
        if task is not None:
            running.append((asyncio.get_running_loop(), task))
        return await coroutine

    def target() -> None:
        try:
            outcome.append(asyncio.run(run()))
        except BaseException as error:  # noqa: BLE001 - raised again in the caller's thread
            failure.append(error)

    thread = threading.Thread(target=target, name="robust-run")
    thread.start()
    try:
        thread.join()
    except KeyboardInterrupt:
        # Nothing may go on behind the caller's back: its folder and its stores are about to be closed.
        for loop, task in running:
            loop.call_soon_threadsafe(task.cancel)
        thread.join()
        raise
    if failure:
        raise failure[0]
    return outcome[0]
