"""The base cases that a replay asked again, kept as small as numbers are until their pairs have been judged."""

from __future__ import annotations

from array import array
from typing import NamedTuple

from robust.canon import JsonObject
from robust.records.decision import ErrorKind, label_of_answer, tidy_number
from robust.run.answers import Answer
from robust.run.bases import BaseAnswers


class AskedBase(NamedTuple):
    """A base case that was asked again.

    Attributes:
        probabilities: in contract order; None where it ended in an error.
        error: the kind of the error.
        expected: the label of its right answer, where it is known.
        same: whether the answer is the stored one.
    """

    probabilities: tuple[float, ...] | None
    error: ErrorKind | None
    expected: str | None
    same: bool


class AskedBases:
    """Base cases that were asked again.

    Args:
        labels: the labels in contract order.
    """

    def __init__(self, labels: tuple[str, ...]) -> None:
        self._labels = labels
        self._places: dict[str, int] = {}
        self._answers = BaseAnswers(len(labels))
        self._errors: dict[int, ErrorKind] = {}
        self._expected = array("l")
        self._same = bytearray()

    def add(self, record: JsonObject, answer: Answer, *, same: bool) -> None:
        """Keep the answer to the base case of a decision's record, and whether it is the stored one."""
        place = len(self._places)
        self._places[record["case_id"]] = place
        self._answers.add(answer.probabilities)
        if answer.error is not None:
            self._errors[place] = answer.error
        label = label_of_answer(record["expected"])
        self._expected.append(-1 if label is None else self._labels.index(label))
        self._same.append(same)

    def of(self, case_id: str) -> AskedBase:
        """A base case by its id."""
        place = self._places[case_id]
        expected = self._expected[place]
        label = None if expected < 0 else self._labels[expected]
        return AskedBase(self._answers.at(place), self._errors.get(place), label, bool(self._same[place]))

    def said(self, base: AskedBase) -> JsonObject:
        """What it answered, as it stands in results: a distribution or the kind of an error."""
        if base.probabilities is None:
            return {"error": {"kind": base.error}}
        return {"probabilities": dict(zip(self._labels, map(tidy_number, base.probabilities), strict=True))}
