"""From records to everything that a report derives; used when a run is made, and again when it is read."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

from robust.canon import JsonObject, fold
from robust.records.contract import Contract
from robust.records.decision import label_of_answer
from robust.records.report import CheckResult, Level, is_decided, judge_limit
from robust.run.golden import GoldenSummary
from robust.run.observations import Observations
from robust.run.record import BaseDecision, probabilities_of
from robust.run.variants import VariantsSummary
from robust.stats.intervals import groups_to_decide

MAX_FAILURES: Final = 100
_LATENCY: Final = "max_latency_p95_ms"


class RunSummary:
    """Everything that a report derives from the records of a run."""

    def __init__(self, contract: Contract, *, mode: str) -> None:
        self.contract = contract
        self.mode = mode
        self._confidence = contract.statistics.confidence
        self.golden = GoldenSummary(contract)
        self.observations = Observations()
        settings = contract.properties.variants
        self.variants = VariantsSummary(contract) if mode != "golden" and settings and settings.enabled else None
        self._failures: list[JsonObject] = []
        self._failure_count = 0
        self._bases: dict[str, BaseDecision] = {}

    def base_of(self, case_id: str) -> BaseDecision | None:
        """The decision on a base case that has passed by."""
        return self._bases.get(case_id)

    def add(self, record: JsonObject) -> None:
        """Count one record."""
        source = fold(record["source_id"])
        failed = "error" in record
        if record["kind"] == "decision":
            self.observations.add(record["observed"], decided=not failed)
            self.golden.add(record, source)
            if self.variants is not None:
                expected = label_of_answer(record["expected"])
                self._bases[record["case_id"]] = BaseDecision(probabilities_of(record, self.contract), expected, source)
        else:
            self.observations.add(record["observed"], decided=False)
            if self.variants is not None:
                self.variants.add(record, source)
            failed = failed or bool(record["violations"])
        if failed:
            self._count_failure(record)
            if "error" in record:
                self.observations.add_message(record["error"]["kind"], record["observed"])

    def _count_failure(self, record: JsonObject) -> None:
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
            levels: tuple[tuple[Level, dict[str, float]], ...] = (
                ("requirement", {"max_error_rate": 0.0, **self.contract.requirements.limits()}),
                ("warning", self.contract.warnings.limits()),
            )
            explicit = len(self.contract.requirements.limits()) + len(self.contract.warnings.limits())
            for level, limits in levels:
                results += [self._gate(name, level, limit) for name, limit in sorted(limits.items())]
        if self.variants is not None:
            results += self.variants.checks()
        elif not explicit:
            # A contract without a gate shows nothing, whatever the model answers.
            results.append(CheckResult(check="gates", level="requirement", status="inconclusive", value=0, limit=1))
        return results

    def _gate(self, name: str, level: Level, limit: float) -> CheckResult:
        """One golden gate."""
        if name == _LATENCY:
            return judge_limit(name, level, self.observations.latency_p95(), limit, observed=True)
        metric = self.golden.measured().metrics[name.removeprefix("min_").removeprefix("max_")]
        interval = None if metric.estimate is None else metric.estimate.interval(self._confidence)
        # That nothing failed is a count of this run: no number of cases could show it of all that there will ever be.
        bound = self.contract.statistics.judge == "bound" and not (name == "max_error_rate" and limit == 0)
        check = judge_limit(name, level, metric.value, limit, interval=interval, bound=bound)
        if check.status != "inconclusive" or metric.estimate is None:
            return check
        needed = groups_to_decide(metric.estimate, lambda ends: is_decided(name, ends, limit), self._confidence)
        return replace(check, needed_groups=needed)

    def derived(self) -> JsonObject:
        """The parts of a report that follow from the records."""
        variants = self.variants
        counts: dict[str, Any] = {
            "cases": self.golden.cases,
            "decided": self.golden.decided,
            "errors": self.golden.errors,
            "labelled": self.golden.labelled,
            "groups": self.golden.groups,
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
            **self.golden.tables(),
            "errors_by_kind": dict(sorted(self.golden.errors_by_kind.items())),
            "properties": {} if variants is None else {"variants": variants.summary()},
            "checks": [check.to_json() for check in self.checks()],
            "failures": {"count": self._failure_count, "first": self._failures},
        }

    def observed(self) -> JsonObject:
        """What was observed of the calls, for the part of a report that is in no digest."""
        seen = self.observations
        return {"latency": seen.latency(), "messages": seen.messages(), **seen.spending()}
