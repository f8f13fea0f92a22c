"""The inclusion proof, ``robust.inclusion-proof/1``: one line of a manifest, and why it is in that manifest."""

from __future__ import annotations

import re
from typing import Annotated, Any, Final, Literal

from pydantic import AfterValidator, Field, ValidationError

from robust.canon import JsonObject, canonical_bytes, digest_bytes, leaf_hash, root_from_path
from robust.errors import IntegrityError, Problem
from robust.records.base import Record, problems_of
from robust.records.manifest import Count, Digest, ManifestHeader

SCHEMA: Final = "robust.inclusion-proof/1"
# A tree of 2^64 leaves has paths of 64 hashes.
MAX_PATH: Final = 64
_HASH = re.compile(r"[0-9a-f]{64}\Z")


def _hash(value: str) -> str:
    if not _HASH.match(value):
        raise ValueError("must be 64 lowercase hex digits")
    return value


class InclusionProof(Record):
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
    line: dict[str, Any]
    index: Count
    size: Count
    path: Annotated[list[Annotated[str, AfterValidator(_hash)]], Field(max_length=MAX_PATH)]
    root: Digest

    def to_json(self) -> JsonObject:
        """The proof as plain JSON data."""
        data: JsonObject = self.model_dump(mode="json", by_alias=True)
        return data

    def stated_header(self) -> ManifestHeader:
        """The header as a record.

        Raises:
            IntegrityError: it is none; names the path.
        """
        try:
            return ManifestHeader.model_validate(self.header)
        except ValidationError as error:
            raise IntegrityError(*problems_of(error, path="$.header")) from None

    @property
    def leaf(self) -> str:
        """The hex hash of the line as a leaf of the tree."""
        return leaf_hash(canonical_bytes(self.line)).hex()

    def problems(self) -> list[Problem]:
        """Why the proof does not hold; empty when it does. What it says of the manifest is that of its header only."""
        problems: list[Problem] = []

        def require(found: object, wanted: object, path: str, what: str) -> None:
            if found != wanted:
                message = f"{found!r} is stored, {wanted!r} {what}"
                problems.append(Problem(code="contradiction", message=message, path=path))

        try:
            header = self.stated_header()
        except IntegrityError as error:
            return list(error.problems)
        require(self.manifest, digest_bytes(canonical_bytes(self.header)), "$.manifest", "is the digest of the header")
        require(self.root, header.root, "$.root", "stands in the header")
        require(self.size, header.counts.lines, "$.size", "stands in the header")
        counts = header.counts
        require(
            counts.lines, counts.cases + counts.validations, "$.header.counts.lines", "follows from the other counts"
        )
        kind = "case" if self.index < counts.cases else "validation"
        require(self.line.get("kind"), kind, "$.line.kind", "stands at this index")
        reached = root_from_path(canonical_bytes(self.line), self.index, self.size, self.path)
        if reached != self.root:
            place = "no root" if reached is None else f"the root {reached}"
            message = f"line, index and path lead to {place}, not to {self.root}"
            problems.append(Problem(code="not_included", message=message, path="$.path"))
        return problems


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
