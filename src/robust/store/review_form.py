"""The columns of a review sheet, and how rows are written in CSV for spreadsheets and in JSON Lines for other tools."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Final, Literal, TypeAlias

from robust.canon import JsonObject, canonical_bytes, fold
from robust.errors import DataError, Problem
from robust.records.review import SCHEMA, SEALED, ReviewRow
from robust.store.review_cells import write_answer
from robust.store.spreadsheet import encode_rows, guard, unguard

Form: TypeAlias = Literal["csv", "jsonl"]
# Stands in the header, so that a spreadsheet that saves in another encoding says in which.
MARK: Final = "éñ€"
SEAL_COLUMN: Final = f"{SCHEMA} {MARK}"
FILLED: Final = ("valid", "base_answer", "variant_answer", "reason", "reviewer", "reviewed_at")
HELP: Final = ("status", "issues", "oracle_reason")
# What a person reads and fills in stands first; the seal last, as spreadsheets leave out empty cells at a row's end.
COLUMNS: Final = (
    *("base_id", "candidate_id", "relation", "change", "base", "candidate"),
    *FILLED,
    *HELP,
    *("media", "source_id", "answers", "contract", "pair", SEAL_COLUMN),
)
# Words of ours, which no spreadsheet takes for anything else.
_KNOWN_WORDS: Final = frozenset(("valid", "relation", "status", "issues", "answers"))
_WORDS: Final = re.compile(r"[a-z_]*(?:, [a-z_]+)*\Z")
# What ties down a row that was not written here: its pair's own inputs.
OWN: Final = ("contract", "relation", "base", "candidate")


def encode_sheet(rows: Iterable[ReviewRow], form: Form, *, delimiter: str = ",") -> Iterator[bytes]:
    """The bytes of a review sheet, row by row.

    Args:
        rows: the rows.
        form: ``csv`` or ``jsonl``.
        delimiter: what parts the cells of CSV.
    """
    if form == "jsonl":
        return (canonical_bytes(_object_of(row)) + b"\n" for row in rows)
    return encode_rows(chain([COLUMNS], map(_cells_of, rows)), delimiter=delimiter)


def _object_of(row: ReviewRow) -> JsonObject:
    judged = dict.fromkeys(FILLED) if row.judgement is None else row.judgement.to_json()
    sealed = {name: getattr(row.pair, name) for name in SEALED}
    shown = {name: getattr(row.help, name) for name in HELP}
    return {"schema": SCHEMA, **sealed, **shown, **judged, "seal": row.pair.seal}


def _cells_of(row: ReviewRow) -> list[str]:
    data = _object_of(row)
    judgement = row.judgement
    filled = dict.fromkeys(FILLED, "")
    if judgement is not None:
        filled = {
            **{name: data[name] for name in ("valid", "reason", "reviewer", "reviewed_at")},
            "base_answer": write_answer(judgement.base_answer, row.pair.answers),
            "variant_answer": write_answer(judgement.variant_answer, row.pair.answers),
        }
    texts = {**data, **filled, SEAL_COLUMN: data["seal"]}
    # What was judged is guarded too: people's cells come from anywhere, and the sheet may be opened again.
    return [_plain_or_guarded(name, texts[name]) for name in COLUMNS]


def _plain_or_guarded(name: str, text: str) -> str:
    return text if name in _KNOWN_WORDS and _WORDS.match(text) else guard(text)


def named_columns(header: tuple[str, ...], file: str, line: int) -> list[str | None]:
    """The column of the sheet that each cell of a header names; None for columns that people added.

    Raises:
        DataError: one is missing, one stands twice, or the header shows that the file was read in another encoding.
    """
    known = {fold(name): name for name in COLUMNS}
    names: list[str | None] = []
    for cell in header:
        is_seal = fold(cell).startswith(SCHEMA)
        if is_seal and MARK not in cell:
            message = f"a spreadsheet read the file in another encoding: its last column is headed {cell!r}"
            hint = f"import the sheet again as UTF-8; the column is {SEAL_COLUMN!r} then"
            raise DataError.of("bad_encoding", message, file=file, line=line, hint=hint)
        names.append(SEAL_COLUMN if is_seal else known.get(fold(unguard(cell))))
    twice = sorted({name for name in names if name is not None and names.count(name) > 1})
    needed = (*SEALED, "valid") if SEAL_COLUMN in names else (*OWN, "valid")
    missing = [name for name in needed if name not in names]
    if not twice and not missing:
        return names
    problems = [
        Problem(code="csv_header", message=f"the column {name!r} stands twice", file=file, line=line, hint="keep one")
        for name in twice
    ]
    problems += [
        Problem(
            code="csv_header",
            message=f"the column {name!r} is missing",
            file=file,
            line=line,
            hint="start from the sheet that variants show --as csv writes, and keep its columns",
        )
        for name in missing
    ]
    raise DataError(*problems)
