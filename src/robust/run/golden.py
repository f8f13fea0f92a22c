"""One row of numbers for each base decision, and the golden metrics that follow from them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Final

from robust.canon import JsonObject
from robust.records.contract import Contract
from robust.records.decision import LIMIT_SLACK, tidy_number
from robust.stats.case_rows import NONE, CaseRows
from robust.stats.classification import label_scores
from robust.stats.measurement import Measured, Measurement, Measuring

# With more labels than this only the cells that occurred are shown, since their number is the square.
MAX_FULL_CONFUSION: Final = 100


class Groups:
    """How many things were counted, in how many source groups."""

    def __init__(self) -> None:
        self.n = 0
        self._sources: set[str] = set()

    def add(self, source: str) -> None:
        """Count one thing of a folded source."""
        self.n += 1
        self._sources.add(source)

    @property
    def count(self) -> int:
        """How many source groups there are."""
        return len(self._sources)


class GoldenSummary:
    """One row of numbers for each base decision, and the golden metrics that follow from them."""

    def __init__(self, contract: Contract) -> None:
        self._labels = contract.decision.label_order
        self._ordinal = contract.decision.type == "score"
        self._evaluation = contract.evaluation
        self._confidence = contract.statistics.confidence
        self._rows = CaseRows(len(self._labels))
        self._add_row = self._rows.add
        self._numbers: dict[str, int] = {}
        self._closed: int | None = None
        self._measured: Measurement | None = None
        self.errors_by_kind: dict[str, int] = {}

    def add(self, source: str, expected: int, values: Sequence[float] | None) -> None:
        """Count one base decision.

        Args:
            source: its folded source group.
            expected: the position of the right label; :data:`NONE` where it is not known.
            values: the distribution in contract order; None where it was not decided.
        """
        number = self._numbers.setdefault(source, len(self._numbers))
        if values is None:
            self._add_row((number, expected, NONE, 0.0, 0.0), None)
            return
        confidence = max(values)
        selected = values.index(confidence)
        if expected == NONE:
            self._add_row((number, NONE, selected, confidence, 0.0), None)
        else:
            self._add_row((number, expected, selected, confidence, values[expected]), values)

    def extend(self, sources: Sequence[str], expected: Sequence[int], answers: Sequence[Sequence[float]]) -> None:
        """Count base decisions that have answers, both the right ones and the given, as :meth:`add` does each."""
        numbers = self._numbers
        groups = [numbers.setdefault(source, len(numbers)) for source in sources]
        self._rows.extend(groups, expected, answers)

    def count_error(self, kind: str) -> None:
        """Count the kind of an error that a base decision ended in."""
        self.errors_by_kind[kind] = self.errors_by_kind.get(kind, 0) + 1

    def group(self, source: str) -> int:
        """The number of a folded source group of the base cases."""
        return self._numbers.setdefault(source, len(self._numbers))

    @property
    def groups(self) -> int:
        """How many source groups the base cases are of."""
        return len(self._numbers) if self._closed is None else self._closed

    def close(self) -> None:
        """Forget the names of source groups, since nothing is counted any more; how many they are stays known."""
        self._closed, self._numbers = self.groups, {}

    @property
    def cases(self) -> int:
        """How many base cases there are."""
        return len(self._rows)

    @property
    def labelled(self) -> int:
        """How many base cases have an expected answer."""
        return self.measured().labelled

    @property
    def decided(self) -> int:
        """How many base cases were decided."""
        return self.cases - self.errors

    @property
    def errors(self) -> int:
        """How many base cases ended in an error."""
        return sum(self.errors_by_kind.values())

    def measured(self) -> Measurement:
        """Every golden metric of the decisions so far; computed once for the same decisions."""
        if self._measured is None or self._measured.cases != self.cases:
            threshold = self._evaluation.confidence_threshold
            self._measured = Measuring(
                self._rows.table(),
                labels=len(self._labels),
                threshold=None if threshold is None else threshold - LIMIT_SLACK,
                bins=self._evaluation.calibration_bins,
                ordinal=self._ordinal,
            ).measure()
        return self._measured

    def metrics(self) -> JsonObject:
        """The golden metrics by name: value, how many cases and source groups it rests on, and interval."""
        return {name: self._shown(metric) for name, metric in self.measured().metrics.items()}

    def _shown(self, metric: Measured) -> JsonObject:
        interval = None if metric.estimate is None else metric.estimate.interval(self._confidence)
        return {
            "value": None if metric.value is None else tidy_number(metric.value),
            "n": metric.n,
            "groups": metric.groups,
            "interval": None if interval is None else [tidy_number(end) for end in interval],
        }

    def tables(self) -> JsonObject:
        """``confusion`` by expected and selected label, ``per_label`` scores and the ``reliability`` table."""
        confusion = self._confusion()
        measured = self.measured()
        scores = label_scores(confusion, self._labels) if measured.confusion else {}
        return {
            "confusion": confusion,
            "per_label": {label: _tidied(asdict(score)) for label, score in scores.items()},
            "reliability": [_tidied(asdict(row)) for row in measured.reliability],
        }

    def _confusion(self) -> dict[str, dict[str, int]]:
        """Counts by expected label, then by selected label; with few labels every pair of them is present."""
        full = self._labels if len(self._labels) <= MAX_FULL_CONFUSION else ()
        table = {expected: dict.fromkeys(full, 0) for expected in full}
        for (expected, selected), count in self.measured().confusion.items():
            table.setdefault(self._labels[expected], {})[self._labels[selected]] = count
        return table


def _tidied(row: JsonObject) -> JsonObject:
    return {name: None if value is None else tidy_number(value) for name, value in row.items()}
