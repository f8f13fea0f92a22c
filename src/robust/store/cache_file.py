"""The database file of an answer cache: opening it beside others, saying what is wrong, replacing a damaged one."""

from __future__ import annotations

import contextlib
import os
import secrets
import sqlite3
import stat
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from robust.canon import digest_bytes
from robust.errors import UsageError
from robust.store.files import sync_folder, unwritable

# "robs": told from other people's databases by it.
APPLICATION_ID: Final = 0x726F6273
SCHEMA_VERSION: Final = 1
# An answer far larger than any that a backend may give is no answer; it is not even loaded.
MAX_VALUE_BYTES: Final = 16 * 1024 * 1024
# Both tables hold the same kind of entry, so that one function reads and checks both.
_SCHEMA: Final = (
    "CREATE TABLE answers (key TEXT NOT NULL PRIMARY KEY, value BLOB NOT NULL, digest TEXT NOT NULL)",
    "CREATE TABLE spent (key TEXT NOT NULL PRIMARY KEY, value BLOB NOT NULL, digest TEXT NOT NULL)",
)
_COMPANIONS: Final = ("-wal", "-shm", "-journal")
DAMAGED_CODES: Final = ("damaged_cache", "not_a_cache")
_BUSY: Final = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
# Length and type come from the head of a row, so a huge value is refused without being read.
_ENTRY: Final = (
    f"CASE WHEN typeof(value) = 'blob' AND length(value) <= {MAX_VALUE_BYTES} THEN value END, "
    "CASE WHEN typeof(digest) = 'text' AND length(digest) < 100 THEN digest END"
)


def entry_digest(key: str, value: bytes) -> str:
    """The SHA-256 over an entry's key, behind its length, and its value: an entry under another's key does not fit."""
    encoded = key.encode()
    return digest_bytes(len(encoded).to_bytes(8, "big") + encoded + value)


def read_entry(database: sqlite3.Connection, table: str, key: str) -> tuple[bytes | None, bool]:
    """An entry's value, and whether there is an entry at all; one that is damaged has no value.

    Raises:
        sqlite3.Error: the file cannot be read.
    """
    rows = database.execute(f"SELECT {_ENTRY} FROM {table} WHERE key = ?", (key,)).fetchall()  # noqa: S608
    if not rows:
        return None, False
    value, digest = rows[0]
    return (value if _fits(key, value, digest) else None), True


def _fits(key: str, value: object, digest: object) -> bool:
    # Texts are read as bytes: a damaged one need not be UTF-8.
    return isinstance(value, bytes) and digest == entry_digest(key, value).encode()


def open_cache(path: Path, *, wait_s: float, whole: bool) -> sqlite3.Connection:
    """Open the database of a cache for writing, and make it when there is none.

    Args:
        path: the file; its folder must exist.
        wait_s: how long to wait for other processes.
        whole: whether every page is looked at.

    Raises:
        UsageError: ``damaged_cache``, ``not_a_cache`` (another program's file), ``other_version``, ``in_use`` (locked
            past ``wait_s``), ``unwritable``.
    """
    _refuse_other_kinds(path)
    deadline = time.monotonic() + wait_s
    while True:
        # Processes that make one new file together can be told BUSY at once, whatever the time limit says.
        database: sqlite3.Connection | None = None
        try:
            database = connect(path, wait_s)
            _set_up(database, path, wait_s=wait_s, whole=whole)
        except sqlite3.Error as error:
            _close(database)
            if _primary(error) not in _BUSY or time.monotonic() > deadline:
                raise sql_error(path, error) from None
            time.sleep(0.01)
        except BaseException:
            _close(database)
            raise
        else:
            return database


def connect(path: Path, wait_s: float) -> sqlite3.Connection:
    """A connection that any thread may use, one at a time; transactions are begun by hand.

    Raises:
        sqlite3.Error: the file cannot be opened.
    """
    database = _bare_connection(path, wait_s)
    try:
        # What a file from elsewhere brings as its schema must run nothing.
        database.execute("PRAGMA trusted_schema = OFF")
        database.execute("PRAGMA cell_size_check = ON")
        # An answer that was paid for outlives a power failure, too; the writer commits in groups.
        database.execute("PRAGMA synchronous = FULL")
    except BaseException:
        database.close()
        raise
    return database


def _bare_connection(path: Path, wait_s: float) -> sqlite3.Connection:
    # An absolute path: a file named ":memory:" is a file.
    database = sqlite3.connect(path.absolute(), timeout=wait_s, isolation_level=None, check_same_thread=False)
    database.text_factory = bytes
    return database


