"""Tables of replacements, from files and given as rows."""

from __future__ import annotations

from pathlib import Path

import pytest

from robust.errors import DataError
from robust.records.replacement import Replacement, replacement_problems
from robust.store.replacements import read_replacements


def write(folder: Path, name: str, content: str) -> Path:
    path = folder / name
    path.write_text(content, encoding="utf-8")
    return path


def test_replacements_are_read_with_their_lines(tmp_path: Path) -> None:
    """From CSV and JSON Lines; a missing replacement takes the words away."""
    path = write(tmp_path, "r.csv", "from,to,relation\nis,is not,counterfactual\nvery,,\n")
    assert read_replacements(path) == [
        Replacement("is", "is not", "counterfactual", 2),
        Replacement("very", "", None, 3),
    ]
    path = write(tmp_path, "r.jsonl", '{"from":"a","to":"b"}\n')
    assert read_replacements(path) == [Replacement("a", "b", None, 1)]


@pytest.mark.parametrize(
    ("rows", "messages"),
    [
        ("from,to\n", ["there are no rows"]),
        ("from,to\na,a\n", ["r.csv:2: $.to: must be other text than from"]),
        ("from,to\n ,a\n,b\n", ["r.csv:2: $.from: must not be blank", "r.csv:3: $.from: must be text, not null"]),
        ("from,to,relation\na,b,same\n", ["r.csv:2: $.relation: 'same' is not a relation; use one of invariant"]),
        ("from,to,note\na,b,c\n", ["r.csv:2: $.note: a row has from, to and relation"]),
    ],
)
def test_a_wrong_replacement_is_named_with_its_line(tmp_path: Path, rows: str, messages: list[str]) -> None:
    """All of them at once."""
    with pytest.raises(DataError) as caught:
        read_replacements(write(tmp_path, "r.csv", rows))
    shown = str(caught.value).splitlines()
    assert len(shown) == len(messages)
    assert all(message in line for message, line in zip(messages, shown, strict=True))


def test_no_more_than_a_hundred_problems_are_collected(tmp_path: Path) -> None:
    """A file of another kind does not fill the memory with messages."""
    with pytest.raises(DataError) as caught:
        read_replacements(write(tmp_path, "r.csv", "from,to\n" + "a,a\n" * 5000))
    assert len(caught.value.problems) == 100


@pytest.mark.parametrize(
    ("row", "wrong"),
    [
        (("a", "b", None), []),
        (("a", "", "decreasing"), []),
        ((None, "b", None), [("wrong_value", "from")]),
        ((" \n", 5, "same"), [("wrong_value", "from"), ("wrong_value", "to"), ("unknown_relation", "relation")]),
        (("a", "a", ["invariant"]), [("wrong_value", "to"), ("unknown_relation", "relation")]),
    ],
)
def test_a_row_is_judged_alike_wherever_it_comes_from(
    row: tuple[object, object, object], wrong: list[tuple[str, str]]
) -> None:
    """Each field for itself."""
    assert [(problem.code, problem.path) for problem in replacement_problems(*row)] == wrong
