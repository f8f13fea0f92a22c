"""Two inputs cut to where they differ."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from robust.run.changed_text import changed_text, input_text, text_start

TEXTS = st.text(alphabet="ab \n", max_size=40)


@given(TEXTS, TEXTS, st.integers(0, 1000), st.integers(0, 1000))
def test_nothing_is_lost_but_what_is_counted(old: str, new: str, before: int, after: int) -> None:
    """Around a change of any size, in texts of any length."""
    start, end = "x" * before, "y" * after
    changed = changed_text(start + old + end, start + new + end)
    assert (start + old + end).find(changed.before + changed.old + changed.after) == changed.left[0]
    assert (start + new + end).find(changed.before + changed.new + changed.after) == changed.left[0]
    kept = len(changed.before) + len(changed.after)
    assert kept + len(changed.old) + sum(changed.left) - changed.left[2] == before + len(old) + after
    assert kept + len(changed.new) + sum(changed.left) - changed.left[1] == before + len(new) + after


def test_a_change_in_the_middle_of_a_long_text_is_found_at_once() -> None:
    """With a little of what stands around it."""
    old = "x" * 500_000 + "old" + "y" * 500_000
    changed = changed_text(old, old.replace("old", "new"))
    assert (changed.old, changed.new) == ("old", "new")
    assert changed.left == (499_600, 0, 0, 499_600)


def test_objects_are_compared_as_json() -> None:
    """Line by line, with their keys in order."""
    changed = changed_text({"b": 1, "a": "é"}, {"a": "é", "b": 2})
    assert (changed.old, changed.new) == ("1", "2")
    assert changed.before == '{\n "a": "é",\n "b": '
    assert input_text({"a": [1]}) == '{\n "a": [\n  1\n ]\n}'


def test_the_same_input_twice_has_no_change() -> None:
    """Its start is what can be read of it."""
    assert changed_text("same " * 1000, "same " * 1000) == (("same " * 1000)[:2000], "", "", "", (0, 0, 0, 3000))
    assert text_start("abc") == ("abc", 0)
    assert text_start("a" * 2001) == ("a" * 2000, 1)
