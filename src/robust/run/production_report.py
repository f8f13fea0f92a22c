"""From a contract and what is kept of production records to the whole report, ``robust.production-report/1``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Final

from robust.canon import JsonObject, digest_value
from robust.records.contract import Contract
from robust.records.decision import tidy_number
from robust.records.gates import GateSection
from robust.records.production_cell import Baseline, Cell, Sample
from robust.records.production_record import SegmentValue, segment_id
from robust.records.report import CheckResult, Level, exit_code_of, is_decided, judge_limit, report_digest, status_of
from robust.run.production_metrics import Metric, drift_between, figures_of, metrics_of
from robust.stats.intervals import groups_to_decide

SCHEMA: Final = "robust.production-report/1"
EVIDENCE_SCHEMA: Final = "robust.production-evidence/1"
# A gate on one of these compares with a baseline.
DRIFT: Final = ("confidence_tv_distance", "accuracy_drop", "ece_increase")
# What has no interval is judged by itself.
WITHOUT_INTERVAL: Final = ("ece", "confidence_tv_distance", "ece_increase")
_LEVELS: Final[tuple[tuple[Level, str, str], ...]] = (
    ("requirement", "requirements", "segment_requirements"),
    ("warning", "warnings", "segment_warnings"),
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Segment:
    """The records that have one value of a metadata key.

    Attributes:
        key: the key.
        value: the value; None for the records that lack it.
        cell: what is kept of them.
    """

    key: str
    value: SegmentValue
    cell: Cell


@dataclass(frozen=True, kw_only=True, slots=True)
class Production:
    """What is kept of production records, and of those that they are compared with.

    Attributes:
        segment_by: the metadata keys whose values make segments.
        sample: where the records came from.
        cell: what is kept of all of them.
        baseline: where those came from that they are compared with; None without any.
        baseline_cell: what is kept of these.
        segments: the segments, in the order of their keys and names.
    """

    segment_by: tuple[str, ...]
    sample: Sample
    cell: Cell
    baseline: Baseline | None
    baseline_cell: Cell | None
    segments: Sequence[Segment]


def checks_of(contract: Contract, found: Production) -> list[CheckResult]:
    """Every gate: over all records, over the drift, and of each segment."""
    checks: list[CheckResult] = []
    metrics = metrics_of(found.cell, contract)
    if found.baseline_cell is not None:
        metrics |= drift_between(found.cell, found.baseline_cell, contract)._asdict()
    for level, section, _ in _LEVELS:
        gates = getattr(contract.production, section)
        checks += _gates(contract, gates, level, metrics, "")
    for segment in found.segments:
        of_segment = metrics_of(segment.cell, contract)
        prefix = f"{segment_id(segment.key, segment.value)}."
        for level, _, section in _LEVELS:
            checks += _gates(contract, getattr(contract.production, section), level, of_segment, prefix)
    if not found.segment_by:
        # There is nothing that such a gate could hold of.
        for level, _, section in _LEVELS:
            checks += _gates(contract, getattr(contract.production, section), level, {}, "segments.")
    if not checks:
        checks.append(CheckResult(check="gates", level="requirement", status="inconclusive", value=0, limit=1))
    return checks


def _gates(
    contract: Contract, gates: GateSection, level: Level, metrics: dict[str, Metric], prefix: str
) -> Iterator[CheckResult]:
    statistics = contract.statistics
    for name, limit in gates.limits().items():
        measured = name.removeprefix("min_").removeprefix("max_")
        metric = metrics.get(measured, Metric(None, 0))
        interval = metric.interval(statistics.confidence)
        bound = statistics.judge == "bound" and measured not in WITHOUT_INTERVAL
        check = judge_limit(f"{prefix}{name}", level, metric.value, limit, interval=interval, bound=bound)
        if check.status == "inconclusive" and metric.estimate is not None:
            decides = partial(is_decided, name, limit=limit)
            check = replace(check, needed_groups=groups_to_decide(metric.estimate, decides, statistics.confidence))
        yield check


def production_report(
    contract: Contract, found: Production, summary: JsonObject, *, fail_on_warn: bool, observed: JsonObject
) -> JsonObject:
    """The whole report; equal for equal contracts and records, but for ``observed``.

    Args:
        contract: the contract.
        found: what is kept of the records.
        summary: of the run's records: ``count``, ``root`` and ``sha256``.
        fail_on_warn: whether a warning makes the exit code 1.
        observed: times and versions, which nothing proves.
    """
    checks = checks_of(contract, found)
    status = status_of(checks)
    decision, confidence = contract.decision, contract.statistics.confidence
    drift = None
    if found.baseline_cell is not None:
        compared = drift_between(found.cell, found.baseline_cell, contract)._asdict()
        drift = {name: metric.to_json(confidence) for name, metric in compared.items()}
    report: JsonObject = {
        "schema": SCHEMA,
        "status": status,
        "exit_code": exit_code_of(status, fail_on_warn=fail_on_warn),
        "contract": {
            "name": decision.name,
            "type": decision.type,
            "labels": list(decision.label_order),
            "schema_version": contract.schema_version,
            "digest": contract.digest,
        },
        "settings": {
            "fail_on_warn": fail_on_warn,
            "confidence": tidy_number(confidence),
            "judge": contract.statistics.judge,
            "threshold": _optional(contract.evaluation.confidence_threshold),
            "segment_by": list(found.segment_by),
        },
        "sample": found.sample.to_json(),
        "baseline": None if found.baseline is None else found.baseline.to_json(),
        **figures_of(found.cell, contract),
        "drift": drift,
        "segments": [*_segments_json(contract, found, checks)],
        "checks": [check.to_json() for check in checks],
        "records": summary,
        "evidence_digest": digest_value(production_evidence(contract.digest, summary["root"])),
        "observed": observed,
    }
    return {**report, "digest": report_digest(report)}


def _segments_json(contract: Contract, found: Production, checks: Sequence[CheckResult]) -> Iterator[JsonObject]:
    judged: dict[str, list[CheckResult]] = {}
    for check in checks:
        judged.setdefault(check.check.rpartition(".")[0], []).append(check)
    for segment in found.segments:
        named = segment_id(segment.key, segment.value)
        yield {
            "id": named,
            "key": segment.key,
            "value": segment.value,
            # Without a gate there is nothing that a segment passes.
            "status": status_of(judged[named]) if named in judged else None,
            **figures_of(segment.cell, contract),
        }


def production_evidence(contract_digest: str, root: str) -> JsonObject:
    """What the ``evidence_digest`` is the digest of.

    Args:
        contract_digest: the digest of the contract.
        root: the Merkle root of the records.
    """
    return {"schema": EVIDENCE_SCHEMA, "contract": contract_digest, "root": root}


def _optional(value: float | None) -> float | int | None:
    return None if value is None else tidy_number(value)
