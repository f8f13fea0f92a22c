"""Checking manifests and files of validation records."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from robust.app.checks import Attempt, Check
from robust.errors import IntegrityError
from robust.manifest.read import ManifestReader
from robust.records.manifest import CaseEntry
from robust.records.media import Media
from robust.store.files import file_digest
from robust.store.media import check_media
from robust.store.validations import read_own_lines, read_validations


def check_manifest(path: Path) -> Iterator[Check]:
    """Check a manifest: header, lines, rules, validations, and its media files."""
    attempt = Attempt()
    file = os.fspath(path)
    yield Check(name="file digest", holds=True, detail=file_digest(path))
    lines = (line for _, line in read_own_lines(path))
    readers: list[ManifestReader] = []
    media: list[tuple[str, Media]] = []

    def header() -> str:
        readers.append(ManifestReader.of_lines(lines, file)[0])
        return f"manifest digest {readers[0].digest}"

    def content() -> str:
        for item in readers[0].read(lines):
            if isinstance(item, CaseEntry):
                media.extend((item.case.case_id, entry) for entry in item.case.media)
        counts = readers[0].header.counts
        return (
            f"root {readers[0].header.root}; {counts.cases} cases of {counts.sources} sources, "
            f"{counts.validations} validations derived again"
        )

    yield attempt.step("header", header)
    if not attempt.failed:
        yield attempt.step("root, rules and derivation", content)
    if not attempt.failed and media:
        yield attempt.step("media files", lambda: _check_media(path.parent, media))


def _check_media(folder: Path, media: list[tuple[str, Media]]) -> str:
    problems = list(check_media(folder, media))
    if problems:
        raise IntegrityError(*problems)
    return f"{len(media)} files have their digests"


def check_validations(path: Path) -> Iterator[Check]:
    """Check a file of validation records."""
    attempt = Attempt()
    yield Check(name="file digest", holds=True, detail=file_digest(path))

    def content() -> str:
        counts: dict[str, int] = {}
        for record in read_validations(path):
            counts[record.status] = counts.get(record.status, 0) + 1
        if not counts:
            raise IntegrityError.of("cut_short", "the file is empty", file=os.fspath(path))
        return ", ".join(f"{count} {status}" for status, count in sorted(counts.items()))

    yield attempt.step("digests and derivation", content)
