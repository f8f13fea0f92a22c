"""A case as canonical bytes, spliced from its parts: each is encoded once for everything that is made of it."""

from __future__ import annotations

from typing import Final, NamedTuple

from robust.canon import (
    MAX_PART_DEPTH,
    JsonObject,
    canonical_bytes,
    canonical_part,
    encode_exact,
    plain_parts,
    with_null_last,
    within_part_depth,
)
from robust.errors import CaseError, DataError, Problem
from robust.records.case import CONTENT_FORM, Case, Origin
from robust.records.redaction import redact_metadata

_AROUND_ID: Final = len(b'{"case_id":,"expected":')


class StoredCase(NamedTuple):
    """A case as canonical bytes, with the parts of it that a judgement rests on.

    ``state`` and ``shown_state`` are the binary forms of what ``stored`` and ``shown`` say, for copies in this
    process; None where only decoding the bytes gives that.
    """

    stored: bytes
    shown: bytes
    content: bytes
    label: bytes
    state: bytes | None
    shown_state: bytes | None


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
    stored, state, data = _encode(case, name, case.origin or origin)
    content = CONTENT_FORM % (canonical_part(case.input), canonical_part(data["media"]) if data["media"] else b"[]")
    expected = data["expected"]
    if expected is None:
        return StoredCase(stored, stored, content, b"null", state, state)
    # Keys are sorted, so the answer stands behind the id, and what follows it starts with the input.
    before = len(canonical_part(data["case_id"])) + _AROUND_ID
    behind = before + len(canonical_part(expected))
    shown = b"%snull%s" % (stored[:before], stored[behind:])
    shown_state = None if state is None else with_null_last(state, expected)
    return StoredCase(stored, shown, content, stored[before:behind], state, shown_state)


def canonical_case(case: Case) -> bytes:
    """The canonical bytes of a case, as they are stored.

    Raises:
        CaseError: the case is not portable JSON; each path starts with ``case`` and the case's id.
    """
    return _encode(case, None, case.origin)[0]


def _encode(case: Case, name: str | None, origin: Origin | None) -> tuple[bytes, bytes | None, JsonObject]:
    """The canonical bytes of a case, its binary form where there is one, and the values of which they were made."""
    metadata = case.metadata
    data: JsonObject = {
        "case_id": case.case_id,
        "input": case.input,
        "media": [item.to_json() for item in case.media] if case.media else [],
        "metadata": redact_metadata(metadata) if metadata else metadata,
        "origin": None if origin is None else origin.__dict__,
        "source_id": case.source_id,
        "expected": case.expected,  # last, so that it is easily left out of the binary form
    }
    exact = encode_exact(data, MAX_PART_DEPTH)
    if exact is not None:
        # Copied, since orjson returns bytes with kilobytes of unused room behind them, which are kept as long.
        return b"%s" % exact[0], exact[1], data
    try:
        stored = canonical_bytes(data)
        if within_part_depth(stored):
            return stored, None, data
    except (DataError, RecursionError):
        pass
    raise CaseError(*_not_portable(case, f"case {case.case_id!r}" if name is None else name))


def _not_portable(case: Case, name: str) -> tuple[Problem, ...]:
    """What of a case is not portable JSON, with the paths below ``name``."""
    fields: JsonObject = {
        field: getattr(case, field) for field in ("input", "expected", "metadata", "case_id", "source_id")
    }
    origin = case.origin
    fields["origin"] = {} if origin is None else {"params": origin.params, "transform": origin.transform}
    fields["media"] = [item.to_json() for item in case.media]
    return plain_parts(fields, name, MAX_PART_DEPTH)[1]
