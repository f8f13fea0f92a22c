"""``docs/reviewing.md``: every block on the page is executed, on sheets that are filled in here."""

from __future__ import annotations

import csv
import io
import re
import shlex
import sys
from pathlib import Path

import pytest

from robust import Validation
from robust.records.review import ANSWER_KINDS
from robust.store.review_form import COLUMNS, FILLED
from tests.programs import ROOT
from tests.run_fixtures import robust

PAGE = (ROOT / "docs" / "reviewing.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
ROUND, PANEL = [
    [shlex.split(line.removeprefix("$ robust ")) for line in block.replace("\\\n", " ").splitlines()]
    for language, block in BLOCKS
    if language == "console"
]
(LINE,) = [block for language, block in BLOCKS if language == "json"]
(SCRIPT,) = [block for language, block in BLOCKS if language == "python"]
BASES = 'id,input\na,I paid 20 euros.\nb,"I paid 1,25 euros."\n'
CANDIDATES = """\
{"id": "a1", "input": "I paid twenty euros.", "origin": {"parent_id": "a", "relation": "invariant"}}
{"id": "b1", "input": "I paid 125 euros.", "origin": {"parent_id": "b", "relation": "invariant"}}
"""
UNDECIDED = """
import json, sys
for line in sys.stdin:
    print(json.dumps({"id": json.loads(line)["id"], "valid": None, "reason": "not sure"}), flush=True)
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with what the page's commands begin with, which is the current one."""
    (tmp_path / "bases.csv").write_text(BASES, encoding="utf-8")
    (tmp_path / "candidates.jsonl").write_text(CANDIDATES, encoding="utf-8")
    (tmp_path / "oracle.py").write_text(UNDECIDED, encoding="utf-8")
    command = ("--oracle-command", f"{sys.executable} oracle.py", "-o", "program.jsonl")
    done = robust(
        "variants", "validate", "bases.csv", "candidates.jsonl", "--contract", "amounts/v1", *command, cwd=tmp_path
    )
    assert done.returncode == 0
    monkeypatch.chdir(tmp_path)
    return tmp_path


def fill(path: Path, name: str, words: tuple[str, str]) -> None:
    """Write into a sheet what a person would."""
    header, *rows = csv.reader(io.StringIO(path.read_text(encoding="utf-8-sig"), newline=""))
    for row, valid, answers in zip(rows, words, (("20", "20"), ("1.25", "125")), strict=True):
        filled = (valid, *answers, "read", name, "2026-03-31")
        for column, cell in zip(FILLED, filled, strict=True):
            row[header.index(column)] = cell
    out = io.StringIO(newline="")
    csv.writer(out).writerows([header, *rows])
    path.write_text(out.getvalue(), encoding="utf-8-sig")


def test_no_block_escapes_these_tests() -> None:
    """Each is looked at below."""
    assert PAGE.count("\n```") == 2 * len(BLOCKS)
    assert sorted(language for language, _ in BLOCKS) == ["console", "console", "json", "python"]
    assert (len(ROUND), len(PANEL)) == (3, 2)


def test_the_commands_of_a_round_work(folder: Path) -> None:
    """With a person between the first and the second."""
    show, validate, export = ROUND
    assert robust(*show, cwd=folder).returncode == 0
    fill(folder / "queue.csv", "Anna", ("yes", "no"))
    assert robust(*validate, cwd=folder).stdout.startswith("1 valid, 1 invalid\n")
    assert robust(*export, cwd=folder).returncode == 0


def test_the_commands_for_several_people_work(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Each with a copy; and the script of the page."""
    for name in ("anna", "ben"):
        robust(*ROUND[0][:-1], f"{name}.csv", cwd=folder)
        fill(folder / f"{name}.csv", name.title(), ("yes", "no" if name == "anna" else "yes"))
    agreement, validate = PANEL
    assert "b1: Anna no, Ben yes" in robust(*agreement, cwd=folder).stdout
    assert robust(*validate, cwd=folder).stdout.startswith("1 valid, 1 unknown\n")
    exec(compile(SCRIPT, "docs/reviewing.md", "exec"), {})  # noqa: S102 - it is our own page
    assert capsys.readouterr().out.splitlines() == [
        "0.5",
        "Anna + Ben ('Anna', 'Ben')",
        "anna.csv: 2 rows are judged, 0 not yet",
        "ben.csv: 2 rows are judged, 0 not yet",
    ]


def test_a_judgement_from_elsewhere_finds_its_pair(folder: Path) -> None:
    """By the inputs that it holds."""
    (folder / "carla.jsonl").write_text(LINE, encoding="utf-8")
    arguments = [*ROUND[1][:-4], "--reviewed", "carla.jsonl", "-o", "carla-records.jsonl"]
    assert robust(*arguments, cwd=folder).returncode == 0
    records = list(Validation.load_all(folder / "carla-records.jsonl"))
    assert [record.status for record in records] == ["valid", "unknown"]
    assert records[0].data["oracle"]["name"] == "Carla"


def test_the_tables_name_every_column_and_every_kind_of_answer() -> None:
    """A table goes stale where nothing reads it."""
    sheet, answers = re.findall(r"\| --- \| --- \|\n(.*?)\n\n", PAGE, re.DOTALL)
    first = "".join(line.split(" | ")[0] for line in sheet.splitlines())
    assert re.findall(r"`([^`]+)`", first) == list(COLUMNS)
    assert re.findall(r"^\| `(\w+)`", answers, re.MULTILINE) == list(ANSWER_KINDS)
