"""What a production record holds, in numbers: one decision that an application collected."""

from __future__ import annotations

from typing import Final, NamedTuple

from robust.canon import canonical_text
from robust.records.decision import tidy_number

FIELDS: Final = (
    *("id", "timestamp", "decision", "input", "probabilities", "selected", "confidence", "backend", "model"),
    *("model_version", "outcome", "outcome_correct", "latency_ms", "cost", "action", "fallback", "metadata"),
)
REQUIRED: Final = ("decision", "probabilities", "selected")
# What is not known of a record stays unknown: in every column of small numbers this stands for it.
UNKNOWN: Final = -1
ACTIONS: Final = ("accept", "abstain", "fallback", "human_review")
# Of a latency in milliseconds and of a cost: beyond it (31,000 years) no number was measured.
MOST_MEASURED: Final = 1e15
# The name of the segment of the records that lack a key, or have null for it.
MISSING: Final = "<missing>"
# Values of a segment's key; longer ones, and more of them, tell records apart rather than kinds of records.
LONGEST_VALUE: Final = 200
MOST_SEGMENTS: Final = 1000

# A plain value of metadata that makes a segment.
SegmentValue = str | int | float | bool | None


class ProductionRecord(NamedTuple):
    """One record that is in order.

    Attributes:
        id: its id; None where it has none.
        values: its distribution, in the order of the contract's labels.
        selected: the position of the most probable label.
        outcome: the position of the label that turned out right; :data:`UNKNOWN` where that is not known.
        right: 1 where the selected label turned out right, 0 where not, :data:`UNKNOWN` where that is not known.
        action: the position in :data:`ACTIONS`, or :data:`UNKNOWN`.
        fallback: 1 where a fallback was taken, 0 where not, or :data:`UNKNOWN`.
        latency_ms: in milliseconds; None where it is not known.
        cost: in the application's own unit; None where it is not known.
        timestamp: as it stands in the record.
        segments: the value of each key that makes segments.
    """

    id: str | None
    values: tuple[float, ...]
    selected: int
    outcome: int
    right: int
    action: int
    fallback: int
    latency_ms: float | None
    cost: float | None
    timestamp: str | None
    segments: tuple[SegmentValue, ...]


def segment_name(value: SegmentValue) -> str:
    """A value as the name of a segment; different values have different names, and equal numbers the same.

    Text is itself, unless it looks like a number, true, false, a quoted text or the missing one: then it is quoted. So
    is text with something in it that cannot be printed.
    """
    if value is None:
        return MISSING
    if isinstance(value, bool):
        return "true" if value else "false"
    if not isinstance(value, str):
        return canonical_text(tidy_number(value))
    return canonical_text(value) if _looks_otherwise(value) else value


def _looks_otherwise(text: str) -> bool:
    if not text or text[0] == '"' or text in (MISSING, "true", "false", "null") or not text.isprintable():
        return True
    return text[0] in "-0123456789" and _is_number(text)


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def segment_id(key: str, value: SegmentValue) -> str:
    """How checks and records name a segment.

    A key is itself, unless it would be unclear where it ends: then it is quoted.
    """
    unclear = "=" in key or key[0] == '"'
    return f"segment[{canonical_text(key) if unclear else key}={segment_name(value)}]"
