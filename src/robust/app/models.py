"""The model of a run: built from the contract or handed over from Python, and never its own oracle."""

from __future__ import annotations

from collections.abc import Iterable

from robust.backends import registry
from robust.canon import MAX_PART_DEPTH, JsonObject, plain_parts
from robust.errors import BackendError, ContractError, Problem
from robust.oracle.identity import oracle_identity
from robust.records.contract import DEFAULT_BACKEND, Contract
from robust.records.redaction import redact_metadata
from robust.records.request import BackendIdentity
from robust.records.seams import Backend
from robust.run.own_oracle import is_named, names_of_model


def build_backend(contract: Contract, name: str | None = None) -> Backend:
    """One of the backends that a contract names, its ``backend`` by default; nothing is called or connected.

    Raises:
        ContractError: there is none of that name, or it can only come from Python.
        BackendError: it cannot be built.
    """
    config = contract.backend_config(name)
    if config.provider == "callable":
        hint = "run it from Python: run_contract(..., backend=CallableBackend(function))"
        raise ContractError.of(
            "callable_backend", "this contract's backend comes from Python", path="backend", hint=hint
        )
    return registry.build_backend(
        config,
        name=DEFAULT_BACKEND if name is None else name,
        decision=contract.decision,
        tolerance=contract.evaluation.probability_tolerance,
    )


def read_identity(backend: Backend) -> BackendIdentity:
    """What a backend says it is, read once, checked, and with secrets redacted.

    Raises:
        BackendError: it is no backend, or a part of its identity is of the wrong kind.
    """
    if not isinstance(backend, Backend):
        hint = "wrap a function: CallableBackend(function)"
        raise BackendError.of("bad_backend", f"a {type(backend).__name__} is no backend", path="backend", hint=hint)
    identity = backend.identity
    if not isinstance(identity, BackendIdentity):
        message = f"must be a BackendIdentity, not {type(identity).__name__}"
        raise BackendError.of("bad_backend", message, path="backend.identity")
    problems = []
    for name in ("name", "provider", "model", "model_version"):
        value = getattr(identity, name)
        optional = name.startswith("model")
        if not (optional and value is None) and not (isinstance(value, str) and value and not plain_parts(value)[1]):
            problems.append(_wrong(name, "non-empty text" + " or None" * optional))
    details, refused = plain_parts(identity.details, max_depth=MAX_PART_DEPTH)
    if refused or not isinstance(details, dict):
        problems.append(_wrong("details", "a JSON object"))
    if problems:
        raise BackendError(*problems)
    return BackendIdentity(
        name=str(identity.name),
        provider=str(identity.provider),
        model=identity.model,
        model_version=identity.model_version,
        details=redact_metadata(details),
    )


def _wrong(name: str, wanted: str) -> Problem:
    return Problem(code="bad_backend", message=f"must be {wanted}", path=f"backend.identity.{name}")


def refuse_own_oracle(backend: Backend, identity: BackendIdentity, oracles: Iterable[JsonObject]) -> None:
    """Refuse a model that authored the oracle of its own test.

    Told by the declared names, and for a Python function also by its qualified name and the digest of its source.

    Args:
        backend: the model under test.
        identity: what it says it is.
        oracles: the oracles of its test, as validation records name them; ``model`` is that of an oracle with one.

    Raises:
        BackendError: the oracle of a validation is the tested model.
    """
    function = getattr(backend, "function", None)
    itself = {} if function is None else oracle_identity(function)
    names = names_of_model(identity.name, identity.model, itself.get("name"))
    for oracle in oracles:
        same_source = oracle["source_sha256"] is not None and oracle["source_sha256"] == itself.get("source_sha256")
        if same_source or is_named(oracle, names):
            message = f"the tested model is the oracle {oracle['name']!r} of its own test"
            raise BackendError.of("own_oracle", message, path="backend", hint="validate with an independent oracle")
