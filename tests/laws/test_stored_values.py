"""Laws of values as JSON, as keys and as copies."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from robust.canon import canonical_bytes, read_json
from robust.relations.closeness import Tolerance, same
from robust.relations.stored_value import detached, is_opaque, key_of_value, stored, thawed

HASHABLE = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(allow_nan=False),
    st.text(st.characters()),
    st.binary(max_size=8),
    st.decimals(allow_nan=False),
    st.fractions(),
    st.complex_numbers(allow_nan=False),
    st.dates(),
    st.datetimes(),
    st.times(),
    st.timedeltas(),
)
VALUES = st.recursive(
    HASHABLE,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.lists(inner, max_size=4).map(tuple),
        st.dictionaries(st.one_of(st.text(max_size=4), st.integers(), st.just("$type")), inner, max_size=4),
        st.frozensets(HASHABLE, max_size=4),
        st.sets(st.text(max_size=4), max_size=4),
    ),
    max_leaves=12,
)


def typed(value: Any) -> str:
    """A text that tells values of other types apart, and no order of keys."""
    if isinstance(value, dict):
        return f"{{{sorted((typed(key), typed(item)) for key, item in value.items())}}}"
    if isinstance(value, set | frozenset):
        return f"{type(value).__name__}{sorted(map(typed, value))}"
    if isinstance(value, list | tuple):
        return f"{type(value).__name__}{[typed(item) for item in value]}"
    return f"{type(value).__name__}:{value!r}"


@given(VALUES)
def test_a_stored_value_comes_back_as_it_was(value: Any) -> None:
    """By way of canonical bytes."""
    form = stored(value)
    assert not is_opaque(form)
    assert typed(thawed(read_json(canonical_bytes(form)))) == typed(value)


@given(VALUES)
def test_a_copy_is_equal_and_has_the_same_key(value: Any) -> None:
    """And changing it does not change the value."""
    copy = detached(value)
    assert typed(copy) == typed(value)
    assert key_of_value(copy) == key_of_value(value)


@given(VALUES, VALUES)
def test_keys_are_equal_where_the_stored_forms_are(one: Any, other: Any) -> None:
    """And only there."""
    forms = canonical_bytes(stored(one)) == canonical_bytes(stored(other))
    assert (key_of_value(one) == key_of_value(other)) == forms


NUMBERS = st.one_of(
    st.integers(),
    st.floats(),
    st.decimals(),
    st.fractions(),
    st.booleans(),
    st.sampled_from([0.0, -0.0, 1e-9, 1.0, 1.0 + 5e-10, 10**400, 1e308, -1e308]),
)
TOLERANCES = st.builds(
    Tolerance,
    st.none() | st.floats(0, 1, exclude_max=True, allow_subnormal=False),
    st.floats(0, 1e6, allow_subnormal=False),
)


@given(NUMBERS, NUMBERS, TOLERANCES)
def test_being_the_same_is_symmetric_and_true_of_itself(one: Any, other: Any, tolerance: Tolerance) -> None:
    """Whatever the numbers and the tolerance are."""
    assert same(one, other, tolerance) == same(other, one, tolerance)
    assert same(one, one, tolerance)


@given(NUMBERS, NUMBERS, TOLERANCES)
def test_a_wider_tolerance_takes_no_pair_away(one: Any, other: Any, tolerance: Tolerance) -> None:
    """What is the same stays the same."""
    wider = Tolerance(tolerance.for_floats(), tolerance.absolute * 2 + 1)
    assert not same(one, other, tolerance) or same(one, other, wider)


@given(VALUES)
def test_every_stored_value_is_the_same_as_itself(value: Any) -> None:
    """Also after it was stored."""
    assert same(value, thawed(stored(value)), Tolerance())
