"""Progress on a terminal, in a pipe, and nowhere."""

from __future__ import annotations

import fcntl
import io
import os
import pty
import struct
import termios
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, TextIO

import pytest

from robust.cli.progress import LiveLine, PlainLines, live_progress
from robust.records.progress import ProgressState
from tests.programs import python


class Terminal:
    """A real pseudo-terminal of some width, and what its first lines would show."""

    def __init__(self, columns: int) -> None:
        self.leader, follower = pty.openpty()
        self.stream: TextIO = os.fdopen(follower, "w", encoding="ascii")
        self.resize(columns)
        self.raw = b""

    def resize(self, columns: int) -> None:
        """Change the width, as a user does with a window."""
        fcntl.ioctl(self.leader, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))

    def line(self) -> str:
        """The one line that is shown now, after everything that was written."""
        os.set_blocking(self.leader, False)
        with suppress(BlockingIOError):
            while True:
                self.raw += os.read(self.leader, 65536)
        cells: list[str] = []
        column = 0
        for character in self.raw.decode("ascii"):
            if character == "\r":
                column = 0
                continue
            assert character.isprintable(), f"{character!r} is a control character"
            cells[column : column + 1] = [character]
            column += 1
        return "".join(cells).rstrip(" ")

    def close(self) -> None:
        """Let go of both ends."""
        self.stream.close()
        os.close(self.leader)


@pytest.fixture
def terminal() -> Iterator[Terminal]:
    """A terminal of 80 columns."""
    made = Terminal(80)
    yield made
    made.close()


def _state(done: int, elapsed_s: float, **fields: Any) -> ProgressState:
    nothing = {"total": 1000, "errors": 0, "calls": done, "cached": 0, "tokens": 0, "cost": 0.0}
    return ProgressState(**{**nothing, "done": done, "elapsed_s": elapsed_s, **fields})


def test_a_terminal_shows_one_line_that_is_gone_afterwards(terminal: Terminal) -> None:
    """It is written over in place, and covers what it leaves behind."""
    with live_progress(stream=terminal.stream) as progress:
        assert isinstance(progress, LiveLine)
        progress.update(_state(100, 1.0, errors=2))
        assert terminal.line() == "100/1000 (10%)  2 errors  9s left  100/s  100 calls"
        progress.update(_state(200, 2.0))
        assert terminal.line() == "200/1000 (20%)  8s left  100/s  200 calls"
    assert terminal.line() == ""
    assert b"\n" not in terminal.raw
    assert b"\x1b" not in terminal.raw


def test_the_line_is_drawn_at_most_five_times_a_second_and_not_for_a_short_run(terminal: Terminal) -> None:
    """A model that answers at once must not wait for a terminal."""
    progress = LiveLine(terminal.stream)
    for number in range(450):
        progress.update(_state(number, number / 1000))
    progress.close()
    assert terminal.line() == ""
    assert terminal.raw == b""
    for number in range(450, 10_000):
        progress.update(_state(number, number / 1000))
    terminal.line()
    assert 40 <= terminal.raw.count(b"\r") <= 50


@pytest.mark.parametrize("columns", [1, 2, 12, 40, 79, 200])
def test_a_line_never_reaches_the_last_column(columns: int) -> None:
    """There some terminals go to the next line, and the carriage return would not come back."""
    terminal = Terminal(columns)
    progress = LiveLine(terminal.stream)
    for number in range(1, 20):
        progress.update(_state(number * 37, float(number), errors=number % 3))
        assert len(terminal.line()) < columns
    progress.close()
    assert terminal.line() == ""
    assert all(len(part) < columns for part in terminal.raw.decode("ascii").split("\r"))
    terminal.close()


def test_a_window_may_change_its_width_during_a_run(terminal: Terminal) -> None:
    """The next line fits, and so does what covers the last."""
    progress = LiveLine(terminal.stream)
    progress.update(_state(100, 1.0))
    assert len(terminal.line()) > 19
    terminal.resize(20)
    before = len(terminal.raw)
    progress.update(_state(200, 2.0))
    progress.close()
    terminal.line()
    assert all(len(part) <= 19 for part in terminal.raw[before:].decode("ascii").split("\r"))


