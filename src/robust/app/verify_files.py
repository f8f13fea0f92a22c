"""Checking manifests and files of validation records."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from robust.app.checks import Attempt, Check
from robust.errors import IntegrityError, Problem
from robust.manifest.read import ManifestReader
from robust.records.manifest import CaseEntry
from robust.records.media import Media
from robust.store.files import file_digest
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
        try:
            first = next(lines)
        except StopIteration:
            raise IntegrityError.of("cut_short", "the file is empty", file=file) from None
        readers.append(ManifestReader(first, file))
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


def _check_media(folder: Path, media: Iterable[tuple[str, Media]]) -> str:
    problems = []
    count = 0
    root = folder.resolve()
    for case_id, entry in media:
        count += 1
        place = folder / entry.path
        where, of = os.fspath(place), f"case {case_id!r}"
        if not place.is_file() or not place.resolve().is_relative_to(root):
            message = "the file is missing or outside the folder"
            problems.append(Problem(code="media_missing", message=message, file=where, path=of))
            continue
        size, found = place.stat().st_size, file_digest(place).removeprefix("sha256:")
        if (size, found) != (entry.bytes, entry.sha256):
            message = f"{entry.bytes} bytes of sha256 {entry.sha256} are recorded, {size} of {found} are there"
            problems.append(Problem(code="media_changed", message=message, file=where, path=of))
    if problems:
        raise IntegrityError(*problems)
    return f"{count} files have their digests"


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
