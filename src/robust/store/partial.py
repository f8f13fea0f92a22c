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

# Of a name, so that it stays one that a file can have: in UTF-8 up to 200 bytes, and 22 more.
_SHOWN = 50


def open_partial(target: Path, *, mode: int = 0o666) -> tuple[Path, BinaryIO]:
    """A new file beside a target, locked while it is written, after those that nobody writes any more were removed.

    Args:
        target: the file that it is to become.
        mode: the permissions that it has from its first moment on, less those that the umask takes.

    Raises:
        OSError: the folder cannot be written to.
    """
    start = f".{target.name[:_SHOWN]}."
    _remove_left(target.parent, start)
    while True:
        path = target.parent / f"{start}{secrets.token_hex(6)}.partial"
        handle = open(path, "xb", opener=lambda name, flags: os.open(name, flags, mode))  # noqa: SIM115
        # Between its making and its lock another process may have taken it for one that was left behind.
        if _lock(handle) is not False and _is_at(path, handle):
            return path, handle
        handle.close()


def _remove_left(folder: Path, start: str) -> None:
    """Remove the files of writers that are gone: those that nobody has locked, where files can be."""
    with contextlib.suppress(OSError):
        for path in _partials(folder, start):
            with contextlib.suppress(OSError):
                _remove(path)


def _partials(folder: Path, start: str) -> list[Path]:
    name = re.compile(re.escape(start) + r"[0-9a-f]{12}\.partial\Z")
    found = (entry for entry in os.scandir(folder) if name.match(entry.name) and entry.is_file(follow_symlinks=False))
    return [Path(entry.path) for entry in found]


def was_left_behind(target: Path) -> bool:
    """Whether a file got its name from a writer that was killed before it was done.

    It is then still one file with the partial one, which nobody has locked. Where the file system has neither links nor
    locks this cannot be told, and the answer is no.
    """
    with contextlib.suppress(OSError):
        for path in _partials(target.parent, f".{target.name[:_SHOWN]}."):
            with path.open("rb") as handle:
                if _lock(handle) and os.path.samestat(os.fstat(handle.fileno()), target.lstat()):
                    return True
    return False


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
