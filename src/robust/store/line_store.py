"""Lines that can be read at any place: in memory while they are few, in a temporary file beyond that."""

from __future__ import annotations

import mmap
import tempfile
from array import array
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import BinaryIO, Final, overload

from robust.store.files import not_put_aside

IN_MEMORY: Final = 64 * 1024 * 1024
_BLOCK: Final = 1024 * 1024
# A line in memory is an object, and has its place in a list.
_OBJECT_BYTES: Final = 48


class LineStore(Sequence[bytes]):
    """Lines without line feeds, given one after the other and read at any place.

    What is in the temporary file has no name there, and goes when the last reader does.

    Args:
        in_memory: how many bytes may stay in memory.
    """

    def __init__(self, in_memory: int = IN_MEMORY) -> None:
        self._limit = in_memory
        # Those in memory: all of them, or the last ones until they are written.
        self._lines: list[bytes] = []
        self._bytes = 0
        self._file: BinaryIO | None = None
        self._ends = array("Q")
        self._map: mmap.mmap | None = None

    def append(self, line: bytes) -> None:
        """Keep one line; see :meth:`extend`."""
        self.extend((line,))

    def extend(self, lines: Sequence[bytes]) -> None:
        """Keep lines; none after one has been read.

        Raises:
            UsageError: the folder for temporary files cannot be written, as on a full disk.
        """
        self._lines += lines
        self._bytes += sum(map(len, lines)) + _OBJECT_BYTES * len(lines)
        if self._bytes >= self._limit:
            self._write()
            # Nothing is gained by many small writes, nor by holding much again.
            self._limit = _BLOCK

    def _write(self) -> None:
        end = self._ends[-1] if self._ends else 0
        try:
            if self._file is None:
                self._file = tempfile.TemporaryFile(prefix="robust-")  # noqa: SIM115 - closed once it is mapped
            self._file.writelines(self._lines)
            # A full disk is told here, and not where the lines are read.
            self._file.flush()
        except OSError as error:
            if self._file is not None:
                # Closing tries to write once more.
                with suppress(OSError):
                    self._file.close()
            raise not_put_aside(error, "lines") from None
        for line in self._lines:
            end += len(line)
            self._ends.append(end)
        self._lines, self._bytes = [], 0

    def _settle(self) -> None:
        """Turn from writing to reading."""
        if self._file is not None:
            self._write()
            with self._file as file:
                self._map = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) if self._ends[-1] else None
            self._file = None

    def __len__(self) -> int:
        return len(self._ends) + len(self._lines)

    @overload
    def __getitem__(self, index: int) -> bytes: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[bytes]: ...
    def __getitem__(self, index: int | slice) -> bytes | Sequence[bytes]:
        self._settle()
        if isinstance(index, slice):
            return self._lines[index] if not self._ends else _Part(self, range(len(self))[index])
        if not self._ends:
            return self._lines[index]
        place = range(len(self))[index]
        start = self._ends[place - 1] if place else 0
        return b"" if self._map is None else self._map[start : self._ends[place]]


class _Part(Sequence[bytes]):
    """Some of the lines of a store."""

    def __init__(self, store: LineStore, places: range) -> None:
        self._store = store
        self._places = places

    def __len__(self) -> int:
        return len(self._places)

    @overload
    def __getitem__(self, index: int) -> bytes: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[bytes]: ...
    def __getitem__(self, index: int | slice) -> bytes | Sequence[bytes]:
        if isinstance(index, slice):
            return _Part(self._store, self._places[index])
        return self._store[self._places[index]]

    def __iter__(self) -> Iterator[bytes]:
        return (self._store[place] for place in self._places)

    def __reduce__(self) -> tuple[type[list[bytes]], tuple[list[bytes]]]:
        # Another process cannot read this one's temporary file.
        return list, (list(self),)
