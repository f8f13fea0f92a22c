"""What is counted of a part of a run's records: plain data that another process can make and hand over."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from robust.canon import JsonObject, decode_own, fold
from robust.records.contract import Contract
from robust.records.decision import label_of_answer
from robust.run.answers import Answer
from robust.run.failures import Failures
from robust.run.observations import Observations
from robust.run.pair_counts import PairCounts
from robust.run.record import answers_of, probabilities_of
from robust.stats.case_rows import NONE


class DecisionRow(NamedTuple):
    """What is counted of a base decision.

    Attributes:
        source: the folded source group.
        expected: the position of the right label; :data:`NONE` where it is not known.
        probabilities: in contract order; None where it was not decided.
    """

    source: str
    expected: int
    probabilities: tuple[float, ...] | None


class Tally:
    """Counts records as they pass by; a summary takes it in.

    Args:
        contract: the contract that runs.
        pairs: the names of the properties that generate candidates.
    """

    def __init__(self, contract: Contract, pairs: Sequence[str]) -> None:
        # What is counted of base decisions, an entry of each for every one of them; see DecisionRow.
        self.sources: list[str] = []
        self.expected: list[int] = []
        self.answers: list[tuple[float, ...] | None] = []
        self.case_ids: list[str] = []
        self.error_kinds: list[str] = []
        self.further: list[tuple[int, list[tuple[float, ...] | None]]] = []
        self.observations = Observations()
        self.pairs = {name: PairCounts() for name in pairs}
        self.failures = Failures()
        self._contract: Contract | None = contract
        self._positions = {label: place for place, label in enumerate(contract.decision.label_order)}

    @property
    def rows(self) -> list[DecisionRow]:
        """What is counted of each base decision."""
        return [*map(DecisionRow, self.sources, self.expected, self.answers)]

    def add_answer(self, case_id: str, source: str, expected: object, answer: Answer) -> None:
        """Count a decided base case that was asked once, without its record.

        Args:
            case_id: the case's id.
            source: its folded source group.
            expected: its right answer.
            answer: to it, in contract order.
        """
        self._add_row(case_id, source, expected, answer.probabilities)
        self.observations.add(answer.observed, decided=True)

    def places_of(self, expected: Sequence[bytes]) -> list[int]:
        """The positions of right answers in canonical bytes, each a label or ``null``; see :meth:`add_answers`."""
        known = {answer: self._place_of(decode_own(answer)) for answer in set(expected)}
        return [known[answer] for answer in expected]

    def _place_of(self, expected: object) -> int:
        label = expected if type(expected) is str else label_of_answer(expected)
        # What is no label is refused before anything is asked, and again when it is read.
        return NONE if label is None else self._positions.get(label, NONE)

    def add_answers(
        self,
        case_ids: Sequence[str],
        sources: Sequence[str],
        expected: Sequence[int],
        answers: Sequence[tuple[float, ...]],
        latencies: Sequence[float],
    ) -> None:
        """Count decided base cases that were asked once, each without its record; an entry of each for every case.

        Args:
            case_ids: the cases' ids.
            sources: their folded source groups.
            expected: the positions of their right labels; :data:`NONE` where they are not known.
            answers: the distributions, in contract order.
            latencies: in milliseconds.
        """
        self.sources += sources
        self.expected += expected
        self.answers += answers
        self.case_ids += case_ids
        self.observations.add_latencies(latencies)

    def _add_row(self, case_id: str, source: str, expected: object, values: tuple[float, ...] | None) -> None:
        self.sources.append(source)
        self.expected.append(self._place_of(expected))
        self.answers.append(values)
        self.case_ids.append(case_id)

    def add_decision(self, record: JsonObject) -> None:
        """Count a base decision by its record."""
        assert self._contract is not None  # noqa: S101 - nothing is counted behind the handing over
        failed = "error" in record
        values = probabilities_of(record, self._contract)
        if "trials" in record:
            self.further.append((len(self.answers), answers_of(record, self._contract)[1:]))
        self._add_row(record["case_id"], fold(record["source_id"]), record["expected"], values)
        self.observations.add(record["observed"], decided=not failed)
        if failed:
            self.error_kinds.append(record["error"]["kind"])
            self.observations.add_message(record["error"]["kind"], record["observed"])
        self.failures.add(record)

    def add_pair(self, record: JsonObject, source: str) -> None:
        """Count a generated pair of a folded source, by its record."""
        self.pairs[record["property"]].add(record, source)
        self.observe(record)
        self.failures.add(record)

    def add_compared(self, name: str, comparisons: Sequence[JsonObject], sources: set[str], *, assumed: bool) -> None:
        """Count generated pairs that hold, without their records; nothing was observed of them but latencies.

        Args:
            name: of the property.
            comparisons: of each of them; one object may stand for many.
            sources: the folded source groups of all of them.
            assumed: whether they are scored on assumption.
        """
        counts = self.pairs[name]
        if assumed:
            counts.statuses["assumed"] += len(comparisons)
        counts.compare_all(comparisons, sources)

    def observe(self, record: JsonObject) -> None:
        """Count what was observed of a pair."""
        if record["observed"]:
            self.observations.add(record["observed"], decided=False)
        if "error" in record:
            self.observations.add_message(record["error"]["kind"], record["observed"])

    def skip(self, record: JsonObject) -> None:
        """Count a case that a property could not transform."""
        self.pairs[record["property"]].skipped[record["reason"]] += 1

    def __getstate__(self) -> JsonObject:
        # The contract stays where it is: what was counted needs none.
        return {**self.__dict__, "_contract": None}
