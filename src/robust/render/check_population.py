"""What a population test came to, in figures and in a sentence."""

from __future__ import annotations

from dataclasses import fields
from typing import Any, Final

from robust.canon import JsonObject
from robust.records.population import PopulationOutcome, PopulationSettings
from robust.records.population_words import changed_words, message_of
from robust.render.check_words import p_text, verdict_text
from robust.render.plain import number_text, table
from robust.render.screen import Screen

_INTERVALS: Final = ("interval", "row_interval")
_P_VALUE: Final = "p_value"
# Between them four digits after the point say enough.
_SMALL: Final = 0.001
_LARGE: Final = 10**9
# By member of the report: how it is called, in the order in which it is shown.
_FIGURES: Final = (
    ("threshold", "threshold"),
    (_P_VALUE, "p"),
    ("alpha", "alpha"),
    ("effect", "effect"),
    ("window", "window (full width)"),
    ("row_share", "share of rows"),
    ("row_interval", "its interval"),
    ("largest_change", "largest change"),
    ("percentile_95_change", "95th percentile of changes"),
    ("n", "rows looked at"),
    ("n_changed", "rows changed and counted"),
    ("n_invalid", "rows that the oracle refused"),
    ("n_unknown", "rows that the oracle could not decide"),
    ("groups", "groups"),
    ("missing_before", "predictions missing before"),
    ("missing_after", "predictions missing after"),
    ("n_failing", "rows that fail"),
)
_HIDDEN_ZERO: Final = frozenset(("n_invalid", "n_unknown", "missing_before", "missing_after"))


def population_rows(report: JsonObject) -> list[list[str]]:
    """Each figure of a population test with its name; those that there are."""
    found = report["population"]
    rows = [["verdict", verdict_text(found["verdict"])]]
    if found["metric"] is not None:
        interval = "" if found["interval"] is None else f" ({_ends(found['interval'])})"
        rows.append([str(found["metric_name"]), f"{_number(found['metric'])}{interval}"])
    rows += [[f"{level} verdict", verdict_text(found[f"{level}_verdict"])] for level in ("population", "row")]
    for member, name in _FIGURES:
        value = found[member]
        if value is not None and not (value == 0 and member in _HIDDEN_ZERO):
            rows.append([name, _figure(member, value)])
    return rows


def _figure(member: str, value: Any) -> str:
    if member in _INTERVALS:
        return _ends(value)
    return p_text(value) if member == _P_VALUE else _number(value)


def _ends(interval: list[float | None]) -> str:
    return " to ".join(map(_number, interval))


def _number(value: float | None) -> str:
    """A number in few characters, however large or small it is."""
    if value is None or value == 0 or _SMALL <= abs(value) < _LARGE:
        return number_text(value)
    return f"{value:.4g}"


def population_lines(
    report: JsonObject, plan: JsonObject, screen: Screen, rows_of_data: int | None = None
) -> list[str]:
    """The verdict with its reason in a sentence, and the figures, as lines."""
    said = screen.paragraph(screen.safe(population_message(report, plan)), head="  ", indent=4)
    changed = "changed: " + changed_words(plan, report["population"]["n"], rows_of_data)
    said += screen.paragraph(screen.safe(changed), head="  ", indent=4)
    rows = [[screen.safe(cell) for cell in row] for row in population_rows(report)]
    return ["Population test", *said, "", *table(rows)]


def population_message(report: JsonObject, plan: JsonObject) -> str:
    """The verdict of a population test and its reason in a sentence, which is not safe to show yet."""
    found = report["population"]
    settings = PopulationSettings(test=plan["test"], method=plan["method"], **plan["settings"])
    error = None if found["error"] is None else (found["error"]["where"], found["error"]["what"])
    told = {each.name: found[each.name] for each in fields(PopulationOutcome) if each.name in found}
    return message_of(PopulationOutcome(**{**told, "settings": settings, "error": error}))
