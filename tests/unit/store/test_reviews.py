"""Review sheets that come back: what is read, what is refused, and how the row is named."""

from __future__ import annotations

import csv
import io
import json
import os
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from robust import Case, DataError, UsageError, Validation
from robust.records.review import ReviewCounts, ReviewRow, pair_digest
from robust.render.review import review_row, sheet_notices
from robust.store.review_form import COLUMNS, SEAL_COLUMN, encode_sheet
from robust.store.reviews import read_sheet, sheet_form
from tests.builders import CONTRACT, judged, saying, verdict

NOW = datetime(2026, 3, 31, tzinfo=UTC)
Cells = dict[str, str]
FILLED = {"valid": "yes", "base_answer": "6", "variant_answer": "7", "reason": "added", "reviewer": "Anna"}


def records(count: int = 3) -> list[Validation]:
    """Validations whose oracle could not decide."""

    def one(number: int) -> Validation:
        base = Case(f"Wie viel ist {number} plus 4? – größer!", case_id=f"b{number}", source_id=f"s{number}")
        candidate = Case(f"Wie viel ist {number} plus 5? – größer!", case_id=f"v{number}", source_id=f"s{number}")
        return judged(saying(verdict(None, None, None, reason="nobody knows")), (base, candidate))

    return [one(number) for number in range(count)]


def cells(rows: list[ReviewRow] | None = None) -> list[Cells]:
    """The rows of a sheet by column, as a spreadsheet shows them."""
    data = b"".join(encode_sheet(rows or [review_row(record) for record in records()], "csv"))
    header, *lines = csv.reader(io.StringIO(data.decode("utf-8-sig"), newline=""))
    return [dict(zip(header, line, strict=True)) for line in lines]


def save(folder: Path, rows: list[Cells], *, encoding: str = "utf-8-sig", delimiter: str = ",") -> Path:
    """The same rows as a spreadsheet saves them."""
    out = io.StringIO(newline="")
    writer = csv.writer(out, delimiter=delimiter)
    writer.writerow(rows[0])
    writer.writerows(row.values() for row in rows)
    path = folder / "judged.csv"
    path.write_bytes(out.getvalue().encode(encoding, "replace"))
    return path


def filled(**changes: str) -> list[Cells]:
    """A sheet whose first row is filled in."""
    rows = cells()
    rows[0] |= {**FILLED, "reviewed_at": "2026-03-30", **changes}
    return rows


def read(path: Path) -> ReviewCounts:
    """What a sheet counts that was read to its end."""
    rows = read_sheet(path, now=NOW)
    while True:
        try:
            next(rows)
        except StopIteration as end:
            counts: ReviewCounts = end.value
            return counts


def test_a_sheet_has_its_columns_in_an_order_in_which_people_read() -> None:
    """What is read and filled in stands first, the seal last, and what people fill in is empty."""
    row = cells()[0]
    assert tuple(row) == COLUMNS
    assert row["base"] == "Wie viel ist 0 plus 4? – größer!"
    assert row["change"].endswith("plus [-4-]{+5+}? – größer!")
    assert [row[name] for name in (*FILLED, "reviewed_at")] == [""] * 6
    assert (row["status"], row["issues"], row["oracle_reason"]) == ("unknown", "unreviewed", "nobody knows")


def test_rows_that_nobody_filled_in_are_counted_and_names_alone_judge_nothing(tmp_path: Path) -> None:
    """People fill a name and a date down the whole column before they begin."""
    rows = filled()
    for row in rows:
        row |= {"reviewer": "Anna", "reviewed_at": "2026-03-30"}
    counts = read(save(tmp_path, rows))
    assert counts == ReviewCounts(judged=1, unjudged=2, without_reason=0)
    assert sheet_notices("judged.csv", counts) == ["judged.csv: 1 row is judged, 2 not yet"]


def test_judgements_without_a_reason_are_counted(tmp_path: Path) -> None:
    """As they stay unknown."""
    rows = [row | {**FILLED, "reason": " ", "reviewed_at": "2026-03-30"} for row in cells()]
    counts = read(save(tmp_path, rows))
    assert counts == ReviewCounts(judged=3, unjudged=0, without_reason=3)
    assert sheet_notices("f", counts)[1] == "f: 3 judgements give no reason, which leaves them unknown"


