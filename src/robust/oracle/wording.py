"""A text as its words and the white space between them, with what is found in it when it is asked for."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from functools import cached_property, lru_cache
from typing import Final

from robust.oracle.layout import Layout, layout_of
from robust.oracle.protected import Names, protected_items
from robust.oracle.protected_item import ProtectedItem
from robust.oracle.protected_units import UNIT_NAMES
from robust.oracle.protected_words import (
    FRACTION_PARTS,
    LONE_NUMBERS,
    MONTHS,
    NEGATIONS,
    NUMBER_WORDS,
    ORDINALS,
    SIGN_WORDS,
    words_of,
)
from robust.oracle.quoted import quoted_spans
from robust.transforms.texts import sentence_boundaries

# Sentences that need no white space between them are words apart as well.
_WORD: Final = re.compile(r"[^\s。！？]*[。！？]+[」』”]*|[^\s。！？]+")
# Marks that may stand behind a word without belonging to it; question marks do belong to it.
END_MARKS: Final = ".!…。！۔।"
CLAUSE_MARKS: Final = ",;:—،؛，；：、"
MARKS: Final = END_MARKS + CLAUSE_MARKS
_CLOSING: Final = "\"'”’»)]」』"
# Beside single letters and what has points within.
_ABBREVIATIONS: Final = frozenset(
    words_of(
        "mr mrs ms dr prof st jr sr hon rev gen col sgt capt lt maj mme mlle no nr nos vs etc fig figs eq approx dept "
        "inc ltd corp co vol pp pg sec ch ed eds al cf ca viz ref est avg ext tel mt ft ave blvd rd sq bros "
        "messrs esq bzw usw vgl evtl ggf inkl zzgl str abs bd hrsg med phil jur dipl ing sog geb gest sra srta dra ud "
        "uds núm pág av tfno ex mm env cie éd jan feb mar apr jun jul aug sep sept oct nov dec "
        "ул им гл стр рис тыс млн млрд руб коп др пр"
    )
)
_LONG: Final = 64
# As far from white space as an item that has it in it is looked for, in characters and in words.
_NEAR: Final = 240
_FEW: Final = 6
# Words that may be one of the several words of an item; of any other word an item ends or begins beside it.
_JOINING: Final = frozenset(
    name.casefold()
    for table in (UNIT_NAMES, NUMBER_WORDS, ORDINALS, LONE_NUMBERS, FRACTION_PARTS, MONTHS, SIGN_WORDS)
    for name in table
) | {"and", "per", "of", "de", "a", "an", "no", "rs"}


class Wording:
    """A text taken apart; what takes time is found when it is asked for, and kept.

    Attributes:
        text: the text.
        words: its stretches without white space, in order.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.words = _split(text)
        self._items: dict[Names, list[ProtectedItem]] = {}
        self._covered: dict[Names, list[tuple[int, int]]] = {}

    @cached_property
    def spans(self) -> list[tuple[int, int]]:
        """Where each word starts and ends."""
        spans, at = [], 0
        for word in self.words:
            at = self.text.index(word, at)
            spans.append((at, at + len(word)))
            at += len(word)
        return spans

    @cached_property
    def boundaries(self) -> list[tuple[int, int]]:
        """Before which words a sentence can be put, the end included, and the offset of each."""
        found: list[tuple[int, int]] = []
        word = seen = 0
        for place in sentence_boundaries(self.text):
            word += len(_split(self.text[seen:place]))
            seen = place
            found.append((word, place))
        return found

    @cached_property
    def layout(self) -> Layout:
        """What its white space may mean."""
        return layout_of(self.text)

    @cached_property
    def _quoted(self) -> list[tuple[int, int]]:
        text = self.text
        if text.isascii() and '"' not in text and "`" not in text and "'" not in text:
            return []
        return _merged([(span.start, span.end) for span in quoted_spans(text)])

    def within_quotation(self, start: int, end: int) -> bool:
        """Whether a stretch of the text lies within what is, or may be, quoted."""
        return bool(self._quoted) and _within(self._quoted, start, end)

    def items(self, keep: Names) -> list[ProtectedItem]:
        """The protected items."""
        found = self._items.get(keep)
        if found is None:
            found = self._items[keep] = protected_items(self.text, keep)
        return found

    def spanned(self, start: int, end: int, keep: Names) -> bool:
        """Whether white space between two words lies within an item, or would if it were a single blank."""
        if keep.of_several_words and _within(self._cover(keep), start, end):
            return True
        return make_item(_split(self.text[max(0, start - _NEAR) : start]), _split(self.text[end : end + _NEAR]))

    def touches_item(self, start: int, end: int, keep: Names) -> bool:
        """Whether a stretch of the text has a character of an item."""
        covered = self._cover(keep)
        place = bisect_left(covered, (end, 0)) - 1
        return place >= 0 and covered[place][1] > start

    def _cover(self, keep: Names) -> list[tuple[int, int]]:
        covered = self._covered.get(keep)
        if covered is None:
            covered = self._covered[keep] = _merged([(item.start, item.end) for item in self.items(keep)])
        return covered


