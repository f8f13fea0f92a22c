"""The public function that measures how hard cases are for a model."""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from itertools import chain
from typing import Any, Final

from robust.app.candidate_files import check_outputs
from robust.app.hardness_report import HardnessExit, HardnessInterrupted, HardnessReport
from robust.app.hardness_shots import OneCase, ask
from robust.app.validation import check_workers
from robust.canon import JsonObject, canonical_bytes, decode_own, describe, hash_bytes, nfc
from robust.errors import CaseError, UsageError
from robust.oracle.identity import oracle_identity
from robust.records.case import Case
from robust.records.comparator import EXACT, Comparator, read_comparator
from robust.records.encoding import encode_case
from robust.records.hardness import (
    MAX_SHOTS,
    Band,
    HardnessCase,
    HardnessCounts,
    band_problem,
    case_of_data,
)
from robust.store.datasets import read_cases
from robust.store.outputs import check_output
from robust.store.spool import LineSpool
from robust.version import __version__

# How many finished cases may wait for a slow one before it, for each worker.
_WINDOW_PER_WORKER: Final = 4


def measure_hardness(
    cases: str | os.PathLike[str] | Iterable[Case],
    model: Callable[[Case], Any],
    shots: int,
    band: Band,
    judge: Callable[[Case, Any], Any] | None = None,
    *,
    comparator: Comparator | str = EXACT,
    workers: int = 1,
    output: str | os.PathLike[str] | None = None,
    overwrite: bool = False,
) -> HardnessReport:
    """Try a model several times at each case, and say how often it fails.

    A failure rate is given only where every shot was measured: a shot that crashed says nothing about the case. How
    hard a case is says nothing about whether it is valid, and no part of a report enters a validation or a manifest.

    Args:
        cases: cases, or a data set.
        model: answers a case: a callable of one case, synchronous or not. It gets a copy without the expected answer.
            What it returns must be portable JSON.
        shots: how often it is asked about each case, 1–10,000.
        band: the failure rates that are looked for, (low, high), both included.
        judge: says whether an answer is right: a callable of case and answer, synchronous or not, that returns True,
            False, or None where it cannot tell. By default the answer is compared with the expected one; where there
            is none, no shot is measured.
        comparator: how answers are compared without a judge.
        workers: how many cases are worked on at once, each in a thread, 1–256.
        output: a file that the report is written to, also when the measurement is stopped.
        overwrite: whether it may be replaced.

    Raises:
        CaseError: a case is not portable JSON, or something that is given cannot be called.
        DataError: a row of the data set is wrong, or an id stands twice.
        UsageError: there are no cases, a setting is wrong, or the output cannot be written.
        HardnessInterrupted: the user stopped it.
        HardnessExit: a model or a judge asked the program to end.
    """
    settings = _settings(model, shots, band, judge, comparator)
    check_workers(workers)
    check_outputs((cases if isinstance(cases, str | os.PathLike) else None,), (output,))
    check_output(output, overwrite=overwrite)
    started = datetime.now(UTC)
    measured = _Measurement(model, judge, settings)
    try:
        stopped = measured.run(_read(cases), workers)
        if not measured.cases:
            raise UsageError.of("no_cases", "there are no cases", path="cases")
    except BaseException:
        measured.lines.close()
        raise
    observed = {
        "measured_at": started.isoformat(timespec="milliseconds"),
        "duration_s": round((datetime.now(UTC) - started).total_seconds(), 3),
        "robust_version": __version__,
    }
    report = HardnessReport(measured.counts.header(settings.to_json(), observed), measured.lines)
    if output is not None:
        report.save(output, overwrite=overwrite)
    if isinstance(stopped, KeyboardInterrupt):
        raise HardnessInterrupted(report) from stopped
    if stopped is not None:
        raise HardnessExit(stopped.code, report) from stopped
    return report


@dataclass(frozen=True, kw_only=True, slots=True)
class _Settings:
    shots: int
    band: Band
    comparator: Comparator | None
    model: JsonObject
    judge: JsonObject | None

    def to_json(self) -> JsonObject:
        return {
            "shots": self.shots,
            "band": list(self.band),
            "comparator": None if self.comparator is None else self.comparator.to_json(),
            "model": self.model,
            "judge": self.judge,
        }


