"""The records of a production check: written from what is kept of production records, and read again strictly."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from typing import Any, Final

from robust.canon import JsonObject, join_path
from robust.errors import IntegrityError, Problem
from robust.records.contract import Contract
from robust.records.production_cell import Baseline, Cell, Sample, read_part
from robust.records.production_record import MOST_SEGMENTS, segment_id, segment_name
from robust.run.production_laws import Broken, broken_laws, broken_sample, parts_of_a_whole
from robust.run.production_record import segment_problems
from robust.run.production_report import Production, Segment

SCHEMA: Final = "robust.production-records/1"
_CURRENT, _BASELINE = "current", "baseline"
_MAX_PROBLEMS: Final = 50

Numbered = Iterator[tuple[int, JsonObject]]


def production_records(found: Production) -> Iterator[JsonObject]:
    """The records: where everything came from, then a cell for all records, the baseline and each segment."""
    yield {
        "kind": "sources",
        "id": "sources",
        "schema": SCHEMA,
        "segment_by": list(found.segment_by),
        "sample": found.sample.to_json(),
        "baseline": None if found.baseline is None else found.baseline.to_json(),
    }
    yield {"kind": "cell", "id": _CURRENT, "statistics": found.cell.to_json()}
    if found.baseline_cell is not None:
        yield {"kind": "cell", "id": _BASELINE, "statistics": found.baseline_cell.to_json()}
    for segment in found.segments:
        yield {
            "kind": "segment",
            "id": segment_id(segment.key, segment.value),
            "key": segment.key,
            "value": segment.value,
            "statistics": segment.cell.to_json(),
        }


def read_production(records: Numbered, contract: Contract, file: str) -> Production:
    """Read the records of a production check; nothing in them may contradict anything else.

    Args:
        records: the records with their lines.
        contract: the contract that they are of.
        file: the file, for errors.

    Raises:
        IntegrityError: with file, line and path of what is wrong.
    """
    return _Reading(records, contract, file).read()


class _Reading:
    """Reads the records of a production check."""

    def __init__(self, records: Numbered, contract: Contract, file: str) -> None:
        self._records = records
        self._contract = contract
        self._file = file
        self._line = 0

    def read(self) -> Production:
        head = self._next({"kind": "sources", "id": "sources", "schema": SCHEMA}, ("segment_by", "sample", "baseline"))
        keys = head["segment_by"]
        if not isinstance(keys, list) or not all(type(key) is str and key for key in keys) or len({*keys}) < len(keys):
            raise self._wrong("must be a list of different keys", "$.segment_by")
        sample = self._part(Sample, head["sample"], "$.sample")
        self._refuse(broken_sample(sample), "$.sample")
        told = head["baseline"]
        baseline = None if told is None else self._part(Baseline, told, "$.baseline")
        if baseline is not None:
            self._refuse(broken_sample(baseline.sample), "$.baseline.sample")
        if baseline is not None and (baseline.source == "report") != (baseline.report is not None):
            raise self._wrong("a report has a digest, and records have none", "$.baseline.report")
        cell = self._cell_of(_CURRENT, sample)
        other = None if baseline is None else self._cell_of(_BASELINE, baseline.sample)
        segments = tuple(self._segments(tuple(keys)))
        self._add_up(cell, segments, keys)
        return Production(
            segment_by=tuple(keys),
            sample=sample,
            cell=cell,
            baseline=baseline,
            baseline_cell=other,
            segments=segments,
        )

    def _next(self, fixed: JsonObject, names: tuple[str, ...]) -> JsonObject:
        """The next record, which must have just these members."""
        self._line, record = next(self._records, (self._line + 1, None))
        if record is None:
            raise self._wrong(f"the {fixed['kind']} {fixed['id']!r} is missing", None, "missing_record")
        self._check(record, fixed, names)
        return record

    def _check(self, record: JsonObject, fixed: JsonObject, names: tuple[str, ...]) -> None:
        for name in sorted({*record} ^ {*fixed, *names}):
            message = "no such field" if name in record else "the field is missing"
            raise self._wrong(message, join_path("$", name), "unknown_field" if name in record else "missing_field")
        for name, due in fixed.items():
            if record[name] != due:
                raise self._wrong(f"{str(record[name])[:100]!r} is stored, {due!r} is due", join_path("$", name))

    def _cell_of(self, name: str, sample: Sample) -> Cell:
        cell = self._cell(self._next({"kind": "cell", "id": name}, ("statistics",)), whole=True)
        if cell.records != sample.records:
            message = f"{cell.records} records are stored, the sample has {sample.records}"
            raise self._wrong(message, "$.statistics.records", "contradiction")
        return cell

    def _cell(self, record: JsonObject, *, whole: bool) -> Cell:
        cell: Cell = self._part(Cell, record["statistics"], "$.statistics")
        self._refuse(broken_laws(cell, self._contract, whole=whole))
        return cell

    def _refuse(self, broken: Iterator[Broken], root: str = "$.statistics") -> None:
        problems = [
            Problem(code="contradiction", message=message, file=self._file, line=self._line, path=f"{root}{path}")
            for path, message in broken
        ]
        if problems:
            raise IntegrityError(*problems[:_MAX_PROBLEMS])

    def _segments(self, keys: tuple[str, ...]) -> Iterator[Segment]:
        seen: set[str] = set()
        for line, record in self._records:
            self._line = line
            key, value = record.get("key"), record.get("value")
            if key not in keys or next(segment_problems(value), None) is not None:
                raise self._wrong("this is no segment of these keys", "$")
            named = segment_id(key, value)
            self._check(record, {"kind": "segment", "id": named}, ("key", "value", "statistics"))
            if named in seen or len(seen) >= MOST_SEGMENTS:
                raise self._wrong(f"{named!r} is one segment too many", "$.id", "duplicate_id")
            seen.add(named)
            yield Segment(key=key, value=value, cell=self._cell(record, whole=False))

    def _add_up(self, whole: Cell, segments: tuple[Segment, ...], keys: list[str]) -> None:
        # As they are written: by name, those without a value last.
        order = [(keys.index(each.key), each.value is None, segment_name(each.value)) for each in segments]
        if order != sorted(order):
            raise self._wrong("the segments are not in order", "$.id")
        by_key = {key: [*group] for key, group in groupby(segments, key=lambda each: each.key)}
        for key in keys:
            cells = [segment.cell for segment in by_key.get(key, [])]
            for path, message in parts_of_a_whole(whole, cells):
                raise self._wrong(f"by {key!r}: {message}", f"$.statistics{path}", "contradiction")

    def _part(self, kind: Any, data: Any, path: str) -> Any:
        try:
            return read_part(kind, data, path)
        except IntegrityError as error:
            raise error.located(file=self._file, line=self._line) from None

    def _wrong(self, message: str, path: str | None, code: str = "wrong_value") -> IntegrityError:
        return IntegrityError.of(code, message, file=self._file, line=self._line, path=path)
