"""The report of a run: what was run, and everything that follows from its records."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from robust.canon import JsonObject, digest_value
from robust.records.contract import Contract
from robust.records.decision import tidy_number
from robust.records.record_inclusion import evidence_of
from robust.records.report import SCHEMA, RunStatus, exit_code_of, report_digest, status_of
from robust.run.splice import RecordDigests
from robust.run.summary import RunSummary


@dataclass(frozen=True, kw_only=True, slots=True)
class RunIdentity:
    """What a run was made of, but for its records."""

    manifest: JsonObject | None
    dataset: JsonObject | None
    seed: int
    backend: JsonObject
    fail_on_warn: bool

    @classmethod
    def of_report(cls, report: JsonObject) -> RunIdentity:
        """The identity that a stored report declares."""
        return cls(
            manifest=report["manifest"],
            dataset=report["dataset"],
            seed=report["seed"],
            backend=report["backend"],
            fail_on_warn=report["settings"]["fail_on_warn"],
        )

    def case_set(self) -> JsonObject:
        """The identity of the cases, whatever their file is called and wherever it lies."""
        if self.manifest is not None:
            return {"manifest": self.manifest["digest"], "split": self.manifest["split"]}
        return {"dataset": (self.dataset or {}).get("root")}


def build_report(
    contract: Contract, identity: RunIdentity, summary: RunSummary, digests: RecordDigests, observed: JsonObject
) -> JsonObject:
    """The whole report; equal for equal records, but for ``observed`` and the digest of the records' file."""
    derived = summary.derived()
    records = digests.summary()
    seen = summary.observed()
    status, logical_status = _statuses(summary)
    case_set = identity.case_set()
    answers: dict[str, Any] = {
        "schema": "robust.answers/1",
        "decision": contract.decision.to_json(),
        "cases": case_set,
        "seed": identity.seed,
        "properties": contract.properties.model_dump(mode="json", exclude_none=True),
        "root": digests.answers_root,
    }
    report: JsonObject = {
        "schema": SCHEMA,
        "status": status,
        "exit_code": exit_code_of(status, fail_on_warn=identity.fail_on_warn),
        "mode": summary.mode,
        "contract": {
            "name": contract.decision.name,
            "type": contract.decision.type,
            "labels": list(contract.decision.label_order),
            "schema_version": contract.schema_version,
            "digest": contract.digest,
        },
        "manifest": identity.manifest,
        "dataset": identity.dataset,
        "seed": identity.seed,
        "backend": identity.backend,
        "settings": {"fail_on_warn": identity.fail_on_warn, "confidence": tidy_number(contract.statistics.confidence)},
        **derived,
        "records": records,
        "answers_digest": digest_value(answers),
        "logical_status": logical_status,
        # Time follows from the records, too; of calls and spending the run knows more than they do.
        "observed": {**seen, **observed, "latency": seen["latency"], "messages": seen["messages"]},
    }
    report["evidence_digest"] = digest_value(evidence_of(report))
    return {**report, "digest": report_digest(report)}


def _statuses(summary: RunSummary) -> tuple[RunStatus, RunStatus]:
    """The status, and the one without the checks on what varies from run to run."""
    if not summary.golden.decided:
        return "error", "error"
    checks = summary.checks()
    return status_of(checks), status_of([check for check in checks if not check.observed])
