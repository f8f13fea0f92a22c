"""``examples/README.md``: the afternoon of a user, whose commands are run and whose output is compared."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from robust import Manifest, Validation
from tests.programs import ROOT

PAGE = (ROOT / "examples" / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
# The gates of the run do not hold, and its report says so again.
FAILING = ("python model.py", "robust report run")
MADE = ("cases.csv", "later.csv")


class Step(NamedTuple):
    """A command of the page and what the page says that it prints."""

    command: str
    printed: str


def _steps() -> list[Step]:
    found = []
    for _, block in BLOCKS:
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command = re.match(r"(?:[^\n]*\\\n)*[^\n]*\n", part)
            assert command is not None
            found.append(Step(command[0].strip(), part[command.end() :]))
    return found


STEPS = _steps()


def _run(step: Step, folder: Path) -> str:
    paths = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    environment = {**os.environ, "PATH": paths, "PYTHONIOENCODING": "utf-8"}
    done = subprocess.run(  # noqa: PLW1510, S602 - the commands are our own page's
        step.command, shell=True, cwd=folder, env=environment, capture_output=True, encoding="utf-8", timeout=300
    )
    assert done.returncode in (0, 1), (step.command, done.stderr)
    assert (done.returncode == 1) == (step.command in FAILING), (step.command, done.stderr)
    return done.stdout


def _told(printed: str) -> re.Pattern[str]:
    """What the page says of an output: ``...`` alone on a line stands for any lines, within one for any text."""
    lines = [
        "(?:.*\n)*" if line == "..." else ".*".join(map(re.escape, line.split("..."))) + "\n"
        for line in printed.splitlines()
    ]
    return re.compile("".join(lines))


@pytest.fixture(scope="module")
def afternoon(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[str]]:
    """The folder in which every command was run, and what each printed."""
    folder = tmp_path_factory.mktemp("afternoon")
    (folder / "examples").symlink_to(ROOT / "examples")
    copy, *rest = STEPS
    assert copy.command.endswith(" && cd my-afternoon")
    _run(copy, folder)
    return folder / "my-afternoon", [_run(step, folder / "my-afternoon") for step in rest]


def test_every_command_of_the_page_prints_what_the_page_says(afternoon: tuple[Path, list[str]]) -> None:
    """Line by line, but for what the page leaves out."""
    assert {language for language, _ in BLOCKS} == {"console"}
    assert len(STEPS) > 10
    for step, printed in zip(STEPS[1:], afternoon[1], strict=True):
        assert _told(step.printed).fullmatch(printed), (step.command, printed)


def test_the_shipped_data_are_those_of_the_script_that_made_them(tmp_path: Path) -> None:
    """So that nobody edits them by hand."""
    script = tmp_path / "make_cases.py"
    script.write_bytes((ROOT / "examples" / "afternoon" / "make_cases.py").read_bytes())
    subprocess.run([sys.executable, script], check=True)
    for name in MADE:
        assert (tmp_path / name).read_bytes() == (ROOT / "examples" / "afternoon" / name).read_bytes()


def test_old_cases_keep_their_split_and_every_failure_is_one_that_a_person_vouched_for(
    afternoon: tuple[Path, list[str]],
) -> None:
    """As the page says at its end."""
    folder, _ = afternoon
    before, after = (Manifest.load(folder / f"{name}.manifest.jsonl") for name in ("refunds", "refunds-april"))
    placed = {entry.case.case_id: entry.split for entry in after.entries}
    assert {entry.case.case_id: entry.split for entry in before.entries}.items() <= placed.items()
    assert after.parent == before.digest
    people = [record for record in Validation.load_all(folder / "people.jsonl") if record.status == "valid"]
    assert {record.data["oracle"]["name"] for record in people} == {"Rosa"}
    vouched = {record.data["candidate"]["input"] for record in people}
    lines = (folder / "run" / "records.jsonl").read_text(encoding="utf-8").splitlines()
    failed = [record["input"] for record in map(json.loads, lines) if record.get("violations")]
    assert failed
    assert set(failed) <= vouched