def _refuse_other_kinds(path: Path) -> None:
    try:
        mode = path.stat().st_mode
    except FileNotFoundError:
        return
    except OSError as error:
        raise unwritable(path, error) from None
    except ValueError as error:  # a NUL in the path
        raise UsageError.of("bad_path", str(error), file=repr(str(path))) from None
    if not stat.S_ISREG(mode):
        what = "is a folder, not a file" if stat.S_ISDIR(mode) else "is not a regular file"
        raise UsageError.of("unwritable", what, file=str(path), hint="name a file of its own for the cache")


def _set_up(database: sqlite3.Connection, path: Path, *, wait_s: float, whole: bool) -> None:
    """Make the tables of a blank file, or check those of another; begin with a look at whether it can be written."""
    database.execute("BEGIN IMMEDIATE")
    try:
        application, version = (database.execute(f"PRAGMA {name}").fetchone()[0] for name in _HEAD)
        found = _schema(database)
        blank = not found and application == version == 0
        if blank:
            _make_tables(database)
            database.execute("COMMIT")
        else:
            _check_schema(path, application, version, found)
            # Only a statement that writes says that the file may not be written.
            database.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
            # Not COMMIT, which would wait for those who only read.
            database.execute("ROLLBACK")
    except BaseException:
        with contextlib.suppress(sqlite3.Error):
            database.execute("ROLLBACK")
        raise
    if database.execute("PRAGMA journal_mode").fetchone()[0] != b"wal" and _wal_works(path):
        _switch_to_wal(database, wait_s)
    # The index is compared with its table, too: a damaged index would stop the run in its middle.
    if whole and database.execute("PRAGMA integrity_check(1)").fetchone()[0] != b"ok":
        raise _damaged(path, "its pages contradict each other")


_HEAD: Final = ("application_id", "user_version")


def _make_tables(database: sqlite3.Connection) -> None:
    for statement in _SCHEMA:
        database.execute(statement)
    database.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    database.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")


def _schema(database: sqlite3.Connection) -> set[tuple[object, ...]]:
    # The statistics that ANALYZE leaves are nobody's harm.
    listed = "SELECT type, name, tbl_name, sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite_stat%'"
    return set(database.execute(listed).fetchall())


def _check_schema(path: Path, application: int, version: int, found: set[tuple[object, ...]]) -> None:
    if application != APPLICATION_ID:
        hint = "name a file of its own for the cache"
        raise UsageError.of("not_a_cache", "is a database, but no cache of answers", file=str(path), hint=hint)
    if version != SCHEMA_VERSION:
        message = f"is a cache of version {version}; this program reads version {SCHEMA_VERSION}"
        hint = "use another file or folder, or the program that made it"
        raise UsageError.of("other_version", message, file=str(path), hint=hint)
    with contextlib.closing(sqlite3.connect(":memory:")) as model:
        model.text_factory = bytes
        for statement in _SCHEMA:
            model.execute(statement)
        if found != _schema(model):
            raise _damaged(path, "its tables are not those of a cache")


def _wal_works(path: Path) -> bool:
    """Whether the file system can hold a write-ahead log (network file systems often cannot).

    It is tried in a file of its own: a database that was put into this mode in vain could not be opened any more.
    """
    scratch = path.with_name(f".{path.name[:100]}.{secrets.token_hex(6)}.partial")
    try:
        with contextlib.closing(sqlite3.connect(scratch.absolute(), isolation_level=None)) as trial:
            trial.execute("PRAGMA synchronous = OFF")
            mode = trial.execute("PRAGMA journal_mode = WAL").fetchone()[0]
            trial.execute("CREATE TABLE trial (number INTEGER)")
            return bool(mode == "wal")
    except sqlite3.Error:
        return False
    finally:
        for name in _with_companions(scratch):
            with contextlib.suppress(OSError):
                name.unlink(missing_ok=True)


def _switch_to_wal(database: sqlite3.Connection, wait_s: float) -> None:
    """Turn the write-ahead log on; while others stay busy in the old mode it is left, and works too."""
    patience = min(wait_s, 1.0)
    deadline = time.monotonic() + patience
    database.execute(f"PRAGMA busy_timeout = {int(patience * 1000)}")
    while True:
        try:
            database.execute("PRAGMA journal_mode = WAL")
        except sqlite3.Error as error:
            if _primary(error) not in _BUSY:
                raise
            if time.monotonic() < deadline:
                time.sleep(0.005)
                continue
        break
    database.execute(f"PRAGMA busy_timeout = {int(wait_s * 1000)}")


