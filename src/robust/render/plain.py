"""Small pieces of plain text that several renderings share."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

from robust.canon import canonical_text
from robust.records.decision import LIMIT_SLACK

# Marks that stand above or below one letter. Beyond them each counts as a column, so that no line grows without end.
_MOST_MARKS: Final = 3


def safe(text: str) -> str:
    """Text that cannot move the cursor, ring, colour or reorder what a terminal shows: such characters are escaped."""
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else f"\\u{{{ord(char):x}}}" for char in text)


def columns(text: str) -> int:
    """How many columns of a terminal a text takes: wide characters two, marks on another character none."""
    return len(text) if text.isascii() else sum(_widths(text))


def _widths(text: str) -> Iterator[int]:
    """How many columns each character takes behind those before it."""
    marks = 0
    for char in text:
        marks = marks + 1 if unicodedata.category(char) in ("Mn", "Me") else 0
        if 0 < marks <= _MOST_MARKS:
            yield 0
        else:
            yield 2 if unicodedata.east_asian_width(char) in ("W", "F") else 1


def fitting(text: str, width: int) -> str:
    """As much of the start of a text as takes at most ``width`` columns."""
    if text.isascii():
        return text[:width]
    left = width
    for end, taken in enumerate(_widths(text)):
        left -= taken
        if left < 0:
            return text[:end]
    return text


def shorten(text: str, width: int, more: str = "…") -> str:
    """At most ``width`` columns, the last of them ``more`` where something is left out."""
    return text if columns(text) <= width else fitting(text, max(width - len(more), 0)) + more


def wrapped(text: str, width: int, first: int | None = None) -> list[str]:
    """Lines of at most ``width`` columns, 2 or more, broken at spaces, and within words that are longer.

    Args:
        text: one paragraph.
        width: of each line.
        first: of the first line, where that is another width.
    """
    lines: list[str] = []
    line, room = "", width if first is None else first
    for word in text.split(" "):
        longer = f"{line} {word}" if line else word
        if columns(longer) <= room:
            line = longer
            continue
        if line:
            lines.append(line)
            room = width
        # With most marks, so many characters have more columns; counting them would take as long each time.
        while len(word) > (_MOST_MARKS + 1) * room + _MOST_MARKS or columns(word) > room:
            head = fitting(word, room)
            lines.append(head)
            word, room = word[len(head) :], width  # noqa: PLW2901 - what is left of it
        line = word
    return [*lines, line]


def value_text(value: Any, width: int = 60) -> str:
    """A JSON value on one line: text as it is, anything else as canonical JSON."""
    return shorten(safe(value if isinstance(value, str) else canonical_text(value)), width)


def number_text(value: float | None) -> str:
    """A number with up to four digits after the point; a dash when there is none.

    What would round to a whole number, as 0.99999 does, is shown with more digits.
    """
    if value is None:
        return "-"
    if isinstance(value, int):
        return str(value)
    # Nothing, and what cannot be told from it, has no sign.
    short = f"{0.0 if abs(value) <= LIMIT_SLACK else value:.4f}".rstrip("0").rstrip(".")
    return short if "." in short or abs(float(short) - value) <= LIMIT_SLACK else f"{value:.10g}"


def table(rows: Iterable[Sequence[str]], *, right: Iterable[int] = (), indent: str = "  ") -> list[str]:
    """Rows in aligned columns, two spaces apart; columns in ``right`` are aligned to the right."""
    cells = [list(row) for row in rows]
    if not cells:
        return []
    aligned = set(right)
    widths = [max(columns(row[place]) for row in cells) for place in range(len(cells[0]))]
    lines = []
    for row in cells:
        shown = (
            " " * (width - columns(cell)) + cell if place in aligned else cell + " " * (width - columns(cell))
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        lines.append((indent + "  ".join(shown)).rstrip())
    return lines


def plural(count: int, one: str, several: str | None = None) -> str:
    """``1 pair``, ``2 pairs``."""
    return f"{count} {one if count == 1 else several or one + 's'}"


def counts_text(counts: dict[str, int]) -> str:
    """``3 valid, 1 unknown``; ``none`` when everything is zero."""
    return ", ".join(f"{count} {name}" for name, count in counts.items() if count) or "none"
