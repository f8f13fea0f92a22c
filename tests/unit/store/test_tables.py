"""Rows of tables in four forms."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest

from robust.errors import DataError, UsageError
from robust.store.tables import read_rows


def write(folder: Path, name: str, content: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("t.csv", "a,b\n1,x\n2,\n"),
        ("t.csv", "\ufeffa,b\r\n1,x\r\n\r\n2,\r\n"),
        ("t.csv", "other;a;b\r\nz;1;x\r\nz;2;\r\n"),
        ("t.csv", 'a\tb\n"1"\tx\n2\t\n'),
        ("t.tsv", "b\ta\nx\t1\n\t2"),
        ("t.jsonl", '\ufeff{"a":"1","b":"x"}\n\n{"a":"2"}'),
        ("t.json", '[{"a":"1","b":"x"},{"a":"2"}]'),
    ],
)
def test_a_table_is_read_in_every_form(tmp_path: Path, name: str, content: str) -> None:
    """With a byte order mark, Windows line ends, semicolons, tabs; an empty cell is no value."""
    rows = list(read_rows(write(tmp_path, name, content), needed=["a", "b"]))
    picked = [{key: value for key, value in row.values.items() if key in "ab"} for row in rows]
    assert picked == [{"a": "1", "b": "x"}, {"a": "2"}]


def test_cells_may_hold_lines_and_quotes(tmp_path: Path) -> None:
    """A row is named by the line where it starts."""
    path = write(tmp_path, "t.csv", 'a,b\n"one\r\ntwo ""so""",2\nthree,4\n')
    assert [(row.place, row.values["a"]) for row in read_rows(path, needed=["a"])] == [
        (2, 'one\r\ntwo "so"'),
        (4, "three"),
    ]


@pytest.mark.parametrize(
    ("name", "content", "code", "where"),
    [
        ("t.csv", "", "csv_header", "t.csv:1: the file has no header"),
        ("t.csv", "a,c\n1,2\n", "csv_header", "t.csv:1: there is no column 'b'"),
        ("t.csv", "a,b,B\n1,2,3\n", "csv_header", "t.csv:1: the column 'B' stands twice"),
        ("t.csv", "a,b\n1,2,3\n", "csv_cells", "t.csv:2: "),
        ("t.csv", "a,b\n1\n", "csv_cells", "t.csv:2: "),
        ("t.csv", 'a,b\n1,"x\n', "csv_syntax", "t.csv:"),
        ("t.csv", "a,b\r1,2\r", "csv_syntax", "t.csv:1: "),
        ("t.csv", b"a,b\n1,\xff\n", "not_utf8", "t.csv:2:"),
        ("t.csv", "a,b\n1,2\n".encode("utf-16"), "not_utf8", "t.csv:1:"),
        ("t.jsonl", '{"a":1}\n[1]\n', "wrong_value", "t.jsonl:2: $: "),
        ("t.jsonl", '{"a":1}\n{"a":"\\ud800"}\n', "lone_surrogate", "t.jsonl:2:"),
        ("t.jsonl", '{"a":1}\n{\n', "json_syntax", "t.jsonl:2:"),
        ("t.json", '[{"a":1},2]', "wrong_value", "$[1]: "),
        ("t.json", "{}", "wrong_value", "$: must be a list"),
        ("t.xlsx", "PK", "unknown_format", "t.xlsx: a table ends in"),
        ("table", "", "unknown_format", "table: a table ends in"),
    ],
)
def test_a_broken_table_is_refused_with_its_place(
    tmp_path: Path, name: str, content: str | bytes, code: str, where: str
) -> None:
    """File and line, or path."""
    with pytest.raises(DataError) as caught:
        list(read_rows(write(tmp_path, name, content), needed=["a", "b"]))
    assert caught.value.code == code, caught.value
    assert where in str(caught.value)


@pytest.mark.parametrize("mark", [",", ";", "\t"])
def test_a_table_may_come_through_a_pipe(tmp_path: Path, mark: str) -> None:
    """What parts its cells is told by the header while the rest is still to come."""
    os.mkfifo(tmp_path / "t.csv")
    writer = threading.Thread(target=(tmp_path / "t.csv").write_text, args=(f"\na{mark}b\n1{mark}2\n",))
    writer.start()
    rows = list(read_rows(tmp_path / "t.csv", needed=["a", "b"]))
    writer.join()
    assert [(row.place, row.values) for row in rows] == [(3, {"a": "1", "b": "2"})]


def test_a_missing_table_is_said_to_be_missing(tmp_path: Path) -> None:
    """As every file is."""
    with pytest.raises(UsageError) as caught:
        list(read_rows(tmp_path / "none.csv", needed=["a"]))
    assert caught.value.code == "unreadable"
