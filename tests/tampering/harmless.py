"""Edits that change nothing that counts: what was signed, and by whom, is the same, and nothing else was believed."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from tests.tampering.edits import Edit

_OUR_ID: Final = re.compile(r"sha256:[0-9a-f]{64}\Z")
_BOM: Final = b"\xef\xbb\xbf"
# Of more signatures than anybody needs none is looked at.
_MOST_READ: Final = 256
LAYOUT: Final = "white space, line ends, a byte order mark: what is signed is the payload, what is proven the value"
HINT: Final = "a key id that is missing or no digest: DSSE calls it a hint, and each signature is tried with every key"
UNKNOWN: Final = "a member that DSSE does not know: readers pass it over"
ANOTHER: Final = "another signature beside enough good ones, and by nobody who was named or once more"


class LeftOpen(NamedTuple):
    """What is accepted as far as it goes.

    Attributes:
        reason: why it is not refused.
        check: the check that says that something was left open.
        authentic: whether what was asked about is authentic all the same.
    """

    reason: str
    check: str
    authentic: bool


LEFT_OPEN: Final = {
    "statement of a file that is not there": LeftOpen(
        "good signatures over a statement whose files were not given: left open, and never authentic", "files", False
    ),
    "claim of a stranger": LeftOpen(
        "a claim by a key that nobody named: left open, and shown as such; what is signed is signed", "claim", True
    ),
}


def harmless(edit: Edit, case: Mapping[str, bytes]) -> str | None:
    """Why an edit changes nothing that counts; None where it does."""
    if not edit.changes or not all(name.endswith((".dsse.json", ".proof.json")) for name in edit.changes):
        return None
    reasons = [_same(case.get(name), data) for name, data in edit.changes.items()]
    return reasons[0] if all(reasons) else None


def _same(before: bytes | None, after: object) -> str | None:
    if before is None or not isinstance(after, bytes):
        return None
    try:
        old, new = _strict(before), _strict(after)
    except (ValueError, RecursionError):
        return None
    if old == new:
        return LAYOUT if "payload" in old or not after.startswith(_BOM) else None
    return _same_signed(old, new) if "payload" in old and isinstance(new, dict) else None


def _same_signed(old: dict[str, Any], new: dict[str, Any]) -> str | None:
    """Whether two envelopes differ only in what DSSE tells readers not to mind."""
    signatures = new.get("signatures")
    if any(old[name] != new.get(name) for name in ("payload", "payloadType")) or not isinstance(signatures, list):
        return None
    if len(signatures) > _MOST_READ:
        return None
    if not all(isinstance(each, dict) and isinstance(each.get("sig"), str) for each in signatures):
        return None
    known = {each["sig"]: each["keyid"] for each in old["signatures"]}
    if not known.keys() <= {each["sig"] for each in signatures}:
        return None
    hinted = False
    for each in signatures:
        key_id = each.get("keyid")
        if each["sig"] in known and key_id != known[each["sig"]]:
            if key_id is not None and (not isinstance(key_id, str) or _OUR_ID.match(key_id)):
                return None
            hinted = True
        elif each["sig"] not in known and key_id in known.values():
            return None
    if hinted:
        return HINT
    return ANOTHER if len(signatures) > len(known) else UNKNOWN


def _strict(data: bytes) -> Any:
    def once(members: list[tuple[str, Any]]) -> dict[str, Any]:
        if len({name for name, _ in members}) < len(members):
            raise ValueError("a member stands twice")
        return dict(members)

    return json.loads(data.decode("utf-8-sig"), object_pairs_hook=once)
