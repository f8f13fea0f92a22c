"""How a stored value that does not follow is named."""

from __future__ import annotations

from typing import Any

from robust.canon import canonical_bytes
from robust.errors import Problem


def contradiction(
    file: str, line: int | None, path: str, stored: Any, derived: Any, *, record: str | None = None
) -> Problem:
    """The problem of a stored value that does not follow; names both values."""
    of = "" if record is None else f"record {record!r}: "
    message = f"{of}{brief(stored)} is stored, {brief(derived)} follows"
    return Problem(code="contradiction", message=message, file=file, line=line, path=path)


def brief(value: Any) -> str:
    """A value as messages show it: its JSON, cut where it is long."""
    try:
        shown = canonical_bytes(value).decode()
    except Exception:  # noqa: BLE001 - only for a message; the value may be a marker for an absent one
        shown = repr(value)
    return shown if len(shown) <= 200 else shown[:199] + "…"
