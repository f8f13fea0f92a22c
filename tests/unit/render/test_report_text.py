"""The text report: within 80 columns, safe to print, and complete where it matters."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from robust import CallableBackend, Case, Manifest, Run
from robust.render.report import report_text
from tests.run_fixtures import contract_of, manifest_of, numbers, over_limit, right_model, run, sure, told, variant

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


def test_checks_show_value_and_limit_by_level(tmp_path: Path) -> None:
    """One line for each, in the order of the report."""
    finished = _busy(tmp_path)
    text = report_text(finished.report)
    for level, head in (("requirement", "Requirements"), ("warning", "Warnings")):
        names = [check["check"] for check in finished.report["checks"] if check["level"] == level]
        assert [line.split()[1] for line in _cut(text, head)[1:]] == names
    by_name = {line.split()[1]: line.split() for head in ("Requirements", "Warnings") for line in _cut(text, head)}
    assert by_name["min_coverage"][:2] == ["ok", "min_coverage"]
    assert by_name["variants.max_violation_rate"][:1] == ["WARN"]
    assert by_name["max_error_rate"] == ["FAIL", "max_error_rate", "0.0333", "0"]


def test_a_value_just_beside_its_limit_shows_the_difference(tmp_path: Path) -> None:
    """Not FAIL 0.9 0.9."""
    lines = _cut(report_text({**_TEMPLATE, "checks": [_check(value=0.89999)]}), "Requirements")
    assert lines[1].split() == ["FAIL", "min_accuracy", "0.89999", "0.9"]


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


def test_metrics_show_their_intervals_and_what_they_rest_on(tmp_path: Path) -> None:
    """In a fixed order, whatever the order of the report's keys; the head says how sure the intervals are."""
    report = run(tmp_path, dataset=numbers(*[f"number {n}" for n in range(990, 1010)])).report
    for each in (report, {**report, "metrics": dict(sorted(report["metrics"].items()))}):
        lines = _cut(report_text(each), "Metrics of the base cases")
        assert lines[0].split() == ["value", "95", "%", "interval", "cases", "sources"]
        assert lines[1].split() == ["accuracy", "1", "0.8316", "to", "1", "20", "20"]
        assert [line.split()[0] for line in lines[1:]] == [
            "accuracy",
            "macro_f1",
            "nll",
            "brier",
            "ece",
            "error_rate",
        ]
        assert lines[5].split() == ["ece", "0.1", "-", "20", "20"]


def test_an_inconclusive_check_says_what_would_decide() -> None:
    """In words, within the width: how many more groups, that none would do, or that one group is not enough."""
    metrics = {"accuracy": {"value": 0.95, "n": 60, "groups": 60, "interval": [0.86, 0.99]}}
    texts = []
    for interval, needed in (([0.86, 0.99], 140), ([0.86, 0.99], 1), ([0.86, 0.99], None), (None, None)):
        check = _check(status="inconclusive", value=0.95, interval=interval, needed_groups=needed)
        lines = _cut(report_text({**_TEMPLATE, "checks": [check], "metrics": metrics}), "Inconclusive")
        assert all(len(line) <= 80 for line in lines)
        texts.append(" ".join(" ".join(lines).split()))
    start = "min_accuracy: the limit 0.9 is within the interval 0.86 to 0.99; "
    assert texts == [
        start + "about 140 more source groups like these would decide",
        start + "about 1 more source group like these would decide",
        start + "no number of further source groups would decide",
        "min_accuracy: one source group says nothing of others, so there is no interval; more groups are needed",
    ]


def test_no_reason_is_made_up_for_what_was_not_judged_on_an_interval(tmp_path: Path) -> None:
    """A contract without gates, and a property without an eligible pair."""
    text = report_text(run(tmp_path, dataset=numbers("number 5"), contract=contract_of()).report)
    assert "INCONCLUSIVE" in text
    assert "\nInconclusive" not in text


def test_labels_are_shown_with_their_scores() -> None:
    """In the contract's order; of many, those that are found worst."""
    scores = {f"label {n}": {"precision": 1, "recall": n / 20, "f1": n / 20, "support": 7} for n in range(20)}
    contract = {"name": "q", "labels": list(scores)}
    few = dict(list(scores.items())[:2])
    lines = _cut(report_text({**_TEMPLATE, "contract": contract, "per_label": few}), "Labels")
    assert [line.split() for line in lines] == [
        ["precision", "recall", "F1", "cases"],
        ["label", "0", "1", "0", "0", "7"],
        ["label", "1", "1", "0.05", "0.05", "7"],
    ]
    text = report_text({**_TEMPLATE, "contract": contract, "per_label": scores})
    assert "Labels (those with the lowest F1; 10 more are in report.json)" in text
    assert [line.split()[1] for line in _cut(text, "Labels")[1:]] == [str(n) for n in range(10)]


def test_a_label_cannot_break_the_width_or_steer_a_terminal() -> None:
    """Two hundred characters, with a mark that turns the direction of writing."""
    label = "\u202e" + "l" * 200
    scores = {label: {"precision": 1 / 3, "recall": 1 / 3, "f1": 1 / 3, "support": 10**7}}
    text = report_text({**_TEMPLATE, "contract": {"name": "q", "labels": [label]}, "per_label": scores})
    assert all(len(line) <= 80 for line in text.splitlines())
    assert "\u202e" not in text


