"""Items and blocks in another order."""

from __future__ import annotations

from collections import namedtuple
from typing import Any

import pytest

from robust import order_invariant, permute_blocks
from robust.errors import DataError, UsageError
from robust.relations.moved_items import order_between, simpler_orders, simpler_subsets
from robust.relations.relation import NotApplicable, Relation

SAMPLES = range(30)


def variants(relation: Relation, given: Any) -> list[Any]:
    return [relation.variant(given, sample) for sample in SAMPLES]


def test_the_order_that_items_have_is_never_drawn() -> None:
    """Two items change places in every sample; of three all five other orders come."""
    assert variants(order_invariant(), ["a", "b"]) == [["b", "a"]] * 30
    assert len({tuple(each) for each in variants(order_invariant(), ["a", "b", "c"])}) == 5


def test_rotation_brings_every_item_to_every_place() -> None:
    """And keeps who follows whom."""
    found = {tuple(each) for each in variants(order_invariant(reorder="rotate"), [1, 2, 3, 4])}
    assert found == {(2, 3, 4, 1), (3, 4, 1, 2), (4, 1, 2, 3)}


def test_a_reversal_is_made_once() -> None:
    """There is one only, and a check needs to know."""
    relation = order_invariant(reorder="reverse")
    assert relation.deterministic
    assert relation.variant((1, 2, 3)) == (3, 2, 1)


def test_tuples_stay_what_they_are() -> None:
    """A named one too."""
    pair = namedtuple("pair", "first second")
    changed = order_invariant().variant(pair(1, 2))
    assert changed == (2, 1)
    assert type(changed) is pair


@pytest.mark.parametrize("given", [[], [1], (), "ab", None, 3, {"a": 1}, {1, 2}, b"ab"])
def test_fewer_than_two_items_are_skipped(given: Any) -> None:
    """And so is what has no order of items."""
    with pytest.raises(NotApplicable):
        order_invariant().variant(given)


def test_a_sum_that_is_rounded_otherwise_is_no_contradiction() -> None:
    """A correct system cannot help it."""
    relation = order_invariant()
    variants_of_three = {tuple(each) for each in variants(relation, [0.1, 0.2, 0.3])}
    sums = {sum(each) for each in variants_of_three}
    assert len(sums) > 1
    assert all(relation.judged_by.holds(sum([0.1, 0.2, 0.3]), each) for each in sums)


def test_an_order_of_very_many_items_takes_no_memory_of_its_square() -> None:
    """Nor do simpler ones, which come one by one."""
    items = list(range(50_000))
    relation = order_invariant()
    variant = relation.variant(items)
    assert relation.shrink is not None
    simpler = next(iter(relation.shrink(items, variant)))
    assert sum(one != other for one, other in zip(simpler, items, strict=True)) == 2
    assert next(simpler_subsets(items)) == [0]


def test_items_that_nothing_can_be_said_of_are_moved_all_the_same() -> None:
    """Lists, dicts, NaN, duplicates."""
    items: list[Any] = [[1], {"a": float("nan")}, float("nan"), None, None]
    found = order_invariant().variant(items)
    assert sorted(map(repr, found)) == sorted(map(repr, items))


def test_a_reordering_shrinks_to_two_items_that_change_places() -> None:
    """Simplest first, and each simpler than what was given."""
    relation = order_invariant("items")
    base = {"items": list("abcdef"), "other": 1}
    variant = {"items": list("bcafed"), "other": 1}
    assert relation.shrink is not None
    simpler = list(relation.shrink(base, variant))
    assert simpler[0] == {"items": list("bacdef"), "other": 1}
    moved = [sum(one != other for one, other in zip(each["items"], "abcdef", strict=True)) for each in simpler]
    assert moved[0] == 2
    assert max(moved) < 5
    assert list(relation.shrink(base, {"items": list("bacdef"), "other": 1})) == []
    assert list(relation.shrink(base, {"items": 3})) == []


