"""A model that is a Python function."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from robust.canon import JsonObject, plain
from robust.errors import BackendError
from robust.records.request import BackendIdentity, DecisionRequest


class CallableBackend:
    """A backend around a function of one :class:`DecisionRequest`.

    The function answers with a probability for every label of ``request.decision.labels``, as a mapping or as a
    :class:`BackendAnswer`. It may be a coroutine function; a plain function is called from several threads at once,
    as many as the contract's ``max_concurrency`` says.

    Args:
        function: the model.
        name: what reports call the backend.
        model: the model's name, for the record.
        version: the model's version, for the record.
        details: a JSON object with what else identifies the model, such as settings; part of the evidence.

    Raises:
        BackendError: the function cannot be called, or ``details`` is not a JSON object.
    """

    inline = False

    def __init__(
        self,
        function: Callable[[DecisionRequest], Any],
        *,
        name: str = "default",
        model: str | None = None,
        version: str | None = None,
        details: JsonObject | None = None,
    ) -> None:
        if not callable(function):
            raise BackendError.of("bad_backend", f"a {type(function).__name__} cannot be called", path="function")
        described = plain(details or {}, "details")
        if not isinstance(described, dict):
            raise BackendError.of("bad_backend", "must be an object", path="details")
        self._function = function
        self._identity = BackendIdentity(
            name=name,
            provider="callable",
            model=model or getattr(function, "__name__", type(function).__name__),
            model_version=version,
            details=described,
        )

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
        return inspect.iscoroutinefunction(self._function) or inspect.iscoroutinefunction(
            getattr(self._function, "__call__", None)  # noqa: B004 - whether the method is a coroutine function
        )

    def decide(self, request: DecisionRequest) -> Any:
        """Ask the function."""
        return self._function(request)
