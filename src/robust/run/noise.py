"""The pairs of a property by case, for the exchange test that tells a finding from the model's own noise."""

from __future__ import annotations

from collections.abc import Sequence

from robust.canon import digest_value, hash_bytes
from robust.records.decision import select
from robust.relations.compare import breaks_a_limit
from robust.run.property_plan import PropertyPlan, has_pair_limit
from robust.stats.exchange import Exchange, ExchangeTest

_SEED_SCHEMA = "robust.noise/1"


class PropertyNoise:
    """Gathers the trials of one property's pairs, case by case.

    Args:
        plan: the property.
        seed: the run's, from which what is drawn derives.
    """

    def __init__(self, plan: PropertyPlan, seed: int) -> None:
        self._plan = plan
        self._tests = {
            gate: Exchange(int(digest_value([_SEED_SCHEMA, seed, plan.name, gate])[7:39], 16))
            for gate in gates_of(plan)
        }
        self._case: str | None = None
        self._group = 0
        self._base: Sequence[tuple[float, ...]] = ()
        self._trials: list[tuple[float, ...]] = []

    def add(
        self, case_id: str, group: int, base: Sequence[tuple[float, ...]], trials: Sequence[tuple[float, ...]]
    ) -> None:
        """Take in one pair; those of a case come one after the other.

        Args:
            case_id: of the base.
            group: the number of its source group.
            base: the distributions of the base's decided trials.
            trials: those of the transformed case's decided trials.
        """
        if case_id != self._case:
            self._finish()
            self._case, self._group, self._base = case_id, group, base
        self._trials += trials

    def _finish(self) -> None:
        if self._case is None or not self._base or not self._trials:
            return
        plan, key = self._plan, int.from_bytes(hash_bytes(self._case.encode())[:8])
        # What is due of a transformed answer is what a base answer would be: then they can be exchanged.
        exchanged = plan.relation == "counterfactual"
        due = [tuple(reversed(trial)) for trial in self._trials] if exchanged else self._trials
        outcomes = [*self._base, *due]
        for gate, test in self._tests.items():
            if gate == "max_flip_rate" and not self._directed:
                labels = [str(select(outcome)) for outcome in outcomes]
                test.add_labels(self._group, labels[: len(self._base)], labels[len(self._base) :], key)
            else:
                test.add(self._group, len(self._base), self._breaks(gate, outcomes, exchanged=exchanged), key)
        self._case, self._trials = None, []

    def _breaks(self, gate: str, outcomes: Sequence[tuple[float, ...]], *, exchanged: bool) -> list[list[bool]]:
        """Whether each outcome, as the transformed one, breaks a limit against each as the base; compared once each."""
        plan = self._plan._replace(relation="invariant") if exchanged else self._plan
        different = list(dict.fromkeys(outcomes))
        table = []
        for one in different:
            comparisons = (plan.compare(one, other, None) for other in different)
            flips = gate == "max_flip_rate"
            table.append([bool(c["flipped"]) if flips else breaks_a_limit(plan.violations(c)) for c in comparisons])
        places = {outcome: place for place, outcome in enumerate(different)}
        order = [places[outcome] for outcome in outcomes]
        return [[table[one][other] for other in order] for one in order]

    @property
    def _directed(self) -> bool:
        return self._plan.relation in ("increasing", "decreasing")

    def results(self) -> dict[str, ExchangeTest]:
        """By gate, what the cases so far show; nothing where no case could be tested."""
        self._finish()
        found = {gate: test.result() for gate, test in self._tests.items()}
        return {gate: test for gate, test in found.items() if test is not None}


def gates_of(plan: PropertyPlan) -> list[str]:
    """The gates of a property that are judged against noise."""
    gates = ["max_violation_rate"] if has_pair_limit(plan.settings) else []
    return gates + (["max_flip_rate"] if plan.settings.max_flip_rate is not None else [])
