"""One production record: what it must hold, and everything that contradicts itself in it."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

from robust.canon import JsonObject, describe, join_path
from robust.errors import DataError, Problem
from robust.records.base import unknown_fields
from robust.records.case import id_problem
from robust.records.contract import Contract
from robust.records.decision import LIMIT_SLACK, distribution_problem, label_of_answer, select
from robust.records.production_record import (
    ACTIONS,
    FIELDS,
    LONGEST_VALUE,
    MOST_MEASURED,
    REQUIRED,
    UNKNOWN,
    ProductionRecord,
    SegmentValue,
)

_MAX_SHOWN: Final = 80
_TEXTS: Final = ("backend", "model", "model_version")
_PLAIN: Final = frozenset((str, int, float, bool, type(None)))


@dataclass(frozen=True, slots=True)
class ProductionTerms:
    """What records are held against.

    Attributes:
        decision: the name of the decision.
        labels: its labels, in the contract's order.
        tolerance: how far the sum of a distribution may be from 1.
        segment_by: the metadata keys whose values make segments.
    """

    decision: str
    labels: tuple[str, ...]
    tolerance: float
    segment_by: tuple[str, ...] = ()

    @classmethod
    def of(cls, contract: Contract, segment_by: tuple[str, ...] = ()) -> ProductionTerms:
        """The terms of a contract."""
        decision = contract.decision
        return cls(decision.name, tuple(decision.label_order), contract.evaluation.probability_tolerance, segment_by)


def read_record(row: Any, terms: ProductionTerms, path: str = "$") -> ProductionRecord:
    """Read one record strictly; nothing is repaired, and what is unknown stays unknown.

    Args:
        row: the value that stands in the file.
        terms: what it is held against.
        path: where it stands, for errors.

    Raises:
        DataError: with everything that is wrong with it.
    """
    if not isinstance(row, dict):
        raise DataError.of("wrong_value", f"a record must be an object, not {describe(row)}", path=path)
    reading = _Reading(row, terms, path)
    record = reading.read()
    if record is None or reading.problems:
        raise DataError(*reading.problems)
    return record


class _Reading:
    """Reads one record and gathers what is wrong with it."""

    def __init__(self, row: JsonObject, terms: ProductionTerms, path: str) -> None:
        self._row = row
        self._terms = terms
        self._path = path
        self.problems = [*unknown_fields(row, FIELDS, path)]

    def read(self) -> ProductionRecord | None:
        self._missing()
        self._plain_fields()
        values = self._distribution()
        selected = UNKNOWN if values is None else select(values)
        if values is not None:
            self._follows(values, selected)
        outcome = self._outcome()
        right = self._right(selected, outcome)
        action, fallback = self._routing()
        latency, cost = self._number("latency_ms"), self._number("cost")
        segments = self._segments()
        if values is None or self.problems:
            return None
        row = self._row
        record_id, stamp = row.get("id"), row.get("timestamp")
        return ProductionRecord(
            record_id, values, selected, outcome, right, action, fallback, latency, cost, stamp, segments
        )

    def _wrong(self, field: str, message: str, code: str = "wrong_value", hint: str | None = None) -> None:
        self.problems.append(Problem(code=code, message=message, path=join_path(self._path, field), hint=hint))

    def _missing(self) -> None:
        for name in REQUIRED:
            if self._row.get(name) is None:
                self._wrong(name, "the field is missing", "missing_field")

    def _plain_fields(self) -> None:
        row, terms = self._row, self._terms
        if (named := row.get("id")) is not None and (problem := id_problem(named, join_path(self._path, "id"))):
            self.problems.append(problem)
        decision = row.get("decision")
        if decision is not None and decision != terms.decision:
            message = f"{_shown(decision)} is not the contract's decision {terms.decision!r}"
            self._wrong("decision", message, "other_decision", "check the records of each decision by itself")
        for name in _TEXTS:
            if row.get(name) is not None and not isinstance(row[name], str):
                self._wrong(name, f"must be text, not {describe(row[name])}")
        if row.get("input") is not None and not isinstance(row["input"], str | dict):
            self._wrong("input", f"must be text or an object, not {describe(row['input'])}")
        if (stamp := row.get("timestamp")) is not None and (reason := _stamp_problem(stamp)):
            self._wrong("timestamp", reason, hint="write it as 2026-03-01T12:00:00Z")

    def _distribution(self) -> tuple[float, ...] | None:
        answer, labels = self._row.get("probabilities"), self._terms.labels
        if answer is None:
            return None
        problem = distribution_problem(answer, labels, self._terms.tolerance)
        if problem is not None:
            self._wrong("probabilities", problem, "invalid_distribution")
            return None
        return tuple(float(answer[label]) for label in labels)

    def _follows(self, values: tuple[float, ...], selected: int) -> None:
        """What follows from the distribution, and may not be told otherwise."""
        told, due = self._row.get("selected"), self._terms.labels[selected]
        if told is not None and label_of_answer(told) != due:
            message = f"{_shown(told)} is not the most probable label {due!r}"
            hint = "of equal ones it is the label that the contract lists first"
            self._wrong("selected", message, "contradiction", hint)
        confidence = self._row.get("confidence")
        if confidence is None:
            return
        if not _is_number(confidence):
            self._wrong("confidence", f"must be a number, not {describe(confidence)}")
        elif not abs(_double(confidence) - values[selected]) <= LIMIT_SLACK:
            message = f"{confidence!r} is not the probability of {due!r}, {values[selected]!r}"[:400]
            self._wrong("confidence", message, "contradiction")

    def _outcome(self) -> int:
        told = self._row.get("outcome")
        if told is None:
            return UNKNOWN
        label = label_of_answer(told)
        if label not in self._terms.labels:
            known = ", ".join(map(repr, self._terms.labels))
            message = f"{_shown(told)} is none of the labels {known if len(known) < 200 else known[:199] + '…'}"
            self._wrong("outcome", message)
            return UNKNOWN
        return self._terms.labels.index(label)

    def _right(self, selected: int, outcome: int) -> int:
        told = self._row.get("outcome_correct")
        if told is not None and not isinstance(told, bool):
            self._wrong("outcome_correct", f"must be true or false, not {describe(told)}")
            told = None
        if outcome == UNKNOWN or selected == UNKNOWN:
            return UNKNOWN if told is None else int(told)
        right = outcome == selected
        if told is not None and told is not right:
            labels = self._terms.labels
            message = (
                f"{str(told).lower()} is told where {labels[selected]!r} was selected and {labels[outcome]!r} is right"
            )
            self._wrong("outcome_correct", message[:400], "contradiction")
        return int(right)

    def _routing(self) -> tuple[int, int]:
        told, fallback = self._row.get("action"), self._row.get("fallback")
        action = UNKNOWN
        if told is not None:
            if isinstance(told, str) and told in ACTIONS:
                action = ACTIONS.index(told)
            else:
                self._wrong("action", f"{_shown(told)} is none of {', '.join(ACTIONS)}")
        if fallback is not None and not isinstance(fallback, bool):
            self._wrong("fallback", f"must be true or false, not {describe(fallback)}")
            fallback = None
        if action == UNKNOWN:
            return UNKNOWN, UNKNOWN if fallback is None else int(fallback)
        taken = ACTIONS[action] == "fallback"
        if fallback is not None and fallback is not taken:
            message = f"{str(fallback).lower()} is told beside the action {ACTIONS[action]!r}"
            self._wrong("fallback", message, "contradiction")
        return action, int(taken)

    def _number(self, name: str) -> float | None:
        told = self._row.get(name)
        if told is None:
            return None
        if not _is_number(told):
            self._wrong(name, f"must be a number, not {describe(told)}")
            return None
        number = _double(told)
        if not 0 <= number <= MOST_MEASURED:
            self._wrong(name, f"must be a number from 0 to {MOST_MEASURED:g}, not {number!r}")
            return None
        return number + 0.0

    def _segments(self) -> tuple[SegmentValue, ...]:
        metadata = self._row.get("metadata")
        if metadata is None:
            metadata = {}
        elif not isinstance(metadata, dict):
            self._wrong("metadata", f"must be an object, not {describe(metadata)}")
            metadata = {}
        values = []
        for key in self._terms.segment_by:
            value = metadata.get(key)
            for message in segment_problems(value):
                path = join_path(join_path(self._path, "metadata"), key)
                hint = "segment by a key with plain values, or write one into the records"
                self.problems.append(Problem(code="bad_segment", message=message, path=path, hint=hint))
            values.append(value)
        return tuple(values)


def segment_problems(value: Any) -> Iterator[str]:
    """Why a value cannot make a segment."""
    if type(value) not in _PLAIN:
        yield f"the value of a segment must be text, a number, true, false or null, not {describe(value)}"
    elif isinstance(value, str) and len(value) > LONGEST_VALUE:
        yield f"the value of a segment has {len(value)} characters, at most {LONGEST_VALUE} are due"


def _stamp_problem(stamp: Any) -> str | None:
    if not isinstance(stamp, str):
        return f"must be text, not {describe(stamp)}"
    try:
        moment = datetime.fromisoformat(stamp)
        if moment.tzinfo is not None:
            moment.astimezone(UTC)
            return None
    except (ValueError, OverflowError):
        return f"{_shown(stamp)} is no time in ISO 8601"
    return f"{_shown(stamp)} has no time zone"


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _double(value: float) -> float:
    try:
        return float(value)
    except OverflowError:
        return math.inf


def _shown(value: Any) -> str:
    if not isinstance(value, str):
        return repr(value) if _is_number(value) and abs(_double(value)) < 1e300 else describe(value)
    return repr(value if len(value) <= _MAX_SHOWN else value[: _MAX_SHOWN - 1] + "…")
