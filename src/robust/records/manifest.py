"""The manifest header, ``robust.manifest/1``, and the lines that follow it."""

from __future__ import annotations

from functools import lru_cache
from math import fsum
from typing import Annotated, Any, Final, Literal, NamedTuple, Self

from pydantic import AfterValidator, BeforeValidator, Field, model_validator

from robust.canon import JsonObject, canonical_bytes, is_digest
from robust.records.base import Record
from robust.records.case import Case
from robust.records.redaction import redact_metadata

SCHEMA: Final = "robust.manifest/1"
DEFAULT_SPLIT: Final = "development"
MAX_NAME_CHARACTERS: Final = 256

LabelSource = Literal["given", "oracle"]


def _digest(value: object) -> object:
    if value is not None and not is_digest(value):
        raise ValueError("must be sha256: and 64 hex digits")
    return value


def is_name(value: object) -> bool:
    """Whether a value can name a manifest or a split: printable text, not blank and not too long."""
    return type(value) is str and value.isprintable() and 0 < len(value.strip()) <= len(value) <= MAX_NAME_CHARACTERS


def _name(value: str) -> str:
    if not is_name(value):
        raise ValueError(f"must be 1 to {MAX_NAME_CHARACTERS} printable characters, and not blank")
    return value


def _redacted(value: JsonObject) -> JsonObject:
    if redact_metadata(value) != value:
        raise ValueError("a value under a secret-looking key must be redacted")
    return value


Digest = Annotated[str, BeforeValidator(_digest)]
Name = Annotated[str, AfterValidator(_name)]
Count = Annotated[int, Field(ge=0)]


class SplitSize(Record):
    """How many cases and source groups a split has."""

    cases: Count
    sources: Count


class SplitRule(Record):
    """How groups were dealt to splits: a salt, and fractions by split name that sum to 1."""

    salt: str
    fractions: dict[Name, Annotated[float, Field(gt=0, le=1, strict=False)]]

    @model_validator(mode="after")
    def _sum_to_one(self) -> Self:
        total = fsum(self.fractions.values())
        if abs(total - 1) > 1e-9:
            raise ValueError(f"fractions must sum to 1, not {total!r}")
        return self


class Counts(Record):
    """How many lines follow the header, and of what."""

    lines: Count
    cases: Count
    sources: Count
    validations: Count


class ManifestHeader(Record):
    """The first line of a manifest; its SHA-256 is the manifest's identity.

    Attributes:
        root: the Merkle root of the lines that follow, in file order.
        parent: the digest of the manifest that this one extends.
    """

    kind: Literal["manifest"]
    schema_: Annotated[Literal["robust.manifest/1"], Field(alias="schema")]
    name: Name
    splits: dict[Name, SplitSize]
    split_rule: SplitRule | None
    counts: Counts
    parent: Digest | None
    provenance: Annotated[dict[str, Any], AfterValidator(_redacted)]
    root: Digest

    @model_validator(mode="after")
    def _rule_deals_to_the_splits(self) -> Self:
        if self.split_rule is not None and self.split_rule.fractions.keys() != self.splits.keys():
            named = f"{sorted(self.split_rule.fractions)}, the splits are {sorted(self.splits)}"
            raise ValueError(f"the split rule is of {named}")
        return self

    def to_json(self) -> JsonObject:
        """The header as plain JSON data."""
        data: JsonObject = self.model_dump(mode="json", by_alias=True)
        return data


class CaseEntry(NamedTuple):
    """A case line: the case, its split, where its label comes from, and the validation that vouches for it."""

    case: Case
    split: str
    label_source: LabelSource | None
    validation: str | None


_SOURCES: Final[dict[LabelSource | None, bytes]] = {None: b"null", "given": b'"given"', "oracle": b'"oracle"'}


def case_line(case: bytes, entry: CaseEntry) -> bytes:
    """The canonical line of a case from the case's canonical bytes."""
    return b'{"case":%s,"kind":"case","label_source":%s,"split":%s,"validation":%s}' % (
        case,
        _SOURCES[entry.label_source],
        _encoded_name(entry.split),
        b"null" if entry.validation is None else b'"%s"' % entry.validation.encode(),
    )


@lru_cache(maxsize=64)
def _encoded_name(split: str) -> bytes:
    return canonical_bytes(split)


def validation_line(stored: bytes) -> bytes:
    """The canonical line of a validation from the record's stored line."""
    return b'{"kind":"validation","validation":%s}' % stored
