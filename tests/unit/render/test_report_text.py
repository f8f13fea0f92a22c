"""The text report: within 80 columns, safe to print, and complete where it matters."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from robust import CallableBackend, Case, Manifest, Run
from robust.render.report import report_text
from tests.run_fixtures import manifest_of, numbers, over_limit, right_model, run, sure, told, variant

VARIANTS = {
    f"total {2000 + n}": [(f"total  {2000 + n}", "invariant"), (f"total {n}", "counterfactual")] for n in range(30)
}
ALL_LIMITS: dict[str, Any] = {
    "max_violation_rate": 0.123456,
    "max_flip_rate": 0.123456,
    "max_tv_distance": 0.01,
    "max_js_divergence": 0.01,
    "max_abs_delta": 0.01,
    "max_confidence_delta": 0.01,
    "min_variant_accuracy": 0.987654,
    "max_agreed_error_rate": 0.123456,
    "level": "warning",
}
GOLDEN: dict[str, Any] = {
    "requirements": {"min_accuracy": 0.987654, "min_macro_f1": 0.9, "min_selective_accuracy": 0.987654},
    "warnings": {"min_coverage": 0.987654, "max_abstention_rate": 0.123456},
    "evaluation": {"confidence_threshold": 0.75},
}


def _busy(folder: Path, wrong: int = 25) -> Run:
    answers: dict[str, Any] = {f"total  {2000 + n}": sure("no", 0.6) for n in range(wrong)}
    answers |= {"total 2026": TimeoutError("slow")}
    return run(folder, told(answers), manifest=manifest_of(VARIANTS), properties={"variants": ALL_LIMITS}, **GOLDEN)


def _cut(text: str, start: str) -> list[str]:
    lines = text.splitlines()
    first = next(index for index, line in enumerate(lines) if line.startswith(start))
    last = next((index for index in range(first, len(lines)) if not lines[index]), len(lines))
    return lines[first + 1 : last]


def test_no_line_is_longer_than_a_terminal(tmp_path: Path) -> None:
    """A run with every gate, warning, violation and error."""
    lines = report_text(_busy(tmp_path).report).splitlines()
    assert [line for line in lines if len(line) > 80] == []
    assert all(line == line.rstrip() for line in lines)


def test_long_names_do_not_break_the_width(tmp_path: Path) -> None:
    """Decision, model, file and case ids of more than a hundred characters."""
    contract: dict[str, Any] = {
        "schema_version": "1",
        "decision": {"name": "d" * 120, "type": "noul"},
        "backend": "mock",
        "requirements": {"min_accuracy": 1},
    }
    cases = [Case("number 5", "no", case_id="c" * 200, source_id="s")]
    failing = CallableBackend(lambda request: 1 / 0, model="m" * 150)
    finished = run(tmp_path, failing, contract=contract, dataset=cases)
    assert [line for line in report_text(finished.report).splitlines() if len(line) > 80] == []


@pytest.mark.parametrize("status", ["pass", "warn", "fail", "error"])
def test_the_status_is_the_first_word(tmp_path: Path, status: str) -> None:
    """In capitals, with decision and model."""
    sections: dict[str, dict[str, Any]] = {
        "pass": {"requirements": {"min_accuracy": 1}},
        "warn": {"requirements": {"min_accuracy": 0}, "warnings": {"min_accuracy": 1}},
        "fail": {"requirements": {"min_accuracy": 1}},
        "error": {"requirements": {"min_accuracy": 1}},
    }
    model = {"pass": right_model, "error": lambda request: 1 / 0}.get(status, lambda request: sure("yes"))
    finished = run(tmp_path, CallableBackend(model, model="m"), dataset=numbers("number 5"), **sections[status])
    assert report_text(finished.report).splitlines()[0] == f"{status.upper()}  over_limit: m (callable)"


def test_checks_show_value_limit_and_level(tmp_path: Path) -> None:
    """One line for each, in the order of the report."""
    finished = _busy(tmp_path)
    lines = _cut(report_text(finished.report), "Checks")
    assert len(lines) == len(finished.report["checks"])
    by_name = {line.split()[1]: line.split() for line in lines}
    assert by_name["min_coverage"][:2] == ["ok", "min_coverage"]
    assert by_name["max_abstention_rate"][-1] == "(warning)"
    assert by_name["variants.max_violation_rate"][:1] == ["WARN"]
    assert by_name["max_error_rate"] == ["FAIL", "max_error_rate", "0.0333", "limit", "0"]


def test_a_value_just_beside_its_limit_shows_the_difference(tmp_path: Path) -> None:
    """Not FAIL 0.9 limit 0.9."""
    check = {"check": "min_accuracy", "level": "requirement", "status": "fail", "value": 0.89999, "limit": 0.9}
    lines = _cut(report_text({**_TEMPLATE, "checks": [check]}), "Checks")
    assert lines[0].split() == ["FAIL", "min_accuracy", "0.89999", "limit", "0.9"]


def test_variants_are_shown_as_a_two_by_two_table(tmp_path: Path) -> None:
    """By relation, base and variant side by side."""
    answers = {"total  2000": "no", "total 2001": "no", "total  2001": "no", "total 1": "yes"}
    few = dict(list(VARIANTS.items())[:2])
    finished = run(tmp_path, told(answers), manifest=manifest_of(few), properties={"variants": {}})
    rows = _cut(report_text(finished.report), "Validated variants")
    assert [row.split() for row in rows[2:]] == [
        ["invariant", "0", "1", "0", "1"],
        ["counterfactual", "1", "0", "0", "1"],
    ]
    assert rows[1].split("  ")[-1] == "both wrong"


def test_failures_are_cut_with_the_count_and_the_place_of_the_rest(tmp_path: Path) -> None:
    """Ten are shown."""
    finished = _busy(tmp_path)
    lines = _cut(report_text(finished.report), "Failures")
    left = finished.report["failures"]["count"] - 10
    assert len(lines) == 11
    assert lines[-1] == f"  … and {left} more in records.jsonl"


def test_nothing_from_the_data_can_steer_a_terminal(tmp_path: Path) -> None:
    """Bidirectional marks in ids, control characters in model and manifest names."""
    base = Case("total 2000", "yes", case_id="b\u202e1", source_id="s\u2066")
    found = variant(base, "total  2000", "invariant", "v\u200f1", over_limit)
    frozen = Manifest.build("mixed", cases=[base], validations=[found])
    model = CallableBackend(
        lambda request: sure("no") if "  " in str(request.input) else sure("yes"), model="m\x1b[2J\u202e"
    )
    text = report_text(run(tmp_path, model, manifest=frozen, properties={"variants": {}}).report)
    assert "b\\u{202e}1" in text
    assert "m\\u{1b}[2J" in text
    assert all(char == "\n" or char.isprintable() for char in text)


def test_a_run_that_measured_nothing_says_so(tmp_path: Path) -> None:
    """No table of empty metrics."""
    finished = run(tmp_path, dataset=numbers("number 5", labelled=False), requirements={"min_accuracy": 0})
    text = report_text(finished.report)
    assert "accuracy" not in "\n".join(_cut(text, "Metrics"))
    assert "FAIL  min_accuracy" in text


@given(st.integers(0, 10**7 - 1), st.integers(0, 10**7 - 1))
def test_large_counts_stay_within_the_width(pairs: int, cases: int) -> None:
    """Nearly ten million of everything still fit."""
    report = {
        **_TEMPLATE,
        "counts": {**_TEMPLATE["counts"], "pairs": pairs, "cases": cases, "groups": cases, "errors": cases},
    }
    variants = {
        "compared": pairs,
        "planned": pairs,
        "violations": pairs,
        "groups_violating": cases,
        "groups": cases,
        "by_relation": {},
    }
    report["properties"] = {"variants": variants}
    assert all(len(line) <= 80 for line in report_text(report).splitlines())


_TEMPLATE: dict[str, Any] = {
    "status": "fail",
    "contract": {"name": "q"},
    "backend": {"name": "default", "provider": "mock", "model": "m"},
    "manifest": {"name": "m", "split": "dev"},
    "dataset": None,
    "counts": {"cases": 1, "groups": 1, "pairs": 0, "errors": 0},
    "checks": [],
    "metrics": {},
    "properties": {},
    "errors_by_kind": {},
    "failures": {"count": 0, "first": []},
    "evidence_digest": "sha256:" + "0" * 64,
    "digest": "sha256:" + "0" * 64,
}
