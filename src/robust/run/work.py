"""Doing what is planned: ask, record, count."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Callable, Iterator, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from itertools import islice
from typing import Final, Protocol, TypeVar

from robust.records.contract import Contract
from robust.records.progress import ProgressState
from robust.records.request import BackendIdentity
from robust.records.seams import Progress
from robust.run.answers import Answer, failed
from robust.run.base_asker import BaseAsker
from robust.run.burst import Burst, Recorder
from robust.run.dialogue import Dialogue
from robust.run.execute import Engine
from robust.run.inline import Crew, batches, decision_tasks, evaluate, pair_tasks
from robust.run.pair_asker import PairAsker
from robust.run.pair_work import PairWork
from robust.run.pairs import BaseCase, PlannedPair, SkippedCase, plan_pairs
from robust.run.pieces import pieces_of_case, pieces_of_line
from robust.run.plan import CaseSource, Planned, plan_bases, plan_variants
from robust.run.repeats import Repeats
from robust.run.splice import RecordDigests
from robust.run.summary import RunSummary
from robust.run.window import each
from robust.run.wording import Wording

S = TypeVar("S")
T = TypeVar("T")
# How many inline answers are given, and for how long, between two looks at whether to stop.
_INLINE_BURST: Final = 256
_BETWEEN_LOOKS_S: Final = 0.1
# With very many labels, fewer answers: so many probabilities at a time.
_SHARES_AT_ONCE: Final = 100_000
# How much of the work one of several processes does at a time.
_CASES_PER_TASK: Final = 512
_BASES_PER_TASK: Final = 64
_NOT_SENT: Final = failed("original_error", "its base was not decided; it was not sent")


class RecordSink(Protocol):
    """Where the lines of records go."""

    def write(self, lines: bytes) -> None:
        """Keep the lines of records, each with its line feed."""
        ...


@dataclass(slots=True)
class Work:
    """One run: what it asks, whom, and what is kept and counted of it."""

    contract: Contract
    engine: Engine
    backend: BackendIdentity
    source: CaseSource
    summary: RunSummary
    sink: RecordSink
    seed: int
    wording: Wording
    repeats: Repeats
    crew: Crew | None = None
    progress: Progress | None = None
    digests: RecordDigests = field(default_factory=RecordDigests)
    done: int = 0
    errors: int = 0
    started: float = field(default_factory=time.monotonic)
    _next_look: float = 0.0
    _left_out: int = 0
    _recorder: Recorder = field(init=False)

    def __post_init__(self) -> None:
        self._recorder = Recorder(self.contract, self.backend, self.summary)

    async def run(self) -> None:
        """Ask about every base case, then about the candidates of each, then about every validated variant.

        All bases are decided before the first candidate, so that what is sent never depends on timing.
        """
        if self.crew is not None:
            await self._let_work(self.crew)
        else:
            await self._ask_bases()
            plans = self.summary.plans
            waits = any(plan.rewords or (plan.judge is not None and plan.judge.waits) for plan in plans)
            lines = self.source.encoded_bases() if plans and self.engine.asks_many and not waits else None
            if lines is not None:
                await self._ask_pairs(lines)
            elif plans:
                pairs = PairWork(self.contract, seed=self.seed)
                await self._ask(self._pairs(), lambda item: evaluate(pairs, item), self._recorder.pairs)
        if self.summary.variants is not None:
            await self._ask(each(plan_variants(self.source)), self._ask_variant, self._recorder.decisions)
        if self.progress is not None:
            self.progress.update(self._state())

    async def _let_work(self, crew: Crew) -> None:
        """Let others decide the base cases and compare their candidates."""
        for burst in crew.bursts(decision_tasks(self._lines(), _CASES_PER_TASK)):
            await self._take_over(burst)
        if self.summary.plans:
            for burst in crew.bursts(pair_tasks(self._lines(), self.summary, _BASES_PER_TASK)):
                self._left_out += _BASES_PER_TASK * self.wording.most - burst.size
                await self._take_over(burst)

    async def _ask_bases(self) -> None:
        encoded = self.source.encoded_bases()
        if encoded is None or not self.engine.inline:
            await self._ask(each(plan_bases(self.source)), self._ask_base, self._recorder.decisions)
            return
        asker = BaseAsker(self.contract, self.engine, self.backend, self.summary, self._recorder, self.repeats)
        size = max(1, min(_INLINE_BURST, _SHARES_AT_ONCE // len(self.contract.decision.label_order)))
        for lines in batches(encoded, size):
            place = 0
            while place < len(lines):
                burst = asker.burst(lines[place:], _BETWEEN_LOOKS_S)
                place += burst.size
                self._keep(burst)
                # An interrupt reaches a coroutine only where it waits, and an inline model never does.
                await asyncio.sleep(0)

    async def _ask_pairs(self, lines: Iterator[bytes]) -> None:
        """Ask a model that needs no waiting about the candidates of base cases, some of these at a time."""
        recorder, done, size = self._recorder, 0, 1
        asker = PairAsker(self.contract, self.engine, self.backend, self.summary, recorder, seed=self.seed)
        while some := [*islice(lines, size)]:
            started = time.monotonic()
            pieces, answers = [*map(pieces_of_line, some)], self.summary.bases[0]
            bases = [BaseCase.of(done + n, each.case(), each, answers.at(done + n)) for n, each in enumerate(pieces)]
            burst = asker.burst(bases)
            done += len(bases)
            self._left_out += len(bases) * self.wording.most - burst.size
            self._keep(burst)
            # An interrupt reaches a coroutine only where it waits, and an inline model never does.
            await asyncio.sleep(0)
            slow = time.monotonic() - started > _BETWEEN_LOOKS_S / 2
            size = max(1, size // 2) if slow else min(2 * size, _BASES_PER_TASK)

    def _lines(self) -> Iterator[bytes]:
        encoded = self.source.encoded_bases()
        return iter(()) if encoded is None else encoded

    async def _take_over(self, burst: Burst) -> None:
        self.engine.budget.calls += burst.calls
        self._keep(burst)
        await asyncio.sleep(0)

    def _ask_base(self, item: Planned) -> Dialogue[tuple[Answer, ...]]:
        shown = self.contract.decision.shown()
        answers = []
        for trial in range(self.repeats.of(item.entry.case.case_id)):
            answers.append((yield item.request(shown, trial)))  # noqa: PERF401 - it asks
        return tuple(answers)

    def _ask_variant(self, item: Planned) -> Dialogue[tuple[Answer, ...]]:
        base = self.summary.base_of(item.base_id)
        if base is None or base.probabilities is None:
            return (_NOT_SENT,)
        return ((yield item.request(self.contract.decision.shown())),)

    async def _pairs(self) -> AsyncGenerator[PlannedPair | SkippedCase, None]:
        async with aclosing(self.wording.over(self._bases())) as bases:
            async for base, worded in bases:
                expected = self.wording.most
                for pair in plan_pairs(self.summary.plans, base, self.seed, worded):
                    expected -= 1
                    yield pair
                self._left_out += expected

    def _bases(self) -> Iterator[BaseCase]:
        for place, item in enumerate(plan_bases(self.source)):
            case = item.entry.case
            pieces = pieces_of_case(case) if item.pieces is None else item.pieces
            yield BaseCase.of(place, case, pieces, self.summary.bases[0].at(place))

    async def _ask(
        self,
        items: AsyncGenerator[S, None],
        start: Callable[[S], Dialogue[T]],
        record: Callable[[Sequence[tuple[S, T]]], Burst],
    ) -> None:
        # Whatever ends the run, nobody is asked any more when its engine is closed.
        async with aclosing(items):
            await self._ask_all(items, start, record)

    async def _ask_all(
        self,
        items: AsyncGenerator[S, None],
        start: Callable[[S], Dialogue[T]],
        record: Callable[[Sequence[tuple[S, T]]], Burst],
    ) -> None:
        if not self.engine.inline:
            async with aclosing(self.engine.in_order(items, start)) as pairs:
                async for pair in pairs:
                    self._keep(record((pair,)))
            return
        some: list[tuple[S, T]] = []
        until = time.monotonic() + _BETWEEN_LOOKS_S
        async for item in items:
            some.append((item, self.engine.converse_inline(start(item))))
            if len(some) >= _INLINE_BURST or time.monotonic() >= until:
                self._keep(record(some))
                some, until = [], time.monotonic() + _BETWEEN_LOOKS_S
                # An interrupt reaches a coroutine only where it waits, and an inline model never does.
                await asyncio.sleep(0)
        if some:
            self._keep(record(some))

    def _keep(self, burst: Burst) -> None:
        self.summary.take(burst.tally)
        self.digests.add_hashed(burst.lines, burst.evidence, burst.answers)
        self.sink.write(burst.lines)
        self.done += burst.size
        self.errors += burst.errors
        if self.progress is not None and (now := time.monotonic()) >= self._next_look:
            self._next_look = now + _BETWEEN_LOOKS_S
            self.progress.update(self._state())

    def _state(self) -> ProgressState:
        budget = self.engine.budget
        cases = self.source.size(variants=False)
        total = self.source.size(variants=self.summary.variants is not None) + cases * self.wording.most
        return ProgressState(
            done=self.done,
            total=total - self._left_out,
            errors=self.errors,
            calls=budget.calls,
            cached=self.engine.cached,
            tokens=budget.tokens,
            cost=budget.cost,
            elapsed_s=time.monotonic() - self.started,
        )
