"""Which source groups fail: found while records stream by, and kept no further than they are listed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple

from robust.canon import JsonObject, fold
from robust.records.failing_group import FailingGroup
from robust.run.failures import entry_of

_EXCERPT: Final = ("shown", "edited", "edits", "edits_left", "presentation")


class FailingPair(NamedTuple):
    """The record of a pair that breaks a limit, and where it stands in ``records.jsonl``: line, and its characters."""

    line: int
    columns: int
    record: JsonObject


def collect_groups(
    pairs: Iterable[FailingPair], shares: Mapping[str, int], *, excerpts: bool
) -> dict[str, list[FailingGroup]]:
    """The first source groups of each property that have failing pairs, in the order of the records.

    Args:
        pairs: all failing pairs, in the order of the records.
        shares: by property, how many groups are kept.
        excerpts: whether what a reader wants to see of an input is kept, too.
    """
    kept: dict[str, dict[str, FailingGroup]] = {name: {} for name in shares}
    counts: dict[str, dict[str, Counter[str]]] = {name: {} for name in shares}
    for line, columns, record in pairs:
        name, source = record["property"], fold(record["source_id"])
        groups = kept[name]
        if source not in groups:
            if len(groups) >= shares[name]:
                continue
            first = entry_of(record)
            if not excerpts:
                first = {key: value for key, value in first.items() if key not in _EXCERPT}
            groups[source] = FailingGroup(record["source_id"], line, columns, 0, {}, first)
            counts[name][source] = Counter()
        counts[name][source].update(("", *record["violations"]))
    return {
        name: [_counted(group, counts[name][source]) for source, group in groups.items()]
        for name, groups in kept.items()
    }


def _counted(group: FailingGroup, counts: Counter[str]) -> FailingGroup:
    """The group with its counts; all of its pairs are counted under no name."""
    violations = {name: count for name, count in counts.items() if name}
    return group._replace(pairs=counts[""], violations=violations)
