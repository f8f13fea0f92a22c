"""The difference of two manifests, by case and path by path."""

from __future__ import annotations

import json
from typing import Any

import pytest

from robust import Case, Manifest
from robust.manifest.build import build_lines
from robust.manifest.difference import compare_json
from robust.records.manifest_difference import Change
from tests.builders import valid_variant
from tests.golden.independent import forged


def case(case_id: str, **fields: Any) -> Case:
    return Case(f"question {case_id}", **{"case_id": case_id, "source_id": case_id, "expected": 1, **fields})


def built(*cases: Case, **arguments: Any) -> Manifest:
    return Manifest.build(arguments.pop("name", "m"), cases=cases, **arguments)


def test_nothing_differs_from_itself() -> None:
    """And the difference says so."""
    found = built(case("a")).diff(built(case("a")))
    assert found.empty
    assert found.to_json()["changed"] == found.to_json()["header"] == []


def test_cases_are_added_removed_moved_and_changed() -> None:
    """A case can be moved and changed at once."""
    before = built(case("a"), case("b"), case("c"), case("d"), splits={"x": ["a", "b"], "y": ["c", "d"]})
    after = built(
        case("b", expected=2), case("c", metadata={"k/e.y": [1]}), case("d"), case("e"),
        splits={"x": ["c", "e"], "y": ["b", "d"]},
    )  # fmt: skip
    found = before.diff(after)
    assert found.added == {"e": "x"}
    assert found.removed == {"a": "x"}
    assert found.moved == {"b": ("x", "y"), "c": ("y", "x")}
    assert found.changed == {
        "b": (Change(path="$.case.expected", before=1, after=2),),
        "c": (Change(path='$.case.metadata["k/e.y"]', before=None, after=[1], has_before=False),),
    }
    assert not found.is_extension
    assert not found.empty


def test_the_header_and_the_validations_are_compared() -> None:
    """But not what follows from the lines."""
    before = Manifest.build("old", validations=[valid_variant(5), valid_variant(6)])
    after = Manifest.build("new", validations=[valid_variant(5), valid_variant(7)], provenance={"a": 1})
    found = before.diff(after)
    assert [change.path for change in found.header] == ["$.name", "$.provenance.a"]
    assert found.validations_added == (valid_variant(7).digest,)
    assert found.validations_removed == (valid_variant(6).digest,)


def test_only_what_names_its_parent_and_keeps_everything_is_an_extension() -> None:
    """The same cases without the parent are none, and the way back is none either."""
    old = built(case("a"))
    new = old.extend(cases=[case("b")])
    assert old.diff(new).is_extension
    assert not new.diff(old).is_extension
    assert not old.diff(built(case("a"), case("b"))).is_extension


def test_a_false_claim_of_a_parent_is_found_out() -> None:
    """A manifest that names a parent and dropped or changed one of its cases."""
    old = built(case("a"), case("b"))
    for cases in ([case("a")], [case("a"), case("b", expected=2)], [case("a"), case("b", metadata={"x": 1})]):
        lines = [json.loads(line) for line in build_lines("m", cases=cases)]
        lines[0]["parent"] = old.digest
        claimed = Manifest.from_lines(forged(lines).removesuffix(b"\n").split(b"\n"))
        assert claimed.parent == old.digest
        assert not old.diff(claimed).is_extension


def test_an_extension_keeps_the_split_rule() -> None:
    """Without it new groups could be put where it suits."""
    old = Manifest.build("m", cases=[case("a"), case("b")], splits={"x": 0.5, "y": 0.5})
    new = old.extend(cases=[case("c")])
    assert old.diff(new).is_extension
    lines = [json.loads(line) for line in new.lines()]
    lines[0]["split_rule"] = None
    assert not old.diff(Manifest.from_lines(forged(lines).removesuffix(b"\n").split(b"\n"))).is_extension


@pytest.mark.parametrize(
    ("before", "after", "paths"),
    [
        (1, 1.0, []),
        (1, True, ["$"]),
        ([1, 2], [1], ["$[1]"]),
        ([1], [2, 3], ["$[0]", "$[1]"]),
        ({"a": None}, {}, ["$.a"]),
        ({"a": {"b": [{"c": 1}]}}, {"a": {"b": [{"c": 2}]}}, ["$.a.b[0].c"]),
        ([], {}, ["$"]),
        ("x", "x", []),
    ],
)
def test_json_is_compared_from_the_outside_in(before: Any, after: Any, paths: list[str]) -> None:
    """By canonical form: 1 and 1.0 are one number, 1 and true are not."""
    assert [change.path for change in compare_json(before, after, "$")] == paths


def test_an_absent_value_is_told_from_null() -> None:
    """In plain data as in the record."""
    (removed,) = compare_json({"a": None}, {}, "$")
    assert removed.to_json() == {"path": "$.a", "before": None}
    (added,) = compare_json({}, {"a": None}, "$")
    assert added.to_json() == {"path": "$.a", "after": None}
