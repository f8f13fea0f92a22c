"""E1, E2: the report that a run prints is bounded and inert, and its commands do what they say."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from robust.render.plain import columns
from tests.run_fixtures import COMMAND, robust
from tests.unit.render.reports import is_command

CONTRACT = """
schema_version: "0.1"
decision: {name: q, type: choice, options: [first, second, third]}
backend: {provider: mock, seed: 3, position_bias: 0.4}
dataset: c.jsonl
properties:
  option_order: {max_tv_distance: 0.1, samples: 2}
  whitespace: {max_tv_distance: 0.05}
"""
IDS = [
    'it\'s $(touch pwned) `touch pwned`; touch pwned # "x" \\',
    "bidi\u202eleft <script>",
    "日本",
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a contract, and cases whose ids and texts are hostile."""
    (tmp_path / "c.yaml").write_text(CONTRACT, encoding="utf-8")
    rows = [{"id": name, "input": f"{name}\n</script><b>one  two\x1b[31m {name}"} for name in IDS]
    lines = [json.dumps(row) + "\n" for row in rows]
    (tmp_path / "c.jsonl").write_text("".join(lines), encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize("encoding", ["utf-8", "cp1252", "ascii"])
def test_a_printed_report_has_80_columns_of_what_the_console_has(folder: Path, encoding: str) -> None:
    """It opens with what was scored on assumption, then says the status."""
    done = subprocess.run(
        [COMMAND, "run", "c.yaml", "-o", "out"],
        cwd=folder,
        capture_output=True,
        check=False,
        env={**os.environ, "PYTHONIOENCODING": encoding},
        timeout=60,
    )
    assert (done.returncode, done.stderr) == (1, b"")
    lines = done.stdout.decode(encoding).splitlines()
    assert " ".join(lines[:2]).startswith("12 of 12 pairs are scored on the contract author's word: no oracle judged")
    assert [line for line in lines[:4] if line.startswith("FAIL  q: mock (mock)")]
    assert [line for line in lines if columns(line) > 80 and not is_command(line)] == []
    assert all(line.isprintable() for line in lines)


def test_the_commands_of_a_report_replay_its_failures(folder: Path) -> None:
    """As they are printed, in a shell: each reproduces its failure, and nothing else happens."""
    done = robust("run", "c.yaml", "-o", "a folder's name", cwd=folder)
    assert done.returncode == 1
    commands = [line for line in done.stdout.splitlines() if is_command(line) and "whitespace/" in line]
    assert len(commands) >= len(IDS)
    path = os.pathsep.join((str(COMMAND.parent), os.environ.get("PATH", "")))
    for command in commands[:2]:
        again = subprocess.run(
            ["bash", "-c", command],
            cwd=folder,
            capture_output=True,
            check=False,
            env={**os.environ, "PATH": path},
            timeout=60,
        )
        assert (again.returncode, again.stderr) == (1, b""), command
        assert b"1 reproduced" in again.stdout
    assert sorted(entry.name for entry in folder.iterdir()) == ["a folder's name", "c.jsonl", "c.yaml"]


def test_thousands_of_failures_are_a_page(folder: Path) -> None:
    """The rest is counted, and said where it is."""
    rows = (f'{{"id": "c{number}", "input": "one two {number}"}}\n' for number in range(500))
    (folder / "c.jsonl").write_text("".join(rows), encoding="utf-8")
    done = robust("run", "c.yaml", "-o", "out", "--no-minimize", cwd=folder)
    lines = done.stdout.splitlines()
    report = json.loads((folder / "out" / "report.json").read_bytes())
    assert report["failures"]["count"] > 1000
    assert len(lines) < 150
    for kind, count in report["failures"]["by_kind"].items():
        assert any(line.startswith(f"  {kind}: {count} of ") for line in lines)
    left = [line for line in lines if "all in records.jsonl" in line]
    assert len(left) == len(report["failures"]["by_kind"])
    assert len(json.dumps(report)) < 200_000
