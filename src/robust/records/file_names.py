"""File names that are derived from names and ids, and that every common file system takes, Windows included."""

from __future__ import annotations

import re
from typing import Final

from robust.canon import digest_bytes

# Other characters mean something in a path, a shell or a pattern somewhere, or change when they are copied.
_OTHERS: Final = re.compile(r"[^A-Za-z0-9_.-]")
# Windows takes these for devices, whatever stands behind their first dot.
_DEVICES: Final = re.compile(r"(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\.|\Z)", re.IGNORECASE)
_DIGITS: Final = slice(len("sha256:"), len("sha256:") + 8)
MAX_NAME: Final = 100


def file_name(name: str, most: int = MAX_NAME) -> str:
    """A name as a file name of at most so many characters; one that is safe already stays as it is.

    Windows takes no ``<>:"|?*`` and no device such as ``CON`` or ``nul.txt``, and drops dots and spaces at the end; a
    dot at the start hides a file, a ``-`` there looks like an option. What has to be changed gets a part of its digest,
    so that two names stay two.

    Args:
        name: any text.
        most: at least 16; file systems take 255 bytes, of which a suffix needs some.
    """
    plain = _OTHERS.sub("_", name).strip(".").lstrip("-")
    if plain == name and len(name) <= most and name and not _DEVICES.match(name):
        return name
    digest = digest_bytes(name.encode("utf-8", "surrogatepass"))[_DIGITS]
    start = plain[: most - len(digest) - 2].rstrip(".")
    # Behind an underscore no name is that of a device.
    return f"_{start}-{digest}" if _DEVICES.match(start) or not start else f"{start}-{digest}"
