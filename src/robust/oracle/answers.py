"""Reading many answers of ``robust.oracle/1`` at once: by columns, as far as they are in order at first sight.

Whatever is not goes line by line through every check; a test holds the two ways together.
"""

from __future__ import annotations

from collections.abc import Sequence
from operator import itemgetter
from typing import Final

from robust.canon import JsonObject, Members, encode_many, members_of, other_values, read_objects
from robust.oracle.protocol import FIELDS
from robust.oracle.question import Observation
from robust.records.redaction import redact_known
from robust.records.verdict import MAX_REASON_CHARACTERS

_FIELD_SET: Final = frozenset(FIELDS)
_NEEDED: Final = frozenset(("valid", "reason"))
_START: Final = b'{"base_expected":'
_columns_of = itemgetter(*FIELDS)
_TEXT: Final = frozenset((str,))
_OBJECT: Final = frozenset((dict,))
_BOOLEAN_OR_NULL: Final = frozenset((bool, type(None)))


def read_answers(answers: Sequence[bytes], keys: Sequence[str]) -> list[Observation] | None:
    """What answers say, each as it would be read by itself; None where one of them has to be.

    Args:
        answers: lines without line feeds; at least one.
        keys: the ids of the questions that were asked, in their order.
    """
    rows = read_objects(answers)
    if rows is None or [row.pop("id", None) for row in rows] != keys:
        return None
    # A program may echo a token that it was given.
    rows = _complete(redact_known(rows))
    if rows is None:
        return None
    valid, reasons, bases, variants, evidence = zip(*map(_columns_of, rows), strict=True)
    if (
        not _BOOLEAN_OR_NULL.issuperset(map(type, valid))
        or not _TEXT.issuperset(map(type, reasons))
        or not _OBJECT.issuperset(map(type, evidence))
    ):
        return None
    named, others = members_of(evidence)
    members = Members(named, [*others, *other_values(bases), *other_values(variants)])
    verdicts = encode_many(rows, _START, members)
    if verdicts is None or max(map(len, verdicts)) > MAX_REASON_CHARACTERS:
        return None
    return [Observation(verdict, [], row) for verdict, row in zip(verdicts, rows, strict=True)]


def _complete(rows: list[JsonObject]) -> list[JsonObject] | None:
    """The same verdicts with every field; None where one has others, or lacks one that it must have."""
    found = {frozenset(names) for names in set(map(tuple, rows))}
    if found == {_FIELD_SET}:
        return rows
    if not all(_NEEDED <= names <= _FIELD_SET for names in found):
        return None
    return [{"base_expected": None, "variant_expected": None, "evidence": {}, **row} for row in rows]
