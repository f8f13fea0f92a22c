"""When something was done, as the machine that did it said; nothing shows whether its clock was right."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from robust.app.checks import Check, left_open


def time_check(observed: Any, start: str, end: str | None = None) -> Check:
    """What is told of a time, which is left open.

    Args:
        observed: what was observed, of any kind.
        start: the member with the first moment.
        end: the member with the last one.
    """
    told = observed if isinstance(observed, dict) else {}
    moments = [told.get(name) for name in (start, end) if name is not None]
    if not all(map(_is_moment, moments)):
        return left_open("time", "not told")
    version = told.get("robust_version")
    by = f"; robust {version}" if isinstance(version, str) and len(version) < 100 else ""
    return left_open("time", f"{' to '.join(map(str, moments))}, as the machine said{by}")


def _is_moment(value: object) -> bool:
    if not isinstance(value, str) or len(value) > 100:
        return False
    try:
        return datetime.fromisoformat(value).tzinfo is not None
    except ValueError:
        return False
