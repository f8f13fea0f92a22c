"""Typing errors: the key beside, two letters swapped, a letter left out; one in each candidate."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from typing import ClassVar, Final

from robust.canon import RandomStream
from robust.records.case import Relation
from robust.transforms.strategy import Edit, substitution

# Letters only, and no part of an address, a path, a number with letters, a word with an apostrophe or a hyphen, or of
# what a template or a program puts in braces.
_WORD: Final = re.compile(r"(?<![^\s(\[\"“‘«„¿¡])[^\W\d_]{3,}+(?![\w@/\\'’-]|[.:][\w/])")
# Shorter words in capitals are taken for abbreviations, of which one letter more or less makes another.
_ABBREVIATION: Final = 5
_NO_LETTER: Final = " "
# The rows of keys of three common layouts, from the top; each row stands half a key to the right of the one above.
_LAYOUTS: Final = (
    ("qwertyuiop", "asdfghjkl", "zxcvbnm"),
    ("йцукенгшщзхъ", "фывапролджэ", "ячсмитьбю"),
    (" ςερτυθιοπ", "ασδφγηξκλ", "ζχψωβνμ"),
)


def _neighbours(layouts: Sequence[Sequence[str]]) -> dict[str, str]:
    """The letters on the keys that touch the key of each letter."""
    found: dict[str, str] = {}
    for rows in layouts:
        for number, row in enumerate(rows):
            above = rows[number - 1] if number else ""
            below = rows[number + 1] if number + 1 < len(rows) else ""
            for place, letter in enumerate(row):
                touching = (
                    row[max(place - 1, 0) : place] + row[place + 1 : place + 2],
                    above[place : place + 2],
                    below[max(place - 1, 0) : place + 1],
                )
                found[letter] = "".join(touching).replace(_NO_LETTER, "")
    found.pop(_NO_LETTER, None)
    return found


NEIGHBOURS: Final[Mapping[str, str]] = _neighbours(_LAYOUTS)


def words_of(text: str) -> Iterator[tuple[int, int]]:
    """Where the words stand that a typing error may be made in: start and end, in characters.

    A word has three letters or more and nothing but letters. One with a combining mark behind it is left out, since its
    last letter would be torn from its mark, and so are an abbreviation in capitals and letters that are figures: 一百.
    """
    for found in _WORD.finditer(text):
        start, end = found.span()
        marked = end < len(text) and unicodedata.category(text[end]) in ("Mn", "Mc", "Me", "Cf")
        abbreviated = end - start <= _ABBREVIATION and found.group().isupper()
        if not (marked or abbreviated or any(map(str.isnumeric, found.group()))):
            yield start, end


class TypoNeighbour:
    """A letter becomes one of a key beside it; in the same case."""

    name: ClassVar[str] = "typo-neighbour"
    relation: ClassVar[Relation] = "invariant"

    def edit(self, text: str, stream: RandomStream) -> Edit | None:
        """See :class:`Strategy`."""
        words = [span for span in words_of(text) if any(map(NEIGHBOURS.__contains__, text[slice(*span)].lower()))]
        if not words:
            return None
        start, end = stream.choice(words)
        # Lower case of one character may be several, of which none has a key.
        place = stream.choice([at for at in range(start, end) if text[at].lower() in NEIGHBOURS])
        letter = text[place]
        new = stream.choice(NEIGHBOURS[letter.lower()])
        return substitution(text, place, place + 1, new.upper() if letter.isupper() else new)


class TypoSwap:
    """Two different letters within a word change places; the first letter stays."""

    name: ClassVar[str] = "typo-swap"
    relation: ClassVar[Relation] = "invariant"

    def edit(self, text: str, stream: RandomStream) -> Edit | None:
        """See :class:`Strategy`."""
        words = [(start, end) for start, end in words_of(text) if len(set(text[start + 1 : end])) > 1]
        if not words:
            return None
        start, end = stream.choice(words)
        place = stream.choice([at for at in range(start + 1, end - 1) if text[at] != text[at + 1]])
        return substitution(text, place, place + 2, text[place + 1] + text[place])


class TypoDrop:
    """A letter within a word is left out; the first letter stays."""

    name: ClassVar[str] = "typo-drop"
    relation: ClassVar[Relation] = "invariant"

    def edit(self, text: str, stream: RandomStream) -> Edit | None:
        """See :class:`Strategy`."""
        words = list(words_of(text))
        if not words:
            return None
        start, end = stream.choice(words)
        place = start + 1 + stream.below(end - start - 1)
        return substitution(text, place, place + 1, "")
