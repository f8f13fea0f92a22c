"""Rows of a data set that are in order at first sight, taken apart by columns.

Nearly every row is such a one. What is the same for all of them (names of fields, types, ids without control
characters) is seen at once for many rows, so that it costs each of them next to nothing. Whatever is not seen to be in
order is left to the closer look at each row, which says what is wrong with it; a law holds both ways together.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import chain
from typing import Any, Final, NamedTuple

from robust.canon import MAX_PART_DEPTH, JsonObject, encode_exact, encode_texts, read_objects
from robust.records.case import MAX_ID_LENGTH
from robust.records.redaction import redact_metadata

ROW_FIELDS: Final = ("id", "input", "expected", "metadata", "source_id")
# Two levels less than a part may have, for what a case puts around it.
_DEPTH: Final = MAX_PART_DEPTH - 2
_FIELD_SET: Final = frozenset(ROW_FIELDS)
_TEXT: Final = frozenset((str,))
_INPUT: Final = frozenset((str, dict))
_OBJECT_OR_NULL: Final = frozenset((dict, type(None)))
_ANSWER: Final = frozenset((str, int, type(None)))


class PlainRows(NamedTuple):
    """Rows that are base cases without media, each in order by itself.

    Attributes:
        ids: the ids of the cases.
        expected: their right answers: texts, integers, or None.
        pieces: the canonical bytes of what is stored of them, a column for each of case id, source id, input, media,
            right answer and metadata.
    """

    ids: Sequence[str]
    expected: Sequence[str | int | None]
    pieces: tuple[Sequence[bytes], ...]


def plain_rows(lines: Sequence[bytes]) -> PlainRows | None:
    """The rows of some lines; None where one of them has to be looked at by itself."""
    rows = read_objects(lines)
    if not rows:
        return None
    names = set(map(tuple, rows))
    if not _FIELD_SET.issuperset(chain.from_iterable(names)):
        return None
    ids, inputs, expected, metadata, sources = _columns(rows, names)
    if (
        not _are_ids(ids)
        or not _INPUT.issuperset(map(type, inputs))
        or not _ANSWER.issuperset(map(type, expected))
        or not _OBJECT_OR_NULL.issuperset(map(type, metadata))
    ):
        return None
    described = None if metadata.count(None) == len(rows) else [found or {} for found in metadata]
    if described is not None:
        named = zip(sources, described, strict=True)
        sources = [found.get("source_id") if source is None else source for source, found in named]
    if sources.count(None) == len(rows):
        sources = ids
    else:
        sources = [name if source is None else source for source, name in zip(sources, ids, strict=True)]
        if not _are_ids(sources):
            return None
    return _encoded(ids, sources, inputs, expected, described)


def _columns(rows: Sequence[JsonObject], names: set[tuple[str, ...]]) -> Iterator[list[Any]]:
    """A column for each field, with None where a row does not have it."""
    if len(names) > 1:
        return ([row.get(name) for row in rows] for name in ROW_FIELDS)
    (found,) = names
    columns = dict(zip(found, map(list, zip(*map(dict.values, rows), strict=True)), strict=True))
    return (columns.get(name) or [None] * len(rows) for name in ROW_FIELDS)


def _encoded(
    ids: list[str],
    sources: list[str],
    inputs: list[Any],
    expected: list[str | int | None],
    metadata: list[JsonObject] | None,
) -> PlainRows | None:
    shown = encode_texts(inputs) if _TEXT.issuperset(map(type, inputs)) else _encode_each(inputs)
    described = [b"{}"] * len(ids) if metadata is None else _encode_each(map(redact_metadata, metadata))
    answers = [*dict.fromkeys(expected)]
    written = _encode_each(answers)
    if shown is None or described is None or written is None:
        return None
    spelled = dict(zip(answers, written, strict=True))
    case_ids = encode_texts(ids)
    source_ids = case_ids if sources is ids else encode_texts(sources)
    nothing = [b"[]"] * len(ids)
    return PlainRows(
        ids, expected, (case_ids, source_ids, shown, nothing, [spelled[answer] for answer in expected], described)
    )


def _encode_each(values: Iterable[Any]) -> list[bytes] | None:
    """The canonical bytes of values of built-in types; None where one of them is written otherwise than it was read.

    A number that is may be one that the strict reader reads otherwise, too.
    """
    encoded = []
    for value in values:
        exact = encode_exact(value, _DEPTH)
        if exact is None or exact[1] is None:
            return None
        encoded.append(exact[0])
    return encoded


def _are_ids(values: Collection[Any]) -> bool:
    """Whether each of many values is an id at first sight; see ``Case``."""
    return (
        _TEXT.issuperset(map(type, values))
        and "" not in values
        and max(map(len, values)) <= MAX_ID_LENGTH
        and "".join(values).isprintable()
    )
