"""Detached copies of a pair for a validator, and how it is seen that they were changed.

A state is a binary form of both: the fastest way to copy plain data deeply and to compare it with its exact types.
"""

from __future__ import annotations

from robust.canon import JsonObject, canonical_bytes, decode_own, pack, unpack
from robust.records.case import Case, Origin
from robust.records.encoding import canonical_case
from robust.records.failure import Failure
from robust.records.media import Media


def decoded_copies(shown_base: bytes, shown_candidate: bytes) -> tuple[Case, Case, bytes]:
    """Copies from canonical bytes, and their state."""
    base = Case.of_own(decode_own(shown_base))
    candidate = Case.of_own(decode_own(shown_candidate))
    return base, candidate, pack((_fields(base), _fields(candidate)))


def copies_of_state(state: bytes) -> tuple[Case, Case]:
    """Fresh copies of a base and a candidate with a captured state."""
    base, candidate = unpack(state)
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
        if pack((_fields(base), _fields(candidate))) == before:
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


def _fields(case: Case) -> JsonObject:
    """The fields of a copy as they are now, as plain data.

    Raises:
        TypeError: it holds what no copy is given.
    """
    # A validator may have put anything there; code of its own is not run to find out what.
    if type(case) is not Case:
        raise TypeError
    fields = case.__dict__
    media, origin = fields["media"], fields["origin"]
    if origin is not None:
        if type(origin) is not Origin:
            raise TypeError
        fields = {**fields, "origin": origin.__dict__}
    if type(media) is not tuple or media:
        if type(media) is not tuple or any(type(item) is not Media for item in media):
            raise TypeError
        fields = {**fields, "media": [item.to_json() for item in media]}
    return fields


def _case(fields: JsonObject) -> Case:
    media, origin = fields["media"], fields["origin"]
    fields["media"] = tuple(Media(**item) for item in media) if media else ()
    if origin is not None:
        fields["origin"] = Origin.of_own(origin)
    case = object.__new__(Case)
    # Not copied into a dictionary of its own: the fields were unpacked for this copy.
    object.__setattr__(case, "__dict__", fields)
    return case


def _unchanged(case: Case, shown: bytes) -> bool:
    """Whether a copy says the same as what was shown; its members may stand in another order."""
    try:
        pack(_fields(case))
        # Storing redacts metadata, so that it is compared as it is too.
        metadata = canonical_bytes(decode_own(shown)["metadata"])
        return canonical_case(case) == shown and canonical_bytes(case.metadata) == metadata
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException:  # noqa: BLE001 - whatever a hostile copy raises, it is not what was shown
        return False
