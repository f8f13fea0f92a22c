"""A manifest in memory: the bytes of its lines, and typed views of them that are made when they are asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Generic, Self, TypeVar, overload

from robust.canon import JsonObject, decode_own, digest_bytes
from robust.errors import IntegrityError, UsageError
from robust.manifest.build import build_lines
from robust.manifest.read import ManifestReader, read_header
from robust.manifest.splits import SplitPlan
from robust.records.case import Case
from robust.records.manifest import CaseEntry
from robust.records.validation import ValidationRecord, read_validation

T = TypeVar("T")


class LineView(Sequence[T], Generic[T]):
    """A sequence whose items are decoded from lines when they are read, so that holding it costs no objects."""

    def __init__(self, lines: Sequence[bytes], decode: Callable[[bytes], T]) -> None:
        self._lines = lines
        self._decode = decode

    def __len__(self) -> int:
        return len(self._lines)

    @overload
    def __getitem__(self, index: int) -> T: ...
    @overload
    def __getitem__(self, index: slice) -> LineView[T]: ...
    def __getitem__(self, index: int | slice) -> T | LineView[T]:
        if isinstance(index, slice):
            return LineView(self._lines[index], self._decode)
        return self._decode(self._lines[index])

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and len(self) == len(other) and all(a == b for a, b in zip(self, other))  # noqa: B905

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<{len(self)} items>"


class FrozenManifest:
    """A checked, frozen set of cases and the validations that vouch for its variants."""

    def __init__(self, header_line: bytes, lines: Sequence[bytes]) -> None:
        self._header_line = header_line
        self._header = read_header(header_line)
        self._cases = list(lines[: self._header.counts.cases])
        self._validations = list(lines[self._header.counts.cases :])

    @classmethod
    def from_lines(cls, lines: Iterable[bytes], file: str | None = None) -> Self:
        """Read a manifest from its lines (without line feeds), checking everything.

        Raises:
            IntegrityError: the manifest is damaged or breaks a rule; names file, line and path.
        """
        iterator = iter(lines)
        header_line = next(iterator, None)
        if header_line is None:
            raise IntegrityError.of("cut_short", "the file is empty", file=file)
        reader = ManifestReader(header_line, file)
        kept = list(iterator)
        for _ in reader.read(kept):
            pass
        return cls(header_line, kept)

    @classmethod
    def build(
        cls,
        name: str,
        *,
        cases: Iterable[Case] = (),
        validations: Iterable[Any] = (),
        splits: SplitPlan | None = None,
        salt: str = "",
        provenance: JsonObject | None = None,
    ) -> Self:
        """Freeze cases and valid variants.

        Args:
            name: the manifest's name.
            cases: cases to include; variants named by a validation need not be listed, nor their bases.
            validations: valid validations of strength ``answers``.
            splits: lists of case ids by split name, or fractions by split name; everything is in ``development``
                without it.
            salt: makes another deal of source groups to fractions.
            provenance: a JSON object about where the data comes from.

        Raises:
            ManifestError: a rule is broken; every problem is named at once.
            CaseError: a case is not portable JSON.
        """
        lines = build_lines(name, cases=cases, validations=validations, splits=splits, salt=salt, provenance=provenance)
        return cls(lines[0], lines[1:])

    @property
    def digest(self) -> str:
        """The manifest's identity: the SHA-256 of its header line."""
        return digest_bytes(self._header_line)

    @property
    def root(self) -> str:
        """The Merkle root of the lines after the header."""
        return self._header.root

    @property
    def name(self) -> str:
        """The manifest's name."""
        return self._header.name

    @property
    def parent(self) -> str | None:
        """The digest of the manifest that this one extends, if any."""
        return self._header.parent

    @property
    def provenance(self) -> JsonObject:
        """A fresh copy of what is said about where the data comes from."""
        data: JsonObject = decode_own(self._header_line)["provenance"]
        return data

    @property
    def header(self) -> JsonObject:
        """The header as plain data."""
        return self._header.to_json()

    @property
    def splits(self) -> dict[str, tuple[str, ...]]:
        """The case ids of every split, in file order."""
        members: dict[str, list[str]] = {name: [] for name in sorted(self._header.splits)}
        for entry in self.entries:
            members[entry.split].append(entry.case.case_id)
        return {name: tuple(ids) for name, ids in members.items()}

    @property
    def entries(self) -> Sequence[CaseEntry]:
        """The case lines: each case with its split, label source and validation."""
        return LineView(self._cases, _entry)

    @property
    def cases(self) -> Sequence[Case]:
        """The cases, ordered by id."""
        return LineView(self._cases, _case)

    @property
    def validations(self) -> Sequence[ValidationRecord]:
        """The validations, ordered by digest."""
        return LineView(self._validations, _validation)

    def entries_in(self, split: str) -> Iterator[CaseEntry]:
        """The case lines of one split, in file order.

        Raises:
            UsageError: there is no such split.
        """
        if split not in self._header.splits:
            names = ", ".join(sorted(self._header.splits))
            raise UsageError.of(
                "unknown_split", f"{self.name!r} has no split {split!r}", path="split", hint=f"use {names}"
            )
        return (entry for entry in self.entries if entry.split == split)

    def cases_in(self, split: str) -> list[Case]:
        """The cases of one split, ordered by id.

        Raises:
            UsageError: there is no such split.
        """
        return [entry.case for entry in self.entries_in(split)]

    def lines(self) -> Iterator[bytes]:
        """All lines, the header first, each without its line feed."""
        yield self._header_line
        yield from self._cases
        yield from self._validations

    def __eq__(self, other: object) -> bool:
        return isinstance(other, FrozenManifest) and self._header_line == other._header_line

    def __hash__(self) -> int:
        return hash(self._header_line)

    def __repr__(self) -> str:
        return f"<Manifest {self.name!r} {len(self._cases)} cases {self.digest[:19]}…>"


def _entry(line: bytes) -> CaseEntry:
    data = decode_own(line)
    return CaseEntry(Case.from_json(data["case"]), data["split"], data["label_source"], data["validation"])


def _case(line: bytes) -> Case:
    return Case.from_json(decode_own(line)["case"])


def _validation(line: bytes) -> ValidationRecord:
    return read_validation(decode_own(line)["validation"])
