"""What a report shows of a transformed input: the place of the change, however long the rest is."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from robust.canon import canonical_text
from robust.run.excerpts import MAX_SHOWN_CHARACTERS, MAX_SHOWN_EDITS, MAX_SHOWN_OBJECT, excerpt

LONG = "word " * 1000


def test_a_short_text_is_shown_whole() -> None:
    """With the offset of its first change."""
    assert excerpt("one  two", [{"at": 3, "space": "  "}]) == {
        "shown": "one  two",
        "edited": {"field": None, "at": 3},
        "edits": [{"at": 3, "space": "  "}],
        "edits_left": 0,
    }


@pytest.mark.parametrize("at", [0, 4, 149, 150, 151, 2000, 4499, 4500, 4989])
def test_of_a_long_text_the_place_of_the_change_is_shown(at: int) -> None:
    """Wherever it is; what stands there in the excerpt stands there in the text."""
    text = LONG[:at] + "\t\t" + LONG[at:]
    shown = excerpt(text, [{"at": at, "space": "\t\t"}])
    place = shown["edited"]["at"]
    assert shown["shown"][place : place + 2] == "\t\t"
    assert len(shown["shown"]) <= MAX_SHOWN_CHARACTERS + 2
    assert shown["shown"].strip("…") in text
    assert shown["shown"].startswith("…") == (at > 150)


@given(st.text(min_size=1, max_size=2000), st.integers(0, 2000), st.text(min_size=1, max_size=200))
def test_an_insertion_is_found_where_it_was_made(text: str, at: int, fragment: str) -> None:
    """Before a sentence, or behind the last one with a space before it."""
    place = min(at, len(text))
    changed = text + " " + fragment if place == len(text) else text[:place] + fragment + " " + text[place:]
    shown = excerpt(changed, [{"at": place, "text": fragment}])
    start = shown["edited"]["at"]
    assert shown["shown"][start : start + len(fragment)].rstrip("…") == fragment[: len(shown["shown"]) - start].rstrip(
        "…"
    )


def test_a_rewrite_is_shown_where_its_text_stands() -> None:
    """That is what was changed."""
    text = LONG + "is not eligible " + LONG
    shown = excerpt(text, [{"find": "is eligible", "replace": "is not eligible"}])
    assert shown["shown"][shown["edited"]["at"] :].startswith("is not eligible")


def test_other_words_and_the_same_input_have_no_place() -> None:
    """They are shown from the start."""
    for steps in ([{"text": LONG}], []):
        shown = excerpt(LONG, steps)
        assert shown["edited"] is None
        assert shown["shown"] == LONG[:MAX_SHOWN_CHARACTERS] + "…"
    assert len(excerpt(LONG, [{"text": LONG}])["edits"][0]["text"]) == 101


def test_labels_that_are_shown_otherwise_are_no_edits_of_the_input() -> None:
    """They stand in the presentation."""
    for steps in ([{"order": [1, 0]}], [{"label": "a", "shown": "A"}, {"label": "b", "shown": "B"}]):
        assert excerpt("text", steps) == {"shown": "text", "edited": None, "edits": [], "edits_left": 0}


def test_many_edits_are_counted() -> None:
    """The first ones are shown."""
    steps = [{"at": place, "space": "\n"} for place in range(20)]
    shown = excerpt("\n" * 20, steps)
    assert shown["edits"] == steps[:MAX_SHOWN_EDITS]
    assert shown["edits_left"] == 20 - MAX_SHOWN_EDITS


def test_the_text_of_an_object_that_was_changed_is_found() -> None:
    """By what stands at the offset of the change; where two texts have it, neither is claimed."""
    value = {"id": 7, "body": "one  two", "title": "short"}
    step = [{"at": 3, "space": "  "}]
    assert excerpt(value, step)["edited"] == {"field": "body", "at": 3}
    assert excerpt({**value, "title": "two  one"}, step)["edited"] is None
    assert excerpt({"amount": 3}, [{"field": "amount", "delta": 1}])["edited"] is None


def test_an_object_is_never_large() -> None:
    """Its texts are cut; of one that is large all the same, the text that was changed is shown."""
    step = [{"at": 2000, "space": "\t"}]
    body = LONG[:2000] + "\t" + LONG
    shown = excerpt({"body": body, "more": [LONG, {"deep": LONG}]}, step)
    assert set(shown["shown"]) == {"body", "more"}
    assert len(canonical_text(shown["shown"])) < 3 * MAX_SHOWN_CHARACTERS + 100
    many: dict[str, Any] = {f"field {number}": "x" * 100 for number in range(1000)}
    shown = excerpt({**many, "body": body}, step)
    assert set(shown["shown"]) == {"body"}
    assert shown["shown"]["body"][shown["edited"]["at"]] == "\t"
    shown = excerpt(many, step)
    assert isinstance(shown["shown"], str)
    assert len(shown["shown"]) == MAX_SHOWN_CHARACTERS + 1


texts = st.text(max_size=20) | st.text("ab ", min_size=480, max_size=520)
values = st.recursive(
    texts | st.integers(-(2**53) + 1, 2**53 - 1) | st.none() | st.booleans(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=20,
)
steps = st.lists(
    st.fixed_dictionaries({"at": st.integers(0, 600), "space": st.sampled_from(["  ", "\n"])})
    | st.fixed_dictionaries({"at": st.integers(0, 600), "text": st.text(min_size=1)})
    | st.fixed_dictionaries({"find": st.text(min_size=1), "replace": st.text()})
    | st.fixed_dictionaries({"text": st.text()})
    | st.fixed_dictionaries({"field": st.text(), "delta": st.floats(0, 9)})
)


@given(texts | st.dictionaries(st.text(max_size=5), values, max_size=5), steps)
def test_an_excerpt_is_small_and_its_place_is_in_it(value: Any, done: list[dict[str, Any]]) -> None:
    """Whatever was done to whatever input."""
    shown = excerpt(value, done)
    assert len(canonical_text(shown["shown"])) <= MAX_SHOWN_OBJECT + 6 * MAX_SHOWN_CHARACTERS
    if shown["edited"] is not None:
        field = shown["edited"]["field"]
        text = shown["shown"] if field is None else shown["shown"][field]
        assert 0 <= shown["edited"]["at"] <= len(text)
    assert len(shown["edits"]) + shown["edits_left"] == len(done)