def _with_companions(path: Path) -> Iterator[Path]:
    yield path
    for ending in _COMPANIONS:
        yield path.with_name(path.name + ending)


def replace_damaged(path: Path, wait_s: float) -> tuple[Path, int]:
    """Set a damaged file aside and put a new one in its place, with every entry that can still be read and fits.

    Nobody else may use the file. A crash leaves the damaged file where it was, or set aside.

    Returns:
        The new name of the damaged file, and the number of answers kept.

    Raises:
        UsageError: the folder cannot be written.
    """
    fresh = path.with_name(f"{path.name}.partial")
    try:
        for leftover in _with_companions(fresh):
            leftover.unlink(missing_ok=True)
        with contextlib.closing(open_cache(fresh, wait_s=wait_s, whole=False)) as database:
            kept = _salvage(path, database, wait_s)
        number = 1
        while os.path.lexists(aside := path.with_name(f"{path.name}.damaged-{number}")):
            number += 1
        for old, new in zip(_with_companions(path), _with_companions(aside), strict=True):
            with contextlib.suppress(FileNotFoundError):
                old.rename(new)
        fresh.rename(path)
        sync_folder(path.parent)
    except sqlite3.Error as error:
        raise sql_error(fresh, error) from None
    except OSError as error:
        raise unwritable(path, error) from None
    return aside, kept


def _salvage(path: Path, target: sqlite3.Connection, wait_s: float) -> int:
    """Copy what fits from both ends of each table, as far as its pages can be followed."""
    target.execute("BEGIN IMMEDIATE")
    for table in ("answers", "spent"):
        for order in ("ASC", "DESC"):
            for raw, value, digest in _readable(path, table, order, wait_s):
                with contextlib.suppress(UnicodeDecodeError):
                    if isinstance(raw, bytes) and _fits(key := raw.decode(), value, digest):
                        put_entry(target, table, key, value)
    target.execute("COMMIT")
    return int(target.execute("SELECT count(*) FROM answers").fetchone()[0])


def _readable(path: Path, table: str, order: str, wait_s: float) -> Iterator[tuple[object, Any, object]]:
    # Whatever the damaged file raises ends this pass only.
    with contextlib.suppress(sqlite3.Error), contextlib.closing(_bare_connection(path, wait_s)) as damaged:
        # First of all: otherwise a file that is shorter than it says cannot be read at all.
        damaged.execute("PRAGMA writable_schema = ON")
        yield from damaged.execute(f"SELECT key, {_ENTRY} FROM {table} NOT INDEXED ORDER BY rowid {order}")  # noqa: S608


def put_entry(database: sqlite3.Connection, table: str, key: str, value: bytes) -> None:
    """Write one entry, in the place of any other under its key.

    Raises:
        sqlite3.Error: it cannot be written.
    """
    row = (key, value, entry_digest(key, value))
    database.execute(f"INSERT OR REPLACE INTO {table} VALUES (?, ?, ?)", row)  # noqa: S608


def sql_error(path: Path, error: sqlite3.Error) -> UsageError:
    """The error for what SQLite says about the file of a cache."""
    code, reason = _primary(error), str(error)
    if code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
        return _damaged(path, reason)
    if code in _BUSY:
        hint = "wait for it, or use another file"
        return UsageError.of("in_use", "another program holds the cache", file=str(path), hint=hint)
    if code == sqlite3.SQLITE_FULL:
        reason = "the disk is full"
    hint = "check folder, permissions and space, put it on a local disk, or use --no-cache"
    return UsageError.of("unwritable", f"the cache cannot be used: {reason}", file=str(path), hint=hint)


def _damaged(path: Path, reason: str) -> UsageError:
    hint = "move it away, or name another file; that of an unfinished run is replaced when the run is continued"
    return UsageError.of("damaged_cache", f"the cache is damaged or no cache: {reason}", file=str(path), hint=hint)


def _primary(error: sqlite3.Error) -> int | None:
    """The primary result code; None where the error does not come from SQLite itself."""
    code = getattr(error, "sqlite_errorcode", None)
    return None if code is None else code & 0xFF


def _close(database: sqlite3.Connection | None) -> None:
    if database is not None:
        with contextlib.suppress(sqlite3.Error):
            database.close()
