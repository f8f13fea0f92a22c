"""Validated variants, frozen manifests and checked runs for AI models, with records that can be derived again."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from robust.app.manifests import Manifest
    from robust.app.running import Run, run_contract
    from robust.app.validation import Validation, validate_variant, validate_variants
    from robust.app.verifying import Check, Verification, verify
    from robust.backends.callable import CallableBackend
    from robust.errors import (
        BackendError,
        CaseError,
        ContractError,
        DataError,
        IntegrityError,
        ManifestError,
        Problem,
        RobustError,
        UsageError,
    )
    from robust.oracle.command import CommandOracle
    from robust.records.case import Case, Origin
    from robust.records.comparator import Comparator
    from robust.records.media import Media
    from robust.records.request import BackendAnswer, BackendFailure, DecisionRequest
    from robust.records.seams import Backend, Validator
    from robust.records.verdict import OracleVerdict
    from robust.version import __version__

__all__ = [
    "Backend",
    "BackendAnswer",
    "BackendError",
    "BackendFailure",
    "CallableBackend",
    "Case",
    "CaseError",
    "Check",
    "CommandOracle",
    "Comparator",
    "ContractError",
    "DataError",
    "DecisionRequest",
    "IntegrityError",
    "Manifest",
    "ManifestError",
    "Media",
    "OracleVerdict",
    "Origin",
    "Problem",
    "RobustError",
    "Run",
    "UsageError",
    "Validation",
    "Validator",
    "Verification",
    "__version__",
    "run_contract",
    "validate_variant",
    "validate_variants",
    "verify",
]

# Resolved when first used, so that importing the package, or asking the command for its version, loads nothing heavy.
_HOMES = {
    "robust.app.manifests": ("Manifest",),
    "robust.app.running": ("Run", "run_contract"),
    "robust.app.validation": ("Validation", "validate_variant", "validate_variants"),
    "robust.app.verifying": ("Check", "Verification", "verify"),
    "robust.backends.callable": ("CallableBackend",),
    "robust.errors": (
        "BackendError",
        "CaseError",
        "ContractError",
        "DataError",
        "IntegrityError",
        "ManifestError",
        "Problem",
        "RobustError",
        "UsageError",
    ),
    "robust.oracle.command": ("CommandOracle",),
    "robust.records.case": ("Case", "Origin"),
    "robust.records.comparator": ("Comparator",),
    "robust.records.media": ("Media",),
    "robust.records.request": ("BackendAnswer", "BackendFailure", "DecisionRequest"),
    "robust.records.seams": ("Backend", "Validator"),
    "robust.records.verdict": ("OracleVerdict",),
    "robust.version": ("__version__",),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> Any:
    home = _HOME_OF.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(home), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
