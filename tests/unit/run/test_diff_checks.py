"""The gates of a comparison: at their limits, without a value, and on the ends of intervals."""

from __future__ import annotations

from typing import Any

import pytest

from tests.compared import LABELS, Drawn, checks_of, compared, contract_for

RIGHT, WRONG = (0.8, 0.1, 0.1), (0.1, 0.8, 0.1)
STEADY = [Drawn("low", place, RIGHT, RIGHT, "a" if place % 2 else None) for place in range(18)]
WORSE = [Drawn("low", 18 + place, RIGHT, WRONG, "a") for place in range(2)]
CASES = [*STEADY, *WORSE]
# What each gate looks at in these cases.
VALUES = {
    "max_answer_flip_rate": 0.1,
    "max_accuracy_drop": 0.1,
    "max_mean_tv_distance": 0.07,
    "max_mean_confidence_shift": 0.0,
    "max_brier_increase": 0.14,
    "max_segment_accuracy_drop": 2 / 11,
}


def _checks(cases: list[Drawn], judge: str = "point", **regression: Any) -> dict[str, tuple[str, Any]]:
    return checks_of(compared(cases, contract_for(regression=regression, statistics={"judge": judge})))


@pytest.mark.parametrize("gate", VALUES)
def test_a_gate_holds_at_its_limit_and_not_beyond(gate: str) -> None:
    """With the slack of all limits, as requirement and as warning."""
    more: dict[str, Any] = {"segment_by": ["kind"]}
    value = VALUES[gate]
    for limit, holds in ((value, True), (value + 1e-6, True), (max(value - 1e-6, 0), value == 0)):
        status = "pass" if holds else "fail"
        found = _checks(CASES, **{**more, gate: limit})[f"{gate}/requirement"]
        assert found == (status, pytest.approx(value))
        warned = _checks(CASES, warnings={gate: limit}, **more)[f"{gate}/warning"]
        assert warned[0] == ("pass" if holds else "warn")


def test_an_improvement_is_within_every_limit() -> None:
    """Of 0; its value is the drop, below 0."""
    turned = [case._replace(baseline=case.candidate, candidate=case.baseline) for case in CASES]
    found = _checks(turned, max_accuracy_drop=0, max_macro_f1_drop=0, max_nll_increase=0, max_ece_increase=1)
    assert {status for status, _ in found.values()} == {"pass"}
    assert found["max_accuracy_drop/requirement"][1] == pytest.approx(-0.1)


def test_errors_are_a_requirement_of_0_unless_it_is_set() -> None:
    """Those that the baseline had too are none more."""
    failed = [*STEADY, Drawn("low", 18, RIGHT, None)]
    assert _checks(failed, max_accuracy_drop=1)["max_error_rate_increase/requirement"] == (
        "fail",
        pytest.approx(1 / 19),
    )
    assert _checks(failed, max_error_rate_increase=0.1)["max_error_rate_increase/requirement"][0] == "pass"
    both = [*STEADY, Drawn("low", 18, None, None)]
    assert _checks(both, max_accuracy_drop=1)["max_error_rate_increase/requirement"] == ("pass", 0)
    # A limit among the warnings leaves the requirement as it is.
    found = _checks(failed, warnings={"max_error_rate_increase": 0.1})
    assert {name: status for name, (status, _) in found.items()} == {
        "max_error_rate_increase/requirement": "fail",
        "max_error_rate_increase/warning": "pass",
    }


def test_a_gate_without_a_value_does_not_hold() -> None:
    """No right answer is known, and no segment is large enough."""
    cases = [case._replace(expected=None) for case in CASES]
    found = _checks(cases, max_accuracy_drop=1, max_segment_accuracy_drop=1, segment_by=["kind"])
    assert found["max_accuracy_drop/requirement"] == ("fail", None)
    assert found["max_segment_accuracy_drop/requirement"] == ("fail", None)
    small = _checks(CASES, max_segment_accuracy_drop=1, segment_by=["kind"], min_segment_size=12)
    assert small["max_segment_accuracy_drop/requirement"] == ("fail", None)


def test_a_bound_is_the_end_of_the_paired_interval() -> None:
    """It holds below the limit, fails above it, and is inconclusive between, with how many sources would decide."""
    limits = {"max_accuracy_drop": 0.5, "max_answer_flip_rate": 0.01, "max_brier_increase": 0.15}
    contract = contract_for(regression=limits, statistics={"judge": "bound"})
    checks = {check.check: check for check in compared(CASES, contract).checks()}
    assert {name: check.status for name, check in checks.items()} == {
        "max_accuracy_drop": "pass",
        "max_answer_flip_rate": "fail",
        "max_brier_increase": "inconclusive",
        # A count of these runs, as no number of cases could show a rate of exactly 0.
        "max_error_rate_increase": "pass",
    }
    undecided = checks["max_brier_increase"]
    assert undecided.interval is not None
    assert undecided.interval[0] < 0.15 < undecided.interval[1]
    assert undecided.needed_groups is not None
    assert undecided.needed_groups > 100


def test_by_bounds_a_segment_without_an_interval_leaves_its_limit_open() -> None:
    """One source group says nothing of others, however well its cases did."""
    cases = [*STEADY, *(Drawn("low", 99, RIGHT, RIGHT, "one source") for _ in range(6))]
    gates: dict[str, Any] = {"max_segment_accuracy_drop": 0.9, "segment_by": ["kind"]}
    assert _checks(cases, **gates)["max_segment_accuracy_drop/requirement"] == ("pass", 0)
    assert _checks(cases, "bound", **gates)["max_segment_accuracy_drop/requirement"][0] == "inconclusive"


def test_time_and_calibration_are_judged_by_their_values() -> None:
    """They have no interval; time is marked as observed."""
    contract = contract_for(
        regression={"max_ece_increase": 0.5, "max_latency_p95_increase_ms": 1}, statistics={"judge": "bound"}
    )
    checks = {check.check: check for check in compared(CASES, contract).checks()}
    assert (checks["max_ece_increase"].status, checks["max_latency_p95_increase_ms"].status) == ("pass", "pass")
    assert checks["max_latency_p95_increase_ms"].observed
    assert not checks["max_ece_increase"].observed


def test_labels_of_other_kinds_have_the_same_gates() -> None:
    """A choice has no distance between labels, and so no such metric."""
    found = compared(CASES, contract_for("choice")).derived()["metrics"]
    assert "ordinal_mae" not in found
    assert compared(CASES).derived()["metrics"]["ordinal_mae"]["delta"] == pytest.approx(0.1)
    assert len(LABELS) == 3
