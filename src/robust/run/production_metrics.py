"""From what is kept of production records to every number that a report has of them."""

from __future__ import annotations

import math
from typing import Final, NamedTuple

from robust.canon import JsonObject
from robust.records.contract import Contract
from robust.records.decision import tidy_number
from robust.records.production_cell import Cell, Distribution, Moments
from robust.stats.calibration import NLL_FLOOR, ReliabilityBin, expected_calibration_error
from robust.stats.distinct_counts import Counted, percentiles
from robust.stats.intervals import Estimate, Interval, JackknifeEstimate, RateEstimate
from robust.stats.rate_difference import difference_interval

_MOST_BRIER: Final = 2
_PERCENTS: Final = (50, 90, 95, 99)


class Metric(NamedTuple):
    """A number over some records, each of which is taken as independent of the others.

    Attributes:
        value: the number; None where it cannot be computed.
        n: over how many records.
        estimate: gives its interval; None where it has none.
    """

    value: float | None
    n: int
    estimate: Estimate | None = None

    def interval(self, confidence: float) -> Interval | None:
        """Its interval."""
        return None if self.estimate is None else self.estimate.interval(confidence)

    def to_json(self, confidence: float) -> JsonObject:
        """The metric as it stands in a report."""
        interval = self.interval(confidence)
        return {
            "value": None if self.value is None else tidy_number(self.value),
            "n": self.n,
            "groups": self.n,
            "interval": None if interval is None else [tidy_number(end) for end in interval],
        }


def metrics_of(cell: Cell, contract: Contract) -> dict[str, Metric]:
    """The metrics that gates are on, by name, and two more rates."""
    actions, threshold = cell.actions, contract.evaluation.confidence_threshold
    known = actions.known
    return {
        "accuracy": _rate(cell.right, cell.known),
        "error_rate": _rate(cell.known - cell.right, cell.known),
        "ece": Metric(expected_calibration_error(reliability_of(cell)), cell.known),
        "brier": _mean(cell.brier, cell.outcomes, _MOST_BRIER),
        "nll": _mean(cell.nll, cell.outcomes, -math.log(NLL_FLOOR)),
        "threshold_coverage": Metric(None, cell.records)
        if threshold is None or cell.covered is None
        else _rate(cell.covered, cell.records),
        "abstention_rate": _rate(actions.abstain, known),
        "fallback_rate": _rate(cell.fallbacks, cell.fallback_known),
        "human_review_rate": _rate(actions.human_review, known),
        "acceptance_rate": _rate(actions.accept, known),
    }


def _rate(hits: int, count: int) -> Metric:
    # Each record is a source group of its own, so that this is the exact interval of Clopper and Pearson.
    estimate = RateEstimate(hits, count, count, None) if count else None
    return Metric(None if estimate is None else estimate.value, count, estimate)


def _mean(moments: Moments, count: int, highest: float) -> Metric:
    if not count:
        return Metric(None, 0)
    mean = moments.total / count
    # The jackknife's error of a mean over single records is that of the mean.
    error = math.sqrt(moments.deviations / (count - 1) / count) if count > 1 else 0.0
    return Metric(mean, count, JackknifeEstimate(mean, count, error, 0, highest))


def reliability_of(cell: Cell) -> list[ReliabilityBin]:
    """The reliability table over the records of which it is known whether they were right."""
    bins, table = cell.bins, []
    size = len(bins.known)
    for index, (count, right, total) in enumerate(zip(bins.known, bins.right, bins.confidence, strict=True)):
        mean, accuracy = (total / count, right / count) if count else (None, None)
        table.append(ReliabilityBin(index / size, (index + 1) / size, count, mean, accuracy))
    return table


def counts_of(cell: Cell) -> JsonObject:
    """How much is known of how many records."""
    return {
        "records": cell.records,
        "outcomes": cell.outcomes,
        "correctness": cell.known,
        "actions": cell.actions.known,
        "fallbacks": cell.fallback_known,
        "latencies": cell.latency_ms.count,
        "costs": cell.cost.count,
    }


