"""Texts as sets of shingles: words that follow each other."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from typing import Final

from robust.canon import fold

# Scripts that are written without blanks: each of their characters counts as a word.
_UNSPACED: Final = (
    r"\u0e00-\u0eff\u0f00-\u0fff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
    r"\U00020000-\U0003ffff"
)
# Where marks stand in Unicode that are a part of words written with blanks.
_MARK_BLOCKS: Final = (range(0x300, 0xE00), range(0x1100, 0x1780), range(0x1800, 0x3040), range(0xA000, 0x20000))
_UNMARKED: Final = rf"[^\W{_UNSPACED}]+"


def _marks() -> str:
    """The combining marks, such as the vowel signs of Devanagari, which no word may lose."""
    return "".join(chr(code) for block in _MARK_BLOCKS for code in block if unicodedata.category(chr(code))[0] == "M")


_WORD: Final = re.compile(rf"[{_UNSPACED}]|{_UNMARKED}(?:[{_marks()}]+(?:{_UNMARKED})?)*")
# More distinct words than there can be in memory.
_BITS: Final = 32


class Shingles:
    """Turns inputs into sets of shingles; equal words get equal numbers, so that nothing rests on a hash.

    Args:
        words: how many words make a shingle. A text with fewer words has one shingle of all of them.
    """

    def __init__(self, words: int) -> None:
        self._words = words
        self._numbers: dict[str, int] = {}

    def of(self, value: object) -> frozenset[int]:
        """The shingles of every text leaf of an input."""
        found: set[int] = set()
        for leaf in _text_leaves(value):
            numbers = [self._number(word) for word in _WORD.findall(fold(leaf))]
            found.update(
                self._shingle(numbers[start : start + self._words]) for start in range(_starts(numbers, self._words))
            )
        return frozenset(found)

    def _number(self, word: str) -> int:
        # From 1 on, so that shingles of fewer words differ from those of more.
        return self._numbers.setdefault(word, len(self._numbers) + 1)

    @staticmethod
    def _shingle(numbers: Sequence[int]) -> int:
        joined = 0
        for number in numbers:
            joined = joined << _BITS | number
        return joined


def _starts(numbers: Sequence[int], words: int) -> int:
    return max(len(numbers) - words + 1, 1) if numbers else 0


def _text_leaves(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key in sorted(value):
            yield from _text_leaves(value[key])
    elif isinstance(value, list):
        for item in value:
            yield from _text_leaves(item)
