"""Files on their way to their names: those that a killed process left behind are taken away by the next one."""

from __future__ import annotations

import contextlib
import os
import re
import secrets
from pathlib import Path
from typing import BinaryIO

if os.name == "posix":
    import fcntl

_SHOWN = 100


def open_partial(target: Path) -> tuple[Path, BinaryIO]:
    """A new file beside a target, locked while it is written, after those that nobody writes any more were removed.

    Raises:
        OSError: the folder cannot be written to.
    """
    start = f".{target.name[:_SHOWN]}."
    _remove_left(target.parent, start)
    while True:
        path = target.parent / f"{start}{secrets.token_hex(6)}.partial"
        handle = path.open("xb")
        # Between its making and its lock another process may have taken it for one that was left behind.
        if _lock(handle) is not False and _is_at(path, handle):
            return path, handle
        handle.close()


def _remove_left(folder: Path, start: str) -> None:
    """Remove the files of writers that are gone: those that nobody has locked, where files can be."""
    name = re.compile(re.escape(start) + r"[0-9a-f]{12}\.partial\Z")
    with contextlib.suppress(OSError):
        left = [
            entry for entry in os.scandir(folder) if name.match(entry.name) and entry.is_file(follow_symlinks=False)
        ]
        for entry in left:
            with contextlib.suppress(OSError):
                _remove(Path(entry.path))


def _remove(path: Path) -> None:
    with path.open("rb") as handle:
        if _lock(handle):
            path.unlink()


def _lock(handle: BinaryIO) -> bool | None:
    """Whether nobody else has a file; None where that cannot be told."""
    if os.name != "posix":
        return None
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:  # a file system without locks
        return None
    return True


def _is_at(path: Path, handle: BinaryIO) -> bool:
    try:
        return os.path.samestat(path.stat(), os.fstat(handle.fileno()))
    except FileNotFoundError:
        return False
