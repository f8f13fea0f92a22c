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
from tests.unit.render.reports import assert_fit, check_of, part_of, report_of

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


@pytest.mark.parametrize("encoding", ["utf-8", "cp1252", "ascii"])
def test_no_line_is_longer_than_a_terminal(tmp_path: Path, encoding: str) -> None:
    """A run with every gate, warning, violation and error, in the characters that the terminal has."""
    finished = _busy(tmp_path)
    assert_fit(finished.report, run=finished.path, encoding=encoding)


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
    assert_fit(run(tmp_path, failing, contract=contract, dataset=cases).report)


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


def test_what_is_scored_on_assumption_comes_before_everything_else() -> None:
    """With how many pairs that are; the status comes next. Without such pairs there is no such line."""
    text = assert_fit(report_of(counts={"pairs": 3300, "assumed": 3000}))
    head = text.partition("FAIL  q: m (mock)")[0]
    assert " ".join(head.split()) == (
        "3000 of 3300 pairs are scored on the contract author's word: no oracle judged them."
    )
    one = assert_fit(report_of(counts={"pairs": 1, "assumed": 1}))
    assert one.startswith("1 of 1 pair is scored on the contract author's word: no oracle judged it.\nFAIL")
    assert assert_fit(report_of(counts={"pairs": 3300, "valid": 3300})).startswith("FAIL  q: m (mock)\n")


def test_the_head_says_what_ran_on_what() -> None:
    """Cases, split, seed, what alone was asked for, and what became of the pairs."""
    report = report_of(seed=7, mode="properties", counts={"cases": 30, "groups": 10, "errors": 1})
    assert report_text(report).splitlines()[1:3] == [
        "  on m, split dev, seed 7, properties only",
        "  30 cases of 10 sources, 1 error",
    ]
    counts = {"pairs": 90, "valid": 60, "invalid": 9, "unknown": 1, "assumed": 20, "skipped": 3}
    text = report_text(report_of(manifest=None, dataset={"name": "d.jsonl"}, mode="golden", counts=counts))
    assert "  on d.jsonl, seed 0, golden gates only\n" in text
    assert "  90 pairs: 60 valid, 9 invalid, 1 unknown, 20 assumed; 3 skipped\n" in text


def test_checks_show_value_and_limit_by_level(tmp_path: Path) -> None:
    """One line for each, in the order of the report."""
    finished = _busy(tmp_path)
    text = report_text(finished.report)
    for level, head in (("requirement", "Requirements"), ("warning", "Warnings")):
        names = [check["check"] for check in finished.report["checks"] if check["level"] == level]
        assert [line.split()[1] for line in part_of(text, head)[1:]] == names
    by_name = {line.split()[1]: line.split() for head in ("Requirements", "Warnings") for line in part_of(text, head)}
    assert by_name["min_coverage"][:2] == ["ok", "min_coverage"]
    assert by_name["variants.max_violation_rate"][:1] == ["WARN"]
    assert by_name["max_error_rate"] == ["FAIL", "max_error_rate", "0.0333", "0"]


def test_a_value_just_beside_its_limit_shows_the_difference() -> None:
    """Not FAIL 0.9 0.9."""
    lines = part_of(report_text(report_of(checks=[check_of(value=0.89999)])), "Requirements")
    assert lines[1].split() == ["FAIL", "min_accuracy", "0.89999", "0.9"]


def test_a_check_that_holds_only_for_noise_is_marked() -> None:
    """With the p value in words below, beside those that noise does not explain; what is within its limit is not."""
    checks = [
        check_of(check="whitespace.max_flip_rate", status="pass", value=0.3, limit=0.2, p_value=0.31, noise=True),
        check_of(check="whitespace.max_violation_rate", value=0.1, limit=0, p_value=0.00012),
        check_of(check="option_order.max_flip_rate", status="pass", value=0.1, limit=0.2),
    ]
    text = assert_fit(report_of(checks=checks))
    assert [line.split()[:2] for line in part_of(text, "Requirements")[1:]] == [
        ["noise", "whitespace.max_flip_rate"],
        ["FAIL", "whitespace.max_violation_rate"],
        ["ok", "option_order.max_flip_rate"],
    ]
    assert " ".join(" ".join(part_of(text, "Noise")).split()) == (
        "whitespace.max_flip_rate: 0.3 is over the limit 0.2; it holds only because that may be the model's own noise "
        "(p = 0.31) whitespace.max_violation_rate: more than the model's own noise (p = 0.0001)"
    )
    assert "Noise" not in report_text(report_of(checks=checks[2:]))


