"""The inclusion proof of one line of a manifest."""

from __future__ import annotations

from typing import TYPE_CHECKING

from robust.canon import decode_own, inclusion_path, is_digest, leaf_hash
from robust.errors import UsageError
from robust.manifest.rows import own_entry
from robust.records.inclusion import SCHEMA, InclusionProof, read_proof

if TYPE_CHECKING:
    from robust.manifest.frozen import FrozenManifest


def prove_line(manifest: FrozenManifest, wanted: str) -> InclusionProof:
    """The proof of a case by its id, or of a validation by its digest.

    Raises:
        UsageError: the manifest has no such line.
    """
    lines = iter(manifest.lines())
    header_line = next(lines)
    hashes: list[bytes] = []
    found: tuple[int, bytes] | None = None
    for index, line in enumerate(lines):
        hashes.append(leaf_hash(line))
        if found is None and _names(line, wanted):
            found = (index, line)
    if found is None:
        what = "validation has the digest" if is_digest(wanted) else "case has the id"
        message = f"no {what} {wanted!r}"
        raise UsageError.of("unknown_case", message, path="case_id", hint="give an id exactly as it is stored")
    index, line = found
    return read_proof(
        {
            "schema": SCHEMA,
            "manifest": manifest.digest,
            "header": decode_own(header_line),
            "line": decode_own(line),
            "index": index,
            "size": len(hashes),
            "path": inclusion_path(hashes, index),
            "root": manifest.root,
        }
    )


def _names(line: bytes, wanted: str) -> bool:
    """Whether a line is the one that is wanted."""
    if line.startswith(b'{"case"'):
        return own_entry(line).case.case_id == wanted
    return is_digest(wanted) and decode_own(line)["validation"]["digest"] == wanted
