"""Files of production records: many lines at once, with the digest of what was read."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator
from itertools import islice
from pathlib import Path, PurePath
from typing import Any, Final, NamedTuple

from robust.canon import Hasher, digest_bytes, read_json
from robust.errors import DataError, UsageError
from robust.store.files import MAX_LINE_BYTES, open_input, read_file, read_line_blocks, read_lines
from robust.store.tables import MAX_JSON_BYTES, list_rows

# About so many bytes of records are in memory at once, as lines and as what was read of them.
_BLOCK_BYTES: Final = 96 * 1024
_ROWS_AT_ONCE: Final = 1024
_COMPRESSED: Final = ((b"\x1f\x8b", "gzip"), (b"\x28\xb5\x2f\xfd", "zstd"), (b"PK\x03\x04", "zip"), (b"BZh", "bzip2"))


class Block(NamedTuple):
    """Some records as they stand in a file: of JSON Lines the lines, of a JSON list the values that were read.

    Attributes:
        first: the number of the first one: its line from 1, or its place in the list from 0.
        lines: the lines; None of a list.
        rows: the values; None of lines.
    """

    first: int
    lines: list[bytes] | None
    rows: list[Any] | None


def _is_odd(path: Path) -> bool:
    """Whether something is there that is neither a file nor a folder."""
    try:
        return path.exists() and not (path.is_file() or path.is_dir())
    except OSError:  # whoever opens it says what is wrong
        return False


class ProductionFile:
    """A file of production records in JSON Lines or as one JSON list, told by its ending.

    Args:
        path: the file.

    Raises:
        UsageError: it is missing, no plain file, or may not be read.
        DataError: its ending is another, or it is compressed.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.file = os.fspath(path)
        self._path = Path(path)
        suffix = PurePath(path).suffix.lower()
        # It is read again where two records may have one id; and whoever opens a pipe waits.
        if _is_odd(self._path):
            message, hint = "no plain file", "write the records into one"
            raise UsageError.of("not_a_file", message, file=self.file, hint=hint)
        with open_input(path) as handle:
            start = handle.read(4)
        for magic, name in _COMPRESSED:
            if start.startswith(magic):
                message, hint = f"the file is compressed with {name}", "decompress it first"
                raise DataError.of("compressed", message, file=self.file, hint=hint)
        if suffix not in (".jsonl", ".json"):
            message = f"production records end in .jsonl or .json, not {suffix or 'nothing'!r}"
            raise DataError.of("unknown_format", message, file=self.file, hint="rename or convert it")
        self.listed = suffix == ".json"
        self._hasher = Hasher()
        self._bytes = 0
        self._digest: str | None = None

    @property
    def name(self) -> str:
        """The file's name without its folder."""
        return self._path.name

    @property
    def sha256(self) -> str:
        """The digest of what was read, once all of it was."""
        return self._digest or self._hasher.digest()

    @property
    def size(self) -> int:
        """How many bytes were read."""
        return self._bytes

    def blocks(self) -> Iterator[Block]:
        """The records in the order of the file.

        Raises:
            UsageError: the file cannot be read.
            DataError: a line is too long, or a list is none.
        """
        if self.listed:
            data = read_file(self._path, MAX_JSON_BYTES)
            self._digest, self._bytes = digest_bytes(data), len(data)
            rows = iter(list_rows(read_json(data, file=self.file, max_bytes=MAX_JSON_BYTES), self.file))
            del data
            first = 0
            while part := list(islice(rows, _ROWS_AT_ONCE)):
                yield Block(first, None, part)
                first += len(part)
            return
        with open_input(self._path) as handle:
            self._bytes = os.fstat(handle.fileno()).st_size
        for number, lines in read_line_blocks(self._path, block_bytes=_BLOCK_BYTES, hasher=self._hasher):
            yield Block(number, lines, None)

    def values_at(self, numbers: Collection[int]) -> dict[int, Any]:
        """Read some records again, by their numbers in :class:`Block`.

        Raises:
            UsageError: the file cannot be read.
            DataError: it is another one by now.
        """
        wanted, found = set(numbers), {}
        if self.listed:
            rows = list_rows(
                read_json(read_file(self._path, MAX_JSON_BYTES), file=self.file, max_bytes=MAX_JSON_BYTES), self.file
            )
            return {number: rows[number] for number in wanted if number < len(rows)}
        for number, line in read_lines(self._path):
            if number in wanted:
                found[number] = read_json(line, file=self.file, line=number, max_bytes=MAX_LINE_BYTES)
                if len(found) == len(wanted):
                    break
        return found
