"""One pair from candidate to comparison: judged, sent, compared, and made smaller where it fails."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

from robust.canon import JsonObject, canonical_bytes, decode_own
from robust.errors import CaseError
from robust.records.contract import Contract
from robust.records.presentation import Presentation, contract_positions, shown_labels
from robust.records.request import DecisionRequest, ShownDecision, Usage
from robust.records.validation import ValidationRecord
from robust.run.answers import Answer, failed
from robust.run.dialogue import Dialogue, Waiting
from robust.run.judging import JudgedBase, judged_base, judged_candidate
from robust.run.pairs import PlannedPair
from robust.transforms.candidate import Candidate, Steps

_UNDECIDED = failed("original_error", "its base was not decided; it was not sent")
# How many presentations are remembered with what follows from them; few occur.
_REMEMBERED = 4096


class Reduced(NamedTuple):
    """A smaller candidate that still fails.

    Attributes:
        candidate: the smaller one.
        validation: what its oracle said of it; None where it is scored on assumption.
        answer: to it, in contract order.
        comparison: with the base.
        violations: what it breaks.
    """

    candidate: Candidate
    validation: ValidationRecord | None
    answer: Answer
    comparison: JsonObject
    violations: list[str]


class Minimising(NamedTuple):
    """What making a candidate smaller came to.

    Attributes:
        reduced: the smallest that was found; None where nothing smaller fails.
        calls: how many calls it took.
        tokens: what they cost, where it is known.
        cost: likewise.
    """

    reduced: Reduced | None
    calls: int
    tokens: int | None
    cost: float | None


class PairOutcome(NamedTuple):
    """What came of a pair.

    Attributes:
        validation: the oracle's judgement, where one was asked.
        answers: one for each trial, in contract order; none where the oracle refused the candidate.
        comparison: of the first answer with the base's, where there are both.
        violations: what it breaks.
        minimising: where it failed and was made smaller.
    """

    validation: ValidationRecord | None
    answers: tuple[Answer, ...]
    comparison: JsonObject | None
    violations: list[str]
    minimising: Minimising | None


class PairWork:
    """Does the work of pairs, asking through dialogues.

    Args:
        contract: the contract.
        seed: the run's.
    """

    def __init__(self, contract: Contract, *, seed: int) -> None:
        self._seed = seed
        self._labels = contract.decision.label_order
        self._own = contract.decision.shown()
        self._minimize_calls = contract.fuzz.max_minimize_calls if contract.fuzz.minimize else 0
        self._repeated = contract.noise.baseline_runs > 1
        self._shown = lru_cache(_REMEMBERED)(self._show)
        self._positions = lru_cache(_REMEMBERED)(lambda shown: contract_positions(shown, self._labels))
        self._judged: tuple[object, bool, JudgedBase] | None = None

    def _show(self, presentation: Presentation | None) -> ShownDecision:
        own = self._own
        labels = shown_labels(presentation, self._labels)
        return ShownDecision(name=own.name, type=own.type, labels=labels, description=own.description)

    def evaluate(self, pair: PlannedPair) -> Dialogue[PairOutcome]:
        """Judge a candidate, ask about it and compare it with its base."""
        plan, base = pair.plan, pair.base
        if pair.failure is not None:
            return PairOutcome(None, (pair.failure,), None, [], None)
        if base.probabilities is None:
            return PairOutcome(None, (_UNDECIDED,), None, [], None)
        validation = None
        if plan.judge is not None:
            try:
                validation = yield from self._judge(pair, pair.candidate)
            except CaseError as error:
                refused = failed("oracle_error", f"the oracle cannot be asked about it: {error}")
                return PairOutcome(None, (refused,), None, [], None)
            if validation.status != "valid":
                return PairOutcome(validation, (), None, [], None)
        trials = plan.settings.trials if self._repeated else 1
        answers: list[Answer] = []
        for trial in range(trials):
            answer = yield self.request(pair.id, pair, pair.candidate, trial)
            answers.append(self._mapped_back(answer, pair.candidate))
        return (yield from self.answered(pair, validation, tuple(answers)))

    def answered(
        self, pair: PlannedPair, validation: ValidationRecord | None, answers: tuple[Answer, ...]
    ) -> Dialogue[PairOutcome]:
        """Compare what was answered to a candidate with its base; the answers are in contract order."""
        plan, base, first = pair.plan, pair.base, answers[0]
        if first.probabilities is None or base.probabilities is None:
            return PairOutcome(validation, answers, None, [], None)
        comparison = plan.compare(base.probabilities, first.probabilities, base.expected)
        violations = plan.violations(comparison)
        minimising = None
        if violations and self._minimize_calls and plan.reducible:
            minimising = yield from self._minimise(pair, violations)
        return PairOutcome(validation, answers, comparison, violations, minimising)

    def _judge(self, pair: PlannedPair, candidate: Candidate) -> Dialogue[ValidationRecord]:
        plan = pair.plan
        judge = plan.judge
        assert judge is not None  # noqa: S101 - only what is judged comes here
        base = self._judged_base(pair)
        shown = judged_candidate(
            base,
            candidate,
            identifier=pair.id,
            property_name=plan.name,
            relation=plan.relation,
            seed=self._seed,
            sample=pair.sample,
            labels=plan.shows_labels,
        )
        if not judge.waits:
            return judge.judge(base, shown)
        record: ValidationRecord = yield Waiting(lambda: judge.judge(base, shown))
        return record

    def _judged_base(self, pair: PlannedPair) -> JudgedBase:
        """The base as the oracle sees it; the last one is kept, as its candidates come one after the other."""
        case, shows = pair.base.case, pair.plan.shows_labels is not None
        kept = self._judged
        if kept is not None and kept[0] is case and kept[1] == shows:
            return kept[2]
        made = judged_base(case, pair.plan.shows_labels)
        self._judged = (case, shows, made)
        return made

    def ask(self, case_id: str, pair: PlannedPair, candidate: Candidate, trial: int) -> Dialogue[Answer]:
        """Ask about a candidate; the answer comes in contract order."""
        answer: Answer = yield self.request(case_id, pair, candidate, trial)
        return self._mapped_back(answer, candidate)

    def _mapped_back(self, answer: Answer, candidate: Candidate) -> Answer:
        presentation = candidate.presentation
        return answer if presentation is None else mapped_back(answer, self._positions(presentation))

    def request(self, case_id: str, pair: PlannedPair, candidate: Candidate, trial: int) -> DecisionRequest:
        """The question about a candidate."""
        shown: Any = candidate.input
        # An object is copied, so that nothing that a backend does to it reaches the case or the record.
        given = shown if isinstance(shown, str) else decode_own(canonical_bytes(shown))
        decision = self._shown(candidate.presentation)
        return DecisionRequest(case_id=case_id, decision=decision, input=given, media=pair.base.case.media, trial=trial)

    def _minimise(self, pair: PlannedPair, broken: list[str]) -> Dialogue[Minimising]:
        """Take the first smaller candidate that still fails, and go on from there, until none does or calls are spent.

        It fails still if it breaks one of the limits that the pair breaks. The same oracle judges each smaller form
        before it is sent; what it does not accept is passed over.
        """
        calls, spent = 0, Spending()
        best: Reduced | None = None
        steps: Steps | None = pair.candidate.steps
        while steps is not None:
            tried, steps = steps, None
            for smaller in pair.plan.transformation.smaller(tried):
                candidate = pair.plan.transformation.apply(pair.base.case.input, smaller)
                if candidate.presentation is None and candidate.input == pair.base.case.input:
                    continue
                if calls >= self._minimize_calls:
                    break
                validation = None
                if pair.plan.judge is not None:
                    try:
                        validation = yield from self._judge(pair, candidate)
                    except CaseError:
                        continue  # its oracle cannot be asked about it
                    if validation.status != "valid":
                        continue
                calls += 1
                answer = yield from self.ask(pair.id, pair, candidate, 0)
                spent.add(answer.usage)
                reduced = self._still_failing(pair, broken, candidate, validation, answer)
                if reduced is not None:
                    best, steps = reduced, smaller
                    break
        return Minimising(best, calls, spent.tokens, spent.cost)

    @staticmethod
    def _still_failing(
        pair: PlannedPair,
        broken: list[str],
        candidate: Candidate,
        validation: ValidationRecord | None,
        answer: Answer,
    ) -> Reduced | None:
        base, plan = pair.base, pair.plan
        if answer.probabilities is None or base.probabilities is None:
            return None
        comparison = plan.compare(base.probabilities, answer.probabilities, base.expected)
        violations = plan.violations(comparison)
        if not set(violations).intersection(broken):
            return None
        return Reduced(candidate, validation, answer, comparison, violations)


def mapped_back(answer: Answer, places: tuple[int, ...] | None) -> Answer:
    """An answer in contract order, where each label of the contract was shown at one of these places."""
    values = answer.probabilities
    if places is None or values is None:
        return answer
    return Answer(tuple([values[place] for place in places]), *answer[1:])


class Spending:
    """Tokens and cost of several calls; None where no call told them."""

    def __init__(self) -> None:
        self.tokens: int | None = None
        self.cost: float | None = None

    def add(self, usage: Usage | None) -> None:
        """Add what one call cost."""
        if usage is None:
            return
        if usage.tokens is not None:
            self.tokens = (self.tokens or 0) + usage.tokens
        if usage.cost is not None:
            self.cost = (self.cost or 0.0) + usage.cost
