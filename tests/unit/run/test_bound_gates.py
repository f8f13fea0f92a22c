"""Gates that are judged on the whole interval: the right side holds, the wrong side fails, astride is inconclusive."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from robust import Case, Run, verify
from robust.canon import JsonObject
from robust.records.contract import Contract
from robust.records.report import judge_limit
from robust.run.summary import RunSummary
from robust.store.contracts import read_contract
from tests.run_fixtures import checks_of, contract_of, numbers, run, sure, told

BOUND = {"statistics": {"judge": "bound"}}
TEXTS = [f"number {n}" for n in range(1, 61)]
# Three of sixty wrong: 0.95, within an interval of about 0.86 to 0.99.
WRONG: dict[str, Any] = {f"number {n}": sure("yes", 0.6) for n in (7, 8, 9)}


def _run(folder: Path, name: str = "run", cases: list[Case] | None = None, **sections: Any) -> Run:
    contract = contract_of(**sections, **BOUND)
    return run(folder, told(WRONG), name=name, contract=contract, dataset=cases or numbers(*TEXTS))


def _check(finished: Run, name: str) -> JsonObject:
    found: JsonObject = next(check for check in finished.report["checks"] if check["check"] == name)
    return found


@pytest.mark.parametrize(
    ("gate", "limit", "interval", "due"),
    [
        ("min_accuracy", 0.9, (0.9, 0.95), "pass"),
        ("min_accuracy", 0.9, (0.9 - 1e-10, 0.95), "pass"),
        ("min_accuracy", 0.9, (0.9 - 1e-8, 0.95), "inconclusive"),
        ("min_accuracy", 0.9, (0.85, 0.89), "fail"),
        ("min_accuracy", 0.9, (0.85, 0.9), "inconclusive"),
        ("max_brier", 0.9, (0.85, 0.9), "pass"),
        ("max_brier", 0.9, (0.85, 0.9 + 1e-10), "pass"),
        ("max_brier", 0.9, (0.85, 0.9 + 1e-8), "inconclusive"),
        ("max_brier", 0.9, (0.91, 0.95), "fail"),
        ("max_brier", 0.9, (0.9, 0.95), "inconclusive"),
        ("min_accuracy", 0.9, None, "inconclusive"),
    ],
)
def test_the_whole_interval_must_be_on_the_right_side(
    gate: str, limit: float, interval: tuple[float, float] | None, due: str
) -> None:
    """The limit itself belongs to the right side, with the slack of every limit."""
    value = 0.9 if interval is None else sum(interval) / 2
    assert judge_limit(gate, "requirement", value, limit, interval=interval, bound=True).status == due
    warned = {"fail": "warn"}.get(due, due)
    assert judge_limit(gate, "warning", value, limit, interval=interval, bound=True).status == warned


def test_a_value_that_cannot_be_computed_does_not_hold() -> None:
    """It is not inconclusive: nothing was measured."""
    assert judge_limit("min_accuracy", "requirement", None, 0.9, bound=True).status == "fail"
    assert judge_limit("min_accuracy", "warning", None, 0.9, bound=True).status == "warn"


def test_a_gate_holds_only_with_enough_groups(tmp_path: Path) -> None:
    """0.95 of sixty passes 0.8, is inconclusive at 0.9 although the value is above it, and fails 0.999."""
    statuses = {limit: _run(tmp_path, str(limit), requirements={"min_accuracy": limit}) for limit in (0.8, 0.9, 0.999)}
    assert [checks_of(finished)["min_accuracy"] for finished in statuses.values()] == ["pass", "inconclusive", "fail"]
    assert [finished.exit_code for finished in statuses.values()] == [0, 1, 1]
    assert all(verify(finished.path).holds for finished in statuses.values())


def test_an_inconclusive_check_says_how_many_more_groups_would_decide(tmp_path: Path) -> None:
    """With as many more of the same, it does."""
    check = _check(_run(tmp_path, requirements={"min_accuracy": 0.9}), "min_accuracy")
    low, high = check["interval"]
    assert low < 0.9 < check["value"] < high
    needed = check["needed_groups"]
    texts = [f"number {n}" for n in range(1, 61 + needed)]
    wrong = {f"number {n}": sure("yes", 0.6) for n in range(1, 1 + round(len(texts) / 20))}
    contract = contract_of(requirements={"min_accuracy": 0.9}, **BOUND)
    larger = run(tmp_path, told(wrong), name="larger", contract=contract, dataset=numbers(*texts))
    assert checks_of(larger)["min_accuracy"] == "pass"
    assert _check(larger, "min_accuracy")["needed_groups"] is None


def test_an_inconclusive_requirement_fails_and_an_inconclusive_warning_warns(tmp_path: Path) -> None:
    """With their exit codes."""
    required = _run(tmp_path, "required", requirements={"min_accuracy": 0.9})
    warned = _run(tmp_path, "warned", requirements={"min_accuracy": 0.8}, warnings={"min_accuracy": 0.9})
    assert (required.status, required.exit_code) == ("fail", 1)
    assert (warned.status, warned.exit_code) == ("warn", 0)
    assert required.report["logical_status"] == "fail"


def test_one_source_group_decides_nothing(tmp_path: Path) -> None:
    """No interval, and no number of groups to tell."""
    cases = [Case(case.input, case.expected, case_id=case.case_id, source_id="one") for case in numbers(*TEXTS)]
    finished = _run(tmp_path, cases=cases, requirements={"min_accuracy": 0.1})
    check = _check(finished, "min_accuracy")
    assert (check["status"], check["interval"], check["needed_groups"]) == ("inconclusive", None, None)
    assert finished.status == "fail"


def test_that_nothing_failed_is_judged_on_the_count(tmp_path: Path) -> None:
    """No number of cases could show an error rate of 0, so the implicit requirement would never hold."""
    finished = _run(tmp_path, requirements={"min_accuracy": 0.8})
    assert checks_of(finished)["max_error_rate"] == "pass"
    allowed = _run(tmp_path, "allowed", requirements={"min_accuracy": 0.8, "max_error_rate": 0.01})
    check = _check(allowed, "max_error_rate")
    assert (check["status"], check["value"]) == ("inconclusive", 0)
    # 0.975 needs 1 − 0.01 to the power of 368 groups.
    assert check["needed_groups"] == 310


def test_a_limit_that_no_number_of_groups_reaches_has_none(tmp_path: Path) -> None:
    """An accuracy of exactly 1 is never shown."""
    finished = run(
        tmp_path, contract=contract_of(requirements={"min_accuracy": 1}, **BOUND), dataset=numbers(*TEXTS[:5])
    )
    check = _check(finished, "min_accuracy")
    assert (check["status"], check["value"], check["needed_groups"]) == ("inconclusive", 1, None)


def _summary(contract: Contract, groups: int) -> RunSummary:
    summary = RunSummary(contract, mode="all")
    for index in range(groups * 3):
        right = index % 10 != 0
        share = 0.8 if right else 0.3
        summary.add(
            {
                "kind": "decision",
                "id": f"decision/{index}",
                "case_id": str(index),
                "source_id": str(index % groups),
                "expected": "1",
                "observed": {},
                "result": {
                    "probabilities": {"0": 1 - share, "1": share},
                    "selected": "1" if right else "0",
                    "confidence": max(share, 1 - share),
                },
            }
        )
    return summary


@pytest.mark.parametrize(
    ("gate", "kept", "broken"),
    [
        ("min_accuracy", 0.8, 0.99),
        ("min_macro_f1", 0.3, 0.7),
        ("min_coverage", 0.9, None),
        ("min_selective_accuracy", 0.8, 0.99),
        ("max_nll", 0.5, 0.2),
        ("max_brier", 0.4, 0.05),
        ("max_abstention_rate", 0.1, None),
        ("max_error_rate", 0.1, None),
        ("max_ordinal_mae", 0.2, 0.01),
    ],
)
def test_every_gate_with_an_interval_can_be_judged_on_it(gate: str, kept: float, broken: float | None) -> None:
    """Held with many groups, not with two, and broken where the limit is beyond the interval."""

    def status(limit: float, groups: int) -> str:
        contract = read_contract(
            contract_of(
                decision={"name": "q", "type": "score", "levels": ["0", "1"]},
                evaluation={"confidence_threshold": 0.6},
                requirements={gate: limit},
                **BOUND,
            )
        )
        return next(check.status for check in _summary(contract, groups).checks() if check.check == gate)

    assert status(kept, 100) == "pass"
    assert status(kept, 2) == "inconclusive"
    if broken is not None:
        assert status(broken, 100) == "fail"
