"""E1, E2, E7: a run's report as files for other tools, by the command, read by readers that are not ours."""

from __future__ import annotations

import csv
import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from robust import report_run
from robust.app.reporting import format_report
from robust.render.formats import FORMATS, ReportFormat
from tests.golden.test_reports import RUNS
from tests.report_readers import assert_sarif, github_html, read_junit
from tests.run_fixtures import COMMAND, robust
from tests.unit.render.shown import read_junit as read_xml
from tests.unit.render.shown import read_markdown, read_sarif

READERS: dict[str, Callable[[str], Any]] = {"junit": read_xml, "sarif": read_sarif, "markdown": read_markdown}
FOR_TOOLS: tuple[ReportFormat, ...] = ("junit", "sarif", "markdown")
CONTRACT = """
schema_version: "0.1"
decision: {name: q, type: choice, options: [first, second, third]}
backend: {provider: mock, seed: 3, position_bias: 0.4}
dataset: c.jsonl
properties:
  option_order: {max_tv_distance: 0.1, samples: 2}
  whitespace: {max_tv_distance: 0.05}
"""
FORMULA = "=cmd|' /C calc'!A0"
SCRIPT = "</script><script>alert(1)</script>"
IDS = [FORMULA, SCRIPT, "@team ![x](https://e.invalid/x.png) | `a`", "a\u202eb", "日本", "]]>&amp;<!--"]


