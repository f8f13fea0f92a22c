"""Contracts and cases for ``parity.py``: distributions as irregular as a contract allows, made by a hash of our own.

Every number is made from SHA-256, so that each run on each machine compares the same.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

CASES = 600
# A published contract's mock refuses sums that are farther from 1, whatever the contract's own tolerance.
MOCK_TOLERANCE = 0.001
# A confidence is either exactly on an edge or at least this far from it, so that no slack decides.
CLEARANCE = 1e-6
KINDS = (
    *("plain", "tie", "zeros", "sure", "over one", "tiny", "low sum", "high sum", "highest sum"),
    *("bin edge", "threshold"),
)


class Subject(NamedTuple):
    """One decision to compare both tools on.

    Attributes:
        name: of the decision.
        kind: choice, noul or score.
        labels: in order; the last of ``rare`` of them are never expected and never selected.
        rare: how many these are.
        evaluation: the section of the contract.
        required: where the limits of the requirements stand, in turn: at the metric, or on one side of it.
        warned: the same for the warnings.
        errors_allowed: the limit on the error rate; None leaves the implicit one.
    """

    name: str
    kind: str
    labels: tuple[str, ...]
    rare: int
    evaluation: dict[str, Any]
    required: tuple[str, ...]
    warned: tuple[str, ...]
    errors_allowed: float | None


SUBJECTS = (
    Subject(
        name="complaint",
        kind="choice",
        labels=("refund", "repair", "replacement", "apology", "none"),
        rare=1,
        evaluation={"confidence_threshold": 0.55, "calibration_bins": 10},
        required=("fails", "at", "holds"),
        warned=("holds", "fails", "at"),
        errors_allowed=None,
    ),
    Subject(
        name="escalate",
        kind="noul",
        labels=("yes", "no"),
        rare=0,
        evaluation={"confidence_threshold": 0.8, "calibration_bins": 7, "probability_tolerance": 0.01},
        required=("at", "holds"),
        warned=("fails", "holds", "at"),
        errors_allowed=0.25,
    ),
    Subject(
        name="urgency",
        kind="score",
        labels=("1", "2", "3", "4"),
        rare=0,
        evaluation={"confidence_threshold": 0.625, "calibration_bins": 16, "probability_tolerance": 0.0005},
        required=("holds", "at"),
        warned=("at", "holds"),
        errors_allowed=0.25,
    ),
    Subject(
        name="satisfaction",
        kind="score",
        labels=("very low", "low", "fair", "good", "very good", "beyond words"),
        rare=2,
        evaluation={"confidence_threshold": 0.3, "calibration_bins": 25},
        required=("at", "fails"),
        warned=("fails", "holds"),
        errors_allowed=0.05,
    ),
)


class Stream:
    """Numbers that look random and are the same everywhere."""

    def __init__(self, *seed: str) -> None:
        self._seed = "/".join(seed)
        self._count = 0

    def unit(self) -> float:
        """A number of 53 bits, at least 0 and less than 1."""
        self._count += 1
        digest = hashlib.sha256(f"{self._seed}/{self._count}".encode()).digest()
        return (int.from_bytes(digest[:8]) >> 11) / 2**53

    def below(self, end: int) -> int:
        """A whole number from 0, less than ``end``."""
        return int(self.unit() * end)


class Example(NamedTuple):
    """One case, and what the model answers to it."""

    row: dict[str, Any]
    token: str
    probabilities: dict[str, float]


def examples(subject: Subject) -> Iterator[Example]:
    """Every case of a decision."""
    stream = Stream("parity", subject.name)
    for number in range(CASES):
        probabilities = _distribution(subject, KINDS[number % len(KINDS)], stream)
        selected = max(probabilities, key=lambda label: probabilities[label])
        token = f"{subject.name} {number:04} end"
        row: dict[str, Any] = {"id": f"{subject.name}-{number:04}", "input": _input(token, number)}
        expected = _expected(subject, selected, stream)
        # What is not known is left out, or said to be null.
        if expected is not None or number % 2:
            row["expected"] = int(expected) if expected and expected.isdigit() and number % 3 == 0 else expected
        yield Example(row, token, probabilities)


def _input(token: str, number: int) -> str | dict[str, Any]:
    """A text or an object; rules find the token whatever its case and its blanks."""
    if number % 7 == 0:
        return {"message": f"Re: {token}", "attachments": number % 5, "amount": number / 8}
    return f"Customer writes:\n  {token.upper().replace(' ', '  ')}, and asks to be called back."


def _expected(subject: Subject, selected: str, stream: Stream) -> str | None:
    """The right answer: often the selected one, sometimes another, sometimes nobody knows."""
    chance = stream.unit()
    if chance < 0.12:
        return None
    common = subject.labels[: len(subject.labels) - subject.rare]
    return selected if chance < 0.7 else common[stream.below(len(common))]


def _distribution(subject: Subject, kind: str, stream: Stream) -> dict[str, float]:
    """An irregular distribution of one kind, over labels in an order that is drawn."""
    while True:
        values = _values(subject, kind, stream)
        common = list(subject.labels[: len(subject.labels) - subject.rare])
        drawn = [common.pop(stream.below(len(common))) for _ in range(len(common))]
        # The least probable of them are for the labels that are never selected.
        shares = dict(zip([*drawn, *subject.labels[len(drawn) :]], values, strict=True))
        if _clear(max(values), subject) and values[0] == max(values):
            return {label: shares[label] for label in subject.labels}


def _values(subject: Subject, kind: str, stream: Stream) -> list[float]:
    """Probabilities from the largest down, which sum to about 1."""
    count, evaluation = len(subject.labels), subject.evaluation
    tolerance = min(evaluation.get("probability_tolerance", MOCK_TOLERANCE), MOCK_TOLERANCE)
    if kind == "sure":
        return [1.0, *[0.0] * (count - 1)]
    if kind == "over one":
        # Rounded upwards by its model, and within the tolerance all the same.
        return [1 + tolerance / 2, *[0.0] * (count - 1)]
    if kind == "tiny":
        tiny = [10 ** -(2 + 320 * stream.unit() ** 2) for _ in range(count - 1)]
        return [1 - math.fsum(tiny), *sorted(tiny, reverse=True)]
    if kind == "tie":
        share = 0.5 if count == 2 else 0.34 + 0.15 * stream.unit()
        return [share, share, *_parts(1 - 2 * share, count - 2, stream)]
    if kind == "highest sum":
        # Just on the edge: the rounding is on the side of what is accepted.
        return [(1 + tolerance) / 2] * 2 + [0.0] * (count - 2)
    if kind == "bin edge":
        bins = evaluation["calibration_bins"]
        first = next(index for index in range(bins) if (index + 1) / bins >= 1.2 / count)
        return _with_confidence((first + stream.below(bins - first - 1) + 1) / bins, count, stream)
    if kind == "threshold":
        return _with_confidence(evaluation["confidence_threshold"], count, stream)
    total = {"low sum": 1 - tolerance + 2 * CLEARANCE, "high sum": 1 + tolerance - 2 * CLEARANCE}.get(kind, 1)
    if kind == "zeros":
        return [*_parts(total, max(count // 2, 1), stream), *[0.0] * (count - max(count // 2, 1))]
    return _parts(total, count, stream)


def _with_confidence(confidence: float, count: int, stream: Stream) -> list[float]:
    """The largest probability exactly this, the others drawn."""
    return [confidence, *_parts(1 - confidence, count - 1, stream)]


def _parts(total: float, count: int, stream: Stream) -> list[float]:
    """A total in so many irregular parts, the largest first."""
    weights = [0.02 + stream.unit() ** 3 for _ in range(count)]
    return sorted((total * weight / math.fsum(weights) for weight in weights), reverse=True)


def _clear(confidence: float, subject: Subject) -> bool:
    """Whether a confidence is exactly on an edge, or well away from all of them."""
    bins = subject.evaluation["calibration_bins"]
    edges = [(index + 1) / bins for index in range(bins)] + [subject.evaluation["confidence_threshold"]]
    return all(confidence == edge or abs(confidence - edge) > CLEARANCE for edge in edges)


def answers(subject: Subject) -> dict[str, tuple[int, str]]:
    """What a service answers to each case: the same distributions, but for the faults that every service has."""
    return {
        str(example.row["id"]): _faulty(number, dict(example.probabilities), subject)
        for number, example in enumerate(examples(subject))
    }


def _faulty(number: int, shares: dict[str, float], subject: Subject) -> tuple[int, str]:
    """The answer to one case; every seventh goes wrong in one of several ways."""
    kind, turn = number % 7, number // 7 % 9
    labels, status = subject.labels, 200
    if kind == 5 and subject.evaluation.get("probability_tolerance", 0) > MOCK_TOLERANCE:
        # Farther from 1 than any mock may be, but within the contract's own tolerance.
        shares = {label: share * 1.0085 for label, share in shares.items()}
    if kind == 3:
        if turn < 3:
            status = (503, 500, 302)[turn]
        elif turn == 3:
            del shares[labels[0]]
        elif turn == 4:
            shares["something else"] = 0.0
        elif turn == 5:
            shares = {label: 100 * share for label, share in shares.items()}
        elif turn == 6:
            shares = {label: share * 1.0125 for label, share in shares.items()}
        elif turn == 7:
            shares[labels[1]] = -shares[labels[1]] - 0.25
        else:
            return 200, "<html><body>Try again later</body></html>"
    return status, json.dumps({"probabilities": shares, "model": "irregular", "metadata": {"turn": turn}})


def write_data(subject: Subject, folder: Path) -> None:
    """Write the data set, and what a service answers to it."""
    lines = [json.dumps(example.row, ensure_ascii=False) + "\n" for example in examples(subject)]
    (folder / "cases.jsonl").write_text("".join(lines), encoding="utf-8")
    (folder / "answers.json").write_text(json.dumps(answers(subject)), encoding="utf-8")


def contract(subject: Subject, url: str, gates: dict[str, dict[str, float]]) -> dict[str, Any]:
    """The contract that both tools read: a mock that answers by rules, and a service by another name."""
    key = {"choice": "options", "noul": "labels", "score": "levels"}[subject.kind]
    rules = [{"contains": each.token, "probabilities": each.probabilities} for each in examples(subject)]
    return {
        "schema_version": "0.1",
        "decision": {"name": subject.name, "type": subject.kind, key: list(subject.labels)},
        "backend": {"provider": "mock", "rules": rules},
        "backends": {"service": {"provider": "http", "url": url}},
        "dataset": "cases.jsonl",
        "evaluation": subject.evaluation,
        **gates,
    }
