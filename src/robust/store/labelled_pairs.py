"""Files of labelled pairs, which an oracle is audited with."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any, Final

from robust.canon import JsonObject, describe, join_path
from robust.errors import CaseError, DataError, Problem
from robust.records.base import unknown_fields
from robust.records.case import Case
from robust.records.labelled_pair import LabelledPair
from robust.store.datasets import case_of_row
from robust.store.tables import Place, read_rows

_NEEDED: Final = ("base", "candidate", "truth")
_OPTIONAL: Final = ("relation", "domain", "edit", "id", "source_id")


def read_labelled_pairs(path: str | os.PathLike[str]) -> Iterator[LabelledPair]:
    """Stream labelled pairs; the form is told by the file's ending.

    A row is ``{"base", "candidate", "truth", "relation"?, "domain"?, "edit"?, "id"?, "source_id"?}``, one a line in
    ``.jsonl`` or in the list of a ``.json``, where base and candidate are a text, a data set row or a stored case. A
    ``.csv`` has these as columns, all of them text; an empty cell is no value. What is a text gets its id from ``id``,
    or from its place in the file, and its source group from ``source_id``, or its own id.

    Raises:
        UsageError: the file cannot be read.
        DataError: the file is of another form, or a row is wrong; names file, line and path.
    """
    file = os.fspath(path)
    for row in read_rows(path, needed=_NEEDED, optional=_OPTIONAL):
        try:
            yield _pair(row.values, row.place, row.path)
        except CaseError as error:
            line = row.place if isinstance(row.place, int) else None
            raise DataError(*error.located(file=file, line=line).problems) from None


def _pair(row: JsonObject, place: Place, path: str) -> LabelledPair:
    problems = unknown_fields(row, (*_NEEDED, *_OPTIONAL), path)
    problems += [
        Problem(code="missing_field", message="the field is missing", path=join_path(path, name))
        for name in _NEEDED
        if name not in row
    ]
    if problems:
        raise CaseError(*problems)
    identifier = row.get("id", f"pair-{place}" if isinstance(place, int) else f"pair-{place.strip('$[]')}")
    source = row.get("source_id")
    base = _case(row["base"], identifier, source, join_path(path, "base"))
    candidate = _case(row["candidate"], f"{base.case_id}~candidate", base.source_id, join_path(path, "candidate"))
    named = {name: row[name] for name in ("domain", "edit") if row.get(name) is not None}
    return LabelledPair(base=base, candidate=candidate, truth=row["truth"], relation=row.get("relation"), **named)


def _case(given: Any, identifier: Any, source: Any, path: str) -> Case:
    if isinstance(given, dict) and "case_id" in given:
        return Case.from_json(given, path=path)
    if isinstance(given, dict) and "input" in given:
        row: JsonObject = {"id": identifier, **given}
        if source is not None:
            row.setdefault("source_id", source)
        return case_of_row(row, path)
    if not isinstance(given, str):
        message = f"must be text, a row with an input, or a stored case, not {describe(given)}"
        raise CaseError.of("wrong_value", message, path=path)
    return Case(given, case_id=identifier, source_id=identifier if source is None else source)
