"""Files of validation records, one canonical line each, and the journal of a batch."""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Iterable, Iterator
from itertools import chain, count
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Self

from robust.canon import Hasher, canonical_bytes, parse_canonical
from robust.errors import DataError, IntegrityError, UsageError
from robust.records.validation import ValidationRecord, read_validation, read_validation_line
from robust.store.files import MAX_LINE_BYTES, read_blocks, unwritable, write_lines


def read_validations(path: str | os.PathLike[str]) -> Iterator[ValidationRecord]:
    """Stream the records of a validation file, each checked as :func:`read_validation_line` does.

    Raises:
        UsageError: the file cannot be read.
        IntegrityError: a record is damaged, contradicts itself, or is cut short.
    """
    file = os.fspath(path)
    for number, line in read_own_lines(path):
        yield read_validation_line(line, file=file, number=number)


def read_own_lines(path: str | os.PathLike[str], hasher: Hasher | None = None) -> Iterator[tuple[int, bytes]]:
    """Stream the lines of a file that this package wrote, with their numbers from 1.

    Args:
        path: the file.
        hasher: takes in every byte that is read.

    Raises:
        UsageError: the file cannot be read.
        IntegrityError: the last line is cut short, or a line is too long; after those before it.
    """
    # Numbered without a step of Python for each line: a run has hundreds of thousands.
    return zip(count(1), chain.from_iterable(read_own_blocks(path, hasher)))


def read_own_blocks(path: str | os.PathLike[str], hasher: Hasher | None = None) -> Iterator[list[bytes]]:
    """Stream the lines of a file that this package wrote, many at a time.

    Args:
        path: the file.
        hasher: takes in every byte that is read.

    Raises:
        UsageError: the file cannot be read.
        IntegrityError: the last line is cut short, or a line is too long; after those before it.
    """
    try:
        yield from read_blocks(path, hasher=hasher)
    except DataError as error:
        raise IntegrityError(*error.problems) from None


def write_validations(
    path: str | os.PathLike[str], records: Iterable[ValidationRecord], *, overwrite: bool = False
) -> None:
    """Write a validation file atomically.

    Raises:
        UsageError: it exists already, or cannot be written.
    """
    write_lines(path, (record.line() for record in records), overwrite=overwrite)


# How an entry begins; a torn last line that begins otherwise is no trace of a kill.
_ENTRY_STARTS = (b'{"event":"', b'{"key":"')


class FileJournal:
    """Finished validations of a batch, appended line by line, so that a killed batch continues where it stopped.

    A line is ``{"key", "record"}`` or ``{"event", "key"}``. A torn last line, the trace of a kill, is cut off with a
    notice; damage anywhere else is an error. One process at a time may use a journal.

    Args:
        path: the journal's file; made when it does not exist.

    Raises:
        UsageError: the file cannot be used, or another process uses it.
        IntegrityError: a line before the last one is damaged.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        from filelock import FileLock, Timeout  # only journals need it, and every loaded manifest would pay for it

        self.path = Path(path)
        self.notices: list[str] = []
        self._places: dict[str, tuple[int, int]] = {}
        self._size = 0
        self._append_lock = threading.Lock()
        self._lock = FileLock(self.path.with_name(f".{self.path.name}.lock"), timeout=0)
        try:
            self._lock.acquire()
        except Timeout:
            hint = "wait for it, or use another journal"
            raise UsageError.of("in_use", "another process uses the journal", file=str(path), hint=hint) from None
        except OSError as error:
            raise unwritable(self.path, error) from None
        try:
            self._handle: BinaryIO = self.path.open("a+b")
            self._load()
        except OSError as error:
            self._lock.release()
            raise unwritable(self.path, error) from None
        except BaseException:
            self._handle.close()
            self._lock.release()
            raise

    def _load(self) -> None:
        self._handle.seek(0)
        offset, number = 0, 0
        while line := self._handle.readline(MAX_LINE_BYTES + 1):
            number += 1
            if not line.endswith(b"\n"):
                if not any(start[: len(line)] == line[: len(start)] for start in _ENTRY_STARTS):
                    message = "it does not look like a journal, and is left as it is"
                    raise IntegrityError.of("unknown_line", message, file=str(self.path), line=number)
                self.notices.append(f"{self.path}:{number}: a torn last line of {len(line)} bytes was dropped")
                self._handle.truncate(offset)
                break
            data = parse_canonical(line[:-1], file=str(self.path), line=number)
            if not _is_entry(data):
                raise IntegrityError.of("unknown_line", "not a journal entry", file=str(self.path), line=number)
            if "record" in data:
                due = read_validation(data["record"], file=str(self.path), line=number).key
                if data["key"] != due:
                    message = f"{data['key']!r} is stored, {due!r} follows from the record"
                    file = str(self.path)
                    raise IntegrityError.of("contradiction", message, file=file, line=number, path="$.key")
                self._places[data["key"]] = (offset, len(line) - 1)
            offset += len(line)
        self._size = offset
        self._handle.seek(0, os.SEEK_END)

    def get(self, key: str) -> ValidationRecord | None:
        """The finished validation of a pair, if there is one."""
        place = self._places.get(key)
        if place is None:
            return None
        with self.path.open("rb") as handle:
            handle.seek(place[0])
            return read_validation(parse_canonical(handle.read(place[1]))["record"], file=str(self.path))

    def put(self, key: str, record: ValidationRecord) -> None:
        """Append a finished validation."""
        self._append(key, b'{"key":%s,"record":%s}' % (canonical_bytes(key), record.line()), kept=True)

    def note(self, key: str, event: str) -> None:
        """Append why a pair was not finished."""
        self._append(key, canonical_bytes({"event": event, "key": key}), kept=False)

    def _append(self, key: str, entry: bytes, *, kept: bool) -> None:
        line = entry + b"\n"
        with self._append_lock:
            # One write for the whole line: a kill in between can tear the last line only.
            try:
                self._handle.write(line)
                self._handle.flush()
            except OSError as error:
                raise unwritable(self.path, error) from None
            if kept:
                self._places[key] = (self._size, len(line) - 1)
            self._size += len(line)

    def close(self) -> None:
        """Put everything on disk and let go of the file."""
        try:
            if not self._handle.closed:
                self._handle.flush()
                os.fsync(self._handle.fileno())
        except OSError as error:
            raise unwritable(self.path, error) from None
        finally:
            with contextlib.suppress(OSError):
                self._handle.close()
            self._lock.release()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _is_entry(data: object) -> bool:
    if not isinstance(data, dict) or not isinstance(data.get("key"), str):
        return False
    return data.keys() == {"key", "record"} or (data.keys() == {"event", "key"} and isinstance(data["event"], str))
