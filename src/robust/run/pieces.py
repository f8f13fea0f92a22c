"""A base case as canonical pieces: encoded once, for the case set's identity and for the record of its decision."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from robust.canon import (
    MAX_PART_DEPTH,
    JsonObject,
    MerkleTree,
    canonical_bytes,
    canonical_part,
    decode_own,
    encode_exact,
)
from robust.errors import DataError
from robust.records.case import Case
from robust.records.encoding import canonical_case
from robust.records.redaction import redact_metadata

# What a record keeps of its case, in the order in which the case set is digested.
CASE_FIELDS: Final = ("case_id", "source_id", "input", "media", "expected", "metadata")
# No JSON holds this character outside an escape, so that it separates pieces in a line.
_BETWEEN: Final = b"\x1f"


class Pieces(NamedTuple):
    """The canonical bytes of each field of a base case, as it is stored."""

    case_id: bytes
    source_id: bytes
    input: bytes
    media: bytes
    expected: bytes
    metadata: bytes

    def line(self) -> bytes:
        """The pieces on one line."""
        return _BETWEEN.join(self)

    def listed(self) -> bytes:
        """The pieces as one canonical JSON list."""
        return b"[%s]" % b",".join(self)

    def case(self) -> Case:
        """The case that they are of."""
        case_id, source_id, shown, media, expected, metadata = decode_own(self.listed())
        return Case.of_own(
            {
                "case_id": case_id,
                "source_id": source_id,
                "input": shown,
                "expected": expected,
                "metadata": metadata,
                "media": media,
                "origin": None,
            }
        )


def pieces_of_case(case: Case) -> Pieces:
    """Encode a base case.

    Raises:
        CaseError: it is not portable JSON; each path starts with ``case`` and the case's id.
    """
    metadata = redact_metadata(case.metadata) if case.metadata else {}
    return _plain_pieces(case, metadata) or _checked_pieces(case, metadata)


def _plain_pieces(case: Case, metadata: JsonObject) -> Pieces | None:
    """The pieces of a case of exact types; None for any other."""
    try:
        shown = _piece(case.input)
        expected = b"null" if case.expected is None else _piece(case.expected)
        described = _piece(metadata) if metadata else b"{}"
        if shown is None or expected is None or described is None:
            return None
        media = canonical_part([item.to_json() for item in case.media]) if case.media else b"[]"
        return Pieces(canonical_part(case.case_id), canonical_part(case.source_id), shown, media, expected, described)
    except (DataError, RecursionError):
        return None


def _checked_pieces(case: Case, metadata: JsonObject) -> Pieces:
    canonical_case(case)  # says what is not portable, and where
    media = [item.to_json() for item in case.media]
    return Pieces(
        *map(canonical_bytes, (case.case_id, case.source_id, case.input, media, case.expected, metadata)),
    )


def _piece(value: Any) -> bytes | None:
    """The canonical bytes of a value of exact types that may be part of a record; None for any other."""
    if type(value) is str:
        return canonical_part(value)
    # Two levels less than a part may have, for what a case puts around it.
    exact = encode_exact(value, MAX_PART_DEPTH - 2)
    return None if exact is None else exact[0]


def pieces_of_line(line: bytes) -> Pieces:
    """The pieces of one line."""
    return Pieces(*line.split(_BETWEEN))


def lines_of_columns(columns: Sequence[Sequence[bytes]]) -> list[bytes]:
    """The lines of many cases, from the pieces of all of them: a column for each field, in the order of a line."""
    return [*map(_BETWEEN.join, zip(*columns, strict=True))]


def columns_of_lines(lines: Sequence[bytes]) -> list[list[bytes]]:
    """The pieces of many lines, a column for each field."""
    pieces = _BETWEEN.join(lines).split(_BETWEEN)
    width = len(CASE_FIELDS)
    return [pieces[place::width] for place in range(width)]


class CaseSetDigest:
    """The logical identity of a set of base cases: equal for two files that say the same."""

    def __init__(self) -> None:
        self._tree = MerkleTree()

    def add(self, case: JsonObject) -> None:
        """Add a stored case, or the record of its decision, in order."""
        self._tree.add(canonical_bytes([case[name] for name in CASE_FIELDS]))

    def add_pieces(self, pieces: Pieces) -> None:
        """Add a case that is encoded already, in order."""
        self._tree.add(pieces.listed())

    def add_lines(self, lines: Sequence[bytes]) -> None:
        """Add cases by the lines of their pieces, in order; there is at least one."""
        # The list of each case's pieces, made of all lines together.
        listed = b"[%s]" % b"\n".join(lines).replace(_BETWEEN, b",").replace(b"\n", b"]\n[")
        self._tree.extend(listed.split(b"\n"))

    def add_hashed(self, hashes: bytes) -> None:
        """Add cases whose leaves are hashed already, 32 bytes each, in order."""
        self._tree.extend_hashed(hashes)

    def root(self) -> str:
        """The Merkle root over the cases."""
        return self._tree.root()
