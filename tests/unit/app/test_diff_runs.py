"""``diff_runs``: what is matched, what is refused, and what is said of two runs that are not alike."""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from robust import (
    CallableBackend,
    Case,
    ContractError,
    DataError,
    IntegrityError,
    RobustError,
    Run,
    UsageError,
    diff_runs,
    format_report,
)
from robust.canon import canonical_bytes, parse_canonical
from robust.records.report import report_digest
from robust.records.run_diff import MOST_CHANGES, MOST_UNMATCHED, diff_digest
from robust.store.sorted_spool import SortedSpool
from tests.run_fixtures import contract_of, manifest_of, numbers, right_model, run, told
from tests.unit.app.forging import StoredRun

TEXTS = [f"amount {number}" for number in range(990, 1010)]
GATES = {"max_answer_flip_rate": 0.2, "max_accuracy_drop": 0.1}


def _wrong(*places: int) -> CallableBackend:
    """A model that says yes to these texts, which is wrong below the limit."""
    return told({TEXTS[place]: "yes" for place in places})


def _pair(folder: Path, candidate: Any, *, cases: Sequence[Case] | None = None, **sections: Any) -> tuple[Run, Run]:
    contract = contract_of(**{"regression": GATES, **sections})
    known = numbers(*TEXTS) if cases is None else cases
    runs = [
        run(folder, backend, name=name, contract=contract, dataset=known)
        for name, backend in (("baseline", None), ("candidate", candidate))
    ]
    return runs[0], runs[1]


def test_cases_are_matched_by_id_whatever_their_order(tmp_path: Path) -> None:
    """The two answers to a case are compared, not the two on a line."""
    baseline = run(tmp_path, name="a", dataset=numbers(*TEXTS), contract=contract_of(regression=GATES))
    cases = list(reversed(numbers(*TEXTS)))
    candidate = run(tmp_path, _wrong(0), name="b", dataset=cases, contract=contract_of(regression=GATES))
    found = diff_runs(baseline, candidate)
    assert (found.status, found.exit_code) == ("pass", 0)
    assert found.counts["matched"] == len(TEXTS)
    (change,) = found.changes
    assert (change["case_id"], change["kind"], change["input"]) == ("n1", "newly_wrong", TEXTS[0])
    assert (change["baseline"]["selected"], change["candidate"]["selected"]) == ("no", "yes")
    assert (change["baseline"]["line"], change["candidate"]["line"]) == (1, len(TEXTS))
    assert change["expected"] == "no"


def test_gates_are_those_of_the_candidates_contract_or_of_the_given_one(tmp_path: Path) -> None:
    """Each limit holds at itself; what is over it fails, and a warning only with ``fail_on_warn``."""
    baseline, candidate = _pair(tmp_path, _wrong(0, 1, 2))
    own = diff_runs(baseline, candidate)
    assert {check["check"]: check["status"] for check in own.checks} == {
        "max_accuracy_drop": "fail",
        "max_answer_flip_rate": "pass",
        "max_error_rate_increase": "pass",
    }
    assert (own.exit_code, own.report["contract"]["of"]) == (1, "candidate")
    edited = contract_of(regression={"max_accuracy_drop": 0.15, "warnings": {"max_answer_flip_rate": 0.1}})
    given = diff_runs(str(baseline.path), candidate.path, contract=edited)
    assert (given.status, given.exit_code, given.report["contract"]["of"]) == ("warn", 0, "caller")
    assert diff_runs(baseline, candidate, contract=edited, fail_on_warn=True).exit_code == 1


def test_without_a_gate_nothing_was_asked_of_the_answers(tmp_path: Path) -> None:
    """A candidate that answers everything wrong does not pass, and neither does one that changes nothing."""
    baseline, candidate = _pair(tmp_path, _wrong(*range(10)), regression={})
    for other in (candidate, baseline):
        found = diff_runs(baseline, other)
        assert found.exit_code == 1
        assert [(check["check"], check["status"]) for check in found.checks] == [
            ("max_error_rate_increase", "pass"),
            ("gates", "inconclusive"),
        ]