def test_an_inconclusive_check_on_noise_says_that_nothing_could_have_been_found() -> None:
    """Rather than that nothing was."""
    check = check_of(check="whitespace.max_flip_rate", status="inconclusive", value=0.5, limit=0.2, p_value=0.25)
    text = assert_fit(report_of(checks=[check]))
    assert " ".join(" ".join(part_of(text, "Inconclusive")).split()) == (
        "whitespace.max_flip_rate: 0.5 is over the limit 0.2, and no p value below alpha was attainable (p = 0.25); "
        "more cases or trials are needed"
    )
    assert "\nNoise" not in text


def test_nothing_from_the_data_can_steer_a_terminal(tmp_path: Path) -> None:
    """Bidirectional marks in ids, control characters in model and manifest names."""
    base = Case("total 2000", "yes", case_id="b\u202e1", source_id="s\u2066")
    found = variant(base, "total  2000", "invariant", "v\u200f1", over_limit)
    frozen = Manifest.build("mixed", cases=[base], validations=[found])
    model = CallableBackend(
        lambda request: sure("no") if "  " in str(request.input) else sure("yes"), model="m\x1b[2J\u202e"
    )
    text = assert_fit(run(tmp_path, model, manifest=frozen, properties={"variants": {}}).report)
    assert "b\\u{202e}1" in text
    assert "m\\u{1b}[2J" in text


def test_a_run_that_measured_nothing_says_so(tmp_path: Path) -> None:
    """No table of empty metrics."""
    finished = run(tmp_path, dataset=numbers("number 5", labelled=False), requirements={"min_accuracy": 0})
    text = report_text(finished.report)
    assert "accuracy" not in "\n".join(part_of(text, "Metrics"))
    assert "FAIL  min_accuracy" in text
    assert "\nNo metric could be computed.\n" in report_text(report_of())


@given(st.integers(0, 10**7 - 1), st.integers(0, 10**7 - 1))
def test_large_counts_stay_within_the_width(pairs: int, cases: int) -> None:
    """Nearly ten million of everything still fit."""
    statuses = dict.fromkeys(("valid", "invalid", "unknown", "assumed", "skipped"), pairs)
    assert_fit(report_of(counts={"pairs": pairs, "cases": cases, "groups": cases, "errors": cases, **statuses}))


def test_metrics_show_their_intervals_and_what_they_rest_on(tmp_path: Path) -> None:
    """In a fixed order, whatever the order of the report's keys; the head says how sure the intervals are."""
    report = run(tmp_path, dataset=numbers(*[f"number {n}" for n in range(990, 1010)])).report
    for each in (report, {**report, "metrics": dict(sorted(report["metrics"].items()))}):
        lines = part_of(report_text(each), "Metrics of the base cases")
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
        check = check_of(status="inconclusive", value=0.95, interval=interval, needed_groups=needed)
        lines = part_of(assert_fit(report_of(checks=[check], metrics=metrics)), "Inconclusive")
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
    lines = part_of(report_text(report_of(contract=contract, per_label=few)), "Labels")
    assert [line.split() for line in lines] == [
        ["precision", "recall", "F1", "cases"],
        ["label", "0", "1", "0", "0", "7"],
        ["label", "1", "1", "0.05", "0.05", "7"],
    ]
    text = report_text(report_of(contract=contract, per_label=scores))
    assert "Labels (those with the lowest F1; 10 more are in report.json)" in text
    assert [line.split()[1] for line in part_of(text, "Labels")[1:]] == [str(n) for n in range(10)]


