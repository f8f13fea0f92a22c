"""The same cases and validations in other splits."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from robust.canon import JsonObject, describe, fold
from robust.errors import ManifestError, Problem
from robust.manifest.assembly import Assembly, check_name
from robust.manifest.made_from import made_from
from robust.manifest.rules import capped
from robust.manifest.splits import SplitPlan, place_of_group, placed_lists, read_lists, read_split_rule, unknown_ids
from robust.records.case import Case
from robust.records.manifest import CaseEntry, is_name

if TYPE_CHECKING:
    from robust.manifest.frozen import FrozenManifest


def split_lines(
    old: FrozenManifest,
    splits: SplitPlan,
    *,
    salt: str = "",
    rest: str | None = None,
    resplit: bool = False,
    name: str | None = None,
    provenance: JsonObject | None = None,
) -> list[bytes]:
    """Deal the cases of a manifest to splits: its header line and the lines that follow.

    Raises:
        ManifestError: the plan cannot be, cases would leave the split that they are frozen in, or a rule is broken.
    """
    check_name(name := old.name if name is None else name)
    if not (splits is None or isinstance(splits, Mapping)):
        message = f"must be ids or fractions by split name, not {describe(splits)}"
        raise ManifestError.of("bad_split", message, path="splits")
    if not splits:
        raise ManifestError.of("bad_split", "no splits are given", path="splits", hint="give fractions or lists of ids")
    if rest is not None and not is_name(rest):
        raise ManifestError.of("bad_split", f"{rest!r} cannot name a split", path="rest")
    used = sorted(split for split, size in old.header["splits"].items() if size["cases"])
    if len(used) > 1 and not resplit:
        message = f"its cases are frozen in the splits {', '.join(map(repr, used))}; another deal would move them"
        hint = "split what is not split yet, or say that frozen cases may move (resplit=True, --resplit)"
        raise ManifestError.of("frozen_splits", message, path="splits", hint=hint)
    rule = read_split_rule(splits, salt)
    if rule is None:
        names = frozenset(splits) | ({rest} if rest is not None else set())
        assigned = _by_lists(old, splits, rest)
    elif rest is not None:
        raise ManifestError.of("bad_split", "fractions leave no rest", path="rest", hint="give lists of ids")
    else:
        names = frozenset(splits)
        assigned = {entry.case.case_id: place_of_group(fold(entry.case.source_id), rule) for entry in old.entries}
    assembly = Assembly(split_names=names, rule=rule, validated=bool(old.validations), dealt=True)

    def entries() -> Iterator[tuple[CaseEntry, bytes | None]]:
        for entry, line in old.entries_and_lines():
            split = assigned[entry.case.case_id]
            yield (entry, line) if split == entry.split else (entry._replace(split=split), None)

    lines = list(assembly.lines(entries(), old.validations))
    told = made_from("split", [old], old.provenance if provenance is None else provenance)
    return [assembly.finish(name, provenance=told), *lines]


def _by_lists(old: FrozenManifest, splits: SplitPlan, rest: str | None) -> dict[str, str]:
    """The split of every case: that of its list, else of its source group, else the rest."""
    lists = read_lists(splits)
    listed, problems = placed_lists(lists)
    groups: dict[str, str] = {}
    known: set[object] = set()
    for case in old.cases:
        known.add(case.case_id)
        if case.case_id in listed:
            groups.setdefault(fold(case.source_id), listed[case.case_id])
    problems += unknown_ids(lists, known)
    assigned: dict[str, str] = {}
    for case in old.cases:
        split = listed.get(case.case_id) or groups.get(fold(case.source_id)) or rest
        if split is None:
            problems.append(_unplaced(case))
        else:
            assigned[case.case_id] = split
    if problems:
        raise ManifestError(*capped(problems))
    return assigned


def _unplaced(case: Case) -> Problem:
    message = f"neither the case {case.case_id!r} nor another of its source group is in a list"
    return Problem(code="split_missing", message=message, path="splits", hint="list it, or name a split for the rest")
