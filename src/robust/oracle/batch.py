"""Judging many pairs: streamed in order, by several workers, and continued from a journal."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from typing import Generic

from robust.oracle.ahead import AsksAhead, Crew
from robust.oracle.asked import Observer
from robust.oracle.process import ENDED_UNANSWERED
from robust.oracle.question import Question, Terms
from robust.oracle.reading import PairReader
from robust.oracle.stages import judge_in_stages
from robust.oracle.validate import Answer, conclude_all, judge
from robust.oracle.window import Waiting, Window
from robust.records.case import Case
from robust.records.seams import Journal
from robust.records.validation import AnyRecord, ValidationRecord, judgement_key

# How many finished pairs may wait for a slow one before it, for each worker.
_WINDOW_PER_WORKER = 8
# As many records are made together, before a program that is asked ahead gets new questions.
_TOGETHER = 128
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
        crew = self._observer.ahead(workers) if isinstance(self._observer, AsksAhead) else None
        reader = PairReader(pairs, self._relation, self._terms.labels, with_states=crew is None)
        try:
            if crew is not None:
                yield from self._run_ahead(reader, crew)
            elif workers == 1 and self._journal is None and type(pairs) in _PAIR_TYPES:
                # Nothing is read ahead of a source that may be slow, nor judged ahead of a journal that must have it.
                yield from judge_in_stages(reader, self._observer, self._terms, self._oracle, self._record_type)
            elif workers == 1:
                for question in reader:
                    yield self._finish(question)
            else:
                yield from self._run_threads(reader, workers)
        finally:
            if crew is not None:
                crew.close()
            self._observer.close()

    def _run_ahead(self, reader: PairReader, crew: Crew) -> Iterator[AnyRecord]:
        window: Window[AnyRecord] = Window(reader, crew, partial(self._ask_ahead, crew))
        while window.fill():
            while ready := window.pop(_TOGETHER):
                yield from self._kept(ready)
                # The program has something to do while the other records are made.
                window.fill()
            if window.waiting:
                try:
                    crew.pump(wait=window.must_wait())
                except KeyboardInterrupt as error:
                    self._note(window.waiting[0].key, type(error).__name__)
                    raise
        if reader.ended is not None:
            raise reader.ended

    def _ask_ahead(self, crew: Crew, questions: list[Question]) -> list[Waiting[AnyRecord]]:
        """Ask questions, but for those of which there is a record already."""
        keys = [""] * len(questions) if self._journal is None else [self.key(question) for question in questions]
        records = [None if self._journal is None else self._journal.get(key) for key in keys]
        asked = iter(
            crew.submit(
                [question for question, record in zip(questions, records, strict=True) if record is None],
                self._terms.repeats,
            )
        )
        return [
            Waiting(key, question, next(asked), len(question.shown_base) + len(question.shown_candidate))
            if record is None
            else Waiting(key, question, (), 0, self._record_type.of(record))
            for key, question, record in zip(keys, questions, records, strict=True)
        ]

    def _kept(self, ready: list[Waiting[AnyRecord]]) -> list[AnyRecord]:
        """The records of what came of some questions, in the journal too if there is one."""
        answers = [
            Answer(
                each.question,
                [one.observation for one in each.asked if one.observation is not None],
                sum([one.seconds for one in each.asked]),
            )
            for each in ready
            if each.record is None
        ]
        made = iter(conclude_all(answers, self._terms, self._oracle, self._record_type))
        records = []
        for each in ready:
            record = each.record
            if record is None:
                record = next(made)
                self._keep(each.key, record)
            records.append(record)
        return records

    def _run_threads(self, questions: Iterable[Question], workers: int) -> Iterator[AnyRecord]:
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
            base=question.base,
            candidate=question.candidate,
            contract=self._terms.contract,
            relation=question.relation,
            comparator=self._terms.comparator.to_json(),
            require_answers=self._terms.require_answers,
            oracle=self._oracle,
        )
