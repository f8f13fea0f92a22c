"""Validated variants, frozen manifests and checked runs for AI models, with records that can be derived again."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from robust.homes import HOME_OF

if TYPE_CHECKING:
    from robust.app.agreement import ReviewAgreement, measure_agreement
    from robust.app.auditing import audit_oracle
    from robust.app.batch_result import BatchReport
    from robust.app.cached_system import CachedSystem, cached_system
    from robust.app.check_many import check_many
    from robust.app.check_result import CheckReport
    from robust.app.check_runs import SavedCheck, load_check, save_check
    from robust.app.checking import assert_robust, check, replay_trial
    from robust.app.contracts import ContractSummary, validate_contract
    from robust.app.diffing import diff_runs
    from robust.app.generating import Generation, generate_variants
    from robust.app.guard import Guard
    from robust.app.hardness import measure_hardness
    from robust.app.hardness_report import HardnessExit, HardnessInterrupted, HardnessReport
    from robust.app.hypothesis_strategies import RelationCandidate, candidates, relations_strategy
    from robust.app.importing import Import, import_candidates
    from robust.app.keys import KeyFiles, generate_keys, load_public_key, load_signing_key
    from robust.app.manifest_exports import export_for_tools, read_csv_export
    from robust.app.manifest_proofs import check_proof
    from robust.app.manifests import Manifest
    from robust.app.near_duplicates import find_near_duplicates
    from robust.app.oracle_audit import OracleAudit
    from robust.app.population import PopulationResult, column_edits, decreasing, increasing, invariance
    from robust.app.production import ProductionReport, check_production
    from robust.app.proof_files import load_proof, save_proof
    from robust.app.record_proofs import prove_record
    from robust.app.relation_auditing import audit_relation
    from robust.app.replaying import Replay, replay_run
    from robust.app.report_csv import save_csv
    from robust.app.reporting import format_report, report_run
    from robust.app.reviewing import SheetCounts, reviewed_oracle, write_review_sheet
    from robust.app.run_diff import RunDiff
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
    from robust.population.column_edits import ColumnEdit
    from robust.records.case import Case, Origin
    from robust.records.comparator import Comparator
    from robust.records.hardness import HardnessCase, Shot
    from robust.records.inclusion import InclusionProof
    from robust.records.judge_bias import JudgeBiasReport
    from robust.records.labelled_pair import LabelledPair
    from robust.records.manifest_difference import ManifestDiff
    from robust.records.media import Media
    from robust.records.near_duplicates import NearDuplicate, NearDuplicates
    from robust.records.paraphrase import ParaphraseRequest, Paraphrases
    from robust.records.progress import ProgressState
    from robust.records.record_inclusion import RecordProof
    from robust.records.relation_audit import RelationAudit
    from robust.records.relation_check import BatchResult, Counterexample, RelationResult
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
    from robust.relations.assertions import (
        Assertion,
        assertion_of,
        consistent_pick,
        equivalent,
        not_greater,
        not_less,
        scales_by,
        shifts_by,
        unchanged,
    )
    from robust.relations.extract_total import extract_total
    from robust.relations.extraction import (
        default_pack,
        inject_footer,
        join_amount_lines,
        normalize_currency,
        reorder_lines,
    )
    from robust.relations.filler_relations import distractor_robust, length_invariant
    from robust.relations.form_relations import case_invariant, formatting_invariant
    from robust.relations.judges import judge_bias, length_bias
    from robust.relations.order_relations import order_invariant, permute_blocks
    from robust.relations.receipt_edits import total_currency_invariant, total_footer_invariant, total_join_invariant
    from robust.relations.receipt_order import total_reorder_invariant
    from robust.relations.relation import NotApplicable, Relation
    from robust.relations.removal_relations import remove_irrelevant
    from robust.relations.scale_relations import unit_scaling
    from robust.relations.wording_relations import paraphrase_invariant
    from robust.signing.keys import PublicKey, SigningKey
    from robust.store.media import describe_media
    from robust.transforms.strategy import Edit, Strategy
    from robust.version import __version__

__all__ = [
    "Assertion",
    "Backend",
    "BackendAnswer",
    "BackendError",
    "BackendFailure",
    "BackendIdentity",
    "BatchReport",
    "BatchResult",
    "CachedSystem",
    "CallableBackend",
    "Case",
    "CaseError",
    "Check",
    "CheckReport",
    "ColumnEdit",
    "CombinedOracle",
    "CommandOracle",
    "Comparator",
    "ContractError",
    "ContractSummary",
    "Counterexample",
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
    "JudgeBiasReport",
    "KeyFiles",
    "LabelledPair",
    "Manifest",
    "ManifestDiff",
    "ManifestError",
    "Media",
    "NearDuplicate",
    "NearDuplicates",
    "NotApplicable",
    "OracleAudit",
    "OracleVerdict",
    "Origin",
    "ParaphraseRequest",
    "Paraphraser",
    "Paraphrases",
    "PopulationResult",
    "Problem",
    "ProductionReport",
    "Progress",
    "ProgressState",
    "PublicKey",
    "Quantity",
    "RandomStream",
    "Reading",
    "RecordProof",
    "Relation",
    "RelationAudit",
    "RelationCandidate",
    "RelationResult",
    "Replay",
    "ReviewAgreement",
    "ReviewedOracle",
    "ReviewersOracle",
    "RobustError",
    "RoutedDecision",
    "Run",
    "RunDiff",
    "RunInterrupted",
    "SavedCheck",
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
    "assert_robust",
    "assertion_of",
    "audit_oracle",
    "audit_relation",
    "cached_system",
    "candidates",
    "case_invariant",
    "check",
    "check_many",
    "check_production",
    "check_proof",
    "column_edits",
    "consistent_pick",
    "decreasing",
    "default_pack",
    "describe_media",
    "diff_runs",
    "distractor_robust",
    "equivalent",
    "export_for_tools",
    "extract_total",
    "find_near_duplicates",
    "format_report",
    "formatting_invariant",
    "generate_keys",
    "generate_variants",
    "import_candidates",
    "increasing",
    "inject_footer",
    "invariance",
    "join_amount_lines",
    "judge_bias",
    "length_bias",
    "length_invariant",
    "load_check",
    "load_proof",
    "load_public_key",
    "load_signing_key",
    "measure_agreement",
    "measure_hardness",
    "normalize_currency",
    "not_greater",
    "not_less",
    "order_invariant",
    "paraphrase_invariant",
    "permute_blocks",
    "prove_record",
    "quorum",
    "read_csv_export",
    "read_date",
    "read_number",
    "read_quantity",
    "read_set",
    "recomputed",
    "relations_strategy",
    "remove_irrelevant",
    "reorder_lines",
    "replay_run",
    "replay_trial",
    "report_run",
    "reviewed_oracle",
    "run_contract",
    "save_check",
    "save_csv",
    "save_proof",
    "scales_by",
    "shifts_by",
    "sign",
    "total_currency_invariant",
    "total_footer_invariant",
    "total_join_invariant",
    "total_reorder_invariant",
    "unchanged",
    "unit_scaling",
    "validate_contract",
    "validate_variant",
    "validate_variants",
    "verify",
    "verify_all",
    "write_review_sheet",
]


def __getattr__(name: str) -> Any:
    home = HOME_OF.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(home), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
