"""The forms of labels, and when two of them would be shown alike."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from robust.records.label_styles import LABEL_STYLES, LabelStyle, alias_forms, collision, letter, styled

labels = st.lists(st.text(min_size=1, max_size=5), min_size=2, max_size=40, unique=True)


@pytest.mark.parametrize(
    ("style", "shown"),
    [
        ("upper", "NOT YET"),
        ("lower", "not yet"),
        ("capitalized", "NOt yet"),
        ("lettered", "C) nOt yet"),
        ("numbered", "3. nOt yet"),
        ("quoted", '"nOt yet"'),
        ("bracketed", "[nOt yet]"),
    ],
)
def test_each_style_has_its_form(style: LabelStyle, shown: str) -> None:
    """By the label's position where it counts."""
    assert styled("nOt yet", style, 2) == shown


def test_letters_go_on_after_z() -> None:
    """As columns of a table do."""
    assert [letter(index) for index in (0, 25, 26, 51, 52, 701, 702)] == ["A", "Z", "AA", "AZ", "BA", "ZZ", "AAA"]


@given(labels)
def test_only_a_change_of_case_can_make_labels_equal(names: list[str]) -> None:
    """All other styles keep what is written, so different labels stay different."""
    for style in LABEL_STYLES:
        shown = [styled(name, style, index) for index, name in enumerate(names)]
        if style not in ("upper", "lower", "capitalized"):
            assert collision(names, shown) is None
        assert (collision(names, shown) is None) == (len(set(shown)) == len(shown))


def test_a_collision_names_the_two_labels() -> None:
    """The earlier one first."""
    assert collision(["us", "them", "US"], ["US", "THEM", "US"]) == ("us", "US")


def test_variants_with_aliases_show_each_labels_alias_of_that_number() -> None:
    """A label without one stays itself."""
    assert list(alias_forms(["a", "b"], {"a": ["x", "y"], "b": ["z"]})) == [("x", "z"), ("y", "b")]
    assert list(alias_forms(["a", "b"], {})) == []
