"""The one thread that writes an answer cache: what comes in while a group is committed becomes the next group."""

from __future__ import annotations

import contextlib
import sqlite3
import sys
import threading
from collections import deque
from concurrent.futures import Future
from dataclasses import dataclass
from decimal import Context, Decimal, InvalidOperation
from pathlib import Path
from typing import Final, Self

from robust.canon import MAX_SAFE_INTEGER, canonical_bytes, parse_canonical
from robust.errors import Problem, RobustError, UsageError
from robust.store.cache_file import put_entry, read_entry, sql_error

# Past it, who puts waits for the disk.
MAX_WAITING_BYTES: Final = 16 * 1024 * 1024
_MAX_GROUP: Final = 1000
_MAX_GROUP_BYTES: Final = 8 * 1024 * 1024
# The sum of any two numbers that a float can hold has fewer digits than this.
_EXACT: Final = Context(prec=1500)
_MAX_COST: Final = Decimal(sys.float_info.max)
_SPENT_KEY: Final = "spent"


@dataclass(frozen=True, kw_only=True, slots=True)
class Spent:
    """What was spent on real calls, and how many entries were found damaged.

    Costs are added as the decimals that they are written as: three times 0.1 is 0.3. Counts stop at what JSON holds.
    """

    calls: int = 0
    tokens: int = 0
    cost: Decimal = Decimal(0)
    damaged: int = 0

    def __add__(self, other: Spent) -> Spent:
        return Spent(
            calls=min(self.calls + other.calls, MAX_SAFE_INTEGER),
            tokens=min(self.tokens + other.tokens, MAX_SAFE_INTEGER),
            cost=min(_EXACT.add(self.cost, other.cost), _MAX_COST),
            damaged=min(self.damaged + other.damaged, MAX_SAFE_INTEGER),
        )

    def to_bytes(self) -> bytes:
        """The stored form."""
        counts = {"calls": self.calls, "tokens": self.tokens, "cost": str(self.cost), "damaged": self.damaged}
        return canonical_bytes(counts)

    @classmethod
    def from_bytes(cls, data: bytes) -> Self | None:
        """The counts of a stored form; None when it is none."""
        try:
            counts = parse_canonical(data)
            read = cls(**{**counts, "cost": Decimal(counts["cost"])})
        except (RobustError, InvalidOperation, TypeError, KeyError, ValueError):
            return None
        whole = all(type(number) is int and number >= 0 for number in (read.calls, read.tokens, read.damaged))
        return read if whole and read.cost.is_finite() and read.cost >= 0 else None


def read_spent(database: sqlite3.Connection) -> tuple[Spent | None, bool]:
    """What was spent by the file's word, and whether it has one; counts that are damaged are None.

    Raises:
        sqlite3.Error: the file cannot be read.
    """
    stored, found = read_entry(database, "spent", _SPENT_KEY)
    return (None if stored is None else Spent.from_bytes(stored)), found


def write_spent(database: sqlite3.Connection, spent: Spent) -> None:
    """Write what was spent.

    Raises:
        sqlite3.Error: it cannot be written.
    """
    put_entry(database, "spent", _SPENT_KEY, spent.to_bytes())


@dataclass(frozen=True, kw_only=True, slots=True)
class Change:
    """One thing to write: an answer, a damaged answer to set aside, or only what was spent."""

    key: str | None = None
    value: bytes | None = None
    spent: Spent | None = None

    @property
    def size(self) -> int:
        """About how many bytes it takes while it waits."""
        return 200 + len(self.key or "") + len(self.value or b"")


