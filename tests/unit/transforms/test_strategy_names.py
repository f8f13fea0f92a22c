"""Strategies by name, the ids of candidates, and the text that is edited."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from robust.canon import nfc
from robust.errors import UsageError
from robust.records.replacement import Replacement
from robust.transforms.candidate_ids import candidate_id, id_word, id_words
from robust.transforms.strategies import ABOUT, BUILT_IN, SETS, TABLES, rewrites, strategies_named
from robust.transforms.text_leaf import leaf_path, text_at_leaf, text_leaf, with_text_at_leaf
from robust.transforms.typing_errors import TypoDrop
from tests.laws.strategies import ids

TABLE = rewrites([Replacement("a", "b")])


def test_every_strategy_is_told_of_and_named_as_ids_can_be() -> None:
    """Small letters and hyphens."""
    assert set(ABOUT) == {*BUILT_IN, *TABLES}
    for name in ABOUT:
        assert id_word(name) == name == name.lower()
    assert {name for names in SETS.values() for name in names} == set(BUILT_IN)


def test_names_and_sets_give_each_strategy_once() -> None:
    """In their order; a table is used, whether it is named or not."""
    chosen = strategies_named(["typo-drop", "typos", "letter-case"])
    assert [each.name for each in chosen] == ["typo-drop", "typo-neighbour", "typo-swap", "letter-case"]
    assert [each.name for each in strategies_named(["rewrites", "negation"], [TABLE])] == ["rewrites", "negation"]
    assert strategies_named([], [TABLE]) == (TABLE,)
    own = TypoDrop()
    assert strategies_named([own, own]) == (own,)


@pytest.mark.parametrize(
    ("names", "code", "hint"),
    [
        ([], "no_strategies", "use typo-neighbour"),
        (["typpos"], "unknown_strategy", "did you mean typos?"),
        (["☃"], "unknown_strategy", "use typo-neighbour"),
        (["synonyms"], "no_table", "--synonyms"),
        (["typo-drop", TypoDrop()], "two_strategies", ""),
        ([TypoDrop(), TypoDrop()], "two_strategies", ""),
        ([5], "bad_strategy", "not an integer"),
        ([TypoDrop], "bad_strategy", "an object with name, relation and edit(text, stream)"),
        ([SimpleNamespace(name="own", relation="invariant")], "bad_strategy", "an object with"),
        ([SimpleNamespace(name=5, relation="invariant", edit=print)], "bad_strategy", "name must be short text"),
        ([SimpleNamespace(name="a\nb", relation="invariant", edit=print)], "bad_strategy", "name must be short text"),
        ([SimpleNamespace(name="own", relation=None, edit=print)], "unknown_relation", "null is not a relation"),
    ],
)
def test_what_cannot_be_chosen_is_refused(names: list[Any], code: str, hint: str) -> None:
    """With what to do about it."""
    with pytest.raises(UsageError) as caught:
        strategies_named(names, [TABLE] if names else [])
    assert caught.value.code == code
    assert hint in str(caught.value)


@given(st.lists(ids, min_size=1, max_size=5), st.integers(1, 3))
def test_ids_of_candidates_fit_and_differ(names: list[str], count: int) -> None:
    """Also of parents that are as long as they may be, and of such as end like shortened ones."""
    parents = {form for name in names for form in (name, name.ljust(256, "x"), f"{name}~{'0' * 32}")}
    distinct = {nfc(parent): parent for parent in parents}.values()
    numbers = range(count)
    made = [candidate_id(parent, "typo-swap", number, lambda _: False) for parent in distinct for number in numbers]
    assert all(len(name) <= 256 for name in made)
    assert len({nfc(name) for name in made}) == len(distinct) * count


@given(st.sets(st.text(max_size=80).filter(str.isprintable), min_size=1, max_size=6))
def test_words_of_different_names_differ(names: set[str]) -> None:
    """Also of names that would look alike in an id, such as "a b" and "a-b"."""
    names |= {f"{name} b" for name in names} | {f"{name}-b" for name in names} | {"K", "\u212a", "x" * 70, "x" * 71}
    words = id_words(names)
    assert words.keys() == names
    assert len({nfc(word) for word in words.values()}) == len(names)
    assert id_words(["typo-drop", "own"]) == {"typo-drop": "typo-drop", "own": "own"}


def test_an_id_that_is_taken_is_not_given_again() -> None:
    """However many of its forms are."""
    taken = {"a~x-0"}
    second = candidate_id("a", "x", 0, taken.__contains__)
    assert second != "a~x-0"
    assert second.startswith("a~")
    assert second.endswith("~x-0")
    assert candidate_id("a", "x", 0, {*taken, second}.__contains__) not in {*taken, second}


def test_a_free_text_becomes_part_of_an_id() -> None:
    """Without what ids or shells have trouble with."""
    assert id_word("nlpaug: KeyboardAug(p=0.1)\n") == "nlpaug-KeyboardAug-p-0.1"
    assert id_word("~/ \x00") == "candidate"
    assert len(id_word("é" * 300)) == 64


@pytest.mark.parametrize(
    ("shown", "field", "leaf"),
    [
        ("text", None, ()),
        ("text", "question", ()),
        ({"question": "text", "n": 1}, None, ("question",)),
        ({"question": "text", "context": "more"}, None, None),
        ({"question": "text", "context": "more"}, "context", ("context",)),
        ({"question": "text"}, "context", None),
        ({"question": 5}, "question", None),
        ({"turns": [{"n": 1, "said": "text"}]}, None, ("turns", 0, "said")),
        ({}, None, None),
        ({"": {"a b": ["text"]}}, None, ("", "a b", 0)),
    ],
)
def test_the_text_is_the_named_or_the_only_one(shown: Any, field: str | None, leaf: Any) -> None:
    """Never one of several, which would be a guess; the rest of the input stays, and so does the input itself."""
    assert text_leaf(shown, field) == leaf
    if leaf is not None:
        before = repr(shown)
        assert text_at_leaf(shown, leaf) in ("text", "more")
        changed = with_text_at_leaf(shown, leaf, "new")
        assert repr(shown) == before
        assert text_at_leaf(changed, leaf) == "new"
        assert repr(changed) == before.replace(repr(text_at_leaf(shown, leaf)), "'new'")


def test_a_leaf_has_a_path() -> None:
    """As errors show it."""
    assert leaf_path(("turns", 0, "a b")) == '$.turns[0]["a b"]'
