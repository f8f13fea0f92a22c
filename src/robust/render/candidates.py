"""What came of making or taking in candidates, as text."""

from __future__ import annotations

from collections.abc import Iterable

from robust.canon import JsonObject
from robust.render.plain import plural, safe, table

_COUNTS = ("generated", "unchanged", "duplicate", "not_applicable")


def generation_text(report: JsonObject) -> str:
    """A generation's counts: one line for each strategy, under a heading."""
    rows = [("strategy", "relation", *(name.replace("_", " ") for name in _COUNTS))]
    for strategy in report["strategies"]:
        counts = [str(strategy[name]) for name in _COUNTS]
        rows.append((safe(strategy["name"]), strategy["relation"], *counts))
    lines = [
        f"{plural(report['candidates'], 'candidate')} of {plural(report['cases'], 'case')}",
        *table(rows, right=range(2, 2 + len(_COUNTS)), indent=""),
    ]
    if report["without_text"]:
        have = "has" if report["without_text"] == 1 else "have"
        lines.append(f"{plural(report['without_text'], 'case')} {have} no text, or more than one")
    return "\n".join(lines)


def import_text(report: JsonObject) -> str:
    """An import's counts in one line."""
    return (
        f"{plural(report['candidates'], 'candidate')} of {plural(report['parents'], 'base')} "
        f"from {plural(report['rows'], 'row')}; {report['unchanged']} unchanged, {report['duplicate']} duplicate"
    )


def strategies_text(strategies: Iterable[JsonObject]) -> str:
    """The strategies there are: name, relation and what each one does; then the sets of them, which have none."""
    return "\n".join(table([(each["name"], each["relation"] or "-", each["about"]) for each in strategies], indent=""))
