"""The property ``label_format``: the same labels in another form."""

from __future__ import annotations

from typing import Any

import pytest

from robust.canon import RandomStream
from robust.records.properties import LabelFormat
from robust.transforms.candidate import Candidate, StepError
from robust.transforms.forms import LabelFormatTransformation

LABELS = ("no", "yes")
# In every style that changes them, in the contract's order.
FORMS = {
    ("NO", "YES"),
    ("No", "Yes"),
    ("A) no", "B) yes"),
    ("1. no", "2. yes"),
    ('"no"', '"yes"'),
    ("[no]", "[yes]"),
}


def _format(labels: tuple[str, ...] = LABELS, **settings: Any) -> LabelFormatTransformation:
    return LabelFormatTransformation(LabelFormat(max_flip_rate=0, **settings), labels)


def _made(transformation: LabelFormatTransformation, *parts: object) -> list[Candidate]:
    made = transformation.generate("x", RandomStream(*parts))
    assert isinstance(made, list)
    return made


def _shown(candidate: Candidate) -> tuple[str, ...]:
    return tuple(form for form, _ in candidate.presentation or ())


def test_each_style_is_a_form_and_none_that_changes_nothing() -> None:
    """``lower`` is what these labels are already; the order stays the contract's."""
    made = _made(_format(samples=100), 1)
    assert {_shown(candidate) for candidate in made} == FORMS
    assert len(made) == len(FORMS)
    for candidate in made:
        assert candidate.input == "x"
        assert tuple(label for _, label in candidate.presentation or ()) == LABELS
        assert candidate.steps == tuple(
            {"label": label, "shown": form} for label, form in zip(LABELS, _shown(candidate), strict=True)
        )


def test_aliases_are_forms_of_their_own() -> None:
    """Variant *i* shows every label's *i*-th alias; a label with fewer keeps its own form."""
    transformation = _format(styles=[], aliases={"yes": ["approve", "accept"], "no": ["reject"]}, samples=100)
    made = {_shown(candidate): candidate.steps for candidate in _made(transformation, 1)}
    assert set(made) == {("reject", "approve"), ("no", "accept")}
    assert made["no", "accept"] == ({"label": "yes", "shown": "accept"},)


def test_a_form_that_shows_two_labels_alike_is_never_used() -> None:
    """Upper case of a and A, and an alias that is another label's form."""
    made = _made(_format(("a", "A"), styles=["upper", "lower", "capitalized", "quoted"], samples=100), 1)
    assert [_shown(candidate) for candidate in made] == [('"a"', '"A"')]
    assert _format(styles=[], aliases={"yes": ["no"]}).generate("x", RandomStream(1)) == "no_other_form"


def test_without_another_form_the_case_is_skipped() -> None:
    """Numbers have no case, and there are no other styles."""
    assert (
        _format(("1", "2"), styles=["upper", "lower", "capitalized"]).generate("x", RandomStream(1)) == "no_other_form"
    )


def test_no_more_than_are_asked_for_and_each_once() -> None:
    """Which ones, the stream decides; two styles that show the same are one form."""
    chosen = {tuple(map(_shown, _made(_format(samples=2), number))) for number in range(40)}
    assert len(chosen) > 5
    assert all(len(set(forms)) == 2 for forms in chosen)
    assert len(_made(_format(("a", "b"), styles=["upper", "capitalized"], samples=5), 1)) == 1


@pytest.mark.parametrize(
    "steps",
    [
        ({"label": "yes"},),
        ({"label": "yes", "shown": 5},),
        ({"label": "maybe", "shown": "MAYBE"},),
        ({"label": "yes", "shown": "yes"},),
        ({"label": "yes", "shown": "YES"}, {"label": "yes", "shown": "Yes"}),
        ({"label": "yes", "shown": "certainly"},),
        ({"label": "yes", "shown": "YES"}, {"label": "no", "shown": "No"}),
        ({"label": "yes", "shown": "no"},),
        ({"order": [1, 0]},),
    ],
)
def test_steps_of_something_else_are_refused(steps: Any) -> None:
    """An unknown label, a form that no style gives, two styles mixed, two labels alike."""
    with pytest.raises(StepError):
        _format().apply("x", steps)


def test_part_of_a_form_can_be_applied() -> None:
    """As minimising leaves labels out."""
    candidate = _format().apply("x", ({"label": "yes", "shown": "YES"},))
    assert candidate.presentation == (("no", "no"), ("YES", "yes"))


def test_smaller_forms_show_one_label_less_otherwise() -> None:
    """Unless two labels would then be shown alike; a single one has none."""
    whole = ({"label": "no", "shown": "NO"}, {"label": "yes", "shown": "YES"})
    assert list(_format().smaller(whole)) == [whole[1:], whole[:1]]
    assert list(_format().smaller(whole[:1])) == []
    swapping = _format(("a", "b", "c"), styles=[], aliases={"a": ["b"], "b": ["x"]})
    (candidate,) = _made(swapping, 1)
    assert _shown(candidate) == ("b", "x", "c")
    assert list(swapping.smaller(candidate.steps)) == [({"label": "b", "shown": "x"},)]
