"""Checks of relations that were edited and hashed again: verdicts, p values, outputs, trials and their order."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from robust import IntegrityError, verify
from robust.app.check_runs import load_check, save_check
from robust.canon import canonical_bytes
from tests.unit.app.check_forging import StoredCheck, problems_of
from tests.unit.app.forging import at, leaves, other, paths_of, put, shown
from tests.unit.app.relation_checks import CHECKS

SECTIONS = [
    "schema", "kind", "status", "exit_code", "plan", "counts", "relations", "checks", "failures", "notes", "records",
    "evidence_digest",
]  # fmt: skip
# What nobody can tell again: what was asked, in which words an oracle or an exception said something, and objects.
KEPT = {
    "input": ("input",),
    "base": ("error",),
    "course": (),
    "trial": ("variant", "validation"),
    "skip": ("variant", "validation", "note", "reason"),
    "error": ("variant", "validation", "message", "where", "output"),
    "confirmation": (),
    "minimised": ("variant", "validation"),
}


@pytest.fixture(scope="module", params=sorted(CHECKS))
def stored(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> StoredCheck:
    """A check of each kind."""
    folder = tmp_path_factory.mktemp("check") / "run"
    save_check(CHECKS[request.param](), folder)
    return StoredCheck(folder)


def _stored(name: str, folder: Path) -> StoredCheck:
    save_check(CHECKS[name](), folder / "run")
    return StoredCheck(folder / "run")


def test_the_forger_changes_nothing_when_nothing_is_edited(stored: StoredCheck) -> None:
    """Its digests are the digests of the package."""
    forged = stored.copy()
    forged.fit()
    assert forged.report == stored.report
    assert forged.save().holds
    assert sorted([*SECTIONS, "observed", "digest"]) == sorted(stored.report)


@pytest.mark.parametrize("section", SECTIONS)
def test_no_value_of_a_report_can_be_edited(stored: StoredCheck, section: str) -> None:
    """Every leaf of the section, with the digest over it computed again; the path is named with both values."""
    for path in leaves(stored.report[section], (section,)):
        forged = stored.copy()
        put(forged.report, path, other(at(forged.report, path)))
        forged.fit_report()
        verified = forged.save()
        assert verified.exit_code == 3, path
        named = {shown(path), shown((*path, "x"))}
        told = [problem for problem in problems_of(verified) if named & {problem.path}]
        assert told or "order of lines" in path or "judged footer" in path, path
        assert all(problem.file == str(stored.folder / "report.json") for problem in problems_of(verified))
    assert stored.save().holds


def test_no_value_of_the_records_can_be_edited_but_what_nobody_can_tell(stored: StoredCheck) -> None:
    """With every digest computed again; the file and the line of a record are named."""
    custom = any(each["assertion"]["name"] == "custom" for each in stored.plan["relations"])
    for number, record in enumerate(stored.records):
        for path in leaves(record):
            if path[0] in KEPT[record["kind"]] or (custom and record["kind"] != "input"):
                continue
            if path[0] in ("output", "before", "after"):
                continue  # below: another output may come to the same
            forged = stored.copy()
            put(forged.records[number], path, other(at(record, path)))
            forged.fit()
            verified = forged.save()
            assert verified.exit_code == 3, (number, record["kind"], path)
            assert (
                any(
                    problem.line is not None and problem.file == str(stored.folder / "records.jsonl")
                    for problem in problems_of(verified)
                )
                or shown(path)[2:] in "message error id test p_value smallest_p disagreements"
            ), (number, path)
    assert stored.save().holds


def test_an_output_that_decides_something_cannot_be_edited(tmp_path: Path) -> None:
    """Of the base, of a trial, of a fresh run, and of what was made smaller."""
    stored = _stored("violated and minimised", tmp_path)
    for number, record in enumerate(stored.records):
        if record["kind"] not in ("base", "trial"):
            continue
        forged = stored.copy()
        forged.records[number]["output"] = 1234.5
        forged.fit()
        # What contradicted before contradicts with this one, too.
        assert forged.save().exit_code == (0 if record.get("contradicts") else 3), record["id"]
    forged = stored.copy()
    forged.records[_find(forged, "confirmation")]["after"][2] = 5.5
    forged.fit()
    assert "$.p_value" in paths_of(forged.save())
    agreeing = stored.copy()
    for record in agreeing.records:
        if record["kind"] == "confirmation":
            record["after"] = record["before"]
    agreeing.fit()
    assert "$.p_value" in paths_of(agreeing.save())
    assert stored.save().holds


def _find(check: StoredCheck, kind: str, **fields: Any) -> int:
    return next(
        place
        for place, record in enumerate(check.records)
        if record["kind"] == kind and all(record.get(name) == value for name, value in fields.items())
    )


def _edit(kind: str, name: str, value: Any, **fields: Any) -> Callable[[StoredCheck], None]:
    def edit(check: StoredCheck) -> None:
        check.records[_find(check, kind, **fields)][name] = value

    return edit


def _without(kind: str, **fields: Any) -> Callable[[StoredCheck], None]:
    def without(check: StoredCheck) -> None:
        del check.records[_find(check, kind, **fields)]

    return without


def _swap_trials(check: StoredCheck) -> None:
    first, second = [place for place, each in enumerate(check.records) if each["kind"] in ("trial", "skip")][:2]
    check.records[first], check.records[second] = check.records[second], check.records[first]


def _relations_swapped(check: StoredCheck) -> None:
    place = _find(check, "course", relation="footer")
    start = _find(check, "course", relation="order of lines")
    check.records[start:] = check.records[place:] + check.records[start:place]


def _one_more_trial(check: StoredCheck) -> None:
    check.records.append({**check.records[-1], "sample": 99, "id": "0/footer/99"})


def _another_input(check: StoredCheck) -> None:
    check.records.append({"kind": "input", "id": "1", "input": "x"})


def _same_input(check: StoredCheck) -> None:
    check.records += check.records


def _trial_is_the_input(check: StoredCheck) -> None:
    check.records[_find(check, "trial")]["variant"] = check.records[0]["input"]


def _trial_twice(check: StoredCheck) -> None:
    trials = [record for record in check.records if record["kind"] == "trial" and record["relation"] == "footer"]
    trials[1]["variant"] = trials[0]["variant"]


def _no_violation(check: StoredCheck) -> None:
    for record in check.records:
        if record.get("contradicts"):
            record["contradicts"] = False


EDITS: dict[str, tuple[Callable[[StoredCheck], object], str]] = {
    "trials swapped": (_swap_trials, "$.id"),
    "relations swapped": (_relations_swapped, "$.id"),
    "one base run less": (_without("base", run=4), "$.kind"),
    "a trial left out": (_without("trial"), "$.id"),
    "the confirmation left out": (_without("confirmation"), "$.kind"),
    "the course left out": (_without("course"), "$.kind"),
    "the input left out": (_without("input"), "$.kind"),
    "a trial too many": (_one_more_trial, "$.kind"),
    "another input": (_another_input, "$"),
    "an input twice": (_same_input, "$.id"),
    "a trial that is the input": (_trial_is_the_input, "$.variant"),
    "no contradiction any more": (_no_violation, "$.contradicts"),
    "a base that differs": (_edit("course", "base", "differs", relation="footer"), "$.base"),
    "a base that was declared": (_edit("course", "base", "declared", relation="footer"), "$.base"),
    "a test that was not made": (
        _edit("course", "test", {"p_value": 1, "smallest_p": 0, "disagreements": 0}, relation="footer"),
        "$.test",
    ),
    "a p value": (_edit("confirmation", "p_value", 0.9), "$.p_value"),
    "a p value above 1": (_edit("confirmation", "p_value", 2), "$.p_value"),
    "an attempt": (_edit("confirmation", "attempt", 1), "$.attempt"),
    "fewer fresh runs": (_edit("confirmation", "before", []), "$.before"),
    "an output of no kind": (_edit("base", "output", {"$type": "no such type"}), "$.output"),
    "an output that decodes to nothing": (_edit("trial", "output", {"$type": "float", "value": "x"}), "$.output"),
    "an output cut short": (
        _edit("trial", "output", {"$type": "numpy.ndarray", "dtype": "<f8", "shape": [9], "base64": "AAAA"}),
        "$.output",
    ),
    "an array of any size": (
        _edit("trial", "output", {"$type": "numpy.ndarray", "dtype": "O", "shape": [2**40], "items": []}),
        "$.output",
    ),
    "an output and an error": (_edit("base", "error", "raised"), "$.error"),
    "an error of no text": (_edit("base", "error", 5), "$.error"),
    "an unknown kind": (_edit("trial", "kind", "guess"), "$.kind"),
    "a kind that is no text": (_edit("trial", "kind", ["trial"]), "$.kind"),
    "an unknown member": (_edit("trial", "luck", 1), "$.luck"),
    "a sample that is no number": (_edit("trial", "sample", "0"), "$.sample"),
    "a sample that is a truth": (_edit("trial", "sample", True), "$.sample"),
    "a huge sample": (_edit("trial", "sample", 2**53 - 1), "$.sample"),
    "an id that is empty": (_edit("trial", "id", ""), "$.id"),
    "a validation without an oracle": (
        _edit("trial", "validation", {"oracle": "me", "status": "valid", "issues": [], "reason": None}),
        "$.validation",
    ),
    "a smaller one of another sample": (_edit("minimised", "sample", 19), "$.id"),
    "a smaller one that agrees": (_edit("minimised", "after", [5.5]), "$.after[0]"),
    "nothing at all": (lambda check: check.records.clear(), "$.kind"),
}


OF_SAMPLES: dict[str, tuple[Callable[[StoredCheck], object], str]] = {
    "a trial that was there before": (_trial_twice, "$.variant"),
    "a skip that an oracle decided": (_edit("skip", "reason", "invalid", reason="repeated"), "$.validation"),
    "a skip of no known reason": (_edit("skip", "reason", "luck"), "$.reason"),
    "a skip with a validation": (
        _edit(
            "skip", "validation", {"oracle": "me", "status": "valid", "issues": [], "reason": None}, reason="repeated"
        ),
        "$.validation",
    ),
    "an oracle of another name": (
        _edit(
            "trial",
            "validation",
            {"oracle": "me", "status": "valid", "issues": [], "reason": None},
            relation="judged footer",
        ),
        "$.validation.oracle",
    ),
    "a trial without its validation": (
        lambda check: check.records[_find(check, "trial", relation="judged footer")].pop("validation"),
        "$.validation",
    ),
    "a trial that the oracle refused": (
        lambda check: check.records[_find(check, "trial", relation="judged footer")]["validation"].update(
            status="invalid"
        ),
        "$.validation.status",
    ),
    "a skip of which the oracle gave no answer": (
        lambda check: check.records[_find(check, "skip", reason="unknown")]["validation"].update(
            issues=["validator_error"]
        ),
        "$.kind",
    ),
    "an error of an oracle that answered": (
        lambda check: check.records[_find(check, "skip", reason="unknown")].update(
            kind="error", where="oracle", message="x"
        ),
        "$.reason",
    ),
    "a skip that the oracle found valid": (
        lambda check: check.records[_find(check, "skip", reason="invalid")]["validation"].update(status="valid"),
        "$.validation.status",
    ),
}


@pytest.mark.parametrize("name", OF_SAMPLES)
def test_samples_that_could_not_be_are_refused_at_their_line(tmp_path: Path, name: str) -> None:
    """In a check that holds, with an oracle."""
    stored = _stored("judged", tmp_path)
    forge, path = OF_SAMPLES[name]
    forge(stored)
    stored.fit()
    problems = problems_of(stored.save())
    assert path in [problem.path for problem in problems], problems
    assert all(problem.line is not None for problem in problems)


def test_what_was_made_smaller_has_the_validation_that_let_it_through(tmp_path: Path) -> None:
    """It is counted like that of every other variant."""
    stored = _stored("judged and minimised", tmp_path)
    validation = stored.records[_find(stored, "minimised")]["validation"]
    assert (validation["status"], validation["oracle"]) == ("valid", stored.plan["relations"][0]["oracle"])
    judged = [record for record in stored.records if "validation" in record]
    assert stored.report["notes"] == {"validations": len(judged)}


@pytest.mark.parametrize(
    ("forged", "path"),
    [
        (None, "$.validation"),
        ({"status": "invalid"}, "$.validation.status"),
        ({"status": "unknown"}, "$.validation.status"),
        ({"oracle": "me"}, "$.validation.oracle"),
    ],
)
def test_what_was_made_smaller_is_refused_without_a_validation(
    tmp_path: Path, forged: dict[str, str] | None, path: str
) -> None:
    """Or with one that the oracle would not have let through."""
    stored = _stored("judged and minimised", tmp_path)
    record = stored.records[_find(stored, "minimised")]
    if forged is None:
        del record["validation"]
    else:
        record["validation"].update(forged)
    stored.fit()
    assert path in paths_of(stored.save())


@pytest.mark.parametrize("name", EDITS)
def test_what_the_rules_do_not_make_due_is_refused_at_its_line(tmp_path: Path, name: str) -> None:
    """With every digest computed again, so that only the content says so."""
    stored = _stored("violated and minimised", tmp_path)
    forge, path = EDITS[name]
    forge(stored)
    stored.fit()
    verified = stored.save()
    assert verified.exit_code == 3
    problems = problems_of(verified)
    assert path in [problem.path for problem in problems], problems
    told = next(problem for problem in problems if problem.path == path)
    assert told.file == str(stored.folder / "records.jsonl")
    assert told.line is not None
    with pytest.raises(IntegrityError):
        load_check(stored.folder)


PLANS: list[tuple[tuple[str | int, ...], Any]] = [
    (("schema",), None),
    (("kind",), "population"),
    (("kind",), 1),
    (("name",), None),
    (("settings",), None),
    (("settings", "samples"), -1),
    (("settings", "samples"), 0.5),
    (("settings", "samples"), "20"),
    (("settings", "baseline_runs"), 0),
    (("settings", "alpha"), 0),
    (("settings", "alpha"), 1),
    (("settings", "deterministic_system"), 1),
    (("settings", "early_stop"), None),
    (("settings", "batch"), "no"),
    (("settings", "luck"), 1),
    (("relations",), {}),
    (("relations", 0, "name"), ""),
    (("relations", 1, "name"), "order of lines"),
    (("relations", 0, "seed"), 1.5),
    (("relations", 0, "oracle"), 5),
    (("relations", 0, "deterministic"), None),
    (("relations", 0, "assertion"), "unchanged"),
    (("relations", 0, "assertion", "settings"), {"rel_tol": 2}),
    (("relations", 0, "assertion", "settings"), {"luck": 1}),
    (("relations", 0, "luck"), 1),
]


@pytest.mark.parametrize(("path", "value"), PLANS)
def test_a_plan_that_is_none_is_refused(tmp_path: Path, path: tuple[str | int, ...], value: Any) -> None:
    """At its path in its file, never with a crash."""
    stored = _stored("violated and minimised", tmp_path)
    put(stored.plan, path, value)
    stored.fit()
    verified = stored.save()
    assert verified.exit_code == 3
    assert {problem.file for problem in problems_of(verified)} == {str(stored.folder / "contract.json")}


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("settings", "samples"), 2**53 - 1),
        (("settings", "baseline_runs"), 2**53 - 1),
        (("settings", "baseline_runs"), 1),
        (("settings", "alpha"), 5e-324),
        (("settings", "alpha"), 0.9999),
        (("settings", "deterministic_system"), True),
        (("settings", "early_stop"), False),
        (("settings", "batch"), True),
        (("relations", 0, "deterministic"), True),
        (("relations", 0, "oracle"), "someone"),
        (("relations", 0, "assertion"), {"name": "not_less", "settings": {"rel_tol": None, "abs_tol": 0}}),
        (("relations", 0, "assertion"), {"name": "scales_by", "settings": {"k": 1e308, "rel_tol": None, "abs_tol": 0}}),
        (("relations", 0, "assertion"), {"name": "shifts_by", "settings": {"d": 1, "rel_tol": None, "abs_tol": 0}}),
        (("relations", 0, "name"), "another"),
        (("relations",), []),
    ],
)
def test_another_plan_does_not_fit_the_records(tmp_path: Path, path: tuple[str | int, ...], value: Any) -> None:
    """What was to be done decides what is due."""
    stored = _stored("violated and minimised", tmp_path)
    put(stored.plan, path, value)
    stored.fit()
    assert stored.save().exit_code == 3


DEEP = b"[" * 200_000 + b"]" * 200_000


@pytest.mark.parametrize("file", ["report.json", "contract.json", "records.jsonl"])
@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\n",
        b"null\n",
        b"[]\n",
        b"{}\n",
        b"{\n",
        b'{"a":1,"a":2}\n',
        b'{"kind":"input","kind":"input"}\n',
        b'{"n":1e999}\n',
        b'{"n":123456789012345678901234567890}\n',
        b'{"n":NaN}\n',
        b'{"n":"\\ud800"}\n',
        b"\xff\xfe\n",
        b'{"schema":"robust.plan/1"}\n',
        b'{"schema":"robust.check-report/1"}\n',
        DEEP + b"\n",
    ],
)
def test_hostile_files_are_damage_and_never_a_crash(tmp_path: Path, file: str, content: bytes) -> None:
    """Whichever of the three it is."""
    stored = _stored("declared", tmp_path)
    (stored.folder / file).write_bytes(content)
    assert verify(stored.folder).exit_code == 3
    with pytest.raises(IntegrityError):
        load_check(stored.folder)


@pytest.mark.parametrize("file", ["report.json", "contract.json", "records.jsonl"])
def test_a_file_that_is_missing_a_link_or_cut_short_is_told(tmp_path: Path, file: str) -> None:
    """With its name."""
    stored = _stored("declared", tmp_path)
    path = stored.folder / file
    content = path.read_bytes()
    path.write_bytes(content[:-1])
    assert "last line feed" in str(problems_of(verify(stored.folder))) or "cut short" in str(
        problems_of(verify(stored.folder))
    )
    path.unlink()
    assert verify(stored.folder).exit_code == 3
    (tmp_path / "elsewhere").write_bytes(content)
    path.symlink_to(tmp_path / "elsewhere")
    assert problems_of(verify(stored.folder))[0].code == "link"


def test_a_verdict_that_was_turned_with_all_that_follows_is_refused(tmp_path: Path) -> None:
    """Status, exit code, verdicts, checks and failures."""
    stored = _stored("violated and minimised", tmp_path)
    stored.report |= {"status": "pass", "exit_code": 0, "failures": {"count": 0, "first": []}}
    for found in stored.report["relations"].values():
        found |= {"verdict": "holds", "contradictions": 0, "p_value": None, "adjusted_p": None}
    for check in stored.report["checks"]:
        check |= {"status": "pass", "value": None, "p_value": None}
    stored.fit_report()
    verified = stored.save()
    assert {"$.status", "$.exit_code", "$.failures.count"} <= paths_of(verified)
    message = next(problem.message for problem in problems_of(verified) if problem.path == "$.status")
    assert message == '"pass" is stored, "fail" follows'


def test_that_making_a_variant_smaller_raised_is_counted_and_changes_no_verdict(tmp_path: Path) -> None:
    """It stands behind the trials; of a sample that contradicts nothing, or before them, it is none."""
    stored = _stored("violated and minimised", tmp_path)
    place = _find(stored, "minimised")
    name, sample = stored.records[place]["relation"], stored.records[place]["sample"]
    raised = {"kind": "error", "where": "shrink", "message": "ValueError: no", "input_id": "0", "relation": name}
    forged = stored.copy()
    forged.records.insert(place, {**raised, "sample": sample, "id": f"0/{name}/{sample}/shrink"})
    forged.fit()
    assert any(path.endswith(".errors") for path in paths_of(forged.save()))
    forged.report["relations"][name]["errors"] += 1
    forged.report["failures"]["first"] = [
        {**each, "line": each["line"] + (each["line"] > place)} for each in forged.report["failures"]["first"]
    ]
    forged.fit()
    assert problems_of(forged.save()) == []
    forged.records[place] |= {"sample": 19, "id": f"0/{name}/19/shrink"}
    forged.fit()
    assert "$.sample" in paths_of(forged.save())
    early = stored.copy()
    trial = _find(early, "trial", relation=name)
    early.records[trial] = {**raised, "sample": 0, "id": f"0/{name}/0"}
    early.fit()
    assert "$.where" in paths_of(early.save())


def test_what_is_observed_is_in_no_digest(tmp_path: Path) -> None:
    """It may say anything, and the records may have some of their own."""
    stored = _stored("declared", tmp_path)
    stored.report["observed"] = {"calls": [1], "robust_version": {}}
    for record in stored.records:
        record["observed"] = {"latency_ms": 1.5}
    evidence = stored.report["evidence_digest"]
    stored.fit()
    assert stored.report["evidence_digest"] == evidence
    assert stored.save().holds
    assert canonical_bytes(load_check(stored.folder).report["observed"]) == b'{"calls":[1],"robust_version":{}}'
