"""The checks of a report: what holds, what does not, and why some could not be decided."""

from __future__ import annotations

from typing import Final

from robust.canon import JsonObject
from robust.render.plain import number_text, table
from robust.render.screen import WIDTH, Screen

_MARKS: Final = {"pass": "ok", "warn": "WARN", "fail": "FAIL", "inconclusive": "INCONCLUSIVE"}


def checks_text(report: JsonObject, screen: Screen) -> list[str]:
    """Requirements and warnings, each in a table."""
    lines: list[str] = []
    for level, head in (("requirement", "Requirements"), ("warning", "Warnings")):
        checks = [check for check in report["checks"] if check["level"] == level]
        if checks:
            lines += ["", head, *_table(checks, screen)]
    logical = report["logical_status"]
    if logical != report["status"]:
        lines += ["", f"Without the checks on time, tokens and cost: {str(logical).upper()}"]
    return lines


def _table(checks: list[JsonObject], screen: Screen) -> list[str]:
    figures = [check_figures(check) for check in checks]
    others = sum(max(map(len, column)) for column in zip(*figures, ("", "value", "limit"), strict=True))
    room = WIDTH - others - 8  # what the indent and the gaps between four columns leave for the names
    rows = [
        [mark, screen.short(check["check"], room), value, limit]
        for check, (mark, value, limit) in zip(checks, figures, strict=True)
    ]
    return table([["", "", "value", "limit"], *rows], right=(2, 3))


def check_figures(check: JsonObject) -> tuple[str, str, str]:
    """Of a check whether it holds, the value and the limit, each in few characters."""
    value, limit = number_text(check["value"]), number_text(check["limit"])
    if value == limit and (check["status"] != "pass" or check["noise"]) and check["value"] is not None:
        value = f"{check['value']:.10g}"  # so close that four digits do not tell
    return "noise" if check["noise"] else _MARKS[check["status"]], value, limit


def undecided_text(report: JsonObject, screen: Screen) -> list[str]:
    """Which checks noise decided, and why others could not be decided, with what would decide them."""
    lines: list[str] = []
    for head, notes in (("Noise", _noise), ("Inconclusive", _inconclusive)):
        reasons = [f"{check['check']}: {note}" for check in report["checks"] if (note := notes(report, check))]
        told = [line for reason in reasons for line in screen.paragraph(reason, head="  ", indent=4)]
        lines += ["", head, *told] if told else []
    return lines


def check_note(report: JsonObject, check: JsonObject) -> str | None:
    """How noise decided a check, or why it could not be decided; None where there is nothing to say."""
    return _noise(report, check) or _inconclusive(report, check)


def _noise(_: JsonObject, check: JsonObject) -> str | None:
    """What was over its limit and was told from the model's own noise, or could not be."""
    if check["p_value"] is None or check["status"] == "inconclusive":
        return None
    p_value = f"p = {number_text(check['p_value'])}"
    if not check["noise"]:
        return f"more than the model's own noise ({p_value})"
    over = f"{_value(check)} is over the limit {number_text(check['limit'])}"
    return f"{over}; it holds only because that may be the model's own noise ({p_value})"


def _inconclusive(report: JsonObject, check: JsonObject) -> str | None:
    if check["status"] != "inconclusive" or check["value"] is None:
        return None
    limit = number_text(check["limit"])
    if check["p_value"] is not None:
        return (
            f"{_value(check)} is over the limit {limit}, and no p value below alpha was "
            f"attainable (p = {number_text(check['p_value'])}); more cases or trials are needed"
        )
    if report["metrics"].get(check["check"].removeprefix("min_").removeprefix("max_")) is None:
        return None
    if check["interval"] is None:
        return "one source group says nothing of others, so there is no interval; more groups are needed"
    needed = check["needed_groups"]
    more = "no number of further source groups would decide" if needed is None else _groups_text(needed)
    return f"the limit {limit} is within the interval {interval_text(check['interval'])}; {more}"


def _value(check: JsonObject) -> str:
    value = number_text(check["value"])
    return f"{check['value']:.10g}" if value == number_text(check["limit"]) else value


def _groups_text(needed: int) -> str:
    groups = "source group" if needed == 1 else "source groups"
    return f"about {needed} more {groups} like these would decide"


def interval_text(interval: list[float] | None) -> str:
    """``0.9 to 0.95``; a dash where there is none."""
    return "-" if interval is None else " to ".join(map(_end_text, interval))


def _end_text(end: float) -> str:
    """Four digits after the point; what is only close to a whole number is shown as 0.0001 from it, or tiny."""
    text = f"{end:.4f}".rstrip("0").rstrip(".")
    whole = round(end)
    if "." in text or end == whole:
        return text
    return f"{end:.2g}" if whole == 0 else f"{whole + (0.0001 if end > whole else -0.0001):.4f}"
