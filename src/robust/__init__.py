"""Validated variants, frozen manifests and checked runs for AI models, with records that can be derived again."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from robust.app.agreement import ReviewAgreement, measure_agreement
    from robust.app.auditing import audit_oracle
    from robust.app.contracts import ContractSummary, validate_contract
    from robust.app.generating import Generation, generate_variants
    from robust.app.guard import Guard
    from robust.app.hardness import measure_hardness
    from robust.app.hardness_report import HardnessExit, HardnessInterrupted, HardnessReport
    from robust.app.importing import Import, import_candidates
    from robust.app.keys import KeyFiles, generate_keys, load_public_key, load_signing_key
    from robust.app.manifest_exports import export_for_tools, read_csv_export
    from robust.app.manifest_proofs import check_proof
    from robust.app.manifests import Manifest
    from robust.app.near_duplicates import find_near_duplicates
    from robust.app.oracle_audit import OracleAudit
    from robust.app.proof_files import load_proof, save_proof
    from robust.app.record_proofs import prove_record
    from robust.app.replaying import Replay, replay_run
    from robust.app.reporting import format_report, report_run
    from robust.app.reviewing import SheetCounts, reviewed_oracle, write_review_sheet
    from robust.app.running import Run, run_contract
    from robust.app.signing import Signed, sign
    from robust.app.validation import Validation, validate_variant, validate_variants
    from robust.app.verifying import Check, Signer, Verification, verify, verify_all
    from robust.backends.callable import CallableBackend
    from robust.backends.sklearn import SklearnBackend
    from robust.canon.stream import RandomStream
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
    from robust.oracle.combined import CombinedOracle, all_of, any_of, quorum
    from robust.oracle.command import CommandOracle
    from robust.oracle.http import HttpOracle
    from robust.oracle.recompute import Reading, read_number, read_set, recomputed
    from robust.oracle.recompute_dates import read_date
    from robust.oracle.recompute_units import Quantity, read_quantity
    from robust.oracle.reviewed import ReviewedOracle
    from robust.oracle.reviewers import ReviewersOracle
    from robust.records.case import Case, Origin
    from robust.records.comparator import Comparator
    from robust.records.hardness import HardnessCase, Shot
    from robust.records.inclusion import InclusionProof
    from robust.records.labelled_pair import LabelledPair
    from robust.records.manifest_difference import ManifestDiff
    from robust.records.media import Media
    from robust.records.near_duplicates import NearDuplicate, NearDuplicates
    from robust.records.paraphrase import ParaphraseRequest, Paraphrases
    from robust.records.progress import ProgressState
    from robust.records.record_inclusion import RecordProof
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
    from robust.signing.keys import PublicKey, SigningKey
    from robust.store.media import describe_media
    from robust.transforms.strategy import Edit, Strategy
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
    "CombinedOracle",
    "CommandOracle",
    "Comparator",
    "ContractError",
    "ContractSummary",
    "DataError",
    "DecisionRequest",
    "DecisionResult",
    "Edit",
    "Generation",
    "Guard",
    "HardnessCase",
    "HardnessExit",
    "HardnessInterrupted",
    "HardnessReport",
    "Health",
    "HttpOracle",
    "Import",
    "InclusionProof",
    "IntegrityError",
    "KeyFiles",
    "LabelledPair",
    "Manifest",
    "ManifestDiff",
    "ManifestError",
    "Media",
    "NearDuplicate",
    "NearDuplicates",
    "OracleAudit",
    "OracleVerdict",
    "Origin",
    "ParaphraseRequest",
    "Paraphraser",
    "Paraphrases",
    "Problem",
    "Progress",
    "ProgressState",
    "PublicKey",
    "Quantity",
    "RandomStream",
    "Reading",
    "RecordProof",
    "Replay",
    "ReviewAgreement",
    "ReviewedOracle",
    "ReviewersOracle",
    "RobustError",
    "RoutedDecision",
    "Run",
    "RunInterrupted",
    "SheetCounts",
    "Shot",
    "Signed",
    "Signer",
    "SigningKey",
    "SklearnBackend",
    "Strategy",
    "Usage",
    "UsageError",
    "Validation",
    "Validator",
    "Verification",
    "__version__",
    "all_of",
    "any_of",
    "audit_oracle",
    "check_proof",
    "describe_media",
    "export_for_tools",
    "find_near_duplicates",
    "format_report",
    "generate_keys",
    "generate_variants",
    "import_candidates",
    "load_proof",
    "load_public_key",
    "load_signing_key",
    "measure_agreement",
    "measure_hardness",
    "prove_record",
    "quorum",
    "read_csv_export",
    "read_date",
    "read_number",
    "read_quantity",
    "read_set",
    "recomputed",
    "replay_run",
    "report_run",
    "reviewed_oracle",
    "run_contract",
    "save_proof",
    "sign",
    "validate_contract",
    "validate_variant",
    "validate_variants",
    "verify",
    "verify_all",
    "write_review_sheet",
]

# Resolved when first used, so that importing the package, or asking the command for its version, loads nothing heavy.
_HOMES = {
    "robust.app.agreement": ("ReviewAgreement", "measure_agreement"),
    "robust.app.auditing": ("audit_oracle",),
    "robust.app.contracts": ("ContractSummary", "validate_contract"),
    "robust.app.generating": ("Generation", "generate_variants"),
    "robust.app.guard": ("Guard",),
    "robust.app.hardness": ("measure_hardness",),
    "robust.app.hardness_report": ("HardnessExit", "HardnessInterrupted", "HardnessReport"),
    "robust.app.importing": ("Import", "import_candidates"),
    "robust.app.keys": ("KeyFiles", "generate_keys", "load_public_key", "load_signing_key"),
    "robust.app.manifest_exports": ("export_for_tools", "read_csv_export"),
    "robust.app.manifest_proofs": ("check_proof",),
    "robust.app.manifests": ("Manifest",),
    "robust.app.near_duplicates": ("find_near_duplicates",),
    "robust.app.oracle_audit": ("OracleAudit",),
    "robust.app.proof_files": ("load_proof", "save_proof"),
    "robust.app.record_proofs": ("prove_record",),
    "robust.app.replaying": ("Replay", "replay_run"),
    "robust.app.reporting": ("format_report", "report_run"),
    "robust.app.reviewing": ("SheetCounts", "reviewed_oracle", "write_review_sheet"),
    "robust.app.running": ("Run", "run_contract"),
    "robust.app.signing": ("Signed", "sign"),
    "robust.app.validation": ("Validation", "validate_variant", "validate_variants"),
    "robust.app.verifying": ("Check", "Signer", "Verification", "verify", "verify_all"),
    "robust.backends.callable": ("CallableBackend",),
    "robust.backends.sklearn": ("SklearnBackend",),
    "robust.canon.stream": ("RandomStream",),
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
    "robust.oracle.combined": ("CombinedOracle", "all_of", "any_of", "quorum"),
    "robust.oracle.command": ("CommandOracle",),
    "robust.oracle.http": ("HttpOracle",),
    "robust.oracle.recompute": ("Reading", "read_number", "read_set", "recomputed"),
    "robust.oracle.recompute_dates": ("read_date",),
    "robust.oracle.recompute_units": ("Quantity", "read_quantity"),
    "robust.oracle.reviewed": ("ReviewedOracle",),
    "robust.oracle.reviewers": ("ReviewersOracle",),
    "robust.records.case": ("Case", "Origin"),
    "robust.records.comparator": ("Comparator",),
    "robust.records.hardness": ("HardnessCase", "Shot"),
    "robust.records.inclusion": ("InclusionProof",),
    "robust.records.labelled_pair": ("LabelledPair",),
    "robust.records.manifest_difference": ("ManifestDiff",),
    "robust.records.media": ("Media",),
    "robust.records.near_duplicates": ("NearDuplicate", "NearDuplicates"),
    "robust.records.paraphrase": ("ParaphraseRequest", "Paraphrases"),
    "robust.records.progress": ("ProgressState",),
    "robust.records.record_inclusion": ("RecordProof",),
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
    "robust.signing.keys": ("PublicKey", "SigningKey"),
    "robust.store.media": ("describe_media",),
    "robust.transforms.strategy": ("Edit", "Strategy"),
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
