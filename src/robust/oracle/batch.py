"""Judging many pairs: streamed in order, by several workers, and continued from a journal."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from typing import Generic

from robust.canon import describe
from robust.errors import CaseError
from robust.oracle.question import Question, Terms, capture
from robust.oracle.validate import Observer, judge
from robust.records.case import Case
from robust.records.seams import Journal
from robust.records.validation import AnyRecord, judgement_key

# How many finished pairs may wait for a slow one before it, for each worker.
_WINDOW_PER_WORKER = 8


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

    def run(self, pairs: Iterable[tuple[Case, Case]], workers: int) -> Iterator[AnyRecord]:
        """Judge pairs one by one, in their order.

        Raises:
            CaseError: a pair cannot be judged; names its position, counted from 0.
        """
        questions = (self._capture(index, pair) for index, pair in enumerate(pairs))
        try:
            if workers == 1:
                for question in questions:
                    yield self._finish(question)
            else:
                yield from self._run_threads(questions, workers)
        finally:
            self._observer.close()

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
        if not (isinstance(pair, tuple | list) and len(pair) == 2):
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
            self._journal.note(key, type(error).__name__)
            raise
        if "validator_timeout" in record.issues:
            # Not finished: a batch that is continued, perhaps with more time, asks again.
            self._journal.note(key, "validator_timeout")
        else:
            self._journal.put(key, record)
        return record

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
