"""Counts over the pairs of a property that generates its candidates, and its checks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import fsum
from typing import Any, Final

from robust.canon import JsonObject
from robust.records.decision import LIMIT_SLACK, tidy_number
from robust.records.properties import Monotonic
from robust.records.report import CheckResult, Level, judge_limit
from robust.relations.compare import LEVEL_VIOLATION
from robust.run.noise import PropertyNoise
from robust.run.pair_counts import PairCounts
from robust.run.property_plan import PropertyPlan, has_pair_limit
from robust.stats.exchange import ExchangeTest
from robust.stats.intervals import upper_share_bound
from robust.stats.noise import judge_noise

_STATUSES: Final = ("valid", "invalid", "unknown", "assumed")


class PropertySummary:
    """Counts over the pairs of one property, and its checks.

    Args:
        plan: the property.
        confidence: of the bound over source groups.
        noise: where trials are repeated, what tells findings from noise.
    """

    def __init__(self, plan: PropertyPlan, *, confidence: float, noise: PropertyNoise | None) -> None:
        self.plan = plan
        self._confidence = confidence
        self._level: Level = plan.settings.level
        self.noise = noise
        self.counts = PairCounts()

    @property
    def compared(self) -> int:
        """How many pairs could be compared."""
        return self.counts.compared

    @property
    def errors(self) -> int:
        """How many pairs ended in an error."""
        return self.counts.errors_by_kind.total()

    @property
    def judged(self) -> int:
        """How many candidates an oracle judged."""
        statuses = self.counts.statuses
        return statuses["valid"] + statuses["invalid"] + statuses["unknown"]

    def summary(self, base_flip_rate: float | None) -> JsonObject:
        """The property's summary as it stands in a report."""

        def share(part: float, whole: int) -> float | None:
            return tidy_number(part / whole) if whole else None

        def largest(name: str) -> float | None:
            return tidy_number(counts.largest[name]) if counts.compared else None

        counts, n = self.counts, self.compared
        return {
            "relation": self.plan.relation,
            "limits": self._limits_of_pairs(),
            "planned": counts.planned,
            "compared": n,
            "skipped": counts.skipped.total(),
            "skipped_by_reason": dict(sorted(counts.skipped.items())),
            "errors": self.errors,
            "errors_by_kind": dict(sorted(counts.errors_by_kind.items())),
            **{status: counts.statuses[status] for status in _STATUSES},
            "oracles": [counts.oracles[key] for key in sorted(counts.oracles)],
            "refused_by_code": dict(sorted(counts.refused.items())),
            "first_refused": dict(sorted(counts.first_refused.items())),
            "violations": counts.violations,
            "violation_rate": share(counts.violations, n),
            "flips": counts.flips,
            "flip_rate": share(counts.flips, n),
            "mean_tv_distance": share(fsum(counts.distances), n),
            "max_tv_distance": largest("tv_distance"),
            "max_js_divergence": largest("js_divergence"),
            "max_abs_delta": largest("max_abs_delta"),
            "max_confidence_delta": largest("confidence_delta"),
            "max_level_decrease": self._level_decrease(),
            "groups": len(counts.sources),
            "groups_violating": len(counts.violating),
            "base_flip_rate": base_flip_rate,
            "answers": {
                f"base_{_word(base)}_variant_{_word(variant)}": counts.correct[base, variant]
                for base in (True, False)
                for variant in (True, False)
            },
            "failures": counts.failures,
            "reduced": counts.reduced,
        }

    def _limits_of_pairs(self) -> JsonObject:
        """By name, the limits that single pairs must keep."""
        settings = self.plan.settings
        limits = dict(self.plan.limits)
        if isinstance(settings, Monotonic):
            limits[LEVEL_VIOLATION] = settings.max_level_decrease
        return {name: tidy_number(limit) for name, limit in limits.items()}

    def _level_decrease(self) -> float | None:
        """How far the expected level moved against the direction at most, in levels; None without a direction."""
        low, high = self.counts.level_deltas
        if self.plan.relation not in ("increasing", "decreasing") or not self.compared:
            return None
        return tidy_number(-low if self.plan.relation == "increasing" else high)

    def checks(self) -> list[CheckResult]:
        """The property's checks on single pairs, on groups and on its candidates; noise is judged by the whole run."""
        settings: Any = self.plan.settings
        n, tests = self.compared, self.tests()
        results = []
        counts = self.counts
        rates = {"max_violation_rate": counts.violations, "max_flip_rate": counts.flips}
        limits = {
            "max_violation_rate": settings.max_violation_rate if has_pair_limit(settings) else None,
            "max_flip_rate": settings.max_flip_rate,
        }
        for gate, limit in limits.items():
            if limit is not None:
                # With repeated trials the rate is over all pairs of a base and a transformed trial.
                value = tests[gate].statistic if gate in tests else rates[gate] / n if n else None
                results.append(judge_limit(f"{self.plan.name}.{gate}", self._level, value, limit))
        if settings.max_group_violation_rate is not None:
            groups, violating = len(counts.sources), len(counts.violating)
            bound = upper_share_bound(violating, groups, self._confidence) if groups else None
            results.append(self._limit("max_group_violation_rate", bound, settings.max_group_violation_rate))
        for name, status in (("min_valid_rate", "valid"), ("max_unknown_rate", "unknown")):
            limit = getattr(settings, name)
            if limit is not None:
                rate = counts.statuses[status] / self.judged if self.judged else None
                results.append(self._limit(name, rate, limit))
        # A property that compared nothing showed nothing: this is the check that says so.
        shown = self.compared + self.errors
        error_rate = self.errors / counts.planned if shown else None
        results.append(judge_limit(f"{self.plan.name}.max_error_rate", "requirement", error_rate, 0.0))
        return results

    def _limit(self, gate: str, value: float | None, limit: float) -> CheckResult:
        return judge_limit(f"{self.plan.name}.{gate}", self._level, value, limit)

    def tests(self) -> dict[str, ExchangeTest]:
        """By gate, the exchange test of its trials; nothing where trials are not repeated."""
        return {} if self.noise is None else self.noise.results()


def judge_against_noise(
    checks: Sequence[CheckResult], tests: dict[str, tuple[ExchangeTest, float, float]], alpha: float
) -> list[CheckResult]:
    """The checks, with those that noise alone may explain judged so.

    Args:
        checks: as judged by their limits.
        tests: by check, its exchange test, its p value adjusted for all tests, and the smallest that was attainable.
        alpha: below which a finding is more than noise.
    """
    judged = []
    for check in checks:
        if check.check not in tests or check.value is None or check.limit is None:
            judged.append(check)
            continue
        _, p_value, smallest = tests[check.check]
        over = check.value > check.limit + LIMIT_SLACK
        verdict = judge_noise(over_limit=over, p_value=p_value, smallest_p=smallest, alpha=alpha)
        if verdict == "noise":
            judged.append(replace(check, status="pass", p_value=p_value, noise=True))
        elif verdict == "inconclusive":
            judged.append(replace(check, status="inconclusive", p_value=p_value))
        else:
            judged.append(replace(check, p_value=p_value if over else None))
    return judged


def _word(right: bool) -> str:
    return "right" if right else "wrong"
