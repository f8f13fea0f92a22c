"""``robust diff`` from end to end: exit codes, formats, files, and rows E1, E2, E6 and segments of comparisons."""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

from robust import case_invariant, check, save_check
from robust.render.plain import columns
from robust.render.report_checks import check_figures
from tests.report_readers import github_html, read_junit
from tests.run_fixtures import COMMAND, robust
from tests.unit.render.page_reader import ReadPage
from tests.unit.render.shown import read_junit as parsed

CONTRACT = """\
schema_version: "1"
decision: {{name: ticket, type: choice, options: [refund, repair, praise]}}
backend: {{provider: mock, rules: [{rules}], default: {{refund: 0.2, repair: 0.2, praise: 0.6}}}}
dataset: cases.jsonl
requirements: {{max_error_rate: 1}}
regression:
  max_accuracy_drop: {limit}
  max_answer_flip_rate: 0.9
  segment_by: [lang]
  min_segment_size: 2
  warnings: {{max_mean_tv_distance: 0.05}}
"""
RULE = "{{contains: {word}, probabilities: {{refund: {refund}, repair: {repair}, praise: 0.1}}}}"
HOSTILE = [
    'it\'s $(touch pwned) `touch pwned` "x" \\',
    "bidi\u202eleft <script>alert(1)</script>",
    "=cmd|' /C calc'!A0",
    "日本 🙂 " + "x" * 240,
]
FORMATS = ("text", "json", "markdown", "html", "junit")


def _rule(word: str, refund: float, repair: float) -> str:
    return RULE.format(word=word, refund=refund, repair=repair)


def _write(folder: Path, name: str, rules: list[str], limit: float = 0.1) -> None:
    (folder / name).write_text(CONTRACT.format(rules=", ".join(rules), limit=limit), encoding="utf-8")


def _cases(folder: Path) -> None:
    rows: list[dict[str, Any]] = []
    for number in range(12):
        word = ("money", "broken", "thanks")[number % 3]
        answer = ("refund", "repair", "praise")[number % 3]
        lang = {"lang": "de"} if number % 2 else {}
        rows.append({"id": f"t{number}", "input": f"{word} number {number}", "expected": answer, "metadata": lang})
    for place, text in enumerate(HOSTILE):
        row = {"id": text, "input": f"money </script><b>one  two\x1b[31m {text}", "expected": "refund"}
        rows.append({**row, "source_id": f"h{place}"})
    lines = [json.dumps(row) + "\n" for row in rows]
    (folder / "cases.jsonl").write_text("".join(lines), encoding="utf-8")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A baseline that is right, and a candidate that takes every refund for a repair, over hostile ids and inputs."""
    made = tmp_path_factory.mktemp("diff")
    _cases(made)
    right = [_rule("money", 0.8, 0.1), _rule("broken", 0.1, 0.8)]
    _write(made, "right.yaml", right)
    _write(made, "wrong.yaml", [_rule("money", 0.2, 0.7), right[1]])
    _write(made, "wide.yaml", right, limit=0.9)
    for name in ("right", "wrong"):
        done = robust("run", f"{name}.yaml", "-o", name, "-f", "json", cwd=made)
        assert done.returncode == 0, done.stderr
    return made


def test_a_candidate_that_is_worse_fails(folder: Path) -> None:
    """Exit code 1, with what changed, both answers, and McNemar's test."""
    done = robust("diff", "right", "wrong", cwd=folder)
    assert (done.returncode, done.stderr) == (1, "")
    lines = done.stdout.splitlines()
    assert lines[0] == "FAIL  ticket: a candidate beside its baseline"
    text = " ".join(done.stdout.split())
    assert "FAIL max_accuracy_drop 0.5 0.1" in text
    assert "8 of 16 have another label" in text
    assert "8 newly wrong, 0 newly right" in text
    assert "McNemar's exact test: p = 0.0078" in text
    assert "newly wrong: refund (0.8) → repair (0.7), right is refund" in text
    assert "lang=<missing> 10 1 0.4 0.6" in text


def test_a_run_beside_itself_and_the_better_one_pass(folder: Path) -> None:
    """Exit code 0; a WARN too, but with ``--fail-on-warn``."""
    same = robust("diff", "right", "right", cwd=folder)
    assert (same.returncode, same.stderr) == (0, "")
    assert "the same run" in same.stdout
    better = robust("diff", "wrong", "right", cwd=folder)
    assert (better.returncode, better.stdout.splitlines()[0][:4]) == (0, "WARN")
    assert robust("diff", "wrong", "right", "--fail-on-warn", cwd=folder).returncode == 1
    wide = robust("diff", "right", "wrong", "--contract", "wide.yaml", cwd=folder)
    assert (wide.returncode, "given for this comparison" in wide.stdout) == (0, True)


