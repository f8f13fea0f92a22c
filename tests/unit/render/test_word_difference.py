"""The difference of two texts, word by word, for people."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from robust.render.plain import columns
from robust.render.word_difference import change_excerpt, word_difference


@pytest.mark.parametrize(
    ("old", "new", "shown"),
    [
        ("same", "same", ""),
        ("I paid 1,25 euros.", "I paid 125 euros.", "I paid [-1,25-]{+125+} euros."),
        ("owes 1,049.50 now", "owes 1\u202f049,50 now", "owes [-1,049.50-]{+1\\u{202f}049,50+} now"),
        ("is eligible", "is not eligible", "is {+not·+}eligible"),
        ("a b c", "a  b c", "a {+·+}b c"),
        ("x\ny", "x\r\ny", "x{+\\r+} y"),
        ("tab", "tab\t", "tab{+\\t+}"),
        ("one\ntwo", "one two", "one[-¶-]{+·+}two"),
        ("caf\u00e9", "cafe\u0301", "[-caf\\u{e9}-]{+cafe\\u{301}+}"),
        ("paypal", "p\u0430ypal", "[-paypal-]{+p\\u{430}ypal+}"),
        ("a\u200bb", "ab", "[-a\\u{200b}b-]{+ab+}"),
        ("Jos\u00e9", "JOS\u00c9", "[-Jos\u00e9-]{+JOS\u00c9+}"),
        ("我付了五欧元。", "我付了六欧元。", "我付了[-五-]{+六+}欧元。"),
        ("x" * 99 + "a", "x" * 99 + "b", "x" * 80 + "[-" + "x" * 19 + "a-]{+" + "x" * 19 + "b+}"),
        ("", "new", "{+new+}"),
        ("old", "", "[-old-]"),
        ("\x1b[31mred", "red", "[-\\u{1b}[31mred-]{+red+}"),
    ],
)
def test_what_changed_is_marked_and_can_be_seen(old: str, new: str, shown: str) -> None:
    """White space, invisible characters, and letters that look like others."""
    assert word_difference(old, new) == shown


def test_only_the_words_around_a_change_are_shown() -> None:
    """Before the first, between two, and behind the last."""
    old = " ".join([*("a" * 30), "one", *("b" * 50), "two", *("c" * 30)])
    shown = word_difference(old, old.replace("one", "1").replace("two", "2"))
    assert shown == ("…a a a a a a a a [-one-]{+1+} b b b b b b b b…b b b b b b b b [-two-]{+2+} c c c c c c c c…")


def test_large_texts_are_compared_in_no_time_and_shown_in_part() -> None:
    """Comparing word with word would take minutes."""
    old = " ".join(f"w{number}" for number in range(200_000))
    shown = word_difference(old, old.replace("1", "2"))
    assert len(shown) == 2000
    assert shown.startswith("w0 [-w1 w2")
    assert shown.endswith("…")


@pytest.mark.parametrize(
    ("old", "new", "shown"),
    [
        ("same", "same", ""),
        ("I paid 1,25 euros.", "I paid 125 euros.", "I paid [-1,25-]{+125+} euros."),
        ("x" * 30 + " " + "y" * 30 + " 1", "x" * 30 + " " + "y" * 30 + " 2", "…" + "y" * 28 + " [-1-]{+2+}"),
        ("a" * 60, "b" * 60, f"[-{'a' * 12}…-]{{+{'b' * 12}…+}}"),
    ],
)
def test_an_excerpt_is_cut_around_the_first_change(old: str, new: str, shown: str) -> None:
    """What stands before it loses its start, and each side its end."""
    assert change_excerpt(old, new, width=40) == shown


@given(st.text(), st.text(), st.integers(40, 100))
def test_an_excerpt_never_takes_more_columns(old: str, new: str, width: int) -> None:
    """And is empty for equal texts only."""
    shown = change_excerpt(old, new, width=width)
    assert columns(shown) <= width
    assert bool(shown) == (old != new)
