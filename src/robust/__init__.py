"""Validated variants, frozen manifests and checked runs for AI models, with records that can be derived again."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from robust.app.contracts import ContractSummary, validate_contract
    from robust.app.guard import Guard
    from robust.app.manifests import Manifest
    from robust.app.replaying import Replay, replay_run
    from robust.app.reporting import report_run
    from robust.app.running import Run, run_contract
    from robust.app.validation import Validation, validate_variant, validate_variants
    from robust.app.verifying import Check, Verification, verify
    from robust.backends.callable import CallableBackend
    from robust.backends.sklearn import SklearnBackend
    from robust.errors import (
        BackendError,
        CaseError,
        ContractError,
        DataError,
        IntegrityError,
        ManifestError,
        Problem,
        RobustError,
        RunInterrupted,
        UsageError,
    )
    from robust.oracle.command import CommandOracle
    from robust.records.case import Case, Origin
    from robust.records.comparator import Comparator
    from robust.records.media import Media
    from robust.records.paraphrase import ParaphraseRequest, Paraphrases
    from robust.records.progress import ProgressState
    from robust.records.request import (
        BackendAnswer,
        BackendFailure,
        BackendIdentity,
        DecisionRequest,
        Health,
        Usage,
    )
    from robust.records.result import DecisionResult, RoutedDecision
    from robust.records.seams import Backend, Paraphraser, Progress, Validator
    from robust.records.verdict import OracleVerdict
    from robust.version import __version__

__all__ = [
    "Backend",
    "BackendAnswer",
    "BackendError",
    "BackendFailure",
    "BackendIdentity",
    "CallableBackend",
    "Case",
    "CaseError",
    "Check",
    "CommandOracle",
    "Comparator",
    "ContractError",
    "ContractSummary",
    "DataError",
    "DecisionRequest",
    "DecisionResult",
    "Guard",
    "Health",
    "IntegrityError",
    "Manifest",
    "ManifestError",
    "Media",
    "OracleVerdict",
    "Origin",
    "ParaphraseRequest",
    "Paraphraser",
    "Paraphrases",
    "Problem",
    "Progress",
    "ProgressState",
    "Replay",
    "RobustError",
    "RoutedDecision",
    "Run",
    "RunInterrupted",
    "SklearnBackend",
    "Usage",
    "UsageError",
    "Validation",
    "Validator",
    "Verification",
    "__version__",
    "replay_run",
    "report_run",
    "run_contract",
    "validate_contract",
    "validate_variant",
    "validate_variants",
    "verify",
]

# Resolved when first used, so that importing the package, or asking the command for its version, loads nothing heavy.
_HOMES = {
    "robust.app.contracts": ("ContractSummary", "validate_contract"),
    "robust.app.guard": ("Guard",),
    "robust.app.manifests": ("Manifest",),
    "robust.app.replaying": ("Replay", "replay_run"),
    "robust.app.reporting": ("report_run",),
    "robust.app.running": ("Run", "run_contract"),
    "robust.app.validation": ("Validation", "validate_variant", "validate_variants"),
    "robust.app.verifying": ("Check", "Verification", "verify"),
    "robust.backends.callable": ("CallableBackend",),
    "robust.backends.sklearn": ("SklearnBackend",),
    "robust.errors": (
        "BackendError",
        "CaseError",
        "ContractError",
        "DataError",
        "IntegrityError",
        "ManifestError",
        "Problem",
        "RobustError",
        "RunInterrupted",
        "UsageError",
    ),
    "robust.oracle.command": ("CommandOracle",),
    "robust.records.case": ("Case", "Origin"),
    "robust.records.comparator": ("Comparator",),
    "robust.records.media": ("Media",),
    "robust.records.paraphrase": ("ParaphraseRequest", "Paraphrases"),
    "robust.records.progress": ("ProgressState",),
    "robust.records.request": (
        "BackendAnswer",
        "BackendFailure",
        "BackendIdentity",
        "DecisionRequest",
        "Health",
        "Usage",
    ),
    "robust.records.result": ("DecisionResult", "RoutedDecision"),
    "robust.records.seams": ("Backend", "Paraphraser", "Progress", "Validator"),
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
