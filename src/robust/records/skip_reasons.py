"""Why samples of a relation were no trials: the most frequent reason of each kind, with an example."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from robust.canon import JsonObject

# Those that somebody gave words for: the transform, or the oracle.
EXPLAINED: Final = ("invalid", "not_applicable", "unknown")
_MOST_DISTINCT: Final = 200


@dataclass(frozen=True, slots=True)
class SkipReason:
    """The most frequent reason of one kind.

    Attributes:
        reason: ``invalid``, ``unknown`` or ``not_applicable``.
        codes: the oracle's issues; none of a transform.
        text: the words of the first such sample: of the transform, or of the oracle.
        count: how many samples have it.
        total: how many were skipped for any reason of this kind.
        input_id: of the first such sample.
        sample: its number.
        claimed: the kind of the relation, which issues may contradict.
    """

    reason: str
    codes: tuple[str, ...]
    text: str
    count: int
    total: int
    input_id: str
    sample: int
    claimed: str


class _Seen:
    def __init__(self, text: str, input_id: str, sample: int) -> None:
        self.first = text, input_id, sample
        self.count = 0


class SkipReasons:
    """Counts reasons: of each kind and relation up to 200 distinct ones, and later ones in the total alone.

    Args:
        kinds: of each relation, by name, its kind.
    """

    def __init__(self, kinds: Mapping[str, str]) -> None:
        self._kinds = kinds
        self._seen: dict[tuple[str, str], dict[object, _Seen]] = {}
        self._totals: dict[tuple[str, str], int] = {}

    def add(
        self, relation: str, reason: str, place: tuple[str, int], note: str | None, validation: JsonObject | None
    ) -> None:
        """Take in a sample that was no trial.

        Args:
            relation: the relation's name.
            reason: why, in a code; those that explain themselves are not counted.
            place: input and number of the sample.
            note: the transform's words.
            validation: what is kept of the oracle's judgement.
        """
        if reason not in EXPLAINED:
            return
        of = relation, reason
        self._totals[of] = self._totals.get(of, 0) + 1
        seen = self._seen.setdefault(of, {})
        text = str(note or "") if validation is None else str(validation["reason"] or "")
        key: object = text if validation is None else tuple(validation["issues"])
        if key not in seen:
            if len(seen) >= _MOST_DISTINCT:
                return
            seen[key] = _Seen(text, *place)
        seen[key].count += 1

    def add_record(self, record: JsonObject) -> None:
        """Take in a record, if it is of a sample that was no trial."""
        if record["kind"] == "skip":
            place = record["input_id"], record["sample"]
            self.add(record["relation"], record["reason"], place, record.get("note"), record.get("validation"))

    def of(self, relation: str) -> list[SkipReason]:
        """The most frequent reason of each kind, the first of those that as many samples have."""
        found = []
        for reason in EXPLAINED:
            seen = self._seen.get((relation, reason))
            if not seen:
                continue
            key, most = max(seen.items(), key=lambda each: each[1].count)
            codes = key if isinstance(key, tuple) else ()
            text, input_id, sample = most.first
            total, kind = self._totals[relation, reason], self._kinds.get(relation, "invariant")
            found.append(SkipReason(reason, codes, text, most.count, total, input_id, sample, kind))
        return found


def skip_reasons(plan: JsonObject, records: Iterable[JsonObject]) -> dict[str, list[SkipReason]]:
    """By relation the most frequent reasons for which samples were no trials, from plan and records."""
    found = SkipReasons({each["name"]: each["kind"] for each in plan["relations"]})
    for record in records:
        found.add_record(record)
    return {each["name"]: found.of(each["name"]) for each in plan["relations"]}
