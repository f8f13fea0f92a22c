"""The public manifest: a frozen manifest that can be saved, loaded and streamed."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Self

from robust.errors import IntegrityError
from robust.manifest.frozen import FrozenManifest
from robust.manifest.read import ManifestReader
from robust.records.case import Case
from robust.records.manifest import CaseEntry, ManifestHeader
from robust.store.files import write_lines
from robust.store.validations import read_own_lines


class Manifest(FrozenManifest):
    """A frozen set of cases, their splits, and the validations that vouch for its variants.

    Made by :meth:`build`, :meth:`load` or a validation's ``manifest(...)``; never changed afterwards.
    """

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read a manifest file and check everything that it says.

        Raises:
            UsageError: the file cannot be read.
            IntegrityError: it is damaged, contradicts itself or breaks a rule; every problem of the rules is named.
        """
        return cls.from_lines((line for _, line in read_own_lines(path)), os.fspath(path))

    @classmethod
    def stream(cls, path: str | os.PathLike[str]) -> tuple[ManifestHeader, Iterator[Case]]:
        """Read the header, and the cases one by one, in memory that grows only by ids and digests.

        The cases are checked as they pass; what only the whole file shows (root, counts, validations) is checked when
        the iterator ends, so use nothing of it before it has ended without an error.

        Raises:
            UsageError: the file cannot be read.
            IntegrityError: at once for the header, while iterating for the rest.
        """
        lines = (line for _, line in read_own_lines(path))
        header_line = next(lines, None)
        if header_line is None:
            raise IntegrityError.of("cut_short", "the file is empty", file=os.fspath(path))
        reader = ManifestReader(header_line, os.fspath(path))
        return reader.header, (item.case for item in reader.read(lines) if isinstance(item, CaseEntry))

    def save(self, path: str | os.PathLike[str], overwrite: bool = False) -> None:
        """Write the manifest atomically.

        Raises:
            UsageError: the file exists and ``overwrite`` is false, or it cannot be written.
        """
        write_lines(path, self.lines(), overwrite=overwrite)
