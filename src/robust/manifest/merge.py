"""Several manifests as one: every case once, and all validations."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from heapq import merge
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING

from robust.canon import JsonObject
from robust.errors import ManifestError, Problem
from robust.manifest.assembly import Assembly, check_name, portable_provenance
from robust.manifest.made_from import made_from
from robust.manifest.rows import Row, merge_row
from robust.manifest.rules import capped
from robust.records.manifest import CaseEntry, SplitRule
from robust.records.validation import ValidationRecord

if TYPE_CHECKING:
    from robust.manifest.frozen import FrozenManifest


def merge_lines(manifests: Sequence[FrozenManifest], *, name: str, provenance: JsonObject | None = None) -> list[bytes]:
    """Merge manifests, in whatever order: the header line and the lines that follow.

    Raises:
        ManifestError: a case differs between manifests, lies in two splits, or a rule is broken; every problem is
            named at once.
    """
    check_name(name)
    if len(manifests) < 2:
        raise ManifestError.of("nothing_to_merge", "a merger takes two manifests or more", path="manifests")
    headers = [manifest.header for manifest in manifests]
    names = {split for header in headers for split in header["splits"]}
    rules = [header["split_rule"] for header in headers]
    rule = None if rules[0] is None or any(each != rules[0] for each in rules) else SplitRule(**rules[0])
    problems: list[Problem] = []
    validated = any(manifest.validations for manifest in manifests)
    assembly = Assembly(split_names=names, rule=rule, validated=validated)
    lines = list(assembly.lines(_entries(manifests, problems), _records(manifests)))
    if problems:
        raise ManifestError(*capped(problems))
    told = made_from("merge", manifests, portable_provenance(provenance))
    return [assembly.finish(name, provenance=told), *lines]


def _entries(manifests: Iterable[FrozenManifest], problems: list[Problem]) -> Iterator[tuple[CaseEntry, bytes | None]]:
    def keyed(manifest: FrozenManifest) -> Iterator[tuple[str, FrozenManifest, CaseEntry, bytes]]:
        return ((entry.case.case_id, manifest, entry, line) for entry, line in manifest.entries_and_lines())

    together = merge(*map(keyed, manifests), key=itemgetter(0))
    for case_id, group in groupby(together, key=itemgetter(0)):
        (_, first, entry, line), *others = group
        own = row = Row(entry.case, entry.label_source, entry.validation)
        split = entry.split
        for _, manifest, other, _ in others:
            if other.split != split:
                message = f"it lies in split {split!r} of {_named(first)} and in {other.split!r} of {_named(manifest)}"
                problems.append(Problem(code="split_conflict", message=message, path=f"case {case_id!r}"))
            row = merge_row(row, Row(other.case, other.label_source, other.validation), problems)
        if row is own:
            yield entry, line
        else:
            yield CaseEntry(row.case, split, row.label_source, row.validation), None


def _named(manifest: FrozenManifest) -> str:
    return f"{manifest.name!r} ({manifest.digest[:19]}…)"


def _records(manifests: Iterable[FrozenManifest]) -> Iterator[ValidationRecord]:
    """All validations, ordered by digest, each once."""
    last = None
    for record in merge(*(manifest.validations for manifest in manifests), key=lambda record: record.digest):
        if record.digest != last:
            last = record.digest
            yield record
