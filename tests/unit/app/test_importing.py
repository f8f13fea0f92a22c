"""Candidates of other tools: columns, bases, ids, and rows that cannot be taken in."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from robust import Case, DataError, RobustError, UsageError, import_candidates
from robust.canon import JsonObject
from robust.records.encoding import canonical_case

BASES = [
    Case("Pay the bill.", "yes", case_id="c1", source_id="s1", metadata={"lang": "en"}),
    Case({"question": "Is it due?", "amount": 3}, case_id="c2", source_id="s2"),
    Case({"a": "one", "b": "two"}, case_id="c3", source_id="s3"),
]


def table(folder: Path, *rows: JsonObject, name: str = "t.jsonl") -> Path:
    """A table of JSON Lines."""
    (folder / name).write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return folder / name


def taken(path: Path, bases: Any = BASES, **more: Any) -> tuple[list[Case], JsonObject]:
    """The candidates of a table, and the report on them."""
    made = import_candidates(bases, path, **{"text": "text", "parent": "id", **more})
    return list(made), made.report


def test_a_row_becomes_a_candidate_of_its_base(tmp_path: Path) -> None:
    """It keeps all that the base has but its answer; ids are made from the base's."""
    rows = [
        {"id": "c1", "text": "Pay teh bill."},
        {"id": "c2", "text": "Is it deu?"},
        {"id": "c1", "text": "Pay hte bill."},
    ]
    candidates, report = taken(table(tmp_path, *rows), relation="invariant", transform="own tool")
    assert [case.case_id for case in candidates] == ["c1~own-tool-0", "c2~own-tool-0", "c1~own-tool-1"]
    first, second, _ = candidates
    assert (first.input, first.expected, first.metadata, first.source_id) == (
        "Pay teh bill.",
        None,
        {"lang": "en"},
        "s1",
    )
    assert second.input == {"question": "Is it deu?", "amount": 3}
    assert first.origin is not None
    assert first.origin.to_json() == {
        "parent_id": "c1", "parent_content": BASES[0].content_digest, "transform": "own tool", "params": {},
        "seed": None, "index": 0, "relation": "invariant",
    }  # fmt: skip
    assert {key: report[key] for key in ("rows", "candidates", "unchanged", "duplicate", "parents")} == {
        "rows": 3, "candidates": 3, "unchanged": 0, "duplicate": 0, "parents": 2,
    }  # fmt: skip


def test_every_column_can_be_mapped(tmp_path: Path) -> None:
    """Also from CSV, where an empty cell says nothing and a number is text."""
    path = tmp_path / "t.csv"
    rows = [
        ["original", "new", "name", "kind", "rel", "seed", "p", "api_token"],
        ["Pay the bill.", "Pay the bil.", "x1", "ocr", "invariant", "7", "0.1", "hunter2-example"],
        ["Is it due?", "Isn't it due?", "x2", "", "", "", "", ""],
    ]
    with path.open("w", encoding="utf-8-sig", newline="") as handle:
        csv.writer(handle, delimiter=";").writerows(rows)
    candidates, _ = taken(
        path, text="new", parent=None, parent_text="original", id_column="name", relation="counterfactual",
        relation_column="rel", transform="other", transform_column="kind", seed_column="seed", all_params=True,
    )  # fmt: skip
    origins = [case.origin.to_json() for case in candidates if case.origin]
    assert [case.case_id for case in candidates] == ["x1", "x2"]
    assert [[each[key] for key in ("parent_id", "transform", "relation", "seed", "params")] for each in origins] == [
        ["c1", "ocr", "invariant", 7, {"p": "0.1", "api_token": "[redacted]"}],
        ["c2", "other", "counterfactual", None, {}],
    ]


def test_only_named_columns_are_kept_unless_all_are_wanted(tmp_path: Path) -> None:
    """Values keep their JSON types."""
    path = table(tmp_path, {"id": "c1", "text": "x", "p": 0.1, "q": [1], "r": None})
    (some,), _ = taken(path, params=["p"])
    (every,), _ = taken(path, all_params=True)
    assert some.origin is not None
    assert every.origin is not None
    assert (some.origin.params, every.origin.params) == ({"p": 0.1}, {"p": 0.1, "q": [1]})


def test_a_list_is_several_candidates_and_an_object_a_whole_input(tmp_path: Path) -> None:
    """As libraries and language models give them."""
    path = table(tmp_path, {"id": "c1", "text": ["x", "y", "x"]}, {"id": "c3", "text": {"a": "one", "b": "too"}})
    candidates, report = taken(path)
    assert [case.input for case in candidates] == ["x", "y", {"a": "one", "b": "too"}]
    assert report["duplicate"] == 1


