"""Which part of an input a relation of the catalog changes."""

from __future__ import annotations

from collections import OrderedDict
from typing import Any

import pytest

from robust import Relation, order_invariant
from robust.errors import DataError, UsageError
from robust.relations.place import place_of
from robust.relations.relation import NotApplicable


def reversed_items(**options: Any) -> Relation:
    return order_invariant(reorder="reverse", **options)


def test_the_whole_input_is_changed_where_nothing_else_is_said() -> None:
    """A list becomes another list."""
    assert reversed_items().variant([1, 2]) == [2, 1]


def test_a_field_is_changed_and_nothing_else() -> None:
    """The other fields, and the kind of dict, stay; the given one is not touched."""
    given = OrderedDict(options=[1, 2], question="?")
    changed = place_of("options", None, None).put(given, [2, 1])
    assert changed == OrderedDict(options=[2, 1], question="?")
    assert type(changed) is OrderedDict
    assert given["options"] == [1, 2]


@pytest.mark.parametrize("given", [{"other": [1, 2]}, [1, 2], "text", None])
def test_an_input_without_the_field_is_skipped_with_the_reason(given: Any) -> None:
    """It names the field: a field that is misspelled must not look like a pass."""
    with pytest.raises(NotApplicable, match="'options'"):
        reversed_items(field="options").variant(given)


def test_two_functions_get_and_set_a_part() -> None:
    """Of any input; the setter gets a copy."""
    relation = reversed_items(get=lambda given: given["a"]["b"], set=lambda given, part: {**given, "a": {"b": part}})
    assert relation.variant({"a": {"b": [1, 2]}, "c": 3}) == {"a": {"b": [2, 1]}, "c": 3}


def test_a_setter_that_returns_nothing_is_an_error() -> None:
    """It would make every variant None."""

    def setter(given: dict[str, Any], part: Any) -> None:
        given["a"] = part

    with pytest.raises(DataError, match="return the input with the new part"):
        reversed_items(get=lambda given: given["a"], set=setter).variant({"a": [1, 2]})


@pytest.mark.parametrize(
    "options",
    [
        {"get": lambda given: given},
        {"set": lambda _, part: part},
        {"field": "a", "get": lambda given: given, "set": lambda _, part: part},
        {"get": "a", "set": "a"},
    ],
)
def test_a_place_that_is_not_clear_is_refused(options: Any) -> None:
    """With what to give instead."""
    with pytest.raises(UsageError, match="field=, or both get= and set="):
        reversed_items(**options)


def test_a_relation_is_named_after_its_place() -> None:
    """So that two of them in one check have two names; a name of the caller's own goes before."""

    def retrieved(given: Any) -> Any:
        return given

    assert order_invariant().name == "order_invariant"
    assert order_invariant("options").name == "order_invariant(options)"
    assert order_invariant(get=retrieved, set=lambda _, part: part).name == "order_invariant(retrieved)"
    assert order_invariant(get=lambda given: given, set=lambda _, part: part).name == "order_invariant(part)"
    assert order_invariant("options", name="any order").name == "any order"
    assert order_invariant("line\nbreak" * 40).name.isprintable()


def test_options_reach_the_relation_and_unknown_ones_are_refused() -> None:
    """With the options that there are."""

    def oracle(*_: Any) -> Any: ...

    relation = order_invariant(seed=7, oracle=oracle, assertion=lambda before, after: before == after)
    assert (relation.seed, relation.oracle) == (7, oracle)
    with pytest.raises(UsageError, match=r"no option 'sed'; one of assertion, get, name, oracle, seed, set"):
        order_invariant(sed=7)  # type: ignore[call-arg]