@pytest.mark.parametrize(
    ("encoding", "delimiter"),
    [("utf-8", ","), ("utf-8-sig", ";"), ("cp1252", ";"), ("mac-roman", ";"), ("utf-16", "\t")],
)
def test_a_sheet_may_be_sorted_shortened_and_saved_by_any_spreadsheet(
    tmp_path: Path, encoding: str, delimiter: str
) -> None:
    """In the encodings of Excel and LibreOffice, with what people typed beyond ASCII."""
    rows = filled(reviewer="Zoë", variant_answer="sieben €")[::-1][1:]
    (judgement,) = [
        row.judgement
        for row in read_sheet(save(tmp_path, rows, encoding=encoding, delimiter=delimiter))
        if row.judgement
    ]
    assert (judgement.reviewer, judgement.variant_answer, judgement.valid) == ("Zoë", "sieben €", True)


def test_columns_that_people_add_are_left_alone_and_named(tmp_path: Path) -> None:
    """And the columns may stand in any order."""
    rows = [{"my notes": "hm", **dict(reversed(row.items()))} for row in filled()]
    counts = read(save(tmp_path, rows))
    assert counts.ignored == ("my notes",)
    assert "'my notes'" in sheet_notices("judged.csv", counts)[-1]


def test_empty_cells_at_the_end_of_a_row_may_be_missing(tmp_path: Path) -> None:
    """Excel leaves them out in some rows."""
    rows = [{**row, "notes": ""} for row in filled()]
    path = save(tmp_path, rows)
    path.write_bytes(path.read_bytes().replace(b",\r\n", b"\r\n"))
    assert read(path).judged == 1


Edit = Callable[[Cells], Any]


@pytest.mark.parametrize(
    ("edit", "code", "path"),
    [
        (lambda row: row.update(base="'Wie viel ist 0 plus 44? – größer!"), "row_changed", "candidate 'v0'"),
        (lambda row: row.update(candidate=row["base"]), "row_changed", "candidate 'v0'"),
        (lambda row: row.update(relation="invariant"), "row_changed", "candidate 'v0'"),
        (lambda row: row.update(contract="other/v1"), "row_changed", "candidate 'v0'"),
        (lambda row: row.update(answers="number"), "row_changed", "candidate 'v0'"),
        (lambda row: row.update(change="nothing"), "row_changed", "candidate 'v0'"),
        (lambda row: row.update(pair="sha256:" + "0" * 64), "row_changed", "candidate 'v0'"),
        (lambda row: row.update({SEAL_COLUMN: ""}), "row_changed", "candidate 'v0'"),
        (lambda row: row.update(valid="perhaps"), "bad_valid", "valid"),
        (lambda row: row.update(valid="=A1"), "formula", "valid"),
        (lambda row: row.update(variant_answer="#REF!"), "error_value", "variant_answer"),
        (lambda row: row.update(valid=""), "no_valid", "valid"),
        (lambda row: row.update(reviewer=""), "no_reviewer", "reviewer"),
        (lambda row: row.update(reviewed_at=""), "no_time", "reviewed_at"),
        (lambda row: row.update(reviewed_at="4/3/2026"), "bad_time", "reviewed_at"),
        (lambda row: row.update(reviewed_at="2026-05-01"), "bad_time", "reviewed_at"),
        (lambda row: row.update(base_answer="json:{"), "bad_answer", "base_answer"),
    ],
)
def test_a_row_that_is_wrong_is_refused_with_its_line_and_column(
    tmp_path: Path, edit: Edit, code: str, path: str
) -> None:
    """An edited text above all: nobody knows what was judged then."""
    rows = filled()
    edit(rows[0])
    with pytest.raises(DataError) as refused:
        read(save(tmp_path, rows))
    (problem,) = refused.value.problems
    assert (problem.code, problem.line, problem.path) == (code, 2, path)
    assert problem.hint


