"""The first failures of a run, with what a reader wants to see of each."""

from __future__ import annotations

from collections import Counter
from typing import Final, TypeAlias

from robust.canon import JsonObject
from robust.records.properties import DISTRIBUTION_LIMITS
from robust.relations.compare import LEVEL_VIOLATION, breaks_a_limit
from robust.run.excerpts import excerpt

# Of each property, of those that break a limit, that only have another label, and that ended in an error, each: so that
# thousands of one sort do not hide the others. There is no limit on all of them together: then what is kept of parts
# that are counted apart would not be what is kept of the whole.
MAX_OF_ONE_SORT: Final = 10
# The property, or that it is a base decision; whether it ended in an error; whether it breaks a limit.
Sort: TypeAlias = tuple[str, bool, bool]
_OF_SMALLEST: Final = ("variant_selected", "tv_distance")
_COMPARED: Final = ("relation", "base_selected", "variant_selected", "base_correct", "variant_correct", "tv_distance")


class Failures:
    """Counts what failed and keeps the first of each sort: of decisions, and of the pairs of each property."""

    def __init__(self) -> None:
        self._count = 0
        self._by_kind: dict[str, int] = {}
        self._first: list[JsonObject] = []
        self._sorts: list[Sort] = []
        self._by_sort: Counter[Sort] = Counter()

    def add(self, record: JsonObject) -> None:
        """Take in a record, whether it failed or not."""
        error = record.get("error")
        if error is None and not record.get("violations"):
            return
        self._count += 1
        kind = record.get("property", "decision")
        self._by_kind[kind] = self._by_kind.get(kind, 0) + 1
        sort = kind, error is not None, breaks_a_limit(record.get("violations", ()))
        self._by_sort[sort] += 1
        if self._by_sort[sort] <= MAX_OF_ONE_SORT:
            self._first.append(entry_of(record))
            self._sorts.append(sort)

    def merge(self, other: Failures) -> None:
        """Add the failures of records that come behind these."""
        self._count += other._count
        seen = self._by_sort.copy()
        for entry, sort in zip(other._first, other._sorts, strict=True):
            seen[sort] += 1
            if seen[sort] <= MAX_OF_ONE_SORT:
                self._first.append(entry)
                self._sorts.append(sort)
        self._by_sort.update(other._by_sort)
        for kind, count in other._by_kind.items():
            self._by_kind[kind] = self._by_kind.get(kind, 0) + count

    def to_json(self) -> JsonObject:
        """How many there are, in all and of each kind, and the first of them."""
        return {"count": self._count, "by_kind": dict(sorted(self._by_kind.items())), "first": self._first}


def entry_of(record: JsonObject) -> JsonObject:
    """What a report shows of a record that failed."""
    error, comparison = record.get("error"), record.get("comparison")
    entry: JsonObject = {
        "id": record["id"],
        "property": record.get("property"),
        "error": None if error is None else error["kind"],
        "violations": record.get("violations", []),
    }
    if comparison is not None:
        reduced = record["reduced"]
        smallest = reduced or record
        entry |= {
            **{name: comparison[name] for name in _COMPARED},
            "measured": _measured(comparison, entry["violations"]),
            "reduced": reduced is not None,
            # The smallest form may fail in another way than the whole.
            "smallest": None if reduced is None else _smallest(reduced),
            **excerpt(smallest["input"], smallest["steps"]),
            "presentation": smallest["presentation"],
        }
    return entry


def _smallest(reduced: JsonObject) -> JsonObject:
    comparison = reduced["comparison"]
    return {**{name: comparison[name] for name in _OF_SMALLEST}, "violations": reduced["violations"]}


def _measured(comparison: JsonObject, violations: list[str]) -> JsonObject:
    """By limit that was broken, how far the pair went, in the unit of the limit."""
    fields = {**DISTRIBUTION_LIMITS, LEVEL_VIOLATION: "level_delta"}
    return {name: abs(comparison[fields[name]]) for name in violations if name in fields}
