"""What refused candidates would have done to the figures: the model is asked about them outside of any run."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from language_model import LANGUAGES, language_probabilities
from language_story import is_right
from robust import Validation


@dataclass(slots=True)
class Tally:
    """Candidates of one kind: those that were scored, and those that were refused.

    Attributes:
        scored: pairs that count in the rate of the run.
        failed: those of them that failed.
        refused: refused candidates that would count, had they been scored.
        would_fail: those of them that would have failed.
    """

    scored: int = 0
    failed: int = 0
    refused: int = 0
    would_fail: int = 0

    def add_scored(self, failed: bool) -> None:
        """Count a pair of the run."""
        self.scored += 1
        self.failed += failed

    def add_refused(self, failed: bool) -> None:
        """Count a refused candidate."""
        self.refused += 1
        self.would_fail += failed

    def __iadd__(self, other: Tally) -> Tally:
        self.scored += other.scored
        self.failed += other.failed
        self.refused += other.refused
        self.would_fail += other.would_fail
        return self


def answer(text: str) -> str:
    """The language that the model selects: the most probable one, of equal ones the first."""
    probabilities = language_probabilities(text)
    return max(LANGUAGES, key=probabilities.__getitem__)


def property_tally(records: Iterable[Any], name: str) -> Tally:
    """Pairs of a property that makes its own candidates; one whose answer differs from that to its text fails.

    Args:
        records: those of a run, in their order.
        name: the property.
    """
    tally = Tally()
    selected: dict[str, str] = {}
    for record in records:
        if record["kind"] == "decision" and "result" in record:
            selected[record["case_id"]] = record["result"]["selected"]
        elif record["kind"] == "pair" and record["property"] == name:
            if record.get("comparison"):
                tally.add_scored(record["comparison"]["flipped"])
            elif record["validation"]["status"] != "valid" and record["case_id"] in selected:
                tally.add_refused(answer(record["input"]) != selected[record["case_id"]])
    return tally


def variant_tallies(records: Iterable[Any], validations: Iterable[Validation]) -> dict[str, Tally]:
    """By edit, pairs whose text is answered right; one whose variant is answered wrong fails.

    Args:
        records: those of a run of the manifest, in their order.
        validations: all judgements; the manifest has only those that were valid.
    """
    tallies: dict[str, Tally] = {}
    right: dict[str, str] = {}
    for record in records:
        if record["kind"] == "decision" and is_right(record):
            right[record["case_id"]] = record["expected"]
        elif record["kind"] == "pair" and record["property"] == "variants" and record["case_id"] in right:
            edit = record["provenance"]["origin"]["transform"]
            tallies.setdefault(edit, Tally()).add_scored(not is_right(record))
    for validation in validations:
        data = validation.data
        base, candidate = data["base"], data["candidate"]
        if validation.status != "valid" and base["case_id"] in right:
            tally = tallies.setdefault(candidate["origin"]["transform"], Tally())
            tally.add_refused(answer(candidate["input"]) != right[base["case_id"]])
    return tallies
