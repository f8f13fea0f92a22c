"""A model that is a Python function."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import partial
from typing import Any

from robust.backends.in_process import sent_in_process
from robust.canon import JsonObject, plain, type_name
from robust.errors import BackendError
from robust.records.request import BackendIdentity, DecisionRequest


class CallableBackend:
    """A backend around a function of one :class:`DecisionRequest`.

    The function answers with a probability for every label of ``request.decision.labels``, as a mapping or as a
    :class:`BackendAnswer`. It may be a coroutine function; a plain function is called from several threads at once,
    as many as the contract's ``max_concurrency`` says, unless it is ``inline``.

    Args:
        function: the model.
        name: what reports call the backend.
        model: the model's name, for the record.
        version: the model's version, for the record. Declaring it says that the same request gets the same answer for
            as long as the version stays, so that answers can be cached; without it they never are.
        details: a JSON object with what else identifies the model, such as settings; part of the evidence.
        inline: call a plain function directly, one request after the other: for one that is quick, or that must not be
            called from several threads.

    Raises:
        BackendError: the function cannot be called, or ``details`` is not an object.
        DataError: ``details`` is not portable JSON.
    """

    def __init__(
        self,
        function: Callable[[DecisionRequest], Any],
        *,
        name: str = "default",
        model: str | None = None,
        version: str | None = None,
        details: JsonObject | None = None,
        inline: bool = False,
    ) -> None:
        if not callable(function):
            raise BackendError.of("bad_backend", f"a {type_name(function)} cannot be called", path="function")
        described = plain({} if details is None else details, "details")
        if not isinstance(described, dict):
            raise BackendError.of("bad_backend", "must be an object", path="details")
        self._function = function
        self._is_async = inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(
            getattr(function, "__call__", None)  # noqa: B004 - whether the method is a coroutine function
        )
        self._inline = inline
        self._identity = BackendIdentity(
            name=name,
            provider="callable",
            model=model or _name_of(function),
            model_version=version,
            details=described,
        )
        self._identity_json = self._identity.to_json()

    @property
    def identity(self) -> BackendIdentity:
        """What is tested."""
        return self._identity

    @property
    def function(self) -> Callable[[DecisionRequest], Any]:
        """The model itself, so that it can be told from the oracle."""
        return self._function

    @property
    def is_async(self) -> bool:
        """Whether the function is known to be a coroutine function, so that no thread is needed."""
        return self._is_async

    @property
    def inline(self) -> bool:
        """Whether the function is called directly; a coroutine function never is, for it may wait."""
        return self._inline and not self._is_async

    def sent(self, request: DecisionRequest) -> JsonObject | None:
        """Everything that the function is handed, and who it is; None without a declared version."""
        return sent_in_process(self._identity_json, request)

    def decide(self, request: DecisionRequest) -> Any:
        """Ask the function."""
        return self._function(request)


def _name_of(function: Any) -> str:
    """The name of a function, also inside ``functools.partial``, or of an object's class."""
    while isinstance(function, partial):
        function = function.func
    name = getattr(function, "__name__", None)
    return name if isinstance(name, str) and name else type_name(function)
