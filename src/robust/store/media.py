"""Files of inputs: described, checked, and copied beside the manifest that names them."""

from __future__ import annotations

import mimetypes
import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from robust.canon import Hasher, fold
from robust.errors import CaseError, DataError, Problem, UsageError
from robust.records.media import Media, unsafe_path_reason
from robust.store.files import atomic_output, open_input, unwritable

_CHUNK = 1024 * 1024


def describe_media(folder: str | os.PathLike[str], path: str, media_type: str | None = None) -> Media:
    """What a case says of a file: its path inside a folder, media type, size and SHA-256.

    Args:
        folder: the folder that the manifest will lie in.
        path: the file's path inside it, with ``/`` between its parts.
        media_type: such as ``image/png``; told by the ending of the path without it.

    Raises:
        UsageError: the file cannot be read.
        CaseError: the path leaves the folder or cannot be stored everywhere, or the media type is not known.
    """
    reason = unsafe_path_reason(path) if isinstance(path, str) else "must be text"
    if reason is not None:
        raise CaseError.of("wrong_value", reason, path="$.media.path")
    kind = media_type or mimetypes.guess_type(path)[0]
    if kind is None:
        message = f"the ending of {path!r} tells no media type"
        raise CaseError.of("wrong_value", message, path="$.media.media_type", hint="give one, such as image/png")
    place = _inside(Path(folder), path)
    if place is None:
        message = "the file is missing, is no regular file, or lies outside the folder"
        raise UsageError.of("media_missing", message, file=os.fspath(Path(folder) / path))
    size, sha256 = _measure(place)
    return Media(path=path, media_type=kind, bytes=size, sha256=sha256)


def check_media(folder: Path, entries: Iterable[tuple[str, Media]]) -> Iterator[Problem]:
    """What is wrong with the files that cases name, by case id."""
    for case_id, entry in entries:
        place = _inside(folder, entry.path)
        where, of = os.fspath(folder / entry.path), f"case {case_id!r}"
        if place is None:
            message = "the file is missing or outside the folder"
            yield Problem(code="media_missing", message=message, file=where, path=of)
        elif (found := _measure(place)) != (entry.bytes, entry.sha256):
            yield Problem(code="media_changed", message=_difference(entry, found), file=where, path=of)


def copy_media(entries: Iterable[tuple[str, Media]], sources: Sequence[Path], output: Path) -> int:
    """Copy the files that cases name to the folder of the file that names them, each checked while it is copied.

    A file that is there already with the right bytes is left alone; one with other bytes is never written over.

    Args:
        entries: cases by id, and the files that they name.
        sources: folders to look in, one after the other.
        output: the file that will name them, whose own place none of them may take.

    Returns:
        how many files were copied.

    Raises:
        DataError: a file is missing, has changed, or other bytes are in its place; all are named at once.
        UsageError: a file cannot be read or written.
    """
    problems: list[Problem] = []
    target = output.parent
    taken = fold(output.name, space=False)
    copied = 0
    done: set[str] = set()
    for case_id, entry in entries:
        if entry.path in done:
            continue
        done.add(entry.path)
        there = target / entry.path
        # Also where upper and lower case are one.
        if fold(entry.path.partition("/")[0], space=False) == taken:
            message = f"its media file {entry.path!r} would lie in the place of the file that is written"
            hint = "give that another name"
            problems.append(Problem(code="media_conflict", message=message, path=f"case {case_id!r}", hint=hint))
        elif os.path.lexists(there):
            problems += check_media(target, [(case_id, entry)])
        elif (problem := _copy(case_id, entry, sources, target)) is None:
            copied += 1
        else:
            problems.append(problem)
    if problems:
        raise DataError(*problems)
    return copied


def _copy(case_id: str, entry: Media, sources: Sequence[Path], target: Path) -> Problem | None:
    of = f"case {case_id!r}"
    found = next((place for folder in sources if (place := _inside(folder, entry.path)) is not None), None)
    if found is None:
        looked = ", ".join(map(os.fspath, sources)) or "no folder"
        message = f"its media file {entry.path!r} is in none of: {looked}"
        return Problem(code="media_missing", message=message, path=of, hint="name the folder that it lies in")
    there = target / entry.path
    if not _make_folders(target, there.parent):
        message = "a link on the way to it leads out of the manifest's folder, or nowhere"
        return Problem(code="media_outside", message=message, file=os.fspath(there), path=of)
    try:
        with atomic_output(there, overwrite=False) as write, open_input(found) as handle:
            hasher = Hasher()
            while chunk := handle.read(_CHUNK):
                hasher.update(chunk)
                write(chunk)
            if (measured := (hasher.size, hasher.digest().removeprefix("sha256:"))) != (entry.bytes, entry.sha256):
                message = _difference(entry, measured)
                # Nothing that was written is left behind.
                raise DataError.of("media_changed", message, file=os.fspath(found), path=of)
    except DataError as error:
        return error.problems[0]
    return None


def _inside(folder: Path, path: str) -> Path | None:
    """The regular file of a relative path, where it really lies in the folder; links out of it are not followed."""
    place = folder / path
    try:
        return place if place.is_file() and _lies_in(folder, place) else None
    except (OSError, ValueError):  # a path that the system cannot hold
        return None


def _lies_in(root: Path, place: Path) -> bool:
    """Whether a path leads to somewhere inside a folder, links followed."""
    try:
        return place.resolve().is_relative_to(root.resolve())
    except (OSError, RuntimeError):  # a loop of links
        return False


def _make_folders(root: Path, folder: Path) -> bool:
    """Make the folders down to one; false when a link would lead out of the root, or leads nowhere."""
    here = root
    for part in folder.relative_to(root).parts:
        here /= part
        if not _lies_in(root, here) or (here.is_symlink() and not here.exists()):
            return False
        try:
            here.mkdir(exist_ok=True)
        except OSError as error:
            raise unwritable(here, error) from None
    return True


def _measure(place: Path) -> tuple[int, str]:
    hasher = Hasher()
    with open_input(place) as handle:
        while chunk := handle.read(_CHUNK):
            hasher.update(chunk)
    return hasher.size, hasher.digest().removeprefix("sha256:")


def _difference(entry: Media, found: tuple[int, str]) -> str:
    return f"{entry.bytes} bytes of sha256 {entry.sha256} are recorded, {found[0]} of {found[1]} are there"
