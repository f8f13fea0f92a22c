"""E3: a report that was edited and hashed again is refused, and the path is named with both values."""

from __future__ import annotations

from typing import Any

import pytest

from tests.run_fixtures import manifest_of, numbers, run, sure, told
from tests.unit.app.forging import IDENTITY, StoredRun, at, leaves, other, paths_of, put, shown

VARIANTS = {
    "total 2000": [("total  2000", "invariant"), ("total 20", "counterfactual")],
    "total 30": [("total  30", "invariant")],
    "total 40": [("total  40", "invariant")],
}
SECTIONS = [
    "schema", "status", "exit_code", "mode", "contract", "counts", "metrics", "confusion", "errors_by_kind",
    "per_label", "reliability", "base_flips",
    "properties", "checks", "failures", "records", "evidence_digest", "answers_digest", "logical_status",
]  # fmt: skip
GATES: dict[str, Any] = {
    "requirements": {"min_accuracy": 0.5},
    "warnings": {"min_macro_f1": 0.99},
    "evaluation": {"confidence_threshold": 0.7},
    "properties": {"variants": {"max_violation_rate": 0, "max_flip_rate": 0.9, "max_tv_distance": 0.9}},
}


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> StoredRun:
    """A run with a right pair, a violated pair, a failed base and its unsent variant."""
    answers = {"total  2000": sure("no"), "total 40": TimeoutError("slow")}
    finished = run(tmp_path_factory.mktemp("manifest"), told(answers), manifest=manifest_of(VARIANTS), **GATES)
    return StoredRun(finished.path)


@pytest.fixture(scope="module")
def of_dataset(tmp_path_factory: pytest.TempPathFactory) -> StoredRun:
    """A run over plain cases."""
    finished = run(
        tmp_path_factory.mktemp("dataset"), dataset=numbers("number 5", "number 5000"), requirements={"min_accuracy": 1}
    )
    return StoredRun(finished.path)


def test_the_forger_changes_nothing_when_nothing_is_edited(stored: StoredRun, of_dataset: StoredRun) -> None:
    """Its digests are the digests of the package, so what follows is refused for its content alone."""
    for original in (stored, of_dataset):
        forged = original.copy()
        forged.fit_records()
        forged.fit_digests()
        assert forged.report == original.report
        assert forged.save().holds


def test_every_part_of_a_report_is_covered_here(stored: StoredRun) -> None:
    """A new section must be put in the list, or be part of what a run declares about itself."""
    assert sorted([*SECTIONS, *IDENTITY, "digest"]) == sorted(stored.report)


@pytest.mark.parametrize("section", SECTIONS)
def test_no_value_of_a_report_can_be_edited(stored: StoredRun, section: str) -> None:
    """Every leaf of the section, one by one, with all digests over it computed again."""
    for path in leaves(stored.report[section], (section,)):
        forged = stored.copy()
        put(forged.report, path, other(at(forged.report, path)))
        if section in ("records", "evidence_digest", "answers_digest") or path == ("contract", "digest"):
            forged.fit_report()
        else:
            forged.fit_digests()
        verified = forged.save()
        assert verified.exit_code == 3, path
        # What was put into an empty object is named itself.
        assert {shown(path), shown((*path, "x"))} & paths_of(verified), path
    assert stored.save().holds


def test_a_value_that_was_added_or_removed_is_named(stored: StoredRun) -> None:
    """At the top, and inside."""
    for path in (("skipped_reason",), ("metrics", "luck"), ("counts", "flaky"), ("properties", "fuzz")):
        forged = stored.copy()
        put(forged.report, path, {"value": 0})
        forged.fit_digests()
        assert shown(path) in paths_of(forged.save()), path
    for path in (("counts", "errors"), ("metrics", "accuracy"), ("confusion", "yes"), ("checks",), ("failures",)):
        forged = stored.copy()
        at(forged.report, path[:-1]).pop(path[-1])
        forged.fit_digests()
        assert shown(path) in paths_of(forged.save()), path
    assert stored.save().holds