class GroupWriter:
    """Writes changes in their order, in groups, in a thread of its own.

    Whatever fails is raised by every later call, as a :class:`UsageError` that names the file.

    Args:
        database: for the writer alone; it is closed with it.
        path: the file, for messages.
        spent: what was spent before.
    """

    def __init__(self, database: sqlite3.Connection, path: Path, spent: Spent) -> None:
        self._database = database
        self._path = path
        self._spent = spent
        self._changed = threading.Condition()
        self._queue: deque[Change] = deque()
        self._waiting: dict[str, Change] = {}
        self._bytes = 0
        self._put, self._done = 0, 0
        self._promises: deque[tuple[int, Future[None]]] = deque()
        self._problems: tuple[Problem, ...] = ()
        self._closing = False
        # A daemon: a program that ends without closing must not hang.
        self._thread = threading.Thread(target=self._write, name="robust-cache", daemon=True)
        self._thread.start()

    def submit(self, change: Change) -> None:
        """Take a change on; waits only while too much is waiting already."""
        with self._changed:
            while self._bytes > MAX_WAITING_BYTES and not self._problems and not self._closing:
                self._changed.wait()
            self._check()
            self._queue.append(change)
            if change.key is not None:
                self._waiting[change.key] = change
            self._bytes += change.size
            self._put += 1
            self._changed.notify_all()

    def waiting(self, key: str) -> Change | None:
        """The last change under a key that is not yet in the file."""
        with self._changed:
            return self._waiting.get(key)

    def on_disk(self) -> Future[None]:
        """What is done when everything taken on so far is on disk, or carries the error; it cannot be cancelled."""
        promise: Future[None] = Future()
        promise.set_running_or_notify_cancel()
        with self._changed:
            if self._done < self._put and not self._problems:
                self._promises.append((self._put, promise))
                return promise
            problems = self._problems
        _keep_promise(promise, problems)
        return promise

    def close(self) -> None:
        """Write what waits, and end; a second time does nothing."""
        with self._changed:
            first, self._closing = not self._closing, True
            self._changed.notify_all()
        self._thread.join()
        if first:
            self._database.close()
            with self._changed:
                self._check(open_only=False)

    def _check(self, *, open_only: bool = True) -> None:
        if self._problems:
            raise UsageError(*self._problems)
        if open_only and self._closing:
            raise UsageError.of("closed", "the cache was closed", file=str(self._path))

    def _write(self) -> None:
        while True:
            with self._changed:
                while not self._queue and not self._closing:
                    self._changed.wait()
                group = self._next_group()
            if not group:
                return
            try:
                self._commit(group)
            except Exception as error:  # noqa: BLE001 - raised again where somebody sees it
                self._fail(error)
                return
            with self._changed:
                for change in group:
                    self._bytes -= change.size
                    if change.key is not None and self._waiting.get(change.key) is change:
                        del self._waiting[change.key]
                self._done += len(group)
                self._changed.notify_all()
                kept = self._due_promises()
            for promise in kept:
                _keep_promise(promise, ())

    def _due_promises(self) -> list[Future[None]]:
        due: list[Future[None]] = []
        while self._promises and (self._problems or self._promises[0][0] <= self._done):
            due.append(self._promises.popleft()[1])
        return due

    def _next_group(self) -> list[Change]:
        group: list[Change] = []
        size = 0
        while self._queue and len(group) < _MAX_GROUP and size < _MAX_GROUP_BYTES:
            group.append(self._queue.popleft())
            size += group[-1].size
        return group

    def _commit(self, group: list[Change]) -> None:
        """One transaction: an answer and what was paid for it are in the file together, or neither is."""
        database = self._database
        database.execute("BEGIN IMMEDIATE")
        try:
            added = Spent()
            for change in group:
                added += change.spent or Spent()
                if change.key is not None and change.value is not None:
                    put_entry(database, "answers", change.key, change.value)
                elif change.key is not None:
                    self._set_aside(change.key)
            if added != Spent():
                self._add(added)
            database.execute("COMMIT")
        except BaseException:
            with contextlib.suppress(sqlite3.Error):
                database.execute("ROLLBACK")
            raise

    def _set_aside(self, key: str) -> None:
        # Somebody else may have put a good answer in its place since it was read.
        if read_entry(self._database, "answers", key) == (None, True):
            self._database.execute("DELETE FROM answers WHERE key = ?", (key,))

    def _add(self, added: Spent) -> None:
        # Another process may have spent too; if the file's counts were damaged meanwhile, those seen last are taken.
        before, _ = read_spent(self._database)
        self._spent = (self._spent if before is None else before) + added
        write_spent(self._database, self._spent)

    def _fail(self, error: Exception) -> None:
        if isinstance(error, sqlite3.Error):
            problems = sql_error(self._path, error).problems
        else:
            message = f"the cache cannot be written: {type(error).__name__}: {error}"
            problems = UsageError.of("unwritable", message, file=str(self._path)).problems
        with self._changed:
            self._problems = problems
            self._changed.notify_all()
            broken = self._due_promises()
        for promise in broken:
            _keep_promise(promise, problems)


def _keep_promise(promise: Future[None], problems: tuple[Problem, ...]) -> None:
    # Never under the lock: what was hung on a promise runs here.
    if problems:
        promise.set_exception(UsageError(*problems))
    else:
        promise.set_result(None)
