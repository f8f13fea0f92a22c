"""``docs/generating.md``: every block on the page is executed, or compared with the code that it tells of."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest

from robust.transforms.edited_candidates import REFUSALS
from robust.transforms.strategies import ABOUT, BUILT_IN, SETS, TABLES
from tests.programs import ROOT
from tests.run_fixtures import robust

PAGE = (ROOT / "docs" / "generating.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
OF: dict[str, list[str]] = {}
for language, block in BLOCKS:
    OF.setdefault(language, []).append(block)
GENERATE, IMPORT = OF["console"]
CASES, TABLE = OF["csv"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The files of the page."""
    (tmp_path / "invoices.csv").write_text(CASES, encoding="utf-8")
    (tmp_path / "table.csv").write_text(TABLE, encoding="utf-8")
    (tmp_path / "made.jsonl").write_text(OF["jsonl"][0], encoding="utf-8")
    return tmp_path


def printed(folder: Path, console: str) -> list[str]:
    """What a console block's command prints."""
    (command,) = re.findall(r"^\$ robust (.*)$", console, re.MULTILINE)
    done = robust(*shlex.split(command), cwd=folder)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.splitlines()


def test_no_block_escapes_these_tests() -> None:
    """Each is of a kind that is looked at below."""
    assert PAGE.count("\n```") == 2 * len(BLOCKS)
    assert {kind: len(blocks) for kind, blocks in OF.items()} == {
        "console": 2, "csv": 2, "json": 1, "jsonl": 1, "python": 1,
    }  # fmt: skip


def test_the_generating_command_prints_what_the_page_says(folder: Path) -> None:
    """As far as it is shown; and makes the candidate of the page."""
    lines = printed(folder, GENERATE)
    shown = GENERATE.splitlines()[1:-1]
    assert lines[: len(shown)] == shown
    made = [json.loads(line) for line in (folder / "candidates.jsonl").read_text(encoding="utf-8").splitlines()]
    assert json.loads(OF["json"][0]) in made


def test_the_importing_command_prints_what_the_page_says(folder: Path) -> None:
    """To the last line."""
    assert printed(folder, IMPORT) == IMPORT.splitlines()[1:]


def test_the_table_of_the_page_makes_candidates(folder: Path) -> None:
    """Each row its own, with its own relation."""
    done = robust(
        "variants",
        "generate",
        "invoices.csv",
        "--rewrites",
        "table.csv",
        "--per-case",
        "3",
        "-o",
        "c.jsonl",
        cwd=folder,
    )
    assert done.returncode == 0, done.stderr
    made = [json.loads(line) for line in (folder / "c.jsonl").read_text(encoding="utf-8").splitlines()]
    assert {(each["origin"]["relation"], each["input"]) for each in made} == {
        ("counterfactual", "Nobody has not paid the deposit yet."),
        ("invariant", "Nobody has paid the down payment yet."),
    }


def test_the_script_of_the_page_runs(capsys: pytest.CaptureFixture[str]) -> None:
    """And makes a candidate with each strategy."""
    exec(compile(OF["python"][0], "docs/generating.md", "exec"), {"__name__": "__main__"})  # noqa: S102 - our own page
    first, second, last = capsys.readouterr().out.splitlines()
    assert first == "dep-1~negation-0 counterfactual The deposit is not due."
    assert re.fullmatch(r"dep-1~shout-0 invariant The deposit is due!{1,3}", second)
    assert last == "2 candidates"


def test_the_strategies_of_the_page_are_those_there_are() -> None:
    """In their order, with their relations; and the sets."""
    rows = re.findall(r"^\| `([\w-]+)` \| (invariant|counterfactual|as the table says) \|", PAGE, re.MULTILINE)
    assert [name for name, _ in rows] == list(ABOUT)
    assert {name: relation for name, relation in rows if name not in TABLES} == {
        name: each.relation for name, each in BUILT_IN.items()
    }
    assert all(f"`{name}`" in PAGE for name in SETS)


def test_the_counts_of_the_page_are_those_there_are() -> None:
    """One row for each."""
    table = PAGE.partition("| count | what became of it |")[2].partition("\n\n")[0]
    assert re.findall(r"^\| `(\w+)`", table, re.MULTILINE) == ["generated", *REFUSALS]


def test_the_options_of_the_page_are_those_of_the_command() -> None:
    """Each that says what a column is stands in the table."""
    shown = set(re.findall(r"--[\w-]+", robust("variants", "import", "--help").stdout))
    told = set(re.findall(r"--[a-z][\w-]+", PAGE.partition("| option | says |")[2].partition("\n\n")[0]))
    assert shown - told == {"--output", "--split", "--report", "--overwrite", "--format", "--help"}
    assert told <= shown
