"""Texts of an item, piece by piece: what stays, what went, what came, and how much is left out."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from robust.records.run_details import ChangedText
from robust.render.html_blocks import Piece
from robust.render.word_difference import changed_sides, pieces_of

# Between what two texts begin and end with alike; of more words, comparing each with each would take too long for a
# thousand items.
_MOST_TOKENS: Final = 400
# Of a text that stays, between two changes.
_MOST_SAME: Final = 600
LEGEND: Final = "In what changed, · is a space, ¶ a line break and \\t a tab."


def text_pieces(text: str, left: int = 0) -> tuple[Piece, ...]:
    """A text as it is.

    Args:
        text: the text, or its start.
        left: how many characters of it are left out behind.
    """
    return (Piece("same", text), *_left(left))


def difference_pieces(old: str, new: str) -> tuple[Piece, ...]:
    """The difference of two texts, word by word; what stays between two changes is cut where it is long."""
    return tuple(_difference(old, new))


def changed_pieces(changed: ChangedText) -> tuple[Piece, ...]:
    """The difference of two texts that were cut to where they differ."""
    before, old, new, after, (left_before, left_old, left_new, left_after) = changed
    if not (left_old or left_new):
        middle = _difference(before + old + after, before + new + after)
        return (*_left(left_before), *middle, *_left(left_after))
    # What was cut cannot be compared word by word.
    sides = [
        piece
        for kind, text, left in (("gone", old, left_old), ("come", new, left_new))
        for piece in (Piece("gone" if kind == "gone" else "come", text), *_left(left))
        if piece.text
    ]
    return (*_left(left_before), Piece("same", before), *sides, Piece("same", after), *_left(left_after))


def _left(count: int) -> tuple[Piece, ...]:
    return (Piece("left", f"{count:,} characters"),) if count else ()


def _difference(old: str, new: str) -> Iterator[Piece]:
    for piece in pieces_of(old, new, most_tokens=_MOST_TOKENS):
        if piece.old == piece.new:
            yield from _same("".join(piece.old))
            continue
        for kind, text in zip(("gone", "come"), changed_sides(piece), strict=True):
            if text:
                yield Piece("gone" if kind == "gone" else "come", text)


def _same(text: str) -> Iterator[Piece]:
    if len(text) <= _MOST_SAME:
        yield Piece("same", text)
        return
    half = _MOST_SAME // 2
    yield Piece("same", text[:half])
    yield from _left(len(text) - 2 * half)
    yield Piece("same", text[-half:])