def test_everything_that_is_wrong_is_said_at_once(tmp_path: Path) -> None:
    """Over all rows, and all cells of a row."""
    rows = filled(reviewer="", reviewed_at="soon")
    rows[2] |= {"valid": "ja"}
    with pytest.raises(DataError) as refused:
        read(save(tmp_path, rows))
    assert [(problem.line, problem.path) for problem in refused.value.problems] == [
        *((2, "reviewer"), (2, "reviewed_at")),
        *((4, "valid"), (4, "reviewer"), (4, "reviewed_at")),
    ]


def test_a_sheet_whose_letters_a_spreadsheet_lost_says_how_to_save_it(tmp_path: Path) -> None:
    """Where the encoding lacks a letter, a question mark stands in its place."""
    rows = filled()
    rows[0]["base"] = rows[0]["base"].replace("ö", "?")
    with pytest.raises(DataError, match="CSV UTF-8"):
        read(save(tmp_path, rows))


def test_a_sheet_that_was_opened_in_another_encoding_says_so(tmp_path: Path) -> None:
    """Its header shows it, whatever else it holds."""
    rows = [{key.encode().decode("latin-1"): cell for key, cell in row.items()} for row in filled()]
    with pytest.raises(DataError, match="import the sheet again as UTF-8"):
        read(save(tmp_path, rows))


@pytest.mark.parametrize("column", ["base", "pair", "valid", "answers"])
def test_a_column_that_is_missing_is_named(tmp_path: Path, column: str) -> None:
    """With where to start from."""
    rows = [{key: cell for key, cell in row.items() if key != column} for row in filled()]
    with pytest.raises(DataError, match=f"'{column}' is missing"):
        read(save(tmp_path, rows))


def test_a_column_that_stands_twice_is_named(tmp_path: Path) -> None:
    """Nobody knows which of the two holds."""
    rows = [{**row, "Valid ": "no"} for row in filled()]
    with pytest.raises(DataError, match="'valid' stands twice"):
        read(save(tmp_path, rows))


def test_sheets_may_be_put_one_below_the_other(tmp_path: Path) -> None:
    """Each with its header."""
    one = save(tmp_path, filled()).read_bytes()
    both = tmp_path / "both.csv"
    both.write_bytes(one + one)
    sheet = read(both)
    assert (sheet.judged, sheet.unjudged) == (2, 4)


def test_apostrophes_may_be_taken_off_by_the_spreadsheet(tmp_path: Path) -> None:
    """As Google Sheets does, also where a text begins with one of its own."""
    base, candidate = Case("'tis 5", case_id="b-1", source_id="s"), Case("'tis  5", case_id="v-1", source_id="s")
    rows = cells([review_row(judged(saying(verdict(None, None, None)), (base, candidate)))])
    assert rows[0]["base"] == "''tis 5"
    taken = [{name: cell.removeprefix("'") for name, cell in row.items()} for row in rows]
    (row,) = read_sheet(save(tmp_path, taken), now=NOW)
    assert (row.pair.base, row.pair.base_id) == ("'tis 5", "b-1")


def test_what_is_neither_records_nor_a_sheet_is_refused_as_a_whole(tmp_path: Path) -> None:
    """Instead of a message for each of its lines."""
    path = tmp_path / "candidates.jsonl"
    path.write_text('{"id": "a", "input": "b"}\n', encoding="utf-8")
    with pytest.raises(DataError, match="neither validation records nor rows"):
        read(path)


def test_cells_beyond_the_header_are_refused(tmp_path: Path) -> None:
    """A text was not quoted there."""
    path = save(tmp_path, filled())
    path.write_bytes(path.read_bytes().rstrip(b"\r\n") + b",more\r\n")
    with pytest.raises(DataError, match="the row has 22 cells, the header 21"):
        read(path)


def _line(**fields: Any) -> str:
    known = {"contract": CONTRACT, "relation": "invariant", "base": "one", "candidate": "two", "valid": True}
    row = {**known, "reviewer": "Anna", "reviewed_at": "2026-03-30", "reason": "read", **fields}
    return json.dumps({name: value for name, value in row.items() if value is not ...})


