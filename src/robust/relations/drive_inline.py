"""Driving the check of one input by one call after the other, in the caller's own thread."""

from __future__ import annotations

from asyncio import CancelledError
from collections.abc import Callable, Iterator
from typing import Any

from robust.records.failure import describe_exception
from robust.relations.catalog import CatalogTransform
from robust.relations.course import PLAIN_COPIES, Course, QuietRun, Raised, Skip, Trial, Variant, frozen, itself
from robust.relations.input_check import Failed, InputCheck, called, given_back, known, not_made


def drive_inline(check: InputCheck, system: Callable[[Any], Any], tick: Callable[[InputCheck], None] | None) -> None:
    """Make every call of a check.

    Args:
        check: of one input.
        system: gives the output of an input.
        tick: is called after every call.
    """
    if not check.courses:
        return
    if not check.take_base(_base_outputs(check, system, tick)):
        return
    for course in check.courses:
        if course.base is not None:
            _drive_course(check, course, system, tick)
            check.finish(course)


def _base_outputs(
    check: InputCheck, system: Callable[[Any], Any], tick: Callable[[InputCheck], None] | None
) -> list[Any]:
    outputs = []
    base, thaw = check.kept, check.thaw
    for _ in range(check.base_runs):
        check.calls += 1
        output = called(check, system, base if thaw is itself else thaw(base))
        if tick is not None:
            tick(check)
        outputs.append(output)
        if type(output) is Failed:
            break
    return outputs


def _drive_course(
    check: InputCheck, course: Course, system: Callable[[Any], Any], tick: Callable[[InputCheck], None] | None
) -> None:
    samples = iter(range(course.plan.planned))
    while (told := _until_unquiet(check, course, system, samples, tick)) is not None:
        sample, prepared, output = told
        step = check.take(course, sample, prepared, output)
        if step == "confirm" and type(prepared) is Variant:
            runs = range(course.plan.confirmation_runs)
            # Turn by turn, so that a system that drifts changes both sides alike.
            pairs = [
                (_call(check, system, check.fresh_base(), tick), _call(check, system, prepared.fresh(), tick))
                for _ in runs
            ]
            step = check.take_confirmation(course, sample, [pair[0] for pair in pairs], [pair[1] for pair in pairs])
        if step == "stop":
            return


def _until_unquiet(
    check: InputCheck,
    course: Course,
    system: Callable[[Any], Any],
    samples: Iterator[int],
    tick: Callable[[InputCheck], None] | None,
) -> tuple[int, Variant | Skip | Raised, Any] | None:
    """Go through samples up to one that is anything but a trial whose output is the very one that is due.

    Such trials are most of them, so that all of the time goes to what stands here. They come to the same as if each
    were prepared by :meth:`InputCheck.prepare` and taken in by :meth:`InputCheck.take`.

    Returns:
        the sample, what was prepared and what came of it; None after the last sample.
    """
    relation, quick, due = course.relation, course.quick, course.due
    if relation.oracle is not None or relation.takes == "input and named source":
        return _asked(check, course, system, samples, tick)
    transform, base, thaw, new = relation.transform, check.kept, check.thaw, course.seen.add
    source = None if relation.takes == "input" else check.sources(course).of
    # Only of plain values: a class of the caller's could change itself when it is looked at.
    once = thaw is itself or (
        type(transform) is CatalogTransform and transform.leaves_input and any(thaw is each for each in PLAIN_COPIES)
    )
    shared = thaw(base) if once else None
    run: list[tuple[Any, Callable[[Any], Any]]] = []
    sample, calls = -1, 0
    try:
        for sample in samples:
            try:
                given = shared if once else thaw(base)
                made = transform(given) if source is None else transform(given, source(sample))
                kept, copied, key = (made, itself, made) if type(made) is str else frozen(made)
            except (Exception, CancelledError) as error:  # noqa: BLE001 - a transform may raise anything
                return sample, not_made(sample, error), None
            if not new(key):
                return sample, known(check, sample, key), None
            calls += 1
            try:
                output = system(kept if copied is itself else copied(kept))
            except (Exception, CancelledError) as error:  # noqa: BLE001 - the system may raise anything
                output = Failed(describe_exception(error))
            if tick is not None:
                check.calls, calls = check.calls + calls, 0
                tick(check)
            if type(output) is quick and output == due:
                run.append((kept, copied))
                continue
            return sample, Variant(kept, copied), given_back(check, output)
        sample += 1
        return None
    finally:
        check.calls += calls
        if run:
            course.quiet(QuietRun(sample - len(run), run, due))


def _asked(
    check: InputCheck,
    course: Course,
    system: Callable[[Any], Any],
    samples: Iterator[int],
    tick: Callable[[InputCheck], None] | None,
) -> tuple[int, Variant | Skip | Raised, Any] | None:
    """The next sample, prepared in the way of all others, and what came of it; None after the last one."""
    sample = next(samples, None)
    if sample is None:
        return None
    prepared = check.prepare(course, sample)
    if type(prepared) is not Variant:
        return sample, prepared, None
    return sample, prepared, _call(check, system, prepared.fresh(), tick)


def minimise_inline(
    check: InputCheck,
    course: Course,
    found: Trial,
    system: Callable[[Any], Any],
    tick: Callable[[InputCheck], None] | None,
) -> None:
    """Look for a simpler variant that contradicts the base as well."""
    steps = check.simpler(course, found)
    runs = 1 if course.plan.base == "declared" else course.plan.confirmation_runs
    candidate = next(steps, None)
    while candidate is not None:
        outputs: list[Any] = []
        for _ in range(runs):
            outputs.append(_call(check, system, candidate.fresh(), tick))
            check.shrink_calls += 1
            if not check.still_contradicts(course, outputs[-1]):
                break
        try:
            candidate = steps.send(outputs)
        except StopIteration:
            return


def _call(
    check: InputCheck, system: Callable[[Any], Any], given: Any, tick: Callable[[InputCheck], None] | None
) -> Any:
    check.calls += 1
    output = called(check, system, given)
    if tick is not None:
        tick(check)
    return output
