"""Reads production records strictly, many at once where they are in order at first sight."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any, Final, Protocol

from robust.canon import join_path, nfc, read_json
from robust.errors import DataError, Problem, RobustError
from robust.records.contract import Contract
from robust.records.production_cell import Cell, Sample
from robust.records.production_record import SegmentValue
from robust.run.production_columns import Columns, columns_of, columns_of_record, columns_of_rows
from robust.run.production_record import ProductionTerms, read_record
from robust.run.production_tally import ProductionTally
from robust.stats.equal_keys import equal_keys, keyed

# So few records are looked at one by one, where one of them is not plain.
_FEWEST: Final = 4
_MOST_LINE: Final = 32 * 1024 * 1024
_BLANK: Final = frozenset((b"", b"\r"))
# Of ids that stand twice so many are named.
_MOST_NAMED: Final = 10


class BlockLike(Protocol):
    """Some records as they stand in a file; see ``robust.store.production_rows.Block``."""

    @property
    def first(self) -> int:
        """The number of the first one."""
        ...

    @property
    def lines(self) -> list[bytes] | None:
        """The lines; None of a list."""
        ...

    @property
    def rows(self) -> list[Any] | None:
        """The values; None of lines."""
        ...


class RecordsSource(Protocol):
    """A file of production records."""

    @property
    def file(self) -> str:
        """What errors name it."""
        ...

    @property
    def name(self) -> str:
        """Its name without a folder."""
        ...

    @property
    def listed(self) -> bool:
        """Whether it is one JSON list."""
        ...

    @property
    def sha256(self) -> str:
        """The digest of what was read."""
        ...

    @property
    def size(self) -> int:
        """How many bytes were read."""
        ...

    def blocks(self) -> Iterable[BlockLike]:
        """The records."""
        ...

    def values_at(self, numbers: Collection[int]) -> dict[int, Any]:
        """Some records, read again."""
        ...


class KeptBytes(Protocol):
    """Bytes that are kept, and read back a block at a time as often as needed."""

    def append(self, data: bytes) -> None:
        """Keep some bytes."""
        ...

    def __iter__(self) -> Iterator[bytes]:
        """All bytes, in blocks of a whole number of pairs of :mod:`robust.stats.equal_keys`."""
        ...


class Read:
    """Production records that were read and counted.

    Args:
        source: the file.
        contract: what the records are held against.
        segment_by: the metadata keys whose values make segments.
        ids: keeps the ids, in memory that does not grow with them.

    Raises:
        UsageError: the file cannot be read.
        DataError: a record is wrong, with file, line and path; two have one id; or there is none.
    """

    def __init__(self, source: RecordsSource, contract: Contract, segment_by: tuple[str, ...], ids: KeptBytes) -> None:
        self._source = source
        self._terms = ProductionTerms.of(contract, segment_by)
        self._tally = ProductionTally(contract, segment_by)
        self._ids = ids
        try:
            for block in source.blocks():
                for place, columns in self._columns(block):
                    self._tally.add(columns)
                    self._keep_ids(place, columns.ids)
        except RobustError as error:
            raise error.located(file=source.file) from None
        if not self._tally.records:
            raise DataError.of("no_records", "there are no records", file=source.file, hint="write one a line")
        self._refuse_equal_ids()

    @property
    def sample(self) -> Sample:
        """Where the records came from."""
        tally, source = self._tally, self._source
        return Sample(
            name=source.name,
            sha256=source.sha256,
            bytes=source.size,
            records=tally.records,
            ids=tally.ids,
            timestamps=tally.timestamps,
            first=None if tally.first is None else tally.first.isoformat(),
            last=None if tally.last is None else tally.last.isoformat(),
        )

    def cell(self) -> Cell:
        """What is kept of all records.

        Raises:
            DataError: ``too_large``: numbers sum to more than can be written.
        """
        try:
            return self._tally.cell()
        except DataError as error:
            raise error.located(file=self._source.file) from None

    def segments(self) -> Iterator[tuple[str, SegmentValue, Cell]]:
        """What is kept of the records of each segment."""
        return self._tally.segments()

    def _columns(self, block: BlockLike) -> Iterator[tuple[Sequence[int], Columns]]:
        if block.lines is None:
            rows = block.rows or []
            yield from self._of_rows(range(block.first, block.first + len(rows)), rows)
            return
        numbers: Sequence[int] = range(block.first, block.first + len(block.lines))
        lines = block.lines
        if not _BLANK.isdisjoint(lines):
            numbers = [number for number, line in zip(numbers, lines, strict=True) if line not in _BLANK]
            lines = [line for line in lines if line not in _BLANK]
        yield from self._of_lines(numbers, lines)

    def _of_lines(self, numbers: Sequence[int], lines: Sequence[bytes]) -> Iterator[tuple[Sequence[int], Columns]]:
        columns = columns_of(lines, self._terms)
        if columns is not None:
            yield numbers, columns
        elif len(lines) > _FEWEST:
            middle = len(lines) // 2
            yield from self._of_lines(numbers[:middle], lines[:middle])
            yield from self._of_lines(numbers[middle:], lines[middle:])
        else:
            for number, line in zip(numbers, lines, strict=True):
                if line.strip():
                    yield [number], self._of_line(number, line)

    def _of_line(self, number: int, line: bytes) -> Columns:
        row = read_json(line, file=self._source.file, line=number, max_bytes=_MOST_LINE)
        try:
            return columns_of_record(read_record(row, self._terms))
        except DataError as error:
            raise error.located(line=number) from None

    def _of_rows(self, numbers: Sequence[int], rows: Sequence[Any]) -> Iterator[tuple[Sequence[int], Columns]]:
        columns = columns_of_rows(rows, self._terms) if {*map(type, rows)} == {dict} else None
        if columns is not None:
            yield numbers, columns
            return
        for number, row in zip(numbers, rows, strict=True):
            yield [number], columns_of_record(read_record(row, self._terms, join_path("$", number)))

    def _keep_ids(self, numbers: Sequence[int], ids: Sequence[str | None]) -> None:
        """Keep a key of each id with the number of its record."""
        names = [name for name in ids if name is not None]
        if len(names) < len(ids):
            numbers = [number for name, number in zip(ids, numbers, strict=True) if name is not None]
        if names:
            ascii_only = "".join(names).isascii()
            self._ids.append(keyed(names if ascii_only else [*map(nfc, names)], numbers))

    def _refuse_equal_ids(self) -> None:
        """Two ids that have one key are looked at again, since different ones may have it by chance."""
        for each in equal_keys(self._ids, self._tally.ids):
            numbers = each[:_MOST_NAMED]
            found = self._source.values_at(numbers)
            named: dict[str, int] = {}
            problems: list[Problem] = []
            for number in numbers:
                row = found.get(number)
                name = row.get("id") if isinstance(row, dict) else None
                if not isinstance(name, str):
                    message = "the file changed while it was read"
                    raise DataError.of("changed", message, file=self._source.file, hint="check a copy of it")
                first = named.setdefault(nfc(name), number)
                if first != number:
                    problems.append(self._equal_ids(name, first, number))
            if problems:
                raise DataError(*problems[:_MOST_NAMED])

    def _equal_ids(self, name: str, first: int, second: int) -> Problem:
        listed = self._source.listed
        place = join_path("$", first) if listed else f"line {first}"
        return Problem(
            code="duplicate_id",
            message=f"the id {name!r} stands here and in {place}",
            file=self._source.file,
            line=None if listed else second,
            path=join_path("$", second) if listed else "$.id",
            hint="give each record its own id, and each decision one record",
        )
