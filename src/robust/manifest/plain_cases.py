"""Lines of cases that are in order at first sight, taken apart by columns.

Nearly every line of a manifest is such a one. What is the same for all of them (names of fields, types, a text without
control characters) is seen at once for many lines, so that it costs each of them next to nothing. Whatever is not seen
to be in order goes line by line through every check, which says what is wrong with it; a test holds both ways together.
"""

from __future__ import annotations

from collections.abc import Collection, Container, Iterable, Iterator, Sequence
from itertools import islice
from operator import lt
from typing import Any, Final, NamedTuple, TypeVar

from robust.canon import (
    JsonObject,
    Members,
    are_canonical,
    canonical_items,
    decode_objects,
    encode_many,
    members_of,
    other_values,
)
from robust.records.case import MAX_ID_LENGTH, Case
from robust.records.manifest import CaseEntry, LabelSource
from robust.records.redaction import hold_secret

T = TypeVar("T")
_ITEMS_AT_ONCE: Final = 256
# The fields of a line and of its case, in the order of canonical lines.
_LINE: Final = {("case", "kind", "label_source", "split", "validation")}
_FIELDS: Final = ("case_id", "expected", "input", "media", "metadata", "origin", "source_id")
_CASE: Final = {_FIELDS}
_LINE_START: Final = b'{"case":{"case_id":'
_NO_ORIGIN: Final = b',"origin":null,'
_TEXT: Final = frozenset((str,))
_OBJECT: Final = frozenset((dict,))
_CASES: Final = frozenset((Case,))
_FIELD_SET: Final = frozenset(_FIELDS)
_INPUT: Final = frozenset((str, dict))
_TEXT_OR_NULL: Final = frozenset((str, type(None)))
_LABEL_SOURCES: Final = frozenset((None, "given", "oracle"))


class PlainCases(NamedTuple):
    """Cases without media and origin, each in order by itself, as columns in the order of their lines.

    ``answers`` are canonical bytes, empty where there is none.
    """

    ids: Sequence[str]
    source_ids: Sequence[str]
    inputs: Sequence[str | JsonObject]
    answers: Sequence[bytes]
    splits: Sequence[str]
    label_sources: Sequence[LabelSource | None]
    validations: Sequence[str | None]
    stored: Sequence[JsonObject]

    def entries(self) -> Iterator[CaseEntry]:
        """The cases as entries."""
        cases = map(Case.of_own, self.stored)
        return map(CaseEntry, cases, self.splits, self.label_sources, self.validations)


def read_plain(lines: Sequence[bytes], splits: Container[str]) -> PlainCases | None:
    """The cases of canonical lines; None where one of the lines has to be looked at by itself.

    Args:
        lines: lines after the header.
        splits: the splits of the header.
    """
    # Where there are variants there are mostly many, and validations stand behind all cases: seen without decoding.
    if not all(line.startswith(_LINE_START) and _NO_ORIGIN in line for line in (*lines[:4], *lines[-1:])):
        return None
    data = decode_objects(lines)
    if not data or set(map(tuple, data)) != _LINE:
        return None
    stored, kinds, label_sources, names, validations = zip(*map(dict.values, data), strict=True)
    if (
        kinds.count("case") != len(data)
        or not _OBJECT.issuperset(map(type, stored))
        or set(map(tuple, stored)) != _CASE
        or not _TEXT_OR_NULL.issuperset(map(type, label_sources))
        or not _LABEL_SOURCES.issuperset(label_sources)
        or not _TEXT.issuperset(map(type, names))
        or not all(name in splits for name in set(names))
        or not _TEXT_OR_NULL.issuperset(map(type, validations))
    ):
        return None
    ids, expected, inputs, media, metadata, origins, sources = zip(*map(dict.values, stored), strict=True)
    if media.count([]) != len(data) or origins.count(None) != len(data) or not all(map(lt, ids, islice(ids, 1, None))):
        return None
    members = _members(ids, sources, inputs, expected, metadata)
    if members is None or not are_canonical(data, lines, members):
        return None
    return PlainCases(ids, sources, inputs, _answers(expected), names, label_sources, validations, stored)


def plain_of(cases: Sequence[Case], splits: Sequence[str]) -> tuple[PlainCases, list[bytes]] | None:
    """Cases that are given by themselves, and their lines; None where one of them has to be looked at by itself.

    Args:
        cases: the cases.
        splits: the split of each.
    """
    if not _CASES.issuperset(map(type, cases)):
        return None
    stored = [case.__dict__ for case in cases]
    if any(len(fields) != len(_FIELDS) or set(fields) != _FIELD_SET for fields in set(map(tuple, stored))):
        return None
    media, origins = [case.media for case in cases], [case.origin for case in cases]
    ids, sources = [case.case_id for case in cases], [case.source_id for case in cases]
    inputs, expected = [case.input for case in cases], [case.expected for case in cases]
    members = None
    if media.count(()) == origins.count(None) == len(cases):
        members = _members(ids, sources, inputs, expected, [case.metadata for case in cases])
    if members is None:
        return None
    labels: list[LabelSource | None] = [None if answer is None else "given" for answer in expected]
    data = [
        {"case": fields, "kind": "case", "label_source": label, "split": split, "validation": None}
        for fields, label, split in zip(stored, labels, splits, strict=True)
    ]
    lines = encode_many(data, _LINE_START, members)
    if lines is None:
        return None
    return PlainCases(ids, sources, inputs, _answers(expected), splits, labels, [None] * len(cases), stored), lines


def _members(
    ids: Sequence[Any], sources: Sequence[Any], inputs: Sequence[Any], expected: Sequence[Any], metadata: Sequence[Any]
) -> Members | None:
    """The parts of cases that may be anything; None where one of the others, or a secret, is to be looked at."""
    if (
        not _are_ids(ids)
        or not _are_ids(sources)
        or not _INPUT.issuperset(map(type, inputs))
        or not _OBJECT.issuperset(map(type, metadata))
    ):
        return None
    keys, others = members_of(metadata)
    if hold_secret(Members(keys, others)):
        return None
    return Members(keys, [*others, *other_values(inputs), *other_values(expected)])


def _answers(expected: Sequence[Any]) -> Sequence[bytes]:
    answers = canonical_items(expected)
    if None in expected:
        return [b"" if value is None else answer for value, answer in zip(expected, answers, strict=True)]
    return answers


def _are_ids(values: Collection[Any]) -> bool:
    """Whether each of many values is an id at first sight; see ``Case``."""
    return (
        _TEXT.issuperset(map(type, values))
        and "" not in values
        and max(map(len, values)) <= MAX_ID_LENGTH
        and "".join(values).isprintable()
    )


def in_blocks(items: Iterable[T]) -> Iterator[list[T]]:
    """Items in blocks of up to 256.

    What came before an error of their source is given before it is raised, since something may be wrong with that.
    """
    block: list[T] = []
    try:
        for item in items:
            block.append(item)
            if len(block) == _ITEMS_AT_ONCE:
                yield block
                block = []
    except Exception:
        if block:
            yield block
        raise
    if block:
        yield block
