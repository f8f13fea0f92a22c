"""Edits of punctuation that say nothing: between words that are no protected items, and not what parts sentences.

A mark within a sentence may decide who does what ("Let's eat, grandma"), so only a few edits of them are let through.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final, NamedTuple

from robust.oracle.protected import Names
from robust.oracle.protected_words import words_of
from robust.oracle.wording import CLAUSE_MARKS, END_MARKS, MARKS, Wording, abbreviated, negates

_GREEK: Final = re.compile("[\u0370-\u03ff\u1f00-\u1fff]")
# Words that a comma may follow at the start of a sentence without being a part of it.
_GREETINGS: Final = frozenset(
    words_of("hello hi hey ok okay greetings therefore moreover furthermore meanwhile finally")
)
_CLOSERS: Final = frozenset(("too", "though"))
# Words that say of what a sentence holds; a comma near them may move it.
_RESTRICTING: Final = frozenset(words_of("only hardly barely scarcely rarely seldom unless except if but even just"))
# White space that may stand before a mark, as in French.
_BEFORE_MARKS: Final = " \u00a0\u202f"
_CLOSING: Final = "\"'”’»)]」』"
_QUESTION_MARKS: Final = "?？؟"


class Marked(NamedTuple):
    """A text as its words without the marks behind them.

    Attributes:
        bare: the words without marks; a mark that stands alone is no word.
        marks: the marks behind each, with the white space before them.
        first: the place in the wording of each word.
    """

    bare: list[str]
    marks: list[str]
    first: list[int]

    @property
    def written(self) -> list[str]:
        """The words with their marks."""
        return [word + mark for word, mark in zip(self.bare, self.marks, strict=True)]


def marked(wording: Wording) -> Marked:
    """The words of a text and their marks."""
    result = Marked([], [], [])
    for index, word in enumerate(wording.words):
        bare = word.rstrip(MARKS)
        if bare:
            result.bare.append(bare)
            result.marks.append(word[len(bare) :])
            result.first.append(index)
        elif result.bare:
            gap = wording.text[wording.spans[index - 1][1] : wording.spans[index][0]]
            result.marks[-1] += gap + word
        else:
            # Marks before the first word are no marks behind one.
            result.bare.append(word)
            result.marks.append("")
            result.first.append(index)
    return result


def mark_problem(base: Wording, words: Marked, index: int, marks: list[str], keep: Names) -> str | None:
    """Why a mark that is changed may matter; None where it does not.

    Args:
        base: the base.
        words: its words and marks.
        index: the word behind which the mark is changed.
        marks: the marks of the candidate behind the words of the base.
        keep: the names that are protected.
    """
    word, old, new = words.bare[index], words.marks[index], marks[index]
    end = base.spans[words.first[index]][0] + len(word)
    problem = _mark_itself(base, word, old, new) if base.layout != "fixed" else "a mark of code"
    if problem is not None:
        return problem
    if base.touches_item(end, end + max(1, len(old)), keep) or base.within_quotation(end, end + len(old)):
        return "a mark within a protected item"
    kinds = {_kind(old), _kind(new)}
    if index == len(words.bare) - 1:
        return None if kinds <= {"none", "end"} else "a mark that leaves the end open"
    if kinds == {"end"} or old.split() == new.split():
        return None
    if not kinds <= {"none", "clause"}:
        return "a mark that parts sentences"
    behind = base.spans[words.first[index + 1]][0]
    if base.touches_item(end - 1, behind + 1, keep):
        return "a mark beside a protected item"
    return _within_sentence(words, index, marks)


def _mark_itself(base: Wording, word: str, old: str, new: str) -> str | None:
    """Why a mark behind a word may matter wherever it stands."""
    if ";" in old + new and _GREEK.search(base.text) is not None:
        return "the question mark of Greek"
    if not (word[-1].isalpha() or word[-1] in _CLOSING or unicodedata.category(word[-1]) in ("Mn", "Mc")):
        return "a mark beside a figure or sign"
    if "." in old + new and abbreviated(word + "."):
        return "the point of an abbreviation"
    if (old + new).strip(MARKS + _BEFORE_MARKS):
        return "a mark on another line"
    if old.split() != new.split() and (old[:1].isspace() or new[:1].isspace()):
        return "a mark that stands alone"
    return None


def _kind(mark: str) -> str:
    mark = "".join(mark.split())
    if not mark:
        return "none"
    if all(char in END_MARKS for char in mark):
        return "end"
    return "clause" if len(mark) == 1 and mark in CLAUSE_MARKS else "mixed"


def _within_sentence(words: Marked, index: int, marks: list[str]) -> str | None:
    """Why a mark between the words of a sentence may matter: which of them belong together may hang on it."""
    first = index
    while first and not _ends(words, first - 1):
        first -= 1
        if words.marks[first] or marks[first]:
            return "one of several marks within a sentence"
    last = index + 1
    while last < len(words.bare) - 1 and not _ends(words, last):
        if words.marks[last] or marks[last]:
            return "one of several marks within a sentence"
        last += 1
    sentence = [word.casefold() for word in words.bare[first : last + 1]]
    if any(negates(word) or word in _RESTRICTING for word in sentence):
        return "a mark in a sentence that negates or restricts"
    place = index - first
    apart = (
        (not place and sentence[0] in _GREETINGS)
        or sentence[place + 1] == "and"
        or (index + 1 == last and sentence[-1] in _CLOSERS)
    )
    comma = words.marks[index] + marks[index] in (",", "，", "،")
    return None if comma and apart else "a mark within a sentence"


def _ends(words: Marked, index: int) -> bool:
    return words.bare[index][-1] in _QUESTION_MARKS or _kind(words.marks[index]) == "end"
