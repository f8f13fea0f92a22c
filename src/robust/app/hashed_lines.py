"""What is in a file, and the digest of the whole file, from one reading."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

from robust.app.checks import Check, left_open
from robust.canon import Hasher, digest_bytes
from robust.errors import DataError, IntegrityError
from robust.store.files import read_file
from robust.store.validations import read_own_lines


class HashedLines:
    """Gives the lines of a file of ours once, and then its digest.

    Args:
        path: the file.
    """

    def __init__(self, path: Path) -> None:
        self._hasher = Hasher()
        self._whole = False
        self._numbered = self._read(path)

    def _read(self, path: Path) -> Iterator[tuple[int, bytes]]:
        try:
            yield from read_own_lines(path, self._hasher)
        except IntegrityError as error:
            self._whole = error.code == "cut_short"
            raise
        self._whole = True

    def numbered(self) -> Iterator[tuple[int, bytes]]:
        """The lines that are left, with their numbers from 1.

        Raises:
            UsageError: the file cannot be read.
            IntegrityError: the last line is cut short, or a line is too long.
        """
        return self._numbered

    def lines(self) -> Iterator[bytes]:
        """The lines that are left."""
        return (line for _, line in self._numbered)

    def digest(self) -> str | None:
        """The digest of the whole file, also where a line was refused; None behind one that was too long to read."""
        with contextlib.suppress(IntegrityError):
            for _ in self._numbered:
                pass
        return self._hasher.digest() if self._whole else None


class HashedDocument:
    """A document that has a known limit, read once.

    Args:
        path: the file.
        max_bytes: how large it may be.

    Raises:
        UsageError: it cannot be read.
    """

    def __init__(self, path: Path, max_bytes: int) -> None:
        self._content: bytes | DataError
        try:
            self._content = read_file(path, max_bytes)
        except DataError as error:
            self._content = error

    def content(self) -> bytes:
        """Its bytes.

        Raises:
            DataError: it is too large.
        """
        if isinstance(self._content, DataError):
            raise self._content
        return self._content

    def digest(self) -> str | None:
        """The digest of its bytes; None where it is too large."""
        return None if isinstance(self._content, DataError) else digest_bytes(self._content)


def digest_check(digest: str | None) -> Check:
    """What is said of the digest of a file."""
    if digest is None:
        return left_open("file digest", "not told, since it is too long to be read")
    return Check(name="file digest", holds=True, detail=digest)
