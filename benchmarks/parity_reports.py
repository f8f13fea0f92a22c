"""The reports of both tools, read into the same names, and how far they are apart."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

METRICS = (
    *("accuracy", "macro_f1", "nll", "brier", "ece", "ordinal_mae"),
    *("coverage", "abstention_rate", "selective_accuracy", "error_rate"),
)
SCORES = ("precision", "recall", "f1", "support")
BINS = ("lower", "upper", "count", "mean_confidence", "accuracy")
TOLERANCE = 1e-12
MOST_SHOWN = 12

# What is told about a run: by the kind of fact, then by its place.
Value: TypeAlias = "float | str | bool | None"
Facts: TypeAlias = "dict[str, dict[str, Value]]"


class Difference(NamedTuple):
    """Two values of one fact that are not the same."""

    fact: str
    ours: Any
    theirs: Any


class Agreement(NamedTuple):
    """How one kind of fact compares: how many, the largest difference between two numbers, and what is not the same."""

    compared: int
    largest: float
    differences: list[Difference]


def read_ours(folder: Path) -> Facts:
    """What a run directory says."""
    report = json.loads((folder / "report.json").read_text(encoding="utf-8"))
    metrics, counts = report["metrics"], report["counts"]
    facts = _facts(
        metrics={name: metrics[name]["value"] for name in METRICS if name in metrics},
        per_label=report["per_label"],
        reliability=report["reliability"],
        counts={
            "cases": counts["cases"],
            "decided": counts["decided"],
            "errors": counts["errors"],
            "labelled": counts["labelled"],
            "labelled and decided": metrics["accuracy"]["n"],
            **{f"errors: {kind}": count for kind, count in report["errors_by_kind"].items()},
        },
    )
    for check in report["checks"]:
        _add_check(facts, check["check"], check)
    facts["status and exit code"] = {"status": report["status"], "exit code": report["exit_code"]}
    with (folder / "records.jsonl").open(encoding="utf-8") as lines:
        for line in lines:
            record = json.loads(line)
            result, error = record.get("result"), record.get("error")
            _add_answer(facts, record["case_id"], result, error)
    return facts


def read_theirs(file: Path) -> Facts:
    """What a report of the peer says."""
    report = json.loads(file.read_text(encoding="utf-8"))
    metrics = report["metrics"]
    counts, classes, selective = metrics["counts"], metrics["classification"], metrics["selective"]
    found = {**classes, **metrics["calibration"], **(selective or {}), "error_rate": counts["error_rate"]}
    facts = _facts(
        # Their report has it as null for decisions that are not ordinal.
        metrics={
            name: found.get(name) for name in METRICS if name != "ordinal_mae" or report["contract"]["type"] == "score"
        },
        per_label=classes["per_label"],
        reliability=metrics["calibration"]["reliability"],
        counts={
            "cases": counts["total"],
            "decided": counts["succeeded"],
            "errors": counts["errored"],
            "labelled": report["dataset"]["n_labeled"],
            "labelled and decided": counts["labeled"],
            **{f"errors: {kind}": count for kind, count in counts["errors_by_kind"].items()},
        },
    )
    for check in report["checks"]:
        _add_check(facts, check["gate"], {**check, "limit": check["threshold"]})
    facts["status and exit code"] = {"status": report["status"], "exit code": report["exit_code"]}
    for record in report["results"]:
        _add_answer(facts, record["case_id"], record["result"], record["error"])
    return facts


def _facts(
    *,
    metrics: dict[str, float | None],
    per_label: dict[str, dict[str, float]],
    reliability: list[dict[str, float | None]],
    counts: dict[str, int],
) -> Facts:
    facts: Facts = {name: {name: value} for name, value in metrics.items()}
    for score in SCORES:
        facts[f"per label: {score}"] = {label: scores[score] for label, scores in per_label.items()}
    for column in BINS:
        facts[f"reliability: {column}"] = {f"bin {number}": row[column] for number, row in enumerate(reliability, 1)}
    facts["counts"] = dict(counts)
    return facts


def _add_check(facts: Facts, gate: str, check: dict[str, Any]) -> None:
    name = f"{check['level']} {gate}"
    facts.setdefault("checks: limit", {})[name] = check["limit"]
    facts.setdefault("checks: value", {})[name] = check["value"]
    facts.setdefault("checks: status", {})[name] = check["status"]


def _add_answer(facts: Facts, case_id: str, result: dict[str, Any] | None, error: dict[str, Any] | None) -> None:
    answers = facts.setdefault("answers: selected or error", {})
    answers[case_id] = result["selected"] if result is not None else f"error: {error['kind'] if error else None}"
    if result is not None:
        shares = facts.setdefault("answers: probability", {})
        for label, share in result["probabilities"].items():
            shares[f"{case_id} {label}"] = share


def compare_facts(ours: Facts, theirs: Facts) -> Iterator[tuple[str, Agreement]]:
    """How each kind of fact compares; one that only a side knows is a difference."""
    for kind in dict.fromkeys([*theirs, *ours]):
        mine, other = ours.get(kind, {}), theirs.get(kind, {})
        places = dict.fromkeys([*other, *mine])
        gaps = {place: _gap(mine.get(place, "missing"), other.get(place, "missing")) for place in places}
        differences = [
            Difference(place if place == kind else f"{kind}: {place}", mine.get(place), other.get(place))
            for place, gap in gaps.items()
            if gap > TOLERANCE
        ]
        yield kind, Agreement(len(places), max(gaps.values(), default=0.0), differences)


def _gap(ours: Value, theirs: Value) -> float:
    """How far two values are apart; infinitely, if they are no numbers and not the same."""
    if isinstance(ours, bool | str | None) or isinstance(theirs, bool | str | None):
        return 0.0 if type(ours) is type(theirs) and ours == theirs else math.inf
    gap = abs(ours - theirs)
    return math.inf if math.isnan(gap) else gap


def show_agreements(runs: Sequence[tuple[str, dict[str, Agreement]]], *, others: int = 0) -> bool:
    """Print what was compared and how far it is apart; says whether everything agrees.

    Args:
        runs: the name of each run, and how each kind of fact compares.
        others: how many faults of other kinds there are besides.
    """
    print(f"{'fact':<34}{'compared':>10}{'largest difference':>20}  same (numbers within {TOLERANCE:g})")
    missed: list[tuple[str, Difference]] = []
    for kind in dict.fromkeys(kind for _, agreements in runs for kind in agreements):
        several = [(name, agreements[kind]) for name, agreements in runs if kind in agreements]
        found = [(name, difference) for name, agreement in several for difference in agreement.differences]
        compared = sum(agreement.compared for _, agreement in several)
        largest = max(agreement.largest for _, agreement in several)
        print(f"{kind:<34}{compared:>10}{largest:>20.1e}  {f'NO: {len(found)} differ' if found else 'yes'}")
        missed += found
    for name, difference in missed[:MOST_SHOWN]:
        print(f"{name}: {difference.fact}: ours {difference.ours!r}, theirs {difference.theirs!r}")
    if len(missed) > MOST_SHOWN:
        print(f"and {len(missed) - MOST_SHOWN} more")
    faults = len(missed) + others
    print("everything agrees" if not faults else f"NOT REACHED: {len(missed)} facts differ")
    return not faults
