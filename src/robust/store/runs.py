"""Run directories: written so that an unfinished run is visibly unfinished, and read without believing anything."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Final, Self

from filelock import FileLock, Timeout

from robust.canon import JsonObject, canonical_bytes, parse_canonical
from robust.errors import IntegrityError, UsageError
from robust.store.files import atomic_output, read_file, sync_folder, unwritable
from robust.store.validations import read_own_lines

REPORT: Final = "report.json"
RECORDS: Final = "records.jsonl"
CONTRACT: Final = "contract.json"
ATTESTATION: Final = "attestation.dsse.json"
FILES: Final = (REPORT, RECORDS, CONTRACT, ATTESTATION)
_LOCK: Final = ".lock"
MAX_REPORT_BYTES: Final = 256 * 1024 * 1024


def is_run_directory(path: Path) -> bool:
    """Whether a folder holds a run, finished or not."""
    return path.is_dir() and any((path / name).exists() for name in (REPORT, RECORDS, CONTRACT))


class RunWriter:
    """Writes one run directory; ``report.json`` appears last, when everything else is on disk.

    Args:
        directory: made when it does not exist. An unfinished run in it is started anew.
        overwrite: whether a finished run in it may be replaced.

    Raises:
        UsageError: it holds a finished run or other files, cannot be written, or another run writes to it.
    """

    def __init__(self, directory: str | os.PathLike[str], *, overwrite: bool = False) -> None:
        self.path = Path(directory)
        self._prepare(overwrite=overwrite)
        self._records: BinaryIO | None = None

    def _prepare(self, *, overwrite: bool) -> None:
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            self._lock = FileLock(self.path / _LOCK, timeout=0)
            self._lock.acquire()
        except Timeout:
            hint = "wait for it, or use another folder"
            raise UsageError.of("in_use", "another run writes to this folder", file=str(self.path), hint=hint) from None
        except OSError as error:
            raise unwritable(self.path, error) from None
        try:
            self._check_and_clear(overwrite=overwrite)
        except OSError as error:
            self._let_go()
            raise unwritable(self.path, error) from None
        except BaseException:
            self._let_go()
            raise

    def _check_and_clear(self, *, overwrite: bool) -> None:
        foreign = sorted(item.name for item in self.path.iterdir() if item.name not in (*FILES, _LOCK))
        foreign = [name for name in foreign if not name.endswith(".partial")]
        if foreign:
            message = f"the folder holds other files, such as {foreign[0]!r}"
            raise UsageError.of("not_a_run", message, file=str(self.path), hint="use a new folder")
        if (self.path / REPORT).exists() and not overwrite:
            hint = "use another folder, or --overwrite (overwrite=True)"
            raise UsageError.of("exists", "a finished run is not written over", file=str(self.path), hint=hint)
        # The report goes first: from here on the run is visibly unfinished.
        for name in FILES:
            (self.path / name).unlink(missing_ok=True)

    def start(self, contract: JsonObject) -> None:
        """Write the contract and open the records."""
        try:
            with atomic_output(self.path / CONTRACT, overwrite=True) as write:
                write(canonical_bytes(contract) + b"\n")
            self._records = (self.path / RECORDS).open("xb")
        except OSError as error:
            raise unwritable(self.path / RECORDS, error) from None

    def append(self, line: bytes) -> None:
        """Append a record's line.

        Raises:
            UsageError: it cannot be written (a full disk, for example); the run stays unfinished.
        """
        if self._records is None:
            raise UsageError.of("not_started", "the run was not started", file=str(self.path))
        try:
            self._records.write(line + b"\n")
        except OSError as error:
            raise unwritable(self.path / RECORDS, error) from None

    def seal(self, report: JsonObject) -> None:
        """Put the records on disk, then the report.

        Raises:
            UsageError: something cannot be written; the run stays unfinished.
        """
        try:
            if self._records is not None:
                self._records.flush()
                os.fsync(self._records.fileno())
                self._records.close()
        except OSError as error:
            raise unwritable(self.path / RECORDS, error) from None
        with atomic_output(self.path / REPORT, overwrite=True) as write:
            write(canonical_bytes(report) + b"\n")
        sync_folder(self.path)

    def close(self) -> None:
        """Let go of the folder."""
        if self._records is not None:
            with contextlib.suppress(OSError):
                self._records.close()
        self._let_go()

    def _let_go(self) -> None:
        with contextlib.suppress(OSError):
            (self.path / _LOCK).unlink(missing_ok=True)
        self._lock.release()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class RunReader:
    """Reads the files of a run directory, each strictly.

    Raises:
        UsageError: the folder is missing.
        IntegrityError: the run is unfinished, or a file is missing.
    """

    def __init__(self, directory: str | os.PathLike[str]) -> None:
        self.path = Path(directory)
        if not self.path.is_dir():
            raise UsageError.of("unreadable", "no such folder", file=str(self.path))
        for name in (REPORT, RECORDS, CONTRACT):
            if not (self.path / name).is_file():
                what = "the run is unfinished: it has no report" if name == REPORT else f"the run has no {name}"
                raise IntegrityError.of("unfinished" if name == REPORT else "missing_file", what, file=str(self.path))

    def report(self) -> JsonObject:
        """The report as stored."""
        return self._document(REPORT)

    def contract(self) -> JsonObject:
        """The normalised contract as stored."""
        return self._document(CONTRACT)

    def records(self) -> Iterator[tuple[int, bytes]]:
        """The lines of the records, with their numbers from 1."""
        return read_own_lines(self.path / RECORDS)

    def file(self, name: str) -> str:
        """The path of one of its files, for messages."""
        return os.fspath(self.path / name)

    def _document(self, name: str) -> JsonObject:
        file = self.file(name)
        data = read_file(self.path / name, MAX_REPORT_BYTES)
        if not data.endswith(b"\n"):
            raise IntegrityError.of("cut_short", "the file has no last line feed; it was cut short", file=file)
        document = parse_canonical(data[:-1], file=file)
        if not isinstance(document, dict):
            raise IntegrityError.of("wrong_value", "must be an object", file=file, path="$")
        return document
