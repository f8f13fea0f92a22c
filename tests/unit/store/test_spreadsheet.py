"""CSV as spreadsheets save it: guarded cells, encodings that are told and never guessed, delimiters."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest
from hypothesis import given

from robust import DataError
from robust.store.spreadsheet import encode_rows, guard, guard_formula, open_sheet, unguard
from tests.laws.strategies import texts

MARK = "éñ€"
HEADER = f"id;text;seal {MARK}\r\n"


def _sheet(folder: Path, data: bytes) -> Path:
    path = folder / "sheet.csv"
    path.write_bytes(data)
    return path


@pytest.mark.parametrize(
    "text",
    [
        "=1+1",
        "+4",
        "-5",
        "@SUM(A1)",
        "＝A1",
        "'x",
        "#N/A",
        "3.50",
        "1/2",
        "10:30",
        "1e5",
        "00012",
        "5 %",
        "½",
        "3 March 2026",
        "12 de mayo de 2024",
        "2026-03-31",
        "true",
        "WAHR",
        " padded",
        "padded ",
        "\n",
        "7" * 80,
    ],
)
def test_a_cell_that_a_spreadsheet_would_change_is_guarded(text: str) -> None:
    """By an apostrophe, which reading takes off."""
    assert guard(text) == "'" + text
    assert unguard(guard(text)) == text


@pytest.mark.parametrize(
    "text",
    [
        "=1+1",
        "+1",
        "-5",
        "@SUM(A1)",
        "\t=1",
        "\r=1",
        "\n=1",
        "'=1",
        "''",
        "  =1",
        "＝1",
        "−5",
        "\ufeff=1",
        "\u200b=1",
        '=HYPERLINK("x")',
    ],
)
def test_a_cell_that_a_spreadsheet_would_run_is_guarded_for_tools_too(text: str) -> None:
    """Behind blanks as well; and whatever is guarded for tools is guarded in a sheet."""
    assert guard_formula(text) == guard(text) == "'" + text
    assert unguard(guard_formula(text)) == text


@pytest.mark.parametrize("text", ["", "5", "3.50", "true", "#1", " padded ", 'a\r\nb,"c"', "1-2=3"])
def test_tools_get_every_other_cell_as_it_is(text: str) -> None:
    """They are no spreadsheets, and would read the apostrophe."""
    assert guard_formula(text) == text


@given(texts)
def test_every_text_comes_back_from_its_cell(text: str) -> None:
    """Through CSV, guarded for tools or for a sheet."""
    (line,) = encode_rows([[guard_formula(text), guard(text), "x"]], mark=False)
    (row,) = csv.reader(io.StringIO(line.decode(), newline=""), strict=True)
    assert [unguard(cell) for cell in row] == [text, text, "x"]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "What is the refund for this order?",
        "order_17",
        "base~typos-3",
        "sha256:" + "0" * 64,
        '{"amount": 3}',
        "The customer paid 1,25 euros for it, and the shop never sent anything back to her.",
    ],
)
def test_plain_prose_and_names_stay_as_they_are(text: str) -> None:
    """So that a sheet is not full of apostrophes."""
    assert guard(text) == text


def test_a_file_begins_with_a_mark_and_ends_its_lines_as_spreadsheets_do() -> None:
    """Without the mark Excel would read another encoding."""
    assert b"".join(encode_rows([["a", "b\nc"], ["é", '"']])) == '\ufeffa,"b\nc"\r\né,""""\r\n'.encode()


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252", "mac-roman"])
@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_encoding_and_delimiter_are_told_by_the_header(tmp_path: Path, encoding: str, delimiter: str) -> None:
    """The mark in it reads right in one encoding alone."""
    text = HEADER + '1;"grün, oder; nicht"\r\n'.replace(";", "\x00", 1).replace("; ", ", ").replace("\x00", ";")
    data = text.replace(";", delimiter).encode(encoding)
    sheet = open_sheet(_sheet(tmp_path, data), MARK)
    assert (sheet.delimiter, sheet.header) == (delimiter, ("id", "text", f"seal {MARK}"))
    assert list(sheet.rows()) == [(2, ["1", "grün, oder, nicht".replace(";", delimiter)])]


def test_the_line_by_which_excel_names_its_delimiter_is_understood(tmp_path: Path) -> None:
    """It stands before the header."""
    sheet = open_sheet(_sheet(tmp_path, f"sep=;\r\n{HEADER}1;x;y\r\n".encode()), MARK)
    assert (sheet.delimiter, sheet.header_line, list(sheet.rows())) == (";", 2, [(3, ["1", "x", "y"])])


def test_rows_name_the_line_on_which_they_begin_and_empty_ones_are_left_out(tmp_path: Path) -> None:
    """Also below cells with line ends of their own."""
    sheet = open_sheet(_sheet(tmp_path, f'{HEADER}1;"a\r\nb";c\r\n;;\r\n\r\n2;d;e'.encode()), MARK)
    assert [(line, cells[0]) for line, cells in sheet.rows()] == [(2, "1"), (6, "2")]


@pytest.mark.parametrize(
    ("data", "code", "said"),
    [
        (b"PK\x03\x04rest", "workbook", "save the sheet as CSV UTF-8"),
        (b"\xd0\xcf\x11\xe0rest", "workbook", "save the sheet as CSV UTF-8"),
        (b"", "csv_header", "no header"),
        (b"sep=;\r\n", "csv_header", "no header"),
        (HEADER.encode("utf-16-le")[:20], "bad_encoding", "NUL"),
        (b'"id;text', "csv_syntax", "check its quotes"),
        (HEADER.replace("€", "?").encode("cp850"), "bad_encoding", "save it as CSV UTF-8"),
        (b"id;gr\xfcn\r\n1;2\r\n", "bad_encoding", "save it as CSV UTF-8"),
    ],
)
def test_what_cannot_be_read_for_certain_is_refused_with_what_to_do(
    tmp_path: Path, data: bytes, code: str, said: str
) -> None:
    """A workbook, nothing at all, and an encoding that nothing tells."""
    with pytest.raises(DataError, match=said) as refused:
        open_sheet(_sheet(tmp_path, data), MARK)
    assert refused.value.code == code


@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
def test_every_line_end_is_one(tmp_path: Path, line_end: str) -> None:
    """Also that of old Macs."""
    sheet = open_sheet(_sheet(tmp_path, f"{HEADER}1;a;b\r\n".replace("\r\n", line_end).encode()), MARK)
    assert list(sheet.rows()) == [(2, ["1", "a", "b"])]


@pytest.mark.parametrize(
    ("rows", "code", "line"),
    [
        (b'1;"open\r\n2;b;c\r\n', "csv_syntax", 2),
        (b'1;"a"b;c\r\n', "csv_syntax", 2),
        (b"1;a\x00b;c\r\n", "bad_encoding", 2),
    ],
)
def test_broken_rows_name_their_line(tmp_path: Path, rows: bytes, code: str, line: int) -> None:
    """Quotes that do not close or end too soon, and characters that no text has."""
    sheet = open_sheet(_sheet(tmp_path, HEADER.encode() + rows), MARK)
    with pytest.raises(DataError) as refused:
        list(sheet.rows())
    assert (refused.value.code, refused.value.problems[0].line) == (code, line)
