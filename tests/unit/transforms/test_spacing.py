"""The property ``whitespace``: other white space, and not one other character."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from robust.canon import RandomStream
from robust.records.properties import Whitespace
from robust.transforms.candidate import Candidate, StepError
from robust.transforms.spacing import WhitespaceTransformation


def _whitespace(field: str | None = None, **settings: Any) -> WhitespaceTransformation:
    return WhitespaceTransformation(Whitespace(max_flip_rate=0, **settings), field)


def _made(shown: Any, *parts: object, field: str | None = None, **settings: Any) -> list[Candidate]:
    made = _whitespace(field, **settings).generate(shown, RandomStream(*parts))
    assert isinstance(made, list), made
    return made


@given(st.text(alphabet="ab1 \t\r\n.\u00a0\u2009é", max_size=30), st.integers(0, 50))
def test_nothing_but_white_space_is_touched(text: str, seed: int) -> None:
    """Neither is space that binds or groups; each candidate differs from the text and from the others."""
    made = _whitespace(edits=5, samples=5).generate(text, RandomStream(seed))
    if isinstance(made, str):
        assert made in ("blank_text", "no_white_space")
        return
    words = [word for word in "".join(" " if c in " \t\r\n" else c for c in text).split(" ") if word]
    texts = [str(candidate.input) for candidate in made]
    assert len({text, *texts}) == len(texts) + 1
    for changed in texts:
        seen = "".join(" " if c in " \t\r\n" else c for c in changed)
        assert [word for word in seen.split(" ") if word] == words


@pytest.mark.parametrize(
    ("shown", "reason"),
    [
        ("word", "no_white_space"),
        ("  word\n", "no_white_space"),
        ("1 000", "no_white_space"),
        ("a\u00a0b", "no_white_space"),
        ("", "blank_text"),
        (" \t\n", "blank_text"),
        ({"n": 1}, "no_text"),
    ],
)
def test_t2_a_text_without_space_between_words_is_skipped(shown: Any, reason: str) -> None:
    """T2: an edit of a one-word text would be of its edges alone; blanks within a number are no space between words."""
    assert _whitespace().generate(shown, RandomStream(1)) == reason


def test_runs_and_edges_are_edited() -> None:
    """Doubled blanks, tabs and line breaks between words; blanks and line breaks at the edges."""
    runs: set[str] = set()
    edges: set[str] = set()
    for number in range(200):
        for candidate in _made("one two", number, edits=3, samples=2):
            for step in candidate.steps:
                (runs if step["at"] == 3 else edges).add(step["space"])
    assert runs == {"  ", "\n", "\t", " \n"}
    assert edges == {" ", "\n", "  ", "\t"}


def test_paragraphs_stay_paragraphs() -> None:
    """A run with a line break in it keeps one."""
    for number in range(100):
        for candidate in _made("one\ntwo", number, edits=1, samples=4):
            (step,) = candidate.steps
            assert step["at"] != 3 or "\n" in step["space"]


def test_digits_are_never_pulled_apart_nor_their_groups_changed() -> None:
    """A number that is written with blanks is left alone, the space beside it is not."""
    places = {
        step["at"] for number in range(100) for candidate in _made("pay 1 000 now", number) for step in candidate.steps
    }
    assert places == {0, 3, 9, 13}


@pytest.mark.parametrize(
    ("steps", "due"),
    [
        (({"at": 3, "space": "\t"},), "one\ttwo  three"),
        (({"at": 7, "space": "\n"},), "one two\nthree"),
        (({"at": 0, "space": "  "}, {"at": 14, "space": "\n"}), "  one two  three\n"),
        (({"at": 3, "space": "  "}, {"at": 7, "space": "\t"}), "one  two\tthree"),
    ],
)
def test_a_step_stands_instead_of_the_run_that_starts_there(steps: Any, due: str) -> None:
    """All of the run, however long; at an edge without one it is put there."""
    candidate = _whitespace().apply("one two  three", steps)
    assert (candidate.input, candidate.steps, candidate.presentation) == (due, steps, None)


@pytest.mark.parametrize(
    "steps",
    [
        (),
        ({"at": 1, "space": " "},),
        ({"at": 8, "space": " "},),
        ({"at": 3, "space": "x"},),
        ({"at": 3, "space": ""},),
        ({"at": 3, "space": "\u00a0"},),
        ({"at": 3, "text": " "},),
        ({"at": 7, "space": "\t"}, {"at": 3, "space": "\t"}),
        ({"at": 3, "space": "\t"}, {"at": 3, "space": "\n"}),
        ({"at": 0, "space": "\t"}, {"at": 3, "space": "\t"}, {"at": 7, "space": "\t"}, {"at": 14, "space": "\t"}),
    ],
)
def test_steps_of_something_else_are_refused(steps: Any) -> None:
    """Within a word or a run, other characters, out of order, twice at one place, more than are configured."""
    with pytest.raises(StepError):
        _whitespace().apply("one two  three", steps)


def test_smaller_is_one_edit_less() -> None:
    """Each in turn."""
    steps = ({"at": 0, "space": " "}, {"at": 3, "space": "\t"})
    assert list(_whitespace().smaller(steps)) == [steps[1:], steps[:1]]
    assert list(_whitespace().smaller(steps[1:])) == []


def test_a_field_of_an_object_is_edited() -> None:
    """The rest stays."""
    shown = {"text": "one two", "n": [1, "one two"]}
    for candidate in _made(shown, 1, field="text"):
        changed = candidate.input
        assert isinstance(changed, dict)
        assert changed["n"] == [1, "one two"]
        assert changed["text"].split() == ["one", "two"]
