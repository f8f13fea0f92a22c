"""The base cases of a run: how well their confidences are calibrated, segments, metrics and labels."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from robust.canon import JsonObject
from robust.records.run_details import RunDetails, Segment
from robust.render.html_blocks import Figure, Section, Table
from robust.render.plain import number_text, plural, shorten
from robust.render.report_checks import interval_text
from robust.render.report_metrics import metric_rows
from robust.render.report_words import percent
from robust.render.svg_rates import Rate, rates_svg
from robust.render.svg_reliability import bins_of, reliability_svg

MISSING: Final = "<missing>"
_MOST_LABELS: Final = 100
_MOST_CELLS: Final = 200
_MOST_SEGMENTS: Final = 12
_KEY_WIDTH: Final = 60


def cases_section(report: JsonObject) -> Section | None:
    """The metrics of the base cases beside a reliability diagram."""
    head, *rows = metric_rows(report)
    figure = _reliability(report)
    if not (rows or figure):
        return None
    tables = [Table(head=("metric", *head[1:]), rows=rows, right=(1, 2, 3, 4), about="Metrics of the base cases")]
    return Section(
        title="Base cases",
        anchor="cases",
        figures=[figure] if figure else [],
        tables=tables if rows else [],
    )


def _reliability(report: JsonObject) -> Figure | None:
    bins = bins_of(report["reliability"])
    if not any(each.number for each in bins):
        return None
    ece = (report["metrics"].get("ece") or {}).get("value")
    rows = [
        [
            f"{number_text(each.lower)} to {number_text(each.upper)}",
            f"{each.number:,}",
            number_text(each.mean),
            number_text(each.accuracy),
        ]
        for each in bins
        if each.number
    ]
    says = "Accuracy of the answers in each bin of confidence, over their mean confidence; on the dashed line the two "
    says += f"are the same. Bars count the answers. Expected calibration error {number_text(ece)}."
    head = ("confidence", "cases", "mean", "accuracy")
    return Figure(
        title="Reliability",
        svg=reliability_svg(bins),
        says=says,
        table=Table(head=head, rows=rows, right=(1, 2, 3), about="Reliability by confidence"),
    )


def segments_section(report: JsonObject, details: RunDetails) -> Section | None:
    """Accuracy by the values of metadata keys; None where the cases have none that can be shown."""
    figures = [*_segments(report, details)]
    left = [*details.segment_keys_left]
    if not figures and not left:
        return None
    said = "too many values, or such as are no text, number or truth value"
    names = ", ".join(shorten(key, _KEY_WIDTH) for key in left[:20])
    note = f"Not shown: {names}{f' and {len(left) - 20} more' if len(left) > 20 else ''}: {said}."
    return Section(
        title="Segments",
        anchor="segments",
        about="Accuracy of the base cases by the values of their metadata, with intervals over source groups.",
        figures=figures,
        notes=[note] if left else [],
    )


def _segments(report: JsonObject, details: RunDetails) -> Iterator[Figure]:
    keys = dict.fromkeys(segment.key for segment in details.segments)
    accuracy = (report["metrics"].get("accuracy") or {}).get("value")
    for key in keys:
        segments = [segment for segment in details.segments if segment.key == key]
        scored = [segment for segment in segments if segment.accuracy.of]
        if not scored or accuracy is None:
            continue
        drawn = scored[:_MOST_SEGMENTS]
        rates = [Rate(_name(each), each.accuracy.value, each.accuracy.interval, said=_said(each)) for each in drawn]
        name = shorten(key, _KEY_WIDTH)
        says = f"Accuracy by {name}. The upright dashed line is that of all cases, {number_text(accuracy)}."
        if len(drawn) < len(segments):
            says += f" Drawn are {len(drawn)} of {plural(len(segments), 'value')}."
        rows = [
            [
                _name(each),
                f"{each.cases:,}",
                f"{each.accuracy.groups:,}",
                percent(each.accuracy.value),
                interval_text(None if each.accuracy.interval is None else [*each.accuracy.interval]),
            ]
            for each in segments
        ]
        head = (name, "cases", "sources", "accuracy", "interval")
        yield Figure(
            title=f"Accuracy by {name}",
            svg=rates_svg(rates, end=1.0, reference=accuracy),
            says=says,
            table=Table(head=head, rows=rows, right=(1, 2, 3, 4), about=f"Accuracy by {name}"),
        )


def _name(segment: Segment) -> str:
    return MISSING if segment.value is None else segment.value or "(empty)"


def _said(segment: Segment) -> str:
    return f"{segment.accuracy.hits:,} of {segment.accuracy.of:,}"


def numbers_section(report: JsonObject) -> Section | None:
    """Scores by label and the confusion matrix; None where no answer is known."""
    tables = [table for table in (_labels(report), _confusion(report)) if table is not None]
    return Section(title="Labels", anchor="labels", tables=tables, notes=[*_left_labels(report)]) if tables else None


def _labels(report: JsonObject) -> Table | None:
    scores: JsonObject = report["per_label"]
    order = [label for label in report["contract"]["labels"] if label in scores]
    rows = [
        [label, *(number_text(scores[label][name]) for name in ("precision", "recall", "f1", "support"))]
        for label in sorted(order, key=lambda label: scores[label]["f1"])[:_MOST_LABELS]
    ]
    head = ("label", "precision", "recall", "F1", "cases")
    return (
        Table(head=head, rows=rows, right=range(1, 5), about="Scores by label, the lowest F1 first") if rows else None
    )


def _left_labels(report: JsonObject) -> Iterator[str]:
    left = len(report["per_label"]) - _MOST_LABELS
    if left > 0:
        yield f"{plural(left, 'label')} with a higher F1 are in report.json."


def _confusion(report: JsonObject) -> Table | None:
    """What was expected and selected, as long as it is one thing more often than another."""
    cells = [
        (expected, selected, count)
        for expected, row in (report.get("confusion") or {}).items()
        for selected, count in row.items()
        if count and expected != selected
    ]
    cells.sort(key=lambda cell: (-cell[2], cell[0], cell[1]))
    rows = [[expected, selected, f"{count:,}"] for expected, selected, count in cells[:_MOST_CELLS]]
    left = len(cells) - len(rows)
    about = "Confused labels, the most frequent first" + (f"; {left:,} more are in report.json" if left else "")
    return Table(head=("expected", "selected", "cases"), rows=rows, right=(2,), about=about) if rows else None
