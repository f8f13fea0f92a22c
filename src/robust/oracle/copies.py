"""Detached copies of a pair for a validator, and how it is seen that they were changed.

States are marshalled: that is the fastest way to copy plain data deeply and to compare it with its exact types.
Version 2 of the format has no back references, so that equal states give equal bytes.
"""

from __future__ import annotations

import marshal
from typing import Any

from robust.canon import canonical_bytes, decode_own
from robust.records.case import Case, Origin
from robust.records.encoding import canonical_case
from robust.records.failure import Failure
from robust.records.media import Media
from robust.records.redaction import redact_metadata

_VERSION = 2


def captured_state(base: Case, candidate: Case, origin: Origin | None, *, hide: bool) -> bytes:
    """The state of a pair of exact JSON types, as it is stored and shown.

    Args:
        base: the base.
        candidate: the candidate.
        origin: taken where the candidate has none.
        hide: leave out the expected answers.
    """
    states = [list(_state(base)), list(_state(candidate))]
    if origin is not None:
        states[1][_ORIGIN_AT] = origin.__dict__
    for state in states:
        if hide:
            state[_EXPECTED_AT] = None
        if state[_METADATA_AT]:
            state[_METADATA_AT] = redact_metadata(state[_METADATA_AT])
    return marshal.dumps([tuple(state) for state in states], _VERSION)


def decoded_copies(shown_base: bytes, shown_candidate: bytes) -> tuple[Case, Case, bytes]:
    """Copies from canonical bytes, and their state."""
    base = Case.of_own(decode_own(shown_base))
    candidate = Case.of_own(decode_own(shown_candidate))
    return base, candidate, _snapshot(base, candidate)


def copies_of_state(state: bytes) -> tuple[Case, Case]:
    """Fresh copies with a captured state."""
    base, candidate = marshal.loads(state)  # noqa: S302 - bytes that this process made
    return _case(base), _case(candidate)


def mutations(base: Case, candidate: Case, before: bytes, shown: tuple[bytes, bytes]) -> list[Failure]:
    """A failure for each copy that is no longer what was shown.

    Args:
        base: the copy of the base.
        candidate: the copy of the candidate.
        before: the state of both when they were made.
        shown: the canonical bytes that they were made of.
    """
    try:
        if _snapshot(base, candidate) == before:
            return []
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException:  # noqa: BLE001, S110 - a copy may hold anything by now; each is looked at by itself
        pass
    copies = (("base", base, shown[0]), ("candidate", candidate, shown[1]))
    return [
        Failure("validator_mutated_input", f"$.{name}", f"the {name} that it was given changed")
        for name, copy, stored in copies
        if not _unchanged(copy, stored)
    ]


_EXPECTED_AT, _METADATA_AT, _ORIGIN_AT = 3, 4, 6


def _state(case: Case) -> tuple[Any, ...]:
    origin = case.origin
    # A validator may have put anything there; code of its own is not run to find out what.
    ours = type(case.media) is tuple and (origin is None or type(origin) is Origin)
    if not ours or (case.media and any(type(item) is not Media for item in case.media)):
        raise TypeError
    return (
        case.case_id,
        case.source_id,
        case.input,
        case.expected,
        case.metadata,
        [item.to_json() for item in case.media] if case.media else None,
        None if origin is None else origin.__dict__,
    )


def _case(state: tuple[Any, ...]) -> Case:
    case_id, source_id, shown, expected, metadata, media, origin = state
    case = object.__new__(Case)
    case.__dict__.update(
        input=shown,
        expected=expected,
        case_id=case_id,
        source_id=source_id,
        metadata=metadata,
        media=tuple(Media(**item) for item in media) if media else (),
        origin=None if origin is None else Origin.of_own(origin),
    )
    return case


def _snapshot(base: Case, candidate: Case) -> bytes:
    return marshal.dumps([_state(base), _state(candidate)], _VERSION)


def _unchanged(case: Case, shown: bytes) -> bool:
    """Whether a copy says the same as what was shown; its members may stand in another order."""
    try:
        _state(case)
        # Storing redacts metadata, so that it is compared as it is too.
        metadata = canonical_bytes(decode_own(shown)["metadata"])
        return canonical_case(case, "$") == shown and canonical_bytes(case.metadata) == metadata
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException:  # noqa: BLE001 - whatever a hostile copy raises, it is not what was shown
        return False
