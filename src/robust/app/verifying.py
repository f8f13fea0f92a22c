"""The public function that checks stored evidence: everything that can be derived is derived again."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from robust.app.checks import Check, Kind, Verification
from robust.app.manifests import Manifest
from robust.app.verify_files import check_manifest, check_validations
from robust.app.verify_run import StoredRun, check_run
from robust.errors import RobustError, UsageError
from robust.manifest.frozen import FrozenManifest
from robust.store.files import MAX_LINE_BYTES, open_input, unreadable
from robust.store.runs import is_run_directory

__all__ = ["Check", "Verification", "kind_of", "verify", "verify_all"]

# How lines of our files begin: keys are sorted, so the first key tells the kind.
_HEADER_START: Final = b'{"counts":'
_CASE_START: Final = b'{"case":'
_VALIDATION_START: Final = b'{"base":'


def verify(path: str | os.PathLike[str], *, manifest: str | os.PathLike[str] | None = None) -> Verification:
    """Check a manifest, a file of validation records, or a run directory.

    Args:
        path: what to check.
        manifest: for a run, the manifest that was run: shows that no case was left out or changed.

    Raises:
        UsageError: a path is missing, may not be read, or is of no known kind.
        IntegrityError: the manifest that was given is damaged.
    """
    place = Path(path)
    kind = kind_of(place)
    frozen = None if manifest is None else Manifest.load(manifest)
    return Verification(path=os.fspath(path), kind=kind, checks=tuple(_checks(place, kind, frozen)))


def verify_all(paths: Iterable[str | os.PathLike[str]]) -> Iterator[Verification | RobustError]:
    """Check several paths; a run is compared with its manifest where that is among them.

    A path that cannot be checked gives its error, and the others are checked all the same.
    """
    places = [Path(path) for path in paths]
    manifests: dict[str, FrozenManifest] = {}
    for place in places:
        try:
            if kind_of(place) == "manifest":
                frozen = Manifest.load(place)
                manifests[frozen.digest] = frozen
        except RobustError:
            continue  # reported below, where its turn comes
    for place in places:
        try:
            kind = kind_of(place)
            named = StoredRun.named_manifest(place) if kind == "run" else None
            # A run that names none of the manifests given is compared with the first, and found to be another's.
            ran = None if named is None else manifests.get(named, next(iter(manifests.values()), None))
            yield Verification(path=os.fspath(place), kind=kind, checks=tuple(_checks(place, kind, ran)))
        except RobustError as error:
            yield error


def _checks(place: Path, kind: Kind, manifest: FrozenManifest | None) -> Iterator[Check]:
    if kind == "run":
        return check_run(place, manifest)
    return check_manifest(place) if kind == "manifest" else check_validations(place)


def kind_of(path: Path) -> Kind:
    """What a path holds, told by how its first line begins, and by its name where that is damaged.

    Raises:
        UsageError: it is missing, unreadable, or nothing that this package writes.
    """
    if path.is_dir():
        if is_run_directory(path):
            return "run"
        raise UsageError.of("unknown_kind", "the folder is no run directory", file=os.fspath(path))
    if path.exists() and not path.is_file():
        raise UsageError.of("unknown_kind", "neither a file nor a folder", file=os.fspath(path))
    try:
        with open_input(path) as handle:
            first = handle.readline(MAX_LINE_BYTES)
    except OSError as error:
        raise unreadable(path, error) from None
    if first.startswith((_HEADER_START, _CASE_START)) or b'"kind":"manifest"' in first:
        return "manifest"
    if first.startswith(_VALIDATION_START) or b'"robust.validation/' in first:
        return "validations"
    # What bears the name of our files is damaged evidence and not something else.
    if path.name.endswith(".manifest.jsonl"):
        return "manifest"
    if not first and path.suffix == ".jsonl":
        return "validations"
    if b'"kind":"decision"' in first:
        hint = "give the run directory that it lies in"
        raise UsageError.of("unknown_kind", "the records of a run by themselves", file=os.fspath(path), hint=hint)
    hint = "give a manifest, a file of validation records, or a run directory"
    raise UsageError.of("unknown_kind", "nothing that can be verified", file=os.fspath(path), hint=hint)
