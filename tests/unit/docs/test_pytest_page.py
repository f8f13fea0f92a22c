"""``docs/pytest.md`` and the section on checks in ``docs/runs.md``: their code runs, and prints what the pages say."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from robust.app.pytest_checks import MARKER_OPTIONS
from tests.programs import ROOT
from tests.run_fixtures import robust
from tests.unit.docs.test_verifying_page import matches

PAGE = (ROOT / "docs" / "pytest.md").read_text(encoding="utf-8")
RUNS = (ROOT / "docs" / "runs.md").read_text(encoding="utf-8")
SECTION = RUNS.partition("## Checks and population tests\n")[2].partition("\n## ")[0]
_BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_FILE = re.compile(r"# (test_\w+\.py)\n")


def _commands(text: str) -> Iterator[tuple[list[str], list[str]]]:
    """Each command with what it is shown to print."""
    for kind, block in _BLOCK.findall(text):
        for part in block.split("$ ")[1:] if kind == "console" else ():
            command, *shown = part.rstrip("\n").split("\n")
            yield shlex.split(command), shown


def _pytest(command: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    """As at a terminal: a build server sets variables for which pytest cuts no line of its summary, or options."""
    others = {"CI", "BUILD_NUMBER", "PYTEST_ADDOPTS"}
    environment = {name: value for name, value in os.environ.items() if name not in others}
    return subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, encoding="utf-8", check=False
    )


def test_the_page_about_pytest_is_a_session(tmp_path: Path) -> None:
    """Its test files, run by its commands."""
    for kind, block in _BLOCK.findall(PAGE):
        name = _FILE.match(block)
        assert (kind == "python") == (name is not None)
        if name is not None:
            (tmp_path / name[1]).write_text(block, encoding="utf-8")
    ran = 0
    for (program, *arguments), shown in _commands(PAGE):
        if program == "pytest":
            command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *arguments]
            done = _pytest(command, tmp_path)
        else:
            done = robust(*arguments, cwd=tmp_path)
        assert matches(shown, done.stdout.splitlines()), done.stdout + done.stderr
        ran += 1
    assert ran == PAGE.count("\n$ ") == 4
    marked = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_marked.py"]
    done = _pytest(marked, tmp_path)
    assert (done.returncode, "1 passed" in done.stdout) == (0, True), done.stdout


def test_the_page_about_pytest_names_every_option() -> None:
    """Of the marker."""
    listed = PAGE.partition("The options are ")[2].partition(". Any other")[0]
    assert re.findall(r"`(\w+)`", listed) == list(MARKER_OPTIONS)


def test_the_section_about_checks_is_a_session(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its script, then its commands."""
    monkeypatch.chdir(tmp_path)
    (script,) = [block for kind, block in _BLOCK.findall(SECTION) if kind == "python"]
    exec(compile(script, "docs/runs.md", "exec"), {"__name__": "__main__"})  # noqa: S102 - our own page
    ran = 0
    for (_, *arguments), shown in _commands(SECTION):
        done = robust(*arguments, cwd=tmp_path)
        assert (done.returncode, done.stderr) == (0, "")
        assert matches(shown, done.stdout.splitlines()), done.stdout
        ran += 1
    assert ran == 2
