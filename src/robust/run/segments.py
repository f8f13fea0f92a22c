"""Accuracy by the values of metadata keys, for those keys that name kinds of cases."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from robust.canon import JsonObject, canonical_text, fold
from robust.records.decision import label_of_answer
from robust.records.run_details import GroupedRate, Segment
from robust.stats.group_counts import grouped_share

# Values of a key; with more of them it tells cases apart rather than kinds of cases.
MAX_VALUES: Final = 30
MAX_KEYS: Final = 8
# Keys that are looked at; of more of them the first are.
_MOST_LOOKED_AT: Final = 64
_LONGEST_VALUE: Final = 200


class SourceShares:
    """Hits and things by source group."""

    def __init__(self) -> None:
        self._groups: dict[str, tuple[int, int]] = {}

    def add(self, source: str, *, hit: bool) -> None:
        """Count one thing of a folded source group."""
        hits, things = self._groups.get(source, (0, 0))
        self._groups[source] = hits + hit, things + 1

    def without(self, others: list[SourceShares]) -> SourceShares:
        """What is in none of the others, which are parts of this."""
        left = dict(self._groups)
        for other in others:
            for source, (hits, things) in other._groups.items():
                left[source] = left[source][0] - hits, left[source][1] - things
        found = SourceShares()
        found._groups = {source: counts for source, counts in left.items() if counts[1]}
        return found

    @property
    def things(self) -> int:
        """How many things there are."""
        return sum(things for _, things in self._groups.values())

    def rate(self, confidence: float) -> GroupedRate:
        """The share of hits with its interval."""
        share = grouped_share(self._groups.values())
        return GroupedRate(share.hits, share.cases, share.groups, share.interval(confidence))


class _Cases:
    """The cases of a segment, and of those that can be scored how many are right."""

    def __init__(self) -> None:
        self.count = 0
        self.right = SourceShares()

    def add(self, source: str, right: bool | None) -> None:
        self.count += 1
        if right is not None:
            self.right.add(source, hit=right)


class SegmentCounts:
    """Counts base decisions by the values of their metadata.

    A key is shown if all of its values are plain ones (text, number, truth value, null) and few; the cases without it
    are a segment too.
    """

    def __init__(self) -> None:
        self._all = _Cases()
        self._keys: dict[str, dict[str, _Cases] | None] = {}

    def add(self, record: JsonObject) -> None:
        """Count a base decision by its record."""
        source, right = fold(record["source_id"]), _right(record)
        self._all.add(source, right)
        for key, item in record["metadata"].items():
            if key not in self._keys:
                if len(self._keys) >= _MOST_LOOKED_AT:
                    continue
                self._keys[key] = {}
            values = self._keys[key]
            if values is None:
                continue
            value = _value_text(item)
            if value is None or (value not in values and len(values) >= MAX_VALUES):
                self._keys[key] = None
                continue
            values.setdefault(value, _Cases()).add(source, right)

    def left_out(self) -> list[str]:
        """The keys that are not shown, in order."""
        shown = self._shown()
        return sorted(key for key in self._keys if key not in shown)

    def _shown(self) -> list[str]:
        plain = sorted(key for key, values in self._keys.items() if values is not None)
        return plain[:MAX_KEYS]

    def segments(self, confidence: float) -> Iterator[Segment]:
        """The segments, in the order of their keys; those of a key with the most cases first, and the missing last."""
        for key in self._shown():
            values = self._keys[key] or {}
            for value, cases in sorted(values.items(), key=lambda each: (-each[1].count, each[0])):
                yield Segment(key, value, cases.count, cases.right.rate(confidence))
            missing = self._all.count - sum(cases.count for cases in values.values())
            if missing:
                others = self._all.right.without([cases.right for cases in values.values()])
                yield Segment(key, None, missing, others.rate(confidence))


def _right(record: JsonObject) -> bool | None:
    """Whether the answer is right; None where that is not known."""
    expected, result = label_of_answer(record["expected"]), record.get("result")
    return None if result is None or expected is None else bool(result["selected"] == expected)


def _value_text(value: Any) -> str | None:
    """A value as the name of a segment; None of what is no plain value, or too long for a name."""
    if isinstance(value, dict | list):
        return None
    text = value if isinstance(value, str) else canonical_text(value)
    return text if len(text) <= _LONGEST_VALUE else None
