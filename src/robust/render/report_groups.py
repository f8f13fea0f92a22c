"""What fails of a property, source group by source group, for formats that other tools read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from robust.canon import JsonObject
from robust.records.failing_group import FLIP, FailingGroup, failing_pair_count
from robust.render.plain import plural
from robust.render.report_failure import broken_text, outcome_text
from robust.render.report_ids import id_text
from robust.render.screen import Screen

WHERE: Final = "all in records.jsonl"


def group_text(group: FailingGroup, limits: JsonObject, screen: Screen) -> str:
    """What fails in a source group, in one line: how many pairs break what, and what came of the first.

    Args:
        group: the source group.
        limits: what its property allows a pair.
        screen: what is written to.
    """
    several = len(group.violations) > 1
    broken = ", ".join(f"{name} ({count})" if several else name for name, count in group.violations.items())
    pairs = f"{plural(group.pairs, 'pair')} {'breaks' if group.pairs == 1 else 'break'} {broken}"
    first = outcome_text(group.first, screen)
    return f"{pairs}; the first, {id_text(group.first['id'], screen)}: {first}; {broken_text(group.first, limits)}"


def left_text(report: JsonObject, name: str, shown: Sequence[FailingGroup]) -> str | None:
    """What is not listed of a property's failing pairs, and where it is; None where all of them are listed.

    Args:
        report: the report.
        name: of the property.
        shown: the source groups that are listed.
    """
    left = failing_pair_count(report, name) - sum(group.pairs for group in shown)
    if left <= 0:
        return None
    # Source groups whose pairs only have another label are in no count of the report.
    listed = sum(any(limit != FLIP for limit in group.violations) for group in shown)
    groups = report["properties"][name]["groups_violating"] - listed
    of = f" of {plural(groups, 'more source group')} with a violation" if groups else ""
    return f"{plural(left, 'more failing pair')}{of}"
