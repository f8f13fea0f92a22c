"""The lines of a run's records, with a look at the next one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from robust.canon import JsonObject, parse_canonical
from robust.records.run_record import check_shape


class RecordLine(NamedTuple):
    """A line that is a record."""

    number: int
    line: bytes
    record: JsonObject


class RecordLines:
    """Records one by one, with a look at the next one; each is read closely only when somebody asks for it."""

    def __init__(self, lines: Iterator[tuple[int, bytes]], file: str) -> None:
        self._lines = lines
        self._file = file
        # Lines that were put back, the next one last.
        self._again: list[tuple[int, bytes]] = []
        self._next = next(lines, None)
        self._shaped: RecordLine | None = None

    @property
    def raw(self) -> bytes | None:
        """The next line as it stands; None behind the last."""
        return None if self._next is None else self._next[1]

    @property
    def number(self) -> int:
        """The number of the next line, from 1; 0 behind the last."""
        return 0 if self._next is None else self._next[0]

    def peek(self) -> RecordLine | None:
        """The next record, which stays the next one; None behind the last.

        Raises:
            IntegrityError: the line is not canonical, or no record.
        """
        if self._next is None:
            return None
        if self._shaped is None:
            number, line = self._next
            data = parse_canonical(line, file=self._file, line=number)
            self._shaped = RecordLine(number, line, check_shape(data, file=self._file, line=number))
        return self._shaped

    def peek_record(self) -> JsonObject | None:
        """The same without its line."""
        taken = self.peek()
        return None if taken is None else taken.record

    def take(self, count: int) -> list[tuple[int, bytes]]:
        """The next lines as they stand, with their numbers, which are left behind; fewer where there are fewer."""
        taken: list[tuple[int, bytes]] = []
        while self._again and self._next is not None and len(taken) < count:
            taken.append(self._next)
            self.skip()
        if self._next is not None and len(taken) < count:
            taken.append(self._next)
            taken += islice(self._lines, count - len(taken))
            self.skip()
        return taken

    def put_back(self, lines: Sequence[tuple[int, bytes]]) -> None:
        """Let lines that were left behind be the next ones again."""
        if self._next is not None:
            self._again.append(self._next)
        self._again += reversed(lines)
        self.skip()

    def skip(self) -> None:
        """Leave the next record behind."""
        self._next = self._again.pop() if self._again else next(self._lines, None)
        self._shaped = None
