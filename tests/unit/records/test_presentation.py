"""How labels are shown: reading a stored presentation, mapping back, putting one behind another."""

from __future__ import annotations

from typing import Any

import pytest

from robust.errors import DataError
from robust.records.presentation import (
    compose,
    contract_positions,
    presentation_json,
    presentation_of,
    read_presentation,
    shown_labels,
)

LABELS = ("yes", "no")
TURNED = (("no", "no"), ("yes", "yes"))
LETTERED = (("A) yes", "yes"), ("B) no", "no"))


def test_the_contracts_own_presentation_is_none() -> None:
    """So that there is one way to write it."""
    assert presentation_of([("yes", "yes"), ("no", "no")], LABELS) is None
    assert presentation_of([("no", "no"), ("yes", "yes")], LABELS) == TURNED
    assert (shown_labels(None, LABELS), presentation_json(None)) == (LABELS, None)


def test_answers_are_mapped_back_by_place() -> None:
    """For each label of the contract, the place where it was shown."""
    assert contract_positions(TURNED, LABELS) == (1, 0)
    assert contract_positions(LETTERED, LABELS) == (0, 1)
    assert shown_labels(LETTERED, LABELS) == ("A) yes", "B) no")


def test_a_form_can_be_put_on_another_order() -> None:
    """Show them turned, and what is shown with letters."""
    outer = (("A) no", "no"), ("B) yes", "yes"))
    assert compose(outer, TURNED) == outer
    assert compose((("1", "B) no"), ("2", "A) yes")), LETTERED) == (("1", "no"), ("2", "yes"))
    assert compose(None, TURNED) == compose(TURNED, None) == TURNED
    assert compose(None, None) is None


@pytest.mark.parametrize("presentation", [None, TURNED, LETTERED])
def test_a_stored_presentation_is_read_as_it_was(presentation: Any) -> None:
    """As pairs of shown and contract label, in the order shown."""
    assert read_presentation(presentation_json(presentation), LABELS) == presentation


@pytest.mark.parametrize(
    "data",
    [
        "no, yes",
        5,
        {"yes": "no"},
        [],
        [["yes", "yes"]],
        [["no", "no"], ["yes"]],
        [["no", "no"], ["yes", "yes", "yes"]],
        [["no", "no"], ["yes", 5]],
        [["no", "no"], "yes"],
        [["no", "no"], ["no", "no"]],
        [["a", "no"], ["b", "no"]],
        [["a", "no"], ["b", "maybe"]],
        [["a", "no"], ["a", "yes"]],
        [["a", "no"], ["b", "yes"], ["c", "maybe"]],
        [["yes", "yes"], ["no", "no"]],
    ],
)
def test_a_stored_presentation_that_cannot_be_mapped_back_is_refused(data: Any) -> None:
    """With its place: no pairs, a label missing or unknown, two shown alike, the contract's own written out."""
    with pytest.raises(DataError) as caught:
        read_presentation(data, LABELS, "$.reduced.presentation")
    (problem,) = caught.value.problems
    assert (problem.code, problem.path) == ("bad_presentation", "$.reduced.presentation")
