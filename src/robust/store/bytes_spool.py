"""Bytes put aside in a temporary file, or in memory while they are few, to be read again as often as needed."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from typing import Final

from robust.store.files import not_put_aside

_IN_MEMORY: Final = 16 * 1024 * 1024


class BytesSpool:
    """Bytes in the order in which they came.

    Args:
        block_bytes: how many are read at once; the last block may be shorter.
    """

    def __init__(self, block_bytes: int = 1024 * 1024) -> None:
        self._block_bytes = block_bytes
        self._file = tempfile.SpooledTemporaryFile(max_size=_IN_MEMORY, prefix="robust-")  # noqa: SIM115 - see close

    def append(self, data: bytes) -> None:
        """Keep some bytes.

        Raises:
            UsageError: the folder for temporary files cannot be written, as on a full disk.
        """
        try:
            self._file.write(data)
        except OSError as error:
            raise not_put_aside(error, "ids") from None

    def __iter__(self) -> Iterator[bytes]:
        """All bytes, a block at a time; nothing may be added meanwhile, and only one reads at a time."""
        try:
            self._file.flush()
            self._file.seek(0)
        except OSError as error:
            raise not_put_aside(error, "ids") from None
        while block := self._file.read(self._block_bytes):
            yield block

    def close(self) -> None:
        """Let go of the temporary file."""
        self._file.close()