def _folder(folder: Path, ids: list[str]) -> Path:
    (folder / "c.yaml").write_text(CONTRACT, encoding="utf-8")
    rows = [json.dumps({"id": name, "input": f"{name} one\x1b[31m two {name}"}) + "\n" for name in ids]
    (folder / "c.jsonl").write_text("".join(rows), encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a run over cases whose ids and texts are hostile."""
    folder = _folder(tmp_path_factory.mktemp("hostile"), IDS)
    done = robust("run", "c.yaml", "-o", "out", cwd=folder)
    assert (done.returncode, done.stderr) == (1, "")
    return folder


def test_a_run_is_shown_in_every_format_as_its_report_is_later(tmp_path: Path) -> None:
    """On standard output, with where the run is on standard error; the exit code is that of the run."""
    folder = _folder(tmp_path, ["a", "b"])
    for shape in FORMATS:
        ran = robust("run", "c.yaml", "-o", f"run-{shape}", "-f", shape, cwd=folder)
        told = robust("report", f"run-{shape}", "-f", shape, cwd=folder)
        assert (ran.returncode, told.returncode, told.stderr) == (1, 1, "")
        tail = f"run       run-{shape}\n" if shape == "text" else ""
        assert ran.stdout == told.stdout + tail
        assert ran.stderr == ("" if shape == "text" else f"run run-{shape}\n")


@pytest.mark.parametrize("shape", FOR_TOOLS)
def test_a_file_holds_what_is_shown_and_is_never_written_over(hostile: Path, shape: str) -> None:
    """Whole, in UTF-8, and nowhere in the folder of the run."""
    told = robust("report", "out", "-f", shape, cwd=hostile)
    saved = robust("report", "out", "-f", shape, "-o", f"r.{shape}", cwd=hostile)
    assert (saved.returncode, saved.stdout, saved.stderr) == (1, f"FAIL  r.{shape}\n", "")
    assert (hostile / f"r.{shape}").read_bytes() == told.stdout.encode()
    again = robust("report", "out", "-f", shape, "-o", f"r.{shape}", cwd=hostile)
    assert (again.returncode, "error[exists]" in again.stderr) == (2, True)
    inside = robust("report", "out", "-f", shape, "-o", f"out/r.{shape}", cwd=hostile)
    assert (inside.returncode, "error[bad_output]" in inside.stderr) == (2, True)


def test_another_format_is_a_usage_error(hostile: Path) -> None:
    """The message lists those that there are."""
    done = robust("report", "out", "-f", "xml", cwd=hostile)
    assert done.returncode == 2
    assert all(shape in done.stderr for shape in FORMATS)


def test_files_of_real_runs_are_read_by_other_tools(tmp_path: Path, hostile: Path) -> None:
    """By the published schemas of SARIF and JUnit, by a reader of JUnit, and as GitHub renders Markdown."""
    runs = [make(tmp_path / name).path for name, make in RUNS.items()]
    files, pages = [], []
    for run in (*runs, hostile / "out"):
        report = json.loads((run / "report.json").read_bytes())
        shown = {shape: robust("report", run, "-f", shape).stdout for shape in FOR_TOOLS}
        assert_sarif(shown["sarif"])
        read_sarif(shown["sarif"])
        read_markdown(shown["markdown"])
        pages.append(shown["markdown"])
        files.append((tmp_path / f"{run.name}.xml", read_xml(shown["junit"]), report))
        files[-1][0].write_text(shown["junit"], encoding="utf-8")
    for told, (_, root, report) in zip(read_junit(*(file for file, _, _ in files)), files, strict=True):
        assert told["totals"] == [int(root.get(name, "")) for name in ("tests", "failures", "errors")]
        assert len(told["cases"]) == told["totals"][0]
        assert (told["totals"][1] + told["totals"][2] > 0) == (report["exit_code"] != 0)
    for page in github_html(*pages):
        assert page.startswith("<h2>FAIL: <code>")
        assert not any(f"<{tag}" in page for tag in ("a ", "img", "script", "!--"))


@pytest.mark.parametrize("encoding", ["cp1252", "ascii"])
@pytest.mark.parametrize("shape", FOR_TOOLS)
def test_a_console_that_lacks_characters_gets_a_file_all_the_same(hostile: Path, shape: str, encoding: str) -> None:
    """References, escapes of JSON, or visible escapes: never a broken file."""
    done = subprocess.run(
        [COMMAND, "report", "out", "-f", shape],
        cwd=hostile,
        env={**os.environ, "PYTHONIOENCODING": encoding},
        capture_output=True,
        check=False,
        timeout=60,
    )
    assert (done.returncode, done.stderr) == (1, b"")
    text = done.stdout.decode(encoding).removesuffix("\n")
    READERS[shape](text)


@pytest.mark.skipif(os.name != "posix", reason="needs a shell that closes a stream")
@pytest.mark.parametrize("shape", ["text", "sarif"])
def test_without_a_standard_output_the_verdict_is_told_all_the_same(hostile: Path, shape: str) -> None:
    """As some services start commands: the exit code is that of the run, and nothing is wrong."""
    script = f'"$0" report out -f {shape} >&-'
    done = subprocess.run(["bash", "-c", script, COMMAND], cwd=hostile, capture_output=True, check=False, timeout=60)
    assert (done.returncode, done.stderr) == (1, b"")


def test_e1_many_failing_groups_and_a_long_comment_are_cut_within_limits(tmp_path: Path) -> None:
    """Each format is bounded, says how much is left, and where it is."""
    folder = _folder(tmp_path, [f"c{number}" for number in range(6000)])
    (folder / "c.yaml").write_text(CONTRACT.replace("samples: 2", "samples: 1"), encoding="utf-8")
    assert robust("run", "c.yaml", "-o", "out", "--no-minimize", "-p", "option_order", cwd=folder).returncode == 1
    report = json.loads((folder / "out" / "report.json").read_bytes())
    found = report["properties"]["option_order"]
    assert found["groups_violating"] > 4500
    stored = report_run(folder / "out")
    shown = {shape: format_report(stored, shape) for shape in FOR_TOOLS}
    root = read_xml(shown["junit"])
    assert 4500 < int(root.get("tests", "")) < 5000
    left = found["groups_violating"] - 4500
    (told,) = (str(case[0].get("message")) for case in root.iter("testcase") if case.get("name") == "other sources")
    more = f"{left} more failing pairs of {left} more source groups with a violation"
    assert told == f"{more}, not listed here: all in records.jsonl"
    log = read_sarif(shown["sarif"])
    assert len(log["results"]) == found["groups_violating"] + 1
    assert len(shown["markdown"].encode()) < 65_536
    assert (
        f"… and {report['failures']['count'] - 3} more: the first of them in report.json, all in records.jsonl"
        in (shown["markdown"])
    )


def test_e2_markup_and_formulas_do_nothing_in_any_format_and_stay_in_json(hostile: Path) -> None:
    """What people read is inert, what programs read is untouched."""
    report: Any = json.loads(robust("report", "out", "-f", "json", cwd=hostile).stdout)
    ids = {entry["id"].split("/", 1)[1].rsplit("/", 1)[0] for entry in report["failures"]["first"]}
    assert ids == set(IDS)
    assert {entry["shown"].count(FORMULA) for entry in report["failures"]["first"] if FORMULA in entry["id"]} == {2}
    for shape, reader in READERS.items():
        text = robust("report", "out", "-f", shape, cwd=hostile).stdout
        reader(text.removesuffix("\n"))
        assert "\x1b" not in text
        assert "\u202e" not in text
    names = [
        str(case.get("name"))
        for case in read_xml(robust("report", "out", "-f", "junit", cwd=hostile).stdout).iter("testcase")
    ]
    assert {f"source {FORMULA}", f"source {SCRIPT}", "source ]]>&amp;<!--"} <= set(names)


def test_e2_a_cell_of_a_csv_file_starts_no_formula(tmp_path: Path) -> None:
    """In an exported manifest; those of review sheets are tested with them."""
    rows = [
        {"id": name, "input": name, "expected": "yes"}
        for name in (FORMULA, "+1+1", "@SUM(1)", "-2", "\uff1d1", "plain")
    ]
    (tmp_path / "b.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    made = robust("manifest", "build", "b.jsonl", "--name", "m", "-o", "m.jsonl", cwd=tmp_path)
    assert made.returncode == 0, made.stderr
    done = robust("manifest", "export", "m.jsonl", "--as", "csv", "-o", "m.csv", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    cells = [cell for row in csv.reader((tmp_path / "m.csv").read_text("utf-8").splitlines()) for cell in row]
    assert any("cmd|" in cell for cell in cells)
    assert [cell for cell in cells if cell.startswith(("=", "+", "-", "@", "\t", "\r"))] == []


def test_e7_a_log_of_a_run_in_a_format_has_no_control_characters(tmp_path: Path) -> None:
    """Whatever the terminal is said to be: the file on standard output, plain lines on standard error."""
    folder = _folder(tmp_path, ["a", "b"])
    environment = {"TERM": "xterm-256color", "FORCE_COLOR": "1"}
    for shape in FORMATS:
        done = robust("run", "c.yaml", "-o", shape, "-f", shape, "--progress", cwd=folder, env=environment)
        assert all(line.isprintable() for line in (done.stdout + done.stderr).split("\n")), shape
        assert done.stderr.startswith("progress  ")
