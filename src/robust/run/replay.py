"""Asking stored questions again: the same input and presentation under the same id."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any, Final, TypeVar

from robust.canon import JsonObject, canonical_bytes, decode_own
from robust.errors import IntegrityError
from robust.records.contract import Contract
from robust.records.media import Media
from robust.records.presentation import contract_positions, read_presentation, shown_labels
from robust.records.progress import ProgressState
from robust.records.request import DecisionRequest, ShownDecision
from robust.records.seams import Progress
from robust.run.answers import Answer
from robust.run.dialogue import Dialogue
from robust.run.execute import Engine
from robust.run.property_plan import PropertyPlan, plan_properties
from robust.run.replay_bases import AskedBases
from robust.run.replay_choice import Choice
from robust.run.replay_judge import PairAnswers, ReplayJudge, StoredPair, regenerates
from robust.run.replay_result import Tally
from robust.run.window import each

S = TypeVar("S")
T = TypeVar("T")
_BETWEEN_LOOKS_S: Final = 0.1


@dataclass(kw_only=True, slots=True)
class Replaying:
    """One replay: what is asked again, whom, and where the results go.

    Attributes:
        contract: the contract that ran, by whose limits is judged.
        decision: the question as it is shown in the contract's own order and form.
        seed: the run's, from which candidates are made again.
        engine: asks.
        choice: which failures are replayed.
        records: gives the records of the run from the first one on, each checked before.
        sink: takes each result, in the order of the records.
        progress: is told now and then how far it is.
        tally: counts the results.
    """

    contract: Contract
    decision: ShownDecision
    seed: int
    engine: Engine
    choice: Choice
    records: Callable[[], Iterator[JsonObject]]
    sink: Callable[[JsonObject], None]
    progress: Progress | None = None
    tally: Tally = field(default_factory=Tally)
    started: float = field(default_factory=time.monotonic)
    _labels: tuple[str, ...] = field(init=False)
    _plans: dict[str, PropertyPlan] = field(init=False)
    _judge: ReplayJudge = field(init=False)
    _bases: AskedBases = field(init=False)
    _done: int = 0
    _errors: int = 0
    _next_look: float = 0.0

    def __post_init__(self) -> None:
        self._labels = self.contract.decision.label_order
        self._plans = {plan.name: plan for plan in plan_properties(self.contract)}
        self._judge = ReplayJudge(self.contract, self._plans)
        self._bases = AskedBases(self._labels)

    async def run(self) -> None:
        """Ask the base cases again, and then, where they are decided, what was made of them."""
        async for record, answer in _each_answered(self.engine, self._decisions(), self._ask_base):
            self._keep_base(record, answer)
        async for pair, answers in _each_answered(self.engine, self._pairs(), self._ask_pair):
            self._keep_pair(pair, answers)
        self._tell(always=True)

    def _decisions(self) -> Iterator[JsonObject]:
        """The records of the base cases that are asked."""
        for record in self.records():
            if record["kind"] != "decision":
                return  # decisions stand before all pairs
            if record["case_id"] in self.choice.bases:
                yield record

    def _pairs(self) -> Iterator[StoredPair]:
        """The pairs that are asked, with their candidates made again."""
        bases, base = self._decisions(), None
        for record in self.records():
            if record["kind"] != "pair" or not self.choice.takes(record):
                continue
            plan = self._plans.get(record["property"])
            if plan is None or plan.rewords is not None:
                yield StoredPair(record, None)
                continue
            # Generated pairs stand in the order of their base cases.
            while base is None or base["case_id"] != record["case_id"]:
                base = next(bases, None)
                if base is None:
                    message = f"the base of {record['id']!r} is no longer there: the records were changed meanwhile"
                    raise IntegrityError.of("changed", message)
            yield StoredPair(record, regenerates(plan, base, record, self.seed))

    def _ask_base(self, record: JsonObject) -> Dialogue[Answer]:
        return (yield from self._ask(record["case_id"], record["media"], record))

    def _ask_pair(self, pair: StoredPair) -> Dialogue[PairAnswers]:
        """The transformed and the reduced form, where the base is decided: as in a run, neither is sent otherwise."""
        record, reduced = pair.record, pair.record["reduced"]
        if self._bases.of(record["case_id"]).probabilities is None:
            return PairAnswers(None, None)
        name = record["provenance"].get("variant_id", record["id"])
        transformed = yield from self._ask(name, record["media"], record)
        smaller = None if reduced is None else (yield from self._ask(name, record["media"], reduced))
        return PairAnswers(transformed, smaller)

    def _ask(self, case_id: str, media: list[JsonObject], shown: JsonObject) -> Dialogue[Answer]:
        """Ask one stored question; the answer comes in contract order."""
        presentation = read_presentation(shown["presentation"], self._labels)
        given: Any = shown["input"]
        answer: Answer = yield DecisionRequest(
            case_id=case_id,
            decision=replace(self.decision, labels=shown_labels(presentation, self._labels)),
            # A copy: the backend may do with it what it likes.
            input=given if isinstance(given, str) else decode_own(canonical_bytes(given)),
            media=tuple(Media.from_list(media)),
        )
        self.tally.add_message(answer)
        if presentation is None or answer.probabilities is None:
            return answer
        values = answer.probabilities
        places = contract_positions(presentation, self._labels)
        return answer._replace(probabilities=tuple(values[place] for place in places))

    def _keep_base(self, record: JsonObject, answer: Answer) -> None:
        self._bases.add(record, answer, same=self._judge.is_stored(record, answer))
        self._count(answer)
        if self.choice.takes(record):
            self._give(self._judge.of_decision(record, answer))

    def _keep_pair(self, pair: StoredPair, answers: PairAnswers) -> None:
        base = self._bases.of(pair.record["case_id"])
        self._count(answers.transformed)
        self._give(self._judge.of_pair(pair, base, self._bases.said(base), answers))

    def _give(self, result: JsonObject) -> None:
        self.tally.add(result)
        self.sink(result)

    def _count(self, answer: Answer | None) -> None:
        self._done += 1
        self._errors += answer is None or answer.error is not None
        self._tell()

    def _tell(self, *, always: bool = False) -> None:
        now = time.monotonic()
        if self.progress is None or (now < self._next_look and not always):
            return
        self._next_look = now + _BETWEEN_LOOKS_S
        budget = self.engine.budget
        self.progress.update(
            ProgressState(
                done=self._done,
                total=len(self.choice.bases) + self.choice.pairs,
                errors=self._errors,
                calls=budget.calls,
                cached=0,
                tokens=budget.tokens,
                cost=budget.cost,
                elapsed_s=now - self.started,
            )
        )


async def _each_answered(
    engine: Engine, items: Iterable[S], start: Callable[[S], Dialogue[T]]
) -> AsyncIterator[tuple[S, T]]:
    """Hold a dialogue about each item, and yield each with what came of it, in their order."""
    if not engine.inline:
        async for pair in engine.in_order(each(items), start):
            yield pair
        return
    look = time.monotonic() + _BETWEEN_LOOKS_S
    for item in items:
        yield item, engine.converse_inline(start(item))
        if time.monotonic() >= look:
            # An interrupt reaches a coroutine only where it waits, and an inline model never does.
            await asyncio.sleep(0)
            look = time.monotonic() + _BETWEEN_LOOKS_S
