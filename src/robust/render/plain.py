"""Small pieces of plain text that several renderings share."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from robust.canon import canonical_text
from robust.records.decision import LIMIT_SLACK


def safe(text: str) -> str:
    """Text that cannot move the cursor, ring, colour or reorder what a terminal shows: such characters are escaped."""
    return "".join(char if char.isprintable() else f"\\u{{{ord(char):x}}}" for char in text)


def shorten(text: str, width: int) -> str:
    """At most ``width`` characters, the last one an ellipsis where something is left out."""
    return text if len(text) <= width else text[: width - 1] + "…"


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
    short = f"{value:.4f}".rstrip("0").rstrip(".")
    return short if "." in short or abs(float(short) - value) <= LIMIT_SLACK else f"{value:.10g}"


def table(rows: Iterable[Sequence[str]], *, right: Iterable[int] = (), indent: str = "  ") -> list[str]:
    """Rows in aligned columns, two spaces apart; columns in ``right`` are aligned to the right."""
    cells = [list(row) for row in rows]
    if not cells:
        return []
    aligned = set(right)
    widths = [max(len(row[column]) for row in cells) for column in range(len(cells[0]))]
    lines = []
    for row in cells:
        shown = (
            cell.rjust(width) if column in aligned else cell.ljust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        lines.append((indent + "  ".join(shown)).rstrip())
    return lines


def counts_text(counts: dict[str, int]) -> str:
    """``3 valid, 1 unknown``; ``none`` when everything is zero."""
    return ", ".join(f"{count} {name}" for name, count in counts.items() if count) or "none"
