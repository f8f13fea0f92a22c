"""A case as canonical bytes, spliced from its parts: each is encoded once for everything that is made of it."""

from __future__ import annotations

from typing import NamedTuple

from robust.canon import MAX_PART_DEPTH, JsonObject, canonical_part, plain_parts, within_part_depth
from robust.errors import CaseError, DataError, Problem
from robust.records.case import CONTENT_FORM, Case, Origin
from robust.records.redaction import redact_metadata


class StoredCase(NamedTuple):
    """The canonical bytes of a case and of the parts of it that a judgement rests on."""

    stored: bytes
    shown: bytes
    content: bytes
    label: bytes


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
    try:
        # Spliced from its parts in the order of the keys; a test holds it against the encoding of ``to_json``.
        shown = canonical_part(case.input)
        media = canonical_part([item.to_json() for item in case.media]) if case.media else b"[]"
        label = b"null" if case.expected is None else canonical_part(case.expected)
        head = b'{"case_id":%s,"expected":' % canonical_part(case.case_id)
        tail = b',"input":%s,"media":%s,"metadata":%s,"origin":%s,"source_id":%s}' % (
            shown,
            media,
            canonical_part(redact_metadata(case.metadata)) if case.metadata else b"{}",
            b"null" if origin is None else origin.canonical(),
            canonical_part(case.source_id),
        )
    except (DataError, RecursionError):
        raise CaseError(*_not_portable(case, name)) from None
    stored = head + label + tail
    if not within_part_depth(stored):
        raise CaseError(*_not_portable(case, name))
    hidden = stored if label == b"null" else head + b"null" + tail
    return StoredCase(stored, hidden, CONTENT_FORM % (shown, media), label)


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
