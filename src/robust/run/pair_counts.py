"""What is counted of the pairs of one property: plain data, so that parts of a run can be counted apart and added."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Sequence
from typing import Final

from robust.canon import JsonObject, canonical_bytes
from robust.relations.compare import breaks_a_limit

_DISTANCES: Final = ("tv_distance", "js_divergence", "max_abs_delta", "confidence_delta")
_MAX_REASON_CHARACTERS: Final = 300


class PairCounts:
    """Counts over the pairs of one property.

    Attributes:
        planned: how many candidates there are, refused ones and errors included.
        skipped: by reason, how many cases could not be transformed.
        errors_by_kind: by kind, how many pairs ended in an error.
        statuses: how many were found valid, invalid or unknown, and how many are assumed.
        refused: by code, why candidates are not valid.
        first_refused: by code, the first of them: its ``id``, and the ``reason`` that was given.
        oracles: who judged, by the canonical bytes of the same.
        compared: how many pairs were compared.
        sources: the folded source groups of those.
        violations: how many of them break a limit.
        violating: the source groups of those.
        flips: how many have another selected label.
        failures: how many failed in any way.
        reduced: how many were made smaller.
        distances: the total variation distance of each.
        largest: by field of a comparison, its largest absolute value.
        level_deltas: the lowest and the highest move of the expected level.
        correct: how many have which of base and variant right, where both are known.
    """

    def __init__(self) -> None:
        self.planned = 0
        self.skipped: Counter[str] = Counter()
        self.errors_by_kind: Counter[str] = Counter()
        self.statuses: Counter[str] = Counter()
        self.refused: Counter[str] = Counter()
        self.first_refused: dict[str, JsonObject] = {}
        self.oracles: dict[bytes, JsonObject] = {}
        self.compared = 0
        self.sources: set[str] = set()
        self.violations = 0
        self.violating: set[str] = set()
        self.flips = 0
        self.failures = 0
        self.reduced = 0
        self.distances = array("d")
        self.largest: dict[str, float] = dict.fromkeys(_DISTANCES, 0)
        self.level_deltas: tuple[float, float] = (0, 0)
        self.correct: Counter[tuple[bool, bool]] = Counter()

    def add(self, record: JsonObject, source: str) -> None:
        """Count one pair of a folded source, by its record."""
        validation = record["validation"]
        if validation is not None:
            self.statuses[validation["status"]] += 1
            for code in validation["issues"]:
                self.refused[code] += 1
                if code not in self.first_refused:
                    self.first_refused[code] = {"id": record["id"], "reason": _reason(validation, code)}
            oracle = {"contract": validation["contract"], **validation["oracle"]}
            self.oracles.setdefault(canonical_bytes(oracle), oracle)
        elif "assumed" in record:
            self.statuses["assumed"] += 1
        if "error" in record:
            self.errors_by_kind[record["error"]["kind"]] += 1
            self.failures += 1
        comparison = record["comparison"]
        if comparison is None:
            self.planned += 1
            return
        violations = record["violations"]
        self.failures += bool(violations)
        self.reduced += record["reduced"] is not None
        if violations and breaks_a_limit(violations):
            self.violations += 1
            self.violating.add(source)
        self.compare(comparison, source)

    def compare(self, comparison: JsonObject, source: str) -> None:
        """Count one pair that was compared, but for what it broke and who vouches for it."""
        self.sources.add(source)
        self._compare(comparison, 1)

    def compare_all(self, comparisons: Sequence[JsonObject], sources: set[str]) -> None:
        """The same of many pairs of these sources; one object may be the comparison of several."""
        self.sources |= sources
        distinct = {id(comparison): comparison for comparison in comparisons}
        for key, count in Counter(map(id, comparisons)).items():
            self._compare(distinct[key], count)

    def _compare(self, comparison: JsonObject, count: int) -> None:
        self.planned += count
        self.compared += count
        self.flips += comparison["flipped"] * count
        distance = comparison["tv_distance"]
        self.distances.extend([distance] * count)
        if distance:
            largest = self.largest
            for name in _DISTANCES:
                value = abs(comparison[name])
                if value > largest[name]:
                    largest[name] = value
            delta = comparison["level_delta"]
            if delta:
                low, high = self.level_deltas
                self.level_deltas = (min(low, delta), max(high, delta))
        base = comparison["base_correct"]
        if base is not None and (variant := comparison["variant_correct"]) is not None:
            self.correct[base, variant] += count

    def merge(self, other: PairCounts) -> None:
        """Add what was counted of pairs that come behind these."""
        for name in ("planned", "compared", "violations", "flips", "failures", "reduced"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        for name in ("skipped", "errors_by_kind", "statuses", "refused", "correct"):
            getattr(self, name).update(getattr(other, name))
        self.oracles.update(other.oracles)
        self.first_refused = {**other.first_refused, **self.first_refused}
        self.sources |= other.sources
        self.violating |= other.violating
        self.distances.extend(other.distances)
        self.largest = {name: max(value, other.largest[name]) for name, value in self.largest.items()}
        lowest, highest = zip(self.level_deltas, other.level_deltas, strict=True)
        self.level_deltas = (min(lowest), max(highest))


def _reason(validation: JsonObject, code: str) -> str:
    """What was observed where a code follows from that, or else what the oracle said; a long text is cut."""
    observed = [failure["detail"] for failure in validation["failures"] if failure["code"] == code]
    said = "" if validation["verdict"] is None else validation["verdict"]["reason"]
    reason = next((detail for detail in observed if isinstance(detail, str)), said)
    cut = len(reason) > _MAX_REASON_CHARACTERS
    return reason[:_MAX_REASON_CHARACTERS] + "…" if cut else reason