def test_other_tools_bring_judgements_of_their_own_tied_down_by_their_inputs(tmp_path: Path) -> None:
    """In JSON Lines, with answers as they are, and in CSV."""
    lines = tmp_path / "judged.jsonl"
    lines.write_text(_line(base={"text": "one"}, base_answer=[1], variant_answer="1") + "\n", encoding="utf-8")
    (row,) = read_sheet(lines, now=NOW)
    base, candidate = Case({"text": "one"}, case_id="b", source_id="s"), Case("two", case_id="c", source_id="s")
    table = tmp_path / "judged.csv"
    table.write_text(
        "contract,relation,base,candidate,valid,reason,reviewer,reviewed_at\n"
        f"{CONTRACT},invariant,one,two,no,read,Anna,2026-03-30\n",
        encoding="utf-8",
    )
    (other,) = read_sheet(table, now=NOW)
    assert row.pair.pair == pair_digest(CONTRACT, "invariant", base.content_digest, candidate.content_digest)
    assert other.pair.pair != row.pair.pair
    assert row.judgement is not None
    assert other.judgement is not None
    assert (row.judgement.base_answer, row.judgement.variant_answer, other.judgement.valid) == ([1], "1", False)


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"base": 3}, "base: must be text or an object"),
        ({"candidate": ...}, "candidate: must be text or an object"),
        ({"contract": "sum"}, "contract: 'sum' is not the name of an oracle contract"),
        ({"relation": "same"}, "relation: 'same' is not a relation"),
        ({"relation": None}, "relation: no text stands in relation"),
        ({"reason": 5}, "reason: must be text, not"),
        ({"valid": 1}, "valid: must be text, not"),
        ({"schema": "robust.review/9"}, "not a robust.review/1 row"),
        ({"media": "scan.png"}, "media: a pair with files is not tied down by its texts"),
        ({"answers": "poem"}, "answers: must be one of text"),
        ({"seal": "sha256:" + "0" * 64}, "no text stands in base_id"),
    ],
)
def test_a_row_of_another_tool_that_is_wrong_is_named(tmp_path: Path, fields: dict[str, Any], said: str) -> None:
    """By line and field."""
    path = tmp_path / "judged.jsonl"
    path.write_text("\n" + _line(**fields) + "\n", encoding="utf-8")
    with pytest.raises(DataError, match=r"judged\.jsonl:2: ") as refused:
        read(path)
    assert said in str(refused.value.problems[0])


def test_fields_that_are_not_the_sheets_are_named_in_their_order(tmp_path: Path) -> None:
    """Whatever the hash seed."""
    path = tmp_path / "judged.jsonl"
    names = [f"my{number}" for number in range(12)]
    path.write_text(_line(**dict.fromkeys(names, 1)) + "\n", encoding="utf-8")
    assert read(path).ignored == tuple(names)


def test_no_more_than_a_thousand_problems_are_listed(tmp_path: Path) -> None:
    """And the rest is counted."""
    path = tmp_path / "judged.jsonl"
    path.write_text(_line() + "\n[]" * 1002, encoding="utf-8")
    with pytest.raises(DataError) as refused:
        read(path)
    *listed, last = refused.value.problems
    assert ({problem.code for problem in listed}, len(listed)) == ({"wrong_value"}, 1000)
    assert (last.code, last.message) == ("more_problems", "2 more problems are not listed")


def test_a_pipe_is_refused_as_it_can_be_read_only_once(tmp_path: Path) -> None:
    """What a sheet is, and how it is encoded, is told before its rows are read."""
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(UsageError, match="a pipe can be read only once"):
        read(tmp_path / "pipe")


def test_lines_that_are_no_rows_are_named(tmp_path: Path) -> None:
    """Each of them."""
    path = tmp_path / "judged.jsonl"
    path.write_text(f"{_line()}\n[]\n{{\n{_line(valid=None)}\n", encoding="utf-8")
    with pytest.raises(DataError) as refused:
        read(path)
    assert [problem.line for problem in refused.value.problems] == [2, 3, 4]


def test_the_kind_of_a_file_is_told_by_its_content(tmp_path: Path) -> None:
    """Whatever its name."""
    path = tmp_path / "file"
    Validation.save_all(path, records(1))
    assert sheet_form(path) == "validations"
    path.write_bytes(b"".join(encode_sheet([review_row(records(1)[0])], "jsonl")))
    assert sheet_form(path) == "jsonl"
    path.write_bytes(b"".join(encode_sheet([review_row(records(1)[0])], "csv")))
    assert sheet_form(path) == "csv"
