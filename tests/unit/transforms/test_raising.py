"""The property ``monotonic``: a number of the input raised."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from robust.canon import RandomStream, canonical_bytes, parse_canonical
from robust.errors import DataError
from robust.records.properties import Monotonic
from robust.transforms.candidate import StepError
from robust.transforms.raising import MonotonicTransformation

SAFE = 2**53 - 1


def _monotonic(*deltas: float) -> MonotonicTransformation:
    return MonotonicTransformation(Monotonic(field="n", deltas=deltas or (1.0,)))


def _generate(shown: Any, *deltas: float) -> Any:
    return _monotonic(*deltas).generate(shown, RandomStream(1))


def test_each_delta_is_added_in_turn() -> None:
    """In the contract's order; the rest of the object stays, and so does the given one."""
    shown = {"n": 5, "text": "x", "list": [1]}
    made = _generate(shown, 1.0, 0.5, 100.0)
    assert [candidate.input for candidate in made] == [{**shown, "n": n} for n in (6, 5.5, 105)]
    assert [candidate.steps for candidate in made] == [({"field": "n", "delta": d},) for d in (1, 0.5, 100)]
    assert shown["n"] == 5


@pytest.mark.parametrize("shown", ["5", {}, {"n": "5"}, {"n": None}, {"n": True}, {"n": [5]}, {"m": {"n": 5}}])
def test_a_case_without_the_number_is_skipped(shown: Any) -> None:
    """Text is none, even text of digits, and neither is a flag."""
    assert _generate(shown) == "no_number"


def test_sums_that_are_none_give_no_candidate() -> None:
    """Beyond all doubles, or lost in the number; two deltas to one sum are one candidate."""
    assert _generate({"n": 1.7e308}, 1e308) == "nothing_changes"
    assert _generate({"n": 1e300}, 1.0) == "nothing_changes"
    assert [candidate.input for candidate in _generate({"n": 1e16}, 2.0, 2.5, 1e308)] == [
        {"n": 1e16 + 2},
        {"n": 1e308},
    ]


@given(
    st.one_of(st.integers(-SAFE, SAFE), st.floats(allow_nan=False, allow_infinity=False)),
    st.lists(st.floats(1e-9, 1e25), min_size=1, max_size=3),
)
def test_whatever_is_made_survives_json(number: float, deltas: list[float]) -> None:
    """And is made again, in the same bytes, of what was stored: 9007199254740992.0 is read as an integer."""
    try:
        stored = canonical_bytes({"n": number})
    except DataError:
        return
    made, again = _generate({"n": number}, *deltas), _generate(parse_canonical(stored), *deltas)
    if isinstance(made, str):
        assert made == again == "nothing_changes"
        return
    assert [canonical_bytes([list(c.steps), c.input]) for c in made] == [
        canonical_bytes([list(c.steps), c.input]) for c in again
    ]
    for candidate in made:
        assert candidate.input["n"] > number
        steps = parse_canonical(canonical_bytes(list(candidate.steps)))
        assert _monotonic(*deltas).apply({"n": number}, tuple(steps)) == candidate


@pytest.mark.parametrize(
    "steps",
    [
        (),
        ({"field": "n"},),
        ({"field": "m", "delta": 1},),
        ({"field": "n", "delta": 2},),
        ({"field": "n", "delta": -1},),
        ({"field": "n", "delta": [1]},),
        ({"field": "n", "delta": True},),
        ({"field": "n", "delta": None},),
        ({"field": "n", "delta": 1}, {"field": "n", "delta": 1}),
    ],
)
def test_steps_of_something_else_are_refused(steps: Any) -> None:
    """Another field, or a delta that is not configured."""
    with pytest.raises(StepError):
        _monotonic().apply({"n": 5}, steps)
    with pytest.raises(StepError):
        _monotonic().apply({"n": "5"}, ({"field": "n", "delta": 1},))


def test_a_sum_has_no_smaller_form() -> None:
    """It is one step."""
    assert list(_monotonic().smaller(({"field": "n", "delta": 1},))) == []
