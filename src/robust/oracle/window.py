"""The pairs of a batch that are asked ahead: asked, and not yet recorded."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic

from robust.oracle.ahead import Crew
from robust.oracle.pipeline import Pending
from robust.oracle.question import Question
from robust.oracle.reading import PairReader
from robust.records.validation import AnyRecord


@dataclass(slots=True)
class Waiting(Generic[AnyRecord]):
    """A pair that was asked, or the record that there was already.

    Attributes:
        key: what identifies its judgement in a journal, if there is one.
        question: the pair.
        asked: what was asked; nothing where there is a record.
        size: how many bytes the question has.
        record: the record that there was.
    """

    key: str
    question: Question
    asked: Sequence[Pending]
    size: int
    record: AnyRecord | None = None

    def is_there(self) -> bool:
        """Whether everything that was asked is answered, one way or another."""
        asked = self.asked
        if len(asked) == 1:
            return asked[0].observation is not None
        return all(each.observation is not None for each in asked)


class Window(Generic[AnyRecord]):
    """The pairs of a batch that were asked and whose records are not there yet.

    Args:
        reader: where they come from.
        crew: whom they are asked.
        ask: asks some questions.

    Attributes:
        waiting: what was asked, in order.
    """

    def __init__(
        self, reader: PairReader, crew: Crew, ask: Callable[[list[Question]], list[Waiting[AnyRecord]]]
    ) -> None:
        self.waiting: deque[Waiting[AnyRecord]] = deque()
        self._reader = reader
        self._crew = crew
        self._ask = ask
        self._bytes = 0

    def fill(self) -> bool:
        """Ask as many pairs as there is room for; whether any is waiting, or may come."""
        while (room := self._room()) > 0:
            asked = self._ask(self._reader.take(room))
            self.waiting.extend(asked)
            self._bytes += sum([each.size for each in asked])
            # What was judged before is handed on at once.
            if self._reader.is_slow or any(not each.asked for each in asked):
                break
        return self._reader.more or bool(self.waiting)

    def _room(self) -> int:
        return self._crew.room(len(self.waiting), self._bytes) if self._reader.more else 0

    def pop(self, most: int) -> list[Waiting[AnyRecord]]:
        """Up to so many pairs that are next in order and of which everything that was asked is answered."""
        waiting = self.waiting
        ready: list[Waiting[AnyRecord]] = []
        while waiting and len(ready) < most and waiting[0].is_there():
            ready.append(waiting.popleft())
        self._bytes -= sum([each.size for each in ready])
        return ready

    def must_wait(self) -> bool:
        """Whether nothing can be done before something comes."""
        return self._room() <= 0
