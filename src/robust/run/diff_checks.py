"""The gates of a comparison: how much worse than its baseline a candidate may be."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from robust.records.contract import Contract
from robust.records.report import CheckResult, Level, is_decided, judge_limit
from robust.run.diff_segments import WorstSegment
from robust.stats.intervals import Estimate, RateEstimate, groups_to_decide
from robust.stats.paired_difference import negated
from robust.stats.paired_runs import PairedMetric, Shift

_ERRORS: Final = "max_error_rate_increase"
_LATENCY: Final = "max_latency_p95_increase_ms"
_SEGMENTS: Final = "max_segment_accuracy_drop"


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """What gates look at.

    Attributes:
        metrics: the golden metrics of both runs.
        flip_rate: the share of cases with another label.
        tv_distance: of the two answers.
        confidence_shift: by how much confidence moved, whatever the direction.
        latency_rise: of the 95th percentile, in milliseconds.
        segment: the one that decides the limit on segments.
    """

    metrics: dict[str, PairedMetric]
    flip_rate: RateEstimate | None
    tv_distance: Shift
    confidence_shift: Shift
    latency_rise: float | None
    segment: WorstSegment | None

    def of(self, gate: str) -> tuple[float | None, Estimate | None]:
        """What a gate limits, with its estimate over source groups."""
        if gate == "max_answer_flip_rate":
            return (None if self.flip_rate is None else self.flip_rate.value), self.flip_rate
        if gate == "max_mean_tv_distance":
            return self.tv_distance.mean, self.tv_distance.estimate
        if gate == "max_mean_confidence_shift":
            return self.confidence_shift.mean, self.confidence_shift.estimate
        if gate == _LATENCY:
            return self.latency_rise, None
        if gate == _SEGMENTS:
            found = self.segment
            return (None, None) if found is None else (found.segment.drop, found.estimate)
        name, _, way = gate.removeprefix("max_").rpartition("_")
        metric = self.metrics[name]
        if way == "drop":
            return (None if metric.delta is None else -metric.delta), negated(metric.estimate)
        return metric.delta, metric.estimate


def diff_checks(contract: Contract, measured: Measured) -> list[CheckResult]:
    """Every gate that is set, and the one on errors, which is a requirement of 0 unless it is set.

    Args:
        contract: whose ``regression`` and ``statistics`` hold.
        measured: what they look at.
    """
    regression = contract.regression
    levels: tuple[tuple[Level, dict[str, float]], ...] = (
        ("requirement", {_ERRORS: 0.0, **regression.limits()}),
        ("warning", regression.warnings.limits()),
    )
    checks = [
        _gate(contract, gate, level, limit, *measured.of(gate))
        for level, limits in levels
        for gate, limit in sorted(limits.items())
    ]
    if not (regression.limits() or regression.warnings.limits()):
        # Without a gate nothing was asked of the answers, however many of them are wrong now.
        checks.append(CheckResult(check="gates", level="requirement", status="inconclusive", value=0, limit=1))
    return checks


def _gate(
    contract: Contract, gate: str, level: Level, limit: float, value: float | None, estimate: Estimate | None
) -> CheckResult:
    confidence = contract.statistics.confidence
    interval = None if estimate is None else estimate.interval(confidence)
    # That there are no more errors than before is a count of these runs; no number of cases shows it of all others.
    # Time has no interval, and neither has the calibration error, so that they are judged by their values.
    by_value = (gate == _ERRORS and limit == 0) or gate in (_LATENCY, "max_ece_increase")
    bound = contract.statistics.judge == "bound" and not by_value
    check = judge_limit(gate, level, value, limit, interval=interval, bound=bound, observed=gate == _LATENCY)
    if check.status != "inconclusive" or estimate is None:
        return check
    return replace(
        check, needed_groups=groups_to_decide(estimate, lambda ends: is_decided(gate, ends, limit), confidence)
    )