def _split(text: str) -> list[str]:
    dense = not text.isascii() and ("。" in text or "！" in text or "？" in text)
    return _WORD.findall(text) if dense else text.split()


# A base comes again with each of its candidates, and with the next property.
base_wording: Final = lru_cache(maxsize=16)(Wording)


def _merged(spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Spans in the order of their starts, with those that overlap as one."""
    merged: list[tuple[int, int]] = []
    for start, end in spans:
        if merged and start < merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


def _within(spans: list[tuple[int, int]], start: int, end: int) -> bool:
    """Whether a stretch has one of the spans on both sides."""
    place = bisect_left(spans, (start, 0)) - 1
    return place >= 0 and end < spans[place][1]


def lone(word: str) -> bool:
    """Whether a word cannot be a part of an item of several words, names and quotations aside."""
    letters = word.rstrip(MARKS)
    return letters.isalpha() and len(word) < _LONG and letters.casefold() not in _JOINING


def make_item(before: Sequence[str], behind: Sequence[str]) -> bool:
    """Whether words and those that follow them make one protected item; only those near to each other count."""
    if lone(before[-1]) or lone(behind[0]):
        return False
    first = " ".join(before[-_FEW:])
    found = protected_items(" ".join((first, *behind[:_FEW])))
    return any(item.start < len(first) and len(first) + 1 < item.end for item in found)


def negates(word: str) -> bool:
    """Whether a word is a negation."""
    letters = word.rstrip(MARKS).casefold().replace("’", "'")
    return letters in NEGATIONS or letters.endswith("n't")


def ends_sentence(word: str) -> bool:
    """Whether a word has the mark of the end of a sentence behind it, and maybe closing marks."""
    return word.rstrip(_CLOSING)[-1:] in "?؟？" + END_MARKS and bool(word.rstrip(_CLOSING))


def abbreviated(word: str) -> bool:
    """Whether the point behind a word may be the one of an abbreviation."""
    letters = word.rstrip(_CLOSING)
    if not letters.endswith("."):
        return False
    letters = letters.rstrip(".").lstrip("([\"'“‘«„").casefold()
    if letters in _ABBREVIATIONS or (len(letters) == 1 and letters.isalpha()):
        return True
    # As in p.m. and z.B., but not in 3.50 and example.com.
    return "." in letters and any(part.isalpha() and len(part) < len("com") for part in letters.split("."))


def word_before(text: str, place: int) -> str:
    """The word that ends at an offset; of a very long one its end."""
    return text[max(0, place - _LONG) : place].rsplit(maxsplit=1)[-1]


def word_behind(text: str, place: int) -> str:
    """The word that starts at an offset; of a very long one its start."""
    return _split(text[place : place + _LONG])[0]
