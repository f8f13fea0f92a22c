"""The segments of a comparison: the matched cases by the values of metadata keys."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from robust.canon import JsonObject
from robust.records.decision import tidy_number
from robust.records.run_diff import MOST_SEGMENTS
from robust.stats.intervals import JackknifeEstimate
from robust.stats.paired_difference import negated, worst_segment

if TYPE_CHECKING:
    from robust.stats.paired_runs import PairedRuns, SegmentFigures


class Segment(NamedTuple):
    """A segment.

    Attributes:
        key: of the metadata.
        value: under it; None of the cases that do not have the key.
        figures: of its cases.
        gated: whether it is large enough to be judged.
    """

    key: str
    value: str | None
    figures: SegmentFigures
    gated: bool

    @property
    def drop(self) -> float | None:
        """How much its accuracy dropped; None where one of the runs has none."""
        figures = self.figures
        if figures.baseline is None or figures.candidate is None:
            return None
        return figures.baseline - figures.candidate


class WorstSegment(NamedTuple):
    """The segment that decides the limit on all of them, with the estimate of its drop."""

    segment: Segment
    estimate: JackknifeEstimate | None


class SegmentCodes:
    """Numbers the segments of each key, case by case; 8 bytes for each case and key.

    Args:
        keys: of the metadata.
    """

    def __init__(self, keys: Sequence[str]) -> None:
        self._keys = keys
        self._numbers: list[dict[str | None, int]] = [{} for _ in keys]
        self._codes = [array("q") for _ in keys]

    def add(self, values: Sequence[str | None]) -> None:
        """Count a matched case by its values; None of a key that it does not have."""
        for numbers, codes, value in zip(self._numbers, self._codes, values, strict=True):
            codes.append(numbers.setdefault(value, len(numbers)))

    def absent(self) -> list[str]:
        """The keys that no case has."""
        return [key for key, numbers in zip(self._keys, self._numbers, strict=True) if set(numbers) <= {None}]

    def segments(self, runs: PairedRuns, smallest: int) -> list[Segment]:
        """All segments, in the order of their keys and values, the cases without a key last.

        Args:
            runs: the two runs.
            smallest: the fewest cases of a segment that is judged.
        """
        found = []
        for key, numbers, codes in zip(self._keys, self._numbers, self._codes, strict=True):
            figures = runs.segments(codes, len(numbers))
            for value in sorted(numbers, key=lambda each: (each is None, each or "")):
                counted = figures[numbers[value]]
                found.append(Segment(key, value, counted, counted.cases >= smallest))
        return found


def worst(segments: Sequence[Segment], runs: PairedRuns, confidence: float, *, bound: bool) -> WorstSegment | None:
    """The segment that decides a limit on the drop of accuracy; None where none can be judged.

    Args:
        segments: all of them.
        runs: the two runs.
        confidence: of intervals.
        bound: whether the upper ends of intervals are judged.
    """
    judged = [(segment, drop) for segment in segments if segment.gated and (drop := segment.drop) is not None]
    estimates = [negated(runs.accuracy_change(segment.figures)) if bound else None for segment, _ in judged]
    ends = [interval[1] if each and (interval := each.interval(confidence)) else None for each in estimates]
    place = worst_segment([(drop, end) for (_, drop), end in zip(judged, ends, strict=True)], bound=bound)
    if place is None:
        return None
    segment = judged[place][0]
    return WorstSegment(segment, negated(runs.accuracy_change(segment.figures)))


def segments_json(
    segments: Sequence[Segment], runs: PairedRuns, confidence: float, decides: WorstSegment | None
) -> JsonObject:
    """The segments as they stand in a report; of a key with too many of them those that dropped most.

    Args:
        segments: all of them.
        runs: the two runs.
        confidence: of intervals.
        decides: the one that decides the limit on all of them.
    """
    listed: list[JsonObject] = []
    left: dict[str, int] = {}
    for key in dict.fromkeys(segment.key for segment in segments):
        of_key = [segment for segment in segments if segment.key == key]
        chosen = sorted(of_key, key=_severity)[:MOST_SEGMENTS]
        shown = {segment.value for segment in chosen}
        listed += [_json(segment, runs, confidence) for segment in of_key if segment.value in shown]
        if len(of_key) > len(chosen):
            left[key] = len(of_key) - len(chosen)
    worst_one = None if decides is None else {"key": decides.segment.key, "value": decides.segment.value}
    return {"listed": listed, "left": left, "worst": worst_one}


def _severity(segment: Segment) -> tuple[bool, float]:
    return not segment.gated, -(segment.drop if segment.drop is not None else -1.0)


def _json(segment: Segment, runs: PairedRuns, confidence: float) -> JsonObject:
    figures = segment.figures
    estimate = negated(runs.accuracy_change(figures))
    interval = None if estimate is None else estimate.interval(confidence)
    rate = figures.flips / figures.compared if figures.compared else None
    numbers = {
        "baseline_accuracy": figures.baseline,
        "candidate_accuracy": figures.candidate,
        "accuracy_drop": segment.drop,
        "answer_flip_rate": rate,
    }
    return {
        "key": segment.key,
        "value": segment.value,
        "matched": figures.cases,
        "compared": figures.compared,
        **{name: None if number is None else tidy_number(number) for name, number in numbers.items()},
        "interval": None if interval is None else [tidy_number(end) for end in interval],
        "gated": segment.gated,
    }
