"""The numbers of the base cases in a report: metrics, labels, reliability, and what was observed of the calls."""

from __future__ import annotations

from typing import Any, Final

from robust.canon import JsonObject
from robust.render.plain import number_text, table
from robust.render.report_bars import accuracy_bar
from robust.render.report_checks import interval_text
from robust.render.screen import Screen

# Of labels and bins.
_SHOWN_ROWS: Final = 10
_LABEL_WIDTH: Final = 30
_BAR: Final = 30
_METRICS: Final = (
    "accuracy",
    "macro_f1",
    "ordinal_mae",
    "nll",
    "brier",
    "ece",
    "coverage",
    "abstention_rate",
    "selective_accuracy",
    "error_rate",
)


def metrics_text(report: JsonObject) -> list[str]:
    """Each metric with its interval and what it rests on."""
    rows = metric_rows(report)
    if len(rows) == 1:
        return ["", "No metric could be computed."]
    return ["", "Metrics of the base cases", *table(rows, right=(1, 3, 4))]


def metric_rows(report: JsonObject) -> list[list[str]]:
    """A head, and a row for each metric that could be computed."""
    metrics = {name: metric for name, metric in report["metrics"].items() if metric["value"] is not None}
    confidence = f"{100 * report['settings']['confidence']:.6g} %"
    rows = [["", "value", f"{confidence} interval", "cases", "sources"]]
    for name in [*(name for name in _METRICS if name in metrics), *sorted(metrics.keys() - set(_METRICS))]:
        metric = metrics[name]
        counts = str(metric["n"]), str(metric["groups"])
        rows.append([name, number_text(metric["value"]), interval_text(metric["interval"]), *counts])
    return rows


def labels_text(report: JsonObject, screen: Screen) -> list[str]:
    """Precision, recall and F1 by label, the worst ones of many."""
    scores: JsonObject = report["per_label"]
    if not scores:
        return []
    order = [label for label in report["contract"]["labels"] if label in scores]
    worst = set(sorted(order, key=lambda label: scores[label]["f1"])[:_SHOWN_ROWS])
    rows = [["", "precision", "recall", "F1", "cases"]]
    for label in order:
        if label in worst:
            score = scores[label]
            figures = (number_text(score[name]) for name in ("precision", "recall", "f1", "support"))
            rows.append([screen.short(label, _LABEL_WIDTH), *figures])
    left = len(order) - len(worst)
    head = "Labels" + (f" (those with the lowest F1; {left} more are in report.json)" if left else "")
    return ["", head, *table(rows, right=range(1, 5))]


def reliability_text(report: JsonObject, screen: Screen | None = None) -> list[str]:
    """The bins that hold cases, those with the most of many.

    Args:
        report: the report.
        screen: a terminal that shows accuracy as bars, too; without it there are numbers alone.
    """
    bins = [row for row in report["reliability"] if row["count"]]
    if not bins:
        return []
    fullest = sorted(bins, key=lambda row: -row["count"])[:_SHOWN_ROWS]
    rows = [["confidence", "mean", "accuracy", "cases", *([] if screen is None else [""])]]
    for row in bins:
        if row in fullest:
            span = f"{number_text(row['lower'])} to {number_text(row['upper'])}"
            figures = (number_text(row["mean_confidence"]), number_text(row["accuracy"]), str(row["count"]))
            rows.append([span, *figures, *([] if screen is None else [accuracy_bar(row, screen, _BAR)])])
    left = len(bins) - len(fullest)
    head = "Reliability" + (f" (the fullest bins; {left} more are in report.json)" if left else "")
    lines = ["", head, *table(rows, right=range(1, 4))]
    return lines if screen is None else [*lines, "  bars: accuracy from 0 to 1, with the mean confidence marked"]


def observed_text(report: JsonObject) -> list[str]:
    """Time, tokens and cost on one line each."""
    observed = report["observed"]
    latency: dict[str, Any] = observed.get("latency") or {}
    lines = []
    if latency.get("n"):
        names = {"mean": "mean_ms", "median": "p50_ms", "p95": "p95_ms", "p99": "p99_ms", "maximum": "max_ms"}
        figures = ", ".join(f"{shown} {_milliseconds(latency[name])}" for shown, name in names.items())
        lines.append(f"  latency in ms: {figures}")
    spent = [f"{number_text(observed[name])} {name}" for name in ("tokens", "cost") if observed.get(name)]
    if spent:
        lines.append(f"  spent: {', '.join(spent)}")
    if observed.get("cached"):
        lines.append(f"  {observed['cached']} answers from the cache")
    return ["", "Observed in this run", *lines] if lines else []


def _milliseconds(value: float) -> str:
    return number_text(round(value, 1 if value >= 100 else 2))
