"""The files that statements about evidence speak of."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Final

from robust.app.checks import Kind
from robust.errors import UsageError
from robust.signing.statement import RUN_SUBJECTS
from robust.store.files import file_digest
from robust.store.runs import RunReader

_DRIVE: Final = re.compile(r"[A-Za-z]:")
_LONGEST_NAME: Final = 255


def subject_digests(path: Path, kind: Kind) -> dict[str, str]:
    """The digests (``sha256:…``) of the files of some evidence, by name.

    Raises:
        UsageError: a file cannot be read, or has a name that is no text.
        IntegrityError: a run is unfinished, or one of its files is missing or a link.
    """
    if kind == "run":
        RunReader(path)
        return {name: file_digest(path / name) for name in RUN_SUBJECTS}
    return {name_of(path): file_digest(path)}


def name_of(path: Path) -> str:
    """A file's name as the text that is signed.

    Raises:
        UsageError: ``bad_name``: it is no text.
    """
    name = path.name
    try:
        name.encode("utf-8")
    except UnicodeEncodeError:
        message = "the name of the file is not UTF-8, so that no statement can name it"
        raise UsageError.of("bad_name", message, file=repr(os.fspath(path)), hint="give it another name") from None
    return name


def unsafe_name_reason(name: str) -> str | None:
    """Why a text cannot be the name of a file beside an attestation, or None."""
    if name in (".", "..") or "/" in name or "\\" in name or _DRIVE.match(name) or (os.name == "nt" and ":" in name):
        return "is no plain file name, and what lies elsewhere is not looked at"
    if not name.isprintable() or len(name.encode("utf-8", "surrogatepass")) > _LONGEST_NAME:
        return "is no printable name that a file can have"
    return None
