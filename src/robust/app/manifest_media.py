"""Manifests with the files that their cases name: saved, and read from new material, with each file in its place."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from robust.manifest.frozen import FrozenManifest
from robust.records.case import Case
from robust.records.media import Media
from robust.records.validation import ValidationRecord
from robust.store.attestations import replacing
from robust.store.files import write_lines
from robust.store.media import copy_media


def media_of(cases: Iterable[Case]) -> Iterator[tuple[str, Media]]:
    """The files that cases name, each with the id of its case."""
    return ((case.case_id, entry) for case in cases for entry in case.media)


def save_with_media(
    manifest: FrozenManifest,
    path: str | os.PathLike[str],
    *,
    media_from: Iterable[str | os.PathLike[str]] = (),
    overwrite: bool = False,
) -> int:
    """Write a manifest atomically, after the files that its cases name lie beside it, each with its digest.

    Args:
        manifest: what to write.
        path: where to.
        media_from: folders from which missing files are copied.
        overwrite: whether a file in the place of the manifest is replaced; media files never are.

    Returns:
        how many media files were copied.

    Raises:
        DataError: a media file is missing, or has other bytes than it should; all are named at once.
        UsageError: the file exists and ``overwrite`` is false, or it cannot be written.
    """
    # Told before anything is copied.
    target = Path(path)
    if not overwrite and os.path.lexists(target):
        write_lines(target, (), overwrite=False)
    copied = copy_media(media_of(manifest.cases), list(map(Path, media_from)), target)
    with replacing(target):
        write_lines(target, manifest.lines(), overwrite=overwrite)
    return copied


class MediaNamed:
    """Notes the files that cases and validations name while they pass, to copy them when all have passed.

    Args:
        media_from: folders to look in.
        output: the manifest.
    """

    def __init__(self, media_from: Iterable[str | os.PathLike[str]], output: Path) -> None:
        self._named: list[tuple[str, Media]] = []
        self._sources = list(map(Path, media_from))
        self._output = output

    def by_validations(self, records: Iterable[ValidationRecord]) -> Iterator[ValidationRecord]:
        """Pass validations on."""
        for record in records:
            # Most name none, and are not decoded.
            if b'"media":[{' in record.content:
                data = record.data
                self._named.extend(media_of(Case.from_json(data[side]) for side in ("base", "candidate")))
            yield record

    def by_cases(self, cases: Iterable[Case]) -> Iterator[Case]:
        """Pass cases on."""
        for case in cases:
            if case.media:
                self._named.extend(media_of((case,)))
            yield case

    def copy(self) -> None:
        """Copy every file that was named, see :func:`copy_media`.

        Raises:
            DataError: a file is missing, has changed, or other bytes are in its place; all are named at once.
            UsageError: a file cannot be read or written.
        """
        copy_media(self._named, self._sources, self._output)
