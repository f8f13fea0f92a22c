"""Rows T1 and T13: edits that only look as if they left the meaning alone, before the built-in oracle of text edits."""

from __future__ import annotations

import pytest

from robust import Case, Manifest, ManifestError, Validation
from robust.oracle.preserves import PreservesOracle
from tests.builders import judged


def validation(before: str, after: str) -> Validation:
    """The validation of a pair of texts by the oracle, as a run asks it: without answers."""
    cases = Case(before, "yes", case_id="base", source_id="s"), Case(after, case_id="variant", source_id="s")
    return judged(PreservesOracle(), cases, relation="invariant", contract="robust.preserves/v1", require_answers=False)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("The applicant is eligible.", "The applicant is ineligible."),
        ("The door was open all day.", "The door was closed all day."),
        ("Prices will rise soon.", "Prices will fall soon."),
        ("He is always late.", "He is usually late."),
    ],
)
def test_t1_a_word_replaced_by_its_antonym_is_unknown_and_not_exportable(before: str, after: str) -> None:
    """No protected item changed, and yet nobody vouches for it."""
    found = validation(before, after)
    assert (found.status, found.issues) == ("unknown", ("unreviewed",))
    assert found.data["verdict"]["evidence"]
    with pytest.raises(ManifestError) as caught:
        Manifest.build("export", validations=[found])
    assert caught.value.code == "not_valid"
    with pytest.raises(ManifestError):
        found.manifest("export")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("The rate is −5% this year.", "The rate is 5% this year."),
        ("It costs 3.50 each.", "It costs 3 50 each."),
        ("We meet at 10:30.", "We meet at ten:thirty."),
        ("We ordered 1000 of them.", "We ordered 100t o of them."),
        ("Pay 1,25 now.", "Pay 125 now."),
        ("We need five chairs.", "We need six chairs."),
        ("Twenty three came.", "Twenty, three came."),
        ("The motor needs 5 mW.", "The motor needs 5 MW."),
        ("They do not ship it.", "They do now ship it."),
        ("I can’t come.", "I can come."),
        ("She said “yes”.", "She said “yet”."),
        ("Write to a.b@c.example.", "Write to a.c@b.example."),
    ],
)
def test_t13_an_edit_that_changes_a_protected_item_is_invalid(before: str, after: str) -> None:
    """Signs, points, times, figures, number words, units, negations, quotations: the verdict is no, with both sides."""
    found = validation(before, after)
    assert (found.status, found.issues) == ("invalid", ("rejected",))
    evidence = found.data["verdict"]["evidence"]
    assert evidence["base"] or evidence["candidate"]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("He told her so.", "She told her so."),
        ("They gave it to him.", "They gave it to them."),
        ("Let's eat, grandma.", "Let's eat grandma."),
        ("You came?", "You came."),
        ("It is a man-eating shark.", "It is a man eating shark."),
        ("We're a team.", "Were a team."),
        ("The untied shoe.", "The united shoe."),
        ("I cannot go.", "I can not go."),
        ("It has 1 000 seats.", "It has 1000 seats."),
        ("All of it is now here.", "All of it is now  here.\u200b"),
    ],
)
def test_t13_an_edit_that_may_change_the_meaning_is_not_accepted(before: str, after: str) -> None:
    """Pronouns, punctuation and typing errors that leave all protected items alone are undecided."""
    assert validation(before, after).status == "unknown"


def test_t13_an_edit_that_says_nothing_is_valid_by_its_relation() -> None:
    """The oracle is no wall: white space and the mark at the end may change; no answer is derived."""
    found = validation("The rate is −5%  this year.", "The rate\nis −5% this year!")
    assert (found.status, found.strength, found.issues) == ("valid", "relation", ())
    assert found.data["oracle"]["name"] == "robust.preserves"
    assert found.data["oracle"]["version"] == "1"
