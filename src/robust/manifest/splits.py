"""Which split a source group belongs to."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from math import fsum
from typing import Any

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
    return SplitRule(salt=salt, fractions=_read_fractions(splits))


def _read_fractions(splits: Mapping[str, Any]) -> dict[str, float]:
    for name, value in splits.items():
        # Compared before it is made a float, for which an integer may be too large.
        if not 0 < value <= 1:
            message = f"the fraction of {name!r} must be above 0 and at most 1"
            raise ManifestError.of("bad_split", message, path="splits", hint="fractions sum to 1")
    fractions = {name: float(value) for name, value in splits.items()}
    total = fsum(fractions.values())
    if abs(total - 1) > 1e-9:
        message = f"fractions must sum to 1; {fractions} sum to {total!r}"
        raise ManifestError.of("bad_split", message, path="splits")
    return fractions


class Placement:
    """Says into which split each case goes, one by one. A variant that is not listed goes where its parent goes.

    Args:
        splits: lists of case ids, or fractions, by split name; or the name of the one split for everything, which is
            ``development`` without it.
        salt: makes another deal of groups to fractions.

    Raises:
        ManifestError: the plan cannot be.
    """

    def __init__(self, splits: SplitPlan | str | None, salt: str = "") -> None:
        self._one = splits if isinstance(splits, str) else DEFAULT_SPLIT
        if not is_name(self._one):
            raise ManifestError.of("bad_split", f"{self._one!r} cannot name a split", path="splits")
        splits = None if isinstance(splits, str) else splits
        self.rule = read_split_rule(splits, salt)
        self.names = frozenset(splits or (self._one,))
        self._lists = None if self.rule is not None or not splits else read_lists(splits)
        self._listed: dict[str, str] = {}
        self._met: set[str] = set()
        self._missing: list[Problem] = []
        for name, ids in (self._lists or {}).items():
            for case_id in ids:
                if isinstance(case_id, str):
                    self._listed.setdefault(case_id, name)

    def split_of(self, case: Case, known: str | None = None) -> str | None:
        """The split of a case; None, and noted, when it is in no list.

        Args:
            case: the case.
            known: the split of its source group, where that has one already.
        """
        if self.rule is not None:
            return known or place_of_group(fold(case.source_id), self.rule)
        if self._lists is None:
            return self._one
        split = self._listed.get(case.case_id)
        if split is not None:
            self._met.add(case.case_id)
        elif case.origin is not None:
            split = self._listed.get(case.origin.parent_id)
        if split is None:
            message = f"the case {case.case_id!r} is in no split"
            self._missing.append(Problem(code="split_missing", message=message, path="splits", hint="list it in one"))
        return split

    def splits_of(self, cases: Sequence[Case]) -> list[str] | None:
        """The split of each of many cases, where no rule deals them; None, and nothing noted, if one is unlisted."""
        if self._lists is None:
            return [self._one] * len(cases)
        ids = [case.case_id for case in cases]
        splits = [self._listed[case_id] for case_id in ids if case_id in self._listed]
        if len(splits) < len(cases):
            return None
        self._met.update(ids)
        return splits

    def problems(self) -> list[Problem]:
        """What is wrong with the lists, once all cases have been placed."""
        problems: list[Problem] = []
        first: dict[str, str] = {}
        for name, ids in (self._lists or {}).items():
            for case_id in ids:
                if not isinstance(case_id, str) or case_id not in self._met:
                    problems += unknown_ids({name: (case_id,)}, ())
                elif case_id in first:
                    problems.append(_twice(case_id, first[case_id], name))
                else:
                    first[case_id] = name
        return [*problems, *sorted(self._missing, key=str)]


def read_lists(splits: SplitPlan) -> dict[str, tuple[object, ...]]:
    """Lists of ids by split name, each read once.

    Raises:
        ManifestError: a list is none.
    """
    lists: dict[str, tuple[object, ...]] = {}
    for name, ids in splits.items():
        if isinstance(ids, str) or not isinstance(ids, Iterable):
            raise ManifestError.of("bad_split", f"must be a list of case ids, not {ids!r}", path=f"splits.{name}")
        lists[name] = tuple(ids)
    return lists


def placed_lists(lists: Mapping[str, Sequence[object]]) -> tuple[dict[str, str], list[Problem]]:
    """The split of every listed id, and a problem for each that stands in two lists."""
    placed: dict[str, str] = {}
    problems = [
        _twice(case_id, placed[case_id], name)
        for name, ids in lists.items()
        for case_id in ids
        if isinstance(case_id, str) and placed.setdefault(case_id, name) != name
    ]
    return placed, problems


def unknown_ids(lists: Mapping[str, Sequence[object]], known: Container[object]) -> list[Problem]:
    """A problem for each listed id that no case has."""
    return [
        Problem(code="unknown_case", message=f"no case has the id {case_id!r}", path=f"splits.{name}")
        for name, ids in lists.items()
        for case_id in ids
        if not isinstance(case_id, str) or case_id not in known
    ]


def _twice(case_id: str, first: str, second: str) -> Problem:
    message = f"the case {case_id!r} is listed in {first!r} and again in {second!r}"
    return Problem(code="split_twice", message=message, path=f"splits.{second}")
