"""Progress on standard error: one live line on a terminal, plain lines elsewhere where they are asked for."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final, TextIO

from robust.records.progress import ProgressState
from robust.records.seams import Progress
from robust.render.progress import RecentRate, progress_text

# Seconds of a run before its first line, so that a short one does not flicker; then between two lines.
_FIRST_LIVE_S: Final = 0.5
_LIVE_EVERY_S: Final = 0.2
_PLAIN_EVERY_S: Final = 5.0
_PLAIN_WIDTH: Final = 100
_USUAL_WIDTH: Final = 80


@contextmanager
def live_progress(wanted: bool | None = None, stream: TextIO | None = None) -> Iterator[Progress | None]:
    """Show the progress of a run while the context lasts.

    Args:
        wanted: True shows progress wherever the stream leads, False nowhere, None on a terminal only.
        stream: standard error by default.

    Yields:
        what to give to the run; None where nothing is to be shown.
    """
    target = sys.stderr if stream is None else stream
    terminal = _is_terminal(target)
    if target is None or wanted is False or not (wanted or terminal):
        yield None
        return
    # A dumb terminal cannot go back to the start of a line.
    live = terminal and os.environ.get("TERM") != "dumb"
    shown = LiveLine(target) if live else PlainLines(target)
    try:
        yield shown
    finally:
        shown.close()


class LiveLine:
    """One line of a terminal that is written over, with nothing but carriage returns and spaces.

    Every terminal and every Windows console knows these. The line is at most one character shorter than the terminal
    is wide, since some move to the next line after the last one. It is gone when the run ends.
    """

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._due = _FIRST_LIVE_S
        self._rate = RecentRate()
        self._drawn = 0

    def update(self, state: ProgressState) -> None:
        """Draw the line, unless it was drawn a moment ago."""
        if state.elapsed_s < self._due:
            return
        self._due = state.elapsed_s + _LIVE_EVERY_S
        width = max(_width_of(self._stream) - 1, 0)
        text = progress_text(state, width=width, rate=self._rate.add(state))
        # What is left of a longer line is covered, but never beyond the edge, where the cover would wrap.
        self._write("\r" + text.ljust(min(self._drawn, width)))
        self._drawn = len(text)

    def close(self) -> None:
        """Take the line away."""
        if self._drawn:
            self._write("\r" + " " * min(self._drawn, max(_width_of(self._stream) - 1, 0)) + "\r")
            self._drawn = 0

    def _write(self, text: str) -> None:
        if not _written(self._stream, text):
            self._due = float("inf")


class PlainLines:
    """A line every now and then, for logs: without any control character. The last one says how it ended."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._due = _PLAIN_EVERY_S
        self._rate = RecentRate()
        self._last: ProgressState | None = None

    def update(self, state: ProgressState) -> None:
        """Remember the state, and write a line if the last one was a while ago."""
        self._last = state
        if state.elapsed_s >= self._due:
            self._due = state.elapsed_s + _PLAIN_EVERY_S
            self._show(state)

    def close(self) -> None:
        """Write where the run ended, unless that was just written."""
        if self._last is not None:
            self._show(self._last)

    def _show(self, state: ProgressState) -> None:
        self._last = None
        text = progress_text(state, width=_PLAIN_WIDTH, rate=self._rate.add(state))
        if not _written(self._stream, f"progress  {text}\n"):
            self._due = float("inf")


def _written(stream: TextIO, text: str) -> bool:
    """Write, and say whether it could be: a terminal that went away is no reason to stop a run."""
    try:
        stream.write(text)
        stream.flush()
    except (OSError, ValueError):
        return False
    return True


def _is_terminal(stream: TextIO | None) -> bool:
    try:
        return stream is not None and stream.isatty()
    except ValueError:  # a closed stream
        return False


def _width_of(stream: TextIO) -> int:
    """The terminal's width now, which may have changed; the usual one where it does not say."""
    try:
        return os.get_terminal_size(stream.fileno()).columns or _USUAL_WIDTH
    except (OSError, ValueError):
        return _USUAL_WIDTH
