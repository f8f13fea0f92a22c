"""How one text differs from another, word by word, on one line that a spreadsheet or a terminal can show."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from robust.records.lookalikes import lookalike_key
from robust.render.plain import columns, fitting, safe, shorten

# Scripts without spaces between words: South-East Asian ones, and Chinese and Japanese.
_UNSPACED: Final = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
# A character of those, a number with what parts its digits, a word or 40 characters of one, or one other character.
_NUMBER: Final = r"\d{1,40}(?:[.,:/'\u2019\u00a0\u202f]\d{1,40})*"
_TOKEN: Final = re.compile(rf"[{_UNSPACED}]|{_NUMBER}|[^\W{_UNSPACED}]{{1,40}}|\s|[^\w\s]", re.DOTALL)
# Where the changed middle is larger, comparing word with word would take minutes, and nobody could read it.
_MOST_TOKENS: Final = 2000
_CONTEXT: Final = 8
_MORE: Final = "…"
# In every Western code page, since a spreadsheet may save in one.
_SIGNS: Final = {" ": "·", "\n": "¶", "\t": "\\t", "\r": "\\r"}
_OURS: Final = frozenset("·¶")


class Piece(NamedTuple):
    """Tokens that both texts have (the two are equal), or that stand for one another."""

    old: tuple[str, ...]
    new: tuple[str, ...]


def word_difference(old: str, new: str, *, most: int = 2000) -> str:
    """The difference of two texts: ``[-gone-]`` and ``{+come+}`` between a few words of what stays.

    White space that changed, and whatever cannot be seen, is made visible. ``…`` stands for what is left out.

    Args:
        old: the text before.
        new: the text after.
        most: how many characters are shown at most.
    """
    if old == new:
        return ""
    pieces = list(pieces_of(old, new))
    shown = "".join(
        _unchanged(piece.old, first=place == 0, last=place == len(pieces) - 1)
        if piece.old == piece.new
        else _changed(piece)
        for place, piece in enumerate(pieces)
    )
    return shown if len(shown) <= most else shown[: most - len(_MORE)] + _MORE


def change_excerpt(old: str, new: str, *, width: int) -> str:
    """The difference of two texts as :func:`word_difference` shows it, cut around the first change.

    Args:
        old: the text before.
        new: the text after.
        width: how many columns it takes at most; 40 or more, so that both sides of a change have room.
    """
    if old == new:
        return ""
    before, after = "", ""
    pieces = list(pieces_of(old, new))
    for place, piece in enumerate(pieces):
        if piece.old != piece.new:
            after += _changed(piece, most=width // 3)
        elif after:
            after += _unchanged(piece.old, first=False, last=place == len(pieces) - 1)
        else:
            before = _unchanged(piece.old, first=True, last=False)
        if columns(after) > width:
            break
    return shorten(_end_of(before, max(width - columns(after), width // 4)) + after, width)


def _end_of(text: str, width: int) -> str:
    """The end of a text, in at most ``width`` columns."""
    if columns(text) <= width:
        return text
    return _MORE + fitting(text[::-1], width - len(_MORE))[::-1]


def pieces_of(old: str, new: str, *, most_tokens: int = _MOST_TOKENS) -> Iterator[Piece]:
    """Two texts as what stays and what stands for one another, in order.

    Args:
        old: the text before.
        new: the text after.
        most_tokens: of both texts together, between what they begin and end with alike; of more, all of it stands for
            one another.
    """
    before, after = _TOKEN.findall(old), _TOKEN.findall(new)
    start = 0
    while start < min(len(before), len(after)) and before[start] == after[start]:
        start += 1
    end = 0
    while end < min(len(before), len(after)) - start and before[-1 - end] == after[-1 - end]:
        end += 1
    if start:
        yield Piece(tuple(before[:start]), tuple(before[:start]))
    yield from _middle(before[start : len(before) - end], after[start : len(after) - end], most_tokens)
    if end:
        yield Piece(tuple(before[len(before) - end :]), tuple(before[len(before) - end :]))


def _middle(old: list[str], new: list[str], most_tokens: int) -> Iterator[Piece]:
    if len(old) + len(new) > most_tokens:
        yield Piece(tuple(old), tuple(new))
        return
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
    for _, first, last, other_first, other_last in matcher.get_opcodes():
        yield Piece(tuple(old[first:last]), tuple(new[other_first:other_last]))


def _unchanged(tokens: tuple[str, ...], *, first: bool, last: bool) -> str:
    """What stays, with its middle left out where it is long; its ends too, where nothing changed beyond them."""
    room = 2 * _CONTEXT
    head = () if first else tokens[:room]
    tail = () if last else tokens[max(len(tokens) - room, len(head)) :]
    if len(tokens) <= room + (room if not (first or last) else 0):
        return _plain("".join(tokens))
    return _plain("".join(head)) + _MORE + _plain("".join(tail))


def _plain(text: str) -> str:
    return safe(text.replace("\r\n", " ").replace("\n", " ").replace("\t", " "))


def _changed(piece: Piece, most: int | None = None) -> str:
    """What went and what came, each in at most so many columns where that is said."""
    parts = []
    for opening, shown, closing in zip(("[-", "{+"), changed_sides(piece), ("-]", "+}"), strict=True):
        if shown:
            parts.append(f"{opening}{shown if most is None else shorten(shown, most)}{closing}")
    return "".join(parts)


def changed_sides(piece: Piece) -> tuple[str, str]:
    """What went and what came, with white space and whatever cannot be seen made visible."""
    # No more than can be shown, of texts that may have a megabyte.
    old, new = ("".join(tokens[:_MOST_TOKENS]) for tokens in piece)
    # Other letters of the same look, as another normal form or script has them, would show no difference.
    alike = old.casefold() != new.casefold() and lookalike_key(old) == lookalike_key(new) and bool(old and new)
    first, second = (_ascii(_visible(text)) if alike else _visible(text) for text in (old, new))
    return first, second


def _ascii(text: str) -> str:
    return "".join(char if char.isascii() or char in _OURS else f"\\u{{{ord(char):x}}}" for char in text)


def _visible(text: str) -> str:
    """A changed text whose white space is seen where it is at an end, runs on, or is all that changed."""
    parts = re.split(r"(\s+)", text)
    last = len(parts) - 1
    return "".join(
        safe(part)
        if place % 2 == 0
        else " "
        if part == " " and 0 < place < last and parts[place - 1] and parts[place + 1]
        else "".join(_SIGNS.get(char, safe(char)) for char in part)
        for place, part in enumerate(parts)
    )