def test_a_consistent_looking_verdict_is_still_refused(stored: StoredRun) -> None:
    """Status, exit code, logical status and every check turned to pass together."""
    forged = stored.copy()
    forged.report |= {"status": "pass", "exit_code": 0, "logical_status": "pass"}
    for check in forged.report["checks"]:
        check |= {"status": "pass", "value": check["limit"]}
    forged.fit_digests()
    verified = forged.save()
    assert {"$.status", "$.exit_code", "$.logical_status"} <= paths_of(verified)
    message = next(
        problem.message for check in verified.checks for problem in check.problems if problem.path == "$.status"
    )
    assert message == '"pass" is stored, "fail" follows'
    assert stored.save().holds


def test_the_cases_of_a_data_set_follow_from_the_records(of_dataset: StoredRun) -> None:
    """An edited root is named where it stands."""
    forged = of_dataset.copy()
    forged.report["dataset"]["root"] = "sha256:" + "0" * 64
    forged.fit_digests()
    assert "$.dataset.root" in paths_of(forged.save())
    assert of_dataset.save().holds


@pytest.mark.parametrize("name", [*SECTIONS, *IDENTITY])
def test_nothing_that_a_report_says_may_be_missing(stored: StoredRun, of_dataset: StoredRun, name: str) -> None:
    """Not even what is null: it is named, whatever its cases come from, and nothing crashes."""
    for original in (stored, of_dataset):
        forged = original.copy()
        del forged.report[name]
        forged.fit_report()
        verified = forged.save()
        assert verified.exit_code == 3
        assert shown((name,)) in paths_of(verified)
        assert original.save().holds


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("manifest",), None),
        (("manifest",), "m"),
        (("manifest", "digest"), None),
        (("manifest", "root"), "sha256:0"),
        (("manifest", "split"), 5),
        (("manifest", "comment"), "added"),
        (("dataset",), {"name": "d", "sha256": None, "root": "r"}),
        (("seed",), "0"),
        (("seed",), True),
        (("backend",), None),
        (("backend",), []),
        (("backend",), {"name": "x"}),
        (("backend", "details"), None),
        (("backend", "model"), 5),
        (("settings",), None),
        (("settings", "fail_on_warn"), 1),
        (("mode",), "some"),
        (("observed",), None),
    ],
)
def test_what_a_run_declares_must_be_of_the_right_kind(stored: StoredRun, path: tuple[str, ...], value: Any) -> None:
    """Identities cannot be derived, but nonsense is refused with its path, never a crash."""
    forged = stored.copy()
    put(forged.report, path, value)
    if isinstance(forged.report["manifest"], dict):
        forged.fit_digests()
    else:
        forged.fit_report()
    verified = forged.save()
    assert verified.exit_code == 3
    assert f"$.{path[0]}" in paths_of(verified)
    assert stored.save().holds


def test_another_limit_in_the_contract_does_not_fit_the_checks(stored: StoredRun) -> None:
    """The forger lowers a requirement in contract.json and hashes everything again."""
    forged = stored.copy()
    forged.contract["properties"]["variants"]["max_violation_rate"] = 1
    forged.fit_digests()
    assert "$.checks[3].limit" in paths_of(forged.save())
    unnormalised = stored.copy()
    del unnormalised.contract["evaluation"]["calibration_bins"]
    unnormalised.fit_digests()
    assert unnormalised.save().exit_code == 3
    assert stored.save().holds


def test_a_pin_that_the_manifest_misses_is_refused(stored: StoredRun) -> None:
    """The contract says which manifest it was; the report must agree."""
    forged = stored.copy()
    forged.contract |= {"manifest": "m.jsonl", "manifest_digest": "sha256:" + "1" * 64}
    forged.fit_digests()
    assert "$.manifest.digest" in paths_of(forged.save())
    assert stored.save().holds
