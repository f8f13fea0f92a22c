"""Key files: a pair appears whole or not at all, and the private one is its owner's alone from its first byte."""

from __future__ import annotations

import contextlib
import os
import re
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from robust.errors import DataError, UsageError
from robust.records.file_names import file_name
from robust.store.files import publish, read_file, unwritable
from robust.store.partial import open_partial, was_left_behind

PRIVATE_SUFFIX: Final = ".key.pem"
PUBLIC_SUFFIX: Final = ".pub.pem"
_PRIVATE_MODE: Final = 0o600
_PUBLIC_MODE: Final = 0o644
_FOLDER_MODE: Final = 0o700
_OTHERS: Final = stat.S_IRWXG | stat.S_IRWXO
_NAME: Final = re.compile(r"[A-Za-z0-9]([A-Za-z0-9._-]{0,98}[A-Za-z0-9_-])?\Z")


def key_paths(directory: Path, name: str) -> tuple[Path, Path]:
    """The files of a pair: the private and the public one.

    Raises:
        UsageError: ``bad_name``: the name cannot be part of a file name everywhere.
    """
    if not _NAME.match(name):
        message = "a name has up to 100 of A-Z a-z 0-9 . _ - and begins with a letter or a digit"
        raise UsageError.of("bad_name", message, path="name", hint="choose another")
    if file_name(name) != name:
        message = f"Windows takes {name}{PRIVATE_SUFFIX} for a device and not for a file"
        raise UsageError.of("bad_name", message, path="name", hint=f"choose another, such as key-{name}")
    return directory / (name + PRIVATE_SUFFIX), directory / (name + PUBLIC_SUFFIX)


def write_key_pair(directory: Path, name: str, private: bytes, public: bytes) -> tuple[Path, Path]:
    """Write the two files of a key, the private one with mode 0600 whatever the umask; never over others.

    The public file gets its name first, so that a kill in between leaves nothing that looks like a pair. What it leaves
    is taken away when a pair of that name is written next.

    Args:
        directory: made with mode 0700 where it is missing.
        name: what the files are called before their suffixes.
        private: the content of ``<name>.key.pem``.
        public: the content of ``<name>.pub.pem``.

    Returns:
        the private and the public file.

    Raises:
        UsageError: ``exists``: one of the files is there; ``unwritable``: the folder cannot be made or written.
    """
    private_file, public_file = key_paths(directory, name)
    try:
        _make_folder(directory)
        if not os.path.lexists(private_file) and was_left_behind(public_file):
            public_file.unlink()
        _refuse_existing(private_file, public_file)
        with (
            _partial(private_file, private, _PRIVATE_MODE) as new_private,
            _partial(public_file, public, _PUBLIC_MODE) as new_public,
        ):
            _publish_both((new_private, private_file), (new_public, public_file))
    except OSError as error:
        raise unwritable(directory, error) from None
    return private_file, public_file


def _make_folder(directory: Path) -> None:
    if not directory.is_dir():
        directory.parent.mkdir(parents=True, exist_ok=True)
        directory.mkdir(mode=_FOLDER_MODE, exist_ok=True)


def _refuse_existing(*files: Path) -> None:
    for file in files:
        if os.path.lexists(file):
            message = "the file exists, and a key is never written over"
            hint = "choose another name or folder"
            raise UsageError.of("exists", message, file=os.fspath(file), hint=hint)


@contextlib.contextmanager
def _partial(target: Path, content: bytes, mode: int) -> Iterator[Path]:
    """A whole file on disk that waits for its name, and is gone at the end if it got none."""
    temporary, handle = open_partial(target, mode=mode)
    try:
        with handle:
            handle.write(content)
            handle.flush()
            os.fsync(handle.fileno())
            # Its lock says that it is still needed; Windows renames closed files alone.
            if os.name != "posix":
                handle.close()
            yield temporary
    finally:
        temporary.unlink(missing_ok=True)


def _publish_both(private: tuple[Path, Path], public: tuple[Path, Path]) -> None:
    try:
        publish(*public, overwrite=False)
        try:
            publish(*private, overwrite=False)
        except BaseException:
            public[1].unlink(missing_ok=True)
            raise
    except UsageError:
        # Somebody else made one in the meantime.
        _refuse_existing(private[1], public[1])
        raise


def read_key_file(path: str | os.PathLike[str], max_bytes: int) -> bytes:
    """The content of a key file, or of whatever was given as one.

    Raises:
        UsageError: it cannot be read.
        DataError: ``too_large``: it has over ``max_bytes``, and is no key.
    """
    try:
        return read_file(path, max_bytes)
    except DataError as error:
        message = f"over {max_bytes} bytes; this is no key"
        raise DataError.of(error.code, message, file=os.fspath(path), hint="give the file of a key") from None


def others_can_read(path: str | os.PathLike[str]) -> bool:
    """Whether a file's permissions let more than its owner at it; links are followed. False where there are none."""
    if os.name != "posix":
        return False
    try:
        mode = os.stat(path).st_mode  # noqa: PTH116 - also of a path that is no Path
    except OSError:
        return False
    return stat.S_ISREG(mode) and bool(mode & _OTHERS)
