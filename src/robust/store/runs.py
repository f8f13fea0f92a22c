"""Run directories: an unfinished run is visibly unfinished and can be continued; reading one believes nothing."""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Final, Self

from filelock import FileLock, Timeout

from robust.canon import JsonObject, canonical_bytes, canonical_text, parse_canonical
from robust.errors import IntegrityError, Problem, RobustError, UsageError
from robust.records.failure import cap_text
from robust.records.report import differences
from robust.store.files import atomic_output, read_file, sync_folder, unreadable, unwritable
from robust.store.validations import read_own_lines

REPORT: Final = "report.json"
RECORDS: Final = "records.jsonl"
CONTRACT: Final = "contract.json"
ATTESTATION: Final = "attestation.dsse.json"
FILES: Final = (REPORT, RECORDS, CONTRACT, ATTESTATION)
# What only an unfinished run has: what is running, and the answers that were paid for.
RUN: Final = "run.json"
WORKING: Final = "answers.sqlite"
LOCK: Final = ".lock"
_SCHEMA: Final = "robust.unfinished/1"
# What people say of the run, each in a file that is named after what it says.
_CLAIM_NAME: Final = re.compile(r"claim-[0-9a-f]{12}\.dsse\.json\Z")
_WORKING_NAME: Final = re.compile(re.escape(WORKING) + r"(\.damaged-[0-9]+|\.partial)?(-wal|-shm|-journal)?\Z")
# What a kill in the middle of an atomic write, or of a trial of the file system, can leave.
_LEFTOVER_NAME: Final = re.compile(
    rf"\.({'|'.join(re.escape(name) for name in (*FILES, RUN, WORKING))}|claim-[0-9a-f]{{12}}\.dsse\.json)(\.partial)?"
    r"\.[0-9a-f]{12}\.partial(-wal|-shm|-journal)?\Z"
)
MAX_REPORT_BYTES: Final = 256 * 1024 * 1024
MAX_RUN_BYTES: Final = 16 * 1024 * 1024
_MAX_DIFFERENCES: Final = 10
_MAX_SHOWN: Final = 200
# Of a folder that is no run, so many entries tell whether it holds some.
_MOST_LOOKED_AT: Final = 1000
_ANEW: Final = "use another folder, or --overwrite (overwrite=True) to start anew"


def runs_within(path: Path) -> str | None:
    """What to do with a folder that is no run, but holds some; None where it holds none, or cannot be read."""
    try:
        with os.scandir(path) as entries:
            names = sorted(entry.name for entry in islice(entries, _MOST_LOOKED_AT) if entry.is_dir())
        first = next((name for name in names if is_run_directory(path / name)), None)
    except (OSError, UsageError):
        return None
    return None if first is None else f"it holds run directories: give one of them, such as {path / first}"


def is_run_directory(path: Path) -> bool:
    """Whether a folder holds a run, finished or not.

    Raises:
        UsageError: it may not be entered.
    """
    try:
        if not path.is_dir():
            return False
        _refuse_closed(path)
        return any((path / name).exists() for name in (REPORT, RECORDS, CONTRACT, RUN))
    except OSError as error:
        raise unreadable(path, error) from None


def _refuse_closed(path: Path) -> None:
    """Raise OSError where a folder may not be entered; newer Pythons take what is in it for missing then."""
    with contextlib.suppress(FileNotFoundError):
        (path / REPORT).lstat()


