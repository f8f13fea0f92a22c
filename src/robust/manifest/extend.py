"""New cases and validations beside those of a manifest, of which none is moved, dropped or changed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from heapq import merge
from typing import TYPE_CHECKING

from robust.canon import JsonObject, canonical_bytes, describe, fold
from robust.errors import ManifestError, Problem
from robust.manifest.assembly import Assembly, check_name, portable_provenance
from robust.manifest.rows import (
    Row,
    brief,
    each_case,
    each_validation,
    listed_row,
    merge_row,
    rows_of_validation,
    same_id,
    unlabelled,
)
from robust.manifest.rules import capped
from robust.manifest.splits import place_of_group, placed_lists, read_lists, unknown_ids
from robust.records.case import Case
from robust.records.manifest import CaseEntry, SplitRule, is_name
from robust.records.validation import ValidationRecord

if TYPE_CHECKING:
    from robust.manifest.frozen import FrozenManifest


def extend_lines(
    old: FrozenManifest,
    *,
    cases: Iterable[Case] = (),
    validations: Iterable[ValidationRecord] = (),
    splits: Mapping[str, Sequence[str]] | str | None = None,
    name: str | None = None,
    provenance: JsonObject | None = None,
) -> list[bytes]:
    """Extend a manifest: the new header line, which names the old digest, and the lines that follow.

    Raises:
        ManifestError: a frozen case would be moved or changed, a new case has no place, nothing is new, or a rule is
            broken; every problem is named at once.
        CaseError: a case is not portable JSON.
    """
    check_name(name := old.name if name is None else name)
    provenance = portable_provenance(old.provenance if provenance is None else provenance)
    problems: list[Problem] = []
    known = old.validation_digests()
    given = {record.digest: record for record in each_validation(validations)}
    fresh = [given[digest] for digest in sorted(given.keys() - known)]
    rows = _gather(cases, fresh, problems)
    places = _Places(old, splits)
    entries = _Entries(old, rows, places, problems)
    assembly = Assembly(
        split_names=places.names, rule=places.rule, validated=bool(known or fresh), dealt=places.rule is None
    )
    records = merge(old.validations, fresh, key=lambda record: record.digest)
    lines = list(assembly.lines(entries, records))
    problems += places.problems(entries.new)
    if problems:
        raise ManifestError(*capped(problems))
    if not fresh and not entries.changed:
        message = "nothing is new: every case and validation that was given is in the manifest already"
        raise ManifestError.of("nothing_new", message, path="cases")
    return [assembly.finish(name, provenance=provenance, parent=old.digest), *lines]


def _gather(cases: Iterable[Case], records: list[ValidationRecord], problems: list[Problem]) -> dict[str, Row]:
    rows: dict[str, Row] = {}
    for case in each_case(cases):
        if case.case_id in rows:
            problems.append(same_id(rows[case.case_id].case, case))
        else:
            rows[case.case_id] = listed_row(case)
    for record in records:
        for row in rows_of_validation(record, problems):
            rows[row.case.case_id] = merge_row(rows.get(row.case.case_id), row, problems)
    return rows


class _Places:
    """Where new cases go: with their group, by the rule of the header, or by what the caller says."""

    def __init__(self, old: FrozenManifest, splits: Mapping[str, Sequence[str]] | str | None) -> None:
        header = old.header
        self.rule = None if header["split_rule"] is None else SplitRule(**header["split_rule"])
        if self.rule is not None and splits is not None:
            hint = "leave out the splits of new cases"
            message = "the split rule in the header places new source groups"
            raise ManifestError.of("split_rule", message, path="splits", hint=hint)
        if not (splits is None or isinstance(splits, str | Mapping)):
            message = f"must be a split's name, or lists of ids by split name, not {describe(splits)}"
            raise ManifestError.of("bad_split", message, path="splits")
        self._all: str | None = splits if isinstance(splits, str) else None
        if splits is None and len(header["splits"]) == 1:
            self._all = next(iter(header["splits"]))
        self._lists = {} if splits is None or isinstance(splits, str) else read_lists(splits)
        self._listed, self._problems = placed_lists(self._lists)
        self.names: frozenset[str] = frozenset(
            (*header["splits"], *self._lists, *(() if self._all is None else (self._all,)))
        )
        for split in self.names:
            if not is_name(split):
                raise ManifestError.of("bad_split", f"{split!r} cannot name a split", path="splits")
        self._groups: dict[str, str] = {}
        self._frozen: dict[str, str] = {}
        for entry in old.entries:
            self._groups[fold(entry.case.source_id)] = self._frozen[entry.case.case_id] = entry.split
        for case_id, split in self._listed.items():
            if (frozen := self._frozen.get(case_id, split)) != split:
                message = f"it is frozen in split {frozen!r} and cannot be moved to {split!r}"
                self._problems.append(Problem(code="frozen_moved", message=message, path=f"case {case_id!r}"))

    def split_of(self, case: Case) -> str:
        folded = fold(case.source_id)
        wanted = self._listed.get(case.case_id)
        known: str | None = self._groups.get(folded)
        if known is None:
            known = self._new_group(case, folded, wanted)
            self._groups[folded] = known
        elif wanted is not None and wanted != known:
            message = f"its source group {case.source_id!r} is in split {known!r}, and cannot be in {wanted!r} too"
            self._problems.append(Problem(code="frozen_moved", message=message, path=f"case {case.case_id!r}"))
        return known

    def _new_group(self, case: Case, folded: str, wanted: str | None) -> str:
        if self.rule is not None:
            return place_of_group(folded, self.rule)
        if wanted is None and case.origin is not None:
            wanted = self._listed.get(case.origin.parent_id)
        split = wanted or self._all
        if split is None:
            message = "its source group is new, and no rule says which split it belongs to"
            hint = "name a split for the new groups, or list the case in one"
            self._problems.append(
                Problem(code="split_missing", message=message, path=f"case {case.case_id!r}", hint=hint)
            )
            return min(self.names)
        return split

    def problems(self, new: set[str]) -> list[Problem]:
        """What is wrong with the lists and the new cases, once all of them have been placed."""
        return [*self._problems, *unknown_ids(self._lists, new | self._frozen.keys())]


class _Entries:
    """The old entries with their lines, and the new ones, ordered by id."""

    def __init__(self, old: FrozenManifest, rows: dict[str, Row], places: _Places, problems: list[Problem]) -> None:
        self._old = old
        self._rows = rows
        self._places = places
        self._problems = problems
        self.new: set[str] = set()
        self.changed = 0

    def __iter__(self) -> Iterator[tuple[CaseEntry, bytes | None]]:
        waiting = iter(sorted(self._rows))
        following = next(waiting, None)
        for entry, line in self._old.entries_and_lines():
            while following is not None and following < entry.case.case_id:
                yield self._new(self._rows[following])
                following = next(waiting, None)
            if following == entry.case.case_id:
                yield self._kept(entry, line, self._rows[following])
                following = next(waiting, None)
            else:
                yield entry, line
        while following is not None:
            yield self._new(self._rows[following])
            following = next(waiting, None)

    def _new(self, row: Row) -> tuple[CaseEntry, None]:
        self.new.add(row.case.case_id)
        self.changed += 1
        return CaseEntry(row.case, self._places.split_of(row.case), row.label_source, row.validation), None

    def _kept(self, entry: CaseEntry, line: bytes, row: Row) -> tuple[CaseEntry, bytes | None]:
        """A frozen case that is given again: it stays as it is, but for an answer that it did not have."""
        frozen, given = entry.case, row.case
        if unlabelled(frozen) != unlabelled(given):
            self._refuse(f"it is frozen as {brief(frozen)}, and given as {brief(given)}", frozen)
        elif frozen.expected is None and given.expected is not None:
            self.changed += 1
            return CaseEntry(given, entry.split, row.label_source, row.validation), None
        elif row.label_source == "given" and canonical_bytes(frozen.expected) != canonical_bytes(given.expected):
            self._refuse(f"its answer is frozen as {frozen.expected!r}, and given as {given.expected!r}", frozen)
        return entry, line

    def _refuse(self, message: str, case: Case) -> None:
        hint = "give a changed case an id of its own"
        self._problems.append(Problem(code="frozen_changed", message=message, path=f"case {case.case_id!r}", hint=hint))