def test_segments_are_named_by_the_option(folder: Path) -> None:
    """Instead of the contract's; a key that no case has is a mistake."""
    shown = json.loads(robust("diff", "right", "wrong", "-s", "lang", "-f", "json", cwd=folder).stdout)
    assert [(each["key"], each["value"]) for each in shown["segments"]["listed"]] == [("lang", "de"), ("lang", None)]
    done = robust("diff", "right", "wrong", "-s", "language", cwd=folder)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("error[unknown_segment]: segment_by: no matched case has 'language'")


def test_a_segment_whose_value_is_an_object_is_refused(tmp_path: Path) -> None:
    """With file, line and path, whichever side of the comparison names it."""
    _write(tmp_path, "c.yaml", [])
    rows = [{"id": "a", "input": "x", "metadata": {"lang": "de"}}, {"id": "b", "input": "y", "metadata": {"lang": {}}}]
    (tmp_path / "cases.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    assert robust("run", "c.yaml", "-o", "r", cwd=tmp_path).returncode == 0
    done = robust("diff", "r", "r", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("error[bad_segment]: r/records.jsonl:2: $.metadata.lang: an object")


@pytest.mark.parametrize("side", ["right", "wrong"])
def test_a_forged_run_is_exit_code_3(folder: Path, tmp_path: Path, side: str) -> None:
    """On either side; nothing is shown of it."""
    for name in ("right", "wrong"):
        target = tmp_path / name
        target.mkdir()
        for file in (folder / name).iterdir():
            (target / file.name).write_bytes(file.read_bytes())
    records = tmp_path / side / "records.jsonl"
    records.write_bytes(records.read_bytes().replace(b'"selected":"praise"', b'"selected":"repair"', 1))
    done = robust("diff", "right", "wrong", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (3, "")
    assert f"{side}/records.jsonl" in done.stderr


def test_other_decisions_missing_runs_and_runs_of_checks_are_exit_code_2(folder: Path, tmp_path: Path) -> None:
    """Each says what it is."""
    (tmp_path / "c.yaml").write_text(
        'schema_version: "1"\ndecision: {name: ticket, type: choice, options: [refund, praise, repair]}\n'
        "backend: {provider: mock}\ndataset: c.jsonl\nrequirements: {max_error_rate: 1}\n",
        encoding="utf-8",
    )
    (tmp_path / "c.jsonl").write_text('{"id": "t0", "input": "x"}\n', encoding="utf-8")
    assert robust("run", "c.yaml", "-o", "r", cwd=tmp_path).returncode == 0
    other = robust("diff", str(folder / "right"), "r", cwd=tmp_path)
    assert other.returncode == 2
    assert "error[other_decision]: decision.labels: the baseline decides 'refund | repair | praise'" in other.stderr
    missing = robust("diff", "r", "nothing", cwd=tmp_path)
    assert (missing.returncode, missing.stdout) == (2, "")
    save_check(check(str.upper, "a", [case_invariant()]), tmp_path / "check")
    for places in (("check", "r"), ("r", "check")):
        refused = robust("diff", *places, cwd=tmp_path)
        assert (refused.returncode, refused.stdout) == (2, "")
        assert refused.stderr.startswith("error[not_a_contract_run]: check: ")


@pytest.mark.parametrize("report_format", FORMATS)
def test_every_format_is_shown_and_written(folder: Path, tmp_path: Path, report_format: str) -> None:
    """The same bytes, but for the time of the comparison; a file that is there is kept."""
    shown = robust("diff", "right", "wrong", "-f", report_format, cwd=folder)
    file = tmp_path / f"report.{report_format}"
    written = robust("diff", "right", "wrong", "-f", report_format, "-o", file, cwd=folder)
    assert (shown.returncode, written.returncode, written.stderr) == (1, 1, "")
    assert written.stdout == f"FAIL  {file}\n"
    times = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]+Z")
    assert times.sub("", file.read_text(encoding="utf-8")) == times.sub("", shown.stdout)
    again = robust("diff", "right", "wrong", "-f", report_format, "-o", file, cwd=folder)
    assert (again.returncode, "error[exists]" in again.stderr) == (2, True)


def test_a_file_that_is_there_is_told_before_the_work(tmp_path: Path) -> None:
    """Before a run is read, so that nobody waits for a comparison that cannot be written."""
    (tmp_path / "report.txt").write_text("kept", encoding="utf-8")
    done = robust("diff", "no-run", "neither", "-o", "report.txt", cwd=tmp_path)
    assert (done.returncode, "error[exists]: report.txt" in done.stderr) == (2, True)


@pytest.mark.parametrize("side", ["right", "wrong"])
def test_nothing_is_written_into_the_folder_of_a_run(folder: Path, side: str) -> None:
    """Of neither."""
    inside = robust("diff", "right", "wrong", "-o", f"{side}/report", cwd=folder)
    assert (inside.returncode, "own files only" in inside.stderr) == (2, True)


def test_the_contract_that_is_judged_by_is_not_written_over(folder: Path, tmp_path: Path) -> None:
    """Not even where a file may be replaced."""
    judge = tmp_path / "judge.yaml"
    judge.write_bytes(before := (folder / "wide.yaml").read_bytes())
    done = robust("diff", "right", "wrong", "--contract", judge, "-o", judge, "--overwrite", cwd=folder)
    assert (done.returncode, done.stdout, judge.read_bytes()) == (2, "", before)
    assert "error[bad_output]" in done.stderr


@pytest.mark.parametrize("encoding", ["utf-8", "cp1252", "ascii"])
def test_e2_text_has_80_columns_of_what_the_console_has(folder: Path, encoding: str) -> None:
    """Escapes, direction marks and line feeds of ids and inputs are shown, not obeyed."""
    done = subprocess.run(
        [COMMAND, "diff", "right", "wrong"],
        cwd=folder,
        capture_output=True,
        check=False,
        env={**os.environ, "PYTHONIOENCODING": encoding},
        timeout=60,
    )
    assert (done.returncode, done.stderr) == (1, b"")
    lines = done.stdout.decode(encoding).splitlines()
    assert [line for line in lines if columns(line) > 80] == []
    assert all(line.isprintable() for line in lines)
    text = "".join(lines)
    assert "bidi\\u{202e}left <script>" in text
    assert "\\u{1b}[31m" in text


def test_e2_a_page_is_inert_to_its_data(folder: Path) -> None:
    """One script, which is ours; the hostile ids are text."""
    page = ReadPage(robust("diff", "right", "wrong", "-f", "html", cwd=folder).stdout)
    assert page.names.count("script") == 1
    assert "<script>alert(1)</script>" in page.text
    assert "\u202e" not in page.text
    assert "Comparison of two runs" in page.text
    assert "8 cases were right and are wrong now" in page.text
    assert "accuracy_drop" in page.text


def test_e2_markdown_is_inert_and_names_what_changed(folder: Path) -> None:
    """As the reference implementation of GitHub's Markdown reads it."""
    text = robust("diff", "right", "wrong", "-f", "markdown", cwd=folder).stdout
    (html,) = github_html(text)
    assert "<script" not in html
    assert "<b>" not in html
    assert "&lt;script&gt;alert(1)" in html
    assert "<strong>FAIL</strong>" in html
    assert "8 newly wrong" in html


def test_junit_comes_to_the_same_verdict(folder: Path, tmp_path: Path) -> None:
    """Valid by Jenkins' schema; checks alone fail, and changed cases are skipped with what came of them."""
    files = []
    for places, fails in ((("right", "wrong"), 2), (("wrong", "right"), 0)):
        file = tmp_path / f"{fails}.xml"
        robust("diff", *places, "-f", "junit", "-o", file, cwd=folder)
        files.append(file)
    for told, fails in zip(read_junit(*files), (1, 0), strict=True):
        assert told["totals"][1:] == [fails, 0]
        assert [suite[0] for suite in told["suites"]] == ["regression", "changes"]
        assert told["suites"][1][1] == told["suites"][1][4] == 8
    root = parsed(files[0].read_text(encoding="utf-8"))
    shown = json.loads(robust("diff", "right", "wrong", "-f", "json", cwd=folder).stdout)
    (failing,) = [check for check in shown["checks"] if check["status"] == "fail"]
    (failure,) = root.iter("failure")
    mark, value, limit = check_figures(failing)
    assert failure.get("message") == f"{mark}: value {value}, limit {limit}"


def test_e1_many_changes_are_cut_within_each_format(tmp_path: Path) -> None:
    """1,500 changed cases of long inputs: counted in full everywhere, listed within the limits."""
    rows = [{"id": f"case-{number:05}", "input": f"money {'&' * 700} {number}"} for number in range(1500)]
    (tmp_path / "cases.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    _write(tmp_path, "a.yaml", [_rule("money", 0.8, 0.1)])
    _write(tmp_path, "b.yaml", [_rule("money", 0.1, 0.8)])
    for name in ("a", "b"):
        assert robust("run", f"{name}.yaml", "-o", name, "-f", "json", cwd=tmp_path).returncode == 0
    limits = {"text": 20_000, "json": 3_000_000, "markdown": 65_536, "html": 15_000_000, "junit": 20_000_000}
    for report_format, most in limits.items():
        done = robust("diff", "a", "b", "-f", report_format, cwd=tmp_path)
        assert done.returncode == 1
        assert len(done.stdout.encode()) < most, report_format
        assert re.search(r"1,?500|1490|1450|more changed cases", done.stdout), report_format