class RunWriter:
    """Writes one run directory; ``report.json`` appears last, when everything else is on disk.

    A run that was stopped leaves ``run.json``, which says what was running, and perhaps a working file of answers. The
    same run is then continued: its records are written anew, from the answers that were kept. Once the report is on
    disk these files go. A kill between the two leaves a finished run with leftovers, which mean nothing to a reader
    and are removed when a writer comes to the folder next.

    Args:
        directory: made when it does not exist.
        overwrite: whether a run in it, finished or not, may be replaced.

    Raises:
        UsageError: it holds a finished run or other files, cannot be written, or another run writes to it.
    """

    def __init__(self, directory: str | os.PathLike[str], *, overwrite: bool = False) -> None:
        self.path = Path(directory)
        self._overwrite = overwrite
        self._records: BinaryIO | None = None
        self._continued = False
        self._prepare()

    @property
    def working_file(self) -> Path:
        """Where the answers of this run are kept until it is sealed; to be opened after ``start``."""
        return self.path / WORKING

    @property
    def continued(self) -> bool:
        """Whether an unfinished run is continued; to be asked after ``start``."""
        return self._continued

    def _prepare(self) -> None:
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            self._lock = FileLock(self.path / LOCK, timeout=0)
            self._lock.acquire()
        except Timeout:
            hint = "wait for it, or use another folder"
            raise UsageError.of("in_use", "another run writes to this folder", file=str(self.path), hint=hint) from None
        except OSError as error:
            raise unwritable(self.path, error) from None
        try:
            self._check()
        except OSError as error:
            self._let_go()
            raise unwritable(self.path, error) from None
        except BaseException:
            self._let_go()
            raise

    def _check(self) -> None:
        """Look at what is there; nothing is removed but what a finished run left behind."""
        known = {*FILES, RUN, LOCK}
        names = sorted(item.name for item in self.path.iterdir() if item.name not in known)
        own = (_WORKING_NAME, _LEFTOVER_NAME, _CLAIM_NAME)
        foreign = [name for name in names if not any(pattern.match(name) for pattern in own)]
        if foreign:
            message = f"the folder holds other files, such as {foreign[0]!r}"
            raise UsageError.of("not_a_run", message, file=str(self.path), hint="use a new folder")
        if os.path.lexists(self.path / REPORT):
            self._remove_working()
            if not self._overwrite:
                hint = "use another folder, or --overwrite (overwrite=True)"
                raise UsageError.of("exists", "a finished run is not written over", file=str(self.path), hint=hint)

    def start(self, contract: JsonObject, identity: JsonObject) -> None:
        """Write the contract and open the records; an unfinished run of the same identity is continued.

        Args:
            contract: the normalised contract.
            identity: what is running, as JSON: digests of contract and cases, seed, backend, mode.

        Raises:
            UsageError: ``other_run``: the folder holds an unfinished run of something else, and every difference is
                named; ``damaged_run``: what it holds cannot be told; or something cannot be written.
        """
        try:
            stored = None if self._overwrite else self._stored_run()
            if stored is None:
                self._clear()
                self._write_document(RUN, {"schema": _SCHEMA, "identity": identity})
            else:
                self._refuse_other(stored, identity)
                # What was signed or claimed was so of another run: this one is not finished.
                self._remove([RECORDS, ATTESTATION, *self._names(_CLAIM_NAME), *self._names(_LEFTOVER_NAME)])
                self._continued = True
            self._write_document(CONTRACT, contract)
        except OSError as error:
            raise unwritable(self.path, error) from None
        try:
            # Never over a link to another place: what was there was removed.
            self._records = (self.path / RECORDS).open("xb")
        except OSError as error:
            raise unwritable(self.path / RECORDS, error) from None

    def _stored_run(self) -> JsonObject | None:
        """What the unfinished run in the folder says that it is; None when there is none."""
        path = self.path / RUN
        if not os.path.lexists(path):
            return None
        try:
            run = parse_canonical(read_file(path, MAX_RUN_BYTES).removesuffix(b"\n"), file=str(path))
            if not isinstance(run, dict) or run.get("schema") != _SCHEMA or not isinstance(run.get("identity"), dict):
                raise UsageError.of("wrong_value", f"this is no {_SCHEMA}")
        except RobustError as error:
            message = f"the unfinished run cannot be continued: {error.problems[0].message}"
            raise UsageError.of("damaged_run", message, file=str(path), hint=_ANEW) from None
        identity: JsonObject = run["identity"]
        return identity

    def _refuse_other(self, stored: JsonObject, identity: JsonObject) -> None:
        file = str(self.path / RUN)
        problems = [
            Problem(
                code="other_run",
                message=f"the unfinished run here has {_shown(there)}, this one {_shown(here)}",
                file=file,
                path=path,
                hint=_ANEW,
            )
            for path, there, here in islice(differences(stored, identity, "$.identity"), _MAX_DIFFERENCES)
        ]
        if problems:
            raise UsageError(*problems)

    def _clear(self) -> None:
        """Remove every file of a run, so that a kill in between leaves the finished run, or one to start anew."""
        # What says that answers can be used goes before them, and a report before what it speaks of.
        self._remove([RUN, REPORT])
        sync_folder(self.path)
        self._remove_working()
        self._remove([*FILES, *self._names(_CLAIM_NAME)])

    def _remove_working(self) -> None:
        self._remove([*self._names(_WORKING_NAME), *self._names(_LEFTOVER_NAME), RUN])

    def _names(self, pattern: re.Pattern[str]) -> list[str]:
        return sorted(item.name for item in self.path.iterdir() if pattern.match(item.name))

    def _remove(self, names: Iterable[str]) -> None:
        for name in names:
            (self.path / name).unlink(missing_ok=True)

    def _write_document(self, name: str, document: JsonObject) -> None:
        with atomic_output(self.path / name, overwrite=True) as write:
            write(canonical_bytes(document) + b"\n")

    def write(self, lines: bytes) -> None:
        """Append the lines of records, each with its line feed.

        Raises:
            UsageError: they cannot be written (a full disk, for example); the run stays unfinished.
        """
        records = self._started()
        try:
            records.write(lines)
        except OSError as error:
            raise unwritable(self.path / RECORDS, error) from None

    def written(self) -> Iterator[tuple[int, bytes]]:
        """The lines of the records so far, read back from the folder, with their numbers from 1.

        Raises:
            UsageError: they cannot be written or read.
        """
        try:
            self._started().flush()
        except OSError as error:
            raise unwritable(self.path / RECORDS, error) from None
        return read_own_lines(self.path / RECORDS)

    def seal(self, report: JsonObject) -> None:
        """Put the records on disk, then the report, then remove what only an unfinished run needs.

        The working file must be closed before.

        Raises:
            UsageError: something cannot be written; the run stays unfinished.
        """
        records = self._started()
        try:
            records.flush()
            os.fsync(records.fileno())
            records.close()
        except OSError as error:
            raise unwritable(self.path / RECORDS, error) from None
        self._write_document(REPORT, report)
        sync_folder(self.path)
        self._records = None
        # The run is finished; what cannot be removed now goes when a writer comes next.
        with contextlib.suppress(OSError):
            self._remove_working()

    def _started(self) -> BinaryIO:
        if self._records is None:
            raise UsageError.of("not_started", "the run was not started, or is sealed", file=str(self.path))
        return self._records

    def close(self) -> None:
        """Let go of the folder."""
        if self._records is not None:
            with contextlib.suppress(OSError):
                self._records.close()
        self._let_go()

    def _let_go(self) -> None:
        with contextlib.suppress(OSError):
            (self.path / LOCK).unlink(missing_ok=True)
        self._lock.release()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _shown(value: object) -> str:
    """A value of an identity in a message; what one side does not have is no JSON."""
    try:
        return cap_text(canonical_text(value), _MAX_SHOWN)
    except RobustError:
        return repr(value)


class RunReader:
    """Reads the files of a run directory, each strictly.

    Raises:
        UsageError: the folder is missing, or may not be entered.
        IntegrityError: the run is unfinished, or a file is missing or is a link, so that it lies elsewhere.
    """

    def __init__(self, directory: str | os.PathLike[str]) -> None:
        self.path = Path(directory)
        try:
            self._check_files()
        except OSError as error:
            raise unreadable(self.path, error) from None

    def _check_files(self) -> None:
        if not self.path.is_dir():
            raise UsageError.of("unreadable", "no such folder", file=str(self.path))
        _refuse_closed(self.path)
        for name in (REPORT, RECORDS, CONTRACT):
            if (self.path / name).is_symlink():
                message, hint = "a link, where a file of the run is due", "put the file itself into the folder"
                raise IntegrityError.of("link", message, file=self.file(name), hint=hint)
            if not (self.path / name).is_file():
                if name == REPORT:
                    message, hint = "the run is unfinished: it has no report", "run the same command again"
                    raise IntegrityError.of("unfinished", message, file=str(self.path), hint=hint)
                raise IntegrityError.of("missing_file", f"the run has no {name}", file=str(self.path))

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
