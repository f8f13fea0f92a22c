"""Files of labelled pairs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from robust.errors import DataError, UsageError
from robust.store.labelled_pairs import read_labelled_pairs


def written(folder: Path, rows: list[Any], name: str = "p.jsonl") -> Path:
    (folder / name).write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return folder / name


def test_texts_get_ids_from_their_place_and_a_source_of_their_own(tmp_path: Path) -> None:
    """Unless they are given."""
    rows = [
        {"base": "a", "candidate": "b", "truth": "valid"},
        {"base": "c", "candidate": "d", "truth": "invalid", "id": "x", "source_id": "s", "domain": "m", "edit": "e"},
    ]
    first, second = read_labelled_pairs(written(tmp_path, rows))
    assert (first.base.case_id, first.base.source_id, first.candidate.case_id) == (
        "pair-1",
        "pair-1",
        "pair-1~candidate",
    )
    assert (first.domain, first.edit, first.truth) == ("given", "given", "valid")
    assert (second.base.case_id, second.candidate.source_id, second.domain, second.edit) == ("x", "s", "m", "e")


def test_rows_and_stored_cases_are_read(tmp_path: Path) -> None:
    """With inputs that are objects."""
    stored = {"case_id": "k", "source_id": "pair-1", "input": {"q": 2}}
    rows = [{"base": {"input": {"q": 1}}, "candidate": stored, "truth": "valid", "relation": "counterfactual"}]
    (pair,) = read_labelled_pairs(written(tmp_path, rows))
    assert (pair.base.input, pair.candidate.input, pair.candidate.case_id) == ({"q": 1}, {"q": 2}, "k")
    assert pair.candidate.origin is not None
    assert pair.candidate.origin.relation == "counterfactual"


def test_lists_and_csv_are_read(tmp_path: Path) -> None:
    """An empty cell is no value; a semicolon separates as well."""
    (tmp_path / "p.json").write_text('[{"base": "a", "candidate": "b", "truth": "valid"}]', encoding="utf-8")
    (pair,) = read_labelled_pairs(tmp_path / "p.json")
    assert pair.base.case_id == "pair-0"
    (tmp_path / "p.csv").write_text("base;candidate;truth;domain\na;b;invalid;\n", encoding="utf-8")
    (pair,) = read_labelled_pairs(tmp_path / "p.csv")
    assert (pair.truth, pair.domain) == ("invalid", "given")


@pytest.mark.parametrize(
    ("row", "path"),
    [
        ({"base": "a", "candidate": "b"}, "$.truth"),
        ({"base": "a", "candidate": "b", "truth": "true"}, "$.truth"),
        ({"base": "a", "candidate": "a", "truth": "valid"}, "$.candidate.input"),
        ({"base": "a", "candidate": 3, "truth": "valid"}, "$.candidate"),
        ({"base": {"q": 1}, "candidate": "b", "truth": "valid"}, "$.base"),
        ({"base": "a", "candidate": "b", "truth": "valid", "more": 1}, "$.more"),
        ({"base": "a", "candidate": "b", "truth": "valid", "id": 7, "source_id": "s"}, "$.case_id"),
        ([], "$"),
    ],
)
def test_a_wrong_row_is_named_with_its_line(tmp_path: Path, row: Any, path: str) -> None:
    """And what is wrong in it."""
    file = written(tmp_path, [{"base": "a", "candidate": "b", "truth": "valid"}, row])
    with pytest.raises(DataError) as caught:
        list(read_labelled_pairs(file))
    (problem,) = caught.value.problems
    assert (problem.file, problem.line, problem.path) == (str(file), 2, path)


def test_other_files_are_refused(tmp_path: Path) -> None:
    """By form, or since they are not there."""
    (tmp_path / "p.txt").write_text("", encoding="utf-8")
    with pytest.raises(DataError, match="ends in"):
        list(read_labelled_pairs(tmp_path / "p.txt"))
    with pytest.raises(UsageError):
        list(read_labelled_pairs(tmp_path / "p.jsonl"))
