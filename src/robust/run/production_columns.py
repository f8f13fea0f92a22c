"""Production records that are in order at first sight, taken apart by columns.

Nearly every record is such a one. What is the same for all of them is seen at once for many, so that it costs each of
them next to nothing. Whatever is not seen to be in order is left to the closer look at each record, which says what is
wrong with it; a law holds both ways together.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from itertools import chain, repeat
from operator import attrgetter, itemgetter
from typing import Any, Final, NamedTuple

from robust.canon import MAX_SAFE_INTEGER, JsonObject, decode_objects, texts_in, texts_written
from robust.records.case import MAX_ID_LENGTH
from robust.records.production_record import (
    ACTIONS,
    FIELDS,
    LONGEST_VALUE,
    MOST_MEASURED,
    UNKNOWN,
    ProductionRecord,
    SegmentValue,
)
from robust.run.production_record import ProductionTerms
from robust.stats.production_batch import Batch, Told, batch_of, measured, shares_of

_FIELD_SET: Final = frozenset(FIELDS)
_NULL: Final[type] = type(None)
_TEXT: Final = frozenset((str,))
_TEXT_OR_NULL: Final = frozenset((str, _NULL))
_FLAG_OR_NULL: Final = frozenset((bool, _NULL))
_NUMBER: Final = frozenset((int, float))
_NUMBER_OR_NULL: Final = frozenset((int, float, _NULL))
_INPUT: Final = frozenset((str, dict, _NULL))
_OBJECT_OR_NULL: Final = frozenset((dict, _NULL))
_PLAIN: Final = frozenset((str, int, float, bool, _NULL))
_FLAGS: Final[Mapping[bool | None, int]] = {None: UNKNOWN, False: 0, True: 1}
_ACTION_PLACES: Final[Mapping[str | None, int]] = {None: UNKNOWN, **{name: at for at, name in enumerate(ACTIONS)}}
_FALLBACK: Final = ACTIONS.index("fallback")
# Fields without a text of their own, and those that may hold many.
_NO_TEXTS: Final = frozenset(("probabilities", "confidence", "outcome_correct", "latency_ms", "cost", "fallback"))
_NESTED: Final = frozenset(("input", "metadata"))
# What is nested deeper is left to the closer look.
_DEPTH: Final = 8
_NO_METADATA: Final[JsonObject] = {}


class Columns(NamedTuple):
    """Records in order, by columns.

    Attributes:
        batch: their numbers.
        ids: the id of each; None where it has none.
        timestamps: how many have a timestamp.
        first: the earliest of these.
        last: the latest.
        segments: for each key that makes segments, the value of each record.
    """

    batch: Batch
    ids: Sequence[str | None]
    timestamps: int
    first: datetime | None
    last: datetime | None
    segments: Sequence[Sequence[SegmentValue]]

    def __len__(self) -> int:
        return len(self.ids)


def columns_of(lines: Sequence[bytes], terms: ProductionTerms) -> Columns | None:
    """The records of some lines; None where one of them has to be looked at by itself."""
    rows = decode_objects(lines)
    if not rows:
        return None
    fields = _Fields(rows)
    columns = _columns_of(fields, terms)
    # A member that was lost to another of its name lost at least its key.
    return columns if columns is not None and fields.texts(len(terms.labels)) == texts_written(lines) else None


def columns_of_rows(rows: Sequence[JsonObject], terms: ProductionTerms) -> Columns | None:
    """The records of some objects of which it is known that no member was lost to another of its name.

    Nothing is known of numbers and of how deep they are nested.
    """
    return _columns_of(_Fields(rows), terms)


def columns_of_record(record: ProductionRecord) -> Columns:
    """One record that was looked at by itself."""
    shares = shares_of(record.values, len(record.values), math.inf, checked=True)
    latency, cost = (measured([value], MOST_MEASURED) for value in (record.latency_ms, record.cost))
    told = Told([record.outcome], [record.right], [record.action], [record.fallback])
    assert shares is not None and latency is not None and cost is not None  # noqa: S101 - the record is in order
    batch, times = batch_of(shares, told, latency, cost, fallback_action=_FALLBACK), _times([record.timestamp])
    assert batch is not None and times is not None  # noqa: S101 - likewise
    return Columns(batch, [record.id], *times, [[value] for value in record.segments])


def _columns_of(fields: _Fields, terms: ProductionTerms) -> Columns | None:
    if not (_is_plain(fields, terms) and _is_portable([*fields("input"), *fields("metadata")])):
        return None
    batch = _batch(fields, terms)
    times = _times(fields("timestamp"))
    segments = _segments(fields("metadata"), terms.segment_by)
    if batch is None or times is None or segments is None:
        return None
    return Columns(batch, fields("id"), *times, segments)


class _Fields:
    """A column for each field, with None where a record does not have it."""

    def __init__(self, rows: Sequence[JsonObject]) -> None:
        names = set(map(tuple, rows))
        self._rows = rows
        self.names = frozenset(chain.from_iterable(names))
        self._nothing = [None] * len(rows)
        self._columns: dict[str, list[Any]] = {}
        if len(names) == 1:
            (found,) = names
            self._columns = dict(zip(found, map(list, zip(*map(dict.values, rows), strict=True)), strict=True))

    def __call__(self, name: str) -> list[Any]:
        if name not in self.names:
            return self._nothing
        if name not in self._columns:
            self._columns[name] = [*map(dict.get, self._rows, repeat(name))]
        return self._columns[name]

    def texts(self, labels: int) -> int:
        """How many texts, keys included, are in records that are in order, of so many labels."""
        count = sum(map(len, self._rows)) + labels * len(self._rows)
        for name in self.names - _NO_TEXTS:
            values = self(name)
            count += texts_in(values) if name in _NESTED else len(values) - values.count(None)
        return count


def _has(kinds: frozenset[Any], values: Iterable[Any]) -> bool:
    return kinds.issuperset(map(type, values))


def _is_plain(fields: _Fields, terms: ProductionTerms) -> bool:
    """Whether fields of which only the kind matters are in order."""
    ids = [value for value in fields("id") if value is not None]
    decision = fields("decision")
    return (
        _FIELD_SET.issuperset(fields.names)
        and _has(_TEXT, ids)
        and "" not in ids
        and max(map(len, ids), default=0) <= MAX_ID_LENGTH
        and "".join(ids).isprintable()
        and _has(_TEXT, decision)
        and set(decision) == {terms.decision}
        and _has(_INPUT, fields("input"))
        and _has(_OBJECT_OR_NULL, fields("metadata"))
        and all(_has(_TEXT_OR_NULL, fields(name)) for name in ("backend", "model", "model_version"))
    )


def _batch(fields: _Fields, terms: ProductionTerms) -> Batch | None:
    """The numbers of the records; None where one is not seen to be in order."""
    labels, answers = terms.labels, fields("probabilities")
    if not _has(frozenset((dict,)), answers) or set(map(len, answers)) != {len(labels)}:
        return None
    try:
        values = [*chain.from_iterable(map(itemgetter(*labels), answers))]
    except KeyError:
        return None
    if not _has(_NUMBER, values) or (shares := shares_of(values, len(labels), terms.tolerance)) is None:
        return None
    places: list[int] = shares.argmax(axis=1).tolist()
    told = fields("confidence")
    if [labels[place] for place in places] != fields("selected"):
        return None
    confidence: list[float] = shares.max(axis=1).tolist()
    # What differs by rounding only is looked at by itself.
    if not _has(_NUMBER_OR_NULL, told) or (
        told != confidence and any(one is not None and one != due for one, due in zip(told, confidence, strict=True))
    ):
        return None
    small = _told(fields, labels)
    latency, cost = (_measured(fields(name)) for name in ("latency_ms", "cost"))
    if small is None or latency is None or cost is None:
        return None
    return batch_of(shares, small, latency, cost, fallback_action=_FALLBACK)


def _measured(values: list[Any]) -> Any:
    return measured(values, MOST_MEASURED) if _has(_NUMBER_OR_NULL, values) else None


def _told(fields: _Fields, labels: Sequence[str]) -> Told | None:
    """What the records tell of outcomes and routes."""
    outcomes, actions = fields("outcome"), fields("action")
    flags = [fields("outcome_correct"), fields("fallback")]
    if not all(_has(_TEXT_OR_NULL, values) for values in (outcomes, actions)):
        return None
    if not all(_has(_FLAG_OR_NULL, values) for values in flags):
        return None
    known: dict[str | None, int] = {None: UNKNOWN, **{label: place for place, label in enumerate(labels)}}
    try:
        outcome, action = map(known.__getitem__, outcomes), map(_ACTION_PLACES.__getitem__, actions)
        correct, fallback = (map(_FLAGS.__getitem__, values) for values in flags)
        return Told([*outcome], [*correct], [*action], [*fallback])
    except KeyError:
        return None


def _times(stamps: Sequence[Any]) -> tuple[int, datetime | None, datetime | None] | None:
    """How many timestamps there are, the earliest and the latest in UTC."""
    told = [stamp for stamp in stamps if stamp is not None]
    if not told:
        return 0, None, None
    if not _has(_TEXT, told):
        return None
    try:
        moments = [*map(datetime.fromisoformat, told)]
        if None in {*map(attrgetter("tzinfo"), moments)}:
            return None
        return len(told), min(moments).astimezone(UTC), max(moments).astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def _segments(metadata: Sequence[Any], keys: Sequence[str]) -> list[list[SegmentValue]] | None:
    """For each key the value of each record; None where a value makes no segment."""
    if not keys:
        return []
    described = [found or _NO_METADATA for found in metadata]
    columns = [[found.get(key) for found in described] for key in keys]
    for values in columns:
        if not _has(_PLAIN, values):
            return None
        if any(len(value) > LONGEST_VALUE for value in set(values) if type(value) is str):
            return None
    return columns


def _is_portable(values: Collection[Any], depth: int = _DEPTH) -> bool:
    """Whether every number within values, freshly decoded, is read alike by every reader of JSON."""
    kinds = set(map(type, values))
    if kinds <= _TEXT_OR_NULL or kinds <= {str, _NULL, bool, float}:
        return True
    if not depth:
        return False
    for kind in kinds:
        group: list[Any] = [value for value in values if type(value) is kind]
        if kind is int and not (min(group) >= -MAX_SAFE_INTEGER and max(group) <= MAX_SAFE_INTEGER):
            return False
        if kind is dict and not _is_portable([*chain.from_iterable(map(dict.values, group))], depth - 1):
            return False
        if kind is list and not _is_portable([*chain.from_iterable(group)], depth - 1):
            return False
    return True
