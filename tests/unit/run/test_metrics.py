"""Golden metrics: by hand, and against an independent computation over the records."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from robust import Case
from robust.canon import JsonObject
from robust.records.contract import Contract
from robust.run.summary import RunSummary
from robust.store.contracts import read_contract
from tests.run_fixtures import contract_of, numbers, run, sure, told

answers = st.one_of(st.none(), st.integers(0, 100).map(lambda share: share / 100))
rows = st.lists(
    st.tuples(st.sampled_from(["yes", "no", None]), answers, st.sampled_from("abc")), min_size=1, max_size=30
)


def _contract(**sections: Any) -> Contract:
    return read_contract(contract_of(**sections))


def _record(index: int, expected: str | None, share: float | None, source: str) -> JsonObject:
    record: JsonObject = {
        "kind": "decision",
        "id": f"decision/{index}",
        "case_id": str(index),
        "source_id": source,
        "expected": expected,
    }
    if share is None:
        return {**record, "error": {"kind": "timeout"}}
    chosen = "yes" if share >= 0.5 else "no"
    probabilities = {"yes": share, "no": 1 - share}
    return {
        **record,
        "result": {"probabilities": probabilities, "selected": chosen, "confidence": probabilities[chosen]},
    }


def test_metrics_worked_out_by_hand(tmp_path: Path) -> None:
    """Ten cases of which one fails, one has no label, two are wrong and three are below the threshold."""
    right = {f"number {2000 + n}": sure("yes", 0.9) for n in range(4)}
    wrong = {"number 3000": sure("no", 0.8), "number 10": sure("yes", 0.6)}
    unsure = {"number 20": sure("no", 0.6), "number 30": sure("no", 0.7)}
    failing = {"number 40": RuntimeError("down")}
    unlabelled = {"number 50": sure("no", 0.9)}
    table: dict[str, Any] = {**right, **wrong, **unsure, **failing}
    cases = [*numbers(*table), Case("number 50", None, case_id="free", source_id="n1")]
    finished = run(
        tmp_path,
        told({**table, **unlabelled}),
        dataset=cases,
        evaluation={"confidence_threshold": 0.75},
        requirements={"min_accuracy": 0},
    )
    metrics = {name: (item["value"], item["n"], item["groups"]) for name, item in finished.report["metrics"].items()}
    # yes: 4 of 5 found, one claimed wrongly; no: 2 of 3 found, one claimed wrongly.
    assert metrics == {
        "accuracy": (0.75, 8, 8),
        "macro_f1": (pytest.approx((8 / 10 + 4 / 6) / 2, abs=1e-12), 8, 8),
        "coverage": (pytest.approx(6 / 9, abs=1e-12), 9, 8),
        "abstention_rate": (pytest.approx(3 / 9, abs=1e-12), 9, 8),
        "selective_accuracy": (0.8, 5, 5),
        "error_rate": (0.1, 10, 9),
    }
    assert finished.report["confusion"] == {"yes": {"yes": 4, "no": 1}, "no": {"yes": 1, "no": 2}}
    counts = finished.report["counts"]
    assert [counts[name] for name in ("cases", "decided", "errors", "labelled", "groups")] == [10, 9, 1, 9, 9]


@given(rows, st.sampled_from([None, 0.5, 0.7, 1.0]))
def test_metrics_equal_an_independent_computation(
    data: list[tuple[str | None, float | None, str]], threshold: float | None
) -> None:
    """Counted anew from the rows, whatever their mix of errors, labels and confidence."""
    summary = RunSummary(_contract(evaluation={"confidence_threshold": threshold}), mode="all")
    for index, (expected, share, source) in enumerate(data):
        summary.add(_record(index, expected, share, source))
    decided = [
        (expected, "yes" if share >= 0.5 else "no", max(share, 1 - share))
        for expected, share, _ in data
        if share is not None
    ]
    scored = [(expected, chosen) for expected, chosen, _ in decided if expected]
    covered = [row for row in decided if threshold is not None and row[2] >= threshold - 1e-9]
    covered_scored = [row for row in covered if row[0]]
    due = {
        "accuracy": (sum(a == b for a, b in scored), len(scored)),
        "error_rate": (len(data) - len(decided), len(data)),
        "coverage": (len(covered), len(decided) if threshold is not None else 0),
        "abstention_rate": (len(decided) - len(covered), len(decided) if threshold is not None else 0),
        "selective_accuracy": (sum(row[0] == row[1] for row in covered_scored), len(covered_scored)),
    }
    metrics = summary.derived()["metrics"]
    for name, (part, whole) in due.items():
        assert metrics[name]["value"] == (pytest.approx(part / whole) if whole else None), name
    assert metrics["accuracy"]["groups"] == len(
        {source for expected, share, source in data if expected and share is not None}
    )


def test_a_metric_that_cannot_be_computed_is_null_and_its_gate_does_not_hold(tmp_path: Path) -> None:
    """No label anywhere: no accuracy, whatever the limit."""
    cases = numbers("number 5", labelled=False)
    finished = run(tmp_path, dataset=cases, requirements={"min_accuracy": 0})
    assert finished.report["metrics"]["accuracy"]["value"] is None
    assert (finished.status, finished.exit_code) == ("fail", 1)


def test_sources_that_differ_in_case_and_space_are_one_group(tmp_path: Path) -> None:
    """G4: groups are counted folded."""
    cases = [
        Case(f"number {n}", "no", case_id=f"c{n}", source_id=source)
        for n, source in enumerate(("Doc1", "doc1 ", "DOC1", "doc2"))
    ]
    finished = run(tmp_path, dataset=cases)
    assert finished.report["counts"]["groups"] == 2
    assert finished.report["metrics"]["accuracy"]["groups"] == 2


@pytest.mark.parametrize(("expected", "label"), [(5, "5"), (5.0, "5"), (0.5, "0.5"), ("5", "5"), (1e21, "1e+21")])
def test_an_expected_number_means_its_label_text(tmp_path: Path, expected: Any, label: str) -> None:
    """In canonical form, so 5 and 5.0 are one label."""
    contract = contract_of(
        decision={"name": "q", "type": "score", "levels": [label, "other"]}, requirements={"min_accuracy": 1}
    )
    answer = {label: 1.0, "other": 0.0}
    finished = run(
        tmp_path, told({"x": answer}), contract=contract, dataset=[Case("x", expected, case_id="c", source_id="c")]
    )
    assert finished.status == "pass"