def figures_of(cell: Cell, contract: Contract) -> JsonObject:
    """Everything that a report says of some records."""
    confidence = contract.statistics.confidence
    routed = cell.actions
    return {
        "counts": counts_of(cell),
        "metrics": {name: metric.to_json(confidence) for name, metric in metrics_of(cell, contract).items()},
        "actions": {name: getattr(routed, name) for name in type(routed).model_fields},
        "reliability": [_row_json(row) for row in reliability_of(cell)],
        "confidence": {**spread_of(cell.confidence), "histogram": list(cell.bins.records)},
        "latency_ms": spread_of(cell.latency_ms),
        "cost": {**spread_of(cell.cost), "total": tidy_number(cell.cost.total) if cell.cost.count else None},
    }


def _row_json(row: ReliabilityBin) -> JsonObject:
    names = ("lower", "upper", "count", "mean_confidence", "accuracy")
    values = (getattr(row, name) for name in names)
    return {name: None if value is None else tidy_number(value) for name, value in zip(names, values, strict=True)}


def spread_of(distribution: Distribution) -> JsonObject:
    """Mean, percentiles and the largest of some numbers, and how far the percentiles may be off."""
    counted = Counted(distribution.shift, distribution.values, distribution.counts)
    found = percentiles(counted, _PERCENTS, most=distribution.most or 0.0)
    mean = distribution.total / distribution.count if distribution.count else None
    told: dict[str, float | None] = {
        "mean": mean,
        **{f"p{percent}": value for percent, value in zip(_PERCENTS, found, strict=True)},
        "max": distribution.most,
    }
    return {
        "n": distribution.count,
        **{name: None if value is None else tidy_number(value) for name, value in told.items()},
        "relative_error": tidy_number(counted.relative_error),
    }


class Drift(NamedTuple):
    """How records differ from those of a baseline.

    Attributes:
        confidence_tv_distance: the total variation distance between the histograms of confidence, 0–1.
        confidence_mean_delta: by how much the mean confidence is higher.
        accuracy_drop: by how much accuracy is lower.
        ece_increase: by how much the expected calibration error is higher.
    """

    confidence_tv_distance: Metric
    confidence_mean_delta: Metric
    accuracy_drop: Metric
    ece_increase: Metric


def drift_between(current: Cell, baseline: Cell, contract: Contract) -> Drift:
    """How records differ from those of a baseline."""
    now, before = metrics_of(current, contract), metrics_of(baseline, contract)
    distance = 0.5 * math.fsum(
        abs(one / current.records - other / baseline.records)
        for one, other in zip(current.bins.records, baseline.bins.records, strict=True)
    )
    delta = current.confidence.total / current.records - baseline.confidence.total / baseline.records
    both = current.known + baseline.known
    drop = _difference(before["accuracy"].value, now["accuracy"].value)
    estimate = (
        None
        if drop is None
        else DropEstimate(drop, both, (baseline.right, baseline.known), (current.right, current.known))
    )
    return Drift(
        Metric(min(distance, 1.0), current.records),
        Metric(delta, current.records),
        Metric(drop, current.known, estimate),
        Metric(_difference(now["ece"].value, before["ece"].value), current.known),
    )


def _difference(one: float | None, other: float | None) -> float | None:
    return None if one is None or other is None else one - other


class DropEstimate(NamedTuple):
    """How much lower one share of records is than another; see :func:`difference_interval`.

    Attributes:
        value: the difference.
        groups: over how many records of both.
        before: hits and records of the one.
        after: those of the other.
    """

    value: float
    groups: int
    before: tuple[int, int]
    after: tuple[int, int]

    def interval(self, confidence: float, groups: int | None = None) -> Interval | None:
        """The interval; with more records of both, all alike, where ``groups`` says so."""
        if min(self.before[1], self.after[1]) < 2:
            return None
        growth = 1.0 if groups is None else groups / self.groups
        before, after = ((hits * growth, count * growth) for hits, count in (self.before, self.after))
        return difference_interval(before, after, confidence)
