"""The public functions that check a system by relations, without labels."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from robust.app.calling import CallThreads, Loop, Tick, asker, is_asynchronous
from robust.app.check_arguments import (
    name_of,
    read_relations,
    read_settings,
    read_subject,
    read_workers,
    wrong_argument,
)
from robust.app.check_result import CheckReport, replay_line
from robust.canon import MAX_SAFE_INTEGER
from robust.records.progress import ProgressState
from robust.records.relation_check import Counterexample
from robust.records.seams import Progress
from robust.relations.counterexample import output_differences, telling_trial
from robust.relations.course import Course, Trial
from robust.relations.drive_async import Ask, drive_async, minimise_async
from robust.relations.drive_inline import drive_inline, minimise_inline
from robust.relations.input_check import InputCheck, Settings
from robust.relations.relation import Relation
from robust.relations.rewinding import rewound
from robust.relations.stored_value import detached
from robust.relations.trial_plan import Conclusion, planned_base_runs, planned_samples


def check(
    system: Callable[[Any], Any],
    base_input: Any,
    relations: Iterable[Relation],
    *,
    samples: int = 20,
    baseline_runs: int = 5,
    subject: str = "",
    alpha: float = 0.05,
    deterministic_system: bool = False,
    workers: int = 1,
    early_stop: bool = True,
    progress: Progress | None = None,
) -> CheckReport:
    """Check, without labels, that a system's output stays as relations say when its input is changed.

    Base and variants are run, and outputs that contradict the base are told from the system's own noise. Inputs are
    copied for every call; whatever transform, system, assertion or oracle raise is part of the report.

    Args:
        system: gives the output of an input; it may be asynchronous.
        base_input: the input.
        relations: with distinct names.
        samples: how many variants each relation makes at most; a deterministic one makes one.
        baseline_runs: how often the base is run, 1 or more; more tell more of its noise.
        subject: what is checked, for reports: text on one line.
        alpha: the chance that is accepted that any relation is called violated although changes have no effect.
        deterministic_system: declares that equal inputs give equal outputs: the base is run once, and the first
            contradiction is a violation. This is never concluded from outputs.
        workers: how many calls may be under way at once, 1–256.
        early_stop: whether samples are left out once no later contradiction can change the verdict. What is not asked
            cannot raise.
        progress: is told how far the check is, after every call.

    Returns:
        the report.

    Raises:
        UsageError: an argument is not what it must be.
        DataError: the input can be neither stored nor copied.
        CaseError: an oracle cannot be called.
    """
    settings = read_settings(samples, baseline_runs, alpha, deterministic_system, early_stop)
    given = read_relations(relations)
    read_workers(workers)
    words = read_subject(subject)
    if not callable(system):
        raise wrong_argument("system", "a function of an input", system)
    rewound(system)
    started = time.time()
    tick = None if progress is None else ticking(progress, planned_calls(given, settings), started)
    if workers == 1 and not is_asynchronous(system):
        job, conclusions = _inline(system, base_input, given, settings, tick)
    else:
        job, conclusions = _overlapping(system, base_input, given, settings, workers, tick)
    return CheckReport(job, conclusions, subject=words, system=name_of(system), span=(started, time.time()))


def assert_robust(
    system: Callable[[Any], Any],
    base_input: Any,
    relations: Iterable[Relation],
    *,
    allow_inconclusive: bool = False,
    **options: Any,
) -> CheckReport:
    """Check as :func:`check` does, and raise where not every relation holds.

    Args:
        system: as in :func:`check`.
        base_input: likewise.
        relations: likewise.
        allow_inconclusive: whether what could not be decided passes. What was never tried, and what raised, never do.
        options: whatever else :func:`check` takes.

    Returns:
        the report.

    Raises:
        AssertionError: a relation does not hold; the text has the difference of the outputs, and the line of Python
            that replays it.
    """
    __tracebackhide__ = True
    report = check(system, base_input, relations, **options)
    passing = ("holds", "inconclusive") if allow_inconclusive else ("holds",)
    if not report.verdicts or any(verdict not in passing for verdict in report.verdicts.values()):
        raise AssertionError(report.summary())
    return report


def replay_trial(
    system: Callable[[Any], Any],
    base_input: Any,
    relation: Relation,
    sample: int = 0,
    *,
    seed: int | None = None,
) -> Counterexample | None:
    """Make the variant of one sample again, run base and variant once each, and compare.

    Args:
        system: as in :func:`check`; what it raises is raised. A cached system begins at the first trial.
        base_input: likewise.
        relation: the relation.
        sample: the number of the sample.
        seed: instead of the relation's own.

    Returns:
        the counterexample; None where the relation holds of these two runs. A noisy system may need several.

    Raises:
        NotApplicable: the transform has nothing to change in the input.
        UsageError: an argument is not what it must be.
    """
    if not isinstance(relation, Relation):
        raise wrong_argument("relation", "a Relation", relation)
    if type(sample) is not int or not 0 <= sample <= MAX_SAFE_INTEGER:
        raise wrong_argument("sample", "an integer, 0 or more", sample)
    variant = relation.variant(base_input, sample, seed=seed)
    kept = detached(variant)
    rewound(system)
    with Loop() as loop:
        outputs = []
        for given in (detached(base_input), variant):
            output = system(given)
            outputs.append(detached(loop.settle(output) if hasattr(output, "__await__") else output))
    before, after = outputs
    assertion = relation.judged_by
    if assertion.holds(before, after):
        return None
    return Counterexample(
        relation=relation.name,
        before=before,
        after=after,
        detail=assertion.explain(before, after),
        base=detached(base_input),
        variant=kept,
        seed=relation.seed if seed is None else seed,
        sample=sample,
        difference=tuple(output_differences(assertion.due(before), after)),
        replay=replay_line(name_of(system), base_input, relation, sample),
    )


def _inline(
    system: Callable[[Any], Any], base_input: Any, relations: Sequence[Relation], settings: Settings, tick: Tick | None
) -> tuple[InputCheck, list[Conclusion]]:
    loop = Loop()
    job = InputCheck(base_input, relations, settings, loop.settle)
    try:
        return job, drive_inline_whole(job, system, tick)
    finally:
        job.close()
        loop.close()


def drive_inline_whole(job: InputCheck, system: Callable[[Any], Any], tick: Tick | None) -> list[Conclusion]:
    """Make all calls of one input in this thread, those of minimising included."""
    drive_inline(job, system, tick)
    conclusions = job.conclude()
    for course, found in _to_minimise(job, conclusions):
        minimise_inline(job, course, found, system, tick)
    return conclusions


def _to_minimise(job: InputCheck, conclusions: Sequence[Conclusion]) -> list[tuple[Course, Trial]]:
    """Courses whose relation can shrink, with the trial to begin with.

    None where the base's runs differ: there nothing is sure of a single variant.
    """
    found = []
    for course, conclusion in zip(job.courses, conclusions, strict=True):
        if conclusion.verdict == "violated" and course.relation.shrink is not None and course.plan.base != "differs":
            trial = telling_trial(course)
            if trial is not None:
                found.append((course, trial))
    return found


def _overlapping(
    system: Callable[[Any], Any],
    base_input: Any,
    relations: Sequence[Relation],
    settings: Settings,
    workers: int,
    tick: Tick | None,
) -> tuple[InputCheck, list[Conclusion]]:
    threads = None if is_asynchronous(system) else CallThreads(workers)
    with Loop() as loop, Loop() as settling:
        job = InputCheck(base_input, relations, settings, settling.settle)

        async def drive() -> list[Conclusion]:
            return await drive_whole(job, asker(system, workers, tick, threads), workers)

        try:
            conclusions = loop.run(drive)
            if threads is not None:
                threads.finish()
            return job, conclusions
        finally:
            job.close()
            if threads is not None:
                threads.close()


async def drive_whole(job: InputCheck, ask: Ask, workers: int) -> list[Conclusion]:
    """Make all calls of one input on the running loop, those of minimising included."""
    await drive_async(job, ask, workers)
    conclusions = job.conclude()
    for course, found in _to_minimise(job, conclusions):
        await minimise_async(job, course, found, ask)
    return conclusions


def planned_calls(relations: Iterable[Relation], settings: Settings) -> int:
    """How many calls there are without confirmations and early stops."""
    samples = sum(planned_samples(settings.samples, deterministic=each.deterministic) for each in relations)
    return samples + planned_base_runs(settings.baseline_runs, deterministic=settings.deterministic)


def ticking(progress: Progress, total: int | None, started: float) -> Tick:
    """What tells a progress how far a check is."""

    def tick(job: InputCheck) -> None:
        progress.update(
            ProgressState(
                done=job.calls,
                total=None if total is None else max(total, job.calls),
                errors=sum(len(course.errors) for course in job.courses),
                calls=job.calls,
                cached=0,
                tokens=0,
                cost=0.0,
                elapsed_s=time.time() - started,
            )
        )

    return tick
