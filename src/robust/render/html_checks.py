"""The verdict of a report and its checks, as an HTML page shows them first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from robust.canon import JsonObject
from robust.records.decision import LIMIT_SLACK
from robust.render.html_blocks import Check, Tone
from robust.render.plain import plural
from robust.render.report_checks import check_figures, check_note, interval_text

_VERDICTS: Final[dict[str, Tone]] = {"pass": "good", "warn": "warn", "fail": "bad", "error": "bad"}
_MARKS: Final[dict[str, tuple[Tone, str]]] = {
    "pass": ("good", "holds"),
    "warn": ("warn", "warns"),
    "fail": ("bad", "fails"),
    "inconclusive": ("open", "inconclusive"),
}
Intervals = Mapping[str, Sequence[float] | None]


def verdict_of(report: JsonObject) -> tuple[Tone, str, str]:
    """How the verdict of a report is marked, the verdict in one word, and in words.

    Args:
        report: a report with ``status``, ``exit_code`` and the ``checks`` of ``robust.report/1``.
    """
    status = report["status"]
    return _VERDICTS[status], status.upper(), _sentence(report)


def _sentence(report: JsonObject) -> str:
    if report["status"] == "error":
        return "Nothing could be evaluated."
    checks: list[JsonObject] = report["checks"]
    said = []
    for level in ("requirement", "warning"):
        of_level = [check for check in checks if check["level"] == level]
        broken = [check for check in of_level if check["status"] != "pass"]
        undecided = sum(check["status"] == "inconclusive" for check in broken)
        if of_level:
            said.append(_said(level, len(broken), undecided, len(of_level)))
    noise = sum(bool(check.get("noise")) for check in checks)
    if noise:
        hold = "holds" if noise == 1 else "hold"
        said.append(f"{plural(noise, 'check')} {hold} only because what is over the limit may be noise")
    sentence = "; ".join(said) or "no check was asked for"
    if report["status"] == "warn" and report["exit_code"]:
        sentence += ". Warnings fail this run"
    return f"{sentence[0].upper()}{sentence[1:]}."


def _said(level: str, broken: int, undecided: int, count: int) -> str:
    if not broken:
        return f"all {count} {level}s hold" if count > 1 else f"the one {level} holds"
    does = "does" if broken == 1 else "do"
    left = f", {undecided} of them undecided" if undecided and broken > 1 else " and is undecided" if undecided else ""
    return f"{broken} of {plural(count, level)} {does} not hold{left}"


def check_rows(report: JsonObject, intervals: Intervals | None = None) -> list[Check]:
    """The checks of a report, those that do not hold first.

    Args:
        report: a report with the ``checks`` of ``robust.report/1``; ``metrics``, if it has them, may hold intervals.
        intervals: by the name of a check, the interval of its value, where the check itself has none.
    """
    checks: list[JsonObject] = sorted(report["checks"], key=_order)
    return [_row(report, check, intervals or {}) for check in checks]


def _order(check: JsonObject) -> int:
    """Requirements that do not hold, warnings that do not hold, what holds by noise alone, and the rest."""
    if check["status"] == "pass":
        return 2 if check.get("noise") else 3
    return 0 if check["level"] == "requirement" else 1


def _row(report: JsonObject, check: JsonObject, intervals: Intervals) -> Check:
    full = {"noise": False, "p_value": None, "needed_groups": None, "interval": None, **check}
    _, value, limit = check_figures(full)
    tone, mark = _MARKS[full["status"]]
    if full["noise"]:
        tone, mark = "open", "noise"
    interval = interval_of(report, full, intervals)
    note = check_note({"metrics": {}, **report}, full) or ""
    if not note and straddles(full, interval):
        note = "by its value; the limit is within the interval"
    return Check(
        full["check"], full["level"], tone, mark, value, limit_text(full["check"], limit), interval_text(interval), note
    )


def interval_of(report: JsonObject, check: JsonObject, intervals: Intervals) -> list[float] | None:
    """The interval of what a check measures; None where there is none."""
    name: str = check["check"]
    found = check["interval"] or intervals.get(name)
    if not found:
        metric = (report.get("metrics") or {}).get(name.removeprefix("min_").removeprefix("max_"))
        found = metric.get("interval") if isinstance(metric, dict) else None
    return list(found) if found else None


def straddles(check: JsonObject, interval: Sequence[float] | None) -> bool:
    """Whether a check holds by its value, while its limit is within the interval; not where the limit is an end."""
    if check["status"] != "pass" or interval is None or check["limit"] is None:
        return False
    low, high = interval
    return bool(low + LIMIT_SLACK < check["limit"] < high - LIMIT_SLACK)


def limit_text(name: str, limit: str) -> str:
    """A limit with the sign that says which side of it is right."""
    gate = name.rpartition(".")[2]
    sign = "≥ " if gate.startswith("min_") or gate == "gates" else "≤ " if gate.startswith("max_") else ""
    return limit if limit == "-" else sign + limit


def limits_of(report: JsonObject, gate: str) -> dict[str, tuple[float | None, Tone]]:
    """By property, the limit of a gate and whether it is kept."""
    found: dict[str, tuple[float | None, Tone]] = {}
    for check in report["checks"]:
        name, _, of = check["check"].rpartition(".")
        if of == gate:
            tone: Tone = "open" if check.get("noise") else _MARKS[check["status"]][0]
            found[name] = check["limit"], tone
    return found
