"""Counts over the base decisions, and the golden metrics that follow from them."""

from __future__ import annotations

from robust.canon import JsonObject
from robust.records.contract import Contract
from robust.records.decision import LIMIT_SLACK, label_of_answer, tidy_number
from robust.stats.classification import accuracy, macro_f1


class Groups:
    """How many things were counted, in how many source groups."""

    def __init__(self) -> None:
        self.n = 0
        self._sources: set[str] = set()

    def add(self, source: str) -> None:
        """Count one thing of a folded source."""
        self.n += 1
        self._sources.add(source)

    def metric(self, value: float | None) -> JsonObject:
        """A metric over what was counted, as it stands in a report."""
        shown = None if value is None else tidy_number(value)
        return {"value": shown, "n": self.n, "groups": len(self._sources), "interval": None}

    @property
    def count(self) -> int:
        """How many source groups there are."""
        return len(self._sources)


class GoldenSummary:
    """Counts over the base decisions, and the golden metrics that follow from them."""

    def __init__(self, contract: Contract) -> None:
        self._labels = contract.decision.label_order
        self._threshold = contract.evaluation.confidence_threshold
        self.all = Groups()
        self._decided = Groups()
        self._scored = Groups()
        self._covered = Groups()
        self._covered_scored = Groups()
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
