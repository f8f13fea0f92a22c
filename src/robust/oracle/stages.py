"""Judging pairs that are there already, a few at a time: each step for all of them before the next step.

A step that is done several times in a row finds the processor's caches full of what it needs, so that a pair takes a
quarter less time than when its steps follow one another. Nobody waits for it: as long as a pair takes its time, pairs
are judged one by one.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from typing import Final

from robust.oracle.asked import Observer
from robust.oracle.question import Question, Terms
from robust.oracle.reading import PairReader
from robust.oracle.validate import Answer, conclude_all
from robust.records.validation import AnyRecord

_MOST_AT_ONCE: Final = 16
# So many pairs are judged together as together take less than this.
_QUICK_S: Final = 0.005


def judge_in_stages(
    reader: PairReader, observer: Observer, terms: Terms, oracle: bytes, record_type: type[AnyRecord]
) -> Iterator[AnyRecord]:
    """Judge pairs in their order; what is raised for one of them comes behind the records of those before it."""
    size = 1
    while reader.more:
        started = time.perf_counter()
        answers, interruption = _ask(reader.take(size), observer, terms.repeats)
        records = conclude_all(answers, terms, oracle, record_type)
        quick = time.perf_counter() - started < _QUICK_S
        yield from records
        if interruption is not None:
            raise interruption
        size = min(2 * size, _MOST_AT_ONCE) if quick else 1
    if reader.ended is not None:
        raise reader.ended


def _ask(questions: Iterable[Question], observer: Observer, repeats: int) -> tuple[list[Answer], BaseException | None]:
    """Ask about each question, and what interrupted that: KeyboardInterrupt or SystemExit, as nothing else passes."""
    answers: list[Answer] = []
    try:
        for question in questions:
            started = time.perf_counter()
            observations = [observer.observe(question) for _ in range(repeats)]
            answers.append(Answer(question, observations, time.perf_counter() - started))
    except BaseException as error:  # noqa: BLE001 - raised again once what was answered before is told
        return answers, error
    return answers, None
