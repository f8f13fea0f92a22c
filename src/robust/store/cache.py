"""Answers of models, kept by the digest of what was sent, with what was spent on them."""

from __future__ import annotations

import contextlib
import math
import os
import sqlite3
import threading
from concurrent.futures import Future
from decimal import Decimal
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from robust.canon import MAX_SAFE_INTEGER, JsonObject
from robust.errors import UsageError
from robust.store.cache_file import (
    DAMAGED_CODES,
    MAX_VALUE_BYTES,
    connect,
    open_cache,
    read_entry,
    replace_damaged,
    sql_error,
)
from robust.store.cache_writer import Change, GroupWriter, Spent, read_spent, write_spent
from robust.store.files import unwritable

# Past it, damaged entries are only counted.
MAX_NOTICES: Final = 20


class AnswerStore:
    """A file of answers (SQLite) that several threads and processes may use at the same time.

    Each answer is stored with a SHA-256 over its key and itself. One that does not fit is set aside: deleted, counted,
    noted, and reported as missing, so that it is asked again. Putting returns at once; one thread writes what was put
    in groups, each of them a transaction that is on disk when it ends. Getting sees what was put before it ends.

    A file that is damaged as a whole is an error, and is never written to; only the working file of a run, which is
    the run's own, is replaced: the damaged one is kept beside it as ``NAME.damaged-1`` and so on, every answer that can
    still be read is taken over, and a notice says so.

    Args:
        path: the file; made when it does not exist, with its folder.
        working: the file belongs to one unfinished run, and to nobody else; it is checked whole when it is opened.
        wait_s: how long to wait for other processes that hold the file, in seconds.

    Attributes:
        damaged: how many damaged answers were set aside; of a working file also before the run was continued.
        notices: what people should know: which file or answers were damaged.

    Raises:
        UsageError: ``damaged_cache``; ``not_a_cache``: another program's database; ``other_version``; ``in_use``: held
            past ``wait_s``; ``unwritable``: a folder, no permission, no space, a file system that cannot hold it.
    """

    def __init__(self, path: str | os.PathLike[str], *, working: bool = False, wait_s: float = 30.0) -> None:
        self.path = Path(path)
        self.damaged = 0
        self.notices: list[str] = []
        self._working = working
        self._reading = threading.Lock()
        self._counting = threading.RLock()
        if not working:
            self._make_folder()
        database = self._open(wait_s)
        try:
            self._spent = self._start_counting(database)
            self._reader = connect(self.path, wait_s)
        except sqlite3.Error as error:
            database.close()
            raise sql_error(self.path, error) from None
        self._writer = GroupWriter(database, self.path, self._spent)

    def _make_folder(self) -> None:
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise unwritable(self.path, error) from None
        except ValueError as error:  # a NUL in the path
            raise UsageError.of("bad_path", str(error), file=repr(str(self.path))) from None

    def _open(self, wait_s: float) -> sqlite3.Connection:
        if self._working:
            self.notices += [f"{self.path}: it was damaged before, and set aside as {name}" for name in self._earlier()]
        try:
            return open_cache(self.path, wait_s=wait_s, whole=self._working)
        except UsageError as error:
            if not self._working or error.code not in DAMAGED_CODES:
                raise
            reason = error.problems[0].message
        aside, kept = replace_damaged(self.path, wait_s)
        self.notices.append(f"{self.path}: {reason}; it was set aside as {aside.name}, {kept} answers were kept")
        return open_cache(self.path, wait_s=wait_s, whole=False)

    def _earlier(self) -> list[str]:
        """Files that were set aside before the run was continued."""
        start = f"{self.path.name}.damaged-"
        with contextlib.suppress(OSError):
            names = (item.name for item in self.path.parent.iterdir())
            return sorted(name for name in names if name.startswith(start) and name.removeprefix(start).isdecimal())
        return []

    def _start_counting(self, database: sqlite3.Connection) -> Spent:
        spent, found = read_spent(database)
        if spent is None and (found or self.notices):
            # What was paid for is not forgotten: each answer of a run's own file took a call, at the least.
            least = int(database.execute("SELECT count(*) FROM answers").fetchone()[0]) if self._working else 0
            spent = Spent(calls=least)
            write_spent(database, spent)
            self.notices.append(f"{self.path}: what was spent before cannot be read; it is counted as {least} calls")
        if spent is not None and self._working and spent.damaged:
            self.damaged = spent.damaged
            self.notices.append(f"{self.path}: {spent.damaged} damaged answers were set aside before")
        return spent or Spent()

    def spent(self) -> JsonObject:
        """What was spent, in this life of the file and before: ``calls``, ``tokens`` and ``cost``.

        What other processes spend is seen when the file is opened next.
        """
        spent = self._spent
        return {"calls": spent.calls, "tokens": spent.tokens, "cost": float(spent.cost)}

    def get(self, key: str) -> bytes | None:
        """The answer under a key; None when there is none, or a damaged one, which is set aside.

        Raises:
            UsageError: the file cannot be read.
        """
        waiting = self._writer.waiting(key)
        if waiting is not None:
            return waiting.value
        try:
            with self._reading:
                value, found = read_entry(self._reader, "answers", key)
        except sqlite3.Error as error:
            raise sql_error(self.path, error) from None
        return self._set_aside(key) if value is None and found else value

    def put(self, key: str, value: bytes, *, spent: tuple[int, int, float] | None = None) -> None:
        """Keep an answer, in the place of any other under its key.

        Args:
            key: the digest of everything that was sent, and the trial.
            value: the answer, at most 16 MiB.
            spent: what the answer cost: calls, tokens, money. It is in the file if, and only if, the answer is.

        Raises:
            UsageError: this, or something put before, cannot be written.
        """
        if len(value) > MAX_VALUE_BYTES:
            message = f"an answer of {len(value)} bytes is over the limit of {MAX_VALUE_BYTES}"
            raise UsageError.of("too_large", message, file=str(self.path), hint="lower max_response_bytes")
        key.encode()  # a lone surrogate is refused here, not in the writer
        self._submit(Change(key=key, value=bytes(value), spent=None if spent is None else _spent_of(*spent)))

    def add_spent(self, calls: int, tokens: int, cost: float) -> None:
        """Count what was spent on calls that gave no answer to keep.

        Raises:
            UsageError: a number is negative or not finite, or something put before cannot be written.
        """
        self._submit(Change(spent=_spent_of(calls, tokens, cost)))

    def flush(self) -> None:
        """Wait until everything that was put is on disk.

        Raises:
            UsageError: something that was put cannot be written.
        """
        self._writer.on_disk().result()

    def on_disk(self) -> Future[None]:
        """What is done when everything that was put so far is on disk, and carries the error when it cannot be.

        ``await asyncio.wrap_future(store.on_disk())`` waits for it without holding up the loop.
        """
        return self._writer.on_disk()

    def close(self) -> None:
        """Put everything on disk and let go of the file.

        Raises:
            UsageError: something that was put cannot be written.
        """
        try:
            self._writer.close()
        finally:
            with self._reading:
                self._reader.close()

    def _set_aside(self, key: str) -> bytes | None:
        """Count and remove a damaged answer, unless somebody has put another in its place meanwhile."""
        with self._counting:
            waiting = self._writer.waiting(key)
            if waiting is not None:
                return waiting.value
            # Only a run's own file keeps the count: it is the run that is told how many there were.
            self._submit(Change(key=key, spent=Spent(damaged=1) if self._working else None))
            self.damaged += 1
            if len(self.notices) < MAX_NOTICES:
                self.notices.append(f"{self.path}: the answer {key} is damaged and was set aside; it is asked again")
            elif len(self.notices) == MAX_NOTICES:
                self.notices.append(f"{self.path}: more answers are damaged; from here on they are only counted")
        return None

    def _submit(self, change: Change) -> None:
        with self._counting:
            self._writer.submit(change)
            if change.spent is not None:
                self._spent += change.spent

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            self.close()
        except UsageError as failure:
            # Who stops a run is told that what was paid for is kept, so it must not be lost in silence. An error that
            # ended the block is what its caller must see first.
            if not isinstance(error, Exception):
                raise
            error.add_note(str(failure))


def _spent_of(calls: int, tokens: int, cost: float) -> Spent:
    counts_hold = all(type(number) is int and 0 <= number <= MAX_SAFE_INTEGER for number in (calls, tokens))
    if not counts_hold or type(cost) not in (int, float) or not math.isfinite(cost) or cost < 0:
        message = f"calls, tokens and cost must be numbers from 0 on, not {calls!r}, {tokens!r}, {cost!r}"
        raise UsageError.of("bad_spent", message, path="spent")
    return Spent(calls=calls, tokens=tokens, cost=Decimal(repr(cost)))