def test_reliability_shows_the_bins_that_hold_cases() -> None:
    """Of many, the fullest, in order."""
    bins = [
        {"lower": n / 20, "upper": (n + 1) / 20, "count": n, "mean_confidence": n / 20, "accuracy": 0.5}
        for n in range(20)
    ]
    lines = _cut(report_text({**_TEMPLATE, "reliability": bins[:3]}), "Reliability")
    assert [line.split() for line in lines[1:]] == [
        ["0.05", "to", "0.1", "0.05", "0.5", "1"],
        ["0.1", "to", "0.15", "0.1", "0.5", "2"],
    ]
    text = report_text({**_TEMPLATE, "reliability": bins})
    assert "Reliability (the fullest bins; 9 more are in report.json)" in text
    assert [int(line.split()[-1]) for line in _cut(text, "Reliability")[1:]] == list(range(10, 20))
    assert "Reliability" not in report_text({**_TEMPLATE, "reliability": bins[:1]})


def test_time_and_spending_stand_apart() -> None:
    """Only what was observed is named."""
    latency = {"n": 3, "mean_ms": 120.26, "p50_ms": 9.999, "p90_ms": 1, "p95_ms": 1, "p99_ms": 12345.67, "max_ms": 1}
    observed = {"latency": latency, "tokens": 1234, "cost": 0.5, "cached": 2}
    assert _cut(report_text({**_TEMPLATE, "observed": observed}), "Observed in this run") == [
        "  latency in ms: mean 120.3, median 10, p95 1, p99 12345.7, maximum 1",
        "  spent: 1234 tokens, 0.5 cost",
        "  2 answers from the cache",
    ]
    nothing = {"latency": {**latency, "n": 0}, "tokens": None, "cost": 0.0, "cached": 0}
    assert "Observed" not in report_text({**_TEMPLATE, "observed": nothing})


def test_a_status_that_rests_on_time_says_so() -> None:
    """Beside the status without the checks on time."""
    text = report_text({**_TEMPLATE, "checks": [_check()], "logical_status": "pass"})
    assert "Without the checks on time, tokens and cost: PASS" in text
    assert "Without" not in report_text({**_TEMPLATE, "checks": [_check()], "logical_status": "fail"})


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["irrelevant_context.max_group_violation_rate", "min_accuracy", "max_latency_p95_ms"]),
            st.sampled_from(["requirement", "warning"]),
            st.sampled_from(["pass", "warn", "fail", "inconclusive"]),
            st.one_of(st.none(), st.floats(0, 1), st.floats(0, 1e9)),
            st.floats(0, 1),
        ),
        max_size=6,
    )
)
def test_checks_stay_within_the_width(rows: list[tuple[str, str, str, float | None, float]]) -> None:
    """Whatever the names, the numbers and their digits."""
    checks = [
        _check(check=name, level=level, status=status, value=value, limit=limit)
        for name, level, status, value, limit in rows
    ]
    assert all(len(line) <= 80 for line in report_text({**_TEMPLATE, "checks": checks}).splitlines())


@given(st.floats(0, 1), st.floats(0, 35), st.floats(0, 35), st.integers(0, 10**8 - 1))
def test_metrics_stay_within_the_width(value: float, low: float, high: float, cases: int) -> None:
    """Whatever the digits."""
    metric = {"value": value, "n": cases, "groups": cases, "interval": [low, high]}
    lines = report_text({**_TEMPLATE, "metrics": {"selective_accuracy": metric}}).splitlines()
    assert all(len(line) <= 80 for line in lines)


@given(st.floats(1e-7, 1 - 1e-7))
def test_an_end_next_to_a_whole_number_does_not_look_like_it(end: float) -> None:
    """0.99999 is not 1."""
    metric = {"value": 0.5, "n": 5, "groups": 5, "interval": [end, 1]}
    row = _cut(report_text({**_TEMPLATE, "metrics": {"accuracy": metric}}), "Metrics")[1]
    assert row.split()[2] not in ("0", "1")
    assert float(row.split()[2]) == pytest.approx(end, abs=1e-4)


def _check(**fields: Any) -> dict[str, Any]:
    return {
        "check": "min_accuracy",
        "level": "requirement",
        "status": "fail",
        "value": 0.5,
        "limit": 0.9,
        "interval": None,
        "observed": False,
        "needed_groups": None,
        **fields,
    }


_TEMPLATE: dict[str, Any] = {
    "status": "fail",
    "contract": {"name": "q", "labels": []},
    "backend": {"name": "default", "provider": "mock", "model": "m"},
    "manifest": {"name": "m", "split": "dev"},
    "dataset": None,
    "counts": {"cases": 1, "groups": 1, "pairs": 0, "errors": 0},
    "checks": [],
    "metrics": {},
    "per_label": {},
    "reliability": [],
    "settings": {"fail_on_warn": False, "confidence": 0.95},
    "logical_status": "fail",
    "observed": {},
    "properties": {},
    "errors_by_kind": {},
    "failures": {"count": 0, "first": []},
    "evidence_digest": "sha256:" + "0" * 64,
    "digest": "sha256:" + "0" * 64,
}
