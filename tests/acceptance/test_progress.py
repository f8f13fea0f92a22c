"""E7: progress of a run never spoils a log, and leaves nothing behind on a terminal."""

from __future__ import annotations

import os
import pty
import subprocess
from pathlib import Path

import pytest

from tests.run_fixtures import COMMAND, robust

CONTRACT = """
schema_version: "1"
decision: {name: q, type: noul}
backend: {provider: mock, default: {yes: 0.2, no: 0.8}}
dataset: c.jsonl
requirements: {min_accuracy: 0.5}
"""
CASES = 300


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a contract and its cases."""
    (tmp_path / "c.yaml").write_text(CONTRACT, encoding="utf-8")
    rows = (f'{{"id": "c{number}", "input": "text {number}", "expected": "no"}}\n' for number in range(CASES))
    (tmp_path / "c.jsonl").write_text("".join(rows), encoding="utf-8")
    return tmp_path


def test_e7_a_log_gets_nothing_or_plain_lines(folder: Path) -> None:
    """Without --progress not a character; with it whole lines, the last of which says that all is done."""
    environment = {"TERM": "xterm-256color", "FORCE_COLOR": "1"}
    silent = robust("run", "c.yaml", "-o", "1", cwd=folder, env=environment)
    assert (silent.returncode, silent.stderr) == (0, "")
    asked = robust("run", "c.yaml", "-o", "2", "--progress", cwd=folder, env=environment)
    lines = asked.stderr.splitlines()
    assert lines[-1].startswith(f"progress  {CASES}/{CASES} (100%)  in ")
    assert all(line.isascii() and line.isprintable() for line in lines)
    assert asked.stderr == "".join(f"{line}\n" for line in lines)
    assert asked.stdout.splitlines()[0] == silent.stdout.splitlines()[0]


@pytest.mark.parametrize(("options", "silent"), [([], False), (["--no-progress"], True)])
def test_e7_a_terminal_is_left_as_it_was(folder: Path, options: list[str], silent: bool) -> None:
    """Whatever was drawn stays on one line, is written with printable characters, and is covered at the end."""
    leader, follower = pty.openpty()
    with subprocess.Popen(
        [COMMAND, "run", "c.yaml", "-o", "out", *options],
        cwd=folder,
        stdout=subprocess.DEVNULL,
        stderr=follower,
        env={**os.environ, "TERM": "xterm"},
    ) as process:
        os.close(follower)
        drawn = b"".join(iter(lambda: _read(leader), b""))
        assert process.wait(60) == 0
    os.close(leader)
    parts = drawn.decode("ascii").split("\r")
    assert all(part == "" or part.isprintable() for part in parts)
    assert [part.strip() for part in parts[-2:]] in ([""], ["", ""])
    assert not (silent and drawn)


def _read(leader: int) -> bytes:
    """The next piece of what was written; nothing when the other end is gone."""
    try:
        return os.read(leader, 65536)
    except OSError:  # how Linux says so
        return b""
