"""What the white space of a text may mean beyond parting words: in code, lists, tables and verses."""

from __future__ import annotations

import re
from typing import Final, Literal, TypeAlias

Layout: TypeAlias = Literal["free", "lines", "fixed"]
_CODE_HINT: Final = re.compile(r"[{}=|<>`/\\#\u202a-\u202e\u2066-\u2069]")
_CODE: Final = re.compile(
    r"[{}|\\\u202a-\u202e\u2066-\u2069]|[=!:+*/%&^-]=|=>|->|<-|</|/>|<\w|(?<!:)//|/\*|\w\(\)|;[ \t]*[\r\n]"
    r"|\w ?= ?\w|```|#include|&#?\w{2,8};"
)
# A line that stands by itself: of a list, a heading, a quotation, a table, a key with its value.
_OWN_LINE: Final = re.compile(
    r"(?:[-*•·+#>|~–—]|\(?(?:\d{1,3}|[^\W\d_]|[ivxIVX]{2,4})[.)](?=\s)|[^\s:]{1,30}(?: [^\s:]{1,30}){0,3}:(?=\s|\Z))"
)
_OPENS_LINE: Final = re.compile(r"[-*•·+#>|=~–—]|\(?(?:\d{1,3}|[^\W\d_]|[ivxIVX]{2,4})[.)]+\Z|//|/\*|%")
_MARKUP: Final = frozenset("-*•·+#>|=~–—/%$")
# What may start a comment or a command that ends with its line.
_TO_THE_END: Final = ("# ", "-- ", "> ", "$ ")
_COLUMNS: Final = re.compile(r"[^\s.!?:;] {2,}\S")
_LINE_ENDS: Final = ".!?…,;:—。！？，；：、؟،؛۔।\"'”’»)]」』"
_SHORT: Final = 45
_SEVERAL: Final = 2


def layout_of(text: str) -> Layout:
    """What the white space of a text may mean.

    Returns:
        ``fixed`` for code, indented lines, columns and tables: no white space of it may be edited; ``lines`` where
        lines stand by themselves, as those of lists and verses do: line breaks may not be edited; ``free`` otherwise.
    """
    hinted = "()" in text or ";" in text or _CODE_HINT.search(text) is not None
    if hinted and _CODE.search(text) is not None:
        return "fixed"
    inner = text.strip()
    if "\t" in inner:
        return "fixed"
    if "\n" not in inner and "\r" not in inner:
        return "lines" if any(mark in text for mark in _TO_THE_END) else "free"
    lines = [line for line in inner.splitlines() if line.strip()]
    if any(line[:1].isspace() for line in lines) or _by_columns(lines):
        return "fixed"
    alone = sum(1 for line in lines if _OWN_LINE.match(line) is not None or _breaks_off(line))
    return "lines" if alone >= _SEVERAL else "free"


def _by_columns(lines: list[str]) -> bool:
    return sum(1 for line in lines if _COLUMNS.search(line) is not None) >= _SEVERAL


def _breaks_off(line: str) -> bool:
    """Whether a line is short and ends without a mark: it is not broken because it is full."""
    return len(line) < _SHORT and line.rstrip()[-1] not in _LINE_ENDS


def opens_line(word: str) -> bool:
    """Whether a word would mean something else as the first one of a line: a bullet, a number of a list."""
    return _OPENS_LINE.match(word) is not None


def is_markup(word: str) -> bool:
    """Whether a word is nothing but a mark that may say something of the rest of its line."""
    return _MARKUP.issuperset(word)
