"""The texts of an item, piece by piece."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from robust.render.html_difference import changed_pieces, difference_pieces, text_pieces
from robust.run.changed_text import changed_text

WORDS = st.lists(st.sampled_from(["one", "two", "three", "3.50", "and"]), max_size=30).map(" ".join)


def test_words_that_went_and_came_stand_where_they_were() -> None:
    """White space that changed can be seen."""
    assert difference_pieces("I paid 30 EUR today", "I paid 20 EUR  today") == (
        ("same", "I paid "),
        ("gone", "30"),
        ("come", "20"),
        ("same", " EUR"),
        ("come", "·"),
        ("same", " today"),
    )


def test_letters_of_the_same_look_are_told_apart() -> None:
    """By their numbers."""
    pieces = difference_pieces("pay", "p\u0430y")
    assert pieces == (("gone", "pay"), ("come", "p\\u{430}y"))


def test_what_is_left_out_is_counted() -> None:
    """Behind a text, around a change, and between two changes."""
    assert text_pieces("start", 1200) == (("same", "start"), ("left", "1,200 characters"))
    assert text_pieces("all") == (("same", "all"),)
    between = difference_pieces("a " + "x" * 9 * 100 + " b", "c " + "x" * 9 * 100 + " d")
    assert [piece.kind for piece in between] == ["gone", "come", "same", "left", "same", "gone", "come"]
    around = changed_pieces(changed_text("x" * 5000 + " old " + "y" * 5000, "x" * 5000 + " new " + "y" * 5000))
    assert [piece.kind for piece in around] == ["left", "same", "gone", "come", "same", "left"]
    assert around[0].text == around[-1].text == "4,601 characters"


def test_a_change_that_is_too_long_is_cut_on_both_sides() -> None:
    """What was cut is not compared word by word, as it would be with something else."""
    pieces = changed_pieces(changed_text("old " * 2000, "new " * 3000))
    assert [piece.kind for piece in pieces if piece.text] == ["gone", "left", "come", "left", "same"]
    told = {piece.kind: piece.text for piece in pieces}
    assert told["left"] == "9,999 characters"
    assert len(told["come"]) == 2000


@given(WORDS, WORDS)
def test_the_pieces_are_both_texts(old: str, new: str) -> None:
    """What stays with what went is the first, with what came the second, but for white space that is written out."""
    pieces = changed_pieces(changed_text(old, new))
    for kind, text in (("gone", old), ("come", new)):
        found = "".join(piece.text for piece in pieces if piece.kind in ("same", kind))
        assert found.replace("·", " ") == text
