"""Manifests that a user names, told from other files before they are read."""

from __future__ import annotations

import os
from collections.abc import Iterator

from robust.app.evidence_kinds import reads_as_manifest
from robust.app.manifests import Manifest
from robust.errors import UsageError
from robust.manifest.read import ManifestReader
from robust.records.manifest import CaseEntry
from robust.records.validation import ValidationRecord
from robust.store.files import MAX_LINE_BYTES, open_input
from robust.store.validations import read_own_lines


def require_manifest(path: str | os.PathLike[str]) -> None:
    """Tell a file that is no manifest from one that is damaged.

    Raises:
        UsageError: it cannot be read, or it is something else.
    """
    with open_input(path) as handle:
        first = handle.readline(MAX_LINE_BYTES)
    named = os.fspath(path).endswith(".manifest.jsonl")
    if first and not named and not reads_as_manifest(first):
        hint = "robust manifest build makes one of cases, robust manifest export one of validation records"
        raise UsageError.of("not_a_manifest", "the file is no manifest", file=os.fspath(path), hint=hint)


def load_manifest(path: str | os.PathLike[str]) -> Manifest:
    """Read a manifest and check everything that it says.

    Raises:
        UsageError: the file cannot be read, or is no manifest.
        IntegrityError: it is damaged.
    """
    require_manifest(path)
    return Manifest.load(path)


def open_manifest(path: str | os.PathLike[str]) -> tuple[ManifestReader, Iterator[CaseEntry | ValidationRecord]]:
    """Stream a manifest: its reader, which has the header, and its records, each checked as it passes.

    Raises:
        UsageError: the file cannot be read, or is no manifest.
        IntegrityError: at once for the header; while iterating, and at the end, for the rest.
    """
    require_manifest(path)
    reader, left = ManifestReader.of_lines((line for _, line in read_own_lines(path)), os.fspath(path))
    return reader, reader.read(left)
