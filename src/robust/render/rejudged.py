"""What a report that was re-judged rests on: the stored answers, and a contract that is not the one that ran."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from typing import Final

from robust.canon import JsonObject

_WIDTH: Final = 80
_SAID: Final = "Re-judged: the stored answers, by an edited contract; no model was asked"
_LISTED: Final = {"not_run": "not run, so their checks do not hold", "left_out": "run, but not judged now"}


def rejudged_text(report: JsonObject) -> str:
    """It as plain text readable at 80 columns, with both contracts; nothing for a run's own report."""
    rejudged = report.get("rejudged")
    if rejudged is None:
        return ""
    lines = [
        _SAID,
        f"  {_own_status(rejudged)}",
        "  the contract that ran, and the edited one:",
        f"ran      {rejudged['contract']}",
        f"edited   {report['contract']['digest']}",
    ]
    for said, names in _listed(rejudged):
        listed = f"properties {said}: {', '.join(names)}"
        lines += textwrap.wrap(listed, _WIDTH, initial_indent="  ", subsequent_indent="    ")
    return "\n".join(lines)


def rejudged_markdown(report: JsonObject) -> str:
    """It as a paragraph of Markdown, without the contracts; nothing for a run's own report."""
    rejudged = report.get("rejudged")
    if rejudged is None:
        return ""
    listed = [f"properties {said}: {', '.join(f'`{name}`' for name in names)}" for said, names in _listed(rejudged)]
    return "; ".join([f"{_SAID}; {_own_status(rejudged)}", *listed]) + "."


def rejudged_notes(report: JsonObject) -> list[str]:
    """It as parts of a sentence, without the contracts; nothing for a run's own report."""
    rejudged = report.get("rejudged")
    if rejudged is None:
        return []
    listed = [f"properties {said}: {', '.join(names)}" for said, names in _listed(rejudged)]
    return ["the stored answers; no model was asked", _own_status(rejudged), *listed]


def _own_status(rejudged: JsonObject) -> str:
    return f"the run's own status is {rejudged['status'].upper()}"


def _listed(rejudged: JsonObject) -> Iterator[tuple[str, list[str]]]:
    """What is said of properties that only one of the two contracts has, and which they are."""
    yield from ((said, rejudged[name]) for name, said in _LISTED.items() if rejudged[name])
