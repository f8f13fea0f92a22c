"""Golden metrics: by hand, and against an independent computation over the records."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
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
        "observed": {},
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
        # The right answer got 0.9 four times, and 0.2, 0.4, 0.6 and 0.7.
        "nll": (pytest.approx(-math.log(0.9**4 * 0.2 * 0.4 * 0.6 * 0.7) / 8, abs=1e-12), 8, 8),
        "brier": (pytest.approx(2 * (4 * 0.01 + 0.64 + 0.36 + 0.16 + 0.09) / 8, abs=1e-12), 8, 8),
        # Bins (0.5, 0.6] with one of two right, (0.6, 0.7] with one, (0.7, 0.8] with none of one, (0.8, 0.9] with four.
        "ece": (pytest.approx((2 * 0.1 + 0.3 + 0.8 + 4 * 0.1) / 8, abs=1e-12), 8, 8),
        "coverage": (pytest.approx(6 / 9, abs=1e-12), 9, 8),
        "abstention_rate": (pytest.approx(3 / 9, abs=1e-12), 9, 8),
        "selective_accuracy": (0.8, 5, 5),
        "error_rate": (0.1, 10, 9),
    }
    assert finished.report["confusion"] == {"yes": {"yes": 4, "no": 1}, "no": {"yes": 1, "no": 2}}
    assert finished.report["per_label"] == {
        "yes": {"precision": 0.8, "recall": 0.8, "f1": 0.8, "support": 5},
        "no": {"precision": 2 / 3, "recall": 2 / 3, "f1": 2 / 3, "support": 3},
    }
    filled = [(row["lower"], row["count"], row["accuracy"]) for row in finished.report["reliability"] if row["count"]]
    assert filled == [(0.5, 2, 0.5), (0.6, 1, 1), (0.7, 1, 0), (0.8, 4, 1)]
    assert len(finished.report["reliability"]) == 10
    counts = finished.report["counts"]
    assert [counts[name] for name in ("cases", "decided", "errors", "labelled", "groups")] == [10, 9, 1, 9, 9]


@settings(deadline=None)
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
    shares = [
        share if expected == "yes" else 1 - share for expected, share, _ in data if expected and share is not None
    ]
    scores = {
        "nll": [-math.log(max(share, 1e-15)) for share in shares],
        "brier": [2 * (1 - share) ** 2 for share in shares],
    }
    for name, values in scores.items():
        assert metrics[name]["value"] == (pytest.approx(sum(values) / len(values)) if values else None), name
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


def test_without_cases_nothing_is_measured() -> None:
    """Every value is null, and no table has a row that says otherwise."""
    derived = RunSummary(_contract(evaluation={"confidence_threshold": 0.5}), mode="all").derived()
    empty = {"value": None, "n": 0, "groups": 0, "interval": None}
    assert set(map(str, derived["metrics"].values())) == {str(empty)}
    assert derived["per_label"] == {}
    assert {row["count"] for row in derived["reliability"]} == {0}
    assert {row["accuracy"] for row in derived["reliability"]} == {None}


def test_ordered_levels_have_a_mean_distance() -> None:
    """In steps of the scale; other decisions have no such metric."""
    levels = ["bad", "fair", "good", "best"]
    summary = RunSummary(_contract(decision={"name": "q", "type": "score", "levels": levels}), mode="all")
    for index, (expected, selected) in enumerate([("bad", "best"), ("fair", "fair"), ("good", "fair"), ("best", None)]):
        summary.add(_leveled(index, levels, expected, selected))
    metric = summary.derived()["metrics"]["ordinal_mae"]
    assert (metric["value"], metric["n"], metric["groups"]) == (pytest.approx(4 / 3), 3, 3)
    assert "ordinal_mae" not in RunSummary(_contract(), mode="all").derived()["metrics"]


def _leveled(index: int, levels: list[str], expected: str, selected: str | None) -> JsonObject:
    record: JsonObject = {
        "kind": "decision",
        "id": f"decision/{index}",
        "case_id": str(index),
        "source_id": str(index),
        "expected": expected,
        "observed": {},
    }
    if selected is None:
        return {**record, "error": {"kind": "timeout"}}
    probabilities = {level: float(level == selected) for level in levels}
    return {**record, "result": {"probabilities": probabilities, "selected": selected, "confidence": 1.0}}


def test_a_model_that_knows_one_label_only() -> None:
    """The other label has no F1, and counts in the mean all the same."""
    summary = RunSummary(_contract(), mode="all")
    for index, expected in enumerate(["yes", "yes", "no"]):
        summary.add(_record(index, expected, 1.0, str(index)))
    derived = summary.derived()
    assert derived["metrics"]["macro_f1"]["value"] == pytest.approx((0.8 + 0) / 2)
    assert derived["per_label"]["no"] == {"precision": 0, "recall": 0, "f1": 0, "support": 1}
    assert derived["metrics"]["nll"]["value"] == pytest.approx(-math.log(1e-15) / 3)
    assert derived["metrics"]["brier"]["value"] == pytest.approx(2 / 3)


def test_with_very_many_labels_only_cells_that_occurred_are_shown() -> None:
    """The table would have a million of them."""
    levels = [f"level {number}" for number in range(1000)]
    summary = RunSummary(_contract(decision={"name": "q", "type": "score", "levels": levels}), mode="all")
    summary.add(_leveled(0, levels, "level 3", "level 5"))
    derived = summary.derived()
    assert derived["confusion"] == {"level 3": {"level 5": 1}}
    assert len(derived["per_label"]) == 1000
    assert derived["metrics"]["ordinal_mae"]["value"] == 2


def test_every_metric_but_the_calibration_error_has_an_interval() -> None:
    """With several groups; with one there is none."""
    for sources, has_one in (("abc", True), ("aaa", False)):
        summary = RunSummary(_contract(evaluation={"confidence_threshold": 0.6}), mode="all")
        for index, share in enumerate([0.9, 0.2, None, 0.7, 0.55, 0.8]):
            summary.add(_record(index, "yes", share, sources[index % 3]))
        for name, metric in summary.derived()["metrics"].items():
            assert (metric["interval"] is not None) == (has_one and name != "ece"), name
            if metric["interval"] is not None:
                low, high = metric["interval"]
                assert low <= metric["value"] <= high


def test_the_confidence_of_intervals_is_the_contracts() -> None:
    """A higher one is wider, and the report says which."""
    widths = []
    for confidence in (0.8, 0.95, 0.99):
        summary = RunSummary(_contract(statistics={"confidence": confidence}), mode="all")
        for index in range(40):
            summary.add(_record(index, "yes", 0.9 if index % 4 else 0.1, str(index // 2)))
        low, high = summary.derived()["metrics"]["accuracy"]["interval"]
        widths.append(high - low)
    assert widths == sorted(widths)
    assert len(set(widths)) == 3


def test_more_cases_may_follow_after_the_metrics_were_looked_at() -> None:
    """What is computed is kept only as long as it is true."""
    summary, whole = (RunSummary(_contract(), mode="all") for _ in range(2))
    for index in range(3000):
        record = _record(index, "yes", (index % 101) / 100, str(index % 7))
        whole.add(record)
        summary.add(record)
        if index % 700 == 0:
            assert summary.derived()["counts"]["cases"] == index + 1
    assert summary.derived() == whole.derived()
