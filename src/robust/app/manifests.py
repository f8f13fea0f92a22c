"""The public manifest: a frozen manifest that can be saved, loaded and streamed."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from typing import Self

from robust.app.manifest_media import save_with_media
from robust.app.manifest_writing import write_manifest
from robust.canon import JsonObject
from robust.manifest.frozen import FrozenManifest
from robust.manifest.read import ManifestReader
from robust.manifest.splits import SplitPlan
from robust.records.case import Case
from robust.records.manifest import CaseEntry, ManifestHeader
from robust.records.validation import ValidationRecord
from robust.store.attestations import replacing
from robust.store.files import write_lines
from robust.store.line_store import LineStore
from robust.store.validations import read_own_blocks, read_own_lines


class Manifest(FrozenManifest):
    """A frozen set of cases, their splits, and the validations that vouch for its variants.

    Made by :meth:`build`, :meth:`load` or a validation's ``manifest(...)``; never changed afterwards.
    """

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read a manifest file and check everything that it says.

        The lines of a large one are kept in a temporary file, so that memory grows only by ids and digests.

        Raises:
            UsageError: the file cannot be read.
            IntegrityError: it is damaged, contradicts itself or breaks a rule; every problem of the rules is named.
        """
        return cls.from_blocks(read_own_blocks(path), os.fspath(path), keeper=LineStore())

    @classmethod
    def stream(cls, path: str | os.PathLike[str]) -> tuple[ManifestHeader, Iterator[Case]]:
        """Read the header, and the cases one by one, in memory that grows only by ids and digests.

        The cases are checked as they pass; what only the whole file shows (root, counts, validations) is checked when
        the iterator ends, so use nothing of it before it has ended without an error.

        Raises:
            UsageError: the file cannot be read.
            IntegrityError: at once for the header, while iterating for the rest.
        """
        reader, left = ManifestReader.of_lines((line for _, line in read_own_lines(path)), os.fspath(path))
        return reader.header, (item.case for item in reader.read(left) if isinstance(item, CaseEntry))

    @staticmethod
    def write(
        path: str | os.PathLike[str],
        name: str,
        *,
        cases: Iterable[Case] = (),
        validations: Iterable[ValidationRecord] = (),
        splits: SplitPlan | str | None = None,
        salt: str = "",
        provenance: JsonObject | None = None,
        overwrite: bool = False,
    ) -> str:
        """Build a manifest of any size and write it, in memory that grows only by ids and digests.

        The file is, byte for byte, the one that :meth:`build` and :meth:`save` make of the same content; the arguments
        are those of :meth:`build`, and may be generators. Temporary files take twice the room of the manifest.

        Returns:
            the manifest's digest.

        Raises:
            ManifestError: a rule is broken; every problem is named at once.
            CaseError: a case is not portable JSON.
            UsageError: the file exists and ``overwrite`` is false, or it or a temporary file cannot be written.
        """
        return write_manifest(
            path,
            name,
            cases=cases,
            validations=validations,
            splits=splits,
            salt=salt,
            provenance=provenance,
            overwrite=overwrite,
        )

    def save(
        self,
        path: str | os.PathLike[str],
        overwrite: bool = False,
        *,
        media_from: str | os.PathLike[str] | None = None,
    ) -> None:
        """Write the manifest atomically.

        Args:
            path: where to.
            overwrite: whether a file that is there is replaced; other content takes away what was signed of it.
            media_from: a folder from which the files that the cases name are copied beside the manifest, each checked;
                without it nothing is copied, and ``verify`` says which are missing.

        Raises:
            UsageError: the file exists and ``overwrite`` is false, or it cannot be written.
            DataError: with ``media_from``: a file is missing, or has other bytes than its case says.
        """
        if media_from is None:
            with replacing(path):
                write_lines(path, self.lines(), overwrite=overwrite)
        else:
            save_with_media(self, path, media_from=[media_from], overwrite=overwrite)
