"""From records to everything that a report derives; used when a run is made, and again when it is read."""

from __future__ import annotations

from typing import Any, Final

from robust.canon import JsonObject, fold
from robust.records.contract import Contract
from robust.records.decision import label_of_answer
from robust.records.report import CheckResult, Level, judge_limit
from robust.run.golden import GoldenSummary
from robust.run.record import BaseDecision, probabilities_of
from robust.run.variants import VariantsSummary

MAX_FAILURES: Final = 100


class RunSummary:
    """Everything that a report derives from the records of a run."""

    def __init__(self, contract: Contract, *, mode: str) -> None:
        self.contract = contract
        self.mode = mode
        self.golden = GoldenSummary(contract)
        settings = contract.properties.variants
        self.variants = VariantsSummary(contract) if mode != "golden" and settings and settings.enabled else None
        self._failures: list[JsonObject] = []
        self._failure_count = 0
        self._sources: set[str] = set()
        self._bases: dict[str, BaseDecision] = {}

    def base_of(self, case_id: str) -> BaseDecision | None:
        """The decision on a base case that has passed by."""
        return self._bases.get(case_id)

    def add(self, record: JsonObject) -> None:
        """Count one record."""
        source = fold(record["source_id"])
        if record["kind"] == "decision":
            self.golden.add(record, source)
            self._sources.add(source)
            if self.variants is not None:
                expected = label_of_answer(record["expected"])
                self._bases[record["case_id"]] = BaseDecision(probabilities_of(record, self.contract), expected, source)
            wrong = "error" in record
        else:
            if self.variants is not None:
                self.variants.add(record, source)
            wrong = "error" in record or bool(record["violations"])
        if wrong:
            self._failure_count += 1
            if len(self._failures) < MAX_FAILURES:
                error = record.get("error")
                self._failures.append(
                    {
                        "id": record["id"],
                        "error": None if error is None else error["kind"],
                        "violations": record.get("violations", []),
                    }
                )

    def checks(self) -> list[CheckResult]:
        """Every check of the run, golden gates first."""
        results: list[CheckResult] = []
        explicit = 0
        if self.mode != "properties":
            metrics = self.golden.metrics()
            levels: tuple[tuple[Level, dict[str, float]], ...] = (
                ("requirement", {"max_error_rate": 0.0, **self.contract.requirements.limits()}),
                ("warning", self.contract.warnings.limits()),
            )
            explicit = len(self.contract.requirements.limits()) + len(self.contract.warnings.limits())
            for level, limits in levels:
                for name, limit in sorted(limits.items()):
                    metric = metrics[name.removeprefix("min_").removeprefix("max_")]
                    results.append(judge_limit(name, level, metric["value"], limit))
        if self.variants is not None:
            results += self.variants.checks()
        elif not explicit:
            # A contract without a gate shows nothing, whatever the model answers.
            results.append(CheckResult(check="gates", level="requirement", status="inconclusive", value=0, limit=1))
        return results

    def derived(self) -> JsonObject:
        """The parts of a report that follow from the records."""
        variants = self.variants
        counts: dict[str, Any] = {
            "cases": self.golden.all.n,
            "decided": self.golden.decided,
            "errors": self.golden.errors,
            "labelled": self.golden.labelled,
            "groups": len(self._sources),
            "pairs": variants.planned if variants else 0,
            "skipped": 0,
            "valid": variants.planned if variants else 0,
            "invalid": 0,
            "unknown": 0,
            "assumed": 0,
        }
        return {
            "counts": counts,
            "metrics": self.golden.metrics(),
            "confusion": self.golden.full_confusion(),
            "errors_by_kind": dict(sorted(self.golden.errors_by_kind.items())),
            "properties": {} if variants is None else {"variants": variants.summary()},
            "checks": [check.to_json() for check in self.checks()],
            "failures": {"count": self._failure_count, "first": self._failures},
        }
