"""A case as canonical bytes, spliced from its parts: each is encoded once for everything that is made of it."""

from __future__ import annotations

from typing import NamedTuple

from robust.canon import (
    MAX_PART_DEPTH,
    JsonObject,
    canonical_bytes,
    canonical_part,
    plain_parts,
    plainly_canonical,
    within_part_depth,
)
from robust.errors import CaseError, DataError, Problem
from robust.records.case import CONTENT_FORM, Case, Origin
from robust.records.redaction import redact_metadata


class StoredCase(NamedTuple):
    """The canonical bytes of a case and of the parts of it that a judgement rests on.

    ``exact`` says that the case holds nothing but exact JSON types, so that its bytes would be decoded to the very
    same values.
    """

    stored: bytes
    shown: bytes
    content: bytes
    label: bytes
    exact: bool


def encode_case(case: Case, name: str, *, origin: Origin | None = None) -> StoredCase:
    """Encode a case once, for everything that is made of it.

    Args:
        case: the case.
        name: what errors call it.
        origin: taken where the case has none.

    Returns:
        ``stored``, the whole case; ``shown``, the same without its expected answer; ``content``, what its content
        digest is over; ``label``, its expected answer.

    Raises:
        CaseError: the case is not portable JSON; each path starts with ``name``.
    """
    origin = case.origin or origin
    data: JsonObject = {
        "case_id": case.case_id,
        "expected": case.expected,
        "input": case.input,
        "media": [item.to_json() for item in case.media] if case.media else [],
        "metadata": redact_metadata(case.metadata) if case.metadata else case.metadata,
        "origin": None if origin is None else origin.__dict__,
        "source_id": case.source_id,
    }
    stored = plainly_canonical(data, MAX_PART_DEPTH)
    exact = stored is not None
    try:
        if stored is None:
            stored = canonical_bytes(data)
            if not within_part_depth(stored):
                raise CaseError(*_not_portable(case, name))
        content = CONTENT_FORM % (canonical_part(case.input), canonical_part(data["media"]) if case.media else b"[]")
        if case.expected is None:
            return StoredCase(stored, stored, content, b"null", exact)
        # Keys are sorted, so the answer stands behind the id, and what follows it starts with the input.
        label = canonical_bytes(case.expected)
        before = len(canonical_part(case.case_id)) + len(b'{"case_id":,"expected":')
        shown = b"%snull%s" % (stored[:before], stored[before + len(label) :])
        return StoredCase(stored, shown, content, label, exact)
    except (DataError, RecursionError):
        raise CaseError(*_not_portable(case, name)) from None


def _not_portable(case: Case, name: str) -> tuple[Problem, ...]:
    """What of a case is not portable JSON, with the paths below ``name``."""
    fields: JsonObject = {
        field: getattr(case, field) for field in ("input", "expected", "metadata", "case_id", "source_id")
    }
    origin = case.origin
    fields["origin"] = {} if origin is None else {"params": origin.params, "transform": origin.transform}
    fields["media"] = [item.to_json() for item in case.media]
    return plain_parts(fields, name, MAX_PART_DEPTH)[1]


def canonical_case(case: Case, name: str) -> bytes:
    """The canonical bytes of a case, as they are stored.

    Raises:
        CaseError: the case is not portable JSON; each path starts with ``name``.
    """
    return encode_case(case, name).stored
