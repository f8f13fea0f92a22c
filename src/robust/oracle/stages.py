"""Judging pairs that are there already, a few at a time: each step for all of them before the next step.

A step that is done several times in a row finds the processor's caches full of what it needs, so that a pair takes a
quarter less time than when its steps follow one another. Nobody waits for it: as long as a pair takes its time, pairs
are judged one by one.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from robust.oracle.asked import Observer
from robust.oracle.question import Observation, Question, Terms
from robust.oracle.validate import conclude
from robust.records.validation import AnyRecord

_MOST_AT_ONCE: Final = 16
# So many pairs are judged together as together take less than this, and as are no larger together.
_QUICK_S: Final = 0.005
_LARGE_BYTES: Final = 1024 * 1024


class _Answer(NamedTuple):
    """What came of asking about a pair, and how many seconds it took."""

    question: Question
    observations: list[Observation]
    seconds: float


def judge_in_stages(
    questions: Iterable[Question], observer: Observer, terms: Terms, oracle: bytes, record_type: type[AnyRecord]
) -> Iterator[AnyRecord]:
    """Judge questions in their order; what is raised for one of them comes behind the records of those before it."""
    left = iter(questions)
    size, ended = 1, None
    while ended is None:
        started = time.perf_counter()
        taken, ended = _take(left, size)
        answers, interruption = _ask(taken, observer, terms.repeats)
        records = [
            conclude(answer.question, answer.observations, terms, oracle, record_type, answer.seconds)
            for answer in answers
        ]
        quick = time.perf_counter() - started < _QUICK_S
        yield from records
        if interruption is not None:
            raise interruption
        size = min(2 * size, _MOST_AT_ONCE) if quick else 1
    if not isinstance(ended, StopIteration):
        raise ended


def _take(questions: Iterator[Question], size: int) -> tuple[list[Question], BaseException | None]:
    """Up to so many questions, and in what they ended if they did."""
    taken: list[Question] = []
    large = 0
    try:
        while len(taken) < size and large < _LARGE_BYTES:
            question = next(questions)
            taken.append(question)
            large += len(question.base.stored) + len(question.candidate.stored)
    except BaseException as error:  # noqa: BLE001 - raised again once what was taken before is judged
        return taken, error
    return taken, None


def _ask(questions: Iterable[Question], observer: Observer, repeats: int) -> tuple[list[_Answer], BaseException | None]:
    """Ask about each question, and what interrupted that: KeyboardInterrupt or SystemExit, as nothing else passes."""
    answers: list[_Answer] = []
    try:
        for question in questions:
            started = time.perf_counter()
            observations = [observer.observe(question) for _ in range(repeats)]
            answers.append(_Answer(question, observations, time.perf_counter() - started))
    except BaseException as error:  # noqa: BLE001 - raised again once what was answered before is told
        return answers, error
    return answers, None
