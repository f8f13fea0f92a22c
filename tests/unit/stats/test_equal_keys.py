"""Equal texts among many, found part by part."""

from __future__ import annotations

import pytest

from robust.stats.equal_keys import equal_keys, keyed


@pytest.mark.parametrize("at_once", [1, 10, 1000])
def test_every_text_that_several_have_is_found_once(at_once: int) -> None:
    """With the numbers of all of them, whatever is held at once."""
    texts = [f"id {number % 97}" for number in range(100)]
    blocks = [keyed(texts[:60], range(1, 61)), keyed(texts[60:], range(61, 101))]
    assert sorted(equal_keys(blocks, 100, at_once=at_once)) == [[1, 98], [2, 99], [3, 100]]


def test_different_texts_are_not_equal() -> None:
    """A hundred thousand of them."""
    texts = [f"request-{number}" for number in range(100_000)]
    assert list(equal_keys([keyed(texts, range(len(texts)))], len(texts), at_once=30_000)) == []


def test_there_may_be_no_text_at_all() -> None:
    """Records need no ids."""
    assert list(equal_keys([], 0)) == []
