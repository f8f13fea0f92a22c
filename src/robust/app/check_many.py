"""The public function that checks a system on many inputs."""

from __future__ import annotations

import asyncio
import os
import time
import weakref
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

from robust.app.batch_result import BatchReport, Repeat, distinct_ids
from robust.app.calling import CallThreads, Loop, Tick, asker, is_asynchronous
from robust.app.check_arguments import (
    name_of,
    read_relations,
    read_settings,
    read_subject,
    read_workers,
    wrong_argument,
)
from robust.app.check_result import CheckReport
from robust.app.checking import drive_inline_whole, drive_whole, ticking
from robust.canon import canonical_bytes, key_of
from robust.errors import UsageError
from robust.records.seams import Progress
from robust.relations.input_check import InputCheck, Settings
from robust.relations.relation import Relation
from robust.relations.rewinding import rewound
from robust.relations.stored_value import key_of_value
from robust.relations.trial_plan import Conclusion
from robust.store.spool import LineSpool

if TYPE_CHECKING:
    from robust.app.check_runs import CheckWriter, SavedCheck


def check_many(
    system: Callable[[Any], Any],
    inputs: Iterable[Any],
    relations: Iterable[Relation],
    *,
    workers: int = 8,
    samples: int = 20,
    baseline_runs: int = 5,
    ids: Iterable[str] | None = None,
    subject: str = "",
    alpha: float = 0.05,
    deterministic_system: bool = False,
    early_stop: bool = True,
    progress: Progress | None = None,
    each: Callable[[CheckReport], None] | None = None,
    output: str | os.PathLike[str] | None = None,
    overwrite: bool = False,
) -> BatchReport:
    """Check a system on many inputs, each as :func:`robust.check` does, and all together.

    Inputs are read as they are needed, and what came of one is let go once it is counted and written. An input that
    equals an earlier one is not checked again, and said so.

    Args:
        system: as in :func:`robust.check`.
        inputs: any number of them, from any iterable.
        relations: as in :func:`robust.check`.
        workers: how many calls may be under way at once, over all inputs, 1–256. A synchronous system is called from
            so many threads.
        samples: as in :func:`robust.check`.
        baseline_runs: likewise.
        ids: what to call the inputs, in their order; by default their numbers from 0.
        subject: as in :func:`robust.check`.
        alpha: likewise, over all inputs.
        deterministic_system: likewise.
        early_stop: likewise.
        progress: likewise.
        each: is given the report of every input, in order.
        output: a run directory that is written while the check goes on.
        overwrite: whether a finished run there may be replaced.

    Returns:
        the report.

    Raises:
        UsageError: an argument is not what it must be, or the run directory cannot be written.
        DataError: an input can be neither stored nor copied.
        CaseError: an oracle cannot be called.
    """
    settings = read_settings(samples, baseline_runs, alpha, deterministic_system, early_stop)
    given = read_relations(relations)
    read_workers(workers)
    words = read_subject(subject)
    if not callable(system):
        raise wrong_argument("system", "a function of an input", system)
    if isinstance(inputs, str | bytes) or not isinstance(inputs, Iterable):
        raise wrong_argument("inputs", "a list or another iterable of inputs", inputs)
    rewound(system)
    report = BatchReport(given, settings, words)
    batch = _Batch(system, given, settings, workers, report, progress)
    with ExitStack() as stack:
        writer = None
        spool = None
        if output is None:
            spool = LineSpool()
            weakref.finalize(report, spool.close)
        else:
            from robust.app.check_runs import CheckWriter

            writer = stack.enter_context(CheckWriter(output, report.plan(), overwrite=overwrite))
        batch.run(named(inputs, ids), _Taking(report, each, writer, spool), stack)
        seal = None if writer is None else lambda: _sealed(writer, report)
        report.end((batch.started, time.time()), spool, seal)
    return report


def _sealed(writer: CheckWriter, report: BatchReport) -> SavedCheck:
    from robust.app.check_runs import SavedCheck

    report._span = (report._span[0], time.time())
    return SavedCheck(writer.seal(report.observed()), report.plan(), writer.path)


