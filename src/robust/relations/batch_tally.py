"""What relations came to over many inputs, each of which was judged by itself."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Sequence

from robust.records.relation_check import BatchResult, Reason, Verdict
from robust.relations.trial_plan import Conclusion, TrialPlan
from robust.stats.exact_tests import binomial_at_least
from robust.stats.multiple import holm


class BatchTally:
    """Takes in one input after the other; memory grows by a number for each that was tested.

    The p value of a relation is min(1, 2 · min(H, B)): H the smallest p value of an input, times the inputs that were
    tested (Holm 1979), for a strong effect on few of them; B the chance that so many inputs, or more, have a p value of
    at most alpha (binomial), for an effect on many. Relations are adjusted for each other by Holm's method.

    Args:
        names: of the relations.
        alpha: the chance of a false alarm that is accepted.
    """

    def __init__(self, names: Sequence[str], alpha: float) -> None:
        self._alpha = alpha
        self._relations = {name: _OfRelation() for name in names}
        self.inputs = 0

    def add(self, plans: Sequence[TrialPlan], conclusions: Sequence[Conclusion]) -> None:
        """Take in what all relations, in order, came to on one input."""
        self.inputs += 1
        for found, plan, conclusion in zip(self._relations.values(), plans, conclusions, strict=True):
            found.verdicts[conclusion.verdict] += 1
            if conclusion.reason is not None:
                found.reasons[conclusion.reason] += 1
            found.trials += plan.trials
            found.contradictions += plan.contradictions
            found.errors += plan.errors
            found.declared |= plan.base == "declared"
            if (p_value := plan.p_value) is not None:
                found.p_values.append(p_value)

    def results(self) -> dict[str, BatchResult]:
        """What each relation came to, by name, in order."""
        p_values = {name: found.p_value(self._alpha) for name, found in self._relations.items()}
        tested = {name: p_value for name, p_value in p_values.items() if p_value is not None}
        adjusted = dict(zip(tested, holm(list(tested.values())), strict=True))
        return {
            name: found.result(name, p_values[name], adjusted.get(name), self._alpha)
            for name, found in self._relations.items()
        }


class _OfRelation:
    def __init__(self) -> None:
        self.verdicts: Counter[Verdict] = Counter()
        self.reasons: Counter[Reason] = Counter()
        self.p_values = array("d")
        self.trials = 0
        self.contradictions = 0
        self.errors = 0
        self.declared = False

    def flagged(self, alpha: float) -> int:
        return sum(p_value <= alpha for p_value in self.p_values)

    def p_value(self, alpha: float) -> float | None:
        tested = len(self.p_values)
        if not tested:
            return None
        strongest = min(1.0, tested * min(self.p_values))
        return min(1.0, 2 * min(strongest, binomial_at_least(self.flagged(alpha), tested, alpha)))

    def result(self, name: str, p_value: float | None, adjusted: float | None, alpha: float) -> BatchResult:
        verdict, reason = self._verdict(adjusted, alpha)
        return BatchResult(
            name=name,
            verdict=verdict,
            reason=reason,
            inputs=dict(sorted(self.verdicts.items())),
            trials=self.trials,
            contradictions=self.contradictions,
            errors=self.errors,
            tested=len(self.p_values),
            flagged=self.flagged(alpha),
            p_value=p_value,
            adjusted_p=adjusted,
        )

    def _verdict(self, adjusted: float | None, alpha: float) -> tuple[Verdict, Reason | None]:
        proven = adjusted is not None and adjusted <= alpha
        if proven or (self.declared and self.verdicts["violated"]):
            return "violated", "errors" if self.errors else None
        if self.verdicts["errored"] or self.errors:
            return "errored", "errors"
        if not self.trials:
            return "vacuous", self._most("no_effective_trial", "no_samples")
        if self.verdicts["inconclusive"]:
            return "inconclusive", self._most("noise_unknown", "too_few_runs")
        return "holds", "noise" if self.reasons["noise"] or self.verdicts["violated"] else None

    def _most(self, *reasons: Reason) -> Reason:
        """The one of several reasons that most inputs have, the first of those that as many have."""
        return max(reasons, key=self.reasons.__getitem__)