def test_an_order_is_told_from_two_lists_with_duplicates() -> None:
    """Equal items keep their place where they can; other items are no reordering."""
    assert order_between(["a", "a", "b"], ["a", "b", "a"]) == [0, 2, 1]
    assert order_between([[1], [2]], [[2], [1]]) == [1, 0]
    assert order_between(["a"], ["b"]) is None
    assert order_between(["a"], ["a", "a"]) is None
    assert list(simpler_orders([0, 1])) == list(simpler_orders([1, 0])) == []


def test_items_that_can_be_neither_shown_nor_stored_are_told_apart_all_the_same() -> None:
    """Very deep ones, and objects whose own code raises."""

    class Unruly:
        def __repr__(self) -> str:
            raise ValueError("no")

        def __reduce_ex__(self, protocol: Any) -> Any:
            raise ValueError("no")

    item: Any = []
    for _ in range(5000):
        item = [item]
    for odd in (item, Unruly()):
        assert order_between([odd, 1], [1, odd]) == [1, 0]
        assert order_between([odd, 1], [1, Unruly()]) is None


def test_smaller_sets_come_smallest_first_and_once() -> None:
    """Of two there are only the two."""
    assert list(simpler_subsets("ab")) == [["a"], ["b"]]
    assert list(simpler_subsets("a")) == list(simpler_subsets("")) == []
    found = list(simpler_subsets("abcd"))
    assert found[:4] == [["a"], ["b"], ["c"], ["d"]]
    assert len({tuple(each) for each in found}) == len(found)
    assert ["a", "b", "c", "d"] not in found


@pytest.mark.parametrize("reorder", ["shuffled", None, 1, ""])
def test_an_unknown_way_to_reorder_is_refused(reorder: Any) -> None:
    """With those that there are."""
    with pytest.raises(UsageError, match="shuffle, rotate, reverse"):
        order_invariant(reorder=reorder)


def test_paragraphs_change_places_and_stay_as_they_are() -> None:
    """What stands between and around them stays where it is."""
    found = set(variants(permute_blocks(), "\nOne\nline.\n \n\nTwo.\n"))
    assert found == {"\nTwo.\n \n\nOne\nline.\n"}
    assert set(variants(permute_blocks(), "  a\r\n\r\nb")) == {"b\r\n\r\n  a"}


def test_blocks_of_lines_stand_between_blank_lines() -> None:
    """Of a list or a tuple."""
    assert permute_blocks().variant(["a", "b", "", " ", "c"]) == ["c", "", " ", "a", "b"]
    assert permute_blocks().variant(("", "a", "", "b")) == ("", "b", "", "a")


@pytest.mark.parametrize("given", ["", " \n\n ", "one", "one\nblock", [], ["a", "b"], [1, 2], None, ["", ""]])
def test_fewer_than_two_blocks_are_skipped(given: Any) -> None:
    """And so is what has no blocks."""
    with pytest.raises(NotApplicable):
        permute_blocks().variant(given)


def test_a_splitter_tells_what_the_blocks_are() -> None:
    """With a joiner where it is needed."""
    sentences = permute_blocks(splitter=lambda text: text.split(". "), joiner=". ".join)
    assert sentences.variant("Two. One") == "One. Two"
    chunks = permute_blocks(splitter=lambda items: [items[:2], items[2:]])
    assert chunks.variant([1, 2, 3]) == [3, 1, 2]
    assert sentences.shrink is not None
    assert next(iter(sentences.shrink("a. b. c", "b. c. a"))) == "b. a. c"


def test_a_splitter_that_loses_something_is_an_error() -> None:
    """A variant that lost text would be unfair."""
    with pytest.raises(DataError, match="loses or adds"):
        permute_blocks(splitter=lambda text: text.split(". ")).variant("One. Two")
    with pytest.raises(DataError, match="joiner="):
        permute_blocks(splitter=lambda given: list(given.items())).variant({"a": 1, "b": 2})


def test_what_cannot_split_or_join_is_refused() -> None:
    """At once, not at the first input."""
    with pytest.raises(UsageError, match="must be functions"):
        permute_blocks(splitter="\n")  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="there is no splitter"):
        permute_blocks(joiner="".join)
