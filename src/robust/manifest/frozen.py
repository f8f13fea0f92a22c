"""A manifest in memory: the bytes of its lines, and typed views of them that are made when they are asked for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice
from typing import Any, Self

from robust.canon import JsonObject, JsonValue, decode_own, describe, digest_bytes
from robust.errors import UsageError
from robust.manifest.build import build_lines
from robust.manifest.difference import diff_manifests
from robust.manifest.extend import extend_lines
from robust.manifest.line_views import LineKeeper, LineView
from robust.manifest.merge import merge_lines
from robust.manifest.plain_cases import in_blocks
from robust.manifest.prove import prove_line
from robust.manifest.read import ManifestReader, read_header
from robust.manifest.resplit import split_lines
from robust.manifest.rows import own_entry
from robust.manifest.splits import SplitPlan
from robust.manifest.subset import subset_lines
from robust.records.case import Case, Relation
from robust.records.inclusion import InclusionProof
from robust.records.manifest import CaseEntry
from robust.records.manifest_difference import ManifestDiff
from robust.records.validation import ValidationRecord, read_validation


class FrozenManifest:
    """A checked, frozen set of cases and the validations that vouch for its variants."""

    def __init__(self, header_line: bytes, lines: LineKeeper) -> None:
        self._header_line = header_line
        self._header = read_header(header_line)
        self._cases = lines[: self._header.counts.cases]
        self._validations = lines[self._header.counts.cases :]

    @classmethod
    def from_lines(cls, lines: Iterable[bytes], file: str | None = None) -> Self:
        """Read a manifest from its lines (without line feeds), checking everything.

        Args:
            lines: all lines, the header first.
            file: the name that errors give.

        Raises:
            IntegrityError: the manifest is damaged or breaks a rule; names file, line and path.
        """
        return cls.from_blocks(in_blocks(lines), file, keeper=[])

    @classmethod
    def from_blocks(cls, blocks: Iterable[list[bytes]], file: str | None = None, *, keeper: LineKeeper) -> Self:
        """Read a manifest from blocks of lines; see :meth:`from_lines`.

        Args:
            blocks: all lines in their order, none of the blocks empty.
            file: the name that errors give.
            keeper: where the lines are kept.

        Raises:
            IntegrityError: see :meth:`from_lines`.
        """
        lines = chain.from_iterable(islice(left := iter(blocks), 1))
        reader, rest = ManifestReader.of_lines(lines, file)
        for block in chain([list(rest)], left):
            keeper.extend(block)
            reader.check(block)
        reader.finish()
        return cls(reader.header_line, keeper)

    @classmethod
    def build(
        cls,
        name: str,
        *,
        cases: Iterable[Case] = (),
        validations: Iterable[Any] = (),
        splits: SplitPlan | str | None = None,
        salt: str = "",
        provenance: JsonObject | None = None,
    ) -> Self:
        """Freeze cases and valid variants.

        Args:
            name: the manifest's name.
            cases: cases to include; variants named by a validation need not be listed, nor their bases.
            validations: valid validations of strength ``answers``.
            splits: lists of case ids by split name, or fractions by split name, or the name of the one split for
                everything, which is ``development`` without it.
            salt: makes another deal of source groups to fractions.
            provenance: a JSON object about where the data comes from.

        Raises:
            ManifestError: a rule is broken; every problem is named at once.
            CaseError: a case is not portable JSON.
        """
        return cls._of(
            build_lines(name, cases=cases, validations=validations, splits=splits, salt=salt, provenance=provenance)
        )

    @classmethod
    def merge(cls, name: str, manifests: Iterable[FrozenManifest], *, provenance: JsonObject | None = None) -> Self:
        """One manifest of several: every case once, all variants, all validations.

        A case that several of them have must be the same in all but its answer: a given label goes before a derived
        one, and any before none. The split rule is kept where all have the same. The order makes no difference.

        Args:
            name: the new manifest's name.
            manifests: two or more.
            provenance: a JSON object; ``made_from`` in it names the manifests.

        Raises:
            ManifestError: a case differs or lies in two splits, answers conflict, or another rule is broken; every
                problem is named at once.
        """
        listed = list(manifests) if isinstance(manifests, Iterable) else [manifests]
        return cls._of(merge_lines([_manifest(each) for each in listed], name=name, provenance=provenance))

    @classmethod
    def _of(cls, lines: list[bytes]) -> Self:
        return cls(lines[0], lines[1:])

    def split(
        self,
        splits: SplitPlan,
        *,
        salt: str = "",
        rest: str | None = None,
        resplit: bool = False,
        name: str | None = None,
        provenance: JsonObject | None = None,
    ) -> Self:
        """The same cases in other splits.

        Args:
            splits: fractions by split name, or lists of case ids. A case that is not listed goes where another case of
                its source group is listed.
            salt: makes another deal of groups to fractions.
            rest: with lists, the split of every group that is in none.
            resplit: whether cases may leave the splits that they are frozen in.
            name: the new manifest's name; the old one by default.
            provenance: a JSON object; the old one by default. ``made_from`` in it names this manifest.

        Raises:
            ManifestError: the plan cannot be, the manifest has several splits already and ``resplit`` is false, or a
                rule is broken; every problem is named at once.
        """
        return self._of(
            split_lines(self, splits, salt=salt, rest=rest, resplit=resplit, name=name, provenance=provenance)
        )

    def extend(
        self,
        *,
        cases: Iterable[Case] = (),
        validations: Iterable[Any] = (),
        splits: Mapping[str, Sequence[str]] | str | None = None,
        name: str | None = None,
        provenance: JsonObject | None = None,
    ) -> Self:
        """A new manifest with more cases, whose ``parent`` is this one's digest; no frozen case is moved or dropped.

        Cases of a source group that is known go where that group is. New groups go where the rule in the header puts
        them; without a rule into the only split, or where ``splits`` says. A frozen case that is given again must be
        the same; one without an answer may get it.

        Args:
            cases: new cases.
            validations: valid validations; their bases may be frozen or new.
            splits: without a rule: the split of all new groups, or lists of case ids by split name.
            name: the new manifest's name; the old one by default.
            provenance: a JSON object; the old one by default.

        Raises:
            ManifestError: a frozen case would be moved or changed, a new case has no place, nothing is new, or a rule
                is broken; every problem is named at once.
            CaseError: a case is not portable JSON.
        """
        return self._of(
            extend_lines(self, cases=cases, validations=validations, splits=splits, name=name, provenance=provenance)
        )

    def subset(
        self,
        *,
        split: str | None = None,
        ids: Iterable[str] | None = None,
        relation: Relation | None = None,
        metadata: Mapping[str, JsonValue] | None = None,
        name: str | None = None,
        provenance: JsonObject | None = None,
    ) -> Self:
        """A part of the manifest: the cases for which every condition holds, and what belongs to them.

        A chosen base brings its variants, a chosen variant its base; validations come with the variants that they are
        about. Splits without a case are dropped, and with them the split rule.

        Args:
            split: only cases of this split.
            ids: only cases with these ids.
            relation: only variants with a validation of this relation, those validations, and their bases.
            metadata: only cases that have each of these values; a text also finds a number, true or false that is
                written like it.
            name: the new manifest's name; the old one by default.
            provenance: a JSON object; the old one by default. ``made_from`` in it names this manifest.

        Raises:
            UsageError: there is no such split or relation, or no condition.
            ManifestError: an id is unknown, or nothing is left.
        """
        return self._of(
            subset_lines(
                self, split=split, ids=ids, relation=relation, metadata=metadata, name=name, provenance=provenance
            )
        )

    def diff(self, other: FrozenManifest) -> ManifestDiff:
        """What another manifest has otherwise than this one: by case, by validation, and in the header."""
        return diff_manifests(self, _manifest(other))

    def prove(self, case_id: str) -> InclusionProof:
        """The proof that a case is in this manifest, which can be checked without the other cases.

        Args:
            case_id: the id of a case, or the digest of a validation.

        Raises:
            UsageError: there is no such case.
        """
        return prove_line(self, case_id)

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
        return LineView(self._cases, own_entry)

    def entries_and_lines(self) -> Iterator[tuple[CaseEntry, bytes]]:
        """The case lines, and the bytes that they were read from (without line feeds)."""
        return ((own_entry(line), line) for line in self._cases)

    def validation_lines(self) -> Sequence[bytes]:
        """The bytes of the validation lines, without line feeds."""
        return self._validations

    def validation_digests(self) -> set[str]:
        """The digests of the validations."""
        return {decode_own(line)["validation"]["digest"] for line in self._validations}

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
        if not isinstance(split, str) or split not in self._header.splits:
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

    @property
    def header_line(self) -> bytes:
        """The canonical header line, whose hash is the manifest's identity."""
        return self._header_line

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


def _manifest(value: object) -> FrozenManifest:
    if not isinstance(value, FrozenManifest):
        raise UsageError.of("not_a_manifest", f"must be a Manifest, not {describe(value)}", hint="load it first")
    return value


def _case(line: bytes) -> Case:
    return Case.from_json(decode_own(line)["case"])


def _validation(line: bytes) -> ValidationRecord:
    return read_validation(decode_own(line)["validation"])
