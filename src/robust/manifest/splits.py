"""Which split a source group belongs to."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from robust.canon import describe, fold, plain_parts, unit_interval
from robust.errors import ManifestError, Problem
from robust.records.case import Case
from robust.records.manifest import DEFAULT_SPLIT, SplitRule, is_name

SplitPlan = Mapping[str, Sequence[str]] | Mapping[str, float]


def place_of_group(folded_source: str, rule: SplitRule) -> str:
    """The split of a source group under a rule: it depends on nothing but the rule and the group's folded name.

    The group's place in [0, 1) falls into the fractions laid end to end in the order of split names, so that new
    groups never move old ones.
    """
    place = unit_interval("robust.split/1", rule.salt, folded_source)
    names = sorted(rule.fractions)
    edge = 0.0
    for name in names[:-1]:
        edge += rule.fractions[name]
        if place < edge:
            return name
    return names[-1]


def read_split_rule(splits: SplitPlan | None, salt: str) -> SplitRule | None:
    """The rule that fractions stand for, or None for explicit lists and for no splits at all.

    Raises:
        ManifestError: lists and fractions are mixed, the salt or a name is bad, or the fractions do not sum to 1.
    """
    if type(salt) is not str or plain_parts(salt)[1]:
        raise ManifestError.of("bad_salt", f"must be text that can be stored, not {describe(salt)}", path="salt")
    if splits is None:
        return None
    if not isinstance(splits, Mapping):
        message = f"must be ids or fractions by split name, not {describe(splits)}"
        raise ManifestError.of("bad_split", message, path="splits")
    if not splits:
        return None
    for name in splits:
        if not is_name(name):
            raise ManifestError.of("bad_split", f"{name!r} cannot name a split", path="splits")
    shares = [isinstance(value, int | float) and not isinstance(value, bool) for value in splits.values()]
    if not any(shares):
        return None
    if not all(shares):
        raise ManifestError.of("bad_split", "splits mix fractions and lists of case ids", path="splits")
    fractions = {name: float(value) for name, value in splits.items()}  # type: ignore[arg-type]
    total = sum(fractions.values())
    if not all(0 < value <= 1 for value in fractions.values()) or abs(total - 1) > 1e-9:
        message = f"fractions must be above 0 and sum to 1; {fractions} sum to {total!r}"
        raise ManifestError.of("bad_split", message, path="splits")
    return SplitRule(salt=salt, fractions=fractions)


def assign_splits(cases: Iterable[Case], splits: SplitPlan | None, rule: SplitRule | None) -> dict[str, str]:
    """The split of every case by its id. A variant that is not listed goes where its parent goes.

    Raises:
        ManifestError: a listed id is unknown or listed twice, or a case is in no split; all are named at once.
    """
    cases = list(cases)
    if rule is not None:
        return {case.case_id: place_of_group(fold(case.source_id), rule) for case in cases}
    if not splits:
        return {case.case_id: DEFAULT_SPLIT for case in cases}
    assigned, problems = _assign_lists({case.case_id for case in cases}, splits)
    for case in cases:
        if case.case_id not in assigned and case.origin is not None and case.origin.parent_id in assigned:
            assigned[case.case_id] = assigned[case.origin.parent_id]
        elif case.case_id not in assigned:
            message = f"the case {case.case_id!r} is in no split"
            problems.append(Problem(code="split_missing", message=message, path="splits", hint="list it in one"))
    if problems:
        raise ManifestError(*problems)
    return assigned


def _assign_lists(known: set[str], splits: SplitPlan) -> tuple[dict[str, str], list[Problem]]:
    """The splits of the listed cases, and what is wrong with the lists."""
    assigned: dict[str, str] = {}
    problems: list[Problem] = []
    for name, ids in splits.items():
        if isinstance(ids, str) or not isinstance(ids, Iterable):
            raise ManifestError.of("bad_split", f"must be a list of case ids, not {ids!r}", path=f"splits.{name}")
        for case_id in ids:
            if not isinstance(case_id, str) or case_id not in known:
                problems.append(
                    Problem(code="unknown_case", message=f"no case has the id {case_id!r}", path=f"splits.{name}")
                )
            elif case_id in assigned:
                message = f"the case {case_id!r} is listed in {assigned[case_id]!r} and again in {name!r}"
                problems.append(Problem(code="split_twice", message=message, path=f"splits.{name}"))
            else:
                assigned[case_id] = name
    return assigned, problems