def test_a_terminal_that_does_not_know_its_width_counts_as_80_columns() -> None:
    """As a fresh pseudo-terminal does."""
    terminal = Terminal(0)
    progress = LiveLine(terminal.stream)
    progress.update(_state(100, 1.0))
    assert terminal.line().startswith("100/1000")
    terminal.close()


def test_a_dumb_terminal_gets_plain_lines(terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    """It cannot go back to the start of a line."""
    monkeypatch.setenv("TERM", "dumb")
    with live_progress(stream=terminal.stream) as progress:
        assert isinstance(progress, PlainLines)


def test_what_is_no_terminal_shows_nothing_unless_it_is_asked_for(tmp_path: Path, terminal: Terminal) -> None:
    """A log stays clean; --no-progress silences a terminal too."""
    with (tmp_path / "log").open("w", encoding="utf-8") as log:
        with live_progress(stream=log) as progress:
            assert progress is None
        with live_progress(True, stream=log) as progress:
            assert isinstance(progress, PlainLines)
        with live_progress(False, stream=terminal.stream) as progress:
            assert progress is None
    assert (tmp_path / "log").read_bytes() == b""


def test_e7_plain_lines_come_every_few_seconds_and_once_at_the_end() -> None:
    """E7: each a whole line without any control character."""
    stream = io.StringIO()
    with live_progress(True, stream=stream) as progress:
        assert progress is not None
        for number in range(120):
            progress.update(_state(number * 10, number / 10, total=2000))
        progress.update(_state(1200, 12.0, total=1200, errors=1))
    lines = stream.getvalue().splitlines()
    assert lines == [
        "progress  500/2000 (25%)  15s left  100/s  500 calls",
        "progress  1000/2000 (50%)  10s left  100/s  1000 calls",
        "progress  1200/1200 (100%)  1 error  in 12s  100/s  1200 calls",
    ]
    assert stream.getvalue() == "".join(f"{line}\n" for line in lines)
    assert all(line.isprintable() and line.isascii() for line in lines)


def test_the_last_line_is_written_when_a_run_is_stopped() -> None:
    """It says how far it had come."""
    stream = io.StringIO()
    with pytest.raises(KeyboardInterrupt), live_progress(True, stream=stream) as progress:
        assert progress is not None
        progress.update(_state(7, 0.1))
        raise KeyboardInterrupt
    assert stream.getvalue().startswith("progress  7/1000 (0%)")


def test_a_run_without_any_decision_says_nothing() -> None:
    """Not even when it is over."""
    stream = io.StringIO()
    with live_progress(True, stream=stream):
        pass
    assert stream.getvalue() == ""


@pytest.mark.parametrize("kind", [LiveLine, PlainLines])
def test_a_terminal_that_went_away_stops_no_run(kind: Any, tmp_path: Path) -> None:
    """Nothing is written any more, and nothing is raised."""
    stream = (tmp_path / "log").open("w", encoding="utf-8")
    progress = kind(stream)
    stream.close()
    progress.update(_state(1, 60.0))
    progress.update(_state(2, 120.0))
    progress.close()
    with live_progress(stream=stream) as shown:
        assert shown is None


SCRIPT = """
import sys
from robust.cli.progress import live_progress
from robust.records.progress import ProgressState
with live_progress(True if sys.argv[1:] else None) as progress:
    for done in range(1, 1001 if progress else 1):
        progress.update(ProgressState(done=done, total=1000, errors=0, calls=done, cached=0, tokens=0, cost=0.0,
                                      elapsed_s=done / 50))
"""


def test_e7_a_pipe_gets_plain_lines_or_nothing() -> None:
    """E7, in a process whose standard error is a pipe, whatever the terminal is said to be."""
    silent = python(SCRIPT, TERM="xterm-256color", FORCE_COLOR="1")
    assert (silent.returncode, silent.stdout, silent.stderr) == (0, "", "")
    asked = python(SCRIPT, "--progress", TERM="xterm-256color", FORCE_COLOR="1")
    lines = asked.stderr.splitlines()
    assert [line.split()[1] for line in lines] == ["250/1000", "500/1000", "750/1000", "1000/1000"]
    assert all(line.isprintable() for line in lines)
    assert "\r" not in asked.stderr
    assert "\x1b" not in asked.stderr
