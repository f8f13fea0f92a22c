"""What a page counts over the records of real runs: the same as the report, and failures with their texts."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from robust import IntegrityError, Run, report_run, sign
from robust.app.run_details import run_details, signature_words
from robust.records.run_details import RunDetails, failure_shares
from tests.golden.test_reports import RUNS
from tests.key_files import new_keys
from tests.page_runs import rich
from tests.unit.render.reports import check_of, property_of, report_of

MADE: dict[str, Callable[[Path], Run]] = {**RUNS, "rich": lambda folder: rich(folder, 60)}


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[Run, RunDetails]]:
    """Runs of many kinds, each with all that a page shows of it."""
    folder = tmp_path_factory.mktemp("runs")
    made = {name: make(folder / name) for name, make in MADE.items()}
    return {name: (run, run_details(run, 10_000)) for name, run in made.items()}


@pytest.mark.parametrize("name", MADE)
def test_what_is_counted_is_what_the_report_says(runs: dict[str, tuple[Run, RunDetails]], name: str) -> None:
    """Violations, flips and their rates, pairs, and how far the farthest pair went."""
    run, details = runs[name]
    for kind, found in run.report["properties"].items():
        rate, flips = details.violations[kind], details.flips[kind]
        assert (rate.hits, flips.hits) == (found["violations"], found["flips"])
        assert rate.of == found.get("eligible", found["compared"])
        for share, stored in ((rate, found["violation_rate"]), (flips, found["flip_rate"])):
            assert share.value == (None if stored is None else pytest.approx(stored))
            if share.interval is not None and share.value is not None:
                assert share.interval[0] <= share.value <= share.interval[1]
        distances = details.distances[kind]
        if kind != "variants":
            assert distances.pairs == found["compared"]
            if found["max_tv_distance"]:
                farthest = max(place for place, count in enumerate(distances.bins) if count)
                assert farthest / 50 < found["max_tv_distance"] <= (farthest + 1) / 50 + 1e-9


@pytest.mark.parametrize("name", MADE)
def test_label_pairs_and_segments_follow_from_the_records(runs: dict[str, tuple[Run, RunDetails]], name: str) -> None:
    """Counted another way."""
    run, details = runs[name]
    records = [*run.records()]
    flips = Counter(
        (record["comparison"]["base_selected"], record["comparison"]["variant_selected"])
        for record in records
        if record["kind"] == "pair"
        and record["comparison"] is not None
        and record["comparison"]["relation"] == "invariant"
        and record["comparison"]["flipped"]
    )
    assert details.label_pairs == flips
    for key in {segment.key for segment in details.segments}:
        values = Counter(record["metadata"].get(key) for record in records if record["kind"] == "decision")
        assert {each.value: each.cases for each in details.segments if each.key == key} == values


@pytest.mark.parametrize("name", MADE)
def test_every_failure_is_there_with_its_texts(runs: dict[str, tuple[Run, RunDetails]], name: str) -> None:
    """As the report has its first ones, and with the line on which each stands."""
    run, details = runs[name]
    records = [*run.records()]
    inputs = {record["case_id"]: record["input"] for record in records if record["kind"] == "decision"}
    assert len(details.failed) == run.report["failures"]["count"]
    entries = {failed.entry["id"]: failed.entry for failed in details.failed}
    assert all(entries[entry["id"]] == entry for entry in run.report["failures"]["first"])
    for failed in details.failed:
        record = records[failed.line - 1]
        assert record["id"] == failed.entry["id"]
        if record["kind"] == "decision":
            assert (failed.text, failed.changed) == (record["input"], None)
            continue
        assert failed.changed is not None
        before, old, new, after, left = failed.changed
        assert left == (0, 0, 0, 0)
        assert (before + old + after, before + new + after) == (inputs[record["case_id"]], record["input"])
        assert (failed.smallest is None) == (record["reduced"] is None)


def test_one_of_each_source_group_comes_before_another_of_the_same(runs: dict[str, tuple[Run, RunDetails]]) -> None:
    """So that a few hundred failures show as many sources as they can."""
    run, _ = runs["rich"]
    every = run_details(run, 10_000).failed
    few = run_details(run, 40).failed
    assert len(few) == 40
    for kind in {failed.entry["property"] for failed in few}:
        sources = [failed.source_id for failed in few if failed.entry["property"] == kind]
        there = {failed.source_id for failed in every if failed.entry["property"] == kind}
        assert len(set(sources)) == min(len(sources), len(there))


def test_shares_go_to_what_weighs_most_and_are_fair_among_equals() -> None:
    """A base case that was not decided weighs as a requirement does; what nobody asked about has none."""
    report = report_of(
        properties={name: property_of() for name in ("a", "b", "c", "d")},
        checks=[
            check_of(check="a.max_violation_rate"),
            check_of(check="b.max_violation_rate"),
            check_of(check="c.max_flip_rate", level="warning", status="warn"),
            check_of(check="d.max_violation_rate", status="pass"),
        ],
        failures={"count": 0, "by_kind": {"decision": 5, "a": 100, "b": 30, "c": 40, "d": 50}, "first": []},
    )
    assert failure_shares(report, 1000) == {"decision": 5, "a": 100, "b": 30, "c": 40, "d": 50}
    assert failure_shares(report, 65) == {"decision": 5, "a": 30, "b": 30, "c": 0, "d": 0}
    assert failure_shares(report, 150) == {"decision": 5, "a": 100, "b": 30, "c": 15, "d": 0}


def test_pairs_are_counted_as_an_edited_contract_judges_them(tmp_path: Path) -> None:
    """By its limits, and without a property that it has no more."""
    run = RUNS["assumed"](tmp_path / "run")
    contract: Any = report_contract(run)
    contract["properties"]["whitespace"]["max_tv_distance"] = 0.9
    del contract["properties"]["option_order"]
    judged = report_run(run.path, contract=contract)
    details = run_details(judged, 100)
    assert details.violations["whitespace"].hits == 0
    assert "option_order" not in details.violations
    assert len(details.failed) == judged.report["failures"]["count"]


def report_contract(run: Run) -> dict[str, Any]:
    """The contract that ran, as data that can be edited."""
    return dict(json.loads((run.path / "contract.json").read_bytes()))


def test_records_that_changed_meanwhile_are_refused(tmp_path: Path) -> None:
    """The page would speak of another run."""
    run = RUNS["variants"](tmp_path / "run")
    file = run.path / "records.jsonl"
    file.write_bytes(file.read_bytes().replace(b"total 2000", b"total 2999"))
    with pytest.raises(IntegrityError, match=r"records\.sha256"):
        run_details(run, 10)


def test_a_page_says_that_signatures_were_not_checked(tmp_path: Path) -> None:
    """Who signed is what the signature says of itself."""
    run = RUNS["variants"](tmp_path / "run")
    assert signature_words(run) == "not signed"
    (key,) = new_keys(1)
    sign(run.path, key)
    told = signature_words(run)
    assert told.startswith(f"says that it is signed by {key.public.key_id}; not checked here")
    sign(run.path, key, claim="I looked at every failure.", name="Ada Example")
    assert signature_words(run) == f"{told}; 1 claim about it, not checked here"
    (run.path / "attestation.dsse.json").write_text("{}", encoding="utf-8")
    assert signature_words(run).startswith("cannot be read (")
