"""CSV that spreadsheets open and save: cells that they would run or change are guarded, and what they save is read.

A guarded cell begins with an apostrophe, as people type it to keep a text a text. Reading takes one apostrophe off.
Which cells are guarded depends on who reads them: :func:`guard_formula` is for tools that take every other cell as it
is, :func:`guard` for sheets that a spreadsheet saves again.
"""

from __future__ import annotations

import codecs
import csv
import io
import os
import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Final, NamedTuple

from robust.errors import DataError
from robust.store.csv_records import best_delimiter, csv_records
from robust.store.files import MAX_LINE_BYTES, open_input

_GUARD: Final = "'"
# What begins a formula in one spreadsheet or another; full-width forms count as the plain ones. What begins like a
# guarded cell is guarded too, so that taking one apostrophe off gives every text again.
_FORMULA_STARTERS: Final = frozenset("=+-@\t\r\n\uff1d\uff0b\uff0d\uff20\u2212" + _GUARD)
# What begins an error value.
_ERROR_STARTER: Final = "#"
# No number, date or time holds one of these.
_TEXT_ONLY: Final = frozenset('_~"{}[]<>!?;')
_LONGEST_DATE: Final = 64
_MOST_DATE_WORDS: Final = 5
_WORD: Final = re.compile(r"[^\W\d_]+")
_LONGEST_WORD: Final = 16
_CHUNK: Final = 1024 * 1024
_SEPARATOR_LINE: Final = re.compile(r'"?sep=(.)"?[\r\n]*\Z', re.IGNORECASE)
_ARCHIVE: Final = b"PK\x03\x04"
_OLD_WORKBOOK: Final = b"\xd0\xcf\x11\xe0"


def guard_formula(text: str) -> str:
    """A cell that no spreadsheet takes for a formula, behind blanks neither; any other text stays as it is."""
    return _GUARD + text if _begins_formula(text) else text


def guard(text: str) -> str:
    """A cell that a spreadsheet keeps as it is: never a formula, a number, a date, a truth value or an error value."""
    return _GUARD + text if _would_change(text) else text


def unguard(cell: str) -> str:
    """The text of a cell; the inverse of :func:`guard_formula` and of :func:`guard`."""
    return cell.removeprefix(_GUARD)


def _begins_formula(text: str) -> bool:
    if text[:1] in _FORMULA_STARTERS:
        return True
    # Behind blanks, and behind what is not shown and may be dropped.
    shown = next((char for char in text if char.isprintable() and not char.isspace()), "")
    return shown in _FORMULA_STARTERS


def _would_change(text: str) -> bool:
    if not text:
        return False
    if _begins_formula(text) or text[0] == _ERROR_STARTER or text.strip() != text:
        return True
    # Digits of every script, and fractions such as a half.
    if any(char.isnumeric() for char in text[: _LONGEST_DATE + 1]):
        if not any(char.isalpha() and char not in "eE" for char in text):
            return True
        words = len(_WORD.findall(text[: _LONGEST_DATE + 1]))
        return len(text) <= _LONGEST_DATE and words <= _MOST_DATE_WORDS and _TEXT_ONLY.isdisjoint(text)
    # One word alone may be a truth value in the user's language.
    return len(text) <= _LONGEST_WORD and bool(_WORD.fullmatch(unicodedata.normalize("NFC", text)))


def encode_rows(rows: Iterable[Sequence[str]], *, delimiter: str = ",", mark: bool = True) -> Iterator[bytes]:
    """Rows as UTF-8 with CRLF line ends (RFC 4180), each as it comes.

    Args:
        rows: the cells, guarded where they must be.
        delimiter: what parts the cells.
        mark: whether the first row gets a byte order mark, without which Excel takes the file for its own encoding, and
            with which other tools take it for a part of the first cell.
    """
    buffer = io.StringIO(newline="")
    writer = csv.writer(buffer, delimiter=delimiter, lineterminator="\r\n")
    start = codecs.BOM_UTF8 if mark else b""
    for row in rows:
        writer.writerow(row)
        yield start + buffer.getvalue().encode("utf-8")
        start = b""
        buffer.seek(0)
        buffer.truncate()


