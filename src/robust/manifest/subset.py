"""A part of a manifest, in which every variant still has its base and what vouches for it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from robust.canon import JsonObject, JsonValue, canonical_text, decode_own, describe
from robust.errors import ManifestError, Problem, UsageError
from robust.manifest.assembly import Assembly, check_name, portable_object
from robust.manifest.made_from import made_from
from robust.manifest.rules import capped
from robust.records.case import RELATIONS, Case, Relation
from robust.records.manifest import CaseEntry, SplitRule
from robust.records.validation import ValidationRecord

if TYPE_CHECKING:
    from robust.manifest.frozen import FrozenManifest


def subset_lines(
    old: FrozenManifest,
    *,
    split: str | None = None,
    ids: Iterable[str] | None = None,
    relation: Relation | None = None,
    metadata: Mapping[str, JsonValue] | None = None,
    name: str | None = None,
    provenance: JsonObject | None = None,
) -> list[bytes]:
    """Choose cases of a manifest: the header line and the lines that follow.

    Raises:
        UsageError: there is no such split or relation, or no condition at all.
        ManifestError: an id is unknown, or nothing is left.
    """
    check_name(name := old.name if name is None else name)
    conditions = _Conditions(old, split=split, ids=ids, relation=relation, metadata=metadata)
    kept = _Kept(old, conditions)
    if not kept.splits:
        raise ManifestError.of(
            "no_cases", "no case meets the conditions", hint="robust manifest show tells what is there"
        )
    header = old.header
    names = {each for each in header["splits"] if each in kept.splits}
    rule = None if header["split_rule"] is None else SplitRule(**header["split_rule"])
    if rule is not None and rule.fractions.keys() != names:
        rule = None
    assembly = Assembly(split_names=names, rule=rule, validated=bool(kept.validations))
    lines = list(assembly.lines(kept.entries(), kept.records()))
    told = made_from(
        "subset", [old], old.provenance if provenance is None else provenance, conditions=conditions.to_json()
    )
    return [assembly.finish(name, provenance=told), *lines]


class _Conditions:
    """What a case must be to be chosen; several conditions must all hold."""

    def __init__(
        self,
        old: FrozenManifest,
        *,
        split: str | None,
        ids: Iterable[str] | None,
        relation: Relation | None,
        metadata: Mapping[str, JsonValue] | None,
    ) -> None:
        if split is None and ids is None and relation is None and not metadata:
            message = "no condition says which cases to keep"
            raise UsageError.of("no_condition", message, hint="give a split, ids, a relation or metadata")
        if split is not None:
            old.entries_in(split)
        if relation is not None and relation not in RELATIONS:
            message = f"must be one of {', '.join(RELATIONS)}, not {relation!r}"
            raise UsageError.of("unknown_relation", message, path="relation")
        if metadata is not None and not isinstance(metadata, Mapping):
            raise UsageError.of("bad_metadata", f"must be values by key, not {describe(metadata)}", path="metadata")
        self._split = split
        self._ids = None if ids is None else _read_ids(ids)
        self.relation = relation
        self._metadata = portable_object(dict(metadata or {}), "metadata")
        if self._ids is not None:
            unknown = self._ids - {case.case_id for case in old.cases}
            problems = [
                Problem(code="unknown_case", message=f"no case has the id {each!r}", path="ids")
                for each in sorted(unknown)
            ]
            if problems:
                raise ManifestError(*capped(problems))

    def choose(self, entry: CaseEntry) -> bool:
        """Whether a case is chosen by itself, its relation aside."""
        case = entry.case
        return (
            (self._split is None or entry.split == self._split)
            and (self._ids is None or case.case_id in self._ids)
            and all(_has(case, key, value) for key, value in self._metadata.items())
        )

    def to_json(self) -> JsonObject:
        """The conditions as they are told in the provenance; ids by their number."""
        told: JsonObject = {
            "split": self._split,
            "relation": self.relation,
            "metadata": self._metadata or None,
            "ids": None if self._ids is None else len(self._ids),
        }
        return {key: value for key, value in told.items() if value is not None}


def _read_ids(ids: object) -> set[str]:
    listed = list(ids) if isinstance(ids, Iterable) and not isinstance(ids, str) else [None]
    if not all(isinstance(each, str) for each in listed):
        raise UsageError.of("bad_ids", f"must be a list of case ids, not {describe(ids)}", path="ids")
    return {each for each in listed if each is not None}


def _has(case: Case, key: str, value: JsonValue) -> bool:
    """Whether a case's metadata has a value. A text also finds a number, true or false that is written like it."""
    if key not in case.metadata:
        return False
    found = canonical_text(case.metadata[key])
    return found == canonical_text(value) or (isinstance(value, str) and found == value)


class _Kept:
    """Which cases and validations stay."""

    def __init__(self, old: FrozenManifest, conditions: _Conditions) -> None:
        self._old = old
        chosen: set[str] = set()
        parents: dict[str, str] = {}
        for entry in old.entries:
            if conditions.choose(entry):
                chosen.add(entry.case.case_id)
            if entry.case.origin is not None:
                parents[entry.case.case_id] = entry.case.origin.parent_id
        # A chosen base brings its variants, a chosen variant its base.
        variants = {each for each, parent in parents.items() if each in chosen or parent in chosen}
        relation = conditions.relation
        # The validations of the variants that stay, with the base that each is about.
        self.validations: set[str] = set()
        self._first: dict[str, str] = {}
        related: set[str] = set()
        for line in old.validation_lines():
            data = decode_own(line)["validation"]
            base, candidate = data["base"]["case_id"], data["candidate"]["case_id"]
            if candidate in variants and relation in (None, data["relation"]):
                self.validations.add(data["digest"])
                related.add(candidate)
                for case_id in (base, candidate):
                    self._first.setdefault(case_id, data["digest"])
        kept = related | {parents[each] for each in related}
        self._ids = kept if relation is not None else kept | (chosen - parents.keys())
        self.splits = {entry.split for entry in old.entries if entry.case.case_id in self._ids}

    def entries(self) -> Iterator[tuple[CaseEntry, bytes | None]]:
        """The cases that stay. One that rested on a validation that is gone rests on the first that is left."""
        for entry, line in self._old.entries_and_lines():
            if entry.case.case_id not in self._ids:
                continue
            if entry.validation is None or entry.validation in self.validations:
                yield entry, line
            else:
                yield entry._replace(validation=self._first[entry.case.case_id]), None

    def records(self) -> Iterator[ValidationRecord]:
        """The validations that stay."""
        return (record for record in self._old.validations if record.digest in self.validations)
