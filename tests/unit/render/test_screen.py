"""A terminal: characters that it has, and white space that can be seen."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from robust.render.plain import columns
from robust.render.screen import WIDTH, Screen

ENCODINGS = ["utf-8", "utf-16", "cp1252", "cp437", "latin-1", "ascii", "no such encoding"]


@pytest.mark.parametrize(
    ("text", "rich", "plain"),
    [
        ("one two", "one two", "one two"),
        ("one  two", "one··two", r"one\s\stwo"),
        (" one two\t", "·one two→", r"\sone two\t"),
        ("one\ntwo \r\n", "one⏎two·␍⏎", r"one\ntwo\s\r\n"),
        ("   ", "···", r"\s\s\s"),
        (" ", "·", r"\s"),
        ("no\u00a0break", "no\\u{a0}break", r"no\\u{a0}break"),
        # What stands in the text means itself.
        ("a·b→c", "a\\u{b7}b\\u{2192}c", r"a\\u{b7}b\\u{2192}c"),
        ("a\\nb", "a\\nb", r"a\\nb"),
        ("", "", ""),
    ],
)
def test_white_space_can_be_seen(text: str, rich: str, plain: str) -> None:
    """All of it but single spaces between words; in ASCII where the terminal lacks our signs."""
    assert Screen().visible(text) == rich
    assert Screen("ascii").visible(text) == plain


def test_only_what_was_made_visible_needs_a_legend() -> None:
    """Single spaces do not."""
    screen = Screen()
    screen.visible("one two")
    assert not screen.showed_white_space
    screen.visible("one  two")
    assert screen.showed_white_space
    assert screen.legend == "· is a space, → a tab, ⏎ a line feed"


@given(st.text(), st.sampled_from(ENCODINGS))
def test_shown_text_is_printable_in_characters_that_the_terminal_has(text: str, encoding: str) -> None:
    """Whatever the text, and whatever the terminal says that it speaks."""
    screen = Screen(encoding)
    for shown in (screen.safe(text), screen.visible(text), screen.short(text, 20)):
        assert shown.isprintable()
        shown.encode("ascii" if encoding.startswith("no") else encoding)
    assert columns(screen.short(text, 20)) <= 20


@given(
    st.text("ab \t\n\\·→é", max_size=20), st.text("ab \t\n\\·→é", max_size=20), st.sampled_from(["utf-8", "latin-1"])
)
def test_two_texts_never_look_alike(one: str, other: str, encoding: str) -> None:
    """So that a changed white space is seen, whatever stands around it."""
    screen = Screen(encoding)
    assert (screen.visible(one) == screen.visible(other)) == (one == other)


@given(
    st.text("ab 日\u0301", max_size=400).map(lambda text: " ".join(text.split())),
    st.sampled_from(["", "  ", "     text      "]),
    st.integers(0, 20),
    st.none() | st.integers(1, 4),
    st.sampled_from(["utf-8", "ascii"]),
)
def test_a_paragraph_has_its_width_and_says_what_it_leaves_out(
    text: str, head: str, indent: int, most: int | None, encoding: str
) -> None:
    """The head stands on the first line only."""
    screen = Screen(encoding)
    lines = screen.paragraph(text, head=head, indent=indent, most=most)
    assert all(columns(line) <= WIDTH for line in lines)
    assert lines[0].startswith(head.rstrip())
    assert all(line.startswith(" " * indent) or not line for line in lines[1:])
    whole = screen.paragraph(text, head=head, indent=indent)
    assert lines == whole if most is None or len(whole) <= most else len(lines) == most
    assert lines == whole or lines[-1].endswith(screen.signs.more)
