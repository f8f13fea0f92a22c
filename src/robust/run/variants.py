"""Counts over the pairs of the ``variants`` property, and its checks."""

from __future__ import annotations

from typing import Final

from robust.canon import JsonObject
from robust.records.contract import Contract
from robust.records.decision import tidy_number
from robust.records.report import CheckResult, Level, judge_limit
from robust.relations.compare import agreed_in_error
from robust.run.golden import Groups

_RELATIONS: Final = ("invariant", "counterfactual", "increasing", "decreasing")


class VariantsSummary:
    """Counts over the pairs of the ``variants`` property, and its checks."""

    def __init__(self, contract: Contract) -> None:
        self._settings = contract.properties.variants
        self._level: Level = self._settings.level if self._settings else "requirement"
        self._limits = self._settings.distribution_limits() if self._settings else {}
        self._groups = Groups()
        self._violating = Groups()
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
            # Without a single pair it cannot be computed, and the check that always runs does not hold.
            "max_error_rate": share(self.errors, self.planned),
        }

    def summary(self, base_flip_rate: float | None) -> JsonObject:
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
            "base_flip_rate": base_flip_rate,
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
