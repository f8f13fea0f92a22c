"""Reports of relation checks and population tests as plain data, for tests of how they are shown."""

from __future__ import annotations

import copy
from typing import Any

from robust.render.check_formats import CHECK_FORMATS
from robust.render.formats import ReportFormat
from robust.render.shown_check import ShownCheck, ShownFailure

DIGEST = "sha256:" + "0" * 64
RELATION: dict[str, Any] = {
    "verdict": "holds",
    "reason": None,
    "trials": 20,
    "contradictions": 0,
    "skipped": {},
    "base": "agrees",
    "planned": 20,
    "errors": 0,
    "attempts": [],
    "p_value": None,
    "adjusted_p": None,
    "smallest_p": None,
    "saved": 0,
}
VIOLATED: dict[str, Any] = {
    **RELATION,
    "verdict": "violated",
    "contradictions": 20,
    "p_value": 0.00216,
    "adjusted_p": 0.00216,
}
PLAN: dict[str, Any] = {
    "schema": "robust.plan/1",
    "kind": "relations",
    "name": "totals",
    "settings": {"alpha": 0.05, "samples": 20, "baseline_runs": 5, "deterministic_system": False},
    "relations": [],
}
POPULATION_PLAN: dict[str, Any] = {
    "schema": "robust.plan/1",
    "kind": "population",
    "name": "scores",
    "test": "invariance",
    "method": "equivalence",
    "settings": {
        "statistic": "t",
        "threshold": 0.5,
        "window": 0.1,
        "relative": False,
        "output_sensitivity": 0.1,
        "abs_tol": 0,
        "label": None,
        "alpha": 0.05,
        "grouped": False,
        "seed": 0,
        "oracle": None,
    },
    "transformation": {"name": "upper", "settings": {}, "preserves": "the words"},
    "slicing": None,
    "model": "predict",
}
POPULATION: dict[str, Any] = {
    "verdict": "violated",
    "passed": False,
    "reason": "rows_change",
    "test": "invariance",
    "method": "equivalence",
    "metric_name": "mean_change",
    "row_verdict": "violated",
    "population_verdict": "holds",
    "metric": 0.001,
    "p_value": 0.00001,
    "effect": 0.001,
    "n": 100,
    "n_changed": 90,
    "n_invalid": 0,
    "n_unknown": 0,
    "groups": None,
    "rows": 30,
    "row_share": 0.3333333,
    "largest_change": 12.5,
    "percentile_95_change": 11,
    "window": 0.1,
    "missing_before": 0,
    "missing_after": 0,
    "least_units": None,
    "threshold": 0.5,
    "alpha": 0.05,
    "confidence": 0.9,
    "interval": [-0.01, 0.012],
    "row_interval": [0.25, 0.42],
    "n_failing": 60,
    "error": None,
}


def check_report_of(relations: dict[str, dict[str, Any]] | None = None, **parts: Any) -> dict[str, Any]:
    """A report of relations, some of its parts replaced."""
    listed = {"reorder": VIOLATED} if relations is None else relations
    return {
        "schema": "robust.check-report/1",
        "kind": "relations",
        "status": "fail",
        "exit_code": 1,
        "plan": {"name": "totals", "digest": DIGEST},
        "counts": {"inputs": 1},
        "relations": copy.deepcopy(listed),
        "checks": [],
        "failures": {"count": 0, "first": []},
        "notes": {},
        "records": {"count": 30, "root": DIGEST, "sha256": DIGEST},
        "evidence_digest": DIGEST,
        "digest": DIGEST,
        "observed": {},
        **parts,
    }


def population_report_of(**found: Any) -> dict[str, Any]:
    """A report of a population test, some of what it found replaced."""
    report = check_report_of({}, kind="population", plan={"name": "scores", "digest": DIGEST})
    del report["relations"]
    return {**report, "population": {**copy.deepcopy(POPULATION), **found}}


def failure_shown(number: int = 1, relation: str | None = "reorder", **fields: Any) -> ShownFailure:
    """A counterexample."""
    told: dict[str, Any] = {
        "id": f"trial/0/{relation}/{number}",
        "line": number,
        "columns": 100,
        "relation": relation,
        "input_id": "0",
        "sample": number,
        "base": "apples 2.00\npears 3.50",
        "variant": "pears 3.50\napples 2.00",
        "before": "5.5",
        "after": "2.0",
        "replay": "robust.replay_trial(system, base_input, relation, sample=1, seed=0)  # reorder",
    }
    return ShownFailure(**{**told, **fields})


def shown_check(report: dict[str, Any], *failures: ShownFailure, **fields: Any) -> ShownCheck:
    """A check as a format shows it."""
    plan = POPULATION_PLAN if report["kind"] == "population" else PLAN
    if report["kind"] == "relations":
        plan = {**PLAN, "relations": [{"name": name} for name in report["relations"]]}
    report["failures"]["count"] = max(report["failures"]["count"], len(failures))
    told = {"report": report, "plan": plan, "path": "runs/r", "folder_uri": "runs/r", "failures": failures}
    return ShownCheck(**{**told, **fields})


def render_check(run: ShownCheck, report_format: ReportFormat) -> str:
    """What a format makes of a check; it can be written in the encoding that was asked for."""
    text = CHECK_FORMATS[report_format].render(run)
    if report_format != "json":
        text.encode(run.encoding)
    assert not text.endswith("\n")
    return text
