"""Planted edits of layout that say nothing, each of which a reader would not see or would not mind."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from typing import Final

from robust.transforms.planted_places import Place, blanks, layout_says_nothing

_BETWEEN_WORDS: Final = re.compile(r"[^\W\d_] [^\W\d_]")
_PARAGRAPHS: Final = re.compile(r"(?<=\S)\n\n(?=[^\W\d_])")
_LINE_FEED: Final = re.compile(r"(?<!\r)\n")
# Whole words, so that no mark behind one is drawn to it.
_WORD: Final = re.compile(r"(?<![\w\u0300-\u036f])[^\W\d_]++(?![\w\u0300-\u036f])")


def doubled_blank(text: str) -> Iterator[Place]:
    """Two blanks instead of one between two words."""
    if layout_says_nothing(text):
        for at in blanks(text):
            if _BETWEEN_WORDS.match(text, at - 1):
                yield Place(at, at + 1, ("  ",))


def trailing_line_feed(text: str) -> Iterator[Place]:
    """A line feed behind the text."""
    if layout_says_nothing(text) and text.strip():
        yield Place(len(text), len(text), ("\n",))


def leading_line_feed(text: str) -> Iterator[Place]:
    """A blank line before the text."""
    if layout_says_nothing(text) and text.strip():
        yield Place(0, 0, ("\n",))


def wider_paragraphs(text: str) -> Iterator[Place]:
    """Two blank lines instead of one between two paragraphs."""
    if layout_says_nothing(text):
        for match in _PARAGRAPHS.finditer(text):
            yield Place(*match.span(), ("\n\n\n",))


def carriage_returns(text: str) -> Iterator[Place]:
    """The ends of all lines as Windows writes them."""
    if layout_says_nothing(text) and text.strip() and "\r" not in text and "\n" in text:
        start, end = text.index("\n"), text.rindex("\n") + 1
        yield Place(start, end, (_LINE_FEED.sub("\r\n", text[start:end]),))


def decomposed_letters(text: str) -> Iterator[Place]:
    """Letters with accents as letter and accent, which Unicode has as the same text (canonical equivalence)."""
    if layout_says_nothing(text):
        for match in _WORD.finditer(text):
            new = unicodedata.normalize("NFD", match.group())
            if new != match.group() == unicodedata.normalize("NFC", match.group()):
                yield Place(*match.span(), (new,))
