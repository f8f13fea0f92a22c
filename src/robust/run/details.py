"""What a page about a run shows beyond its report, collected while its records stream by."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, Final

from robust.canon import JsonObject, fold
from robust.records.decision import LIMIT_SLACK, label_of_answer
from robust.records.run_details import DISTANCE_BINS, Distances, FailedRecord, RunDetails, failure_shares
from robust.relations.compare import breaks_a_limit
from robust.run.changed_text import changed_text, text_start
from robust.run.failures import entry_of
from robust.run.segments import SegmentCounts, SourceShares

_VARIANTS: Final = "variants"


class _Distances:
    def __init__(self) -> None:
        self.zero = 0
        self.bins = [0] * DISTANCE_BINS

    def add(self, distance: float) -> None:
        if distance == 0:
            self.zero += 1
            return
        # What is over an edge by rounding alone is on it, as everywhere.
        place = math.ceil((distance - LIMIT_SLACK) * DISTANCE_BINS) - 1
        self.bins[min(max(place, 0), DISTANCE_BINS - 1)] += 1


class _Failed:
    """The first failing records of a kind: one of each source group before another of the same."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._sources: set[str] = set()
        self._first: list[tuple[int, JsonObject]] = []
        self._others: list[tuple[int, JsonObject]] = []

    def add(self, line: int, record: JsonObject) -> None:
        if len(self._first) >= self._most:
            return
        source = fold(record["source_id"])
        full = len(self._first) + len(self._others) >= self._most
        if source not in self._sources:
            self._sources.add(source)
            self._first.append((line, record))
            if full:
                self._others.pop()
        elif not full:
            self._others.append((line, record))

    def chosen(self) -> list[tuple[int, JsonObject]]:
        """All that are kept, in the order of the records."""
        return sorted([*self._first, *self._others], key=lambda each: each[0])


class DetailsCollector:
    """Collects what a page shows of a run beyond its report.

    Args:
        report: the report that is shown.
        most: how many failing records are kept.
    """

    def __init__(self, report: JsonObject, most: int) -> None:
        self._report = report
        self._confidence = float(report["settings"]["confidence"])
        names: list[str] = list(report["properties"])
        self._violations = {name: SourceShares() for name in names}
        self._flips = {name: SourceShares() for name in names}
        self._distances = {name: _Distances() for name in names}
        # With limits on distances any invariant variant can break something, else only where the base is right.
        self._where_right = SourceShares()
        self._label_pairs: Counter[tuple[str, str]] = Counter()
        self._segments = SegmentCounts()
        self._failed = {kind: _Failed(share) for kind, share in failure_shares(report, most).items()}

    def add(self, line: int, record: JsonObject) -> None:
        """Take in a record, as it is judged now.

        Args:
            line: where it stands, from 1.
            record: the record.
        """
        kind = record["kind"]
        if kind == "skip":
            return
        if kind == "decision":
            self._segments.add(record)
        elif record["comparison"] is not None:
            self._compare(record, record["comparison"])
        if record.get("error") is not None or record.get("violations"):
            failed = self._failed.get(record.get("property", "decision"))
            if failed is not None:
                failed.add(line, record)

    def _compare(self, record: JsonObject, comparison: JsonObject) -> None:
        name, source, relation = record["property"], fold(record["source_id"]), comparison["relation"]
        invariant = relation == "invariant"
        if name != _VARIANTS:
            self._violations[name].add(source, hit=breaks_a_limit(record["violations"]))
        else:
            hit, right = bool(record["violations"]), bool(comparison["base_correct"])
            if right or invariant:
                self._violations[name].add(source, hit=hit)
            if right:
                self._where_right.add(source, hit=hit)
        if invariant or name != _VARIANTS:
            self._flips[name].add(source, hit=comparison["flipped"])
        # An inversion is compared with its labels exchanged, so that its answers should be the same, too.
        if invariant or (name != _VARIANTS and relation == "counterfactual"):
            self._distances[name].add(comparison["tv_distance"])
        if invariant and comparison["flipped"]:
            self._label_pairs[comparison["base_selected"], comparison["variant_selected"]] += 1

    def wanted(self) -> set[str]:
        """The base cases whose inputs :meth:`finish` needs."""
        return {
            record["case_id"]
            for failed in self._failed.values()
            for _, record in failed.chosen()
            if record["kind"] == "pair"
        }

    def finish(self, inputs: Mapping[str, Any]) -> RunDetails:
        """What was collected.

        Args:
            inputs: those of the base cases that are wanted.
        """
        violations = {name: shares.rate(self._confidence) for name, shares in self._violations.items()}
        variants = self._report["properties"].get(_VARIANTS)
        if variants is not None and variants["eligible"] != violations[_VARIANTS].of:
            violations[_VARIANTS] = self._where_right.rate(self._confidence)
        pairs = sorted(self._label_pairs.items(), key=lambda each: (-each[1], each[0]))
        return RunDetails(
            violations=violations,
            flips={name: shares.rate(self._confidence) for name, shares in self._flips.items()},
            distances={name: Distances(found.zero, found.bins) for name, found in self._distances.items()},
            label_pairs=dict(pairs),
            segments=[*self._segments.segments(self._confidence)],
            segment_keys_left=self._segments.left_out(),
            failed=[
                _failed_record(line, record, inputs)
                for failed in self._failed.values()
                for line, record in failed.chosen()
            ],
        )


def _failed_record(line: int, record: JsonObject, inputs: Mapping[str, Any]) -> FailedRecord:
    base, reduced = inputs.get(record["case_id"]), record.get("reduced")
    text, left = text_start(record["input"])
    pair = record["kind"] == "pair" and record["case_id"] in inputs
    return FailedRecord(
        line=line,
        case_id=record["case_id"],
        source_id=record["source_id"],
        expected=label_of_answer(record["expected"]),
        entry=entry_of(record),
        changed=changed_text(base, record["input"]) if pair else None,
        smallest=changed_text(base, reduced["input"]) if pair and reduced is not None else None,
        text=text,
        left=left,
    )


def inputs_of(decisions: Iterable[JsonObject], wanted: set[str]) -> dict[str, Any]:
    """The inputs of base cases by their ids, taken from their decisions, which come before every pair.

    Args:
        decisions: the records of a run, from the first on.
        wanted: the base cases.
    """
    found: dict[str, Any] = {}
    for record in decisions:
        if len(found) == len(wanted) or record["kind"] != "decision":
            break
        if record["case_id"] in wanted:
            found[record["case_id"]] = record["input"]
    return found
