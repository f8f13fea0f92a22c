"""What an answer cost, as providers say it."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

from robust.canon import MAX_SAFE_INTEGER
from robust.records.request import Usage

# Beyond it no cost is meant, and sums of costs stay finite.
_MAX_COST = 1e15


def read_usage(value: Any, *parts: str) -> Usage | None:
    """Tokens and cost out of a ``usage`` object; what is no sound count is not known.

    Args:
        value: the object.
        parts: the counts that together are all tokens, for when ``total_tokens`` is not given.
    """
    if not isinstance(value, dict):
        return None
    tokens = _count(value.get("total_tokens"))
    if tokens is None:
        counts = [count for count in (_count(value.get(part)) for part in parts) if count is not None]
        tokens = sum(counts) if counts else None
    cost = _amount(value.get("cost"))
    return None if tokens is None and cost is None else Usage(tokens=tokens, cost=cost)


def add_usage(usages: Iterable[Usage | None]) -> Usage | None:
    """The sum of what several calls cost; None where nothing is known of any."""
    known = [usage for usage in usages if usage is not None]
    tokens = [usage.tokens for usage in known if usage.tokens is not None]
    costs = [usage.cost for usage in known if usage.cost is not None]
    if not tokens and not costs:
        return None
    return Usage(tokens=sum(tokens) if tokens else None, cost=math.fsum(costs) if costs else None)


def _count(value: Any) -> int | None:
    return value if type(value) is int and 0 <= value <= MAX_SAFE_INTEGER else None


def _amount(value: Any) -> float | None:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return float(value) if is_number and 0 <= value <= _MAX_COST else None
