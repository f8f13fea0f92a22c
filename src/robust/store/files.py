"""Reading lines within limits, and writing files so that a crash leaves the old one or the new one, never half."""

from __future__ import annotations

import contextlib
import errno
import io
import os
import tempfile
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from robust.canon import Hasher
from robust.errors import DataError, RobustError, UsageError
from robust.records.validation import MAX_RECORD_BYTES
from robust.store.partial import open_partial

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

# A record, and what a manifest or a run puts around it.
MAX_LINE_BYTES = 2 * MAX_RECORD_BYTES
_LINES_PER_WRITE = 64
_BLOCK_BYTES = 32 * 1024
_LINE_BLOCK_BYTES = 64 * 1024
_BOM = b"\xef\xbb\xbf"


@contextlib.contextmanager
def open_input(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Open a file for reading.

    Raises:
        UsageError: it is missing, a folder, or may not be read; or it cannot be read on, as on a bad disk. Whatever
            else the block raises is its own.
    """
    if not os.fspath(path):
        # As a path it would be the folder that one is in.
        raise UsageError.of("bad_path", "the path is empty", file=repr(""), hint="name a file")
    try:
        handle = io.BufferedReader(_Reading(path), _LINE_BLOCK_BYTES)
    except OSError as error:
        raise unreadable(path, error) from None
    except ValueError as error:  # a NUL in the path
        raise UsageError.of("bad_path", str(error), file=repr(str(path))) from None
    with handle:
        yield handle


class _Reading(io.FileIO):
    """A file that tells of errors while it is read as of those when it is opened."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        super().__init__(os.fspath(path), "rb")
        self._path = path

    def readinto(self, buffer: WriteableBuffer, /) -> int | None:
        try:
            return super().readinto(buffer)
        except OSError as error:
            raise unreadable(self._path, error) from None

    def readall(self) -> bytes:
        try:
            return super().readall() or b""
        except OSError as error:
            raise unreadable(self._path, error) from None


def unreadable(path: str | os.PathLike[str], error: OSError) -> UsageError:
    """The error for a path that cannot be read."""
    reasons = {errno.ENOENT: "no such file", errno.EISDIR: "is a folder, not a file", errno.EACCES: "may not be read"}
    reason = reasons.get(error.errno or 0, error.strerror or str(error))
    return UsageError.of("unreadable", reason, file=os.fspath(path), hint="check the path and its permissions")


def read_file(path: str | os.PathLike[str], max_bytes: int) -> bytes:
    """The whole content of a file that has a known limit.

    Raises:
        UsageError: it cannot be read.
        DataError: it is larger than ``max_bytes``.
    """
    with open_input(path) as handle:
        data = handle.read(max_bytes + 1)
    if len(data) > max_bytes:
        raise DataError.of("too_large", f"the file has over {max_bytes} bytes", file=os.fspath(path), hint="split it")
    return data


def file_digest(path: str | os.PathLike[str]) -> str:
    """The digest of a file's bytes.

    Raises:
        UsageError: it cannot be read.
    """
    hasher = Hasher()
    with open_input(path) as handle:
        while chunk := handle.read(1024 * 1024):
            hasher.update(chunk)
    return hasher.digest()


def read_lines(
    path: str | os.PathLike[str],
    *,
    max_bytes: int = MAX_LINE_BYTES,
    hasher: Hasher | None = None,
) -> Iterator[tuple[int, bytes]]:
    """Stream the lines of a file with their numbers from 1; a line ends at LF and nothing else.

    Args:
        path: the file.
        max_bytes: the longest line.
        hasher: takes in every byte of the file, so that its digest is that of what was read.

    Raises:
        UsageError: the file cannot be read.
        DataError: a line is too long.
    """
    file = os.fspath(path)
    with open_input(path) as handle:
        number = 0
        while line := handle.readline(max_bytes + 1):
            number += 1
            if hasher is not None:
                hasher.update(line)
            if number == 1 and line.startswith(_BOM):
                line = line[3:]
            if line.endswith(b"\n"):
                yield number, line[:-1]
            elif len(line) > max_bytes:
                raise DataError.of("too_large", f"the line has over {max_bytes} bytes", file=file, line=number)
            else:
                yield number, line


def read_blocks(
    path: str | os.PathLike[str], *, max_bytes: int = MAX_LINE_BYTES, hasher: Hasher | None = None
) -> Iterator[list[bytes]]:
    """Stream the lines of a file, all of which must end with a line feed, many at a time.

    Every line before one that is wrong is given before that is told.

    Args:
        path: the file.
        max_bytes: the longest line.
        hasher: takes in every byte that is read, also of a line that is wrong.

    Raises:
        UsageError: the file cannot be read.
        DataError: a line is too long, or the last one is cut short.
    """
    number = 1
    rest: list[bytes] = []
    with open_input(path) as handle:
        while chunk := handle.read(min(_BLOCK_BYTES, max_bytes)):
            if hasher is not None:
                hasher.update(chunk)
            lines = chunk.split(b"\n")
            rest.append(lines.pop(0))
            if lines or sum(map(len, rest)) > max_bytes:
                first = b"".join(rest)
                if len(first) > max_bytes:
                    message = f"the line has over {max_bytes} bytes"
                    raise DataError.of("too_large", message, file=os.fspath(path), line=number)
                number += len(lines)
                rest = [lines.pop()]
                yield [first, *lines]
    if any(rest):
        message = "the last line has no line feed; it was cut short"
        raise DataError.of("cut_short", message, file=os.fspath(path), line=number)


def read_line_blocks(
    path: str | os.PathLike[str], *, block_bytes: int = _LINE_BLOCK_BYTES, hasher: Hasher | None = None
) -> Iterator[tuple[int, list[bytes]]]:
    """Stream the lines of a file as :func:`read_lines` does, many at once: the number of the first, and all of them.

    Args:
        path: the file.
        block_bytes: about how many bytes are given at once.
        hasher: takes in every byte of the file, so that its digest is that of what was read.

    Raises:
        UsageError: the file cannot be read.
        DataError: a line is too long; those before it came before.
    """
    file = os.fspath(path)
    with open_input(path) as handle:
        number = 1
        # To the end of the line that the block breaks off in.
        while block := handle.read(block_bytes) + handle.readline(MAX_LINE_BYTES + 1):
            if hasher is not None:
                hasher.update(block)
            lines = block.removesuffix(b"\n").split(b"\n")
            if number == 1 and lines[0].startswith(_BOM):
                lines[0] = lines[0][3:]
            too_long = len(lines[-1]) > MAX_LINE_BYTES
            if too_long:
                lines.pop()
            if lines:
                yield number, lines
            number += len(lines)
            if too_long:
                raise DataError.of("too_large", f"the line has over {MAX_LINE_BYTES} bytes", file=file, line=number)


def require_free(path: Path, *, overwrite: bool) -> None:
    """Refuse to write a file where something is, also before the work that makes what is written.

    Raises:
        UsageError: the file exists and ``overwrite`` is false, or nothing can have this name.
    """
    if "\x00" in os.fspath(path):
        raise UsageError.of("bad_path", "a path cannot hold a NUL character", file=repr(os.fspath(path)))
    if not overwrite and os.path.lexists(path):
        raise _exists(path)


@contextlib.contextmanager
def atomic_output(path: str | os.PathLike[str], *, overwrite: bool) -> Iterator[Callable[[bytes], object]]:
    """Write a file that appears under its name only when it is whole and on disk.

    Yields a function that appends bytes. If the block raises, nothing is left behind.

    Raises:
        UsageError: the file exists and ``overwrite`` is false, or the folder cannot be written to.
    """
    target = Path(path)
    require_free(target, overwrite=overwrite)
    try:
        temporary, handle = open_partial(target)
    except OSError as error:
        raise unwritable(target, error) from None

    def write(data: bytes) -> None:
        # Only here and below is an error of the system one of this file; the block has its own.
        try:
            handle.write(data)
        except OSError as error:
            raise unwritable(target, error) from None

    try:
        yield write
        try:
            handle.flush()
            os.fsync(handle.fileno())
            # Its lock says that it is still needed, until it has its name; Windows renames closed files alone.
            if os.name != "posix":
                handle.close()
        except OSError as error:
            raise unwritable(target, error) from None
        try:
            publish(temporary, target, overwrite=overwrite)
        except OSError as error:
            raise unwritable(target, error) from None
    finally:
        with contextlib.suppress(OSError):
            handle.close()
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)


