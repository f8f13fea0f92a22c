"""The property ``option_order``: the same labels in another order."""

from __future__ import annotations

from collections import Counter
from itertools import permutations
from math import factorial
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from robust.canon import RandomStream
from robust.records.properties import OptionOrder
from robust.transforms.candidate import Candidate, StepError
from robust.transforms.order import OptionOrderTransformation

ABC = ("a", "b", "c")


def _made(labels: tuple[str, ...], samples: int, *parts: object) -> list[Candidate]:
    settings = OptionOrder(samples=samples, max_flip_rate=0)
    made = OptionOrderTransformation(settings, labels).generate("x", RandomStream(*parts))
    assert isinstance(made, list)
    return made


def _order(labels: tuple[str, ...] = ABC) -> OptionOrderTransformation:
    return OptionOrderTransformation(OptionOrder(max_flip_rate=0), labels)


def test_candidates_show_the_same_input_with_the_labels_in_other_orders() -> None:
    """All five others of three labels, each once; the forms of the labels stay."""
    made = _made(ABC, 100, 1)
    shown = [tuple(label for label, _ in candidate.presentation or ()) for candidate in made]
    assert sorted(shown) == sorted(set(permutations(ABC)) - {ABC})
    for candidate in made:
        assert candidate.input == "x"
        assert all(form == label for form, label in candidate.presentation or ())
        (step,) = candidate.steps
        assert [ABC[place] for place in step["order"]] == [label for _, label in candidate.presentation or ()]


@given(st.integers(2, 12), st.integers(1, 100), st.integers(0, 5))
def test_as_many_as_are_asked_for_and_possible(size: int, samples: int, seed: int) -> None:
    """All distinct, and none of them the contract's own."""
    labels = tuple(f"l{number}" for number in range(size))
    made = _made(labels, samples, seed)
    assert len(made) == min(samples, factorial(size) - 1)
    assert len({candidate.presentation for candidate in made}) == len(made)
    assert all(candidate.presentation is not None for candidate in made)


def test_every_other_order_is_as_likely() -> None:
    """Over 5,000 streams, within five standard deviations."""
    counts = Counter(_made(ABC, 1, number)[0].presentation for number in range(5000))
    assert len(counts) == 5
    assert all(abs(count - 1000) < 5 * 1000**0.5 for count in counts.values())


def test_a_hundred_labels_can_be_put_in_another_order() -> None:
    """Of which there are more orders than any number of bits could count."""
    labels = tuple(f"l{number}" for number in range(100))
    assert len({candidate.presentation for candidate in _made(labels, 100, 1)}) == 100


@pytest.mark.parametrize(
    "steps",
    [
        (),
        ({},),
        ({"order": [0, 1]},),
        ({"order": [0, 1, 1]},),
        ({"order": [0, 1, 3]},),
        ({"order": [True, 0, 2]},),
        ({"order": ["0", "1", "2"]},),
        ({"order": [0.0, 1.0, 2.0]},),
        ({"order": "210"},),
        ({"order": None},),
        ({"at": 0, "text": "x"},),
        ({"order": [2, 1, 0]}, {"order": [2, 1, 0]}),
    ],
)
def test_steps_of_something_else_are_refused(steps: Any) -> None:
    """What is no permutation of the positions of this contract's labels."""
    with pytest.raises(StepError):
        _order().apply("x", steps)


def test_the_contracts_own_order_is_no_presentation() -> None:
    """So that a step that does nothing is seen to do nothing."""
    assert _order().apply("x", ({"order": [0, 1, 2]},)).presentation is None


def test_smaller_orders_are_one_swap_of_neighbours_closer() -> None:
    """But never the contract's own; an order one swap away has no smaller one."""
    assert list(_order().smaller(({"order": [2, 1, 0]},))) == [({"order": [1, 2, 0]},), ({"order": [2, 0, 1]},)]
    assert list(_order().smaller(({"order": [1, 0, 2]},))) == []


@given(st.permutations(range(6)))
def test_going_on_to_smaller_orders_comes_to_an_end(order: list[int]) -> None:
    """Each has one inversion less, down to a single one."""

    def inversions(some: list[int]) -> int:
        return sum(one > other for place, one in enumerate(some) for other in some[place + 1 :])

    transformation = _order(tuple("abcdef"))
    while closer := list(transformation.smaller(({"order": order},))):
        assert {inversions(steps[0]["order"]) for steps in closer} == {inversions(order) - 1}
        order = closer[0][0]["order"]
    assert inversions(order) <= 1
