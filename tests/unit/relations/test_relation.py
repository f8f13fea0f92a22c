"""Relations: what a transform is called with, and what its variants depend on."""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from robust import NotApplicable, Relation, UsageError, unchanged


def shuffled(items: list[int], source: random.Random) -> list[int]:
    source.shuffle(items)
    return items


def optional_source(items: list[int], rng: random.Random | None = None) -> list[int]:
    assert rng is not None
    return shuffled(items, rng)


def named_source(items: list[int], *, random: random.Random) -> list[int]:
    return shuffled(items, random)


def with_default(items: list[int], times: int = 2) -> list[int]:
    return items * times


class Reordering:
    """A transform that is an object."""

    def __call__(self, items: list[int], source: random.Random) -> list[int]:
        return shuffled(items, source)


BASE = list(range(12))


@pytest.mark.parametrize("transform", [shuffled, optional_source, named_source, Reordering(), Reordering().__call__])
def test_a_transform_that_takes_a_source_is_given_one(transform: Callable[..., Any]) -> None:
    """By its place or by its name, and all of them the same one."""
    made = Relation("order", transform, unchanged()).variant(BASE, 3)
    assert sorted(made) == BASE
    assert made == Relation("order", shuffled, unchanged()).variant(BASE, 3)


@pytest.mark.parametrize("transform", [with_default, partial(with_default, times=2), lambda *values: values[0] * 2])
def test_a_transform_that_takes_the_input_alone_is_given_nothing_else(transform: Callable[..., Any]) -> None:
    """A second parameter with a default is its own."""
    assert Relation("twice", transform, unchanged()).variant([1]) == [1, 1]


def test_a_function_without_a_signature_takes_the_input() -> None:
    """Such as a type, or one that is written in C."""
    assert Relation("text", str, unchanged()).variant(5) == "5"
    assert Relation("upper", str.upper, unchanged()).variant("a") == "A"


def test_variants_depend_on_seed_name_input_and_sample_alone() -> None:
    """Not on what was made before, and on each of these."""
    relation = Relation("order", shuffled, unchanged())
    first = relation.variant(BASE, 0)
    random.seed(1)
    assert relation.variant(BASE, 5) != first
    assert relation.variant(BASE, 0) == first
    assert list(range(12)) == BASE
    assert relation.variant(BASE, 0, seed=1) != first
    assert Relation("other", shuffled, unchanged()).variant(BASE, 0) != first
    assert Relation("order", shuffled, unchanged(), seed=1).variant(BASE, 0) == relation.variant(BASE, 0, seed=1)
    assert [item - 100 for item in relation.variant([item + 100 for item in BASE], 0)] != first


def test_a_variant_is_the_same_on_every_platform() -> None:
    """These are golden."""
    relation = Relation("order", shuffled, unchanged())
    assert relation.variant([1, 2, 3, 4, 5, 6, 7, 8], 0) == GOLDEN


GOLDEN = [2, 4, 7, 1, 5, 6, 3, 8]


def test_a_function_of_two_outputs_is_an_assertion() -> None:
    """And judged by its truth."""
    relation = Relation("longer", str.upper, lambda before, after: len(after) >= len(before))
    assert relation.judged_by.holds("a", "ab")
    assert not relation.judged_by.holds("ab", "a")


def test_equal_relations_are_equal() -> None:
    """They can be kept in a set."""
    assertion = unchanged()
    assert Relation("order", shuffled, assertion) == Relation("order", shuffled, assertion)


def test_a_reason_not_to_apply_is_kept() -> None:
    """It is what reports show."""
    assert NotApplicable("one item").reason == "one item"
    assert NotApplicable().reason == ""


@pytest.mark.parametrize(
    "arguments",
    [
        {"name": ""},
        {"name": "a\nb"},
        {"name": 5},
        {"name": "x" * 257},
        {"transform": None},
        {"transform": lambda: 1},
        {"transform": lambda one, two, three: 1},
        {"transform": lambda one, *, need: 1},
        {"assertion": "equal"},
        {"deterministic": 1},
        {"seed": 1.5},
        {"seed": 2**53},
        {"shrink": "no"},
        {"kind": "same"},
    ],
)
def test_what_makes_no_relation_is_refused(arguments: dict[str, Any]) -> None:
    """At once, by the name of the argument."""
    given: dict[str, Any] = {"name": "fine", "transform": str.upper, "assertion": unchanged(), **arguments}
    with pytest.raises(UsageError):
        Relation(**given)
