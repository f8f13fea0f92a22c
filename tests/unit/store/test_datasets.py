"""Data sets: rows become cases, and a wrong row is named."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from robust import Case, DataError, UsageError
from robust.store.datasets import read_cases, read_dataset


def dataset(tmp_path: Path, content: bytes | str, name: str = "rows.jsonl") -> list[Case]:
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return list(read_dataset(path))


def refusal(tmp_path: Path, content: bytes | str, name: str = "rows.jsonl") -> list[tuple[str, int | None, str | None]]:
    with pytest.raises(DataError) as caught:
        dataset(tmp_path, content, name)
    assert all(problem.file == str(tmp_path / name) for problem in caught.value.problems)
    return [(problem.code, problem.line, problem.path) for problem in caught.value.problems]


def test_a_row_becomes_a_case(tmp_path: Path) -> None:
    """Every field has its place."""
    row = {"id": "a", "input": {"q": 1}, "expected": "yes", "metadata": {"lang": "en"}, "source_id": "doc"}
    assert dataset(tmp_path, json.dumps(row)) == [
        Case({"q": 1}, "yes", case_id="a", source_id="doc", metadata={"lang": "en"})
    ]


@pytest.mark.parametrize(
    ("fields", "source"),
    [({}, "a"), ({"metadata": {"source_id": "m"}}, "m"), ({"source_id": "s", "metadata": {"source_id": "m"}}, "s")],
)
def test_the_source_is_the_rows_else_the_metadatas_else_the_id(tmp_path: Path, fields: Any, source: str) -> None:
    """In this order."""
    assert dataset(tmp_path, json.dumps({"id": "a", "input": "x", **fields}))[0].source_id == source


def test_blank_lines_crlf_and_a_missing_last_line_feed_are_fine(tmp_path: Path) -> None:
    """Other people's files are read as they come, and lines are counted as editors count them."""
    rows = b'\xef\xbb\xbf{"id":"a","input":"x"}\r\n\r\n  \n{"id":"b","input":"y\xe2\x80\xa8z"}'
    assert [case.input for case in dataset(tmp_path, rows)] == ["x", "y\u2028z"]
    assert refusal(tmp_path, rows.replace(b'"y', b"y"))[0][:2] == ("json_syntax", 4)


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        ("[]", [("wrong_value", 2, "$")]),
        ('{"id":"b"}', [("missing_field", 2, "$.input")]),
        ('{"id":"b","input":"x","label":"y"}', [("unknown_field", 2, "$.label")]),
        ('{"id":"","input":"x"}', [("bad_id", 2, "$.case_id"), ("bad_id", 2, "$.source_id")]),
        ('{"id":"b","input":7}', [("wrong_value", 2, "$.input")]),
        ('{"id":"b","input":"x","metadata":[]}', [("wrong_value", 2, "$.metadata")]),
        ('{"id":"b","id":"c","input":"x"}', [("duplicate_key", 2, "$.id")]),
        ('{"id":"a","input":"y"}', [("duplicate_id", 2, None)]),
    ],
)
def test_a_wrong_row_is_named_with_line_and_path(tmp_path: Path, row: str, expected: list[Any]) -> None:
    """Whatever is wrong stands in the error with its place."""
    assert refusal(tmp_path, '{"id":"a","input":"x"}\n' + row + "\n") == expected


def test_ids_that_are_equal_after_normalisation_name_both_lines(tmp_path: Path) -> None:
    """Composed and decomposed é are one id."""
    with pytest.raises(DataError, match=r"rows.jsonl:3: the id .* stands here and in line 1"):
        dataset(tmp_path, '{"id":"\u00e9","input":"x"}\n{"id":"b","input":"x"}\n{"id":"e\u0301","input":"x"}\n')


def test_a_json_file_is_a_list_of_rows(tmp_path: Path) -> None:
    """Rows are counted, and named by their index."""
    rows = '[{"id":"a","input":"x"},\n {"id":"b","input":"y"}]'
    assert [case.case_id for case in dataset(tmp_path, rows, "rows.json")] == ["a", "b"]
    assert refusal(tmp_path, '[{"id":"a","input":"x"},{"id":"b"}]', "rows.json")[0][::2] == (
        "missing_field",
        "$[1].input",
    )
    assert refusal(tmp_path, '{"id":"a","input":"x"}', "rows.json") == [("wrong_value", None, "$")]


def test_csv_columns_become_fields_and_metadata(tmp_path: Path) -> None:
    """Quoted commas, quotes and line breaks are read; an empty cell is no value."""
    content = '\ufeffid,input,expected,source_id,metadata.lang\r\na,"x, ""y""\nz",yes,doc,en\r\n\r\nb,y,,,\r\n'
    first, second = dataset(tmp_path, content, "rows.csv")
    assert first == Case('x, "y"\nz', "yes", case_id="a", source_id="doc", metadata={"lang": "en"})
    assert second == Case("y", case_id="b", source_id="b")


@pytest.mark.parametrize(
    ("content", "code", "line"),
    [
        ("", "csv_header", 1),
        ("id,text\na,x\n", "csv_header", 1),
        ("id,input,Input\na,x,y\n", "csv_header", 1),
        ("id,input,id\na,x,b\n", "csv_header", 1),
        ("id,input\na\n", "csv_cells", 2),
        ('id,input\na,"x\ny"\nb,y,z\n', "csv_cells", 4),
        ('id,input\na,"x" y\n', "csv_syntax", 2),
        ("id,input\na,x\nb,y\na,z\n", "duplicate_id", 4),
        ("id,input\n,x\n", "bad_id", 2),
    ],
)
def test_a_wrong_csv_row_is_named(tmp_path: Path, content: str, code: str, line: int) -> None:
    """By the line at which it starts."""
    assert refusal(tmp_path, content, "rows.csv")[0][:2] == (code, line)


def test_a_csv_line_that_is_not_utf_8_is_named(tmp_path: Path) -> None:
    """Latin-1 is not guessed."""
    assert refusal(tmp_path, b"id,input\na,caf\xe9\n", "rows.csv")[0][:2] == ("not_utf8", 2)


def test_text_in_a_csv_file_is_kept_to_the_character(tmp_path: Path) -> None:
    """A byte order mark is dropped at the start of the file only; elsewhere it is text."""
    assert [case.case_id for case in dataset(tmp_path, "\ufeffid,input\n\ufeffb,x\n", "rows.csv")] == ["\ufeffb"]


def test_a_file_of_another_kind_is_refused(tmp_path: Path) -> None:
    """The ending tells the kind; a missing file is a usage error."""
    assert refusal(tmp_path, "", "rows.txt")[0][0] == "unknown_format"
    with pytest.raises(UsageError):
        list(read_dataset(tmp_path / "missing.jsonl"))


def test_files_for_validation_may_hold_rows_or_stored_cases(tmp_path: Path) -> None:
    """Both forms, told apart by case_id, may stand in one file."""
    path = tmp_path / "cases.jsonl"
    stored = Case("y", 1, case_id="b", source_id="s", metadata={"a": 1})
    path.write_text('{"id":"a","input":"x"}\n' + json.dumps(stored.to_json()) + "\n", encoding="utf-8")
    assert list(read_cases(path)) == [(1, Case("x", case_id="a", source_id="a")), (2, stored)]
    path.write_text('{"case_id":"a","input":"x"}\n', encoding="utf-8")
    with pytest.raises(DataError, match="source_id"):
        list(read_cases(path))
