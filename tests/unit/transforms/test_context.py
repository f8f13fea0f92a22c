"""The properties ``irrelevant_context`` and ``repeated_context``: neutral sentences between those of a text."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from robust.canon import RandomStream
from robust.records.properties import FRAGMENTS, IrrelevantContext, RepeatedContext
from robust.transforms.candidate import Candidate, StepError
from robust.transforms.context import ContextTransformation

TEXT = "The invoice is late. It was sent in May. Nobody paid."
STARTS = (0, 21, 41, len(TEXT))


def _irrelevant(field: str | None = None, **settings: Any) -> ContextTransformation:
    return ContextTransformation(IrrelevantContext(max_flip_rate=0, **settings), field)


def _repeated(**settings: Any) -> ContextTransformation:
    return ContextTransformation(RepeatedContext(max_flip_rate=0, **settings), None)


def _made(transformation: ContextTransformation, shown: Any = TEXT, *parts: object) -> list[Candidate]:
    made = transformation.generate(shown, RandomStream(*parts))
    assert isinstance(made, list), made
    return made


def _without(text: str, fragments: tuple[str, ...]) -> str:
    """A text without the fragments and the blanks that came with them."""
    for fragment in fragments:
        text = text.replace(fragment + " ", "").replace(" " + fragment, "").replace(fragment, "")
    return text


def test_a_fragment_stands_at_a_boundary_and_nothing_else_is_touched() -> None:
    """At each of the four places of this text, and each of the eight fragments, as likely."""
    places: Counter[int] = Counter()
    fragments: Counter[str] = Counter()
    for number in range(400):
        for candidate in _made(_irrelevant(samples=1), TEXT, number):
            ((step,),) = (candidate.steps,)
            places[step["at"]] += 1
            fragments[step["text"]] += 1
            assert candidate.presentation is None
            assert _without(str(candidate.input), (step["text"],)) == TEXT
    assert set(places) == set(STARTS)
    assert set(fragments) == set(FRAGMENTS)
    assert all(abs(count - 100) < 5 * 10 for count in places.values())
    assert all(abs(count - 50) < 5 * 50**0.5 for count in fragments.values())


@pytest.mark.parametrize(
    ("text", "at", "due"),
    [
        ("One. Two.", 0, "Hello. One. Two."),
        ("One. Two.", 5, "One. Hello. Two."),
        ("One. Two.", 9, "One. Two. Hello."),
        ("One. Two.\n", 10, "One. Two.\nHello."),
        ("  One.", 2, "  Hello. One."),
        ("One\n\nTwo", 5, "One\n\nHello. Two"),
        ("今日は。明日も。", 4, "今日は。Hello. 明日も。"),
    ],
)
def test_blanks_stand_between_a_fragment_and_what_is_around_it(text: str, at: int, due: str) -> None:
    """But no second one where there is white space already."""
    transformation = _irrelevant(fragments=["Hello."])
    assert transformation.apply(text, ({"at": at, "text": "Hello."},)).input == due


def test_several_fragments_at_one_place_stand_one_behind_the_other() -> None:
    """In the order of their steps."""
    transformation = _irrelevant(fragments=["A.", "B."], insertions=3)
    steps = ({"at": 4, "text": "B."}, {"at": 4, "text": "A."})
    assert transformation.apply("One.", steps).input == "One. B. A."
    steps = ({"at": 0, "text": "B."}, {"at": 0, "text": "A."})
    assert transformation.apply("One.", steps).input == "B. A. One."


def test_no_fragment_comes_twice_while_there_are_others() -> None:
    """Three insertions of three fragments are all three; five of two come as often as they can be shared out."""
    for candidate in _made(_irrelevant(fragments=["A.", "B.", "C."], insertions=3, samples=20)):
        assert sorted(step["text"] for step in candidate.steps) == ["A.", "B.", "C."]
    for candidate in _made(_irrelevant(fragments=["A.", "B."], insertions=5, samples=5)):
        assert max(Counter(step["text"] for step in candidate.steps).values()) == 3


def test_one_fragment_is_repeated() -> None:
    """As often as the contract says, wherever."""
    made = _made(_repeated(repeats=4, samples=30))
    assert {len(candidate.steps) for candidate in made} == {4}
    assert all(len({step["text"] for step in candidate.steps}) == 1 for candidate in made)
    assert len({step["at"] for candidate in made for step in candidate.steps}) == len(STARTS)


def test_candidates_are_distinct_and_no_more_than_are_asked_for() -> None:
    """One word and one fragment leave two places; more cannot be had."""
    made = _made(_irrelevant(fragments=["A."], samples=50), "word")
    assert sorted(str(candidate.input) for candidate in made) == ["A. word", "word A."]
    assert len(_made(_irrelevant(samples=7))) == 7


def test_a_field_of_an_object_is_edited_and_the_rest_is_not() -> None:
    """The given object stays as it is."""
    shown = {"text": "One.", "n": 1, "deep": {"a": [1]}}
    (candidate,) = _made(_irrelevant("text", fragments=["A."], samples=1), shown)
    changed = candidate.input
    assert isinstance(changed, dict)
    assert changed == {**shown, "text": changed["text"]}
    assert changed["text"] in ("A. One.", "One. A.")
    assert shown["text"] == "One."


@pytest.mark.parametrize(
    ("shown", "reason"),
    [({"n": 1}, "no_text"), ({"text": 5}, "no_text"), ("", "blank_text"), (" \n", "blank_text")],
)
def test_a_case_without_text_is_skipped(shown: Any, reason: str) -> None:
    """With the reason; an object needs a field."""
    assert _irrelevant("text").generate(shown, RandomStream(1)) == reason
    if isinstance(shown, dict):
        assert _irrelevant().generate(shown, RandomStream(1)) == "no_text"


@pytest.mark.parametrize(
    "steps",
    [
        (),
        ({"at": 3, "text": "A."},),
        ({"at": 0, "text": "other"},),
        ({"at": True, "text": "A."},),
        ({"at": 99, "text": "A."},),
        ({"at": 0},),
        ({"at": 0, "space": " "},),
        ({"at": 21, "text": "A."}, {"at": 0, "text": "B."}),
        ({"at": 0, "text": "A."}, {"at": 0, "text": "B."}, {"at": 0, "text": "A."}),
    ],
)
def test_steps_of_something_else_are_refused(steps: Any) -> None:
    """Places that are no boundary, other texts, out of order, more than are configured."""
    with pytest.raises(StepError):
        _irrelevant(fragments=["A.", "B."], insertions=2).apply(TEXT, steps)
    with pytest.raises(StepError):
        _irrelevant(fragments=["A.", "B."], insertions=2).apply({"n": 1}, ({"at": 0, "text": "A."},))


def test_two_different_fragments_are_not_one_repeated() -> None:
    """Even where both are configured."""
    transformation = _repeated(fragments=["A.", "B."], repeats=3)
    assert transformation.apply("One.", ({"at": 0, "text": "A."}, {"at": 4, "text": "A."})).input == "A. One. A."
    with pytest.raises(StepError, match="one fragment"):
        transformation.apply("One.", ({"at": 0, "text": "A."}, {"at": 4, "text": "B."}))


def test_smaller_is_one_insertion_less() -> None:
    """Each in turn; a single one has nothing smaller."""
    steps = ({"at": 0, "text": "A."}, {"at": 0, "text": "B."}, {"at": 4, "text": "C."})
    smaller = list(_irrelevant(fragments=["A.", "B.", "C."], insertions=3).smaller(steps))
    assert smaller == [steps[1:], (steps[0], steps[2]), steps[:2]]
    assert list(_repeated().smaller(steps[:1])) == []