def _settings(model: Any, shots: Any, band: Any, judge: Any, comparator: Any) -> _Settings:
    for name, given in (("model", model), ("judge", judge)):
        if not callable(given) and not (name == "judge" and given is None):
            raise CaseError.of("not_callable", f"{describe(given)} cannot be called", path=name)
    if type(shots) is not int or not 1 <= shots <= MAX_SHOTS:
        raise UsageError.of("bad_shots", f"must be an integer from 1 to {MAX_SHOTS}, not {shots!r}", path="shots")
    problem = band_problem(band)
    if problem is not None:
        raise UsageError.of("bad_band", problem, path="band", hint="write (0.2, 0.8)")
    return _Settings(
        shots=shots,
        band=(float(band[0]), float(band[1])),
        comparator=None if judge is not None else read_comparator(comparator),
        model=_identity(model, "model"),
        judge=None if judge is None else _identity(judge, "judge"),
    )


def _identity(given: Any, name: str) -> JsonObject:
    try:
        return oracle_identity(given)
    except CaseError as error:
        message = error.problems[0].message.replace("the validator", f"the {name}")
        raise CaseError.of(f"bad_{name}", message, path=name, hint="check its name and version") from None


def _read(cases: Any) -> Iterator[Case]:
    if isinstance(cases, str | os.PathLike):
        yield from (case for _, case in read_cases(cases))
        return
    if not isinstance(cases, Iterable):
        raise CaseError.of("not_a_case", f"must be cases, not {describe(cases)}", path="cases")
    for index, case in enumerate(cases):
        if not isinstance(case, Case):
            raise CaseError.of("not_a_case", f"must be a Case, not {describe(case)}", path=f"cases[{index}]")
        yield case


class _Measurement:
    """One pass over the cases, in their order; once it is stopped, every further shot is not run."""

    def __init__(self, model: Any, judge: Any, settings: _Settings) -> None:
        self._settings = settings
        self._ask = partial(ask, model=model, judge=judge, comparator=settings.comparator)
        self._stop = threading.Event()
        self._seen: set[bytes] = set()
        self.counts = HardnessCounts()
        self.lines = LineSpool()
        self.cases = 0

    def run(self, cases: Iterator[Case], workers: int) -> KeyboardInterrupt | SystemExit | None:
        """Measure all cases.

        Returns:
            what stopped it, if anything did.
        """
        waiting: deque[OneCase] = deque()
        stopped: KeyboardInterrupt | SystemExit | None = None
        pool = ThreadPoolExecutor(workers, thread_name_prefix="robust-hardness") if workers > 1 else None
        try:
            for case in cases:
                waiting.append(self._work(case))
                self._start(waiting[-1], pool)
                if len(waiting) >= (workers * _WINDOW_PER_WORKER if pool else 1):
                    self._finish(waiting)
            while waiting:
                self._finish(waiting)
        except (KeyboardInterrupt, SystemExit) as stop:
            self._stop.set()
            stopped = stop
        finally:
            if pool is not None:
                # What is running cannot be ended; what it still finds is not waited for.
                pool.shutdown(wait=stopped is None, cancel_futures=True)
        if stopped is not None:
            self._salvage(chain(waiting, map(self._work, cases)))
        return stopped

    def _salvage(self, unfinished: Iterable[OneCase]) -> None:
        """Keep what was measured, and the rest as not run.

        The user may have stopped it between any two steps, so that the last line may be there already, or twice.
        """
        before, self.lines, self.counts, self.cases = self.lines, LineSpool(), HardnessCounts(), 0
        kept: set[str] = set()
        for line in before:
            case = case_of_data(decode_own(line), self._settings.band)
            if case.case_id not in kept:
                kept.add(case.case_id)
                self._append(case)
        before.close()
        for work in unfinished:
            if work.case_id not in kept:
                self._append(work.finish(self._settings.shots, self._settings.band))

    def _work(self, case: Case) -> OneCase:
        key = hash_bytes(nfc(case.case_id).encode("utf-8", "surrogatepass"))
        if key in self._seen:
            raise CaseError.of("duplicate_id", f"the id {case.case_id!r} stands twice", path="case_id")
        self._seen.add(key)
        return OneCase(encode_case(case, f"case {case.case_id!r}"))

    def _start(self, work: OneCase, pool: ThreadPoolExecutor | None) -> None:
        if pool is None:
            self._shoot(work)
        else:
            work.future = pool.submit(self._shoot, work)

    def _shoot(self, work: OneCase) -> None:
        for _ in range(self._settings.shots):
            if self._stop.is_set():
                return
            work.add(self._ask(work.stored))

    def _finish(self, waiting: deque[OneCase]) -> None:
        if waiting[0].future is not None:
            waiting[0].future.result()
        self._append(waiting[0].finish(self._settings.shots, self._settings.band))
        waiting.popleft()

    def _append(self, case: HardnessCase) -> None:
        line = canonical_bytes(case.to_json())
        self.lines.append(line)
        self.counts.add(case, line)
        self.cases += 1
