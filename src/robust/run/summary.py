"""From records to everything that a report derives; used when a run is made, and again when it is read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from robust.canon import JsonObject, fold
from robust.records.contract import Contract
from robust.records.decision import select, tidy_number
from robust.records.report import CheckResult, Level, is_decided, judge_limit
from robust.run.bases import BaseAnswers
from robust.run.failures import Failures
from robust.run.golden import GoldenSummary
from robust.run.noise import PropertyNoise
from robust.run.observations import Observations
from robust.run.property_plan import PropertyPlan, pin_of, plan_properties
from robust.run.property_summary import PropertySummary, judge_against_noise
from robust.run.record import BaseDecision, answers_of
from robust.run.tally import Tally
from robust.run.variants import VariantsSummary
from robust.stats.case_rows import NONE
from robust.stats.exchange import ExchangeTest
from robust.stats.flip_rate import BaseFlips
from robust.stats.intervals import groups_to_decide
from robust.stats.multiple import holm, holm_at_best

_LATENCY: Final = "max_latency_p95_ms"


class RunSummary:
    """Everything that a report derives from the records of a run.

    Args:
        contract: the contract.
        mode: ``all``, ``golden`` or ``properties``.
        seed: the run's, from which what noise is judged by derives.
        plans: the properties that generate candidates, with their oracles; derived from the contract by default.
    """

    def __init__(
        self, contract: Contract, *, mode: str, seed: int = 0, plans: list[PropertyPlan] | None = None
    ) -> None:
        self.contract = contract
        self.mode = mode
        self.golden = GoldenSummary(contract)
        self.observations = Observations()
        self._confidence = contract.statistics.confidence
        settings = contract.properties.variants
        runs = mode != "golden"
        self.variants = VariantsSummary(contract) if runs and settings and settings.enabled else None
        repeated = contract.noise.baseline_runs > 1
        self.plans = (plan_properties(contract) if plans is None else plans) if runs else []
        self.properties: dict[str, PropertySummary] = {
            plan.name: PropertySummary(
                plan, confidence=self._confidence, noise=PropertyNoise(plan, seed) if repeated else None
            )
            for plan in self.plans
        }
        labels = len(contract.decision.label_order)
        self.bases = [BaseAnswers(labels) for _ in range(contract.noise.baseline_runs if self.plans else 1)]
        self._flips = BaseFlips()
        self._failures = Failures()
        self._base_of: dict[str, BaseDecision] = {}

    def base_of(self, case_id: str) -> BaseDecision | None:
        """The decision on a base case that has passed by, as variants are compared with it."""
        return self._base_of.get(case_id)

    def tally(self) -> Tally:
        """A new tally of records; :meth:`take` takes it in."""
        return Tally(self.contract, [plan.name for plan in self.plans])

    def add(self, record: JsonObject, base: int | None = None) -> None:
        """Count one record.

        Args:
            record: the record.
            base: for a pair that a property generated, the position of its base case.
        """
        tally = self.tally()
        self.count(tally, record, base)
        self.take(tally)

    def count(self, tally: Tally, record: JsonObject, base: int | None = None) -> None:
        """Count one record in a tally; what needs other records is counted here at once. See :meth:`add`."""
        if record["kind"] == "decision":
            tally.add_decision(record)
        elif record["kind"] == "skip":
            tally.skip(record)
        elif record["property"] == "variants":
            tally.observe(record)
            tally.failures.add(record)
            if self.variants is not None:
                self.variants.add(record, fold(record["source_id"]))
        else:
            source = fold(record["source_id"])
            tally.add_pair(record, source)
            noise = self.properties[record["property"]].noise
            if noise is not None and base is not None and record["comparison"] is not None:
                trials = [answer for answer in answers_of(record, self.contract) if answer is not None]
                bases = [answer for kept in self.bases if (answer := kept.at(base)) is not None]
                noise.add(record["case_id"], self.golden.group(source), bases, trials)

    def take(self, tally: Tally) -> None:
        """Take in what was counted of the records that come next."""
        if self.plans or self.variants is not None or tally.further or not self._take_whole(tally):
            self._take_rows(tally)
        for kind in tally.error_kinds:
            self.golden.count_error(kind)
        self.observations.merge(tally.observations)
        for name, counts in tally.pairs.items():
            self.properties[name].counts.merge(counts)
        self._failures.merge(tally.failures)

    def _take_whole(self, tally: Tally) -> bool:
        """Take in all rows at once, if each has both answers, and golden metrics are all that they count for."""
        if NONE in tally.expected or None in tally.answers:
            return False
        self.golden.extend(tally.sources, tally.expected, [answer for answer in tally.answers if answer is not None])
        return True

    def _take_rows(self, tally: Tally) -> None:
        further = dict(tally.further)
        labels = self.contract.decision.label_order
        for place, row in enumerate(tally.rows):
            source, expected, values = row
            self.golden.add(source, expected, values)
            if self.plans:
                self.bases[0].add(values)
                answers = further.get(place, [])
                for rank, kept in enumerate(self.bases[1:]):
                    # A stored record may have fewer, which is refused where it stands.
                    kept.add(answers[rank] if rank < len(answers) else None)
            if place in further:
                decided = [answer for answer in (values, *further[place]) if answer is not None]
                self._flips.add(self.golden.group(source), [labels[select(answer)] for answer in decided])
            if self.variants is not None:
                right = None if expected == NONE else labels[expected]
                self._base_of[tally.case_ids[place]] = BaseDecision(values, right, source)

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
        for name in self.contract.properties.enabled():
            if name in self.properties:
                results += self.properties[name].checks()
        results = judge_against_noise(results, self._tests(), self.contract.noise.alpha)
        if self.variants is not None:
            results += self.variants.checks()
        elif not explicit and not self.properties:
            # A contract without a gate shows nothing, whatever the model answers.
            results.append(CheckResult(check="gates", level="requirement", status="inconclusive", value=0, limit=1))
        return results

    def _tests(self) -> dict[str, tuple[ExchangeTest, float, float]]:
        """By check, its exchange test with its p value and the smallest attainable one, adjusted for all of them."""
        found = {
            f"{name}.{gate}": test
            for name, summary in self.properties.items()
            for gate, test in summary.tests().items()
        }
        p_values, smallest = [test.p_value for test in found.values()], [test.smallest_p for test in found.values()]
        adjusted = zip(found.items(), holm(p_values), holm_at_best(p_values, smallest), strict=True)
        return {check: (test, p_value, best) for (check, test), p_value, best in adjusted}

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
        planned = variants.planned if variants else 0
        summaries = self.properties.values()
        counts: dict[str, Any] = {
            "cases": self.golden.cases,
            "decided": self.golden.decided,
            "errors": self.golden.errors,
            "labelled": self.golden.labelled,
            "groups": self.golden.groups,
            "pairs": planned + sum(summary.counts.planned for summary in summaries),
            "skipped": sum(summary.counts.skipped.total() for summary in summaries),
            "valid": planned + sum(summary.counts.statuses["valid"] for summary in summaries),
            **{
                status: sum(summary.counts.statuses[status] for summary in summaries)
                for status in ("invalid", "unknown", "assumed")
            },
        }
        return {
            "counts": counts,
            "metrics": self.golden.metrics(),
            **self.golden.tables(),
            "errors_by_kind": dict(sorted(self.golden.errors_by_kind.items())),
            "base_flips": self._base_flips(),
            "properties": self._summaries(),
            "checks": [check.to_json() for check in self.checks()],
            "failures": self._failures.to_json(),
        }

    def _base_flips(self) -> JsonObject:
        """How often the model answers a base case otherwise when it is asked again, and over how many cases."""
        rate = self._flips.rate
        shown = None if rate is None else tidy_number(rate)
        return {"rate": shown, "cases": self._flips.cases, "groups": self._flips.groups}

    def _summaries(self) -> Mapping[str, JsonObject]:
        rate = self._base_flips()["rate"]
        found = {name: {**summary.summary(rate), **self._audit(name)} for name, summary in self.properties.items()}
        return found if self.variants is None else {**found, "variants": self.variants.summary(rate)}

    def _audit(self, name: str) -> JsonObject:
        """The audit that the contract pins for the oracle of a property, where it does."""
        pin = pin_of(self.contract, name)
        return {} if pin is None else {"audit": {"path": pin.path, "digest": pin.digest}}

    def observed(self) -> JsonObject:
        """What was observed of the calls, for the part of a report that is in no digest."""
        seen = self.observations
        return {"latency": seen.latency(), "messages": seen.messages(), **seen.spending()}
