"""The report of a run as plain text, readable at 80 columns."""

from __future__ import annotations

import textwrap
from typing import Any

from robust.canon import JsonObject
from robust.render.plain import number_text, safe, shorten, table

_MARKS = {"pass": "ok", "warn": "WARN", "fail": "FAIL", "inconclusive": "INCONCLUSIVE"}
_SHOWN_FAILURES = 10
_MESSAGE_LINES = 4
# Of labels and bins.
_SHOWN_ROWS = 10
_WIDTH = 80
_METRICS = (
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
_CELLS = (
    "base_right_variant_right",
    "base_right_variant_wrong",
    "base_wrong_variant_right",
    "base_wrong_variant_wrong",
)


def report_text(report: JsonObject) -> str:
    """What ran, the checks, the numbers behind them, and the first failures."""
    return "\n".join(
        [
            *_head(report),
            *_checks(report),
            *_undecided(report),
            "",
            *_metrics(report),
            *_labels(report),
            *_reliability(report),
            *_observed(report),
            *_variants(report),
            *_errors(report),
            *_failures(report),
            "",
            *_identities(report),
        ]
    )


def _head(report: JsonObject) -> list[str]:
    contract, counts, backend = report["contract"], report["counts"], report["backend"]
    cases = report["manifest"] or report["dataset"]
    split = f", split {cases['split']}" if report["manifest"] else ""
    model = f"{backend['model'] or backend['name']} ({backend['provider']})"
    pairs = f", {counts['pairs']} validated variants" if counts["pairs"] else ""
    return [
        shorten(f"{report['status'].upper()}  {contract['name']}: {safe(model)}", _WIDTH),
        shorten(f"  on {safe(cases['name'])}{safe(split)}", _WIDTH),
        f"  {counts['cases']} cases of {counts['groups']} sources{pairs}, {counts['errors']} errors",
    ]


def _checks(report: JsonObject) -> list[str]:
    lines: list[str] = []
    for level, head in (("requirement", "Requirements"), ("warning", "Warnings")):
        checks = [check for check in report["checks"] if check["level"] == level]
        if checks:
            lines += ["", head, *_check_table(checks)]
    logical = report.get("logical_status", report["status"])
    if logical != report["status"]:
        lines += ["", f"Without the checks on time, tokens and cost: {str(logical).upper()}"]
    return lines


def _check_table(checks: list[JsonObject]) -> list[str]:
    figures = []
    for check in checks:
        value, limit = number_text(check["value"]), number_text(check["limit"])
        if value == limit and check["status"] != "pass" and check["value"] is not None:
            value = f"{check['value']:.10g}"  # so close that four digits do not tell
        figures.append((_MARKS[check["status"]], value, limit))
    others = sum(max(map(len, column)) for column in zip(*figures, ("", "value", "limit"), strict=True))
    room = _WIDTH - others - 8  # what the indent and the gaps between four columns leave for the names
    rows = [
        [mark, shorten(check["check"], room), value, limit]
        for check, (mark, value, limit) in zip(checks, figures, strict=True)
    ]
    return table([["", "", "value", "limit"], *rows], right=(2, 3))


def _undecided(report: JsonObject) -> list[str]:
    """Why checks that are judged on their interval could not be decided, and what would decide them."""
    lines: list[str] = []
    for check in report["checks"]:
        metric = report["metrics"].get(check["check"].removeprefix("min_").removeprefix("max_"))
        if check["status"] != "inconclusive" or metric is None or check["value"] is None:
            continue
        needed = check["needed_groups"]
        if check["interval"] is None:
            reason = "one source group says nothing of others, so there is no interval; more groups are needed"
        else:
            ends = _interval_text(check["interval"])
            more = "no number of further source groups would decide" if needed is None else _groups_text(needed)
            reason = f"the limit {number_text(check['limit'])} is within the interval {ends}; {more}"
        lines += textwrap.wrap(f"{check['check']}: {reason}", _WIDTH - 2, initial_indent="  ", subsequent_indent="    ")
    return ["", "Inconclusive", *lines] if lines else []


def _groups_text(needed: int) -> str:
    groups = "source group" if needed == 1 else "source groups"
    return f"about {needed} more {groups} like these would decide"


def _metrics(report: JsonObject) -> list[str]:
    metrics = {name: metric for name, metric in report["metrics"].items() if metric["value"] is not None}
    if not metrics:
        return ["No metric could be computed."]
    confidence = f"{100 * report['settings']['confidence']:.6g} %"
    rows = [["", "value", f"{confidence} interval", "cases", "sources"]]
    for name in [*(name for name in _METRICS if name in metrics), *sorted(metrics.keys() - set(_METRICS))]:
        metric = metrics[name]
        counts = str(metric["n"]), str(metric["groups"])
        rows.append([name, number_text(metric["value"]), _interval_text(metric["interval"]), *counts])
    return ["Metrics of the base cases", *table(rows, right=(1, 3, 4))]


def _interval_text(interval: list[float] | None) -> str:
    return "-" if interval is None else " to ".join(map(_end_text, interval))


def _end_text(end: float) -> str:
    """Four digits after the point; what is only close to a whole number is shown as 0.0001 from it, or tiny."""
    text = f"{end:.4f}".rstrip("0").rstrip(".")
    whole = round(end)
    if "." in text or end == whole:
        return text
    return f"{end:.2g}" if whole == 0 else f"{whole + (0.0001 if end > whole else -0.0001):.4f}"


def _labels(report: JsonObject) -> list[str]:
    """Precision, recall and F1 by label, the worst ones of many."""
    scores: JsonObject = report.get("per_label", {})
    if not scores:
        return []
    order = [label for label in report["contract"]["labels"] if label in scores]
    worst = set(sorted(order, key=lambda label: scores[label]["f1"])[:_SHOWN_ROWS])
    rows = [["", "precision", "recall", "F1", "cases"]]
    for label in order:
        if label in worst:
            score = scores[label]
            figures = (number_text(score[name]) for name in ("precision", "recall", "f1", "support"))
            rows.append([shorten(safe(label), 30), *figures])
    left = len(order) - len(worst)
    head = "Labels" + (f" (those with the lowest F1; {left} more are in report.json)" if left else "")
    return ["", head, *table(rows, right=range(1, 5))]


def _reliability(report: JsonObject) -> list[str]:
    """The bins that hold cases, those with the most of many."""
    bins = [row for row in report.get("reliability", []) if row["count"]]
    if not bins:
        return []
    fullest = sorted(bins, key=lambda row: -row["count"])[:_SHOWN_ROWS]
    rows = [["confidence", "mean", "accuracy", "cases"]]
    for row in bins:
        if row in fullest:
            span = f"{number_text(row['lower'])} to {number_text(row['upper'])}"
            rows.append([span, number_text(row["mean_confidence"]), number_text(row["accuracy"]), str(row["count"])])
    left = len(bins) - len(fullest)
    head = "Reliability" + (f" (the fullest bins; {left} more are in report.json)" if left else "")
    return ["", head, *table(rows, right=range(1, 4))]


def _observed(report: JsonObject) -> list[str]:
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


def _variants(report: JsonObject) -> list[str]:
    variants = report["properties"].get("variants")
    if variants is None:
        return []
    rows = [["relation", "both right", "only base right", "only variant right", "both wrong"]]
    for relation, counts in variants["by_relation"].items():
        rows.append([relation, *(str(counts[cell]) for cell in _CELLS)])
    head = [
        f"Validated variants: {variants['compared']} of {variants['planned']} compared",
        f"  {variants['violations']} violations in {variants['groups_violating']} of {variants['groups']} sources",
    ]
    return ["", *head, *table(rows, right=range(1, 5))]


def _errors(report: JsonObject) -> list[str]:
    kinds = report["errors_by_kind"]
    if not kinds:
        return []
    lines = ["", "Errors", *table([[kind, str(count)] for kind, count in kinds.items()], right=(1,))]
    for kind, message in (report["observed"].get("messages") or {}).items():
        shown = textwrap.wrap(safe(message), _WIDTH - 4) or [""]
        lines += [f"  the first {kind}:", *(f"    {line}" for line in shown[:_MESSAGE_LINES])]
    if "budget_exhausted" in kinds:
        lines.append(f"  the budget was spent after {report['observed'].get('calls')} calls")
    return lines


def _failures(report: JsonObject) -> list[str]:
    failures = report["failures"]
    if not failures["count"]:
        return []
    shown = failures["first"][:_SHOWN_FAILURES]
    rows = [[shorten(safe(item["id"]), 50), item["error"] or _first_of(item["violations"])] for item in shown]
    lines = ["", f"Failures ({failures['count']})", *table(rows)]
    left = failures["count"] - len(shown)
    return [*lines, f"  … and {left} more in records.jsonl"] if left else lines


def _first_of(violations: list[str]) -> str:
    more = f" +{len(violations) - 1}" if len(violations) > 1 else ""
    return f"{violations[0]}{more}"


def _identities(report: JsonObject) -> list[str]:
    return [
        "Digests of the evidence (equal for equal runs) and of this report",
        f"evidence {report['evidence_digest']}",
        f"report   {report['digest']}",
    ]
