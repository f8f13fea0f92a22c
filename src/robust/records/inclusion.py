"""The inclusion proof, ``robust.inclusion-proof/1``: one line of a manifest, and why it is in that manifest."""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal

from pydantic import Field, ValidationError

from robust.canon import canonical_bytes, digest_bytes
from robust.errors import IntegrityError, Problem
from robust.records.base import problems_of
from robust.records.manifest import Digest, ManifestHeader
from robust.records.tree_inclusion import TreeInclusion, require

SCHEMA: Final = "robust.inclusion-proof/1"


class InclusionProof(TreeInclusion):
    """That a line stands in a manifest: checkable from the header alone, which it brings along.

    Attributes:
        manifest: the manifest's digest, which is that of ``header``.
        header: the manifest's header.
        line: the line, a case or a validation.
        index: its place after the header, from 0.
        size: how many lines follow the header.
        path: hex hashes from the leaf's sibling up to the root's child (RFC 9162, 2.1.3.1).
        root: the Merkle root that they lead to, which is that of ``header``.
    """

    schema_: Annotated[Literal["robust.inclusion-proof/1"], Field(alias="schema")]
    manifest: Digest
    header: dict[str, Any]

    def stated_header(self) -> ManifestHeader:
        """The header as a record.

        Raises:
            IntegrityError: it is none; names the path.
        """
        try:
            return ManifestHeader.model_validate(self.header)
        except ValidationError as error:
            raise IntegrityError(*problems_of(error, path="$.header")) from None

    def problems(self) -> list[Problem]:
        """Why the proof does not hold; empty when it does. What it says of the manifest is that of its header only."""
        try:
            header = self.stated_header()
        except IntegrityError as error:
            return list(error.problems)
        counts = header.counts
        total = counts.cases + counts.validations
        kind = "case" if self.index < counts.cases else "validation"
        return [
            *require(self.manifest, digest_bytes(canonical_bytes(self.header)), "$.manifest", "is the header's digest"),
            *require(self.root, header.root, "$.root", "stands in the header"),
            *require(self.size, counts.lines, "$.size", "stands in the header"),
            *require(counts.lines, total, "$.header.counts.lines", "follows from the other counts"),
            *require(self.line.get("kind"), kind, "$.line.kind", "stands at this index"),
            *self.path_problems(),
        ]


def read_proof(data: object, *, file: str | None = None) -> InclusionProof:
    """Read a stored proof; whether it holds is another question, see :meth:`InclusionProof.problems`.

    Raises:
        IntegrityError: something is missing or of the wrong kind.
    """
    if not isinstance(data, dict) or data.get("schema") != SCHEMA:
        raise IntegrityError.of("unknown_schema", f"not a {SCHEMA}", file=file, path="$.schema")
    try:
        return InclusionProof.model_validate(data)
    except ValidationError as error:
        raise IntegrityError(*problems_of(error, file=file)) from None
