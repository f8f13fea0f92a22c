"""Files on their way to their names: what a killed writer left goes, what is being written stays."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from robust.store.files import atomic_output, write_lines

WRITER = """
import os, signal, sys
from robust.store.files import atomic_output
with atomic_output(sys.argv[1], overwrite=True) as write:
    write(b"half" * 100_000)
    os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.skipif(os.name != "posix", reason="needs locks of files")
def test_what_killed_writers_left_does_not_grow(tmp_path: Path) -> None:
    """The next writer of that name takes it away; other files stay."""
    target = tmp_path / "m.jsonl"
    others = [tmp_path / ".m.jsonl.partial", tmp_path / ".n.jsonl.0123456789ab.partial"]
    for other in others:
        other.write_bytes(b"kept")
    for _ in range(2):
        done = subprocess.run([sys.executable, "-c", WRITER, str(target)], check=False)
        assert done.returncode == -signal.SIGKILL
        assert len(list(tmp_path.glob(".m.jsonl.????????????.partial"))) == 1
    write_lines(target, [b"whole"])
    assert sorted(tmp_path.iterdir()) == sorted([*others, target])


def test_two_writers_of_one_name_do_not_disturb_each_other(tmp_path: Path) -> None:
    """The last one to end has its way."""
    target = tmp_path / "m.jsonl"
    with atomic_output(target, overwrite=True) as first:
        first(b"first")
        write_lines(target, [b"second"], overwrite=True)
        first(b" and last")
    assert target.read_bytes() == b"first and last"
    assert list(tmp_path.iterdir()) == [target]


def test_a_file_of_the_longest_name_can_be_written(tmp_path: Path) -> None:
    """In any script: the name that it has on its way is no longer than its own."""
    for name in ("a" * 255, "梨" * 85):
        write_lines(tmp_path / name, [b"whole"])
        write_lines(tmp_path / name, [b"again"], overwrite=True)
        assert [item.name for item in tmp_path.iterdir()] == [name]
        (tmp_path / name).unlink()
