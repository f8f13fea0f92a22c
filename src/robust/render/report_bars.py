"""Small bars for a terminal: violation rates beside their limits, and accuracy beside confidence."""

from __future__ import annotations

from typing import Final

from robust.canon import JsonObject
from robust.render.plain import table
from robust.render.report_words import in_contract_order, percent
from robust.render.screen import Screen

_WIDTH: Final = 36
_EIGHTHS: Final = "▏▎▍▌▋▊▉█"
_MARK: Final = "│"


def bar(share: float, screen: Screen, width: int = _WIDTH, *, mark: float | None = None) -> str:
    """A bar for a share of its width, in eighths of a column where the terminal has such characters.

    Args:
        share: 0–1; more than nothing is never shown as nothing.
        screen: the terminal.
        width: of the whole, in columns.
        mark: where a limit stands, 0–1; it is drawn over the bar.
    """
    rich = screen.can_show(_EIGHTHS + _MARK)
    eighths = max(round(min(max(share, 0), 1) * width * 8), 1 if share > 0 else 0)
    whole, rest = divmod(eighths, 8)
    if rich:
        drawn = _EIGHTHS[-1] * whole + (_EIGHTHS[rest - 1] if rest else "")
    else:
        drawn = "#" * max(whole + (rest >= 4), 1 if share > 0 else 0)
    if mark is not None:
        place = min(int(min(max(mark, 0), 1) * width), width - 1)
        sign = _MARK if rich else "|"
        drawn = drawn.ljust(place)[:place] + sign + drawn[place + 1 :]
    return drawn


def rates_bars(report: JsonObject, screen: Screen) -> list[str]:
    """The violation rates of the properties as bars; nothing where nothing was violated."""
    rates = {name: report["properties"][name]["violation_rate"] for name in in_contract_order(report)}
    limits = {
        check["check"].removesuffix(".max_violation_rate"): check["limit"]
        for check in report["checks"]
        if check["check"].endswith(".max_violation_rate")
    }
    shown = {name: rate for name, rate in rates.items() if rate is not None and name in limits}
    if not any(shown.values()):
        return []
    end = max([*shown.values(), *(limits[name] for name in shown)])
    rows = [[name, percent(rate), bar(rate / end, screen, mark=limits[name] / end)] for name, rate in shown.items()]
    sign = _MARK if screen.can_show(_EIGHTHS + _MARK) else "|"
    return ["", f"Violation rates (a whole bar is {percent(end)}; {sign} is the limit)", *table(rows, right=(1,))]


def accuracy_bar(row: JsonObject, screen: Screen, width: int) -> str:
    """The accuracy of a bin of the reliability table as a bar, with its mean confidence marked."""
    return bar(row["accuracy"], screen, width, mark=row["mean_confidence"])
