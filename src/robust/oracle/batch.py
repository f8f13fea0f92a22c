"""Judging many pairs: streamed in order, by several workers, and continued from a journal."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Generic

from robust.canon import describe
from robust.errors import CaseError
from robust.oracle.ahead import AsksAhead, Crew
from robust.oracle.asked import Observer
from robust.oracle.pipeline import Pending
from robust.oracle.process import ENDED_UNANSWERED
from robust.oracle.question import Question, Terms, capture
from robust.oracle.stages import judge_in_stages
from robust.oracle.validate import conclude, judge
from robust.records.case import Case
from robust.records.seams import Journal
from robust.records.validation import AnyRecord, ValidationRecord, judgement_key

# How many finished pairs may wait for a slow one before it, for each worker.
_WINDOW_PER_WORKER = 8
# After as many records a program that is asked ahead gets new questions.
_REFILL = 32
_LARGE_BYTES = 4096
_PAIR_TYPES = (tuple, list)


def ended_unanswered(record: ValidationRecord) -> bool:
    """Whether the oracle of a pair is a program that ended instead of answering, however often it was asked."""
    start = f"ProcessEnded: the oracle process {ENDED_UNANSWERED}"
    failures = record.data["failures"]
    return (
        bool(failures)
        and record.data["verdict"] is None
        and all(
            failure["code"] == "validator_error" and failure["path"] == "$" and str(failure["detail"]).startswith(start)
            for failure in failures
        )
    )


@dataclass(slots=True)
class _Ahead(Generic[AnyRecord]):
    """A pair of a batch that is asked ahead: what was asked, or the record that there was already."""

    key: str
    question: Question
    asked: list[Pending]
    record: AnyRecord | None
    size: int

    def is_there(self) -> bool:
        """Whether everything that was asked is answered, one way or another."""
        asked = self.asked
        if len(asked) == 1:
            return asked[0].observation is not None
        return all(each.observation is not None for each in asked)


class _Window(Generic[AnyRecord]):
    """The pairs of a batch that were asked and whose records are not there yet.

    Attributes:
        waiting: what was asked, in order.
        ended: in what the pairs ended, if not in their end; what was asked before is finished first.
    """

    def __init__(
        self, questions: Iterator[Question], crew: Crew, ask: Callable[[Question, Crew], _Ahead[AnyRecord]]
    ) -> None:
        self.waiting: deque[_Ahead[AnyRecord]] = deque()
        self.ended: Exception | None = None
        self._questions = questions
        self._crew = crew
        self._ask = ask
        self._bytes = 0
        self._more = True

    def fill(self) -> bool:
        """Ask as many pairs as there is room for; whether any is waiting, or may come."""
        room = self._room()
        while room > 0:
            room -= 1
            try:
                question = next(self._questions)
            except StopIteration:
                self._more = False
                break
            except Exception as error:  # noqa: BLE001 - raised behind the records of the pairs before it
                self._more, self.ended = False, error
                break
            ahead = self._ask(question, self._crew)
            self.waiting.append(ahead)
            self._bytes += ahead.size
            # One that was judged before is handed on at once, and of large ones no more are read than may lie here.
            room = 0 if ahead.record is not None else room if ahead.size < _LARGE_BYTES else self._room()
        return self._more or bool(self.waiting)

    def _room(self) -> int:
        return self._crew.room(len(self.waiting), self._bytes) if self._more else 0

    def pop(self) -> _Ahead[AnyRecord] | None:
        """The next pair in order, if everything that was asked of it is answered."""
        if not self.waiting or not self.waiting[0].is_there():
            return None
        ahead = self.waiting.popleft()
        self._bytes -= ahead.size
        return ahead

    def must_wait(self) -> bool:
        """Whether nothing can be done before something comes."""
        return bool(self.waiting) and self._room() <= 0


class Batch(Generic[AnyRecord]):
    """One oracle, one set of terms, many pairs; the records are of the class that is given."""

    def __init__(
        self,
        observer: Observer,
        terms: Terms,
        oracle: bytes,
        record_type: type[AnyRecord],
        *,
        relation: str | None,
        journal: Journal | None,
    ) -> None:
        self._observer = observer
        self._terms = terms
        self._oracle = oracle
        self._record_type = record_type
        self._relation = relation
        self._journal = journal
        self._works = False

    def run(self, pairs: Iterable[tuple[Case, Case]], workers: int) -> Iterator[AnyRecord]:
        """Judge pairs one by one, in their order.

        Raises:
            CaseError: a pair cannot be judged; names its position, counted from 0.
        """
        questions = (self._capture(index, pair) for index, pair in enumerate(pairs))
        crew = self._observer.ahead(workers) if isinstance(self._observer, AsksAhead) else None
        try:
            if crew is not None:
                yield from self._run_ahead(questions, crew)
            elif workers == 1 and self._journal is None and type(pairs) in _PAIR_TYPES:
                # Nothing is read ahead of a source that may be slow, nor judged ahead of a journal that must have it.
                yield from judge_in_stages(questions, self._observer, self._terms, self._oracle, self._record_type)
            elif workers == 1:
                for question in questions:
                    yield self._finish(question)
            else:
                yield from self._run_threads(questions, workers)
        finally:
            if crew is not None:
                crew.close()
            self._observer.close()

    def _run_ahead(self, questions: Iterator[Question], crew: Crew) -> Iterator[AnyRecord]:
        window = _Window(questions, crew, self._ask_ahead)
        while window.fill():
            done = 0
            while (ahead := window.pop()) is not None:
                yield self._kept(ahead)
                done += 1
                if done % _REFILL == 0:
                    # The program has something to do while the other records are made.
                    window.fill()
            if window.must_wait():
                try:
                    crew.pump()
                except KeyboardInterrupt as error:
                    self._note(window.waiting[0].key, type(error).__name__)
                    raise
        if window.ended is not None:
            raise window.ended

    def _ask_ahead(self, question: Question, crew: Crew) -> _Ahead[AnyRecord]:
        key = "" if self._journal is None else self.key(question)
        known = None if self._journal is None else self._journal.get(key)
        size = len(question.shown_base) + len(question.shown_candidate)
        if known is not None:
            return _Ahead(key, question, [], self._record_type.of(known), size)
        return _Ahead(key, question, [crew.submit(question) for _ in range(self._terms.repeats)], None, size)

    def _kept(self, ahead: _Ahead[AnyRecord]) -> AnyRecord:
        """The record of what came of a question, in the journal too if there is one."""
        if ahead.record is not None:
            return ahead.record
        observations = [each.observation for each in ahead.asked if each.observation is not None]
        seconds = sum(each.seconds for each in ahead.asked)
        record = conclude(ahead.question, observations, self._terms, self._oracle, self._record_type, seconds)
        self._keep(ahead.key, record)
        return record

    def _run_threads(self, questions: Iterator[Question], workers: int) -> Iterator[AnyRecord]:
        waiting: deque[Future[AnyRecord]] = deque()
        with ThreadPoolExecutor(max_workers=workers, thread_name_prefix="robust-batch") as pool:
            try:
                for question in questions:
                    waiting.append(pool.submit(self._finish, question))
                    if len(waiting) >= workers * _WINDOW_PER_WORKER:
                        yield waiting.popleft().result()
                while waiting:
                    yield waiting.popleft().result()
            finally:
                for future in waiting:
                    future.cancel()

    def _capture(self, index: int, pair: tuple[Case, Case]) -> Question:
        if not (isinstance(pair, _PAIR_TYPES) and len(pair) == 2):
            message = f"must be a pair of base and candidate, not {describe(pair)}"
            raise CaseError.of("not_a_pair", message, path=f"pairs[{index}]")
        base, candidate = pair
        try:
            return capture(base, candidate, relation=self._relation, labels=self._terms.labels)
        except CaseError as error:
            prefix = f"pairs[{index}]"
            raise CaseError(
                *(replace(item, path=f"{prefix}.{(item.path or '').removeprefix('$.')}") for item in error.problems)
            ) from None

    def _finish(self, question: Question) -> AnyRecord:
        if self._journal is None:
            return judge(question, self._observer, self._terms, self._oracle, self._record_type)
        key = self.key(question)
        known = self._journal.get(key)
        if known is not None:
            return self._record_type.of(known)
        try:
            record = judge(question, self._observer, self._terms, self._oracle, self._record_type)
        except (KeyboardInterrupt, SystemExit) as error:
            self._note(key, type(error).__name__)
            raise
        self._keep(key, record)
        return record

    def _note(self, key: str, event: str) -> None:
        if self._journal is not None:
            self._journal.note(key, event)

    def _keep(self, key: str, record: AnyRecord) -> None:
        if self._journal is None:
            return
        if "validator_timeout" in record.issues:
            # Not finished: a batch that is continued, perhaps with more time, asks again.
            self._journal.note(key, "validator_timeout")
        elif not self._works and "validator_error" in record.issues and ended_unanswered(record):
            # A program that ends on every pair is set up wrongly: what comes of that is no judgement to be kept.
            self._journal.note(key, "validator_error")
        else:
            self._works = True
            self._journal.put(key, record)

    def key(self, question: Question) -> str:
        """What identifies the judgement of a question in a journal."""
        return judgement_key(
            base=question.base.stored,
            candidate=question.candidate.stored,
            contract=self._terms.contract,
            relation=question.relation,
            comparator=self._terms.comparator.to_json(),
            require_answers=self._terms.require_answers,
            oracle=self._oracle,
        )