def test_a_run_beside_itself_is_called_that(tmp_path: Path) -> None:
    """And a copy of it elsewhere has the same comparison, digest and all."""
    baseline, candidate = _pair(tmp_path, None)
    found = diff_runs(baseline, baseline)
    assert (found.status, found.report["changes"]["count"]) == ("pass", 0)
    assert "are the same run" in format_report(found)
    shutil.copytree(baseline.path, tmp_path / "moved")
    moved = diff_runs(tmp_path / "moved", baseline)
    assert moved.digest == found.digest
    # Another run with the same answers is another one.
    assert "gave the same answers" in format_report(diff_runs(baseline, candidate))


@pytest.mark.parametrize(
    ("decision", "path"),
    [
        ({"name": "under_limit", "type": "noul"}, "decision.name"),
        ({"name": "over_limit", "type": "choice", "options": ["yes", "no"]}, "decision.type"),
        ({"name": "over_limit", "type": "noul", "labels": ["no", "yes"]}, "decision.labels"),
    ],
)
def test_other_decisions_are_refused(tmp_path: Path, decision: dict[str, Any], path: str) -> None:
    """Of the two runs, and of a contract that is given; an order of labels is part of a decision."""
    baseline = run(tmp_path, name="a", dataset=numbers(*TEXTS), contract=contract_of(regression=GATES))
    other = contract_of(decision=decision, regression=GATES)
    candidate = run(tmp_path, name="b", dataset=numbers(*TEXTS), contract=other)
    for compared in ({"candidate": candidate}, {"candidate": baseline, "contract": other}):
        with pytest.raises(UsageError, match=r"only runs of one decision|order of the labels is part") as caught:
            diff_runs(baseline, **compared)
        assert [problem.path for problem in caught.value.problems] == [path]
        assert caught.value.code == "other_decision"


def test_runs_without_a_common_case_are_refused(tmp_path: Path) -> None:
    """With ids of both sides, since one of them was named otherwise."""
    contract = contract_of(regression=GATES)
    baseline = run(tmp_path, name="a", dataset=numbers(*TEXTS), contract=contract)
    cases = [Case(text, case_id=f"other-{place}", source_id="s") for place, text in enumerate(TEXTS)]
    candidate = run(tmp_path, name="b", dataset=cases, contract=contract)
    with pytest.raises(UsageError, match=r"its ids are 'other-0', .* there 'n1', ") as caught:
        diff_runs(baseline, candidate)
    assert (caught.value.code, caught.value.exit_code) == ("no_matched_case", 2)


def test_other_cases_inputs_answers_and_sources_are_counted_and_said(tmp_path: Path) -> None:
    """What both have is compared; both are judged by the right answers of the candidate."""
    contract = contract_of(regression=GATES)
    baseline = run(tmp_path, name="a", dataset=numbers(*TEXTS), contract=contract)
    changed = {
        0: Case("amount 0991", "no", case_id="n1", source_id="n1"),
        1: Case(TEXTS[1], "yes", case_id="n2", source_id="n2"),
        2: Case(TEXTS[2], "no", case_id="n3", source_id="n1"),
        3: Case(TEXTS[3], None, case_id="n4", source_id="n4"),
        4: Case(TEXTS[4], "no", case_id="new", source_id="new"),
    }
    cases = [changed.get(place, case) for place, case in enumerate(numbers(*TEXTS))]
    candidate = run(tmp_path, name="b", dataset=cases, contract=contract)
    found = diff_runs(baseline, candidate)
    counts = found.counts
    assert (counts["matched"], counts["only_in_baseline"], counts["only_in_candidate"]) == (19, 1, 1)
    assert (counts["other_input"], counts["other_expected"], counts["other_source"]) == (1, 2, 1)
    assert found.report["unmatched"] == {"baseline": ["n5"], "candidate": ["new"]}
    assert found.report["differences"] == ["cases"]
    accuracy = found.metrics["accuracy"]
    assert accuracy["baseline"] == accuracy["candidate"]
    text = " ".join(format_report(found).split())
    for told_of in (
        "Other cases: data set cases (sha256:",
        "1 case of the baseline is not in the candidate: n5.",
        "1 matched case has another input.",
        "2 matched cases have another right answer; both runs are judged by that of the candidate.",
        "1 matched case has another source.",
        "1 matched case has no known right answer.",
    ):
        assert told_of in text


