"""Reports as plain data for tests of how they are shown, and what holds of every report that is shown."""

from __future__ import annotations

import copy
from typing import Any

from robust.render.plain import columns
from robust.render.report import report_text

DIGEST = "sha256:" + "0" * 64
NOTHING = {"count": 0, "by_kind": {}, "first": []}
TEMPLATE: dict[str, Any] = {
    "status": "fail",
    "exit_code": 1,
    "mode": "all",
    "seed": 0,
    "contract": {"name": "q", "labels": [], "digest": DIGEST},
    "backend": {"name": "default", "provider": "mock", "model": "m", "model_version": None},
    "manifest": {"name": "m", "split": "dev", "digest": DIGEST},
    "dataset": None,
    "records": {"count": 1, "root": DIGEST, "sha256": DIGEST},
    "counts": {
        "cases": 1,
        "groups": 1,
        "errors": 0,
        "pairs": 0,
        "skipped": 0,
        "valid": 0,
        "invalid": 0,
        "unknown": 0,
        "assumed": 0,
    },
    "checks": [],
    "metrics": {},
    "per_label": {},
    "reliability": [],
    "settings": {"fail_on_warn": False, "confidence": 0.95},
    "logical_status": "fail",
    "observed": {},
    "base_flips": {"rate": None, "cases": 0, "groups": 0},
    "properties": {},
    "errors_by_kind": {},
    "failures": NOTHING,
    "evidence_digest": DIGEST,
    "digest": DIGEST,
}


def report_of(**parts: Any) -> dict[str, Any]:
    """A report with some of its parts replaced; ``counts`` are added to those of the template."""
    counts = {**TEMPLATE["counts"], **parts.pop("counts", {})}
    return {**copy.deepcopy(TEMPLATE), **parts, "counts": counts}


def check_of(**fields: Any) -> dict[str, Any]:
    """A check that does not hold, but for what is given."""
    return {
        "check": "min_accuracy",
        "level": "requirement",
        "status": "fail",
        "value": 0.5,
        "limit": 0.9,
        "interval": None,
        "observed": False,
        "needed_groups": None,
        "p_value": None,
        "noise": False,
        **fields,
    }


def property_of(**fields: Any) -> dict[str, Any]:
    """The summary of a property whose ten pairs were scored without an oracle."""
    return {
        "relation": "invariant",
        "limits": {"max_tv_distance": 0.05},
        "planned": 10,
        "compared": 10,
        "skipped": 0,
        "skipped_by_reason": {},
        "errors": 0,
        "errors_by_kind": {},
        "valid": 0,
        "invalid": 0,
        "unknown": 0,
        "assumed": 10,
        "oracles": [],
        "refused_by_code": {},
        "first_refused": {},
        "violations": 0,
        "violation_rate": 0,
        "flips": 0,
        "flip_rate": 0,
        "max_tv_distance": 0,
        "groups": 5,
        "groups_violating": 0,
        "base_flip_rate": None,
        **fields,
    }


def failure_of(number: int = 0, name: str | None = "whitespace", **fields: Any) -> dict[str, Any]:
    """One of the first failures: a pair that breaks a limit in its smallest form."""
    return {
        "id": f"{name or 'decision'}/c{number}/0",
        "property": name,
        "error": None,
        "violations": ["max_tv_distance"],
        "relation": "invariant",
        "base_selected": "yes",
        "variant_selected": "no",
        "base_correct": True,
        "variant_correct": False,
        "tv_distance": 0.25,
        "measured": {"max_tv_distance": 0.25},
        "reduced": False,
        "smallest": None,
        "shown": "one  two",
        "edited": {"field": None, "at": 3},
        "edits": [{"at": 3, "space": "  "}],
        "edits_left": 0,
        "presentation": None,
        **fields,
    }


def error_of(number: int = 0, name: str | None = "whitespace", error: str = "timeout") -> dict[str, Any]:
    """One of the first failures: what ended in an error."""
    identifier = f"decision/c{number}" if name is None else f"{name}/c{number}/0"
    return {"id": identifier, "property": name, "error": error, "violations": []}


def failed_report(*first: dict[str, Any], more: int = 0, **parts: Any) -> dict[str, Any]:
    """A report with these first failures, and as many more of each of their kinds."""
    by_kind: dict[str, int] = {}
    for entry in first:
        kind = entry["property"] or "decision"
        by_kind[kind] = by_kind.get(kind, more) + 1
    properties = {name: property_of() for name in by_kind if name != "decision"}
    failures = {"count": sum(by_kind.values()), "by_kind": by_kind, "first": list(first)}
    return report_of(**{"properties": properties, "failures": failures, **parts})


def part_of(text: str, start: str) -> list[str]:
    """The lines of a part of a report below the line that begins with ``start``, up to an empty one."""
    lines = text.splitlines()
    first = next(index for index, line in enumerate(lines) if line.startswith(start))
    last = next((index for index in range(first, len(lines)) if not lines[index]), len(lines))
    return lines[first + 1 : last]


def is_command(line: str) -> bool:
    """Whether a line is one of those that may be longer than a terminal is wide."""
    return line.startswith("     robust replay ")


def assert_fit(report: dict[str, Any], **options: Any) -> str:
    """Hold a report to what holds of all: 80 columns but for commands, printable, nothing trailing; gives its text."""
    text = report_text(report, **options)
    lines = text.split("\n")
    assert [line for line in lines if columns(line) > 80 and not is_command(line)] == []
    assert [line for line in lines if not line.isprintable()] == []
    assert [line for line in lines if line != line.rstrip()] == []
    text.encode(options.get("encoding", "utf-8"))
    return text
