"""Lines put aside and read back in order, in memory that does not grow with their number."""

from __future__ import annotations

import tempfile
from bisect import bisect_right
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from typing import BinaryIO, Final

from robust.store.files import not_put_aside

BUFFER_BYTES: Final = 64 * 1024 * 1024
# A line in memory is an object, and has its place in a list.
_OBJECT_BYTES: Final = 48
_BLOCK: Final = 256 * 1024
_CHUNK: Final = 1024


class SortedSpool:
    """Lines without line feeds, given in any order and read back ordered by their bytes.

    Sorted runs go to temporary files without a name, and are merged when they are read.

    Args:
        buffer_bytes: how much is sorted in memory at once.
    """

    def __init__(self, buffer_bytes: int = BUFFER_BYTES) -> None:
        self._limit = buffer_bytes
        self._pending: list[bytes] = []
        self._bytes = 0
        self._runs: list[BinaryIO] = []
        self._open = ExitStack()

    def append(self, line: bytes) -> None:
        """Keep one line.

        Raises:
            UsageError: the folder for temporary files cannot be written, as on a full disk.
        """
        self._pending.append(line)
        self._bytes += len(line) + _OBJECT_BYTES
        if self._bytes >= self._limit:
            self._write_run()

    def _write_run(self) -> None:
        self._pending.sort()
        try:
            run = tempfile.TemporaryFile(prefix="robust-")  # noqa: SIM115 - see close
            self._open.enter_context(run)
            for lines in _chunks(self._pending):
                run.write(b"\n".join([*lines, b""]))
            run.flush()
        except OSError as error:
            raise not_put_aside(error, "lines") from None
        self._runs.append(run)
        self._pending, self._bytes = [], 0

    def __iter__(self) -> Iterator[bytes]:
        """All lines in the order of their bytes; nothing may be added meanwhile."""
        self._pending.sort()
        return _merged([*map(_blocks_of, self._runs), _chunks(self._pending)])

    def close(self) -> None:
        """Let go of the temporary files."""
        # What could not be written before cannot be written now, and is not needed any more.
        with suppress(OSError):
            self._open.close()


def _chunks(lines: list[bytes]) -> Iterator[list[bytes]]:
    return (lines[start : start + _CHUNK] for start in range(0, len(lines), _CHUNK))


def _blocks_of(run: BinaryIO) -> Iterator[list[bytes]]:
    """The lines of a run, some at a time; several readers do not disturb each other."""
    place, rest = 0, b""
    while True:
        run.seek(place)
        block = run.read(_BLOCK)
        if not block:
            return
        place += len(block)
        lines = (rest + block).split(b"\n")
        rest = lines.pop()
        if lines:
            yield lines


def _merged(sources: list[Iterator[list[bytes]]]) -> Iterator[bytes]:
    """Merge ordered sources.

    Whatever has not been read of a source comes behind what was read of it. So all lines up to the least of the last
    ones can be sorted together, which costs little, since they are ordered runs already.
    """
    buffers: list[list[bytes]] = [[] for _ in sources]
    while True:
        for place, source in enumerate(sources):
            if not buffers[place]:
                buffers[place] = next(source, [])
        filled = [buffer for buffer in buffers if buffer]
        if not filled:
            return
        bound = min(buffer[-1] for buffer in filled)
        block: list[bytes] = []
        for place, buffer in enumerate(buffers):
            end = bisect_right(buffer, bound)
            block += buffer[:end]
            buffers[place] = buffer[end:]
        block.sort()
        yield from block
