"""Tables of rewrites and synonyms: rows of ``from``, ``to`` and, where a row has one, ``relation``."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from robust.canon import join_path
from robust.errors import DataError, Problem
from robust.records.replacement import Replacement, replacement_problems
from robust.store.tables import Row, read_rows

_FIELDS: Final = ("from", "to", "relation")


def read_replacements(path: str | os.PathLike[str]) -> list[Replacement]:
    """The rows of a table of replacements, in their order.

    Raises:
        UsageError: the file cannot be read.
        DataError: a row is wrong, or there is none; every wrong row is named with its line, up to a hundred.
    """
    file = os.fspath(path)
    rows: list[Replacement] = []
    problems: list[Problem] = []
    for row in read_rows(path, needed=_FIELDS[:2], optional=_FIELDS[2:]):
        wrong = list(_problems(row, file))
        problems += wrong
        if len(problems) >= 100:
            break
        if not wrong:
            line = row.place if isinstance(row.place, int) else None
            rows.append(Replacement(row.values["from"], row.values.get("to", ""), row.values.get("relation"), line))
    if problems:
        raise DataError(*problems)
    if not rows:
        raise DataError.of("empty_table", "there are no rows", file=file, hint="write rows of from and to")
    return rows


def _problems(row: Row, file: str) -> Iterator[Problem]:
    line = row.place if isinstance(row.place, int) else None
    values = row.values
    for name in values:
        if name not in _FIELDS:
            message, path = "a row has from, to and relation, and nothing else", join_path(row.path, name)
            yield Problem(code="unknown_field", message=message, file=file, line=line, path=path)
    for problem in replacement_problems(values.get("from"), values.get("to", ""), values.get("relation")):
        yield replace(problem, file=file, line=line, path=join_path(row.path, problem.path or ""))
