"""The text that is edited, and where a sentence can be put into it."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from robust.transforms.candidate import StepError
from robust.transforms.texts import integer_at, required_text, sentence_boundaries, text_at, text_of, with_text

QUOTED = 'She said "Stop. Now." and left. He stayed.'


def _cut(text: str) -> list[str]:
    """A text cut at its inner boundaries."""
    places = sentence_boundaries(text)
    return [text[start:end] for start, end in pairwise(places) if start != end]


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("One. Two. Three.", ["One. ", "Two. ", "Three."]),
        ("One! Two? Three…", ["One! ", "Two? ", "Three…"]),
        ("One.\nTwo", ["One.\n", "Two"]),
        ("A line\n\nAnother line", ["A line\n\n", "Another line"]),
        # A sentence may go on behind a line break.
        ("A line\nAnother line", ["A line\nAnother line"]),
        ("  One. Two.  ", ["One. ", "Two.  "]),
        ("no mark at all", ["no mark at all"]),
        # Points that end no sentence.
        ("Dr. Brown came. She sat.", ["Dr. Brown came. ", "She sat."]),
        ("See e.g. Berlin. Or not.", ["See e.g. Berlin. ", "Or not."]),
        ("J. R. Smith wrote. We read.", ["J. R. Smith wrote. ", "We read."]),
        ("Nr. 5 ist frei. Gut.", ["Nr. 5 ist frei. ", "Gut."]),
        ("It costs 3.50 today. Yes.", ["It costs 3.50 today. ", "Yes."]),
        ("Version 2. and more. End.", ["Version 2. and more. ", "End."]),
        # A sentence there would break another one apart.
        (QUOTED, ['She said "Stop. Now." and left. ', "He stayed."]),
        ("He (who came. Late. ) left. Good.", ["He (who came. Late. ) left. ", "Good."]),
        ("«Halt. Jetzt.» Dann ging er. Gut.", ["«Halt. Jetzt.» ", "Dann ging er. ", "Gut."]),
        # Marks that need no space behind them.
        ("今日は。明日も。", ["今日は。", "明日も。"]),
        ("「今日は。」明日も。", ["「今日は。」", "明日も。"]),
    ],
)
def test_a_sentence_can_be_put_between_sentences(text: str, sentences: list[str]) -> None:
    """And nowhere else."""
    assert _cut(text) == sentences


def test_the_start_and_the_end_are_boundaries_too() -> None:
    """The start is behind blanks, the end is behind all."""
    assert sentence_boundaries("  One. Two. ") == [2, 7, 12]
    assert sentence_boundaries("x") == [0, 1]


@given(st.text(alphabet=" \n.!?aB1\"'()“”。é", max_size=40))
def test_boundaries_are_places_of_the_text_in_order(text: str) -> None:
    """Each once; whatever stands there."""
    places = sentence_boundaries(text)
    assert places == sorted(places)
    assert 0 <= places[0] <= places[-1] == len(text)
    inner = places[:-1]
    assert len(set(inner)) == len(inner)
    assert all(not text[place].isspace() for place in inner if place < len(text))


@pytest.mark.parametrize(
    ("shown", "field", "text"),
    [
        ("plain", None, "plain"),
        ("plain", "t", "plain"),
        ({"t": "inner", "n": 1}, "t", "inner"),
        ({"t": "inner"}, None, None),
        ({"t": "inner"}, "other", None),
        ({"t": 5}, "t", None),
        ({"t": ["inner"]}, "t", None),
    ],
)
def test_the_text_is_the_input_or_one_field_of_it(shown: Any, field: str | None, text: str | None) -> None:
    """Everything else of an object stays as it is, and the given object is not changed."""
    assert text_of(shown, field) == text
    if text is None:
        with pytest.raises(StepError, match="no text"):
            required_text(shown, field)
        with pytest.raises(StepError, match="no text"):
            with_text(shown, field, "new")
        return
    changed = with_text(shown, field, "new")
    assert changed == ("new" if isinstance(shown, str) else {**shown, field: "new"})
    assert text_of(shown, field) == text


def test_parts_of_steps_must_be_of_the_right_kind() -> None:
    """A flag is no offset, and a number no text."""
    assert (integer_at({"at": 0}, "at", 0), text_at({"text": ""}, "text")) == (0, "")
    for wrong in (True, 1.0, "1", None, -1, 3):
        with pytest.raises(StepError, match="at must be an integer from 0 to 2"):
            integer_at({"at": wrong}, "at", 2)
    other: tuple[Any, ...] = (None, 5, ["x"], {"x": 1})
    for kind in other:
        with pytest.raises(StepError, match="text must be text"):
            text_at({"text": kind}, "text")