def named(inputs: Iterable[Any], ids: Iterable[str] | None) -> Iterator[tuple[str, Any]]:
    """Inputs with their ids.

    Raises:
        UsageError: there are not as many of both, or an id cannot be one.
    """
    if ids is None:
        yield from ((str(place), given) for place, given in enumerate(inputs))
        return
    names, missing = distinct_ids(ids), object()
    for given in inputs:
        name = next(names, missing)
        if name is missing:
            raise UsageError.of("missing_ids", "there are fewer ids than inputs", path="ids")
        yield str(name), given
    if next(names, missing) is not missing:
        raise UsageError.of("missing_inputs", "there are more ids than inputs", path="ids")


class _Taking:
    """What becomes of the report of each input."""

    def __init__(
        self,
        report: BatchReport,
        each: Callable[[CheckReport], None] | None,
        writer: CheckWriter | None,
        spool: LineSpool | None,
    ) -> None:
        self._report, self._each, self._writer, self._spool = report, each, writer, spool

    def take(self, found: CheckReport) -> None:
        self._report.take(found)
        for record in found.records():
            if self._writer is not None:
                self._writer.write(record)
            elif self._spool is not None:
                self._spool.append(canonical_bytes(record))
        if self._each is not None:
            self._each(found)


class _Batch:
    """Drives many inputs."""

    def __init__(
        self,
        system: Callable[[Any], Any],
        relations: list[Relation],
        settings: Settings,
        workers: int,
        report: BatchReport,
        progress: Progress | None,
    ) -> None:
        self.system, self.relations, self.settings, self.workers = system, relations, settings, workers
        self.report = report
        self.started = time.time()
        self._progress = progress
        self._first: dict[bytes, str] = {}
        self._loop = Loop()

    def run(self, inputs: Iterator[tuple[str, Any]], taking: _Taking, stack: ExitStack) -> None:
        """Check every input, in order."""
        stack.callback(self._loop.close)
        tick = None if self._progress is None else self._ticking(self._progress)
        if self.workers == 1 and not is_asynchronous(self.system):
            for name, given in self._distinct(inputs):
                began = time.time()
                job = InputCheck(given, self.relations, self.settings, self._loop.settle)
                taking.take(self._report(job, drive_inline_whole(job, self.system, tick), name, began))
            return
        threads = None if is_asynchronous(self.system) else CallThreads(self.workers)
        driving = Loop()
        stack.callback(driving.close)
        if threads is not None:
            stack.callback(threads.close)

        async def drive() -> None:
            await self._overlapping(inputs, taking, tick, threads)

        driving.run(drive)
        if threads is not None:
            threads.finish()

    async def _overlapping(
        self, inputs: Iterator[tuple[str, Any]], taking: _Taking, tick: Tick | None, threads: CallThreads | None
    ) -> None:
        """As many inputs at once as there may be calls, so that one slow call does not hold up the others."""
        ask = asker(self.system, self.workers, tick, threads)
        waiting: deque[tuple[InputCheck, str, float, asyncio.Task[list[Conclusion]]]] = deque()
        distinct = self._distinct(inputs)
        async with asyncio.TaskGroup() as group:
            while True:
                while len(waiting) <= self.workers and (found := next(distinct, None)) is not None:
                    job = InputCheck(found[1], self.relations, self.settings, self._loop.settle)
                    waiting.append((job, found[0], time.time(), group.create_task(drive_whole(job, ask, 1))))
                if not waiting:
                    return
                job, name, began, task = waiting.popleft()
                taking.take(self._report(job, await task, name, began))

    def _report(self, job: InputCheck, conclusions: list[Conclusion], name: str, began: float) -> CheckReport:
        job.close()
        return CheckReport(
            job,
            conclusions,
            subject=self.report.subject,
            system=name_of(self.system),
            span=(began, time.time()),
            input_id=name,
        )

    def _distinct(self, inputs: Iterator[tuple[str, Any]]) -> Iterator[tuple[str, Any]]:
        """Inputs that no earlier one equals; of those it keeps a short key."""
        for name, given in inputs:
            first = self._first.setdefault(key_of(key_of_value(given)), name)
            if first == name:
                yield name, given
            else:
                self.report.repeats.append(Repeat(name, first))

    def _ticking(self, progress: Progress) -> Tick:
        """Calls are counted over all inputs."""
        total = InputCheck(None, (), self.settings)
        tell = ticking(progress, None, self.started)

        def tick(_: InputCheck) -> None:
            total.calls += 1
            tell(total)

        return tick
