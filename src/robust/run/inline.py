"""The work of a run on a model that needs no waiting, in bursts that depend on nothing but what is handed over."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple, Protocol

from robust.records.contract import Contract
from robust.records.request import BackendIdentity
from robust.run.base_asker import BaseAsker
from robust.run.burst import Burst, Recorder
from robust.run.dialogue import Dialogue
from robust.run.execute import Engine
from robust.run.pair_asker import PairAsker
from robust.run.pair_work import PairOutcome, PairWork
from robust.run.pairs import BaseCase, PlannedPair, SkippedCase
from robust.run.pieces import pieces_of_line
from robust.run.repeats import Repeats
from robust.run.summary import RunSummary


class DecisionTask(NamedTuple):
    """Base cases to be decided: their pieces, one line each."""

    lines: tuple[bytes, ...]


class PairTask(NamedTuple):
    """Base cases whose candidates are to be made, judged, sent and compared.

    Attributes:
        place: the position of the first one among the base cases.
        lines: their pieces, one line each.
        answers: what was answered to each.
    """

    place: int
    lines: tuple[bytes, ...]
    answers: tuple[tuple[float, ...] | None, ...]


class Crew(Protocol):
    """Those who do tasks, here or in other processes."""

    def bursts(self, tasks: Iterator[DecisionTask | PairTask]) -> Iterator[Burst]:
        """What comes of tasks, in their order; a task is taken only when somebody is free for it."""
        ...

    def close(self) -> None:
        """Let go of whoever is still at work."""
        ...


class InlineWork:
    """Does tasks one by one.

    Args:
        contract: the contract.
        engine: asks the model.
        backend: who it says it is.
        summary: of such records; it takes in none of them here.
        seed: the run's.
        repeats: how often base cases are asked.
    """

    def __init__(
        self,
        contract: Contract,
        engine: Engine,
        backend: BackendIdentity,
        summary: RunSummary,
        *,
        seed: int,
        repeats: Repeats,
    ) -> None:
        recorder = Recorder(contract, backend, summary)
        self._bases = BaseAsker(contract, engine, backend, summary, recorder, repeats)
        self._pairs = PairAsker(contract, engine, backend, summary, recorder, seed=seed)

    def do(self, task: DecisionTask | PairTask) -> Burst:
        """Do one task."""
        if isinstance(task, DecisionTask):
            return self._bases.burst(task.lines)
        bases: list[BaseCase] = []
        for offset, (line, probabilities) in enumerate(zip(task.lines, task.answers, strict=True)):
            pieces = pieces_of_line(line)
            bases.append(BaseCase.of(task.place + offset, pieces.case(), pieces, probabilities))
        return self._pairs.burst(bases)


def evaluate(work: PairWork, item: PlannedPair | SkippedCase) -> Dialogue[PairOutcome | None]:
    """The dialogue about a pair; nothing is asked about a skipped case."""
    return (yield from work.evaluate(item)) if isinstance(item, PlannedPair) else None


def batches(lines: Iterator[bytes], size: int) -> Iterator[tuple[bytes, ...]]:
    """Lines in batches."""
    batch: list[bytes] = []
    for line in lines:
        batch.append(line)
        if len(batch) == size:
            yield tuple(batch)
            batch = []
    if batch:
        yield tuple(batch)


def decision_tasks(lines: Iterator[bytes], size: int) -> Iterator[DecisionTask]:
    """Tasks to decide base cases."""
    return map(DecisionTask, batches(lines, size))


def pair_tasks(lines: Iterator[bytes], summary: RunSummary, size: int) -> Iterator[PairTask]:
    """Tasks to compare candidates with base cases, all of which were decided before."""
    place = 0
    for batch in batches(lines, size):
        answers: Sequence[tuple[float, ...] | None] = [summary.bases[0].at(place + n) for n in range(len(batch))]
        yield PairTask(place, batch, tuple(answers))
        place += len(batch)
