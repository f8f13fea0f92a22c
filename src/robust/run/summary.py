"""From records to the numbers of a report; used when a run is made, and again when it is read."""

from __future__ import annotations

from typing import Any, Final

from robust.canon import JsonObject, fold
from robust.records.contract import Contract
from robust.records.decision import LIMIT_SLACK, label_of_answer, tidy_number
from robust.records.report import CheckResult, Level, judge_limit
from robust.relations.compare import agreed_in_error
from robust.run.record import BaseDecision, probabilities_of
from robust.stats.classification import accuracy, macro_f1

MAX_FAILURES: Final = 100
_RELATIONS: Final = ("invariant", "counterfactual", "increasing", "decreasing")


class _Groups:
    """How many things were counted, in how many source groups."""

    def __init__(self) -> None:
        self.n = 0
        self._sources: set[str] = set()

    def add(self, source: str) -> None:
        self.n += 1
        self._sources.add(source)

    def metric(self, value: float | None) -> JsonObject:
        shown = None if value is None else tidy_number(value)
        return {"value": shown, "n": self.n, "groups": len(self._sources), "interval": None}

    @property
    def count(self) -> int:
        return len(self._sources)


class GoldenSummary:
    """Counts over the base decisions, and the golden metrics that follow from them."""

    def __init__(self, contract: Contract) -> None:
        self._labels = contract.decision.label_order
        self._threshold = contract.evaluation.confidence_threshold
        self.all = _Groups()
        self._decided = _Groups()
        self._scored = _Groups()
        self._covered = _Groups()
        self._covered_scored = _Groups()
        self._covered_right = 0
        self.labelled = 0
        self.errors_by_kind: dict[str, int] = {}
        self.confusion: dict[str, dict[str, int]] = {}

    def add(self, record: JsonObject, source: str) -> None:
        """Count one base decision."""
        expected = label_of_answer(record["expected"])
        self.all.add(source)
        self.labelled += expected is not None
        result = record.get("result")
        if result is None:
            kind = record["error"]["kind"]
            self.errors_by_kind[kind] = self.errors_by_kind.get(kind, 0) + 1
            return
        self._decided.add(source)
        selected = result["selected"]
        if expected is not None:
            self._scored.add(source)
            row = self.confusion.setdefault(expected, {})
            row[selected] = row.get(selected, 0) + 1
        if self._threshold is not None and result["confidence"] >= self._threshold - LIMIT_SLACK:
            self._covered.add(source)
            if expected is not None:
                self._covered_scored.add(source)
                self._covered_right += selected == expected

    @property
    def errors(self) -> int:
        """How many base cases ended in an error."""
        return self.all.n - self._decided.n

    @property
    def decided(self) -> int:
        """How many base cases were decided."""
        return self._decided.n

    def metrics(self) -> JsonObject:
        """The golden metrics by name, each with how many cases and source groups it rests on."""
        decided = self._decided.n
        coverage = self._covered.n / decided if self._threshold is not None and decided else None
        covered_right = self._covered_right / self._covered_scored.n if self._covered_scored.n else None
        return {
            "accuracy": self._scored.metric(accuracy(self.confusion)),
            "macro_f1": self._scored.metric(macro_f1(self.confusion)),
            "coverage": self._decided.metric(coverage),
            "abstention_rate": self._decided.metric(
                None if coverage is None else (decided - self._covered.n) / decided
            ),
            "selective_accuracy": self._covered_scored.metric(covered_right),
            "error_rate": self.all.metric(self.errors / self.all.n if self.all.n else None),
        }

    def full_confusion(self) -> JsonObject:
        """Counts by expected label, then by selected label; every pair of labels is present."""
        return {
            expected: {selected: self.confusion.get(expected, {}).get(selected, 0) for selected in self._labels}
            for expected in self._labels
        }


