"""From the ``backend`` section of a contract to a backend: built-in ones, and those of installed packages.

A package brings a backend by an entry point in the group ``robust.backends``, whose name is the ``provider``::

    [project.entry-points."robust.backends"]
    my-server = "my_package:make_backend"

It names a :class:`BackendFactory`. The names of built-in providers cannot be taken.
"""

from __future__ import annotations

from typing import Any, Final, Protocol

from robust.backends.mock import MockBackend
from robust.backends.place import path_of
from robust.backends.plugins import PluginGroup
from robust.canon import JsonObject
from robust.errors import ContractError
from robust.records.backend_config import (
    BUILT_IN,
    BackendConfig,
    CallableConfig,
    HttpConfig,
    MockConfig,
    OpenAIConfig,
    PluginConfig,
    SystemOneConfig,
)
from robust.records.decision_spec import DecisionSpec
from robust.records.request import BackendIdentity, ShownDecision
from robust.records.seams import Backend

ENTRY_POINT_GROUP: Final = "robust.backends"
MAX_CONNECTIONS: Final = 256
_PLUGINS: Final = PluginGroup(name=ENTRY_POINT_GROUP, what="backend", built_in=tuple(BUILT_IN))


class BackendFactory(Protocol):
    """What an entry point in the group ``robust.backends`` names: makes a backend, without any I/O."""

    def __call__(self, settings: JsonObject, *, name: str, model: str | None, decision: ShownDecision) -> Backend:
        """Make a backend.

        Args:
            settings: every key of the contract's section but ``provider`` and ``model``, as plain JSON; to be checked
                here, and anything wrong to be raised as a :class:`BackendError` or any other exception.
            name: what the contract calls the backend; ``identity.name`` of what is made.
            model: the contract's ``model``.
            decision: the decision, its labels in the contract's order.
        """
        ...


def build_backend(
    config: BackendConfig,
    *,
    name: str = "default",
    decision: DecisionSpec,
    tolerance: float,
    max_connections: int = MAX_CONNECTIONS,
) -> Backend:
    """Build the backend that a section configures. Nothing is sent, and no credential is read.

    Args:
        config: the section.
        name: the backend's name in the contract.
        decision: what it is asked.
        tolerance: how far the sum of a configured answer may be from 1.
        max_connections: the most connections that a backend behind an address has at a time.

    Raises:
        ContractError: the backend can only come from Python.
        BackendError: it cannot be built.
    """
    # Imported here, for each brings much along that a contract without it never needs.
    if isinstance(config, MockConfig):
        return MockBackend(config, decision, tolerance, name=name)
    if isinstance(config, HttpConfig):
        from robust.backends.http import HttpBackend

        return HttpBackend(config, name=name, decision=decision, max_connections=max_connections)
    if isinstance(config, SystemOneConfig):
        from robust.backends.systemone import SystemOneBackend

        return SystemOneBackend(config, name=name, decision=decision, max_connections=max_connections)
    if isinstance(config, OpenAIConfig):
        from robust.backends.openai import OpenAIBackend

        return OpenAIBackend(config, name=name, decision=decision, max_connections=max_connections)
    if isinstance(config, CallableConfig):
        hint = "run it from Python: run_contract(..., backend=CallableBackend(function))"
        message = "this contract's backend comes from Python"
        raise ContractError.of("callable_backend", message, path=path_of(name), hint=hint)
    return _build_plugin(config, name, decision)


def _build_plugin(config: PluginConfig, name: str, decision: DecisionSpec) -> Backend:
    def call(factory: BackendFactory) -> Backend:
        return factory(config.settings, name=name, model=config.model, decision=decision.shown())

    backend: Backend = _PLUGINS.make(config.provider, call, _what_is_wrong, path=path_of(name))
    return backend


def _what_is_wrong(made: Any) -> str | None:
    fits = isinstance(made, Backend) and isinstance(made.identity, BackendIdentity)
    return None if fits else "which has no identity and decide of a backend"
