"""What ``benchmarks/commands.py`` measures of a command: all of its processes, and that it failed."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from benchmarks.commands import measure, read_apart

# Holds 64 MiB, with every page of it written, until its input ends.
HOLD = "import sys; held = bytearray(b'x') * (64 * 2**20); print(flush=True); sys.stdin.read()"
# Lets two of these hold at the same time, for as long as it takes to be seen.
PARENT = """
import subprocess, sys, time
pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
two = [subprocess.Popen([sys.executable, "-c", sys.argv[1]], **pipes) for _ in range(2)]
for each in two:
    each.stdout.readline()
time.sleep(0.4)
for each in two:
    each.communicate()
"""


def test_the_memory_of_a_command_is_that_of_its_process(tmp_path: Path) -> None:
    """At least what it holds."""
    taken = measure([sys.executable, "-c", "held = bytearray(b'x') * (64 * 2**20)"], tmp_path)
    # Until it runs its own program a new process may still count as a copy of this one, however large that is.
    assert taken.peak_mib > 64


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="there is no /proc here to see other processes in")
def test_the_memory_of_all_processes_counts(tmp_path: Path) -> None:
    """Two children that hold so much each count together."""
    taken = measure([sys.executable, "-c", PARENT, HOLD], tmp_path)
    assert taken.peak_mib > 128


def test_a_command_that_fails_ends_the_script(tmp_path: Path) -> None:
    """With what it said."""
    with pytest.raises(SystemExit, match="out of tea"):
        measure([sys.executable, "-c", "raise SystemExit('out of tea')"], tmp_path)


def test_a_file_is_read_by_another_process(tmp_path: Path) -> None:
    """Its value comes back as JSON."""
    file = tmp_path / "report.json"
    file.write_text('{"counts": {"pairs": 3}}', encoding="utf-8")
    assert read_apart("[data['counts']['pairs'], None]", file) == [3, None]
