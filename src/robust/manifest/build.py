"""From cases and validations to the bytes of a manifest."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from robust.canon import JsonObject, fold
from robust.errors import ManifestError, Problem
from robust.manifest.assembly import Assembly, check_name, portable_provenance
from robust.manifest.plain_cases import in_blocks, plain_of
from robust.manifest.rows import (
    Row,
    each_case,
    each_validation,
    listed_row,
    merge_row,
    own_entry,
    rows_of_validation,
    same_id,
)
from robust.manifest.splits import Placement, SplitPlan, place_of_group
from robust.records.case import Case
from robust.records.manifest import CaseEntry
from robust.records.validation import ValidationRecord


class _Builder:
    """Places rows, checks them as they come, and keeps their lines by id."""

    def __init__(self, placement: Placement, *, validated: bool) -> None:
        self.lines: dict[str, bytes] = {}
        self._placement = placement
        self._by_rule = placement.rule is not None
        self._validated = validated
        self._assembly = self._new_assembly()

    def _new_assembly(self) -> Assembly:
        placement = self._placement
        return Assembly(split_names=placement.names, rule=placement.rule, validated=self._validated, dealt=True)

    def add(self, row: Row) -> None:
        """Add a row whose id is new."""
        case = row.case
        known = self._assembly.rules.split_of_group(fold(case.source_id)) if self._by_rule else None
        split = self._placement.split_of(case, known)
        if split is not None:
            entry = CaseEntry(case, split, row.label_source, row.validation)
            self.lines[case.case_id] = self._assembly.add_case(entry)

    def add_plain(self, cases: Sequence[Case], rows: Collection[str]) -> bool:
        """Add many listed cases at once; False, and nothing is done, to have each of them added by itself.

        Args:
            cases: the cases.
            rows: the ids of those that come from validations, and are not added here.
        """
        if rows and any(case.case_id in rows for case in cases):
            return False
        splits = self._splits_of(cases)
        plain = None if splits is None else plain_of(cases, splits)
        if plain is None:
            return False
        known, lines = plain
        if not self._assembly.add_plain(known):
            return False
        self.lines.update(zip(known.ids, lines, strict=True))
        return True

    def _splits_of(self, cases: Sequence[Case]) -> Sequence[str] | None:
        """The split of each case; None where one is in no list."""
        placement, known = self._placement, self._assembly.rules.split_of_group
        if placement.rule is None:
            return placement.splits_of(cases)
        sources = [fold(case.source_id) for case in cases]
        return [known(source) or place_of_group(source, placement.rule) for source in sources]

    def finish(self, name: str, records: list[ValidationRecord], provenance: JsonObject | None) -> list[bytes]:
        """All lines, the header first.

        Raises:
            ManifestError: a rule is broken.
        """
        problems = self._placement.problems()
        if problems:
            raise ManifestError(*problems)
        lines = [self.lines[case_id] for case_id in sorted(self.lines)]
        cases = len(lines)
        lines += [self._assembly.add_validation(record) for record in records]
        if self._assembly.rules.finish():
            # Found again in the order of the file, so that what is said does not depend on the order of the arguments.
            self._assembly = self._new_assembly()
            for line in lines[:cases]:
                self._assembly.add_known(own_entry(line))
            for record in records:
                self._assembly.add_validation(record)
        return [self._assembly.finish(name, lines=lines, provenance=provenance), *lines]


def build_lines(
    name: str,
    *,
    cases: Iterable[Case] = (),
    validations: Iterable[ValidationRecord] = (),
    splits: SplitPlan | str | None = None,
    salt: str = "",
    provenance: JsonObject | None = None,
) -> list[bytes]:
    """Build a manifest: its header line and the lines that follow, each without its line feed.

    The same content gives the same bytes, whatever the order of the arguments.

    Raises:
        ManifestError: a rule is broken; every problem is named at once.
        CaseError: a case is not portable JSON.
    """
    check_name(name)
    provenance = portable_provenance(provenance)
    records = {record.digest: record for record in each_validation(validations)}
    ordered = [records[digest] for digest in sorted(records)]
    builder = _Builder(Placement(splits, salt), validated=bool(ordered))
    validated: list[Problem] = []
    rows: dict[str, Row] = {}
    for record in ordered:
        for row in rows_of_validation(record, validated):
            rows[row.case.case_id] = merge_row(rows.get(row.case.case_id), row, validated)
    problems = _add_cases(builder, rows, cases)
    if problems or validated:
        raise ManifestError(*problems, *validated)
    for row in rows.values():
        builder.add(row)
    return builder.finish(name, ordered, provenance)


def _add_cases(builder: _Builder, rows: dict[str, Row], cases: Iterable[Case]) -> list[Problem]:
    """Add the cases that are listed, those of the validations to their rows; what stands twice is a problem."""
    problems: list[Problem] = []
    lines, listed = builder.lines, set[str]()
    for block in in_blocks(each_case(cases)):
        for case in () if builder.add_plain(block, rows) else block:
            case_id = case.case_id
            if case_id in lines or case_id in listed:
                first = own_entry(lines[case_id]).case if case_id in lines else rows[case_id].case
                problems.append(same_id(first, case))
            elif case_id in rows:
                listed.add(case_id)
                rows[case_id] = merge_row(listed_row(case), rows[case_id], problems)
            else:
                builder.add(listed_row(case))
    return problems
