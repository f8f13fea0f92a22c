"""``docs/diff.md``: its contract, commands and program run, and its numbers and names are those of the code."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from robust import diff_runs
from robust.records.run_diff import CHANGE_KINDS, LONGEST_SEGMENT, MOST_CHANGES, MOST_SEGMENTS, MOST_UNMATCHED, SCHEMA
from robust.render import markdown
from robust.render.diff_facts import KINDS
from robust.render.diff_formats import DIFF_FORMATS
from tests.programs import ROOT, python
from tests.run_fixtures import robust

PAGE = (ROOT / "docs" / "diff.md").read_text(encoding="utf-8")
WORDS = " ".join(PAGE.split())
ROWS = [
    {"id": f"t{number}", "input": text, "expected": answer, "metadata": {"lang": "de"} if number % 2 else {}}
    for number, (text, answer) in enumerate(
        [("money back please", "refund"), ("where is my money", "refund"), ("thank you", "praise")] * 6
    )
]


def _block(language: str) -> str:
    (text,) = re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    return str(text)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which the commands of the page ran."""
    made = tmp_path_factory.mktemp("page")
    contract = _block("yaml")
    (made / "contract.yaml").write_text(contract, encoding="utf-8")
    stricter = contract.replace("max_answer_flip_rate: 0.1", "max_answer_flip_rate: 0")
    (made / "stricter.yaml").write_text(stricter, encoding="utf-8")
    lines = [json.dumps(row) + "\n" for row in ROWS]
    (made / "cases.jsonl").write_text("".join(lines), encoding="utf-8")
    return made


def test_the_commands_of_the_page_do_what_it_says(folder: Path) -> None:
    """One after the other, in one folder; the newer model takes one question of three for another."""
    done = [robust(*line.removeprefix("$ robust ").split(), cwd=folder) for line in _block("console").splitlines()]
    assert [each.returncode for each in done] == [0, 0, 1, 1]
    assert "6 newly wrong, 0 newly right" in " ".join(done[2].stdout.split())
    assert "lang=<missing>" in done[2].stdout
    assert (folder / "diff.html").stat().st_size > 10_000
    program = python(f"import os\nos.chdir({str(folder)!r})\n" + _block("python"))
    assert program.stderr == ""
    assert program.stdout.startswith("fail 1\n-0.33")
    assert program.stdout.count(" newly_wrong ") == 6
    assert "## FAIL" in program.stdout
    assert (folder / "diff.json").exists()


def test_the_parts_of_the_report_are_on_the_page(folder: Path) -> None:
    """All of them that a reader would look for; and the kinds of changes in their order."""
    if not (folder / "old").exists():
        for name in ("old", "new"):
            robust("run", "contract.yaml", "-b", name, "-o", name, cwd=folder)
    report = diff_runs(folder / "old", folder / "new").report
    table = PAGE.partition("| part of the report |")[2].partition("\n\n")[0]
    named = set(re.findall(r"`(\w+)`", "\n".join(line.split("|")[1] for line in table.splitlines()[2:])))
    told_elsewhere = {"schema", "status", "exit_code", "logical_status", "contract", "settings", "checks", "digest"}
    assert set(report) - named - {"baseline", "candidate"} == told_elsewhere
    assert named <= set(report)
    assert report["schema"] == SCHEMA
    changes = table.partition("`changes`")[2]
    places = [
        changes.find({"new_error": "new errors", "other_label": "other labels"}.get(kind, KINDS[kind]))
        for kind in CHANGE_KINDS
    ]
    assert places == sorted(places)
    assert -1 not in places


def test_the_limits_on_the_page_are_those_of_the_code() -> None:
    """Each number once more."""
    assert f"their first {MOST_UNMATCHED} ids" in WORDS
    assert f"the first {MOST_CHANGES:,} with both answers" in WORDS
    assert f"at most {MOST_SEGMENTS} of a key are listed" in WORDS
    assert f"more than {LONGEST_SEGMENT} characters is refused" in WORDS
    assert f"at most {markdown.MAX_BYTES:,} bytes" in WORDS
    assert f"(`{SCHEMA}`)" in WORDS
    told = PAGE.partition("`-f` is ")[2].partition("`-o FILE`")[0]
    assert re.findall(r"`([a-z]+)`", told) == list(DIFF_FORMATS)
