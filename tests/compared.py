"""Cases of two runs, as a comparison takes them in, and an independent comparison of them in plain Python."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from robust.canon import JsonObject
from robust.records.contract import Contract
from robust.records.run_diff import ComparedAnswer, ComparedCase
from robust.run.diff import RunComparison
from robust.store.contracts import read_contract

LABELS = ("low", "middle", "high")


class Drawn(NamedTuple):
    """A matched case: its right answer, its source, and what both runs answered; None of an error."""

    expected: str | None
    source: int
    baseline: tuple[float, ...] | None
    candidate: tuple[float, ...] | None
    segment: str | None = None


def contract_for(kind: str = "score", **sections: Any) -> Contract:
    """A contract over three labels."""
    labels = {"score": "levels", "choice": "options"}[kind]
    return read_contract(
        {
            "schema_version": "1",
            "decision": {"name": "q", "type": kind, labels: list(LABELS)},
            "backend": {"provider": "callable"},
            **sections,
        }
    )


def answer_of(case: Drawn, shares: tuple[float, ...] | None, line: int, **fields: Any) -> ComparedAnswer:
    """What a run answered to a case."""
    error = "timeout" if shares is None else None
    made = ComparedAnswer(line, f"s{case.source}", case.expected, shares, error, "content", 10.0 * line, ())
    return made._replace(segments=(case.segment,), **fields)


def compared(cases: Iterable[Drawn], contract: Contract | None = None) -> RunComparison:
    """A comparison of cases that both runs have, in their order."""
    comparison = RunComparison(contract or contract_for(), ("kind",))
    for number, case in enumerate(cases, start=1):
        first, second = answer_of(case, case.baseline, number), answer_of(case, case.candidate, number)
        comparison.add(ComparedCase(f"c{number}", first, second))
    return comparison


def checks_of(comparison: RunComparison) -> dict[str, tuple[str, Any]]:
    """By check and level its status and value."""
    return {f"{check.check}/{check.level}": (check.status, check.value) for check in comparison.checks()}


def selected(shares: Sequence[float]) -> str:
    """The most probable label."""
    return LABELS[max(range(len(LABELS)), key=lambda place: (shares[place], -place))]


def naive(cases: Sequence[Drawn]) -> JsonObject:
    """The figures of a comparison, each by its definition."""
    both = [case for case in cases if case.baseline is not None and case.candidate is not None]
    flips = [case for case in both if selected(case.baseline or ()) != selected(case.candidate or ())]
    distances = [
        0.5 * math.fsum(abs(p - q) for p, q in zip(case.baseline or (), case.candidate or (), strict=True))
        for case in both
    ]
    shifts = [max(case.candidate or ()) - max(case.baseline or ()) for case in both]
    return {
        "compared": len(both),
        "flips": len(flips),
        "newly_wrong": sum(case.expected == selected(case.baseline or ()) for case in flips),
        "newly_right": sum(case.expected == selected(case.candidate or ()) for case in flips),
        "mean_tv": math.fsum(distances) / len(both) if both else None,
        "max_tv": max(distances, default=None),
        "mean_shift": math.fsum(shifts) / len(both) if both else None,
        "mean_abs_shift": math.fsum(map(abs, shifts)) / len(both) if both else None,
        "new": sum(case.baseline is not None and case.candidate is None for case in cases),
        "recovered": sum(case.baseline is None and case.candidate is not None for case in cases),
        "still": sum(case.baseline is None and case.candidate is None for case in cases),
        "accuracy": [_accuracy(cases, side) for side in ("baseline", "candidate")],
    }


def _accuracy(cases: Sequence[Drawn], side: str) -> float | None:
    hits = [
        selected(shares) == case.expected
        for case in cases
        if case.expected is not None and (shares := getattr(case, side)) is not None
    ]
    return sum(hits) / len(hits) if hits else None
