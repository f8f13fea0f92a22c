"""``check_production``: what it computes, against sums that are written down plainly here."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from robust import ContractError, DataError, UsageError, check_production, verify, verify_all
from robust.records.production_record import MISSING
from tests.production_files import LABELS, contract_data, record, records, write_lines

BINS = 10


@pytest.fixture(scope="module")
def made() -> list[dict[str, Any]]:
    """Records of many kinds."""
    return records(500)


@pytest.fixture
def file(tmp_path: Path, made: list[dict[str, Any]]) -> Path:
    """The same in a file."""
    return write_lines(tmp_path / "records.jsonl", made)


def _right(row: dict[str, Any]) -> bool | None:
    if "outcome" in row:
        return bool(row["outcome"] == row["selected"])
    told: bool | None = row.get("outcome_correct")
    return told


def _confidence(row: dict[str, Any]) -> float:
    return float(max(row["probabilities"].values()))


def _plain_metrics(rows: list[dict[str, Any]], threshold: float) -> dict[str, float]:
    """The metrics by their definitions."""
    known = [(row, right) for row in rows if (right := _right(row)) is not None]
    labelled = [row for row in rows if "outcome" in row]
    routed = [row for row in rows if "action" in row]
    fallback = [
        row["action"] == "fallback" if "action" in row else row["fallback"]
        for row in rows
        if "action" in row or "fallback" in row
    ]
    ece = 0.0
    for place in range(BINS):
        members = [
            (row, right) for row, right in known if min(math.ceil(_confidence(row) * BINS) - 1, BINS - 1) == place
        ]
        if members:
            accuracy = sum(right for _, right in members) / len(members)
            mean = math.fsum(_confidence(row) for row, _ in members) / len(members)
            ece += len(members) / len(known) * abs(accuracy - mean)
    brier = [
        sum((share - (label == row["outcome"])) ** 2 for label, share in row["probabilities"].items())
        for row in labelled
    ]
    nll = [-math.log(row["probabilities"][row["outcome"]]) for row in labelled]
    return {
        "accuracy": sum(right for _, right in known) / len(known),
        "error_rate": sum(not right for _, right in known) / len(known),
        "ece": ece,
        "brier": math.fsum(brier) / len(brier),
        "nll": math.fsum(nll) / len(nll),
        "threshold_coverage": sum(_confidence(row) >= threshold for row in rows) / len(rows),
        "abstention_rate": sum(row["action"] == "abstain" for row in routed) / len(routed),
        "human_review_rate": sum(row["action"] == "human_review" for row in routed) / len(routed),
        "fallback_rate": sum(fallback) / len(fallback),
    }


def test_metrics_are_those_of_their_definitions(file: Path, made: list[dict[str, Any]]) -> None:
    """Over all records, and over those of a segment."""
    contract = contract_data(evaluation={"confidence_threshold": 0.6})
    found = check_production(contract, file, segment_by=["region"])
    for name, value in _plain_metrics(made, 0.6).items():
        assert found.metrics[name] == pytest.approx(value, abs=1e-12), name
    for segment in found.report["segments"]:
        rows = [row for row in made if (row.get("metadata") or {}).get("region") == segment["value"]]
        assert segment["counts"]["records"] == len(rows)
        for name, value in _plain_metrics(rows, 0.6).items():
            assert segment["metrics"][name]["value"] == pytest.approx(value, abs=1e-12), (segment["id"], name)


def test_percentiles_are_those_of_numpy(file: Path, made: list[dict[str, Any]]) -> None:
    """With so few different numbers to the last digits."""
    report = check_production(contract_data(), file).report
    for name, values in (
        ("latency_ms", [row["latency_ms"] for row in made if "latency_ms" in row]),
        ("cost", [row["cost"] for row in made if "cost" in row]),
        ("confidence", [*map(_confidence, made)]),
    ):
        told = report[name]
        assert (told["n"], told["relative_error"]) == (len(values), 0)
        assert told["mean"] == pytest.approx(math.fsum(values) / len(values), abs=1e-12)
        assert told["max"] == max(values)
        for percent in (50, 90, 95, 99):
            assert told[f"p{percent}"] == pytest.approx(float(np.percentile(values, percent)), abs=1e-9)
    assert report["cost"]["total"] == pytest.approx(math.fsum(row.get("cost", 0) for row in made), abs=1e-12)


def test_many_different_latencies_are_told_within_the_told_error(tmp_path: Path) -> None:
    """And the records of them are few."""
    values = [float(value) for value in np.random.default_rng(1).lognormal(5, 1, 9000)]
    file = write_lines(tmp_path / "r.jsonl", (record(latency_ms=value) for value in values))
    told = check_production(contract_data(), file).report["latency_ms"]
    assert 0 < told["relative_error"] < 0.01
    for percent in (50, 90, 95, 99):
        assert told[f"p{percent}"] == pytest.approx(float(np.percentile(values, percent)), rel=told["relative_error"])


def test_the_missing_are_a_segment_and_equal_numbers_are_one(tmp_path: Path) -> None:
    """Null is no value; a text that looks like a number is another."""
    tiers = [1, 1.0, "1", True, "true", None, 0.5]
    rows = [record(metadata={"tier": tier}) for tier in tiers]
    rows += [record(), record(metadata={}), record(metadata={"other": 1})]
    found = check_production(contract_data(), write_lines(tmp_path / "r.jsonl", rows), segment_by=["tier"])
    counted = {segment["id"]: segment["counts"]["records"] for segment in found.report["segments"]}
    assert counted == {
        'segment[tier="1"]': 1,
        'segment[tier="true"]': 1,
        "segment[tier=0.5]": 1,
        "segment[tier=1]": 2,
        "segment[tier=true]": 1,
        f"segment[tier={MISSING}]": 4,
    }


def test_keys_and_values_that_look_like_each_other_are_different_segments(tmp_path: Path) -> None:
    """A key with the sign that parts it from the value; each has its own checks, and the check can be verified."""
    rows = [
        record(outcome="refund", metadata={"a": "b=c", "a=b": "d"}),
        record(outcome="reject", metadata={"a=b": "c"}),
    ]
    contract = contract_data({"segments": ["a", "a=b", '"a'], "segment_requirements": {"min_accuracy": 0.5}})
    file = write_lines(tmp_path / "r.jsonl", rows)
    found = check_production(contract, file, output=tmp_path / "run")
    assert {segment["id"]: segment["status"] for segment in found.report["segments"]} == {
        "segment[a=b=c]": "pass",
        "segment[a=<missing>]": "fail",
        'segment["a=b"=c]': "fail",
        'segment["a=b"=d]': "pass",
        r'segment["\"a"=<missing>]': "pass",
    }
    assert verify(tmp_path / "run").holds


def test_values_that_begin_alike_are_verified(tmp_path: Path) -> None:
    """Written and read in one order."""
    tiers = ["eu", "eu-west", "eu west", "a]", "a].b", 1, 10, 1.5, None]
    file = write_lines(tmp_path / "r.jsonl", [record(metadata={"tier": tier}) for tier in tiers])
    check_production(contract_data(), file, segment_by=["tier"], output=tmp_path / "run")
    found = verify(tmp_path / "run")
    assert found.holds, found


def test_the_largest_numbers_are_segments_too(tmp_path: Path) -> None:
    """As canonical JSON writes them."""
    tiers = [1e16, 1e21, 1e22, -1.5e300, 1e22]
    file = write_lines(tmp_path / "r.jsonl", [record(metadata={"tier": tier}) for tier in tiers])
    found = check_production(contract_data(), file, segment_by=["tier"], output=tmp_path / "run")
    named = [segment["id"] for segment in found.report["segments"]]
    assert named == [f"segment[tier={name}]" for name in ("-1.5e+300", "10000000000000000", "1e+21", "1e+22")]
    assert verify(tmp_path / "run").holds


def test_gates_of_segments_are_checks_of_each(tmp_path: Path) -> None:
    """Of the missing ones too; one whose metric cannot be computed does not hold."""
    rows = [record(outcome="refund", metadata={"region": "north"}), record(outcome="reject"), *[record()] * 3]
    rows.append(record(metadata={"region": "south"}))
    production = {"segments": ["region"], "segment_requirements": {"min_accuracy": 0.5}}
    found = check_production(contract_data(production), write_lines(tmp_path / "r.jsonl", rows))
    assert {check["check"]: (check["status"], check["value"]) for check in found.checks} == {
        "segment[region=north].min_accuracy": ("pass", 1),
        "segment[region=south].min_accuracy": ("fail", None),
        f"segment[region={MISSING}].min_accuracy": ("fail", 0),
    }
    assert (found.status, found.exit_code) == ("fail", 1)


def test_nothing_passes_that_nothing_was_asked_of(tmp_path: Path) -> None:
    """No gates, or gates of segments without segments."""
    file = write_lines(tmp_path / "r.jsonl", [record(outcome="refund")])
    empty = check_production(contract_data({}), file)
    assert (empty.status, [check["check"] for check in empty.checks]) == ("fail", ["gates"])
    alone = check_production(contract_data({"segment_requirements": {"min_accuracy": 0.5}}), file)
    assert (alone.status, [check["check"] for check in alone.checks]) == ("fail", ["segments.min_accuracy"])


def test_a_gate_whose_metric_cannot_be_computed_does_not_hold(tmp_path: Path) -> None:
    """Without outcomes, actions and a baseline nothing is known to be good."""
    gates = {"min_accuracy": 0, "max_fallback_rate": 1, "max_accuracy_drop": 1, "max_confidence_tv_distance": 1}
    file = write_lines(tmp_path / "r.jsonl", [record()])
    found = check_production(contract_data({"requirements": gates}), file)
    assert {check["status"] for check in found.checks} == {"fail"}
    assert {check["value"] for check in found.checks} == {None}


def test_a_warning_warns_and_fails_only_where_that_is_asked_for(tmp_path: Path) -> None:
    """Exit code 1 with ``fail_on_warn``."""
    file = write_lines(tmp_path / "r.jsonl", [record(outcome="reject")])
    contract = contract_data({"requirements": {"max_error_rate": 1}, "warnings": {"min_accuracy": 0.5}})
    found = check_production(contract, file)
    assert (found.status, found.exit_code) == ("warn", 0)
    assert check_production(contract, file, fail_on_warn=True).exit_code == 1


def test_drift_is_the_difference_from_a_baseline(tmp_path: Path, file: Path, made: list[dict[str, Any]]) -> None:
    """Records and an earlier report over them come to the same."""
    earlier = records(400, seed=9)
    before = write_lines(tmp_path / "before.jsonl", earlier)
    gates = {"max_accuracy_drop": 1, "max_ece_increase": 1, "max_confidence_tv_distance": 1}
    contract = contract_data({"requirements": gates})
    by_records = check_production(contract, file, baseline=before)
    check_production(contract, before, output=tmp_path / "run")
    for earlier_report in (tmp_path / "run", tmp_path / "run" / "report.json"):
        by_report = check_production(contract, file, baseline=earlier_report)
        assert by_report.report["drift"] == by_records.report["drift"]
        assert by_report.report["baseline"]["source"] == "report"
    one, other = (_plain_metrics(rows, 0.5) for rows in (made, earlier))
    drift = {name: metric["value"] for name, metric in by_records.report["drift"].items()}
    assert drift["accuracy_drop"] == pytest.approx(other["accuracy"] - one["accuracy"], abs=1e-12)
    assert drift["ece_increase"] == pytest.approx(one["ece"] - other["ece"], abs=1e-12)
    histograms = [
        np.histogram([-_confidence(row) for row in rows], bins=[-edge / BINS for edge in range(BINS, -1, -1)])[0]
        / len(rows)
        for rows in (made, earlier)
    ]
    distance = float(np.abs(histograms[0] - histograms[1]).sum()) / 2
    assert drift["confidence_tv_distance"] == pytest.approx(distance, abs=1e-12)
    assert {check["value"] for check in by_records.checks} == {
        drift[name] for name in ("accuracy_drop", "ece_increase", "confidence_tv_distance")
    }


def test_a_baseline_must_answer_the_same_question(tmp_path: Path, file: Path) -> None:
    """Or nothing can be compared: other labels, and bins that are counted otherwise."""
    check_production(contract_data(), file, output=tmp_path / "run")
    other = contract_data(evaluation={"calibration_bins": 7})
    with pytest.raises(DataError, match="calibration_bins") as caught:
        check_production(other, file, baseline=tmp_path / "run")
    assert caught.value.code == "other_baseline"
    renamed = {**contract_data(), "decision": {"name": "claim", "type": "choice", "options": [*LABELS[1:], LABELS[0]]}}
    with pytest.raises(DataError, match="labels"):
        check_production(renamed, file, baseline=tmp_path / "run")


def test_a_bound_is_judged_by_the_whole_interval(tmp_path: Path) -> None:
    """Ten right records of ten show no accuracy of 0.9; a hundred do."""
    contract = contract_data({"requirements": {"min_accuracy": 0.9}}, statistics={"judge": "bound"})
    few = check_production(contract, write_lines(tmp_path / "few.jsonl", [record(outcome="refund")] * 10))
    (check,) = few.checks
    assert (check["status"], few.exit_code) == ("inconclusive", 1)
    assert check["interval"][1] == 1 and check["interval"][0] < 0.9 and check["needed_groups"] > 0
    many = check_production(contract, write_lines(tmp_path / "many.jsonl", [record(outcome="refund")] * 100))
    assert many.status == "pass"


@pytest.mark.parametrize("gate", ["max_ece", "max_ece_increase", "max_confidence_tv_distance"])
def test_what_has_no_interval_has_no_bound(tmp_path: Path, gate: str) -> None:
    """The contract says so, not the check."""
    contract = contract_data({"requirements": {gate: 0.5}}, statistics={"judge": "bound"})
    with pytest.raises(ContractError, match="has no interval"):
        check_production(contract, write_lines(tmp_path / "r.jsonl", [record()]))


def test_a_list_is_read_as_lines_are(tmp_path: Path, file: Path, made: list[dict[str, Any]]) -> None:
    """But for the digest of the file."""
    listed = tmp_path / "records.json"
    listed.write_text(json.dumps(made, indent=1), encoding="utf-8")
    one, other = (check_production(contract_data(), path, segment_by=["region"]).report for path in (file, listed))
    for name in ("counts", "metrics", "latency_ms", "segments", "checks"):
        assert one[name] == other[name]


def test_equal_ids_are_told_with_both_lines(tmp_path: Path) -> None:
    """Also such as are equal after normalisation, and in a list."""
    rows = [record(id="a"), record(id="e\u0301"), record(), record(id="\u00e9")]
    with pytest.raises(DataError) as caught:
        check_production(contract_data(), write_lines(tmp_path / "r.jsonl", rows))
    (problem,) = caught.value.problems
    assert (problem.code, problem.line) == ("duplicate_id", 4)
    assert "line 2" in problem.message
    listed = tmp_path / "r.json"
    listed.write_text(json.dumps(rows), encoding="utf-8")
    with pytest.raises(DataError, match=r"\$\[1\]"):
        check_production(contract_data(), listed)


def test_too_many_segments_are_refused_with_the_key(tmp_path: Path) -> None:
    """A key that tells records apart makes no kinds of them."""
    rows = (record(metadata={"request": f"q{number}", "region": "north"}) for number in range(1200))
    with pytest.raises(DataError, match="by 'request'") as caught:
        check_production(contract_data(), write_lines(tmp_path / "r.jsonl", rows), segment_by=["region", "request"])
    assert caught.value.code == "too_many_segments"


def test_numbers_that_sum_to_more_than_can_be_written_are_refused(tmp_path: Path) -> None:
    """Ten times 10^15 is beyond what every JSON reader holds; nine times is not."""
    file = write_lines(tmp_path / "r.jsonl", [record(latency_ms=1e15, outcome="refund")] * 9)
    assert check_production(contract_data(), file, output=tmp_path / "run").report["latency_ms"]["mean"] == 1e15
    assert verify(tmp_path / "run").holds
    with pytest.raises(DataError, match="larger unit") as caught:
        check_production(contract_data(), write_lines(file, [record(latency_ms=1e15)] * 10))
    assert (caught.value.code, caught.value.problems[0].file) == ("too_large", str(file))


ODD: dict[str, tuple[list[dict[str, Any]], dict[str, Any]]] = {
    "a sum above 1": ([record(probabilities={"refund": 1.0009, "exchange": 0, "reject": 0}, outcome="refund")], {}),
    "a sum far above 1": (
        [record(probabilities={"refund": 1.1, "exchange": 0, "reject": 0}, outcome="refund")],
        {"probability_tolerance": 0.1},
    ),
    "a sure miss": ([record(probabilities={"refund": 1, "exchange": 0, "reject": 0}, outcome="reject")] * 2, {}),
    "tiny numbers": (
        [record(probabilities={"refund": 1, "exchange": 5e-324, "reject": 0}, outcome="exchange", cost=5e-324)] * 2,
        {},
    ),
    "costs of any size": ([record(cost=10.0**exponent) for exponent in range(-300, 15)], {}),
    "a thousand bins": ([record(outcome="refund")], {"calibration_bins": 1000}),
    "at the edges": (
        [
            record(probabilities={"refund": share, "exchange": 1 - share, "reject": 0}, outcome="refund")
            for share in (0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
        ],
        {"confidence_threshold": 0.6},
    ),
}


@pytest.mark.parametrize("name", ODD)
def test_whatever_is_in_order_is_kept_in_a_run_that_verifies(tmp_path: Path, name: str) -> None:
    """At the ends of what records may hold."""
    rows, evaluation = ODD[name]
    file = write_lines(tmp_path / "r.jsonl", rows)
    check_production(contract_data(evaluation=evaluation), file, output=tmp_path / "run")
    assert [each.holds for each in verify_all([tmp_path / "run", file])] == [True, True]  # type: ignore[union-attr]


@pytest.mark.parametrize("keys", ["region", [""], [" a"], [5]])
def test_keys_of_segments_are_a_list_of_texts(file: Path, keys: Any) -> None:
    """One text alone would be read letter by letter."""
    with pytest.raises(UsageError):
        check_production(contract_data(), file, segment_by=keys)


def test_a_check_is_plain_data_that_is_the_callers_own(file: Path) -> None:
    """Changing it changes nothing of the report."""
    found = check_production(contract_data(), file)
    copy = found.to_dict()
    copy["status"] = "changed"
    copy["checks"].clear()
    assert found.status == "pass" and found.checks
    assert repr(found) == "<ProductionReport pass 500 records>"


def test_equal_records_have_equal_evidence(tmp_path: Path, file: Path) -> None:
    """Whenever and wherever they are checked; the digest of the report is the same too, as times are not in it."""
    other = tmp_path / "moved"
    other.mkdir()
    moved = other / "records.jsonl"
    moved.write_bytes(file.read_bytes())
    one, two = (check_production(contract_data(), path).report for path in (file, moved))
    assert (one["evidence_digest"], one["digest"]) == (two["evidence_digest"], two["digest"])
