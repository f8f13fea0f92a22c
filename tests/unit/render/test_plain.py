"""Small pieces of plain text: safe, short, aligned."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from robust.render.plain import columns, counts_text, number_text, safe, shorten, table, value_text, wrapped


@pytest.mark.parametrize(
    ("text", "visible"),
    [
        ("plain é 日本 🙂", "plain é 日本 🙂"),
        ("a\x1b[31mb", "a\\u{1b}[31mb"),
        ("a\nb\tc\rd", "a\\u{a}b\\u{9}c\\u{d}d"),
        ("abc\u202etxt", "abc\\u{202e}txt"),
        ("a\u2066b\u2069", "a\\u{2066}b\\u{2069}"),
        ("zero\u200bwidth", "zero\\u{200b}width"),
        ("no\u00a0break", "no\\u{a0}break"),
        ("\x07\x7f\x9b", "\\u{7}\\u{7f}\\u{9b}"),
    ],
)
def test_what_cannot_be_seen_is_made_visible(text: str, visible: str) -> None:
    """Control characters, bidirectional marks, invisible spaces; everything printable stays."""
    assert safe(text) == visible


@given(st.text())
def test_safe_text_moves_and_reorders_nothing(text: str) -> None:
    """No control, format, surrogate, private or separator character but the space is left."""
    shown = safe(text)
    assert all(char == " " or unicodedata.category(char)[0] not in "CZ" for char in shown)
    assert safe(shown) == shown


@pytest.mark.parametrize(
    ("text", "width"),
    [
        ("", 0),
        ("plain", 5),
        ("é", 1),
        ("e\u0301", 1),
        ("日本", 4),
        ("🙂", 2),
        ("ｆｕｌｌ", 8),
        ("ก็", 1),
        # More marks than any script puts on a letter count, so that a line has an end.
        ("e" + "\u0301" * 10, 8),
    ],
)
def test_text_is_as_wide_as_a_terminal_shows_it(text: str, width: int) -> None:
    """Wide characters take two columns, marks on a letter none."""
    assert columns(text) == width


@given(st.text(max_size=30) | st.text("日本é\u0301a 🙂", max_size=30), st.integers(1, 20))
def test_shortened_text_has_at_most_its_width_and_says_that_it_was_cut(text: str, width: int) -> None:
    """An ellipsis stands exactly where something is left out, and not one character too early."""
    short = shorten(text, width)
    assert columns(short) <= width
    if columns(text) <= width:
        assert short == text
    else:
        kept = short.removesuffix("…")
        assert kept != short
        assert text.startswith(kept)
        assert columns(text[: len(kept) + 1]) > width - 1


@given(st.text("ab é\u0301日本 🙂", max_size=60), st.integers(2, 20), st.none() | st.integers(1, 20))
def test_wrapped_text_loses_nothing_but_the_spaces_at_which_it_is_broken(
    text: str, width: int, first: int | None
) -> None:
    """Every line has its width, and all of them together are the text."""
    words = " ".join(text.split())
    lines = wrapped(words, width, first)
    widths = [width if first is None else first, *([width] * len(lines))]
    assert all(columns(line) <= room for line, room in zip(lines, widths, strict=False))
    assert "".join(lines).replace(" ", "") == words.replace(" ", "")
    assert len(lines) <= max(len(words), 1) + 1


def test_a_word_is_broken_only_where_it_is_longer_than_a_line() -> None:
    """Else the line is, at a space."""
    assert wrapped("one two three", 8) == ["one two", "three"]
    assert wrapped("one twothreefour", 8) == ["one", "twothree", "four"]
    assert wrapped("日本語日本語", 5) == ["日本", "語日", "本語"]
    assert wrapped("one two three", 8, 3) == ["one", "two", "three"]
    assert wrapped("", 8) == [""]


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (None, "-"),
        (0, "0"),
        (1, "1"),
        (0.5, "0.5"),
        (1.0, "1"),
        (0.857142857, "0.8571"),
        (0.00004, "4e-05"),
        (2e-9, "2e-09"),
        (1e-9, "0"),
        (0.00015, "0.0001"),
        (0.99999, "0.99999"),
        (0.9999999999, "1"),
    ],
)
def test_a_number_is_short_but_never_looks_like_its_limit(value: float | None, shown: str) -> None:
    """0.00004 is not 0 and 0.99999 is not 1: a failed gate must not look as if it held."""
    assert number_text(value) == shown


def test_values_are_shown_on_one_line() -> None:
    """Text as it is, anything else as canonical JSON, cut and safe."""
    assert value_text("a\nb") == "a\\u{a}b"
    assert value_text({"b": 1.0, "a": [True, None]}) == '{"a":[true,null],"b":1}'
    assert value_text("x" * 100, 10) == "x" * 9 + "…"


def test_columns_are_aligned() -> None:
    """Two spaces apart, numbers to the right, nothing trailing."""
    rows = [["a", "1", "x"], ["bbb", "22", ""]]
    assert table(rows, right=(1,), indent="") == ["a     1  x", "bbb  22"]
    assert table([["日本", "1"], ["a\u0301b", "2"]], indent="") == ["日本  1", "a\u0301b    2"]
    assert table([]) == []


def test_counts_leave_out_what_is_zero() -> None:
    """None when there is nothing."""
    assert counts_text({"valid": 3, "invalid": 0, "unknown": 1}) == "3 valid, 1 unknown"
    assert counts_text({"valid": 0}) == "none"
