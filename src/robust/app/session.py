"""One run: its stores, its budget, its engine, and what is said when it is stopped."""

from __future__ import annotations

import os
import platform
import time
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

from robust.app.crew import MIN_RECORDS, ProcessCrew, RunOrders, make_crew
from robust.app.oracles import all_built_in
from robust.canon import JsonObject
from robust.errors import RunInterrupted, UsageError
from robust.records.contract import Contract
from robust.records.decision import tidy_number
from robust.records.failure import describe_exception
from robust.records.request import BackendIdentity
from robust.records.seams import Backend, Paraphraser, Progress
from robust.run.budget import Budget, Limits
from robust.run.execute import Engine, run_coroutine
from robust.run.judging import CandidateJudge
from robust.run.plan import CaseSource
from robust.run.property_plan import plan_properties
from robust.run.repeats import Repeats
from robust.run.report import RunIdentity, build_report
from robust.run.summary import RunSummary
from robust.run.wording import Wording
from robust.run.work import Work
from robust.store.cache import AnswerStore
from robust.store.runs import RunWriter
from robust.version import __version__


@dataclass(frozen=True, slots=True)
class Session:
    """Everything that a run is made of."""

    contract: Contract
    backend: Backend
    identity: BackendIdentity
    source: CaseSource
    made_of: RunIdentity
    mode: str
    concurrency: int
    max_calls: int | None
    orders: RunOrders | None
    judges: Mapping[str, CandidateJudge]
    paraphraser: Paraphraser | None
    audits: JsonObject = field(default_factory=dict)

    def run(
        self,
        writer: RunWriter,
        *,
        cache: str | os.PathLike[str] | Literal[False] | None,
        healthcheck: bool,
        progress: Progress | None,
    ) -> JsonObject:
        """Run, or continue, and seal the run directory.

        Returns:
            the report.

        Raises:
            RunInterrupted: the user stopped it.
        """
        self._check_cache(writer, cache)
        writer.start(self.contract.normalised(), self._in_progress())
        self._check_continued(writer, cache)
        started, clock = datetime.now(UTC), time.perf_counter()
        # Answers that need no time and no money are not worth keeping.
        paid = self.paraphraser is not None and not getattr(self.paraphraser, "inline", False)
        keeps = cache is not False and (paid or not getattr(self.backend, "inline", False))
        work: Work | None = None
        try:
            with ExitStack() as stack:
                own = stack.enter_context(AnswerStore(writer.working_file, working=True)) if keeps else None
                shared = stack.enter_context(AnswerStore(cache)) if keeps and cache else None
                engine = Engine(
                    self.backend,
                    concurrency=self.concurrency,
                    tolerance=self.contract.evaluation.probability_tolerance,
                    own=own,
                    shared=shared,
                    budget=self._budget(own),
                )
                work = self._work(engine, own, writer, progress)
                if isinstance(work.crew, ProcessCrew):
                    stack.callback(work.crew.close)
                run_coroutine(self._drive(work, healthcheck=healthcheck))
        except KeyboardInterrupt:
            paid_for = work is not None and (work.engine.kept or work.wording.kept)
            kept = "what was paid for is kept; " if paid_for else ""
            hint = f"{kept}run the same again with -o {writer.path} (output=...) to go on"
            raise RunInterrupted(str(writer.path), hint) from None
        stores = [store for store in (own, shared) if store is not None]
        notices = [*(notice for store in stores for notice in store.notices), *engine.notices]
        observed = self._observed(engine, started, time.perf_counter() - clock)
        if notices:
            observed["notices"] = notices
        if self.audits:
            observed["audits"] = self.audits
        report = build_report(self.contract, self.made_of, work.summary, work.digests, observed)
        writer.seal(report)
        return report

    def _work(self, engine: Engine, own: AnswerStore | None, writer: RunWriter, progress: Progress | None) -> Work:
        """Everything that is to be done."""
        plans = plan_properties(self.contract, self.judges)
        summary = RunSummary(self.contract, mode=self.mode, seed=self.made_of.seed, plans=plans)
        wording = self._wording(summary, engine, own)
        return Work(
            contract=self.contract,
            engine=engine,
            backend=self.identity,
            source=self.source,
            summary=summary,
            sink=writer,
            seed=self.made_of.seed,
            wording=wording,
            repeats=self._repeats(summary),
            crew=self._crew(wording),
            progress=progress,
        )

    def _repeats(self, summary: RunSummary) -> Repeats:
        judged = bool(summary.plans) or summary.variants is not None
        cases = self.source.size(variants=False)
        return Repeats(self.contract, seed=self.made_of.seed, cases=cases, judged=judged)

    def _crew(self, wording: Wording) -> ProcessCrew | None:
        """Processes to share the work with, where it is enough and each part of it stands for itself."""
        orders, cases = self.orders, self.source.size(variants=False)
        alone = (
            orders is None
            or not getattr(self.backend, "pure", False)
            # Decisions alone are made as fast as they are handed over.
            or not wording.most
            or cases * (1 + wording.most) < MIN_RECORDS
            or self.source.encoded_bases() is None
            or self.paraphraser is not None
            or self.contract.noise.baseline_runs > 1
            or self._budget(None).limits != Limits()
            or not all_built_in(self.contract, self.judges)
        )
        return None if alone or orders is None else make_crew(orders)

    def _wording(self, summary: RunSummary, engine: Engine, own: AnswerStore | None) -> Wording:
        return Wording(
            summary.plans,
            self.paraphraser,
            seed=self.made_of.seed,
            concurrency=self.concurrency,
            budget=engine.budget,
            own=own,
        )

    def _observed(self, engine: Engine, started: datetime, seconds: float) -> JsonObject:
        """What varies from run to run, and is in no logical digest."""
        return {
            "started_at": started.isoformat(timespec="milliseconds"),
            "finished_at": datetime.now(UTC).isoformat(timespec="milliseconds"),
            "duration_ms": round(seconds * 1000, 3),
            "calls": engine.budget.calls,
            "cached": engine.cached,
            "tokens": engine.budget.tokens,
            "cost": tidy_number(engine.budget.cost),
            "max_concurrency": self.concurrency,
            "robust_version": __version__,
            "python": platform.python_version(),
            "platform": platform.platform(),
        }

    @staticmethod
    def _check_cache(writer: RunWriter, cache: str | os.PathLike[str] | Literal[False] | None) -> None:
        if cache == "":
            raise UsageError.of("bad_cache", "must name a file, or be False for none", path="cache")
        if cache and Path(cache).resolve().parent == writer.path.resolve():
            hint = "keep the cache elsewhere"
            message = "the folder of a run holds its own files only"
            raise UsageError.of("bad_cache", message, file=os.fspath(cache), path="cache", hint=hint)

    @staticmethod
    def _check_continued(writer: RunWriter, cache: str | os.PathLike[str] | Literal[False] | None) -> None:
        if cache is False and writer.continued and writer.working_file.exists():
            message = "the unfinished run here keeps answers and what was spent"
            hint = "go on without --no-cache (cache=None), or start anew with --overwrite (overwrite=True)"
            raise UsageError.of("other_run", message, file=str(writer.path), hint=hint)

    async def _drive(self, work: Work, *, healthcheck: bool) -> None:
        try:
            if healthcheck:
                await work.engine.check_health()
            await work.run()
        finally:
            await work.engine.close()
            await self._close_paraphraser(work.engine.notices)

    async def _close_paraphraser(self, notices: list[str]) -> None:
        release = getattr(self.paraphraser, "aclose", None)
        if release is None:
            return
        try:
            await release()
        except Exception as error:  # noqa: BLE001 - it is not ours, and what it worded stays worded
            notices.append(f"the paraphraser could not be closed: {describe_exception(error)}")

    def _budget(self, own: AnswerStore | None) -> Budget:
        section = self.contract.budget
        limits = Limits(
            calls=section.max_calls if self.max_calls is None else self.max_calls,
            tokens=section.max_tokens,
            cost=section.max_cost,
        )
        return Budget(limits=limits, **({} if own is None else own.spent()))

    def _in_progress(self) -> JsonObject:
        """What a run that is continued must have in common with the one that was stopped."""
        return {
            "contract": self.contract.digest,
            "cases": self.made_of.case_set(),
            "seed": self.made_of.seed,
            "backend": self.made_of.backend,
            "mode": self.mode,
        }