class VariantsSummary:
    """Counts over the pairs of the ``variants`` property, and its checks."""

    def __init__(self, contract: Contract, level_of_all: Level | None = None) -> None:
        self._settings = contract.properties.variants
        self._level: Level = level_of_all or (self._settings.level if self._settings else "requirement")
        self._limits = self._settings.distribution_limits() if self._settings else {}
        self._groups = _Groups()
        self._violating = _Groups()
        self.planned = 0
        self.errors = 0
        self._eligible = 0
        self._invariant = 0
        self._flips = 0
        self._decided = 0
        self._right = 0
        self._scored = 0
        self._agreed_in_error = 0
        self._both_known = 0
        self._max_tv: float | None = None
        self._tables: dict[str, JsonObject] = {}

    def add(self, record: JsonObject, source: str) -> None:
        """Count one pair."""
        self.planned += 1
        comparison = record["comparison"]
        if comparison is None:
            self.errors += 1
            return
        self._groups.add(source)
        relation = comparison["relation"]
        base_right, variant_right = comparison["base_correct"], comparison["variant_correct"]
        if relation == "invariant":
            self._invariant += 1
            self._flips += comparison["flipped"]
        if variant_right is not None:
            self._scored += 1
            self._right += variant_right
        # Distribution limits bind every invariant pair, so with such limits each of them can be a violation.
        self._eligible += bool(base_right) or (relation == "invariant" and bool(self._limits))
        if record["violations"]:
            self._violating.add(source)
        if base_right is not None and variant_right is not None:
            self._both_known += 1
            self._agreed_in_error += agreed_in_error(comparison)
            cell = f"base_{'right' if base_right else 'wrong'}_variant_{'right' if variant_right else 'wrong'}"
            table = self._tables.setdefault(relation, _empty_table())
            table[cell] += 1
        self._max_tv = max(self._max_tv or 0.0, comparison["tv_distance"])

    @property
    def compared(self) -> int:
        """How many pairs could be compared."""
        return self._groups.n

    def _rates(self) -> dict[str, float | None]:
        def share(part: int, whole: int) -> float | None:
            return part / whole if whole else None

        return {
            "max_violation_rate": share(self._violating.n, self._eligible),
            "max_flip_rate": share(self._flips, self._invariant),
            "min_variant_accuracy": share(self._right, self._scored),
            "max_agreed_error_rate": share(self._agreed_in_error, self._both_known),
            # Nothing compared shows nothing: the check that always runs fails then.
            "max_error_rate": share(self.errors, self.planned) if self.compared else 1.0,
        }

    def summary(self) -> JsonObject:
        """The property's summary as it stands in a report."""
        rates = self._rates()
        rounded = {name: None if rate is None else tidy_number(rate) for name, rate in rates.items()}
        return {
            "planned": self.planned,
            "compared": self.compared,
            "skipped": 0,
            "errors": self.errors,
            "valid": self.planned,
            "invalid": 0,
            "unknown": 0,
            "assumed": 0,
            "violations": self._violating.n,
            "eligible": self._eligible,
            "violation_rate": rounded["max_violation_rate"],
            "flips": self._flips,
            "flip_rate": rounded["max_flip_rate"],
            "variant_accuracy": rounded["min_variant_accuracy"],
            "agreed_error_rate": rounded["max_agreed_error_rate"],
            "max_tv_distance": None if self._max_tv is None else tidy_number(self._max_tv),
            "groups": self._groups.count,
            "groups_violating": self._violating.count,
            "base_flip_rate": None,
            "by_relation": {name: self._tables[name] for name in _RELATIONS if name in self._tables},
        }

    def checks(self) -> list[CheckResult]:
        """The property's checks: those that always run, and those that are set."""
        settings = self._settings
        if settings is None:
            return []
        rates = self._rates()
        results = [
            judge_limit(
                "variants.max_violation_rate",
                self._level,
                rates["max_violation_rate"],
                settings.max_violation_rate,
                missing="inconclusive",
            )
        ]
        for name in ("max_flip_rate", "min_variant_accuracy", "max_agreed_error_rate"):
            limit = getattr(settings, name)
            if limit is not None:
                results.append(judge_limit(f"variants.{name}", self._level, rates[name], limit, missing="inconclusive"))
        results.append(judge_limit("variants.max_error_rate", "requirement", rates["max_error_rate"], 0.0))
        return results


def _empty_table() -> JsonObject:
    return {f"base_{base}_variant_{variant}": 0 for base in ("right", "wrong") for variant in ("right", "wrong")}


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
