"""Asking an inline backend about the candidates of base cases, many at a time, and recording what it answers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from robust.canon import encode_numbers
from robust.records.contract import Contract
from robust.records.presentation import Presentation, contract_positions
from robust.records.request import BackendAnswer, BackendIdentity, DecisionRequest, ShownDecision
from robust.run.answers import Answer, read_answer
from robust.run.asked import Asked
from robust.run.burst import Burst, PairBurst, Recorder
from robust.run.execute import Engine
from robust.run.pair_work import PairWork, mapped_back
from robust.run.pairs import BaseCase, PlannedPair, SkippedCase, plan_pairs
from robust.run.splice_pairs import PairSplicer, SplicedAnswer, remember
from robust.run.summary import RunSummary

_NUMBER: Final = frozenset((float, int))
_TEXT_OR_NONE: Final = frozenset((str, type(None)))


class _Shown(NamedTuple):
    """What is remembered of one order and form of the labels.

    Attributes:
        decision: as it is shown.
        places: for each label of the contract, the place where it is shown; None where that is its own.
        answers: what was answered so far.
    """

    decision: ShownDecision
    places: tuple[int, ...] | None
    answers: dict[tuple[object, ...], tuple[Answer, SplicedAnswer]]


class PairAsker:
    """Asks about the candidates of base cases that are kept in pieces.

    Where the backend and a property allow it, all that is not asking is done for many pairs at once: what they share is
    read, compared and encoded once. Whatever stands out is done one by one, with the same bytes.

    Args:
        contract: the contract.
        engine: asks the model.
        backend: who it says it is.
        summary: will take in the bursts.
        recorder: records one by one.
        seed: the run's.
    """

    def __init__(
        self,
        contract: Contract,
        engine: Engine,
        backend: BackendIdentity,
        summary: RunSummary,
        recorder: Recorder,
        *,
        seed: int,
    ) -> None:
        self._labels = contract.decision.label_order
        self._tolerance = contract.evaluation.probability_tolerance
        self._engine = engine
        self._recorder = recorder
        self._plans = summary.plans
        self._seed = seed
        self._work = PairWork(contract, seed=seed)
        self._splicer = PairSplicer(contract, backend)
        # Trials are more than plain pairs have, and what an oracle says of a candidate comes before its question.
        once = engine.asks_many and contract.noise.baseline_runs == 1
        self._plain = frozenset(plan.name for plan in self._plans if once and plan.judge is None)
        self._shown: dict[Presentation | None, _Shown] = {}

    def burst(self, bases: Sequence[BaseCase]) -> Burst:
        """The records of all pairs of some base cases, of which there is at least one.

        Raises:
            BackendError: the backend cannot answer anything.
        """
        items = [item for base in bases for item in plan_pairs(self._plans, base, self._seed, None)]
        plain = {place: self._show(item) for place, item in enumerate(items) if self._is_plain(item)}
        requests = {place: self._request(items[place], shown) for place, shown in plain.items()}
        asked = self._engine.ask_many(requests.values(), math.inf)
        observed = zip(asked.raws, asked.latencies, encode_numbers(asked.latencies), strict=True)
        made = PairBurst(self._recorder)
        rank = -1
        for place, item in enumerate(items):
            if isinstance(item, SkippedCase):
                made.add(item, None)
            elif place not in plain:
                made.add(item, self._engine.converse_inline(self._work.evaluate(item)))
            else:
                rank += 1
                raw, latency, encoded = next(observed)
                known = None if rank in asked.errors else self._read(raw, plain[place], requests[place])
                if known is None or not self._add_plain(made, item, known, encoded):
                    error = {} if rank not in asked.errors else {0: asked.errors[rank]}
                    self._add(made, item, Asked([raw], [latency], error), requests[place], plain[place])
        return made.burst()

    def _is_plain(self, item: PlannedPair | SkippedCase) -> bool:
        return (
            isinstance(item, PlannedPair)
            and item.plan.name in self._plain
            and item.failure is None
            and item.base.probabilities is not None
        )

    def _show(self, item: Any) -> _Shown:
        presentation = item.candidate.presentation
        known = self._shown.get(presentation)
        if known is None:
            places = None if presentation is None else contract_positions(presentation, self._labels)
            decision = self._work.request(item.id, item, item.candidate, 0).decision
            known = _Shown(decision, places, {})
            remember(self._shown, presentation, known)
        return known

    def _request(self, item: Any, shown: _Shown) -> DecisionRequest:
        given = item.candidate.input
        if type(given) is not str:
            return self._work.request(item.id, item, item.candidate, 0)
        return DecisionRequest(case_id=item.id, decision=shown.decision, input=given, media=item.base.case.media)

    def _read(self, raw: Any, shown: _Shown, request: DecisionRequest) -> tuple[Answer, SplicedAnswer] | None:
        """A plain answer in contract order; None where it has to be looked at by itself."""
        if type(raw) is not BackendAnswer:
            return None
        given, model, version = raw.probabilities, raw.model, raw.model_version
        if type(given) is not dict or raw.metadata or raw.observed or raw.usage is not None:
            return None
        values = tuple(given.values())
        # What is equal to a number need not be one.
        if not _NUMBER.issuperset(map(type, values)) or not _TEXT_OR_NONE.issuperset((type(model), type(version))):
            return None
        key = (*given, values, model, version)
        known = shown.answers.get(key)
        if known is None:
            answer = read_answer(raw, request, self._tolerance)
            if answer.probabilities is None or answer.observed or answer.usage is not None:
                return None
            answer = mapped_back(answer, shown.places)
            known = answer, self._splicer.answer(answer)
            remember(shown.answers, key, known)
        return known

    def _add_plain(
        self, made: PairBurst, item: PlannedPair, known: tuple[Answer, SplicedAnswer], latency: bytes
    ) -> bool:
        """Record a pair that breaks nothing; tells whether it is one."""
        compared = self._splicer.compared(item.plan, item.base, known[1].values)
        if compared.violations:
            return False
        encoded = self._splicer.splice(item, known[1], compared, b'{"latency_ms":%s}' % latency, b"null")
        if encoded is None:
            return False
        self._engine.budget.calls += 1
        made.add_plain(item, encoded, compared.comparison)
        return True

    def _add(self, made: PairBurst, item: PlannedPair, asked: Asked, request: DecisionRequest, shown: _Shown) -> None:
        """Record a pair by itself."""
        (answer,) = self._engine.read_many(asked, (request,))
        answers = (mapped_back(answer, shown.places),)
        made.add(item, self._engine.converse_inline(self._work.answered(item, None, answers)))
