"""Splits: by lists of ids, and by fractions that never move a group."""

from __future__ import annotations

import hashlib
from typing import Any

import pytest
import rfc8785

from robust import Case, Manifest, ManifestError, UsageError
from robust.manifest.splits import place_of_group
from robust.records.manifest import SplitRule
from tests.builders import valid_variant


def cases(*names: str) -> list[Case]:
    return [Case(f"question {name}", case_id=name, source_id=name) for name in names]


def refusal(splits: Any, *names: str) -> list[tuple[str, str | None]]:
    with pytest.raises(ManifestError) as caught:
        Manifest.build("name", cases=cases(*names), splits=splits)
    return [(problem.code, problem.path) for problem in caught.value.problems]


def test_lists_say_where_each_case_goes() -> None:
    """And the cases of one split can be had."""
    manifest = Manifest.build(
        "name", cases=cases("a", "b", "c"), splits={"test": ["c", "a"], "dev": ["b"], "empty": []}
    )
    assert manifest.splits == {"dev": ("b",), "empty": (), "test": ("a", "c")}
    assert [case.case_id for case in manifest.cases_in("test")] == ["a", "c"]
    assert manifest.cases_in("empty") == []
    with pytest.raises(UsageError) as caught:
        manifest.cases_in("tset")
    assert caught.value.code == "unknown_split"


def test_a_variant_that_is_not_listed_goes_with_its_base() -> None:
    """It is enough to place the bases."""
    manifest = Manifest.build(
        "name", cases=cases("a"), validations=[valid_variant()], splits={"x": ["base"], "y": ["a"]}
    )
    assert manifest.splits == {"x": ("base", "variant-5"), "y": ("a",)}


def test_every_mistake_in_the_lists_is_named() -> None:
    """Unknown ids, ids in two lists, and cases in none."""
    assert refusal({"x": ["a", "z"], "y": ["a"]}, "a", "b") == [
        ("unknown_case", "splits.x"),
        ("split_twice", "splits.y"),
        ("split_missing", "splits"),
    ]


@pytest.mark.parametrize(
    "splits",
    [
        {"x": 0.5, "y": 0.6},
        {"x": 1.5, "y": -0.5},
        {"x": 1.0, "y": 0.0},
        {"x": 0.5, "y": ["a"]},
        {"x": "a"},
        {"": ["a"]},
        {"a\nb": ["a"]},
        {"x": float("nan")},
        {"x": 10**400},
        {"x": 10**5000},
        {"x": True},
    ],
)
def test_a_plan_that_cannot_be_is_refused(splits: Any) -> None:
    """Fractions that do not sum to 1, mixtures, and impossible names."""
    assert refusal(splits, "a")[0][0] == "bad_split"


def test_the_place_of_a_group_is_the_specified_number() -> None:
    """The first 53 bits of SHA-256 over the canonical form of rule, salt and folded source."""
    rule = SplitRule(salt="s", fractions={"a": 0.3, "b": 0.3, "c": 0.4})
    for number in range(200):
        source = f"source {number}"
        raw = hashlib.sha256(rfc8785.dumps(["robust.split/1", "s", source])).digest()
        place = (int.from_bytes(raw[:8], "big") >> 11) / 2**53
        assert place_of_group(source, rule) == ("a" if place < 0.3 else "b" if place < 0.6 else "c")


def test_everything_can_be_in_one_split_that_is_named() -> None:
    """Variants too; there is no rule that would deal to it."""
    manifest = Manifest.build("name", cases=cases("a"), validations=[valid_variant()], splits="test")
    assert manifest.splits == {"test": ("a", "base", "variant-5")}
    assert manifest.header["split_rule"] is None
    again = Manifest.build(
        "name", cases=cases("a"), validations=[valid_variant()], splits={"test": ["a", "base", "variant-5"]}
    )
    assert again == manifest


def test_fractions_are_written_into_the_header() -> None:
    """With the salt, so that the deal can be repeated."""
    manifest = Manifest.build("name", cases=cases("a"), splits={"x": 0.5, "y": 0.5}, salt="2026")
    assert manifest.header["split_rule"] == {"salt": "2026", "fractions": {"x": 0.5, "y": 0.5}}
    assert Manifest.build("name", cases=cases("a")).header["split_rule"] is None


def test_another_salt_is_another_deal() -> None:
    """Of a hundred groups some move."""
    names = [f"c{number}" for number in range(100)]

    def deal(salt: str) -> Any:
        return Manifest.build("n", cases=cases(*names), splits={"x": 0.5, "y": 0.5}, salt=salt).splits

    assert deal("one") == deal("one") != deal("two")
    assert 30 < len(deal("one")["x"]) < 70
