"""Splitting what is built already: frozen cases move only when that is asked for."""

from __future__ import annotations

from typing import Any

import pytest

from robust import Case, Manifest, ManifestError
from tests.builders import valid_variant


def case(case_id: str, source: str | None = None) -> Case:
    return Case(f"question {case_id}", 1, case_id=case_id, source_id=source or case_id)


def manifest() -> Manifest:
    cases = [case("a"), case("b", "pair"), case("c", "Pair "), case("d")]
    return Manifest.build("m", cases=cases, validations=[valid_variant()], provenance={"from": "desk"})


def codes(call: Any, **arguments: Any) -> list[tuple[str, str | None]]:
    with pytest.raises(ManifestError) as caught:
        call(**arguments)
    return [(problem.code, problem.path) for problem in caught.value.problems]


def test_fractions_deal_as_building_with_them_does() -> None:
    """The same splits, the same rule, and the same lines."""
    old = manifest()
    new = old.split({"dev": 0.4, "test": 0.6}, salt="s")
    built = Manifest.build(
        "m", cases=[case for case in old.cases if case.origin is None and case.case_id != "base"],
        validations=old.validations, splits={"dev": 0.4, "test": 0.6}, salt="s",
    )  # fmt: skip
    assert list(new.lines())[1:] == list(built.lines())[1:]
    assert new.header["split_rule"] == {"salt": "s", "fractions": {"dev": 0.4, "test": 0.6}}


def test_lists_take_the_whole_source_group_along() -> None:
    """A variant goes with its base, and a spelling of a source with the other."""
    new = manifest().split({"dev": ["b", "base"], "test": ["a", "d"]})
    assert new.splits == {"dev": ("b", "base", "c", "variant-5"), "test": ("a", "d")}


def test_a_rest_takes_the_groups_that_are_in_no_list() -> None:
    """But no member of a listed group."""
    new = manifest().split({"dev": ["c"]}, rest="test")
    assert new.splits == {"dev": ("b", "c"), "test": ("a", "base", "d", "variant-5")}


def test_the_new_manifest_says_what_it_was_made_from_and_extends_nothing() -> None:
    """Provenance is kept; ``parent`` would promise that nothing moved."""
    old = manifest()
    new = old.split({"dev": ["b"]}, rest="test", name="n")
    assert (new.name, new.parent) == ("n", None)
    told = {"operation": "split", "manifests": [{"digest": old.digest, "name": "m"}]}
    assert new.provenance == {"from": "desk", "made_from": told}
    assert new.validations == old.validations


def test_frozen_splits_are_kept_unless_asked_for() -> None:
    """The error names the splits; with ``resplit`` cases may move."""
    frozen = manifest().split({"dev": ["b"]}, rest="test")
    assert codes(frozen.split, splits={"x": 0.5, "y": 0.5}) == [("frozen_splits", "splits")]
    assert set(frozen.split({"all": 1.0}, resplit=True).splits) == {"all"}


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({"splits": {}}, [("bad_split", "splits")]),
        ({"splits": {}, "rest": "z"}, [("bad_split", "splits")]),
        ({"splits": None}, [("bad_split", "splits")]),
        ({"splits": 5}, [("bad_split", "splits")]),
        ({"splits": {"x": 0.5, "y": 0.5}, "rest": "z"}, [("bad_split", "rest")]),
        ({"splits": {"x": ["a"]}, "rest": " "}, [("bad_split", "rest")]),
        ({"splits": {"x": "a"}}, [("bad_split", "splits.x")]),
        ({"splits": {"x": ["a", "nobody", 7]}, "rest": "z"}, [("unknown_case", "splits.x")] * 2),
        ({"splits": {"x": ["a"], "y": ["a"]}, "rest": "z"}, [("split_twice", "splits.y")]),
        ({"splits": {"x": ["b"], "y": ["c"]}, "rest": "z"}, [("split_leak", "case 'c'")]),
        ({"splits": {"x": ["a", "base"]}}, [("split_missing", "splits")] * 3),
        ({"splits": {"x": ["a"]}, "rest": "z", "name": "\n"}, [("bad_name", "name")]),
    ],
)
def test_a_plan_that_cannot_be_is_refused(arguments: Any, expected: Any) -> None:
    """Every problem at once."""
    assert codes(manifest().split, **arguments) == expected


def test_lists_may_be_read_once_only() -> None:
    """A generator of ids is as good as a list."""
    plan: Any = {"dev": (each for each in ("b",))}
    assert manifest().split(plan, rest="test").splits["dev"] == ("b", "c")
