"""Capturing many pairs at once: by columns, so that what is the same for all of them costs each next to nothing.

Nearly every pair is such a one: two cases without media, in order at first sight, with nothing to redact. Whatever is
not seen to be in order is captured by itself, where it gets the error that says what is wrong with it; a test holds
the two ways together.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import chain, repeat
from operator import attrgetter, eq
from typing import Any, Final, NamedTuple

from robust.canon import (
    JsonObject,
    Members,
    canonical_items,
    canonical_part,
    digests_of,
    encode_many,
    encode_texts,
    members_of,
    other_values,
    pack,
    within_part_depth,
)
from robust.errors import DataError
from robust.oracle.question import MAX_PAIR_BYTES, Labels, Question
from robust.records.case import CONTENT_FORM, RELATIONS, Case, Origin
from robust.records.redaction import hold_secret

_PAIRS: Final = frozenset((tuple, list))
_CASES: Final = frozenset((Case,))
_ORIGINS: Final = frozenset((Origin, type(None)))
_TUPLE: Final = frozenset((tuple,))
_OBJECT: Final = frozenset((dict,))
_TEXT: Final = frozenset((str,))
_INPUT: Final = frozenset((str, dict))
_INTEGER_OR_NULL: Final = frozenset((int, type(None)))
_SIMPLE: Final = frozenset((str, int, bool, type(None)))
_TEXT_OR_NULL: Final = frozenset((str, type(None)))
# Not read from the dictionaries of cases, which Python would have to make, and keep.
_parts_of = attrgetter("case_id", "source_id", "input", "media", "metadata", "origin", "expected")
_claims_of = attrgetter("parent_id", "parent_content", "relation", "transform", "params", "seed", "index")
_question_of = partial(tuple.__new__, Question)
_NO_MEMBERS: Final = Members(set(), [])
_NULL: Final = b"null"
# How the canonical bytes of a case begin, and what stands in them before its answer.
_START: Final = b'{"case_id":'
_ANSWER: Final = b',"expected":'


def capture_plain(pairs: Sequence[Any], relation: Any, labels: Labels, *, with_states: bool) -> list[Question] | None:
    """The questions of pairs that are in order at first sight; None where one of them has to be looked at by itself.

    Args:
        pairs: of base and candidate; at least one.
        relation: the relation of every pair; None for each candidate's own.
        labels: whether answers are shown.
        with_states: whether the questions have states.
    """
    if not _PAIRS.issuperset(map(type, pairs)) or set(map(len, pairs)) != {2}:
        return None
    cases = [*chain.from_iterable(pairs)]
    if not _CASES.issuperset(map(type, cases)):
        return None
    try:
        columns = _Columns(*zip(*map(_parts_of, cases), strict=True))
        claims = _claims(columns, relation)
        if claims is None:
            return None
        return _captured(columns, claims, hidden=labels == "hidden", with_states=with_states)
    except (AttributeError, TypeError, RecursionError, DataError):
        return None  # what is wrong with which of them is told of each by itself


class _Columns(NamedTuple):
    """Cases by columns, bases and candidates by turns."""

    ids: Sequence[Any]
    sources: Sequence[Any]
    inputs: Sequence[Any]
    media: Sequence[Any]
    metadata: Sequence[Any]
    origins: Sequence[Any]
    expected: Sequence[Any]

    def are_plain(self) -> bool:
        """Whether these may be bases and candidates without media."""
        return (
            _TEXT.issuperset(map(type, chain(self.ids, self.sources)))
            and _INPUT.issuperset(map(type, self.inputs))
            and _OBJECT.issuperset(map(type, self.metadata))
            and _TUPLE.issuperset(map(type, self.media))
            and self.media.count(()) == len(self.media)
            and _ORIGINS.issuperset(map(type, self.origins))
            and not any(self.origins[::2])
            and self.sources[::2] == self.sources[1::2]
            and not any(map(eq, self.ids[::2], self.ids[1::2]))
        )


class _Claims(NamedTuple):
    """What candidates claim, by columns; of one without an origin, what is stored of it as such.

    Attributes:
        parents: the ids of the bases.
        contents: the digest of the content that each was made from; None without an origin.
        stored: the relations of the origins.
        transforms: what made the candidates.
        params: how.
        seeds: with which seed.
        places: which of several each is.
        relations: what is claimed between the two right answers.
    """

    parents: Sequence[Any]
    contents: Sequence[Any]
    stored: Sequence[Any]
    transforms: Sequence[Any]
    params: Sequence[Any]
    seeds: Sequence[Any]
    places: Sequence[Any]
    relations: Sequence[Any]

    def are_plain(self) -> bool:
        """Whether all are of the right types, and each relation is one."""
        return (
            _TEXT.issuperset(map(type, chain(self.parents, self.transforms, self.relations)))
            and _TEXT_OR_NULL.issuperset(map(type, chain(self.contents, self.stored)))
            and _OBJECT.issuperset(map(type, self.params))
            and _INTEGER_OR_NULL.issuperset(map(type, chain(self.seeds, self.places)))
            and set(self.relations).issubset(RELATIONS)
        )

    def origins(self, contents: Sequence[str]) -> list[JsonObject]:
        """The origins as they are stored, with the contents of the bases."""
        return [
            {
                "index": index,
                "params": params,
                "parent_content": content,
                "parent_id": parent,
                "relation": relation,
                "seed": seed,
                "transform": transform,
            }
            for parent, content, relation, transform, params, seed, index in zip(
                self.parents, contents, *self[2:7], strict=True
            )
        ]


def _claims(columns: _Columns, relation: Any) -> _Claims | None:
    """What candidates claim; None where one of them, or one of the cases, has to be looked at more closely.

    Args:
        columns: the cases.
        relation: the relation of every pair; None for each candidate's own.
    """
    if not columns.are_plain():
        return None
    origins, bases = columns.origins[1::2], columns.ids[::2]
    said = [*map(_claims_of, filter(None, origins))]
    if len(said) < len(origins):
        own = iter(said)
        external: tuple[Any, ...] = (None, relation, "external", {}, None, 0)
        said = [next(own) if origin else (base, *external) for base, origin in zip(bases, origins, strict=True)]
    found = [*zip(*said, strict=True)]
    claims = _Claims._make([*found, found[2] if relation is None else (relation,) * len(bases)])
    plain = claims.parents == bases and claims.contents.count(None) == origins.count(None) and claims.are_plain()
    return claims if plain else None


def _captured(columns: _Columns, claims: _Claims, *, hidden: bool, with_states: bool) -> list[Question] | None:
    """The questions of pairs; None as above.

    Raises:
        TypeError: something is no JSON; as are RecursionError and DataError.
    """
    inputs, expected, metadata = columns.inputs, columns.expected, members_of(columns.metadata)
    if hold_secret(metadata):
        return None
    texts = encode_texts(inputs) if _TEXT.issuperset(map(type, inputs)) else canonical_items(inputs)
    contents = [CONTENT_FORM % (text, b"[]") for text in texts]
    digests = digests_of(contents[::2])
    if any(named not in (None, digest) for named, digest in zip(claims.contents, digests, strict=True)):
        return None
    labelled = expected.count(None) != len(expected)
    labels = _encode_labels(expected) if labelled else [_NULL] * len(expected)
    params = members_of(claims.params) if any(claims.params) else _NO_MEMBERS
    others = [*metadata.others, *params.others, *other_values(inputs)]
    if labelled and not hidden:
        others += other_values(expected)
    objects = _objects(columns, claims.origins(digests), hidden=hidden)
    shown = encode_many(objects, _START, Members(metadata.keys | params.keys, others))
    if shown is None or labels is None:
        return None
    stored = [*map(_with_label, shown, labels)] if labelled and hidden else shown
    if max(map(len, stored)) > MAX_PAIR_BYTES // 2:
        return None
    each_side = (column[side::2] for column in (stored, contents, labels, shown) for side in (0, 1))
    both = zip(objects[::2], objects[1::2], strict=True)
    states = map(pack, both) if with_states else repeat(None, len(digests))
    return [*map(_question_of, zip(*each_side, claims.relations, states, strict=True))]


def _objects(columns: _Columns, origins: Sequence[JsonObject], *, hidden: bool) -> list[JsonObject]:
    """The cases as they are shown, as plain data, bases and candidates by turns."""
    objects: list[JsonObject] = [
        {
            "case_id": case_id,
            "expected": None if hidden else expected,
            "input": shown,
            "media": (),
            "metadata": metadata,
            "origin": None,
            "source_id": source_id,
        }
        for case_id, source_id, shown, _, metadata, _, expected in zip(*columns, strict=True)
    ]
    for candidate, origin in zip(objects[1::2], origins, strict=True):
        candidate["origin"] = origin
    return objects


def _encode_labels(values: Sequence[Any]) -> list[bytes] | None:
    """The canonical bytes of answers; None where one of them is nested too deep.

    Raises:
        DataError: one is no JSON.
    """
    if _SIMPLE.issuperset(map(type, values)):
        return canonical_items(values)
    # Copied, since orjson returns bytes with kilobytes of unused room behind them, which are kept as long.
    encoded = [_NULL if value is None else b"%s" % canonical_part(value) for value in values]
    # Within the case there is one level more.
    return encoded if all(within_part_depth(b"[%s]" % value) for value in encoded) else None


def _with_label(shown: bytes, label: bytes) -> bytes:
    """The canonical bytes of a case with its answer, from those in which it is null."""
    # In a text quotation marks have a backslash before them, so that only a key can look like one.
    before = shown.index(_ANSWER) + len(_ANSWER)
    return b"%s%s%s" % (shown[:before], label, shown[before + len(_NULL) :])
