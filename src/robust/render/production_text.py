"""A check of production records as plain text, readable at 80 columns."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from robust.canon import JsonObject
from robust.render.plain import shorten, table
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
    segment_rows,
    spread_rows,
    total_words,
    unknown_notes,
)
from robust.render.report_bars import bar
from robust.render.report_checks import check_figures
from robust.render.report_metrics import reliability_text
from robust.render.screen import WIDTH, Screen
from robust.render.shown_production import ShownProduction

_MOST_CHECKS: Final = 40
_MOST_SEGMENTS: Final = 30
_NAME_WIDTH: Final = 30
_LEAST_NAME: Final = 12
_NOTE_WIDTH: Final = 60
_BAR: Final = 30


def production_text(run: ShownProduction) -> str:
    """The verdict, the checks, what was not shown, metrics, drift, segments and what all of it rests on."""
    report, screen = run.report, Screen(run.encoding)
    return "\n".join(
        [
            *_head(report, screen),
            *_checks(report, screen),
            *_metrics(report, screen, bars=run.bars),
            *_segments(report, screen),
            *_untold(report, screen),
            "",
            "Digests of the evidence (equal for equal checks) and of this report",
            f"evidence {report['evidence_digest']}",
            f"report   {report['digest']}",
        ]
    )


def _head(report: JsonObject, screen: Screen) -> Iterator[str]:
    name = screen.safe(report["contract"]["name"])
    yield shorten(f"{report['status'].upper()}  {name}: {screen.safe(lead_words(report))}", WIDTH, screen.signs.more)
    for head, words in (("from", period_words(report)), ("compared with", baseline_words(report))):
        if words:
            yield from screen.paragraph(screen.safe(words), head=f"  {head} ", indent=4)


def _checks(report: JsonObject, screen: Screen) -> Iterator[str]:
    for level, head in (("requirement", "Requirements"), ("warning", "Warnings")):
        checks = sorted((check for check in report["checks"] if check["level"] == level), key=order_of)
        if not checks:
            continue
        shown = checks[:_MOST_CHECKS]
        figures = [check_figures(check) for check in shown]
        others = sum(max(map(len, column)) for column in zip(*figures, ("", "value", "limit"), strict=True))
        room = max(WIDTH - others - 8, _LEAST_NAME)
        rows = [
            [mark, _name(check["check"], screen, room), value, limit]
            for check, (mark, value, limit) in zip(shown, figures, strict=True)
        ]
        yield from ("", head, *table([["", "", "value", "limit"], *rows], right=(2, 3)))
        if len(checks) > len(shown):
            yield f"  {screen.signs.more} and {len(checks) - len(shown)} more: report.json has all of them"
        for check in shown:
            if note := note_of(report, check):
                name = _name(check["check"], screen, _NOTE_WIDTH)
                yield from screen.paragraph(note, head=f"  {name}: ", indent=4)


def _name(name: str, screen: Screen, room: int) -> str:
    """The name of a check; of a long one the gate stays whole."""
    shown = screen.safe(name)
    if len(shown) <= room:
        return screen.short(name, room)
    segment, _, gate = name.rpartition(".")
    return f"{screen.short(segment, max(room - len(gate) - 1, _LEAST_NAME))}.{gate}"


def _metrics(report: JsonObject, screen: Screen, *, bars: bool) -> Iterator[str]:
    rows = metric_rows(report["metrics"], report["settings"]["confidence"])
    yield from ("", "Metrics", *table(rows, right=(1, 3))) if len(rows) > 1 else ()
    yield from reliability_text(report, screen if bars else None)
    yield from _histogram(report, screen, bars=bars)
    spreads = spread_rows(report)
    yield from ("", "Distributions", *table(spreads, right=range(1, 8)))
    for words in (total_words(report), error_words(report)):
        yield from screen.paragraph(words, head="  ", indent=4) if words else ()
    drift = drift_rows(report)
    yield from ("", "Drift from the baseline", *table(drift, right=(1,))) if len(drift) > 1 else ()


def _histogram(report: JsonObject, screen: Screen, *, bars: bool) -> Iterator[str]:
    counts = report["confidence"]["histogram"]
    filled = [(place, count) for place, count in enumerate(counts) if count]
    if not bars or len(counts) > 2 * _BAR:
        return
    most = max(counts)
    rows = [["confidence", "records", ""]]
    for place, count in filled:
        span = f"{place / len(counts):.4g} to {(place + 1) / len(counts):.4g}"
        rows.append([span, str(count), bar(count / most, screen, _BAR)])
    yield from ("", "Confidence", *table(rows, right=(1,)))


def _segments(report: JsonObject, screen: Screen) -> Iterator[str]:
    listed = segment_rows(report)
    if not listed:
        return
    worst = sorted(listed, key=lambda each: {"fail": 0, "warn": 1}.get(each[0]["status"], 2))[:_MOST_SEGMENTS]
    kept = {id(segment) for segment, _ in worst}
    shown = [row for segment, row in listed if id(segment) in kept]
    others = [max(map(len, column)) for column in [*zip(SEGMENT_HEAD, *shown, strict=True)][1:]]
    room = max(WIDTH - sum(others) - 2 * len(SEGMENT_HEAD), _LEAST_NAME)
    rows = [[screen.short(row[0], room), *row[1:]] for row in shown]
    yield from ("", "Segments", *table([SEGMENT_HEAD, *rows], right=(2, 3, 5, 6)))
    if len(listed) > len(rows):
        yield f"  {screen.signs.more} and {len(listed) - len(rows)} more: report.json has all of them"


def _untold(report: JsonObject, screen: Screen) -> Iterator[str]:
    yield from ("", "What was not shown")
    for note in unknown_notes(report):
        yield from screen.paragraph(screen.safe(note), head="  ", indent=4)
