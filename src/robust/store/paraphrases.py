"""Files of paraphrases in JSON Lines, checked row by row and put aside for look-ups."""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Iterator
from pathlib import Path, PurePath
from typing import Any, Final, NamedTuple

from robust.canon import (
    Hasher,
    JsonObject,
    canonical_bytes,
    decode_own,
    describe,
    hash_bytes,
    join_path,
    nfc,
    read_json,
)
from robust.errors import DataError, Problem, RobustError, UsageError
from robust.records.base import unknown_fields
from robust.records.case import id_problem
from robust.records.paraphrase import wordings_problem
from robust.store.files import MAX_LINE_BYTES, read_lines

_FIELDS: Final = ("id", "input", "paraphrases")
_SHOWN: Final = 60
_HINT: Final = 'write {"id": …, "paraphrases": […]} or {"input": …, "paraphrases": […]}'
# The key is a digest, so that it has one size however long an input is.
_SCHEMA: Final = "CREATE TABLE wordings (key BLOB NOT NULL UNIQUE, line INTEGER NOT NULL, texts BLOB NOT NULL)"
# Of the database only this much is in memory.
_CACHE_KIB: Final = 8 * 1024


class Wordings(NamedTuple):
    """A row that was found: its line, and its paraphrases in the order in which they stand there."""

    line: int
    texts: tuple[str, ...]


class ParaphraseFile:
    """The rows of a file of paraphrases: ``{"id", "paraphrases"}`` or ``{"input", "paraphrases"}``.

    All of them are read and checked at once, and put aside in a temporary database without a name: what is looked up is
    what was read, whatever becomes of the file, and memory does not grow with it. Any thread may look up.

    Args:
        path: the file.

    Attributes:
        name: the file's name, without its folders.
        sha256: the digest of its bytes.

    Raises:
        UsageError: it cannot be read, or nothing can be put aside.
        DataError: a row is wrong, an id or an input stands twice, or there is no row; names file and line.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        file = os.fspath(path)
        if _is_special(file):
            raise UsageError.of("unreadable", "is no regular file", file=file, hint="write the rows into a file")
        self.name = PurePath(file).name
        self._lock = threading.Lock()
        # An empty name is a database of this connection alone, on disk beyond what is kept in memory.
        self._database = sqlite3.connect("", isolation_level=None, check_same_thread=False)
        try:
            self.sha256 = self._read(file)
        except sqlite3.Error as error:
            problem = str(error)
        except BaseException:
            self.close()
            raise
        else:
            return
        self.close()
        hint = "free some space for temporary files, or set SQLITE_TMPDIR to another folder"
        message = f"its paraphrases cannot be put aside: {problem}"
        raise UsageError.of("unwritable", message, file=file, hint=hint)

    def find(self, case_id: str, text: str) -> Wordings | None:
        """The row of a case: that of its id, else that of its text, which must be the same to the character."""
        with self._lock:
            for key in (_id_key(case_id), _input_key(text)):
                row = self._database.execute("SELECT line, texts FROM wordings WHERE key = ?", (key,)).fetchone()
                if row is not None:
                    return Wordings(row[0], tuple(decode_own(row[1])))
        return None

    def close(self) -> None:
        """Let go of what was put aside."""
        self._database.close()

    def _read(self, file: str) -> str:
        """Put every row aside; the digest of the bytes that were read."""
        hasher = Hasher()
        for setting in (f"cache_size = -{_CACHE_KIB}", "journal_mode = OFF", "synchronous = OFF"):
            self._database.execute(f"PRAGMA {setting}")
        self._database.execute(_SCHEMA)
        self._database.execute("BEGIN")
        line = 0
        for line, row in _rows(file, hasher):
            by = "id" if "id" in row else "input"
            key = _id_key(row["id"]) if by == "id" else _input_key(row["input"])
            values = (key, line, canonical_bytes(row["paraphrases"]))
            # A failed statement without a journal could not be undone, so that this one does not fail.
            added = self._database.execute("INSERT OR IGNORE INTO wordings VALUES (?, ?, ?)", values).rowcount
            if not added:
                (first,) = self._database.execute("SELECT line FROM wordings WHERE key = ?", (key,)).fetchone()
                raise _duplicate(by, row[by], file, line, first)
        self._database.execute("COMMIT")
        if not line:
            raise DataError.of("no_paraphrases", "there are no rows", file=file, hint=_HINT)
        return hasher.digest()


def _is_special(file: str) -> bool:
    """Whether a path is something that would be read for ever, or only once."""
    try:
        path = Path(file)
        return path.exists() and not path.is_file() and not path.is_dir()
    except (OSError, ValueError):  # opening it will say what is wrong
        return False


def _id_key(case_id: str) -> bytes:
    # As everywhere, ids that are equal after normalisation are one.
    return hash_bytes(b"id\0" + nfc(case_id).encode("utf-8", "surrogatepass"))


def _input_key(text: str) -> bytes:
    return hash_bytes(b"input\0" + text.encode("utf-8", "surrogatepass"))


def _duplicate(by: str, value: str, file: str, line: int, first: int) -> DataError:
    shown = value if len(value) <= _SHOWN else value[: _SHOWN - 1] + "…"
    message = f"the {by} {shown!r} stands here and in line {first}"
    return DataError.of(f"duplicate_{by}", message, file=file, line=line, hint="put all paraphrases into one row")


def _rows(file: str, hasher: Hasher) -> Iterator[tuple[int, JsonObject]]:
    for line, text in read_lines(file, hasher=hasher):
        if not text.strip():
            continue
        row = read_json(text, file=file, line=line, max_bytes=MAX_LINE_BYTES)
        problems = _problems(row)
        if problems:
            raise DataError(*RobustError(*problems).located(file=file, line=line).problems)
        assert isinstance(row, dict)  # noqa: S101 - anything else is a problem
        yield line, row


def _problems(row: Any) -> list[Problem]:
    """Everything that is wrong with a row."""
    if not isinstance(row, dict):
        return [_wrong("$", f"a row must be an object, not {describe(row)}", _HINT)]
    problems = unknown_fields(row, _FIELDS, "$")
    if "id" in row and "input" in row:
        message = "a row is looked up by its id or by its input, not by both"
        problems.append(_wrong("$", message, "keep one of them"))
    elif "id" in row:
        problem = id_problem(row["id"], "$.id")
        problems += [] if problem is None else [problem]
    elif "input" not in row:
        message = "a row needs the id of a case, or its input"
        problems.append(Problem(code="missing_field", message=message, path="$", hint=_HINT))
    elif not isinstance(row["input"], str):
        message = f"must be the text itself, not {describe(row['input'])}"
        problems.append(_wrong("$.input", message, "name the case by its id"))
    if "paraphrases" not in row:
        missing = Problem(code="missing_field", message="the field is missing", path="$.paraphrases")
        return [*problems, missing]
    return problems + _problems_of_texts(row["paraphrases"])


def _problems_of_texts(texts: Any) -> list[Problem]:
    path = "$.paraphrases"
    if not isinstance(texts, list):
        return [_wrong(path, f"must be a list of texts, not {describe(texts)}")]
    wrong = wordings_problem(texts)
    return [] if wrong is None else [_wrong(join_path(path, wrong[0]), wrong[1])]


def _wrong(path: str, message: str, hint: str | None = None) -> Problem:
    return Problem(code="wrong_value", message=message, path=path, hint=hint)