@pytest.mark.parametrize("label", ["\u202e" + "l" * 200, "日本語" * 70, "é" + "\u0301" * 500, "🙂" * 99])
def test_a_label_cannot_break_the_width_or_steer_a_terminal(label: str) -> None:
    """Hundreds of characters: marks that turn the direction of writing, wide ones, ones that pile up on another."""
    scores = {label: {"precision": 1 / 3, "recall": 1 / 3, "f1": 1 / 3, "support": 10**7}}
    assert_fit(report_of(contract={"name": "q", "labels": [label]}, per_label=scores))


def test_reliability_shows_the_bins_that_hold_cases() -> None:
    """Of many, the fullest, in order."""
    bins = [
        {"lower": n / 20, "upper": (n + 1) / 20, "count": n, "mean_confidence": n / 20, "accuracy": 0.5}
        for n in range(20)
    ]
    lines = part_of(report_text(report_of(reliability=bins[:3])), "Reliability")
    assert [line.split() for line in lines[1:]] == [
        ["0.05", "to", "0.1", "0.05", "0.5", "1"],
        ["0.1", "to", "0.15", "0.1", "0.5", "2"],
    ]
    text = report_text(report_of(reliability=bins))
    assert "Reliability (the fullest bins; 9 more are in report.json)" in text
    assert [int(line.split()[-1]) for line in part_of(text, "Reliability")[1:]] == list(range(10, 20))
    assert "Reliability" not in report_text(report_of(reliability=bins[:1]))


def test_time_and_spending_stand_apart() -> None:
    """Only what was observed is named."""
    latency = {"n": 3, "mean_ms": 120.26, "p50_ms": 9.999, "p90_ms": 1, "p95_ms": 1, "p99_ms": 12345.67, "max_ms": 1}
    observed = {"latency": latency, "tokens": 1234, "cost": 0.5, "cached": 2}
    assert part_of(report_text(report_of(observed=observed)), "Observed in this run") == [
        "  latency in ms: mean 120.3, median 10, p95 1, p99 12345.7, maximum 1",
        "  spent: 1234 tokens, 0.5 cost",
        "  2 answers from the cache",
    ]
    nothing = {"latency": {**latency, "n": 0}, "tokens": None, "cost": 0.0, "cached": 0}
    assert "Observed" not in report_text(report_of(observed=nothing))


def test_a_status_that_rests_on_time_says_so() -> None:
    """Beside the status without the checks on time."""
    text = report_text(report_of(checks=[check_of()], logical_status="pass"))
    assert "Without the checks on time, tokens and cost: PASS" in text
    assert "Without" not in report_text(report_of(checks=[check_of()], logical_status="fail"))


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["irrelevant_context.max_group_violation_rate", "min_accuracy", "max_latency_p95_ms"]),
            st.sampled_from(["requirement", "warning"]),
            st.sampled_from(["pass", "warn", "fail", "inconclusive"]),
            st.one_of(st.none(), st.floats(0, 1), st.floats(0, 1e9)),
            st.floats(0, 1),
            st.none() | st.floats(0, 1),
        ),
        max_size=6,
    )
)
def test_checks_stay_within_the_width(rows: list[tuple[str, str, str, float | None, float, float | None]]) -> None:
    """Whatever the names, the numbers and their digits."""
    checks = [
        check_of(check=name, level=level, status=status, value=value, limit=limit, p_value=p, noise=status == "pass")
        for name, level, status, value, limit, p in rows
    ]
    assert_fit(report_of(checks=checks))


@given(st.floats(0, 1), st.floats(0, 35), st.floats(0, 35), st.integers(0, 10**8 - 1))
def test_metrics_stay_within_the_width(value: float, low: float, high: float, cases: int) -> None:
    """Whatever the digits."""
    metric = {"value": value, "n": cases, "groups": cases, "interval": [low, high]}
    assert_fit(report_of(metrics={"selective_accuracy": metric}))


@given(st.floats(1e-7, 1 - 1e-7))
def test_an_end_next_to_a_whole_number_does_not_look_like_it(end: float) -> None:
    """0.99999 is not 1."""
    metric = {"value": 0.5, "n": 5, "groups": 5, "interval": [end, 1]}
    row = part_of(report_text(report_of(metrics={"accuracy": metric})), "Metrics")[1]
    assert row.split()[2] not in ("0", "1")
    assert float(row.split()[2]) == pytest.approx(end, abs=1e-4)
