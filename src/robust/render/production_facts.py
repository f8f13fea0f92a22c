"""What every format says of a check of production records: notes on checks, what was not shown, what it rests on."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from robust.canon import JsonObject
from robust.records.production_record import segment_name
from robust.render.plain import number_text, plural
from robust.render.report_checks import interval_text
from robust.render.report_words import percent

MEASURES: Final = (
    *("accuracy", "error_rate", "ece", "brier", "nll", "threshold_coverage"),
    *("acceptance_rate", "abstention_rate", "fallback_rate", "human_review_rate"),
)
DRIFT: Final = ("confidence_tv_distance", "confidence_mean_delta", "accuracy_drop", "ece_increase")
_FIGURES: Final = ("mean", "p50", "p90", "p95", "p99", "max")
_SPREADS: Final = (("confidence", "confidence"), ("latency_ms", "latency in ms"), ("cost", "cost"))


def order_of(check: JsonObject) -> int:
    """Requirements that do not hold come first, then warnings that do not, then the rest."""
    if check["status"] == "pass":
        return 2
    return 0 if check["level"] == "requirement" else 1


def note_of(report: JsonObject, check: JsonObject) -> str:
    """Why a check could not be decided or computed; empty where there is nothing to say."""
    name = check["check"]
    if name == "gates":
        return "the contract has no gates under production, so that nothing was judged"
    if check["value"] is None:
        if name.startswith("segments."):
            return "there are no segments: name metadata keys under production.segments, or with -s"
        measured = name.removeprefix("max_")
        if measured in DRIFT and report["baseline"] is None:
            return "there is no baseline to compare with; --baseline names one"
        return "no record tells what it is computed from"
    if check["status"] != "inconclusive":
        return ""
    if check["interval"] is None:
        return "one record says nothing of others, so there is no interval"
    needed = check["needed_groups"]
    more = "no number of further records would decide" if needed is None else f"about {plural(needed, 'more record')}"
    more = more if needed is None else f"{more.replace('more records', 'more records')} like these would decide"
    return f"the limit {number_text(check['limit'])} is within the interval {interval_text(check['interval'])}; {more}"


def lead_words(report: JsonObject) -> str:
    """Which records were checked."""
    sample = report["sample"]
    return f"{plural(sample['records'], 'record')} of {sample['name']}"


def period_words(report: JsonObject) -> str:
    """From when to when the records are; empty where none has a timestamp."""
    sample = report["sample"]
    if sample["first"] is None:
        return ""
    of = "" if sample["timestamps"] == sample["records"] else f" ({sample['timestamps']} records tell)"
    return f"{sample['first']} to {sample['last']}{of}"


def baseline_words(report: JsonObject) -> str:
    """What the records are compared with; empty where there is nothing."""
    baseline = report["baseline"]
    if baseline is None:
        return ""
    sample = baseline["sample"]
    of = "records" if baseline["source"] == "records" else "an earlier report over"
    return f"{of} {sample['name']} ({plural(sample['records'], 'record')})"


def unknown_notes(report: JsonObject) -> Iterator[str]:
    """What a reader could wrongly take for shown."""
    counts, records = report["counts"], report["counts"]["records"]
    for name, told in (
        ("correctness", "whether the answer was right"),
        ("actions", "the action that was taken"),
        ("latencies", "the latency"),
        ("costs", "the cost"),
    ):
        unknown = records - counts[name]
        if unknown:
            yield f"{told} is unknown of {_of(unknown, records)}"
    only = counts["correctness"] - counts["outcomes"]
    if only:
        yield f"of {_of(only, records)} only whether they were right is known; Brier score and NLL leave them out"
    without = records - report["sample"]["ids"]
    if without:
        yield f"{_of(without, records)} have no id, so that nothing shows that none stands twice"
    if report["baseline"] is None:
        yield "there is no baseline, so that nothing is said of drift"
    yield "intervals take every record as independent of the others; records of one source make them too narrow"


def _of(count: int, records: int) -> str:
    share = percent(count / records)
    return f"{count} of {plural(records, 'record')} ({share})"


def metric_rows(metrics: JsonObject, confidence: float) -> list[list[str]]:
    """A head, and a row for each metric that could be computed."""
    rows = [["", "value", f"{100 * confidence:.6g} % interval", "records"]]
    for name in MEASURES:
        metric = metrics[name]
        if metric["value"] is not None:
            rows.append([name, number_text(metric["value"]), interval_text(metric["interval"]), str(metric["n"])])
    return rows


def drift_rows(report: JsonObject) -> list[list[str]]:
    """A head, and a row for each difference from the baseline."""
    rows = [["", "value", "interval"]]
    for name in DRIFT:
        metric = (report["drift"] or {}).get(name)
        if metric is not None and metric["value"] is not None:
            rows.append([name, number_text(metric["value"]), interval_text(metric["interval"])])
    return rows


def spread_rows(report: JsonObject) -> list[list[str]]:
    """A head, and a row each for confidence, latency and cost, where they are known."""
    rows = [["", *_FIGURES, "records"]]
    for key, name in _SPREADS:
        spread = report[key]
        if spread["n"]:
            rows.append([name, *(_figure(spread[figure]) for figure in _FIGURES), str(spread["n"])])
    return rows


def _figure(value: float | None) -> str:
    if value is None or not value:
        return number_text(value)
    return f"{value:.4g}" if abs(value) < 1 else number_text(round(value, 2))


def error_words(report: JsonObject) -> str:
    """How far percentiles may be off; empty where they are exact."""
    told = [
        f"{name} {percent(report[key]['relative_error'])}" for key, name in _SPREADS if report[key]["relative_error"]
    ]
    return f"percentiles may be off by at most: {', '.join(told)} of their value" if told else ""


def total_words(report: JsonObject) -> str:
    """What all records cost; empty where that is not known."""
    cost = report["cost"]
    return f"cost in all {number_text(cost['total'])}" if cost["n"] else ""


def segment_rows(report: JsonObject) -> list[tuple[JsonObject, list[str]]]:
    """For each segment what a table shows of it."""
    rows = []
    for segment in report["segments"]:
        metrics, counts = segment["metrics"], segment["counts"]
        figures = [number_text(metrics[name]["value"]) for name in ("accuracy", "ece", "fallback_rate")]
        interval = interval_text(metrics["accuracy"]["interval"])
        status = segment["status"] or "-"
        row = [segment_words(segment), status, str(counts["records"]), figures[0], interval, *figures[1:]]
        rows.append((segment, row))
    return rows


SEGMENT_HEAD: Final = ("segment", "gates", "records", "accuracy", "interval", "ece", "fallback")


def segment_words(segment: JsonObject) -> str:
    """``region = north``."""
    return f"{segment['key']} = {segment_name(segment['value'])}"


def provenance(report: JsonObject) -> Iterator[tuple[str, str]]:
    """What the report rests on, as names and texts."""
    sample, baseline = report["sample"], report["baseline"]
    yield "contract digest", report["contract"]["digest"]
    yield "records", sample["name"]
    yield "records sha256", sample["sha256"]
    if baseline is not None:
        yield "baseline", baseline["sample"]["name"]
        yield "baseline sha256", baseline["sample"]["sha256"]
        if baseline["report"] is not None:
            yield "baseline report digest", baseline["report"]
    yield "root of what was kept", report["records"]["root"]
    yield "evidence digest", report["evidence_digest"]
    yield "report digest", report["digest"]