def test_what_is_the_base_or_was_there_before_is_counted(tmp_path: Path) -> None:
    """The same text for another base is another candidate."""
    bases = [BASES[0], Case("Other", case_id="c4", source_id="s4")]
    rows = [("c1", "Pay the bill."), ("c1", "x"), ("c1", "x"), ("c4", "x"), ("c4", "")]
    candidates, report = taken(table(tmp_path, *({"id": each, "text": text} for each, text in rows)), bases)
    assert [(case.case_id, case.input) for case in candidates] == [
        ("c1~external-0", "x"),
        ("c4~external-0", "x"),
        ("c4~external-1", ""),
    ]
    assert (report["unchanged"], report["duplicate"]) == (1, 1)


@pytest.mark.parametrize(
    ("row", "more", "message"),
    [
        ({"id": "c9", "text": "x"}, {}, "2: $.id: no base has the id 'c9'"),
        ({"text": "x"}, {}, "2: $.id: the row names no base"),
        ({"id": ["c1"], "text": "x"}, {}, "2: $.id: must be text, not a list"),
        ({"id": "c1"}, {}, "2: $.text: there is no text of a candidate"),
        ({"id": "c1", "text": 5}, {}, "2: $.text: must be text, as its base is, not "),
        ({"id": "c1", "text": {"a": "x"}}, {}, "2: $.text: must be text, as its base is, not "),
        ({"id": "c3", "text": "x"}, {}, "2: $.text: the input of 'c3' has no text, or more than one"),
        ({"id": "c3", "text": "x"}, {"text_field": "z"}, "2: $.text: the input of 'c3' has no text"),
        (
            {"id": "c1", "text": "x", "r": "same"},
            {"relation_column": "r"},
            "'same' is not a relation; use one of invariant",
        ),
        ({"id": "c1", "text": "x", "t": 5}, {"transform_column": "t"}, "2: $.t: must be text"),
        ({"id": "c1", "text": "x", "s": "1.5"}, {"seed_column": "s"}, "2: $.s: must be an integer"),
        ({"id": "c1", "text": "x", "s": "1_0"}, {"seed_column": "s"}, "2: $.s: must be an integer, not '1_0'"),
        ({"id": "c1", "text": "x", "s": "१२"}, {"seed_column": "s"}, "2: $.s: must be an integer, not '१२'"),
        ({"id": "c1", "text": "x", "s": "9" * 30}, {"seed_column": "s"}, "2: $.origin.seed: must be an integer"),
        ({"id": "c1", "text": "x", "n": "c2"}, {"id_column": "n"}, "2: $.n: the id 'c2' is that of a base"),
        ({"id": "c1", "text": "x", "n": "a\u0301"}, {"id_column": "n"}, "' stands in line 1 too"),
        ({"id": "c1", "text": "x", "n": "x" * 257}, {"id_column": "n"}, "2: $.n: an id must have 1 to 256 characters"),
        ({"id": "c1", "text": "x"}, {"id_column": "n"}, "2: $.n: an id must be text, not null"),
        ({"id": "c1", "text": ["x", "y"], "n": "z"}, {"id_column": "n"}, "2: $.text: has one id for 2 candidates"),
        ({"id": "c9" * 500, "text": "x"}, {}, "…'; check the column"),
    ],
)
def test_a_wrong_row_is_named_with_file_and_line(tmp_path: Path, row: JsonObject, more: Any, message: str) -> None:
    """And nothing comes of the table as a whole."""
    first = {"id": "c1", "text": "first", "n": "\u00e1", "s": 1, "t": "tool", "r": "invariant"}
    path = table(tmp_path, first, row)
    with pytest.raises(DataError) as caught:
        taken(path, **more)
    (line,) = str(caught.value).splitlines()
    assert line.startswith(f"{path}:2: ")
    assert message.removeprefix("2: ") in line


def test_every_wrong_row_is_named_up_to_a_hundred(tmp_path: Path) -> None:
    """Once there is one, the candidates end."""
    rows = [
        {"id": "c1", "text": "good"},
        *({"id": f"x{n}", "text": "bad"} for n in range(150)),
        {"id": "c1", "text": "z"},
    ]
    made = import_candidates(BASES, table(tmp_path, *rows), text="text", parent="id")
    assert next(made).input == "good"
    with pytest.raises(DataError) as caught:
        next(made)
    assert len(caught.value.problems) == 100
    assert [problem.line for problem in caught.value.problems] == list(range(2, 102))


def test_a_row_that_ends_the_reading_is_named_behind_those_before_it(tmp_path: Path) -> None:
    """So that nobody mends one to learn of the next."""
    path = tmp_path / "t.csv"
    path.write_text("id,text\nc9,x\nc1,y\nc1,z,more\n", encoding="utf-8")
    with pytest.raises(DataError) as caught:
        taken(path)
    assert [(problem.code, problem.line) for problem in caught.value.problems] == [("no_parent", 2), ("csv_cells", 4)]


