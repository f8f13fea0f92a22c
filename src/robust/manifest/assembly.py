"""What every manifest is put together by: lines come one by one, and the header at the end."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

from robust.canon import MAX_PART_DEPTH, JsonObject, MerkleTree, canonical_bytes, plain_parts
from robust.errors import ManifestError, Problem
from robust.manifest.plain_cases import PlainCases
from robust.manifest.rules import Rules
from robust.records.encoding import canonical_case
from robust.records.manifest import (
    MAX_NAME_CHARACTERS,
    SCHEMA,
    CaseEntry,
    SplitRule,
    case_line,
    is_name,
    validation_line,
)
from robust.records.redaction import redact_metadata
from robust.records.validation import ValidationRecord

_LINES_AT_ONCE = 256


class Assembly:
    """Checks entries and validations as they come, makes their lines, and the header of all of them at the end.

    Args:
        split_names: the names of all splits.
        rule: how groups were dealt to them, if they were.
        validated: whether validations follow.
        dealt: whether the entries were placed by that very rule, so that it need not be looked at again.
    """

    def __init__(
        self, *, split_names: Iterable[str], rule: SplitRule | None, validated: bool, dealt: bool = False
    ) -> None:
        self.split_names = frozenset(split_names)
        self.rule = rule
        self.rules = Rules(split_names=self.split_names, rule=None if dealt else rule, validated=validated)
        self._tree = MerkleTree()
        self._cases = 0
        self._validations = 0

    def add_case(self, entry: CaseEntry) -> bytes:
        """Check a case and give its line.

        Raises:
            CaseError: the case is not portable JSON.
        """
        # Encoded first: the rules rest on a case that is portable JSON.
        line = case_line(canonical_case(entry.case), entry)
        self.add_known(entry)
        return line

    def add_known(self, entry: CaseEntry) -> None:
        """Check a case whose line is there already."""
        self.rules.add_case(entry)
        self._cases += 1

    def add_plain(self, cases: PlainCases) -> bool:
        """Check many cases whose lines are there already; False, and nothing is noted, to have each added by itself."""
        if not self.rules.add_plain(cases):
            return False
        self._cases += len(cases.ids)
        return True

    def add_validation(self, record: ValidationRecord) -> bytes:
        """Check a validation, after all cases, and give its line."""
        self.rules.add_validation(record)
        self._validations += 1
        return validation_line(record.stored_line())

    def lines(
        self, entries: Iterable[tuple[CaseEntry, bytes | None]], records: Iterable[ValidationRecord]
    ) -> Iterator[bytes]:
        """The lines after the header, as their sources are read.

        Args:
            entries: cases ordered by id, each once; with its line where that is there already.
            records: validations ordered by digest, each once.

        Raises:
            CaseError: a case is not portable JSON.
        """
        lines = self._lines(entries, records)
        while block := list(islice(lines, _LINES_AT_ONCE)):
            self._tree.extend(block)
            yield from block

    def _lines(
        self, entries: Iterable[tuple[CaseEntry, bytes | None]], records: Iterable[ValidationRecord]
    ) -> Iterator[bytes]:
        for entry, line in entries:
            if line is None:
                yield self.add_case(entry)
            else:
                self.add_known(entry)
                yield line
        for record in records:
            yield self.add_validation(record)

    def finish(
        self, name: str, *, lines: Iterable[bytes] = (), provenance: JsonObject | None = None, parent: str | None = None
    ) -> bytes:
        """The canonical header line.

        Args:
            name: the manifest's name.
            lines: the lines in file order, where :meth:`lines` did not give them.
            provenance: a JSON object about where the data comes from.
            parent: the digest of the manifest that this one extends.

        Raises:
            ManifestError: a rule is broken; every problem is named at once.
        """
        problems = self.rules.finish()
        if problems:
            raise ManifestError(*problems)
        self._tree.extend(lines)
        rules = self.rules
        return canonical_bytes(
            {
                "kind": "manifest",
                "schema": SCHEMA,
                "name": name,
                "splits": {
                    split: {"cases": rules.split_cases.get(split, 0), "sources": rules.split_groups.get(split, 0)}
                    for split in self.split_names
                },
                "split_rule": None if self.rule is None else {"salt": self.rule.salt, "fractions": self.rule.fractions},
                "counts": {
                    "lines": self._cases + self._validations,
                    "cases": self._cases,
                    "sources": rules.sources,
                    "validations": self._validations,
                },
                "parent": parent,
                "provenance": portable_provenance(provenance),
                "root": self._tree.root(),
            }
        )


def check_name(name: object) -> None:
    """Check the name of a manifest.

    Raises:
        ManifestError: it cannot be one.
    """
    if not is_name(name):
        message = f"must be 1 to {MAX_NAME_CHARACTERS} printable characters, not {name!r}"
        raise ManifestError.of("bad_name", message, path="name")


def portable_provenance(provenance: Any) -> JsonObject:
    """A provenance as it is stored.

    Raises:
        ManifestError: it is no object, or not portable JSON.
    """
    return redact_metadata(portable_object({} if provenance is None else provenance, "provenance"))


def portable_object(value: Any, name: str) -> JsonObject:
    """A copy of a JSON object that is given from outside under a name.

    Raises:
        ManifestError: it is no object, or not portable JSON.
    """
    copied, problems = plain_parts(value, name, MAX_PART_DEPTH)
    if problems or not isinstance(copied, dict):
        raise ManifestError(*problems or (Problem(code="wrong_value", message="must be an object", path=name),))
    return copied
