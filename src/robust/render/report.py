"""The report of a run as plain text, readable at 80 columns."""

from __future__ import annotations

from robust.canon import JsonObject
from robust.render.plain import number_text, safe, shorten, table

_MARKS = {"pass": "ok", "warn": "WARN", "fail": "FAIL", "inconclusive": "INCONCLUSIVE"}
_SHOWN_FAILURES = 10
_WIDTH = 80
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
            "",
            *_checks(report),
            "",
            *_metrics(report),
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
    rows = []
    for check in report["checks"]:
        value, limit = number_text(check["value"]), number_text(check["limit"])
        if value == limit and check["status"] != "pass" and check["value"] is not None:
            value = f"{check['value']:.10g}"  # so close that four digits do not tell
        rows.append(
            [
                _MARKS[check["status"]],
                check["check"],
                value,
                f"limit {limit}",
                "" if check["level"] == "requirement" else "(warning)",
            ]
        )
    return ["Checks", *table(rows, right=(2,))]


def _metrics(report: JsonObject) -> list[str]:
    rows = [
        [name, number_text(metric["value"]), f"over {metric['n']} cases of {metric['groups']} sources"]
        for name, metric in report["metrics"].items()
        if metric["value"] is not None
    ]
    return ["Metrics of the base cases", *table(rows, right=(1,))] if rows else ["No metric could be computed."]


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
    return ["", "Errors", *table([[kind, str(count)] for kind, count in kinds.items()], right=(1,))]


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