def test_a_text_of_two_bases_names_neither(tmp_path: Path) -> None:
    """Nor does a text of none."""
    bases = [Case("same", case_id=name, source_id=name) for name in "ab"]
    for text, code in (("same", "ambiguous_parent"), ("other", "no_parent")):
        with pytest.raises(DataError) as caught:
            taken(table(tmp_path, {"id": text, "text": "x"}), bases, parent=None, parent_text="id")
        assert caught.value.code == code


@pytest.mark.parametrize(
    ("more", "code"),
    [
        ({"parent": None}, "no_parent_column"),
        ({"parent_text": "text"}, "no_parent_column"),
        ({"relation": "same"}, "unknown_relation"),
        ({"transform": ""}, "bad_transform"),
        ({"split": "dev"}, "split_without_manifest"),
    ],
)
def test_what_cannot_be_done_is_refused_at_once(tmp_path: Path, more: Any, code: str) -> None:
    """Before the table is read."""
    with pytest.raises(UsageError) as caught:
        import_candidates(BASES, tmp_path / "none.jsonl", **{"text": "text", "parent": "id", **more})
    assert caught.value.code == code


def test_a_table_without_a_mapped_column_is_refused(tmp_path: Path) -> None:
    """With the columns that it has."""
    (tmp_path / "t.csv").write_text("id,txt\nc1,x\n", encoding="utf-8")
    with pytest.raises(DataError) as caught:
        taken(tmp_path / "t.csv")
    assert str(caught.value).endswith("t.csv:1: there is no column 'text'; it has id, txt")


def test_a_column_that_no_row_has_is_refused(tmp_path: Path) -> None:
    """Else a slip in its name would go unseen; an empty one of a CSV file is in its header."""
    path = table(tmp_path, {"id": "c1", "text": "x", "rel": "invariant"})
    with pytest.raises(DataError) as caught:
        taken(path, relation_column="relation", params=["p"])
    assert [(problem.code, problem.message) for problem in caught.value.problems] == [
        ("no_column", "no row has 'relation'"),
        ("no_column", "no row has 'p'"),
    ]
    (tmp_path / "t.csv").write_text("id,text,relation\nc1,x,\n", encoding="utf-8")
    assert len(taken(tmp_path / "t.csv", relation_column="relation")[0]) == 1


@settings(max_examples=40)
@given(st.lists(st.tuples(st.sampled_from(["c1", "c2"]), st.text(max_size=6)), max_size=12))
def test_every_row_is_a_candidate_or_counted(tmp_path_factory: pytest.TempPathFactory, rows: list[Any]) -> None:
    """And what is taken in can be stored and read again."""
    path = tmp_path_factory.mktemp("rows") / "t.jsonl"
    table(path.parent, *({"id": each, "text": text} for each, text in rows))
    candidates, report = taken(path)
    assert len(candidates) == report["candidates"] == len(rows) - report["unchanged"] - report["duplicate"]
    assert len({case.case_id for case in candidates}) == len(candidates)
    assert len({(case.source_id, case.content_digest) for case in candidates}) == len(candidates)
    for case in candidates:
        assert Case.from_json(json.loads(canonical_case(case))) == case


def test_a_large_table_of_long_texts_comes_in(tmp_path: Path) -> None:
    """A megabyte in a cell, right-to-left text, marks, emoji."""
    texts = ["x" * 1_000_000, "\u0645\u0631\u062d\u200f", "e\u0301" * 10, "👩‍👩‍👧‍👦", "=1+1", "\t"]
    with (tmp_path / "t.csv").open("w", encoding="utf-8", newline="") as handle:
        csv.writer(handle).writerows([["id", "text"], *(["c1", text] for text in texts)])
    candidates, _ = taken(tmp_path / "t.csv")
    assert [case.input for case in candidates] == texts


def test_the_bases_may_be_a_file(tmp_path: Path) -> None:
    """As everywhere; a broken one is named."""
    (tmp_path / "b.csv").write_text("id,input\nc1,Pay the bill.\n", encoding="utf-8")
    candidates, _ = taken(table(tmp_path, {"id": "c1", "text": "x"}), tmp_path / "b.csv")
    assert [case.case_id for case in candidates] == ["c1~external-0"]
    (tmp_path / "b.csv").write_text("id,input\nc1,x\nc1,y\n", encoding="utf-8")
    with pytest.raises(RobustError) as caught:
        taken(table(tmp_path, {"id": "c1", "text": "x"}), tmp_path / "b.csv")
    assert caught.value.code == "duplicate_id"
