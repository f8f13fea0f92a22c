"""Where attestations and claims lie, and reading and writing them: bytes here, their meaning elsewhere."""

from __future__ import annotations

import contextlib
import errno
import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

from robust.canon import JsonObject, canonical_bytes, digest_bytes
from robust.errors import DataError, IntegrityError, UsageError
from robust.store.files import atomic_output, file_digest, read_file, sync_folder, unreadable, unwritable
from robust.store.runs import ATTESTATION, LOCK

SUFFIX: Final = ".dsse.json"
MAX_CLAIMS: Final = 100
# Those of a folder who sign beside a file take turns, which takes milliseconds.
_LOCK_BESIDE: Final = ".robust-signing.lock"
_WAIT_SECONDS: Final = 60
_CLAIM: Final = re.compile(r"claim-[0-9a-f]{12}\.dsse\.json\Z")


def attestation_path(path: Path) -> Path:
    """Where the attestation of some evidence lies: in the folder of a run, beside every other file."""
    return path / ATTESTATION if path.is_dir() else path.with_name(path.name + SUFFIX)


def claim_path(path: Path, payload: bytes) -> Path:
    """Where a claim about some evidence lies; one of other content has another name."""
    name = f"claim-{digest_bytes(payload).removeprefix('sha256:')[:12]}{SUFFIX}"
    return path / name if path.is_dir() else path.with_name(f"{path.name}.{name}")


def claims_of(path: Path) -> list[Path]:
    """The claims about some evidence, by name; what is in them is not looked at.

    Raises:
        UsageError: the folder cannot be read.
    """
    folder, start = (path, "") if path.is_dir() else (path.parent, f"{path.name}.")
    try:
        names = [entry.name for entry in os.scandir(folder)]
    except OSError as error:
        raise unreadable(folder, error) from None
    found = (name for name in names if name.startswith(start) and _CLAIM.match(name[len(start) :]))
    return [folder / name for name in sorted(found)]


@contextlib.contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[None]:
    """Around the replacing of a file of evidence: what was signed or claimed of the old content goes with it.

    It goes once the new content has its name, so that a kill in between leaves an attestation that does not fit, and
    never a file without one that it had. Content that comes out the same keeps what was signed of it, and so does
    what somebody signed in the meantime.

    Args:
        path: the file; nothing is done to it here.

    Raises:
        UsageError: an attestation cannot be removed.
    """
    file = Path(path)
    before = {each: identity for each in _signed_of(file) if (identity := _identity(each)) is not None}
    content = file_digest(file) if before and file.is_file() else None
    yield
    if not before or (content is not None and content == file_digest(file)):
        return
    try:
        for each, identity in before.items():
            if _identity(each) == identity:
                each.unlink()
    except OSError as error:
        raise unwritable(each, error) from None
    sync_folder(file.parent)


@contextlib.contextmanager
def evidence_output(path: str | os.PathLike[str], *, overwrite: bool) -> Iterator[Callable[[bytes], object]]:
    """Write a file of evidence atomically; what was signed of one that it replaces goes, see :func:`replacing`.

    Yields a function that appends bytes. If the block raises, everything is left as it was.

    Raises:
        UsageError: the file exists and ``overwrite`` is false, or something cannot be written or removed.
    """
    with replacing(path), atomic_output(path, overwrite=overwrite) as write:
        yield write


def _signed_of(file: Path) -> list[Path]:
    """The attestation and the claims of a file that is there."""
    if file.is_dir() or not os.path.lexists(file):
        return []
    return [attestation_path(file), *claims_of(file)]


def _identity(file: Path) -> tuple[int, ...] | None:
    """What another file of the same name has not; None where there is none."""
    try:
        found = file.lstat()
    except OSError:
        return None
    return found.st_dev, found.st_ino, found.st_mtime_ns, found.st_size


def has_attestation(path: Path) -> bool:
    """Whether some evidence has an attestation, a broken link counted."""
    return os.path.lexists(attestation_path(path))


def read_attestation(file: Path, max_bytes: int) -> bytes:
    """The content of the file of an attestation or a claim.

    Args:
        file: the file.
        max_bytes: how many bytes it may have.

    Raises:
        UsageError: it is missing, or may not be read.
        IntegrityError: ``link``: it is a link, so that its content lies elsewhere; ``not_a_file``: it is a folder, a
            pipe or a device, which is never opened; ``too_large``.
    """
    refuse_link(file)
    if file.exists() and not file.is_file():
        message, hint = "neither an envelope nor any other plain file", "put the file in its place, or remove it"
        raise IntegrityError.of("not_a_file", message, file=os.fspath(file), hint=hint)
    try:
        return read_file(file, max_bytes)
    except DataError as error:
        message = f"over {max_bytes} bytes; this is no attestation"
        hint = "put the right file in its place, or remove it and sign anew"
        raise IntegrityError.of(error.code, message, file=os.fspath(file), hint=hint) from None


def write_attestation(file: Path, envelope: JsonObject) -> None:
    """Write an envelope as canonical JSON and a line feed; the file has the old content or the new one, never half.

    Raises:
        UsageError: it cannot be written.
        IntegrityError: ``link``: there is a link of that name.
    """
    refuse_link(file)
    with atomic_output(file, overwrite=True) as write:
        write(canonical_bytes(envelope) + b"\n")


def refuse_long_name(file: Path) -> None:
    """Refuse evidence whose name leaves no room for that of its attestation or a claim.

    Args:
        file: the attestation or the claim.

    Raises:
        UsageError: ``bad_name``.
    """
    try:
        file.lstat()
    except OSError as error:
        if error.errno == errno.ENAMETOOLONG:
            message, hint = "no file can have a name as long as this one", "give the evidence a shorter name"
            raise UsageError.of("bad_name", message, file=os.fspath(file), hint=hint) from None


def refuse_link(file: Path) -> None:
    """Refuse a link in the place of a file of ours.

    Raises:
        IntegrityError: ``link``.
    """
    if file.is_symlink():
        message, hint = "a link, where the file itself is due", "put the file in its place"
        raise IntegrityError.of("link", message, file=os.fspath(file), hint=hint)


@contextlib.contextmanager
def signing_lock(path: Path, *, wait_s: float = _WAIT_SECONDS) -> Iterator[None]:
    """Hold off others who sign the same evidence, and a run that would replace it; they wait for their turn.

    Args:
        path: the evidence.
        wait_s: how long to wait for another one, in seconds.

    Raises:
        UsageError: ``in_use``: another one held it all that time; or the folder cannot be written.
    """
    from filelock import FileLock, Timeout

    place = path / LOCK if path.is_dir() else path.with_name(_LOCK_BESIDE)
    lock = FileLock(place, timeout=wait_s)
    try:
        # Which the lock would make.
        place.parent.stat()
        lock.acquire()
    except Timeout:
        message, hint = "a run, or somebody who signs, holds this evidence", "wait for it"
        raise UsageError.of("in_use", message, file=os.fspath(path), hint=hint) from None
    except OSError as error:
        raise unwritable(place.parent, error) from None
    try:
        yield
    finally:
        # While it is held, so that whoever waits finds that the file is gone, and makes a new one.
        with contextlib.suppress(OSError):
            place.unlink(missing_ok=True)
        lock.release()