def publish(temporary: Path, target: Path, *, overwrite: bool) -> None:
    """Give a finished file its name.

    Raises:
        UsageError: the name is taken and ``overwrite`` is false.
        OSError: the folder cannot be written to.
    """
    if overwrite:
        temporary.replace(target)
    else:
        try:
            # Unlike a rename, a link never replaces a file that somebody else made in the meantime.
            os.link(temporary, target)
        except FileExistsError:
            raise _exists(target) from None
        except OSError:  # a file system without links
            if os.path.lexists(target):
                raise _exists(target) from None
            temporary.replace(target)
    sync_folder(target.parent)


def sync_folder(folder: Path) -> None:
    """Make a rename in a folder last through a power failure, where the platform can."""
    if os.name != "posix":
        return
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def write_lines(path: str | os.PathLike[str], lines: Iterable[bytes], *, overwrite: bool = False) -> None:
    """Write lines atomically, each with a line feed.

    Raises:
        UsageError: see :func:`atomic_output`.
    """
    with atomic_output(path, overwrite=overwrite) as write:
        remaining = iter(lines)
        while block := list(islice(remaining, _LINES_PER_WRITE)):
            block.append(b"")  # so that the last line gets its line feed too
            write(b"\n".join(block))


def unwritable(path: Path, error: OSError) -> RobustError:
    """The error for a path that cannot be written."""
    reason = error.strerror or str(error)
    return UsageError.of("unwritable", f"cannot be written: {reason}", file=str(path), hint="check folder and space")


def not_put_aside(error: OSError, what: str) -> UsageError:
    """The error for a temporary file that cannot be written, as on a full disk."""
    hint = "free some space, or set TMPDIR to another folder"
    message = f"{what} cannot be put aside: {error.strerror or error}"
    try:
        folder = tempfile.gettempdir()
    except OSError:  # no folder for temporary files can be written to
        folder = None
    return UsageError.of("unwritable", message, file=folder, hint=hint)


def _exists(path: Path) -> UsageError:
    return UsageError.of(
        "exists",
        "the file exists and is not written over",
        file=str(path),
        hint="choose another name, or --overwrite (overwrite=True)",
    )
