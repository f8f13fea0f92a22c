"""What of a stored report may differ from the one that is derived again: the last digits of some intervals."""

from __future__ import annotations

from typing import Any, Final

from robust.canon import JsonObject
from robust.records.report import report_digest

_END_SLACK: Final = 1e-9


def with_stored_ends(derived: JsonObject, report: JsonObject) -> JsonObject:
    """The derived report with the stored ends of those intervals that are the same to nine digits.

    The ends are quantiles, whose last digits depend on the version of the library that computed them. Everything else
    must be equal to the last bit.
    """
    checks, metrics = report.get("checks"), report.get("metrics")
    pairs: list[tuple[JsonObject, Any]] = []
    if isinstance(checks, list):
        pairs += zip(derived["checks"], checks, strict=False)
    if isinstance(metrics, dict):
        pairs += [(metric, metrics.get(name)) for name, metric in derived["metrics"].items()]
    for due, stored in pairs:
        if isinstance(stored, dict) and same_ends(due["interval"], stored.get("interval")):
            due["interval"] = stored["interval"]
    return {**derived, "digest": report_digest(derived)}


def same_ends(due: Any, stored: Any) -> bool:
    """Whether two intervals are the same to nine digits."""

    def numbers(ends: Any) -> bool:
        return isinstance(ends, list) and len(ends) == 2 and all(type(end) in (int, float) for end in ends)

    return numbers(due) and numbers(stored) and all(abs(a - b) <= _END_SLACK for a, b in zip(due, stored, strict=True))
