"""Judging many pairs: streamed in order, by several workers, and continued from a journal."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace

from robust.canon import canonical_bytes, digest_bytes
from robust.errors import CaseError
from robust.oracle.question import Question, Terms, capture
from robust.oracle.validate import Observer, judge
from robust.records.case import Case
from robust.records.seams import Journal
from robust.records.validation import ValidationRecord

# How many finished pairs may wait for a slow one before it, for each worker.
_WINDOW_PER_WORKER = 8


class Batch:
    """One oracle, one set of terms, many pairs."""

    def __init__(
        self, observer: Observer, terms: Terms, oracle: bytes, *, relation: str | None, journal: Journal | None
    ) -> None:
        self._observer = observer
        self._terms = terms
        self._oracle = oracle
        self._relation = relation
        self._journal = journal

    def run(self, pairs: Iterable[tuple[Case, Case]], workers: int) -> Iterator[ValidationRecord]:
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

    def _run_threads(self, questions: Iterator[Question], workers: int) -> Iterator[ValidationRecord]:
        waiting: deque[Future[ValidationRecord]] = deque()
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
        base, candidate = pair
        try:
            return capture(base, candidate, relation=self._relation, labels=self._terms.labels)
        except CaseError as error:
            prefix = f"pairs[{index}]"
            raise CaseError(
                *(replace(item, path=f"{prefix}.{(item.path or '').removeprefix('$.')}") for item in error.problems)
            ) from None

    def _finish(self, question: Question) -> ValidationRecord:
        if self._journal is None:
            return judge(question, self._observer, self._terms, self._oracle, ValidationRecord)
        key = self.key(question)
        known = self._journal.get(key)
        if known is not None:
            return known
        try:
            record = judge(question, self._observer, self._terms, self._oracle, ValidationRecord)
        except (KeyboardInterrupt, SystemExit) as error:
            self._journal.note(key, type(error).__name__)
            raise
        self._journal.put(key, record)
        return record

    def key(self, question: Question) -> str:
        """What identifies a judgement in a journal: the pair, the relation, the terms and the oracle."""
        terms = canonical_bytes(
            [
                self._terms.contract,
                self._terms.comparator.to_json(),
                self._terms.require_answers,
                question.relation,
            ]
        )
        return digest_bytes(b"\n".join((question.base.stored, question.candidate.stored, terms, self._oracle)))
