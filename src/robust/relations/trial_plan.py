"""What to ask next in a check of one relation on one input, and what follows at the end; nothing here calls anything.

Whoever runs a check feeds this with outcomes as they come, and whoever verifies one feeds it with those of the records.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final, Literal, NamedTuple, TypeAlias

from robust.records.relation_check import Reason, Verdict
from robust.relations.noise_test import Base, NoiseTest
from robust.stats.exact_tests import rarest_split
from robust.stats.multiple import holm, holm_at_best

# ``go``: to the next sample. ``confirm``: run base and this variant afresh. ``stop``: no later contradiction can change
# the verdict.
Step: TypeAlias = Literal["go", "confirm", "stop"]
MIN_CONFIRMATION_RUNS: Final = 6
MAX_ATTEMPTS: Final = 3


class Rules(NamedTuple):
    """On what terms relations are judged; the same for all relations of a check.

    Attributes:
        alpha: the chance of a false alarm that is accepted, over all relations of one input.
        relations: how many there are.
        early_stop: whether samples are left out once no later contradiction can change the verdict. What is not asked
            cannot raise, so that a relation that is ``errored`` with all samples may be settled without them.
    """

    alpha: float
    relations: int
    early_stop: bool


@lru_cache(maxsize=64)
def rules_of(alpha: float, relations: int, *, early_stop: bool) -> Rules:
    """The rules for so many relations on one input."""
    return Rules(alpha, max(1, relations), early_stop)


def planned_samples(samples: int, *, deterministic: bool) -> int:
    """How many samples a relation has: one is enough where it makes one variant only."""
    return min(1, samples) if deterministic else samples


def planned_base_runs(baseline_runs: int, *, deterministic: bool) -> int:
    """How often the base is run: once is enough for a system that is declared to be deterministic."""
    return 1 if deterministic else baseline_runs


class Attempt(NamedTuple):
    """One confirmation: base and variant of a sample, each run afresh.

    Attributes:
        sample: the number of the sample.
        p_value: of the outputs of these runs alone; 1 where one of them failed.
        smallest_p: the smallest that it could have been.
    """

    sample: int
    p_value: float
    smallest_p: float


@dataclass(slots=True)
class TrialPlan:
    """The course of one relation on one input.

    Attributes:
        planned: how many samples there are to be.
        rules: on what terms it is judged.
        base: how the base's runs compare under its assertion; set before the first trial, None until then.
        asked: how many samples were gone through.
        trials: how many of them were effective.
        contradictions: how many of these contradict the reference run of the base.
        skipped: by reason, how many samples were no trials.
        errors: how often something raised.
        attempts: confirmations, in order.
        test: of all outputs, where the base's runs differ.
    """

    planned: int
    rules: Rules
    base: Base | None = None
    asked: int = 0
    trials: int = 0
    contradictions: int = 0
    skipped: dict[str, int] = field(default_factory=dict)
    errors: int = 0
    attempts: list[Attempt] = field(default_factory=list)
    test: NoiseTest | None = None

    @property
    def most_attempts(self) -> int:
        """How many contradicting samples are confirmed at most; the level is shared among them (Bonferroni)."""
        return max(1, min(MAX_ATTEMPTS, self.planned))

    @property
    def confirmation_runs(self) -> int:
        """How often base and variant are run in a confirmation: enough that it can show something."""
        return confirmation_runs(self.rules.alpha, self.most_attempts * self.rules.relations)

    @property
    def unasked(self) -> int:
        """How many samples were left out by an early stop; 0 where none began, since the base was not there."""
        return 0 if self.base is None else self.planned - self.asked

    def skip(self, reason: str) -> None:
        """A sample is no trial."""
        self.skipped[reason] = self.skipped.get(reason, 0) + 1

    def contradicted(self) -> Step:
        """A trial, counted already, contradicts the base."""
        self.contradictions += 1
        if self.base == "declared":
            return "stop" if self.rules.early_stop else "go"
        if self.base == "agrees" and not self._decided:
            return "confirm"
        return "go"

    def attempt_of(self, sample: int, p_value: float) -> Attempt:
        """A confirmation of a sample, with the smallest p value that so many runs can show."""
        runs = self.confirmation_runs
        return Attempt(sample, p_value, min(p_value, rarest_split(runs, runs)))

    def confirmed(self, attempt: Attempt) -> Step:
        """What a confirmation came to."""
        self.attempts.append(attempt)
        return "stop" if self._decided and self.rules.early_stop else "go"

    @property
    def _decided(self) -> bool:
        """Whether confirmations are over: one was enough, or there were as many as there may be."""
        if len(self.attempts) >= self.most_attempts:
            return True
        factor = self.most_attempts * self.rules.relations
        return any(attempt.p_value * factor <= self.rules.alpha for attempt in self.attempts)

    @property
    def p_value(self) -> float | None:
        """Of this relation alone, None where there was nothing to test."""
        if self.test is not None:
            return self.test.p_value
        if not self.attempts:
            return None
        return min(1.0, self.most_attempts * min(attempt.p_value for attempt in self.attempts))

    @property
    def smallest_p(self) -> float | None:
        """The smallest that :attr:`p_value` could have been."""
        if self.test is not None:
            return self.test.smallest_p
        if not self.attempts:
            return None
        return min(1.0, self.most_attempts * min(attempt.smallest_p for attempt in self.attempts))


class Conclusion(NamedTuple):
    """What a relation came to.

    Attributes:
        verdict: the verdict.
        reason: why it is no clear one, or what stands beside it; None where there is nothing to say.
        adjusted_p: the p value, adjusted for all relations that were tested (Holm); None where it was not.
    """

    verdict: Verdict
    reason: Reason | None
    adjusted_p: float | None


@lru_cache(maxsize=256)
def confirmation_runs(alpha: float, tests: int) -> int:
    """The least number of runs of each side, 6 or more, that can show something at ``alpha`` over so many tests."""
    runs = MIN_CONFIRMATION_RUNS
    while rarest_split(runs, runs) * tests > alpha:
        runs += 1
    return runs


def conclude(plans: Sequence[TrialPlan], rules: Rules) -> list[Conclusion]:
    """The verdicts of all relations on one input, which are adjusted for each other."""
    p_values = [plan.p_value if plan.attempts or plan.test is not None else None for plan in plans]
    tested = [place for place, p_value in enumerate(p_values) if p_value is not None]
    if not tested:
        return [_QUIET if _is_quiet(plan) else _conclusion(plan, None, None, rules.alpha) for plan in plans]
    found = [p_values[place] or 0.0 for place in tested]
    adjusted = dict(zip(tested, holm(found), strict=True))
    smallest = [plans[place].smallest_p or 0.0 for place in tested]
    best = dict(zip(tested, holm_at_best(found, smallest), strict=True))
    return [_conclusion(plan, adjusted.get(place), best.get(place), rules.alpha) for place, plan in enumerate(plans)]


_QUIET: Final = Conclusion("holds", None, None)


def _is_quiet(plan: TrialPlan) -> bool:
    """Whether there were trials, and nothing but trials that agree."""
    return plan.trials > 0 and not plan.contradictions and not plan.errors


def _conclusion(plan: TrialPlan, adjusted: float | None, best: float | None, alpha: float) -> Conclusion:
    contradicts = plan.contradictions > 0 or (plan.test is not None and plan.test.disagreements > 0)
    proven = adjusted is not None and adjusted <= alpha
    if proven or (plan.base == "declared" and plan.contradictions):
        return Conclusion("violated", "errors" if plan.errors else None, adjusted)
    if plan.errors:
        return Conclusion("errored", "errors", adjusted)
    if not plan.trials:
        return Conclusion("vacuous", "no_samples" if not plan.planned else "no_effective_trial", adjusted)
    if not contradicts:
        return Conclusion("holds", None, adjusted)
    if plan.base == "unknown":
        return Conclusion("inconclusive", "noise_unknown", adjusted)
    if adjusted is None or math.isnan(adjusted) or best is None or best > alpha:
        return Conclusion("inconclusive", "too_few_runs", adjusted)
    return Conclusion("holds", "noise", adjusted)
