"""What every inclusion proof has: a line, its place in a tree of lines, and the hashes that lead to the root."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Annotated, Any, Final

from pydantic import AfterValidator, Field

from robust.canon import JsonObject, canonical_bytes, leaf_hash, root_from_path
from robust.errors import Problem
from robust.records.base import Record
from robust.records.manifest import Count, Digest

# A tree of 2^64 leaves has paths of 64 hashes.
MAX_PATH: Final = 64
_HASH = re.compile(r"[0-9a-f]{64}\Z")
_MAX_MESSAGE: Final = 400


def _hash(value: str) -> str:
    if not _HASH.match(value):
        raise ValueError("must be 64 lowercase hex digits")
    return value


class TreeInclusion(Record):
    """That a line stands in a tree of lines (RFC 9162, 2.1).

    A root by itself does not show how many leaves its tree has, so that index and size mean something only beside a
    size that is known otherwise.

    Attributes:
        line: the line.
        index: its place among the lines, from 0.
        size: how many lines there are.
        path: hex hashes from the leaf's sibling up to the root's child (RFC 9162, 2.1.3.1).
        root: the Merkle root that they lead to.
    """

    line: dict[str, Any]
    index: Count
    size: Count
    path: Annotated[list[Annotated[str, AfterValidator(_hash)]], Field(max_length=MAX_PATH)]
    root: Digest

    def to_json(self) -> JsonObject:
        """The proof as plain JSON data."""
        data: JsonObject = self.model_dump(mode="json", by_alias=True)
        return data

    @property
    def leaf(self) -> str:
        """The hex hash of the line as a leaf of the tree."""
        return leaf_hash(canonical_bytes(self.line)).hex()

    def path_problems(self) -> Iterator[Problem]:
        """Why line, index and path do not lead to the root; nothing when they do."""
        reached = root_from_path(canonical_bytes(self.line), self.index, self.size, self.path)
        if reached != self.root:
            place = "no root" if reached is None else f"the root {reached}"
            message = f"line, index and path lead to {place}, not to {self.root}"
            yield Problem(code="not_included", message=message, path="$.path")


def require(found: object, wanted: object, path: str, what: str) -> Iterator[Problem]:
    """A problem where a stored value is not the wanted one; the message names both, and ``what`` says why."""
    if found != wanted:
        message = f"{found!r} is stored, {wanted!r} {what}"[:_MAX_MESSAGE]
        yield Problem(code="contradiction", message=message, path=path)
