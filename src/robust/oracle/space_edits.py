"""Edits of white space that say nothing: not within items or quotations, and not where lines or columns count."""

from __future__ import annotations

import re
import unicodedata
from typing import Final, NamedTuple

from robust.oracle.layout import Layout, is_markup, opens_line
from robust.oracle.protected import Names
from robust.oracle.wording import Wording, lone, word_before, word_behind

# White space that only parts words: no separators of records or pages, and no Ogham mark, which is seen.
_ORDINARY: Final = " \t\r\n\u00a0\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000"
_RUN: Final = re.compile(r"\s*")
# Some notations take a line that starts so far to the right for code.
_INDENTED: Final = re.compile(r"[\r\n] *(?:\t| {4})")
# Short words of other scripts behind a number are taken for units.
_UNIT: Final = 4
_HYPHENS: Final = "-‐‑\u00ad\\/"
_BLOCK: Final = 64


class SpaceEdit(NamedTuple):
    """White space that was replaced: its offsets in the base, and what stands there in the candidate."""

    start: int
    end: int
    after: str


def run_end(text: str, start: int) -> int:
    """Where the white space ends that starts at an offset; the offset itself where there is none."""
    return _RUN.match(text, start).end()  # type: ignore[union-attr]  # it matches nothing too


def space_edits(before: str, start: int, stop: int, after: str, at: int) -> tuple[list[SpaceEdit], int]:
    """The white space that differs between two texts of the same words.

    Args:
        before: the base.
        start: the offset of the first word.
        stop: the offset behind the last word.
        after: the candidate.
        at: the offset of the first word there.

    Returns:
        the edits, and the offset behind the last word in the candidate.

    Raises:
        ValueError: their words differ.
    """
    edits: list[SpaceEdit] = []
    first = start
    while start < stop:
        size = min(stop - start, _BLOCK)
        if before[start : start + size] == after[at : at + size]:
            start += size
            at += size
            continue
        while size > 1:
            half = size // 2
            if before[start : start + half] == after[at : at + half]:
                start += half
                at += half
                size -= half
            else:
                size = half
        while start > first and before[start - 1].isspace():
            start -= 1
            at -= 1
        end, behind = run_end(before, start), run_end(after, at)
        if end == start and behind == at:
            raise ValueError("the words differ")
        edits.append(SpaceEdit(start, end, after[at:behind]))
        start, at = end, behind
    return edits, at


def space_problem(base: Wording, edit: SpaceEdit, keep: Names) -> str | None:
    """Why white space that is replaced may matter; None where it does not."""
    text, (start, end, after) = base.text, edit
    if text[start:end].strip(_ORDINARY) or after.strip(_ORDINARY):
        return "unusual white space"
    layout = base.layout
    if layout == "fixed":
        return "white space of code, columns or indented lines"
    if not start or end == len(text):
        # Only an indented first line would say something.
        return "indentation of lines" if layout == "lines" and not start and after.strip("\r\n") else None
    left, right = word_before(text, start), word_behind(text, end)
    return _line_problem(layout, text[start:end], after, (left, right)) or _word_problem(base, edit, left, right, keep)


def _line_problem(layout: Layout, before: str, after: str, words: tuple[str, str]) -> str | None:
    """Why other line breaks may matter."""
    lines = _lines(before)
    if not lines and not _lines(after):
        return None
    if layout == "lines":
        return "line breaks of a text whose lines stand by themselves"
    if _INDENTED.search(after) is not None:
        return "an indented line"
    left, right = words
    if lines != _lines(after) and (opens_line(right) or is_markup(left) or left[-1] in _HYPHENS):
        return "a line break beside a mark that lines begin or end with"
    return None


def _word_problem(base: Wording, edit: SpaceEdit, left: str, right: str, keep: Names) -> str | None:
    """Why white space between two words may matter."""
    if left[-1].isnumeric() and (right[0].isnumeric() or (not right.isascii() and len(right) <= _UNIT)):
        return "white space beside a number"
    if (keep.of_several_words or not (lone(left) or lone(right))) and base.spanned(edit.start, edit.end, keep):
        return "white space within a protected item"
    if _clings(right[0], "Mn", "Mc", "Me", "Cf", "Co") or _clings(left[-1], "Cf", "Co"):
        return "white space beside a combining or invisible character"
    return "white space within a quotation" if base.within_quotation(edit.start, edit.end) else None


def insertion_problem(base: Wording, start: int, end: int, runs: tuple[str, ...]) -> str | None:
    """Why the white space around a fragment may matter; None where it does not.

    Args:
        base: the base.
        start: the offset behind the word before the fragment.
        end: the offset of the word behind it.
        runs: the white space before the first fragment there, between fragments, and behind the last one.
    """
    if "".join(runs).strip(_ORDINARY):
        return "unusual white space"
    if base.layout == "lines" and _lines(base.text[start:end]) and not any(map(_lines, runs)):
        return "line breaks of a text whose lines stand by themselves"
    return None


def _lines(space: str) -> bool:
    return "\n" in space or "\r" in space


def _clings(char: str, *categories: str) -> bool:
    """Whether a character changes what stands beside it: combining marks, joiners, signs of direction."""
    return not char.isascii() and unicodedata.category(char) in categories
