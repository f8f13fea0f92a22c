"""What failed: of each property the first failures, those first that its checks do not allow."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from itertools import chain, zip_longest
from typing import Final

from robust.canon import JsonObject
from robust.records.failing_group import FLIP
from robust.render.plain import plural
from robust.render.report_failure import failure_text
from robust.render.report_words import in_contract_order, why_allowed
from robust.render.screen import Screen

# Of a property with a check that does not hold, and of one whose failures are within its limits.
_SHOWN: Final = 3
_SHOWN_WITHIN_LIMITS: Final = 1
_OF_CANDIDATES: Final = ("min_valid_rate", "max_unknown_rate")


def failures_text(report: JsonObject, screen: Screen, run: str | os.PathLike[str] | None) -> list[str]:
    """The first failures of each property, those whose checks do not hold first.

    The lines of commands may be longer than the terminal is wide: one that is broken could not be copied.

    Args:
        report: the report.
        screen: the terminal.
        run: the run directory; without it ids are shown instead of commands.
    """
    failures: JsonObject = report["failures"]
    if not failures["count"]:
        return []
    broken = _broken(report)
    kinds = ["decision", *in_contract_order(report)]
    kinds = sorted((kind for kind in kinds if kind in failures["by_kind"]), key=lambda kind: kind not in broken)
    body: list[str] = []
    for kind in kinds:
        entries = [entry for entry in failures["first"] if (entry["property"] or "decision") == kind]
        shown = _chosen(entries, broken.get(kind))
        body += ["", *screen.paragraph(_head(report, kind, within=kind not in broken), head="  ", indent=4)]
        limits = report["properties"].get(kind, {}).get("limits", {})
        for number, entry in enumerate(shown, start=1):
            body += failure_text(entry, number, limits, screen, run)
        left = failures["by_kind"][kind] - len(shown)
        if left:
            listed = "the first of them in report.json, " if len(entries) > len(shown) else ""
            body.append(f"  {screen.signs.more} and {left} more: {listed}all in records.jsonl")
    legend = [f"  In edits and texts {screen.legend}."] if screen.showed_white_space else []
    return ["", f"What failed ({failures['count']})", *legend, *body]


def _broken(report: JsonObject) -> dict[str, set[str]]:
    """By property, the gates on its pairs' answers that do not hold; base cases never need one."""
    broken: dict[str, set[str]] = {"decision": set()}
    for check in report["checks"]:
        name, _, gate = check["check"].rpartition(".")
        if check["status"] != "pass" and gate not in _OF_CANDIDATES:
            broken.setdefault(name, set()).add(gate)
    return broken


def _head(report: JsonObject, kind: str, *, within: bool) -> str:
    count = report["failures"]["by_kind"][kind]
    if kind == "decision":
        return f"base cases: {count} of {report['counts']['cases']} ended in an error"
    planned = plural(report["properties"][kind]["planned"], "pair")
    return f"{kind}: {count} of {planned}{f', {why_allowed(report, kind)}' if within else ''}"


def _chosen(entries: Sequence[JsonObject], gates: set[str] | None) -> list[JsonObject]:
    """The failures that are shown: in turn one that each broken gate is about, where there are such."""
    if gates is None:
        return list(entries[:_SHOWN_WITHIN_LIMITS])
    limits = [entry for entry in entries if any(name != FLIP for name in entry["violations"])]
    flips = [entry for entry in entries if FLIP in entry["violations"]]
    # That a base was not decided is told of the base.
    errors = [entry for entry in entries if entry["error"] not in (None, "original_error")]
    concerned: list[Iterable[JsonObject]] = []
    if gates & {"max_violation_rate", "max_group_violation_rate"}:
        concerned.append(limits)
    if FLIP in gates:
        concerned.append(flips)
    if "max_error_rate" in gates:
        concerned.append(errors)
    chosen: dict[str, JsonObject] = {}
    for entry in chain(*zip_longest(*concerned), entries):
        if entry is not None and len(chosen) < _SHOWN:
            chosen.setdefault(entry["id"], entry)
    return list(chosen.values())
