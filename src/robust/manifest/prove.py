"""The inclusion proof of one line of a manifest."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from robust.canon import decode_own, is_digest
from robust.errors import UsageError
from robust.manifest.rows import own_entry
from robust.records.inclusion import SCHEMA, InclusionProof, read_proof
from robust.records.inclusion_path import InclusionPath

if TYPE_CHECKING:
    from robust.manifest.frozen import FrozenManifest


def prove_line(manifest: FrozenManifest, wanted: str) -> InclusionProof:
    """The proof of a case by its id, or of a validation by its digest.

    Raises:
        UsageError: the manifest has no such line.
    """
    found = next(((index, line) for index, line in enumerate(_lines(manifest)) if _names(line, wanted)), None)
    if found is None:
        what = "validation has the digest" if is_digest(wanted) else "case has the id"
        message = f"no {what} {wanted!r}"
        raise UsageError.of("unknown_case", message, path="case_id", hint="give an id exactly as it is stored")
    index, line = found
    place = InclusionPath(index, manifest.header["counts"]["lines"])
    for each in _lines(manifest):
        place.add(each)
    return read_proof(
        {
            "schema": SCHEMA,
            "manifest": manifest.digest,
            "header": decode_own(manifest.header_line),
            "line": decode_own(line),
            "index": index,
            "size": place.size,
            "path": place.path(),
            "root": manifest.root,
        }
    )


def _lines(manifest: FrozenManifest) -> Iterator[bytes]:
    """The lines after the header."""
    lines = iter(manifest.lines())
    next(lines)
    return lines


def _names(line: bytes, wanted: str) -> bool:
    """Whether a line is the one that is wanted."""
    if line.startswith(b'{"case"'):
        return own_entry(line).case.case_id == wanted
    return is_digest(wanted) and decode_own(line)["validation"]["digest"] == wanted
