"""Asking a judge about cases: on copies, in order, so many at once, and nothing that it does is lost."""

from __future__ import annotations

import inspect
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from queue import SimpleQueue
from threading import Thread
from typing import Any, Final, TypeVar

from robust.canon import describe, hash_bytes
from robust.errors import DataError, UsageError
from robust.oracle.inline import run_awaitable
from robust.records.failure import describe_exception
from robust.records.judge_bias import JudgeFailure
from robust.relations.argument_words import shown_argument
from robust.relations.judge_picks import TIE, Picker
from robust.relations.moved_items import item_key
from robust.relations.place import Place
from robust.relations.relation import NotApplicable
from robust.relations.stored_value import detached, key_of_value

T = TypeVar("T")
R = TypeVar("R")
MAX_WORKERS: Final = 256
MAX_RUNS: Final = 1000


class JudgeFailed(Exception):
    """The judge gave no usable answer; the case is left."""

    def __init__(self, failure: JudgeFailure) -> None:
        super().__init__(failure.detail)
        self.failure = failure


@dataclass(slots=True)
class JudgedCase:
    """A case with its answers.

    Attributes:
        index: its number among the cases that were given.
        given: the case.
        answers: the answers in it.
        same: for each answer, the number of the first one that is the same.
        calls: how often the judge was asked about it.
    """

    index: int
    given: Any
    answers: Sequence[Any]
    same: list[int]
    calls: int = 0


@dataclass(frozen=True, slots=True)
class Asker:
    """A judge, and how cases are shown to it."""

    judge: Callable[[Any], Any]
    place: Place
    pick: Picker

    def read(self, index: int, given: Any) -> JudgedCase:
        """A case with its answers.

        Raises:
            NotApplicable: it has not at least two answers that differ.
        """
        answers = self.place.get(given)
        if not isinstance(answers, list | tuple):
            raise NotApplicable(f"the answers are no list, but {describe(answers)}")
        first: dict[object, int] = {}
        same = [first.setdefault(item_key(answer), number) for number, answer in enumerate(answers)]
        if len(first) < 2:
            raise NotApplicable("there are no two answers that differ")
        return JudgedCase(index, given, list(answers), same)

    def ask(self, case: JudgedCase, order: Sequence[int], answers: Sequence[Any] | None = None) -> int:
        """Which answer is picked when they are shown in an order: its number in the case, or :data:`TIE`.

        Args:
            case: the case.
            order: the numbers of the answers as they are shown.
            answers: what is shown instead of the case's own.

        Raises:
            JudgeFailed: the judge raised, or what it gave is no pick.
        """
        own = case.answers if answers is None else answers
        shown = [detached(own[number]) for number in order]
        case.calls += 1
        try:
            result = self.judge(self.place.put(detached(case.given), list(shown)))
            if inspect.isawaitable(result):
                result = run_awaitable(result, None)
        except (KeyboardInterrupt, SystemExit):
            raise
        except BaseException as error:  # noqa: BLE001 - whatever ends it, a cancellation too, is no pick
            raise JudgeFailed(
                JudgeFailure(case=case.index, code="judge_error", detail=describe_exception(error))
            ) from None
        try:
            picked = self.pick(result, shown)
        except DataError as error:
            raise JudgeFailed(JudgeFailure(case=case.index, code="bad_pick", detail=str(error))) from None
        except (KeyboardInterrupt, SystemExit):
            raise
        except BaseException as error:  # noqa: BLE001 - a function of the caller's own, or what the judge gave
            detail = f"reading the pick raised {describe_exception(error)}"
            raise JudgeFailed(JudgeFailure(case=case.index, code="bad_pick", detail=detail)) from None
        return TIE if picked == TIE else case.same[order[picked]]


def new_cases(cases: Iterable[Any]) -> Iterator[tuple[int, Any, bool]]:
    """Each case with its number, and whether it is the first like it.

    Raises:
        UsageError: what was given are no cases.
    """
    if isinstance(cases, str | bytes | dict) or not isinstance(cases, Iterable):
        hint = 'give several, such as [{"question": ..., "answers": [..., ...]}]'
        raise UsageError.of("bad_cases", f"must be cases, not {describe(cases)}", path="cases", hint=hint)
    seen: set[bytes] = set()
    for index, given in enumerate(cases):
        key = hash_bytes(key_of_value(given))
        yield index, given, key not in seen
        seen.add(key)


def in_order(work: Callable[[T], R], items: Iterable[T], workers: int) -> Iterator[R]:
    """What is made of items, in their order, so many at once; few more are read ahead than are worked on.

    It ends at once where the caller stops: Python cannot end a call that is under way, so that threads are daemons.
    """
    if workers == 1:
        yield from map(work, items)
        return
    tasks: SimpleQueue[tuple[Future[R], T] | None] = SimpleQueue()
    threads: list[Thread] = []
    waiting: deque[Future[R]] = deque()
    try:
        for item in items:
            waiting.append(Future())
            tasks.put((waiting[-1], item))
            if len(threads) < workers:
                threads.append(Thread(target=_serve, args=(work, tasks), name="robust-judge", daemon=True))
                threads[-1].start()
            if len(waiting) >= 2 * workers:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    finally:
        for future in waiting:
            future.cancel()
        for _ in threads:
            tasks.put(None)


def _serve(work: Callable[[T], R], tasks: SimpleQueue[tuple[Future[R], T] | None]) -> None:
    """Work on items until there are none."""
    while (task := tasks.get()) is not None:
        future, item = task
        if future.set_running_or_notify_cancel():
            try:
                future.set_result(work(item))
            except BaseException as error:  # noqa: BLE001 - handed to the thread that asked, an interrupt too
                future.set_exception(error)


def check_numbers(runs: object, workers: object, alpha: object) -> None:
    """Refuse numbers that cannot be.

    Raises:
        UsageError: one is out of its range.
    """
    for name, value, most in (("runs", runs, MAX_RUNS), ("workers", workers, MAX_WORKERS)):
        if type(value) is not int or not 1 <= value <= most:
            raise UsageError.of(
                "bad_option", f"must be an integer from 1 to {most}, not {shown_argument(value)}", path=name
            )
    if type(alpha) is not float or not 0 < alpha < 1:
        raise UsageError.of(
            "bad_option", f"must be a number between 0 and 1, not {shown_argument(alpha)}", path="alpha"
        )
