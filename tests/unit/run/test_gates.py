"""Gates: on both sides of the limit and exactly on it, and the status and exit code that follow."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest

from tests.run_fixtures import checks_of, numbers, run, sure, told

# Of ten cases seven are answered right with confidence 0.9, two wrong with 0.6, one fails.
WRONG: dict[str, Any] = {"number 8": sure("yes", 0.6), "number 9": sure("yes", 0.6), "number 10": RuntimeError("down")}
TEXTS = [f"number {n}" for n in range(1, 11)]
VALUES = {
    "accuracy": 7 / 9,
    "macro_f1": (2 * 7 / (7 + 9)) / 2,
    "coverage": 7 / 9,
    "selective_accuracy": 1.0,
    "abstention_rate": 2 / 9,
    "error_rate": 0.1,
    "nll": -(7 * math.log(0.9) + 2 * math.log(0.4)) / 9,
    "brier": 2 * (7 * 0.01 + 2 * 0.36) / 9,
    "ece": (7 * 0.1 + 2 * 0.6) / 9,
}


def _run(folder: Path, **sections: Any) -> Any:
    return run(folder, told(WRONG), dataset=numbers(*TEXTS), evaluation={"confidence_threshold": 0.75}, **sections)


@pytest.mark.parametrize(
    "gate",
    [
        *("min_accuracy", "min_macro_f1", "min_coverage", "min_selective_accuracy", "max_nll", "max_brier", "max_ece"),
        *("max_abstention_rate", "max_error_rate"),
    ],
)
def test_a_gate_holds_on_its_limit_and_on_the_right_side_of_it(tmp_path: Path, gate: str) -> None:
    """At least for min, at most for max, with a slack of 1e-9 and no more."""
    side, _, metric = gate.partition("_")
    value, sign = VALUES[metric], 1 if side == "max" else -1
    for index, (limit, holds) in enumerate(
        [
            (value, True),
            (value + sign * 1e-3, value + sign * 1e-3 <= 1),
            (value - sign * 1e-3, False),
            (value - sign * 1e-10, True),
            (value - sign * 1e-8, False),
        ]
    ):
        if not 0 <= limit <= 1:
            continue
        finished = _run(tmp_path, name=f"run{index}", requirements={"max_error_rate": 0.5, gate: limit})
        assert checks_of(finished)[gate] == ("pass" if holds else "fail"), limit
        assert (finished.status, finished.exit_code) == (("pass", 0) if holds else ("fail", 1))


def test_the_error_rate_has_an_implicit_requirement_of_zero(tmp_path: Path) -> None:
    """One failed case of ten fails the run, unless the contract allows it."""
    assert checks_of(_run(tmp_path, requirements={"min_accuracy": 0.5})) == {
        "max_error_rate": "fail",
        "min_accuracy": "pass",
    }


def test_a_warning_warns_and_never_fails(tmp_path: Path) -> None:
    """Exit code 0, and 1 when asked to fail on warnings."""
    sections: dict[str, Any] = {"requirements": {"max_error_rate": 0.1}, "warnings": {"min_accuracy": 0.9}}
    plain, strict = _run(tmp_path, **sections), _run(tmp_path, name="strict", fail_on_warn=True, **sections)
    assert checks_of(plain) == {"max_error_rate": "pass", "min_accuracy": "warn"}
    assert [(finished.status, finished.exit_code) for finished in (plain, strict)] == [("warn", 0), ("warn", 1)]
    assert plain.report["evidence_digest"] == strict.report["evidence_digest"]


def test_a_failed_requirement_outweighs_a_warning(tmp_path: Path) -> None:
    """FAIL before WARN."""
    finished = _run(
        tmp_path, requirements={"max_error_rate": 0.1, "min_accuracy": 0.9}, warnings={"min_accuracy": 0.95}
    )
    assert finished.status == "fail"


def test_one_metric_may_have_a_requirement_and_a_warning(tmp_path: Path) -> None:
    """Both are judged, each at its level."""
    finished = _run(tmp_path, requirements={"max_error_rate": 0.1, "min_accuracy": 0.7}, warnings={"min_accuracy": 0.9})
    levels = [
        (check["level"], check["status"]) for check in finished.report["checks"] if check["check"] == "min_accuracy"
    ]
    assert levels == [("requirement", "pass"), ("warning", "warn")]


@pytest.mark.parametrize("sections", [{}, {"requirements": {}, "warnings": {}}])
def test_a_contract_without_a_gate_never_passes(tmp_path: Path, sections: dict[str, Any]) -> None:
    """Nothing was asked of the model, so nothing was shown."""
    finished = run(tmp_path, dataset=numbers("number 5"), **{"evaluation": {}, **sections})
    assert checks_of(finished) == {"max_error_rate": "pass", "gates": "inconclusive"}
    assert (finished.status, finished.exit_code) == ("fail", 1)


def test_properties_alone_without_a_property_never_pass(tmp_path: Path) -> None:
    """Nor does a mode in which nothing was judged."""
    finished = run(tmp_path, dataset=numbers("number 5"), requirements={"min_accuracy": 0}, only="properties")
    assert checks_of(finished) == {"gates": "inconclusive"}
    assert finished.status == "fail"


def test_when_every_call_fails_the_run_is_an_error_that_says_why(tmp_path: Path) -> None:
    """B14: exit code 2, and the directory is written."""
    failing = told({text: ConnectionError("refused by host") for text in TEXTS})
    finished = run(tmp_path, failing, dataset=numbers(*TEXTS), requirements={"max_error_rate": 1})
    assert (finished.status, finished.exit_code) == ("error", 2)
    records = list(finished.records())
    assert [record["error"] for record in records] == [{"kind": "exception"}] * 10
    assert all("refused by host" in record["observed"]["message"] for record in records)
    first = finished.failures[0]
    assert (first["id"], first["error"], first["violations"]) == ("decision/n1", "exception", [])
    assert sorted(path.name for path in finished.path.iterdir()) == ["contract.json", "records.jsonl", "report.json"]
