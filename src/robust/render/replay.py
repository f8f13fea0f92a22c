"""A replay as plain text readable at 80 columns."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator
from typing import Final

from robust.canon import JsonObject
from robust.render.plain import number_text, safe, shorten

_WIDTH: Final = 80
_MARKS: Final = {
    "reproduced": "reproduced",
    "differs": "differs",
    "error": "not evaluated",
    "not_reproduced": "not reproduced",
}
_SAID: Final = {
    "reproduced": "reproduced",
    "differs": "failed in another way",
    "error": "could not be evaluated",
    "not_reproduced": "not reproduced",
}
_COLUMN: Final = max(map(len, _MARKS.values())) + 2
_REGENERATED: Final = {True: "yes", False: "NO", None: "not regenerated"}
_MESSAGE_LINES: Final = 4


def replay_text(report: JsonObject, results: Iterable[JsonObject], path: str) -> Iterator[str]:
    """A replay in parts, each of one or more lines: the outcome, one part for each failure, and the digest.

    Args:
        report: what came of it.
        results: the single results.
        path: the run directory.
    """
    yield "\n".join(_head(report, path))
    for result in results:
        yield "\n".join(_result(result))
    yield "\n".join(_tail(report))


def _head(report: JsonObject, path: str) -> list[str]:
    counts, backend = report["counts"], report["backend"]
    model = f"{backend['model'] or backend['name']} ({backend['provider']})"
    outcomes = ", ".join(f"{counts[status]} {said}" for status, said in _SAID.items() if counts[status])
    left = counts["not_replayable"]
    lines = [
        shorten(f"{report['status'].upper()}  {report['contract']['name']}: {safe(model)}", _WIDTH),
        f"  failures of {safe(path)}",
        f"  {counts['replayed']} replayed: {outcomes}",
    ]
    if not report["same_backend"]:
        lines.append("  the backend is not the one that ran, or not as it was")
    if left:
        kinds = ", ".join(f"{count} {kind}" for kind, count in left.items())
        lines.append(f"  not replayed, as nothing was ever sent: {kinds}")
    return [*lines, ""]


def _result(result: JsonObject) -> list[str]:
    """The outcome with the id on one line, which is never cut, and below it what was found."""
    recorded, found, reduced = result["recorded"], result["found"], result["reduced"]
    lines = [f"  {_MARKS[result['status']]:<{_COLUMN}}{safe(result['id'])}"]
    detail = [f"recorded {_broken(recorded)}; now {_broken(found)}"]
    comparison = found["comparison"]
    if comparison is not None:
        answers = f"{safe(comparison['base_selected'])} -> {safe(comparison['variant_selected'])}"
        detail.append(f"{answers}, total variation {number_text(comparison['tv_distance'])}")
    if reduced is not None:
        detail.append(f"reduced form: {_SAID[reduced['status']]} ({_broken(reduced)})")
    facts = [f"same answers as stored: {'yes' if result['same_answers'] else 'NO'}"]
    if result["property"] is not None:
        facts.append(f"made again from the seed: {_REGENERATED[result['regenerated']]}")
    for line in [*detail, "; ".join(facts)]:
        lines += textwrap.wrap(line, _WIDTH, initial_indent=" " * 6, subsequent_indent=" " * 8)
    return lines


def _broken(finding: JsonObject) -> str:
    return finding["error"] or ", ".join(finding["violations"]) or "nothing broken"


def _tail(report: JsonObject) -> list[str]:
    lines = [""]
    for kind, message in report["observed"]["messages"].items():
        shown = textwrap.wrap(safe(message), _WIDTH - 4) or [""]
        lines += [f"  the first {kind}:", *(f"    {line}" for line in shown[:_MESSAGE_LINES])]
    return [*lines, "Replay digest over ids and answers (equal wherever the same is answered)", report["digest"]]
