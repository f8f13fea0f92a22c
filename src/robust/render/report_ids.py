"""Ids of records and source groups, which may be of any length and hold any character, in few columns."""

from __future__ import annotations

from typing import Final

from robust.canon import digest_bytes
from robust.render.screen import Screen

# Of an id in a name or a message.
ID_WIDTH: Final = 100
_DIGITS: Final = slice(len("sha256:"), len("sha256:") + 8)


def id_text(identifier: str, screen: Screen, width: int = ID_WIDTH) -> str:
    """An id on one line; what is not shown as it is has a part of its digest, so that two ids stay two."""
    # Nothing beyond so many characters is shown: each but marks takes a column.
    shown = screen.short(identifier[: 4 * width], width)
    if shown == identifier:
        return shown
    digest = digest_bytes(identifier.encode("utf-8", "surrogatepass"))
    return f"{shown} #{digest[_DIGITS]}"