def test_a_changed_case_with_another_input_shows_both(tmp_path: Path) -> None:
    """So that nobody takes the change of the input for one of the model."""
    contract = contract_of(regression=GATES)
    cases = numbers(*TEXTS)
    baseline = run(tmp_path, name="a", dataset=cases, contract=contract)
    edited = [Case("amount 999999", "yes", case_id="n1", source_id="n1"), *cases[1:]]
    found = diff_runs(baseline, run(tmp_path, name="b", dataset=edited, contract=contract))
    (change,) = found.changes
    assert change["kind"] == "newly_right"
    assert change["other_input"] == {"old": "0", "new": "9999"}


def test_manifests_splits_seeds_and_modes_are_said(tmp_path: Path) -> None:
    """A split of the same manifest is another set of cases."""
    variants: dict[str, list[tuple[str, str]]] = {text: [] for text in TEXTS[:4]}
    splits = {"dev": ["b1", "b2"], "test": ["b3", "b4"]}
    manifest = manifest_of(variants, splits=splits)
    contract = contract_of(requirements={"min_accuracy": 0})
    dev, test = (
        run(tmp_path, name=name, manifest=manifest, split=name, contract=contract, seed=seed)
        for name, seed in (("dev", 1), ("test", 2))
    )
    with pytest.raises(UsageError, match="no case of it is in the baseline"):
        diff_runs(dev, test)
    cases = [Case(text, "no", case_id=f"b{place}", source_id=f"s{place}") for place, text in enumerate(TEXTS[:2], 1)]
    golden = run(tmp_path, name="golden", dataset=cases, contract=contract, only="golden")
    found = diff_runs(dev, golden)
    assert found.report["differences"] == ["cases", "seed", "mode"]
    text = " ".join(format_report(found).split())
    assert "Other cases: manifest numbers over the limit, split dev (sha256:" in text
    assert "Other seeds: 1; 0." in text
    assert "Other modes: all; golden." in text


def test_errors_of_either_side_are_counted_and_are_no_answers(tmp_path: Path) -> None:
    """New ones fail by themselves: the implicit limit on their rate is 0."""
    contract = contract_of(regression=GATES)
    errors = [told({TEXTS[place]: RuntimeError("down") for place in places}) for places in ((0, 1), (1, 2, 3))]
    runs = [
        run(tmp_path, model, name=str(place), dataset=numbers(*TEXTS), contract=contract)
        for place, model in enumerate(errors)
    ]
    found = diff_runs(*runs)
    assert {name: found.report["errors"][name] for name in ("new", "recovered", "still")} == {
        "new": 2,
        "recovered": 1,
        "still": 1,
    }
    assert found.report["errors"]["by_kind"] == {"exception": {"baseline": 2, "candidate": 3}}
    assert found.counts["compared"] == len(TEXTS) - 4
    assert [change["kind"] for change in found.changes] == ["new_error", "new_error", "recovered"]
    assert found.changes[0]["candidate"]["error"] == "exception"
    statuses = {check["check"]: check["status"] for check in found.checks}
    assert (statuses["max_error_rate_increase"], statuses["max_accuracy_drop"]) == ("fail", "pass")


def test_where_no_case_was_decided_by_both_nothing_is_shown(tmp_path: Path) -> None:
    """Exit code 2, whatever the gates make of it: neither all wrong nor all right could be told from it."""
    model = told({text: RuntimeError("down") for text in TEXTS})
    baseline, candidate = _pair(tmp_path, model)
    for first, second in ((baseline, candidate), (candidate, candidate)):
        found = diff_runs(first, second)
        assert (found.status, found.exit_code) == ("error", 2)
        assert "nothing can be compared" in format_report(found)


def test_without_right_answers_nothing_is_said_of_right_and_wrong(tmp_path: Path) -> None:
    """A limit on accuracy then does not hold, one on flips can."""
    baseline, candidate = _pair(tmp_path, _wrong(0), cases=numbers(*TEXTS, labelled=False))
    found = diff_runs(baseline, candidate)
    statuses = {check["check"]: (check["status"], check["value"]) for check in found.checks}
    assert statuses["max_accuracy_drop"] == ("fail", None)
    assert statuses["max_answer_flip_rate"] == ("pass", 0.05)
    assert found.report["answers"]["mcnemar"]["p_value"] is None
    assert [change["kind"] for change in found.changes] == ["other_label"]
    assert "nothing is said of right and wrong" in " ".join(format_report(found).split())


