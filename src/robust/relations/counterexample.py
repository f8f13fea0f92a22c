"""From the course of a relation that is violated to one counterexample that tells the most."""

from __future__ import annotations

from typing import Any, Final

from robust.canon import join_path
from robust.relations.closeness import Tolerance, same
from robust.relations.course import Course, Trial
from robust.relations.noise_test import most_contradicted

MAX_DIFFERENCES: Final = 10


def telling_trial(course: Course) -> Trial | None:
    """The trial that shows most clearly that a relation is violated; None where none contradicts anything.

    Of a declared deterministic system the first that contradicts; where it was confirmed, the one with the smallest p
    value; where the base's runs differ, the first that contradicts most of them.
    """
    if course.plan.attempts:
        sample = min(course.plan.attempts, key=lambda attempt: attempt.p_value).sample
        return next(trial for trial in course.trials if trial.sample == sample)
    if course.base is None or course.base.state != "differs":
        return next((trial for trial in course.trials if trial.contradicts), None)
    found: tuple[int, Trial] | None = None
    for trial in course.trials:
        count, _ = most_contradicted(course.relation.judged_by, course.base, trial.output)
        if count and (found is None or count > found[0]):
            found = count, trial
    return None if found is None else found[1]


def contradicted_run(course: Course, trial: Trial) -> int:
    """The place of a base run that a trial contradicts."""
    if course.base is None or course.base.state != "differs":
        return 0 if course.base is None else course.base.reference
    return most_contradicted(course.relation.judged_by, course.base, trial.output)[1]


def output_differences(before: Any, after: Any, path: str = "$") -> list[tuple[str, Any, Any]]:
    """Where two outputs differ, as (path, before, after), the first few; ``…`` is what is not there.

    Lists of one length and objects are gone into; all else is one place.
    """
    found: list[tuple[str, Any, Any]] = []
    _collect(before, after, path, found)
    return found[:MAX_DIFFERENCES]


def _collect(before: Any, after: Any, path: str, found: list[tuple[str, Any, Any]]) -> None:
    if len(found) >= MAX_DIFFERENCES:
        return
    if isinstance(before, dict) and isinstance(after, dict):
        for key in [*before, *(key for key in after if key not in before)]:
            _collect(before.get(key, ...), after.get(key, ...), join_path(path, str(key)), found)
    elif isinstance(before, list | tuple) and isinstance(after, list | tuple) and len(before) == len(after):
        for place, (one, other) in enumerate(zip(before, after, strict=True)):
            _collect(one, other, join_path(path, place), found)
    elif not _same(before, after):
        found.append((path, before, after))


def _same(before: Any, after: Any) -> bool:
    try:
        return same(before, after, Tolerance())
    except Exception:  # noqa: BLE001 - an output's own comparison may raise anything; then they are shown
        return False
