"""Pairs that hold, collected to be counted together: many of them have one comparison."""

from __future__ import annotations

from robust.canon import JsonObject, fold
from robust.run.pairs import BaseCase, PlannedPair
from robust.run.tally import Tally


class ComparedPairs:
    """Collects pairs of which nothing but the comparison is counted."""

    def __init__(self) -> None:
        self._comparisons: dict[str, list[JsonObject]] = {}
        self._sources: dict[str, set[str]] = {}
        self._assumed: set[str] = set()
        self._base: BaseCase | None = None
        self._source = ""

    def source(self, base: BaseCase) -> str:
        """The folded source group of a base case; that of the last one is remembered."""
        if base is not self._base:
            self._base, self._source = base, fold(base.case.source_id)
        return self._source

    def add(self, pair: PlannedPair, comparison: JsonObject) -> None:
        """Take in a pair that was sent and broke nothing."""
        plan = pair.plan
        kept = self._comparisons.get(plan.name)
        if kept is None:
            kept = self._comparisons[plan.name] = []
            self._sources[plan.name] = set()
            if plan.assumed:
                self._assumed.add(plan.name)
        kept.append(comparison)
        self._sources[plan.name].add(self._source if pair.base is self._base else self.source(pair.base))

    def count_in(self, tally: Tally) -> None:
        """Count all of them, once."""
        for name, comparisons in self._comparisons.items():
            tally.add_compared(name, comparisons, self._sources[name], assumed=name in self._assumed)
        self._comparisons.clear()
        self._sources.clear()