def _languages(folder: Path, values: Sequence[Any], **sections: Any) -> tuple[Run, Run]:
    """Two runs whose cases have these values under ``lang``, where they are not missing (``...``)."""
    cases = [
        Case(case.input, case.expected, case_id=case.case_id, source_id=case.source_id, metadata=metadata)
        for case, value in zip(numbers(*TEXTS), values, strict=True)
        for metadata in [{} if value is ... else {"lang": value}]
    ]
    return _pair(folder, _wrong(0, 1, 2), cases=cases, **sections)


def test_segments_are_values_of_metadata_with_the_missing_ones(tmp_path: Path) -> None:
    """Plain values by their text; a text that says so is not taken for a missing one; small ones are not judged."""
    values = ["de"] * 6 + [7] * 5 + [None, True, "<missing>"] + [...] * 6
    limits = {"regression": {"max_segment_accuracy_drop": 0.25, "segment_by": ["lang"], "min_segment_size": 5}}
    baseline, candidate = _languages(tmp_path, values, **limits)
    found = diff_runs(baseline, candidate)
    segments = {each["value"]: (each["matched"], each["gated"]) for each in found.report["segments"]["listed"]}
    assert segments == {
        "7": (5, True),
        "<missing>": (1, False),
        "de": (6, True),
        "null": (1, False),
        "true": (1, False),
        None: (6, True),
    }
    (check,) = [check for check in found.checks if check["check"] == "max_segment_accuracy_drop"]
    assert (check["status"], check["value"]) == ("fail", 0.5)
    assert found.report["segments"]["worst"] == {"key": "lang", "value": "de"}
    text = format_report(found)
    assert "lang=<missing>" in text
    assert "lang='<missing>'" in text
    assert "the segment that decides is lang=de" in " ".join(text.split())


@pytest.mark.parametrize(
    ("value", "said"), [({"code": "de"}, "an object"), (["de"], "a list|an array"), ("x" * 201, "201 characters")]
)
def test_objects_lists_and_long_texts_are_no_segments(tmp_path: Path, value: Any, said: str) -> None:
    """With the place of the record."""
    baseline, candidate = _languages(tmp_path, [*["de"] * 19, value])
    with pytest.raises(DataError, match=said) as caught:
        diff_runs(baseline, candidate, segment_by=["lang"])
    (problem,) = caught.value.problems
    assert (problem.code, problem.line, problem.path) == ("bad_segment", 20, "$.metadata.lang")
    assert problem.file == str(candidate.path / "records.jsonl")


def test_a_key_that_no_case_has_is_refused_where_the_caller_names_it(tmp_path: Path) -> None:
    """One of the contract is shown with all cases missing; a text is one key, not many letters."""
    baseline, candidate = _languages(tmp_path, ["de"] * 20, regression={**GATES, "segment_by": ["nothing"]})
    with pytest.raises(UsageError, match="no matched case has 'langs' in its metadata"):
        diff_runs(baseline, candidate, segment_by="langs")
    (segment,) = diff_runs(baseline, candidate).report["segments"]["listed"]
    assert (segment["value"], segment["matched"]) == (None, 20)
    (segment,) = diff_runs(baseline, candidate, segment_by="lang").report["segments"]["listed"]
    assert (segment["key"], segment["value"]) == ("lang", "de")


def test_both_runs_are_verified_first(tmp_path: Path) -> None:
    """A forged answer, metric or limit of either is exit code 3, digests recomputed or not."""
    baseline, candidate = _pair(tmp_path, _wrong(0))
    for role, honest in enumerate((baseline, candidate)):
        forged = StoredRun(shutil.copytree(honest.path, tmp_path / f"forged-{role}"))
        forged.report["metrics"]["accuracy"]["value"] = 1
        forged.report["digest"] = report_digest(forged.report)
        (forged.folder / "report.json").write_bytes(canonical_bytes(forged.report) + b"\n")
        if role == 0:
            forged.records[0]["result"]["selected"] = "yes"
            lines = b"".join(canonical_bytes(record) + b"\n" for record in forged.records)
            (forged.folder / "records.jsonl").write_bytes(lines)
        runs = [forged.folder, candidate.path] if role == 0 else [baseline.path, forged.folder]
        with pytest.raises(IntegrityError) as caught:
            diff_runs(*runs)
        assert caught.value.exit_code == 3
        assert {str(problem.file).rpartition("/")[0] for problem in caught.value.problems} == {str(forged.folder)}


