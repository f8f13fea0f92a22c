"""The digest of a manifest by its header, and checking an inclusion proof with no more than that."""

from __future__ import annotations

import os
from pathlib import Path

from robust.app.checks import Verification
from robust.app.examined import KnownTree
from robust.app.hashed_lines import HashedDocument
from robust.app.proof_checks import check_proof_document
from robust.app.proof_files import MAX_PROOF_BYTES
from robust.canon import digest_bytes, is_digest
from robust.manifest.read import read_header
from robust.store.files import MAX_LINE_BYTES, open_input


def header_digest(path: str | os.PathLike[str]) -> str:
    """The digest of a manifest from its first line; the other lines may be missing.

    Raises:
        UsageError: the file cannot be read.
        IntegrityError: its first line is no header.
    """
    with open_input(path) as handle:
        line = handle.readline(MAX_LINE_BYTES).removesuffix(b"\n")
    read_header(line, os.fspath(path))
    return digest_bytes(line)


def check_proof(path: str | os.PathLike[str], *, manifest: str | os.PathLike[str] | None = None) -> Verification:
    """Check that a line is in a manifest of which only the digest or the header is at hand; all others: ``verify``.

    Args:
        path: the proof.
        manifest: which manifest it must be: its digest (``sha256:…``), or a file that holds the manifest or only its
            header line. Without it the proof is of the manifest that it names, whatever that is.

    Raises:
        UsageError: a file cannot be read.
        IntegrityError: the file that was given as the manifest begins with no header.
    """
    known: list[KnownTree] = []
    if manifest is not None:
        digest = str(manifest) if is_digest(manifest) else header_digest(manifest)
        known.append(KnownTree(of="manifest", source=os.fspath(manifest), digest=digest))
    document = HashedDocument(Path(path), MAX_PROOF_BYTES)
    found = check_proof_document(Path(path), document, "inclusion proof", known)
    return Verification(path=os.fspath(path), kind="inclusion proof", checks=found.checks)
