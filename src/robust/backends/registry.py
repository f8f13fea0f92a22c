"""From the ``backend`` section of a contract to a backend: built-in ones, and those of installed packages.

A package brings a backend by an entry point in the group ``robust.backends``, whose name is the ``provider``::

    [project.entry-points."robust.backends"]
    my-server = "my_package:make_backend"

It names a :class:`BackendFactory`. The names of built-in providers cannot be taken.
"""

from __future__ import annotations

from importlib.metadata import EntryPoint, entry_points
from typing import Final, Protocol

from robust.backends.mock import MockBackend
from robust.backends.place import path_of
from robust.canon import JsonObject, type_name
from robust.errors import BackendError, ContractError, RobustError
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
from robust.records.failure import describe_exception
from robust.records.request import BackendIdentity, ShownDecision
from robust.records.seams import Backend
from robust.records.section import suggestion

ENTRY_POINT_GROUP: Final = "robust.backends"
MAX_CONNECTIONS: Final = 256


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
    path = path_of(name)
    point = _entry_point(config.provider, path)
    # The part before the colon; its distribution may have no name that can be read.
    origin = f"the plugin {config.provider!r} ({point.value})"
    problem = None
    try:
        factory = point.load()
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # noqa: BLE001 - a package that is not ours runs while it is imported
        problem = f"{origin} cannot be imported: {describe_exception(error)}"
    if problem is None and not callable(factory):
        problem = f"{origin} is {type_name(factory)}, which cannot be called"
    if problem is not None:
        raise BackendError.of("bad_plugin", problem, path=f"{path}.provider")
    try:
        backend = factory(config.settings, name=name, model=config.model, decision=decision.shown())
    except (KeyboardInterrupt, RobustError):
        raise
    except BaseException as error:  # noqa: BLE001 - it is not ours
        problem = f"{origin} cannot make a backend: {describe_exception(error)}"
    if problem is not None:
        raise BackendError.of("bad_plugin", problem, path=path)
    if not isinstance(backend, Backend) or not isinstance(backend.identity, BackendIdentity):
        message = f"{origin} made {type_name(backend)}, which has no identity and decide of a backend"
        raise BackendError.of("bad_plugin", message, path=path)
    return backend


def _entry_point(provider: str, path: str) -> EntryPoint:
    """The entry point of a provider.

    Raises:
        BackendError: no installed package brings it, or several do.
    """
    points = [point for point in entry_points(group=ENTRY_POINT_GROUP) if point.name not in BUILT_IN]
    found = {point.value: point for point in points if point.name == provider}
    if len(found) == 1:
        return next(iter(found.values()))
    if found:
        message = f"several installed packages bring the provider {provider!r}: {', '.join(sorted(found))}"
        raise BackendError.of("ambiguous_plugin", message, path=f"{path}.provider", hint="uninstall all but one")
    hint = suggestion(provider, [*BUILT_IN, *(point.name for point in points)], "installed")
    raise BackendError.of("unknown_provider", f"no backend is called {provider!r}", path=f"{path}.provider", hint=hint)