def test_what_is_no_run_of_a_contract_is_refused(tmp_path: Path) -> None:
    """A folder of something else, a file, a missing one, and an unfinished run."""
    baseline, candidate = _pair(tmp_path, None)
    (tmp_path / "empty").mkdir()
    (tmp_path / "file").write_text("{}", encoding="utf-8")
    shutil.copytree(candidate.path, tmp_path / "unfinished")
    (tmp_path / "unfinished" / "report.json").unlink()
    codes = {}
    for name in ("empty", "file", "missing", "unfinished"):
        with pytest.raises(RobustError) as caught:
            diff_runs(baseline, tmp_path / name)
        codes[name] = caught.value.exit_code
    assert codes == {"empty": 2, "file": 2, "missing": 2, "unfinished": 3}
    with pytest.raises(ContractError):
        diff_runs(baseline, candidate, contract={"schema_version": "1"})


def test_the_report_keeps_its_bounds(tmp_path: Path) -> None:
    """Changed cases and ids are listed up to a bound and counted in full, those that became wrong first."""
    texts = [f"amount {number}" for number in range(MOST_CHANGES + 2 * MOST_UNMATCHED)]
    contract = contract_of(regression={"max_answer_flip_rate": 1})
    # Without a known answer in the first ones, whose change is of less weight.
    cases = [
        Case(case.input, None if place < 10 else case.expected, case_id=case.case_id, source_id=case.source_id)
        for place, case in enumerate(numbers(*texts))
    ]
    other = CallableBackend(lambda request: {name: 1 - share for name, share in right_model(request).items()})
    baseline = run(tmp_path, name="a", dataset=cases, contract=contract)
    candidate = run(tmp_path, other, name="b", dataset=cases[: -MOST_UNMATCHED - 5], contract=contract)
    found = diff_runs(baseline, candidate)
    changes, unmatched = found.report["changes"], found.report["unmatched"]["baseline"]
    flipped = found.report["answers"]["flips"]
    assert (changes["count"], len(changes["first"])) == (flipped, min(flipped, MOST_CHANGES))
    assert changes["first"][0]["kind"] == "newly_wrong"
    assert flipped > MOST_CHANGES
    assert {change["kind"] for change in changes["first"]} == {"newly_wrong"}
    assert (len(unmatched), found.counts["only_in_baseline"]) == (MOST_UNMATCHED, MOST_UNMATCHED + 5)
    text = format_report(found)
    assert len(text.splitlines()) < 150
    assert f"{flipped - 10} more; -f json lists {MOST_CHANGES}" in " ".join(text.split())


def test_a_comparison_is_plain_data_that_can_be_saved(tmp_path: Path) -> None:
    """Its digest is over everything but times and places; nothing is written into a run, or over a file."""
    baseline, candidate = _pair(tmp_path, _wrong(0))
    found = diff_runs(baseline, candidate)
    copy = found.to_dict()
    copy["status"] = "edited"
    assert found.status == "pass"
    file = tmp_path / "diff.json"
    found.save(file)
    stored = parse_canonical(file.read_bytes()[:-1])
    assert stored == found.report == json.loads(format_report(found, "json"))
    assert stored["digest"] == diff_digest(stored) == found.digest
    assert stored["schema"] == "robust.diff/1"
    assert [stored[side]["evidence_digest"] for side in ("baseline", "candidate")] == [
        each.report["evidence_digest"] for each in (baseline, candidate)
    ]
    with pytest.raises(UsageError, match="exists"):
        found.save(file)
    found.save(file, overwrite=True)
    with pytest.raises(UsageError, match="own files only"):
        found.save(candidate.path / "diff.json")
    with pytest.raises(UsageError, match="it has text, json, markdown, html, junit"):
        format_report(found, "sarif")
    assert repr(found) == "<RunDiff pass: 20 matched cases, 1 changed>"


def test_many_lines_are_sorted_on_disk() -> None:
    """With the smallest buffer the same cases come out."""
    spool = SortedSpool(buffer_bytes=1)
    lines = [canonical_bytes([f"case {number % 50}", number // 50]) for number in range(100)]
    for line in lines:
        spool.append(line)
    assert list(spool) == sorted(lines)
    spool.close()
