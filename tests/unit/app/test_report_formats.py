"""Formats of real runs: the same numbers, the right places, judged again, and nothing that was changed meanwhile."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from robust import CallableBackend, DecisionRequest, IntegrityError, Run, UsageError, report_run, run_contract
from robust.app.failing_pairs import folder_uri
from robust.app.reporting import format_report
from robust.canon import fold
from robust.records.failing_group import FLIP
from tests.golden.test_reports import RUNS
from tests.run_fixtures import contract_of as limit_contract
from tests.run_fixtures import numbers, right_answer, sure
from tests.unit.app.fragile import contract_of, fragile, run
from tests.unit.app.test_rejudge import UNREDUCED, edited
from tests.unit.render.shown import read_junit, read_markdown, read_sarif


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Run]:
    """Runs of many kinds: assumed and judged candidates, errors, noise, skips, variants."""
    folder = tmp_path_factory.mktemp("runs")
    return {name: make(folder / name) for name, make in RUNS.items()}


@pytest.mark.parametrize("name", RUNS)
def test_a_file_for_a_server_has_the_verdict_of_the_run(finished: dict[str, Run], name: str) -> None:
    """Something is red if, and only if, the exit code is not 0; every check is a test case."""
    report = finished[name].report
    root = read_junit(format_report(finished[name], "junit"))
    red = int(root.get("failures", "")) + int(root.get("errors", ""))
    assert (red > 0) == (report["exit_code"] != 0)
    names = {str(case.get("name")).removesuffix(" (warning)") for case in root.iter("testcase")}
    assert {check["check"] for check in report["checks"]} <= names


def _failing(request: DecisionRequest) -> dict[str, float]:
    raise TimeoutError("no answer")


VERDICTS: dict[str, tuple[Any, dict[str, Any], dict[str, Any]]] = {
    "passes": (fragile, {"properties": {}, "requirements": {"min_accuracy": 0}}, {}),
    "decides nothing": (_failing, {}, {}),
    "decides nothing, which is allowed": (_failing, {"properties": {}, "requirements": {"max_error_rate": 1}}, {}),
    "warns": (fragile, {"properties": {}, "warnings": {"min_accuracy": 1}}, {}),
    "fails on warnings": (fragile, {"properties": {}, "warnings": {"min_accuracy": 1}}, {"fail_on_warn": True}),
    "has no gate": (fragile, {"properties": {}}, {}),
    "allows what fails": (
        fragile,
        {"properties": {"option_order": {"max_tv_distance": 0.1, "max_violation_rate": 1}}, "requirements": {}},
        {},
    ),
    "properties only": (fragile, {}, {"only": "properties"}),
    "golden gates only": (fragile, {"requirements": {"min_accuracy": 0.1}}, {"only": "golden"}),
}


@pytest.mark.parametrize("verdict", VERDICTS)
def test_every_verdict_is_that_of_the_exit_code(tmp_path: Path, verdict: str) -> None:
    """Also where the run could not be evaluated, only warns, or allows what fails."""
    model, sections, options = VERDICTS[verdict]
    made = run(tmp_path, model, sections=sections, **options)
    root = read_junit(format_report(made, "junit"))
    red = int(root.get("failures", "")) + int(root.get("errors", ""))
    assert (red > 0) == (made.exit_code != 0)
    log = read_sarif(format_report(made, "sarif"))
    grave = any(result["level"] == "error" for result in log["results"])
    assert grave == (made.status == "fail") or made.status == "error"
    assert log["invocations"][0]["executionSuccessful"] == (made.status != "error")
    assert read_markdown(format_report(made, "markdown"))[1].content.startswith(f"{made.status.upper()}: ")


def _places(result: dict[str, Any]) -> tuple[str, int]:
    place = result["locations"][0]["physicalLocation"]
    return place["artifactLocation"]["uri"], place["region"]["startLine"]


@pytest.mark.parametrize("name", RUNS)
def test_a_result_is_where_its_source_group_fails_first(finished: dict[str, Run], name: str) -> None:
    """One for every failing source group of every property, at the line of the record that it names."""
    made = finished[name]
    results = read_sarif(format_report(made, "sarif"))["results"]
    lines = (made.path / "records.jsonl").read_text(encoding="utf-8").splitlines()
    first: dict[tuple[str, str], tuple[int, dict[str, Any]]] = {}
    pairs: dict[tuple[str, str], int] = {}
    for number, line in enumerate(lines, start=1):
        record = json.loads(line)
        if record.get("violations"):
            key = record["property"], fold(record["source_id"])
            first.setdefault(key, (number, record))
            pairs[key] = pairs.get(key, 0) + 1
    found = {
        (result["ruleId"], fold(result["properties"]["source"])): result
        for result in results
        if result["ruleId"] != "contract-check"
    }
    assert found.keys() == first.keys()
    for key, result in found.items():
        number, record = first[key]
        assert _places(result) == (f"{made.path.name}/records.jsonl", number)
        assert result["locations"][0]["physicalLocation"]["region"]["endColumn"] == len(lines[number - 1]) + 1
        assert result["properties"]["record"] == record["id"]
        assert result["properties"]["pairs"] == pairs[key]
    violating = {
        rule: sum(
            bool(result["properties"]["violations"].keys() - {FLIP}) for key, result in found.items() if key[0] == rule
        )
        for rule in made.report["properties"]
    }
    assert violating == {rule: each["groups_violating"] for rule, each in made.report["properties"].items()}


@pytest.mark.parametrize("name", RUNS)
def test_every_format_says_what_the_text_says_of_each_check(finished: dict[str, Run], name: str) -> None:
    """The same figures, of each check that does not hold, rounded in the same way."""
    made = finished[name]
    text, page = format_report(made, "text"), format_report(made, "markdown")
    read_markdown(page)
    results = read_sarif(format_report(made, "sarif"))["results"]
    messages = [result["message"]["text"] for result in results]
    junit = format_report(made, "junit")
    failing = [check for check in made.report["checks"] if check["status"] != "pass"]
    assert failing or name == "judged"
    for check in failing:
        (line,) = (line.split() for line in text.splitlines() if check["check"] in line.split()[1:2])
        mark, value, limit = line[0], *line[-2:]
        assert any(message.startswith(f"{mark} {check['check']}: value {value}, limit {limit}") for message in messages)
        assert f'message="{mark}: value {value}, limit {limit}' in junit
        assert f"| **{mark}** | `{check['check']}` | {check['level']} | {value} | {limit} |" in page.splitlines()


@pytest.mark.parametrize("name", RUNS)
def test_a_stored_run_is_shown_as_it_was(finished: dict[str, Run], name: str) -> None:
    """To the character, in every format."""
    stored = report_run(finished[name].path)
    for report_format in ("text", "json", "junit", "sarif", "markdown"):
        assert format_report(stored, report_format) == format_report(finished[name], report_format)


EDITS: dict[str, list[tuple[str, Any]]] = {
    "a stricter limit": [("properties.whitespace.max_tv_distance", 0.0)],
    "a laxer limit": [("properties.option_order.max_tv_distance", 0.9)],
    "a warning": [("properties.option_order.level", "warning")],
    "a rate": [("properties.irrelevant_context.max_violation_rate", 0.9)],
    "a property less": [("properties.option_order", None)],
}


@pytest.mark.parametrize("edit", EDITS)
def test_answers_that_are_judged_again_are_listed_as_if_they_had_been_so_at_first(tmp_path: Path, edit: str) -> None:
    """The same results and test cases as of a run by the edited contract, but for the commands that replay."""
    contract = contract_of(fuzz=UNREDUCED)
    changed = edited(contract, *EDITS[edit])
    ran = run(tmp_path, sections=contract, name="ran")
    again = report_run(ran.path, contract=changed)
    anew = run(tmp_path, sections=changed, name="anew")
    results = [
        [(result["ruleId"], result["level"], result["message"], result["partialFingerprints"]) for result in found]
        for found in (read_sarif(format_report(made, "sarif"))["results"] for made in (again, anew))
    ]
    assert results[0] == results[1]
    cases = [
        [(case.attrib, [(found.tag, found.attrib) for found in case]) for case in root.iter("testcase")]
        for root in (read_junit(format_report(made, "junit")) for made in (again, anew))
    ]
    assert cases[0] == cases[1]
    assert ("robust replay" in format_report(again, "junit")) is False
    read_markdown(format_report(again, "markdown"))


def test_a_run_without_a_failure_has_nothing_to_list(tmp_path: Path) -> None:
    """Its records are not read again, and may be anywhere."""
    contract = limit_contract(requirements={"min_accuracy": 1})
    model = CallableBackend(lambda request: sure(right_answer(request.input)))
    made = run_contract(contract, backend=model, dataset=numbers("total 5"), output=tmp_path / "run")
    (tmp_path / "run" / "records.jsonl").unlink()
    assert read_sarif(format_report(made, "sarif"))["results"] == []
    assert read_junit(format_report(made, "junit")).get("failures") == "0"


def test_records_that_changed_since_they_were_checked_are_refused(tmp_path: Path) -> None:
    """Whatever was listed would be of another run."""
    made = run(tmp_path)
    stored = report_run(made.path)
    file = made.path / "records.jsonl"
    lines = file.read_bytes().splitlines(keepends=True)
    file.write_bytes(b"".join(lines[:-1]))
    for report_format in ("junit", "sarif"):
        with pytest.raises(IntegrityError) as caught:
            format_report(stored, report_format)
        assert caught.value.problems[0].path == "$.records.sha256"


def test_a_format_that_is_none_is_a_usage_error(tmp_path: Path) -> None:
    """With those that there are."""
    made = run(tmp_path)
    unknown: Any = "xml"
    with pytest.raises(UsageError, match="text, json, junit, sarif, markdown"):
        format_report(made, unknown)


def test_sources_that_fold_alike_are_one_result(tmp_path: Path) -> None:
    """Ids of one source group may be written differently."""
    rows = [
        {"id": f"c{n}", "input": f"Some words. More of them {n}.", "source_id": name}
        for n, name in enumerate(["S 1", "s  1 "])
    ]
    made = run_contract(
        contract_of(properties={"option_order": {"max_tv_distance": 0.01}}),
        backend=CallableBackend(fragile),
        dataset=rows,
        output=tmp_path / "run",
    )
    (result,) = (
        each for each in read_sarif(format_report(made, "sarif"))["results"] if each["ruleId"] == "option_order"
    )
    assert result["properties"]["source"] == "S 1"
    assert result["properties"]["pairs"] >= 2
    root = read_junit(format_report(made, "junit"))
    assert [case.get("name") for case in root.iter("testcase") if str(case.get("name")).startswith("source")] == [
        "source S 1"
    ]


@pytest.mark.parametrize(
    ("folder", "uri"),
    [
        ("run", "run"),
        ("a b/c%d/é#?", "a%20b/c%25d/%C3%A9%23%3F"),
        ("c:x", "c%3Ax"),
        (".", ""),
        ("sub/../run", "run"),
        ("..", "outer"),
    ],
)
def test_a_folder_is_a_relative_address(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, folder: str, uri: str) -> None:
    """With forward slashes, encoded, and never with a step upwards or a scheme."""
    here = tmp_path / "outer" / "here"
    (here / "sub").mkdir(parents=True)
    monkeypatch.chdir(here)
    assert folder_uri(Path(folder)) == uri
    assert folder_uri(here / folder) == uri


def test_a_folder_behind_a_link_is_where_the_link_leads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Services show no files behind links."""
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    monkeypatch.chdir(tmp_path)
    assert folder_uri(Path("link")) == "real"


def test_a_folder_is_known_by_its_name_where_the_current_one_is_gone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As a shell may stand in a folder that was removed."""
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    assert folder_uri(tmp_path / "a run") == "a%20run"


def test_a_parser_of_xml_gets_back_what_was_written(finished: dict[str, Run]) -> None:
    """Character by character."""
    text = format_report(finished["judged"], "junit")
    head, _, body = text.partition("\n")
    assert head == '<?xml version="1.0" encoding="UTF-8"?>'
    assert ET.tostring(ET.fromstring(body), encoding="unicode") == body  # noqa: S314 - it is our own
