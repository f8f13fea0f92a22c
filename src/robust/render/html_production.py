"""A check of production records as an HTML page: the verdict, the checks, what was not shown, pictures, segments."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from robust.canon import JsonObject
from robust.render.html_blocks import Check, Fact, Figure, Page, Section, Table, Unshown
from robust.render.html_checks import check_rows, verdict_of
from robust.render.plain import number_text, plural, shorten
from robust.render.production_facts import (
    SEGMENT_HEAD,
    baseline_words,
    drift_rows,
    error_words,
    lead_words,
    metric_rows,
    note_of,
    period_words,
    provenance,
    segment_rows,
    segment_words,
    spread_rows,
    total_words,
    unknown_notes,
)
from robust.render.report_facts import observed_time, observed_version
from robust.render.report_failure import folder_word
from robust.render.shown_production import ShownProduction
from robust.render.svg_bars import Bar, bars_svg
from robust.render.svg_histogram import Histogram, histogram_svg
from robust.render.svg_rates import Rate, rates_svg
from robust.render.svg_reliability import bins_of, reliability_svg

_NAME_WIDTH: Final = 200
_KEY_WIDTH: Final = 60
_OF_CODE: Final = ("digest", "root", "sha256")
_MOST_CHECKS: Final = 2000
_MOST_SEGMENTS: Final = 1000
_MOST_DRAWN: Final = 12
_MOST_FIGURES: Final = 20


def production_page(run: ShownProduction) -> Page:
    """A check of production records as a page."""
    report = run.report
    tone, verdict, sentence = verdict_of(report)
    name = report["contract"]["name"]
    checks = [*_checks(report)]
    left = len(checks) - _MOST_CHECKS
    return Page(
        title=f"{verdict} {shorten(name, _NAME_WIDTH)}",
        of="Production records",
        name=name,
        tone=tone,
        verdict=verdict,
        sentence=sentence,
        lead=[shorten(words, 2 * _NAME_WIDTH) for words in _lead(report)],
        counts=[*_counts(report)],
        checks=checks[:_MOST_CHECKS],
        checks_note=f"{plural(left, 'check')} more in report.json." if left > 0 else "",
        unshown=[Unshown(f"{note[0].upper()}{note[1:]}.") for note in unknown_notes(report)],
        sections=[*_sections(report)],
        provenance=[*_provenance(run)],
        commands=[*_commands(run)],
    )


def _checks(report: JsonObject) -> Iterator[Check]:
    """The rows of the checks, with what is to be said of production records."""
    notes = {(check["check"], check["level"]): note_of(report, check) for check in report["checks"]}
    for row in check_rows(report):
        note = notes.get((row.name, row.level))
        yield row._replace(note=note) if note else row


def _lead(report: JsonObject) -> Iterator[str]:
    yield lead_words(report)
    if words := period_words(report):
        yield f"from {words}"
    if words := baseline_words(report):
        yield f"compared with {words}"


def _counts(report: JsonObject) -> Iterator[Fact]:
    counts = report["counts"]
    yield Fact("records", f"{counts['records']:,}")
    yield Fact("known right or wrong", f"{counts['correctness']:,}")
    if report["segments"]:
        yield Fact("segments", f"{len(report['segments']):,}")


def _sections(report: JsonObject) -> Iterator[Section]:
    head, *rows = metric_rows(report["metrics"], report["settings"]["confidence"])
    spread_head, *spreads = spread_rows(report)
    notes = [f"{words[0].upper()}{words[1:]}." for words in (total_words(report), error_words(report)) if words]
    tables = [Table(head=("metric", *head[1:]), rows=rows, right=(1, 2, 3), about="Metrics")] if rows else []
    tables.append(
        Table(head=("", *spread_head[1:]), rows=spreads, right=range(1, 8), about="Confidence, latency and cost")
    )
    figures = [figure for figure in (_reliability(report), _histogram(report), _routes(report)) if figure]
    yield Section(title="Records", anchor="records", figures=figures, tables=tables, notes=notes)
    drift_head, *drift = drift_rows(report)
    if drift:
        table = Table(head=("difference", *drift_head[1:]), rows=drift, right=(1, 2), about="Drift")
        yield Section(title="Drift from the baseline", anchor="drift", tables=[table])
    if report["segments"]:
        yield _segments(report)


def _reliability(report: JsonObject) -> Figure | None:
    bins = bins_of(report["reliability"])
    filled = [each for each in bins if each.number]
    if not filled:
        return None
    ece = report["metrics"]["ece"]["value"]
    says = "Accuracy of the answers in each bin of confidence, over their mean confidence; on the dashed line the two "
    says += f"are the same. Bars count the records. Expected calibration error {number_text(ece)}."
    rows = [
        [_span(each.lower, each.upper), f"{each.number:,}", number_text(each.mean), number_text(each.accuracy)]
        for each in filled
    ]
    head = ("confidence", "records", "mean", "accuracy")
    table = Table(head=head, rows=rows, right=(1, 2, 3), about="Reliability by confidence")
    return Figure(title="Reliability", svg=reliability_svg(bins), says=says, table=table)


def _span(lower: float, upper: float) -> str:
    return f"{number_text(lower)} to {number_text(upper)}"


def _histogram(report: JsonObject) -> Figure:
    counts: list[int] = report["confidence"]["histogram"]
    threshold = report["settings"]["threshold"]
    size = len(counts)
    says = f"How many of {plural(sum(counts), 'record')} have which confidence."
    if threshold is not None:
        covered = report["metrics"]["threshold_coverage"]["value"]
        says += f" At the threshold {number_text(threshold)}, or above, are {number_text(covered)} of them."
    rows = [[_span(place / size, (place + 1) / size), f"{count:,}"] for place, count in enumerate(counts) if count]
    drawn = Histogram("confidence", counts, said=plural(sum(counts), "record"))
    table = Table(head=("confidence", "records"), rows=rows, right=(1,), about="Records by confidence")
    return Figure(title="Confidence", svg=histogram_svg([drawn]), says=says, table=table)


def _routes(report: JsonObject) -> Figure | None:
    known = report["counts"]["actions"]
    if not known:
        return None
    found: dict[str, int] = report["actions"]
    bars = [Bar(name.replace("_", " "), count, f"{count:,}") for name, count in found.items()]
    rows = [[name.replace("_", " "), f"{count:,}", number_text(count / known)] for name, count in found.items()]
    table = Table(head=("action", "records", "share"), rows=rows, right=(1, 2), about="Records by action")
    says = f"The action that was taken, of the {plural(known, 'record')} that tell it."
    return Figure(title="Routes", svg=bars_svg(bars), says=says, table=table)


def _segments(report: JsonObject) -> Section:
    listed = segment_rows(report)
    rows = [row for _, row in listed[:_MOST_SEGMENTS]]
    table = Table(head=SEGMENT_HEAD, rows=rows, right=(2, 3, 5, 6), about="Segments")
    return Section(
        title="Segments",
        anchor="segments",
        about="Records by the values of their metadata; those without one are a segment too.",
        figures=[*_segment_figures(report)],
        tables=[table],
    )


def _segment_figures(report: JsonObject) -> Iterator[Figure]:
    accuracy = report["metrics"]["accuracy"]["value"]
    for key in report["settings"]["segment_by"][:_MOST_FIGURES]:
        segments = [each for each in report["segments"] if each["key"] == key]
        scored = [each for each in segments if each["metrics"]["accuracy"]["value"] is not None]
        if not scored or accuracy is None:
            continue
        drawn = sorted(scored, key=lambda each: -each["metrics"]["accuracy"]["n"])[:_MOST_DRAWN]
        name = shorten(key, _KEY_WIDTH)
        says = f"Accuracy by {name}. The upright dashed line is that of all records, {number_text(accuracy)}."
        if len(drawn) < len(segments):
            says += f" Drawn are {len(drawn)} of {plural(len(segments), 'value')}, those with the most outcomes."
        rows = [
            [segment_words(each), f"{each['metrics']['accuracy']['n']:,}", _share(each["metrics"]["accuracy"])]
            for each in drawn
        ]
        yield Figure(
            title=f"Accuracy by {name}",
            svg=rates_svg([_rate(each) for each in drawn], end=1.0, reference=accuracy),
            says=says,
            table=Table(head=(name, "records", "accuracy"), rows=rows, right=(1, 2), about=f"Accuracy by {name}"),
        )


def _rate(segment: JsonObject) -> Rate:
    metric = segment["metrics"]["accuracy"]
    interval = metric["interval"]
    tone: Any = {"fail": "bad", "warn": "warn", "pass": "good"}.get(segment["status"], "plain")
    ends = None if interval is None else (float(interval[0]), float(interval[1]))
    return Rate(segment_words(segment), metric["value"], ends, tone=tone, said=_share(metric))


def _share(metric: JsonObject) -> str:
    return f"{number_text(metric['value'])} of {metric['n']:,}"


def _provenance(run: ShownProduction) -> Iterator[Fact]:
    report = run.report
    for name, text in provenance(report):
        yield Fact(name, text, code=any(word in name for word in _OF_CODE))
    yield Fact("schema of the contract", report["contract"]["schema_version"])
    if run.signature:
        yield Fact("signature", run.signature)
    for name, key in (("started", "started_at"), ("finished", "finished_at")):
        if (time := observed_time(report, key)) is not None:
            yield Fact(name, time)
    if (version := observed_version(report)) is not None:
        yield Fact("robust", version)


def _commands(run: ShownProduction) -> Iterator[Fact]:
    if run.path is not None:
        folder = folder_word(run.path, "utf-8")
        yield Fact("derives every number again from what was kept", f"robust verify {folder}", code=True)
        yield Fact("and that from the records", f"robust verify {folder} RECORDS", code=True)
