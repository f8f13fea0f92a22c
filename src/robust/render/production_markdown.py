"""A check of production records as Markdown that fits a comment on GitHub and the summary of a job."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from robust.canon import JsonObject
from robust.render.markdown import MAX_BYTES, text_size
from robust.render.markdown_text import code, table
from robust.render.plain import plural
from robust.render.production_facts import (
    SEGMENT_HEAD,
    baseline_words,
    drift_rows,
    error_words,
    lead_words,
    metric_rows,
    note_of,
    order_of,
    period_words,
    provenance,
    segment_rows,
    spread_rows,
    total_words,
    unknown_notes,
)
from robust.render.report_checks import check_figures
from robust.render.report_facts import observed_time, observed_version
from robust.render.screen import Screen
from robust.render.shown_production import ShownProduction

_NAME_WIDTH: Final = 100
_MOST_CHECKS: Final = 100
# What is said of rows that are left out.
_ROOM: Final = 300


def production_markdown(run: ShownProduction, *, most_bytes: int = MAX_BYTES) -> str:
    """A report as Markdown: the verdict, the checks, metrics, drift, segments, and what all of it rests on.

    Checks and segments that do not fit are counted, and it is said where they are.

    Args:
        run: the check.
        most_bytes: of the text in UTF-8.
    """
    report, screen = run.report, Screen(run.encoding)
    head = "\n".join(_head(report, screen))
    middle = "\n".join([*_metrics(report), *_untold(report, screen)])
    tail = "\n".join(_provenance(run, screen))
    room = most_bytes - sum(map(text_size, (head, middle, tail)))
    checks = _fitting(_checks(report, screen), room - room // 3, "check")
    segments = _fitting(_segments(report, screen), room - text_size(checks), "segment")
    return "\n".join(part for part in (head, checks, middle, segments, tail) if part)


def _head(report: JsonObject, screen: Screen) -> Iterator[str]:
    yield f"## {report['status'].upper()}: {code(report['contract']['name'], screen, _NAME_WIDTH)}"
    yield from ("", code(lead_words(report), screen, 2 * _NAME_WIDTH))
    for name, words in (("from", period_words(report)), ("compared with", baseline_words(report))):
        yield from (f"<br>{name} {code(words, screen, 2 * _NAME_WIDTH)}",) if words else ()
    yield ""


Listed = tuple[list[str], list[str]]


def _fitting(listed: Listed, room: int, what: str) -> str:
    """A head and as many rows as fit."""
    head, rows = listed
    if not rows:
        return ""
    left = room - text_size("\n".join(head)) - _ROOM
    shown: list[str] = []
    for row in rows:
        left -= text_size(row)
        if left < 0:
            break
        shown.append(row)
    more = len(rows) - len(shown)
    told = ["", f"{plural(more, what)} more in report.json of the run."] if more else []
    return "\n".join([*head, *shown, *told, ""])


def _checks(report: JsonObject, screen: Screen) -> Listed:
    head = ["### Checks", "", *table(("", "check", "level", "value", "limit", "note"), [], right=(3, 4))]
    rows = []
    for check in sorted(report["checks"], key=order_of):
        mark, value, limit = check_figures(check)
        marked = f"**{mark}**" if check["status"] != "pass" else mark
        cells = (
            marked,
            code(check["check"], screen, _NAME_WIDTH),
            check["level"],
            value,
            limit,
            note_of(report, check),
        )
        rows.append(f"| {' | '.join(cells)} |")
    return head, rows


def _metrics(report: JsonObject) -> Iterator[str]:
    head, *rows = metric_rows(report["metrics"], report["settings"]["confidence"])
    if rows:
        yield from ("### Metrics", "", *table(head, rows, right=(1, 3)), "")
    head, *rows = spread_rows(report)
    yield from ("### Distributions", "", *table(head, rows, right=range(1, 8)), "")
    for words in (total_words(report), error_words(report)):
        yield from (f"{words[0].upper()}{words[1:]}.", "") if words else ()
    head, *rows = drift_rows(report)
    if rows:
        yield from ("### Drift from the baseline", "", *table(head, rows, right=(1,)), "")


def _untold(report: JsonObject, screen: Screen) -> Iterator[str]:
    yield from ("### What was not shown", "")
    yield from (f"- {screen.safe(note)}" for note in unknown_notes(report))
    yield ""


def _segments(report: JsonObject, screen: Screen) -> Listed:
    head = ["### Segments", "", *table(SEGMENT_HEAD, [], right=(2, 3, 5, 6))]
    listed = sorted(segment_rows(report), key=lambda each: {"fail": 0, "warn": 1}.get(each[0]["status"], 2))
    rows = [f"| {' | '.join([code(row[0], screen, _NAME_WIDTH), *row[1:]])} |" for _, row in listed]
    return head, rows


def _provenance(run: ShownProduction, screen: Screen) -> Iterator[str]:
    report = run.report
    facts = [*provenance(report)]
    facts += [("started", time)] if (time := observed_time(report, "started_at")) is not None else []
    facts += [("robust", version)] if (version := observed_version(report)) is not None else []
    rows = [[name, code(value, screen, _NAME_WIDTH)] for name, value in facts]
    yield from ("### Provenance", "", *table(("", ""), rows), "")
    if run.path is not None:
        again = "derives all of this but times and versions again, with the file of the records behind the folder:"
        yield f"`robust verify` {again} {code(run.path, screen, _NAME_WIDTH)}"
