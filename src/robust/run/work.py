"""Doing what is planned: ask, record, count."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

from robust.records.contract import Contract
from robust.records.request import BackendIdentity, DecisionRequest
from robust.run.execute import Engine
from robust.run.plan import CaseSource, Planned, plan_bases, plan_variants
from robust.run.record import RecordDigests, make_record
from robust.run.summary import RunSummary


class RecordSink(Protocol):
    """Where the lines of records go."""

    def append(self, line: bytes) -> None:
        """Keep a record's line, which comes without its line feed."""
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
    digests: RecordDigests = field(default_factory=RecordDigests)
    calls: int = 0

    async def run(self) -> None:
        """Ask about every base, then about every variant.

        All bases are decided before the first variant, so that what is sent never depends on timing.
        """
        async for item, answer in self.engine.answers(plan_bases(self.source), self._request):
            self.calls += 1
            record = make_record(item, answer, self.contract, self.backend, None)
            self.sink.append(self.digests.add(record))
            self.summary.add(record)
        if self.summary.variants is None:
            return
        async for item, answer in self.engine.answers(plan_variants(self.source), self._request_variant):
            self.calls += answer.error != "original_error"
            base = self.summary.base_of(item.base_id)
            record = make_record(item, answer, self.contract, self.backend, base)
            self.sink.append(self.digests.add(record))
            self.summary.add(record)

    def _request(self, item: Planned) -> DecisionRequest:
        return item.request(self.contract)

    def _request_variant(self, item: Planned) -> DecisionRequest | None:
        base = self.summary.base_of(item.base_id)
        return None if base is None or base.probabilities is None else item.request(self.contract)
