"""From cases and validations to the bytes of a manifest."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from robust.canon import MAX_PART_DEPTH, JsonObject, MerkleTree, canonical_bytes, describe, plain_parts
from robust.errors import CaseError, ManifestError, Problem
from robust.manifest.rules import Rules
from robust.manifest.splits import SplitPlan, assign_splits, read_split_rule
from robust.records.case import Case
from robust.records.encoding import canonical_case
from robust.records.manifest import (
    MAX_NAME_CHARACTERS,
    SCHEMA,
    CaseEntry,
    LabelSource,
    SplitRule,
    case_line,
    is_name,
    validation_line,
)
from robust.records.redaction import redact_metadata
from robust.records.validation import ValidationRecord


@dataclass(slots=True)
class _Row:
    """A case on its way into a manifest."""

    case: Case
    label_source: LabelSource | None
    validation: str | None


def build_lines(
    name: str,
    *,
    cases: Iterable[Case] = (),
    validations: Iterable[ValidationRecord] = (),
    splits: SplitPlan | None = None,
    salt: str = "",
    provenance: JsonObject | None = None,
    parent: str | None = None,
) -> list[bytes]:
    """Build a manifest: its header line and the lines that follow, each without its line feed.

    The same content gives the same bytes, whatever the order of the arguments.

    Raises:
        ManifestError: a rule is broken; every problem is named at once.
        CaseError: a case is not portable JSON.
    """
    _check_name(name)
    records = {record.digest: record for record in _each_validation(validations)}
    ordered = [records[digest] for digest in sorted(records)]
    rows = _gather(cases, ordered)
    rule = read_split_rule(splits, salt)
    assigned = assign_splits((row.case for row in rows), splits, rule)
    names = set(splits or ()) | set(assigned.values())
    rules = Rules(split_names=names, rule=rule, validated=bool(ordered))
    lines: list[bytes] = []
    tree = MerkleTree()
    for row in rows:
        case = row.case
        entry = CaseEntry(case, assigned[case.case_id], row.label_source, row.validation)
        # Encoded first: the rules rest on a case that is portable JSON.
        lines.append(case_line(canonical_case(case), entry))
        rules.add_case(entry)
    for record in ordered:
        rules.add_validation(record)
        lines.append(validation_line(record.stored_line()))
    problems = rules.finish()
    if problems:
        raise ManifestError(*problems)
    tree.extend(lines)
    header = make_header(name, rules, names, rule, len(rows), len(ordered), tree.root(), provenance, parent)
    return [header, *lines]


def make_header(
    name: str,
    rules: Rules,
    split_names: Iterable[str],
    rule: SplitRule | None,
    cases: int,
    validations: int,
    root: str,
    provenance: JsonObject | None,
    parent: str | None,
) -> bytes:
    """The canonical header line."""
    return canonical_bytes(
        {
            "kind": "manifest",
            "schema": SCHEMA,
            "name": name,
            "splits": {
                split: {"cases": rules.split_cases.get(split, 0), "sources": rules.split_groups.get(split, 0)}
                for split in split_names
            },
            "split_rule": None if rule is None else {"salt": rule.salt, "fractions": rule.fractions},
            "counts": {
                "lines": cases + validations,
                "cases": cases,
                "sources": rules.sources,
                "validations": validations,
            },
            "parent": parent,
            "provenance": _portable_provenance(provenance),
            "root": root,
        }
    )


def _check_name(name: object) -> None:
    if not is_name(name):
        message = f"must be 1 to {MAX_NAME_CHARACTERS} printable characters, not {name!r}"
        raise ManifestError.of("bad_name", message, path="name")


def _portable_provenance(provenance: Any) -> JsonObject:
    copied, problems = plain_parts({} if provenance is None else provenance, "provenance", MAX_PART_DEPTH)
    if problems or not isinstance(copied, dict):
        raise ManifestError(*problems or (Problem(code="wrong_value", message="must be an object", path="provenance"),))
    return redact_metadata(copied)


def _each_validation(validations: Any) -> Iterator[ValidationRecord]:
    if not isinstance(validations, Iterable):
        message = f"must be validations, not {describe(validations)}"
        raise ManifestError.of("not_a_validation", message, path="validations")
    for index, record in enumerate(validations):
        if not isinstance(record, ValidationRecord):
            message = f"must be a Validation, not {describe(record)}"
            raise ManifestError.of("not_a_validation", message, path=f"validations[{index}]")
        yield record


def _gather(cases: Iterable[Case], records: list[ValidationRecord]) -> list[_Row]:
    """One row for each case id, ordered by it: the cases given, and the bases and variants of the validations."""
    rows: dict[str, _Row] = {}
    problems: list[Problem] = []
    if not isinstance(cases, Iterable):
        raise CaseError.of("not_a_case", f"must be cases, not {describe(cases)}", path="cases")
    for case in cases:
        if not isinstance(case, Case):
            raise CaseError.of("not_a_case", f"must be a Case, not {describe(case)}", path="cases")
        if case.case_id in rows:
            message = f"two cases have the id {case.case_id!r}: {_brief(rows[case.case_id].case)} and {_brief(case)}"
            problems.append(Problem(code="duplicate_id", message=message, path=f"case {case.case_id!r}"))
            continue
        rows[case.case_id] = _Row(case, None if case.expected is None else "given", None)
    for record in records:
        if record.status != "valid":
            codes = ", ".join(record.issues)
            problems.append(
                Problem(
                    code="not_valid",
                    message=f"the validation {record.digest} is {record.status} ({codes})",
                    path=f"case {record.data['candidate']['case_id']!r}",
                    hint="only valid variants can be scored; leave it out",
                )
            )
            continue
        data = record.data
        base, candidate = Case.from_json(data["base"]), Case.from_json(data["candidate"])
        if base.expected is None and data["verdict"]["base_expected"] is not None:
            labelled = base.with_expected(data["verdict"]["base_expected"])
            _merge(rows, _Row(labelled, "oracle", record.digest), problems)
        else:
            _merge(rows, _Row(base, None if base.expected is None else "given", None), problems)
        variant = candidate.with_expected(data["verdict"]["variant_expected"])
        _merge(rows, _Row(variant, "oracle", record.digest), problems)
    if problems:
        raise ManifestError(*problems)
    return [rows[case_id] for case_id in sorted(rows)]


def _merge(rows: dict[str, _Row], row: _Row, problems: list[Problem]) -> None:
    """Add a row, or join it with the row of the same id; a given label goes before one that an oracle derived."""
    known = rows.get(row.case.case_id)
    if known is None:
        rows[row.case.case_id] = row
        return
    if _unlabelled(known.case) != _unlabelled(row.case) or _labels_conflict(known, row):
        message = f"two different cases have the id {row.case.case_id!r}: {_brief(known.case)} and {_brief(row.case)}"
        problems.append(Problem(code="duplicate_id", message=message, path=f"case {row.case.case_id!r}"))
        return
    if row.case.origin is not None:
        # A listed variant is vouched for by its validation; of several validations the first by digest counts.
        if known.validation is None:
            rows[row.case.case_id] = row
    elif known.label_source is None or (known.label_source == "oracle" and row.label_source == "given"):
        rows[row.case.case_id] = row


def _labels_conflict(known: _Row, row: _Row) -> bool:
    both_given = known.label_source == "given" and row.label_source == "given"
    variant = row.case.origin is not None and known.case.expected is not None and row.case.expected is not None
    return (both_given or variant) and canonical_bytes(known.case.expected) != canonical_bytes(row.case.expected)


def _unlabelled(case: Case) -> bytes:
    return canonical_case(replace(case, expected=None))


def _brief(case: Case) -> str:
    shown = canonical_bytes({"input": case.input, "expected": case.expected, "source_id": case.source_id}).decode()
    return shown if len(shown) <= 160 else shown[:159] + "…"