class Sheet(NamedTuple):
    """A CSV file as it is read: how it is encoded, what parts its cells, and on which line its header stands."""

    file: str
    encoding: str
    delimiter: str
    header_line: int
    header: tuple[str, ...]

    def rows(self) -> Iterator[tuple[int, list[str]]]:
        """The rows below the header with the line on which each begins; wholly empty rows are left out.

        Raises:
            DataError: quotes are wrong, a line is too long, or the encoding does not hold to the end.
        """
        for line, cells in csv_records(_lines(self.file, self.encoding), self.file, delimiter=self.delimiter):
            if line > self.header_line and any(cells):
                yield line, cells


def open_sheet(path: str | os.PathLike[str], mark: str) -> Sheet:
    """Find out how a CSV file is encoded and delimited.

    UTF-8 (with and without a byte order mark) and UTF-16 with one are what they say. Anything else must be an encoding
    in which the header holds ``mark``, so that none is guessed.

    Args:
        path: the file.
        mark: a text beyond ASCII that stands in the header as it was written.

    Raises:
        UsageError: the file cannot be read.
        DataError: it is a workbook, empty, or of an encoding that cannot be told.
    """
    file = os.fspath(path)
    with open_input(path) as handle:
        start = handle.read(4)
    if start in (_ARCHIVE, _OLD_WORKBOOK):
        hint = "open it, and save the sheet as CSV UTF-8"
        raise DataError.of("workbook", "the file is a workbook, not a CSV file", file=file, hint=hint)
    if start.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return _described(file, "utf-16", mark)
    if _decodes(file, "utf-8"):
        return _described(file, "utf-8-sig", mark)
    for encoding in ("cp1252", "mac-roman"):
        if _decodes(file, encoding):
            sheet = _described(file, encoding, mark)
            if any(mark in name for name in sheet.header):
                return sheet
    message = "the file is not UTF-8, and its header does not tell what else"
    hint = "save it as CSV UTF-8; in LibreOffice choose the character set Unicode (UTF-8)"
    raise DataError.of("bad_encoding", message, file=file, hint=hint)


def _decodes(file: str, encoding: str) -> bool:
    """Whether every byte of a file can be of an encoding."""
    decoder = codecs.getincrementaldecoder(encoding)()
    with open_input(file) as handle:
        try:
            while chunk := handle.read(_CHUNK):
                decoder.decode(chunk)
            decoder.decode(b"", final=True)
        except UnicodeDecodeError:
            return False
    return True


def _described(file: str, encoding: str, mark: str) -> Sheet:
    """The sheet under the delimiter that gives its header the mark, and the most cells."""
    first = next((line for line in _lines(file, encoding) if line.strip()), "")
    # What Excel itself writes and reads to say what parts cells.
    said = _SEPARATOR_LINE.match(first)
    delimiter = (
        said[1] if said else best_delimiter(first, lambda cells: (any(mark in name for name in cells), len(cells)))
    )
    records = csv_records(_lines(file, encoding), file, delimiter=delimiter)
    for line, cells in islice(records, 1 if said else 0, None):
        return Sheet(file, encoding, delimiter, line, tuple(cell.strip() for cell in cells))
    raise DataError.of("csv_header", "the file has no header", file=file, line=1, hint="start from a sheet with one")


def _lines(file: str, encoding: str) -> Iterator[str]:
    """Lines within a limit, so that a file without any does not fill the memory; each with its line end."""
    number = 0
    with open_input(file) as handle, io.TextIOWrapper(handle, encoding=encoding, newline="") as text:
        while True:
            number += 1
            try:
                line = text.readline(MAX_LINE_BYTES)
            except UnicodeDecodeError as error:
                message = f"the file is not {encoding.removesuffix('-sig').upper()} to its end: {error.reason}"
                raise DataError.of("bad_encoding", message, file=file, line=number) from None
            if not line:
                return
            if len(line) >= MAX_LINE_BYTES:
                message = f"the line has over {MAX_LINE_BYTES} characters"
                raise DataError.of("too_large", message, file=file, line=number)
            # A NUL can be no character of a text, and older readers stop at it.
            if "\x00" in line:
                raise DataError.of("bad_encoding", "the line holds a NUL character", file=file, line=number)
            yield line
