"""What a person reads of a pair."""

from __future__ import annotations

from typing import Any

import pytest

from robust import Case, Comparator, Media
from robust.render.review import MAX_SHOWN, review_row
from tests.builders import CONTRACT, judged, saying, verdict


def row(before: Any, after: Any, *, expected: Any = None, media: tuple[Media, ...] = (), **terms: Any) -> Any:
    """The row of a pair that the oracle left open."""
    base = Case(before, expected, case_id="b", source_id="s", media=media)
    candidate = Case(after, case_id="c", source_id="s", media=media)
    return review_row(judged(saying(verdict(None, None, None)), (base, candidate), **terms))


def test_an_object_is_shown_as_json_over_lines() -> None:
    """So that a person can read it in a cell, and sees what changed."""
    shown = row({"text": "größer", "n": 1}, {"text": "größer", "n": 2})
    assert shown.pair.base == '{\n  "n": 1,\n  "text": "größer"\n}'
    assert "[-1-]{+2+}" in shown.pair.change


def test_control_characters_are_escaped_and_line_ends_made_one() -> None:
    """As a spreadsheet would drop or change them."""
    shown = row("a\x07b\r\nc\rd\te", "a")
    assert shown.pair.base == "a\\u{7}b\nc\nd\te"


def test_a_long_input_is_cut_and_named_by_its_digest() -> None:
    """A cell of Excel ends at 32,767; the pair is still known by its whole content."""
    long = "x" * 1_000_000
    one, other = row(long + "a", long + "b"), row(long + "a", long + "c")
    assert len(one.pair.candidate) < MAX_SHOWN + 200
    assert one.pair.candidate.endswith("]")
    assert "985001 more characters of sha256:" in one.pair.candidate
    assert one.pair.pair != other.pair.pair
    assert one.pair.candidate != other.pair.candidate


def test_media_are_named() -> None:
    """Side, path, type, size and digest."""
    picture = Media(path="img/a.png", media_type="image/png", bytes=3, sha256="0" * 64)
    lines = row("a", "b", media=(picture,)).pair.media.splitlines()
    assert lines[0] == f"base: img/a.png (image/png, 3 bytes, sha256 {'0' * 64})"
    assert lines[1].startswith("candidate: img/a.png")


@pytest.mark.parametrize(
    ("expected", "comparator", "kind"),
    [
        (None, "exact", "text"),
        ("6", "exact", "text"),
        (6, "exact", "number"),
        (True, "exact", "boolean"),
        (["a"], "set", "json"),
        (None, "number", "number"),
        (None, "set", "json"),
        ("6", "number", "text"),
        (None, Comparator(name="scale", levels=("low", "high")), "text"),
        (3, Comparator(name="scale", levels=("low", "high")), "json"),
    ],
)
def test_the_kind_of_answers_is_told_and_no_label_is(expected: Any, comparator: Any, kind: str) -> None:
    """A person judges without seeing what the answer ought to be."""
    shown = row("one", "two", expected=expected, comparator=comparator)
    assert shown.pair.answers == kind
    again = row("one", "two", comparator=comparator)
    assert (shown.pair.base, shown.pair.pair, shown.help) == (again.pair.base, again.pair.pair, again.help)
    assert shown.pair.contract == CONTRACT
