"""Lines put aside in a temporary file, or in memory while they are few, to be read again as often as needed."""

from __future__ import annotations

import tempfile
import threading
from collections.abc import Iterator, Sequence
from typing import Final

from robust.store.files import not_put_aside

_IN_MEMORY: Final = 16 * 1024 * 1024
_BLOCK: Final = 256 * 1024


class LineSpool:
    """Lines without line feeds, kept in the order in which they came.

    Up to 16 MiB stay in memory; beyond that they go to a temporary file without a name, so that memory does not grow.
    """

    def __init__(self) -> None:
        self._file = tempfile.SpooledTemporaryFile(max_size=_IN_MEMORY, prefix="robust-")  # noqa: SIM115 - see close
        self._lock = threading.Lock()
        self._pending: list[bytes] = []
        self._pending_bytes = 0

    def append(self, line: bytes) -> None:
        """Keep one line; see :meth:`extend`."""
        self.extend((line,))

    def extend(self, lines: Sequence[bytes]) -> None:
        """Keep lines.

        Raises:
            UsageError: the folder for temporary files cannot be written, as on a full disk.
        """
        self._pending += lines
        self._pending_bytes += sum(map(len, lines))
        if self._pending_bytes >= _BLOCK:
            self._write()

    def _write(self) -> None:
        self._pending.append(b"")
        with self._lock:
            try:
                self._file.seek(0, 2)
                self._file.write(b"\n".join(self._pending))
                self._file.flush()
            except OSError as error:
                raise not_put_aside(error, "lines") from None
        self._pending, self._pending_bytes = [], 0

    def __iter__(self) -> Iterator[bytes]:
        """All lines from the first one on; several readers do not disturb each other."""
        if self._pending:
            self._write()
        place, rest = 0, b""
        while True:
            with self._lock:
                self._file.seek(place)
                block = self._file.read(_BLOCK)
            if not block:
                return
            place += len(block)
            lines = (rest + block).split(b"\n")
            rest = lines.pop()
            yield from lines

    def close(self) -> None:
        """Let go of the temporary file."""
        self._file.close()
