"""Two runs compared case by case: what is counted while their answers stream by, and everything that follows."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Final

from robust.canon import JsonObject
from robust.records.contract import Contract
from robust.records.decision import LIMIT_SLACK, tidy_number
from robust.records.report import CheckResult
from robust.records.run_diff import MOST_UNMATCHED, ComparedAnswer, ComparedCase
from robust.run.diff_changes import Changes
from robust.run.diff_checks import Measured, diff_checks
from robust.run.diff_segments import Segment, SegmentCodes, WorstSegment, segments_json, worst
from robust.run.observations import Observations
from robust.stats.case_rows import NONE, CaseRows
from robust.stats.distances import jensen_shannon, total_variation
from robust.stats.intervals import Estimate
from robust.stats.measurement import Measured as MetricValue
from robust.stats.paired_difference import mcnemar_p_value
from robust.stats.paired_runs import PairedMetric, PairedRuns, Shift

_SIDES: Final = ("baseline", "candidate")
_PERCENTILES: Final = ("mean_ms", "p50_ms", "p95_ms")


class RunComparison:
    """Compares two runs of one decision.

    Both are judged by the right answers of the candidate, so that what differs is what the models answered.

    Args:
        contract: whose decision it is, and whose settings, limits and statistics hold.
        keys: the metadata keys whose values make segments.
    """

    def __init__(self, contract: Contract, keys: Sequence[str]) -> None:
        self._contract = contract
        self._labels = contract.decision.label_order
        self._places = {label: place for place, label in enumerate(self._labels)}
        self._rows = [CaseRows(len(self._labels)) for _ in _SIDES]
        self._distances = array("d")
        self._groups: dict[str, int] = {}
        self._observed = [Observations() for _ in _SIDES]
        self._errors: Counter[tuple[str, str]] = Counter()
        self._counts: Counter[str] = Counter()
        self._unmatched: dict[str, list[str]] = {side: [] for side in _SIDES}
        self._confidence = contract.statistics.confidence
        self.changes = Changes(self._labels)
        self.segments = SegmentCodes(keys)

    def add(self, case: ComparedCase) -> None:
        """Take in a case of either run or both."""
        baseline, candidate = case.baseline, case.candidate
        if baseline is None or candidate is None:
            side = _SIDES[baseline is None]
            self._counts[f"only_in_{side}"] += 1
            if len(self._unmatched[side]) < MOST_UNMATCHED:
                self._unmatched[side].append(case.case_id)
            return
        self._counts["matched"] += 1
        self._counts["labelled"] += candidate.expected is not None
        for name, differs in (
            ("other_input", baseline.content != candidate.content),
            ("other_expected", baseline.expected != candidate.expected),
            ("other_source", baseline.source != candidate.source),
        ):
            self._counts[name] += differs
        group = self._groups.setdefault(candidate.source, len(self._groups))
        expected = NONE if candidate.expected is None else self._places.get(candidate.expected, NONE)
        for rows, observed, answer in zip(self._rows, self._observed, (baseline, candidate), strict=True):
            _add_row(rows, group, expected, answer.probabilities)
            if answer.probabilities is not None and answer.latency is not None:
                observed.add_latencies((answer.latency,))
        distance = self._compare(baseline, candidate)
        self.changes.add(case.case_id, baseline, candidate, distance)
        self.segments.add(candidate.segments)

    def _compare(self, baseline: ComparedAnswer, candidate: ComparedAnswer) -> float | None:
        first, second = baseline.probabilities, candidate.probabilities
        for side, answer in zip(_SIDES, (baseline, candidate), strict=True):
            if answer.error is not None:
                self._errors[answer.error, side] += 1
        if first is None or second is None:
            self._counts["still" if first is second else "new" if second is None else "recovered"] += 1
            self._distances.extend((0.0, 0.0))
            return None
        # Distributions may sum to a little more than 1.
        distance = min(1.0, total_variation(first, second))
        self._distances.extend((distance, jensen_shannon(first, second)))
        return distance

    @property
    def matched(self) -> int:
        """How many cases both runs have."""
        return self._counts["matched"]

    @property
    def unmatched(self) -> Mapping[str, Sequence[str]]:
        """The ids of the first cases that only one of the runs has."""
        return self._unmatched

    @property
    def compared(self) -> int:
        """How many cases both runs decided."""
        return self.matched - sum(self._counts[name] for name in ("new", "recovered", "still"))

    @cached_property
    def runs(self) -> PairedRuns:
        """The numbers of both runs; behind the last case."""
        threshold = self._contract.evaluation.confidence_threshold
        baseline, candidate = (rows.table() for rows in self._rows)
        return PairedRuns(
            baseline,
            candidate,
            self._distances,
            labels=len(self._labels),
            threshold=None if threshold is None else threshold - LIMIT_SLACK,
            bins=self._contract.evaluation.calibration_bins,
            ordinal=self._contract.decision.type == "score",
        )

    @cached_property
    def _metrics(self) -> dict[str, PairedMetric]:
        return self.runs.metrics()

    @cached_property
    def _segments(self) -> list[Segment]:
        return self.segments.segments(self.runs, self._contract.regression.min_segment_size)

    @cached_property
    def _worst(self) -> WorstSegment | None:
        bound = self._contract.statistics.judge == "bound"
        return worst(self._segments, self.runs, self._confidence, bound=bound)

    def checks(self) -> list[CheckResult]:
        """Every gate of the contract's ``regression``, requirements first."""
        first, second = (seen.latency_p95() for seen in self._observed)
        measured = Measured(
            metrics=self._metrics,
            flip_rate=self.runs.flips(),
            tv_distance=self.runs.total_variation(),
            confidence_shift=self.runs.confidence()[1],
            latency_rise=None if first is None or second is None else second - first,
            segment=self._worst,
        )
        return diff_checks(self._contract, measured)

    def derived(self) -> JsonObject:
        """The parts of a report that follow from the answers, but for the list of changed cases."""
        return {
            "counts": self._counted(),
            "unmatched": {side: list(ids) for side, ids in self._unmatched.items()},
            "answers": self._answers(),
            "distributions": self._distributions(),
            "confidence": self._confidence_shifts(),
            "metrics": {name: self._metric(metric) for name, metric in self._metrics.items()},
            "errors": self._errors_json(),
            "segments": segments_json(self._segments, self.runs, self._confidence, self._worst),
        }

    def latency(self) -> JsonObject:
        """What was observed of the calls in both runs, in milliseconds."""
        first, second = (seen.latency() for seen in self._observed)
        figures: JsonObject = {}
        for name in _PERCENTILES:
            known = first[name] is not None and second[name] is not None
            delta = tidy_number(second[name] - first[name]) if known else None
            figures[name] = {"baseline": first[name], "candidate": second[name], "delta": delta}
        return figures

    def _counted(self) -> JsonObject:
        counts = self._counts
        return {
            "baseline_cases": counts["matched"] + counts["only_in_baseline"],
            "candidate_cases": counts["matched"] + counts["only_in_candidate"],
            "matched": counts["matched"],
            "only_in_baseline": counts["only_in_baseline"],
            "only_in_candidate": counts["only_in_candidate"],
            "compared": self.compared,
            "labelled": counts["labelled"],
            "groups": len(self._groups),
            "other_input": counts["other_input"],
            "other_expected": counts["other_expected"],
            "other_source": counts["other_source"],
        }

    def _answers(self) -> JsonObject:
        flips, moves = self.runs.flips(), self.runs.moves()
        labelled = moves.cases > 0
        return {
            "flips": 0 if flips is None else flips.hits,
            "flip_rate": None if flips is None else tidy_number(flips.value),
            "interval": self._interval(flips),
            "label_pairs": self.changes.label_pairs(),
            "newly_wrong": moves.newly_wrong,
            "newly_right": moves.newly_right,
            "both_right": moves.both_right,
            "both_wrong": moves.both_wrong,
            "mcnemar": {
                "cases": moves.cases,
                "p_value": mcnemar_p_value(moves.newly_wrong, moves.newly_right) if labelled else None,
                "groups_worse": moves.groups_worse,
                "groups_better": moves.groups_better,
                "groups_p_value": mcnemar_p_value(moves.groups_worse, moves.groups_better) if labelled else None,
            },
        }

    def _distributions(self) -> JsonObject:
        distances, divergences = self.runs.total_variation(), self.runs.jensen_shannon()
        zero, bins = self.runs.tv_bins()
        return {
            "mean_tv_distance": self._mean(distances),
            "max_tv_distance": _tidy(distances.largest),
            "mean_js_divergence": self._mean(divergences),
            "tv_zero": zero,
            "tv_bins": bins,
        }

    def _confidence_shifts(self) -> JsonObject:
        signed, size = self.runs.confidence()
        return {
            "mean_shift": self._mean(signed),
            "mean_abs_shift": self._mean(size),
            "max_abs_shift": _tidy(size.largest),
        }

    def _mean(self, shift: Shift) -> JsonObject:
        return {"value": _tidy(shift.mean), "interval": self._interval(shift.estimate)}

    def _metric(self, metric: PairedMetric) -> JsonObject:
        return {
            "baseline": self._value(metric.baseline),
            "candidate": self._value(metric.candidate),
            "delta": _tidy(metric.delta),
            "interval": self._interval(metric.estimate),
        }

    def _value(self, measured: MetricValue) -> JsonObject:
        interval = self._interval(measured.estimate)
        return {"value": _tidy(measured.value), "n": measured.n, "groups": measured.groups, "interval": interval}

    def _interval(self, estimate: Estimate | None) -> list[float] | None:
        found = None if estimate is None else estimate.interval(self._confidence)
        return None if found is None else [tidy_number(end) for end in found]

    def _errors_json(self) -> JsonObject:
        kinds = sorted({kind for kind, _ in self._errors})
        return {
            **{name: self._counts[name] for name in ("new", "recovered", "still")},
            "by_kind": {kind: {side: self._errors[kind, side] for side in _SIDES} for kind in kinds},
        }


def _add_row(rows: CaseRows, group: int, expected: int, values: tuple[float, ...] | None) -> None:
    """A case as the golden metrics take it in."""
    if values is None:
        rows.add((group, expected, NONE, 0.0, 0.0), None)
        return
    confidence = max(values)
    selected = values.index(confidence)
    if expected == NONE:
        rows.add((group, NONE, selected, confidence, 0.0), None)
    else:
        rows.add((group, expected, selected, confidence, values[expected]), values)


def _tidy(value: float | None) -> float | int | None:
    return None if value is None else tidy_number(value)
