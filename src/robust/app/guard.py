"""One decision at a time inside an application, and what the contract's policy makes of it."""

from __future__ import annotations

import asyncio
import os
from concurrent.futures import CancelledError, Future
from types import TracebackType
from typing import TYPE_CHECKING, Self

from robust.app.models import build_backend, read_identity
from robust.canon import JsonObject, canonical_bytes, decode_own
from robust.errors import BackendError, ContractError, UsageError
from robust.records.case import Case
from robust.records.contract import Contract
from robust.records.policy import Policy
from robust.records.request import DecisionRequest
from robust.records.result import DecisionResult, RoutedDecision
from robust.records.seams import Backend
from robust.run.answers import Answer
from robust.run.execute import Engine
from robust.run.policy import choose_route
from robust.run.record import make_result
from robust.store.contracts import load_contract, read_contract
from robust.transport.loop_thread import LoopThread

if TYPE_CHECKING:
    from robust.store.contracts import ContractSource

DEFAULT_CASE_ID = "decision"
_NO_POLICY = "add a policy, such as {routes: [{when: {confidence_gte: 0.9}, action: accept}, {action: human_review}]}"
_NOT_DECIDED = "nothing was decided, and no route was chosen"


class Guard:
    """Asks one backend of a contract and routes each answer by the contract's policy.

    A decision that ends without a valid answer is an exception and never an action: an error can therefore not be
    taken for ``accept``, and what to do about it is the caller's own choice. A ``fallback`` names a backend and asks
    nobody. Answers are not cached, and the contract's ``budget``, which is that of a run, does not count here.

    A guard may be used from many threads at once and inside a running event loop. At most the contract's
    ``max_concurrency`` calls are in flight; others wait. Make it once, use it often, and close it: connections are
    opened with the first decision and kept.
    """

    def __init__(self, contract: Contract, policy: Policy, backend: Backend) -> None:
        self._contract = contract
        self._policy = policy
        self._identity = read_identity(backend)
        self._concurrency = contract.evaluation.max_concurrency
        self._engine = Engine(
            backend, concurrency=self._concurrency, tolerance=contract.evaluation.probability_tolerance
        )
        self._gate = asyncio.Semaphore(self._concurrency)
        self._loop = LoopThread("guard")

    @classmethod
    def from_contract(cls, contract: ContractSource, *, backend: Backend | str | None = None) -> Self:
        """Make a guard. Nothing is called or connected yet, and no credential is read.

        Args:
            contract: a contract file, a contract, or its data as a dict.
            backend: the name of one of the contract's ``backends``, or a model from Python; by default the contract's
                ``backend``.

        Raises:
            UsageError: the file cannot be read.
            ContractError: the contract is wrong, has no policy, or has no backend of that name.
            BackendError: the backend cannot be built.
        """
        file = None
        if isinstance(contract, Contract):
            loaded = contract
        elif isinstance(contract, str | os.PathLike):
            file = os.fspath(contract)
            loaded = load_contract(contract)
        else:
            loaded = read_contract(contract)
        if loaded.policy is None:
            raise ContractError.of("no_policy", "the contract has no policy", file=file, path="policy", hint=_NO_POLICY)
        if backend is not None and not isinstance(backend, str):
            return cls(loaded, loaded.policy, backend)
        try:
            return cls(loaded, loaded.policy, build_backend(loaded, backend))
        except (ContractError, BackendError) as error:
            raise error.located(file=file) from None

    def decide(self, input: str | JsonObject, *, case_id: str = DEFAULT_CASE_ID) -> RoutedDecision:  # noqa: A002
        """Decide one input and choose its route.

        Args:
            input: what the model sees: text, or a JSON object, of which it gets a copy.
            case_id: what the decision is asked and recorded as.

        Raises:
            BackendError: there is no valid answer. ``code`` is the kind of the error (``timeout``, ``unavailable``,
                ``invalid_response``, ``backend_error``, ``exception``), or says why the backend cannot answer at all.
            CaseError, DataError: the input or the id cannot be a case's.
            UsageError: the guard is closed, or this is its own model that asks.
        """
        future = self._submit(input, case_id)
        try:
            return self._routed(case_id, future.result())
        except CancelledError:
            raise _closed() from None
        finally:
            # An interrupt ends the waiting; the call is not to go on behind the caller's back.
            future.cancel()

    async def adecide(self, input: str | JsonObject, *, case_id: str = DEFAULT_CASE_ID) -> RoutedDecision:  # noqa: A002
        """Decide one input and choose its route, without holding up the caller's loop; see :meth:`decide`.

        Cancelling it cancels the call.
        """
        future = self._submit(input, case_id)
        try:
            return self._routed(case_id, await asyncio.wrap_future(future))
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if task is not None and task.cancelling():
                raise
            raise _closed() from None

    def close(self) -> None:
        """Let go of connections and threads; decisions that are under way end as a UsageError."""
        if self._loop.is_current():
            raise _own_model("close")
        self._loop.close(self._engine.close)

    async def aclose(self) -> None:
        """The same without holding up the caller's loop."""
        await asyncio.to_thread(self.close)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await self.aclose()

    def _submit(self, given: str | JsonObject, case_id: str) -> Future[Answer | SystemExit | KeyboardInterrupt]:
        if self._loop.is_current():
            raise _own_model("ask")
        case = Case(given, case_id=case_id, source_id=case_id)
        # Encoded and read back: what is no portable JSON is refused, and a model cannot reach the caller's object.
        copied = decode_own(canonical_bytes(case.input))
        request = DecisionRequest(case_id=case.case_id, decision=self._contract.decision.shown(), input=copied)
        return self._loop.submit(lambda: self._ask(request))

    async def _ask(self, request: DecisionRequest) -> Answer | SystemExit | KeyboardInterrupt:
        try:
            if self._engine.inline:
                # Such a model is called by one thread alone, and this is it.
                return self._engine.ask_inline(request)
            async with self._gate:
                return await self._engine.ask(request)
        except (SystemExit, KeyboardInterrupt) as stop:
            return stop  # raised here, it would end the loop, and every caller would wait for ever

    def _routed(self, case_id: str, answer: Answer | SystemExit | KeyboardInterrupt) -> RoutedDecision:
        if isinstance(answer, BaseException):
            raise answer
        observed = {**answer.observed}
        if answer.error is not None:
            message = str(observed.get("message") or "the backend gave no valid answer")
            raise BackendError.of(answer.error, message, path=f"case {case_id!r}", hint=_NOT_DECIDED)
        made = make_result(case_id, answer, self._contract, self._identity)
        result = DecisionResult.from_json({"metadata": observed.pop("metadata", {}), **made})
        chosen = choose_route(self._policy.routes, result.confidence)
        return RoutedDecision(
            action=chosen.action,
            result=result,
            fallback_backend=chosen.fallback_backend,
            route=chosen.index,
            confidence_gte=chosen.confidence_gte,
            observed=observed,
        )


def _closed() -> UsageError:
    return UsageError.of("closed", "the guard was closed before there was an answer", hint="make a new one")


def _own_model(what: str) -> UsageError:
    message = f"the guard's own model tries to {what} it, and would wait for itself for ever"
    return UsageError.of("own_model", message, hint="give the model a guard of its own")
