"""Doing what is planned: ask, record, count."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final, Protocol

from robust.canon import canonical_part
from robust.records.contract import Contract
from robust.records.progress import ProgressState
from robust.records.request import BackendIdentity, DecisionRequest, ShownDecision
from robust.records.seams import Progress
from robust.run.answers import Answer
from robust.run.execute import Engine
from robust.run.plan import CaseSource, Planned, plan_bases, plan_variants
from robust.run.record import counted_part, make_record
from robust.run.splice import DecisionSplicer, EncodedRecord, RecordDigests, encode_record
from robust.run.summary import RunSummary

# How many inline answers are given, and for how long, between two looks at whether to stop.
_INLINE_BURST: Final = 256
_BETWEEN_LOOKS_S: Final = 0.1


class RecordSink(Protocol):
    """Where the lines of records go."""

    def extend(self, lines: Sequence[bytes]) -> None:
        """Keep the lines of records, which come without line feeds."""
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
    progress: Progress | None = None
    digests: RecordDigests = field(default_factory=RecordDigests)
    done: int = 0
    errors: int = 0
    started: float = field(default_factory=time.monotonic)
    _next_look: float = 0.0
    _splicer: DecisionSplicer = field(init=False)

    def __post_init__(self) -> None:
        self._splicer = DecisionSplicer(self.contract, self.backend)

    async def run(self) -> None:
        """Ask about every base, then about every variant.

        All bases are decided before the first variant, so that what is sent never depends on timing.
        """
        shown = self.contract.decision.shown()
        await self._ask(plan_bases(self.source), lambda item: item.request(shown))
        if self.summary.variants is not None:
            await self._ask_variants(shown)
        if self.progress is not None:
            self.progress.update(self._state())

    async def _ask_variants(self, shown: ShownDecision) -> None:
        def request_variant(item: Planned) -> DecisionRequest | None:
            base = self.summary.base_of(item.base_id)
            return None if base is None or base.probabilities is None else item.request(shown)

        await self._ask(plan_variants(self.source), request_variant)

    async def _ask(self, items: Iterator[Planned], request_of: Callable[[Planned], DecisionRequest | None]) -> None:
        if self.engine.inline:
            some: list[tuple[Planned, Answer]] = []
            until = time.monotonic() + _BETWEEN_LOOKS_S
            for pair in self.engine.answers_inline(items, request_of):
                some.append(pair)
                if len(some) >= _INLINE_BURST or time.monotonic() >= until:
                    self._keep(some)
                    some, until = [], time.monotonic() + _BETWEEN_LOOKS_S
                    # An interrupt reaches a coroutine only where it waits, and an inline model never does.
                    await asyncio.sleep(0)
            if some:
                self._keep(some)
            return
        async for item, answer in self.engine.answers(items, request_of):
            self._keep([(item, answer)])

    def _keep(self, answered: Sequence[tuple[Planned, Answer]]) -> None:
        encoded: list[EncodedRecord] = []
        for item, answer in answered:
            if item.pieces is not None and answer.error is None:
                encoded.append(self._splicer.encode(item.pieces, canonical_part(item.id), answer))
                record = counted_part(item, answer, self.contract)
            else:
                base = None if item.property_name is None else self.summary.base_of(item.base_id)
                record = make_record(item, answer, self.contract, self.backend, base)
                encoded.append(encode_record(record))
            self.summary.add(record)
            self.errors += answer.error is not None
        self.digests.add(encoded)
        self.sink.extend([one.line for one in encoded])
        self.done += len(encoded)
        if self.progress is not None and (now := time.monotonic()) >= self._next_look:
            self._next_look = now + _BETWEEN_LOOKS_S
            self.progress.update(self._state())

    def _state(self) -> ProgressState:
        budget = self.engine.budget
        return ProgressState(
            done=self.done,
            total=self.source.size(variants=self.summary.variants is not None),
            errors=self.errors,
            calls=budget.calls,
            cached=self.engine.cached,
            tokens=budget.tokens,
            cost=budget.cost,
            elapsed_s=time.monotonic() - self.started,
        )
