"""The comparisons of both tools, read into the same names."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from benchmarks.parity_reports import Facts, Value

# Ours by theirs.
COUNTS = {
    "baseline_cases": "baseline_cases",
    "candidate_cases": "candidate_cases",
    "matched": "matched",
    "only_in_baseline": "only_in_baseline",
    "only_in_candidate": "only_in_candidate",
    "compared": "compared",
}
ANSWERS = {"answer_flips": "flips", "newly_wrong": "newly_wrong", "newly_correct": "newly_right"}
ERRORS = {"newly_errored": "new", "recovered": "recovered", "still_errored": "still"}
KINDS = {"newly_wrong": "flip", "newly_right": "flip", "other_label": "flip", "new_error": "newly_errored"}
SEGMENT = (
    *("matched", "compared", "baseline_accuracy", "candidate_accuracy", "accuracy_drop", "answer_flip_rate", "gated"),
)
LATENCIES = ("p50_ms", "p95_ms")


def read_their_diff(report: dict[str, Any], code: int) -> Facts:
    """What the peer's comparison says."""
    counts, metrics = report["counts"], report["metrics"]
    facts: Facts = {
        "counts": {name: counts[name] for name in (*COUNTS, *ANSWERS, *ERRORS)},
        "shift": dict(report["shift"]),
        # Theirs has these as null where a metric does not exist.
        **_sides({name: each for name, each in metrics.items() if each["baseline"] is not None}),
        **_segments({_segment(each["key"], each["value"], "(missing)"): each for each in report["segments"]}),
        **_checks([{**each, "check": each["gate"], "limit": each["threshold"]} for each in report["checks"]]),
        "status and exit code": {"status": report["status"], "exit code": code, "in the report": report["exit_code"]},
    }
    for each in report["changes"]:
        _add_change(facts, each, each["kind"], each["baseline_selected"], each["candidate_selected"])
    return facts


def read_our_diff(report: dict[str, Any], code: int) -> Facts:
    """What our comparison says."""
    answers, distributions, confidence = report["answers"], report["distributions"], report["confidence"]
    metrics = {
        name: {side: each[side]["value"] for side in ("baseline", "candidate")} | {"delta": each["delta"]}
        for name, each in report["metrics"].items()
        if name not in ("abstention_rate", "selective_accuracy")  # which theirs does not compare
    }
    latencies = {f"latency_{name}": report["observed"]["latency"][name] for name in LATENCIES}
    facts: Facts = {
        "counts": {
            **{theirs: report["counts"][ours] for theirs, ours in COUNTS.items()},
            **{theirs: answers[ours] for theirs, ours in ANSWERS.items()},
            **{theirs: report["errors"][ours] for theirs, ours in ERRORS.items()},
        },
        "shift": {
            "answer_flip_rate": answers["flip_rate"],
            "mean_tv_distance": distributions["mean_tv_distance"]["value"],
            "max_tv_distance": distributions["max_tv_distance"],
            "mean_js_divergence": distributions["mean_js_divergence"]["value"],
            "mean_confidence_delta": confidence["mean_shift"]["value"],
            "mean_abs_confidence_delta": confidence["mean_abs_shift"]["value"],
            "max_abs_confidence_delta": confidence["max_abs_shift"],
        },
        **_sides({**metrics, **latencies}),
        **_segments({_segment(each["key"], each["value"], None): each for each in report["segments"]["listed"]}),
        **_checks(report["checks"]),
        "status and exit code": {"status": report["status"], "exit code": code, "in the report": report["exit_code"]},
    }
    for each in report["changes"]["first"]:
        kind = KINDS.get(each["kind"], each["kind"])
        _add_change(facts, each, kind, each["baseline"]["selected"], each["candidate"]["selected"])
    return facts


def _sides(metrics: dict[str, dict[str, Value]]) -> Facts:
    return {
        f"metrics: {side}": {name: each[side] for name, each in metrics.items()}
        for side in ("baseline", "candidate", "delta")
    }


def _segment(key: str, value: str | None, missing: str | None) -> str:
    return f"{key}: {'none' if value == missing else f'= {value}'}"


def _segments(segments: dict[str, dict[str, Any]]) -> Facts:
    return {f"segments: {name}": {segment: each[name] for segment, each in segments.items()} for name in SEGMENT}


def _checks(checks: Iterable[dict[str, Any]]) -> Facts:
    facts: Facts = {}
    for each in checks:
        for name in ("limit", "value", "status"):
            facts.setdefault(f"checks: {name}", {})[f"{each['level']} {each['check']}"] = each[name]
    return facts


def _add_change(facts: Facts, change: dict[str, Any], kind: str, first: Value, second: Value) -> None:
    case_id = change["case_id"]
    answers = facts.setdefault("changes: both answers", {})
    answers[case_id] = f"{kind}: {first} to {second}, right is {change['expected']}"
    facts.setdefault("changes: distance", {})[case_id] = change["tv_distance"]
