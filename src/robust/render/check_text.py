"""The report of a relation check or population test as plain text, readable at 80 columns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from robust.canon import JsonObject
from robust.render.check_facts import lead, relation_rows, setting_words, untold
from robust.render.check_failure import EXPLAINED, explained, failure_lines
from robust.render.check_population import population_lines
from robust.render.plain import columns, shorten, table
from robust.render.screen import WIDTH, Screen
from robust.render.shown_check import ShownCheck

MOST_SHOWN: Final = 3
_LEAST_NAME: Final = 12


def check_text(run: ShownCheck) -> str:
    """What was checked, what each relation or the test came to, what was not shown, and the first counterexamples.

    No line is longer than 80 columns but for those that try a counterexample again, which can be copied as they stand.
    """
    report, screen = run.report, Screen(run.encoding)
    return "\n".join(
        [
            *_head(run, screen),
            *found_lines(run, screen),
            *_untold(run, screen),
            *failures_lines(run, screen),
            *_calls(report),
            "",
            "Digests of the evidence (equal for equal checks) and of this report",
            f"evidence {report['evidence_digest']}",
            f"report   {report['digest']}",
        ]
    )


def _head(run: ShownCheck, screen: Screen) -> Iterator[str]:
    report = run.report
    yield shorten(f"{report['status'].upper()}  {lead(report, screen)}", WIDTH, screen.signs.more)
    yield from screen.paragraph(setting_words(run.plan, screen), head="  ", indent=4)


def found_lines(run: ShownCheck, screen: Screen) -> list[str]:
    """What each relation, or the population test, came to."""
    report = run.report
    if report["kind"] == "population":
        return ["", *population_lines(report, run.plan, screen, run.data_rows)]
    head, *rows = relation_rows(report, run.plan)
    if not rows:
        return ["", "There are no relations."]
    others = sum(max(columns(str(cell)) for cell in column) for column in list(zip(head, *rows, strict=True))[1:])
    room = max(WIDTH - others - 2 * len(head), _LEAST_NAME)
    cells: list[Sequence[Any]] = [head, *([screen.short(row[0], room), *row[1:]] for row in rows)]
    return ["", "Relations", *table(cells, right=range(2, len(head)))]


def _untold(run: ShownCheck, screen: Screen) -> list[str]:
    notes = [line for note in untold(run, screen) for line in screen.paragraph(note, head="  ", indent=4)]
    return ["", "What was not shown", *notes] if notes else []


def failures_lines(run: ShownCheck, screen: Screen, most: int = MOST_SHOWN) -> list[str]:
    """The first counterexamples, at most so many, the smallest of each relation before the others."""
    count = run.report["failures"]["count"]
    if not count:
        return []
    shown = list(run.failures[:most])
    of_rows = run.report["kind"] == "population"
    lines = ["", f"{'Rows that fail' if of_rows else 'What failed'} ({count})"]
    for number, failure in enumerate(shown, start=1):
        lines += failure_lines(failure, number, screen, EXPLAINED if explained(run.report, failure) else "")
    if screen.showed_white_space:
        lines.insert(2, f"  In inputs and outputs {screen.legend}.")
    if count > len(shown):
        lines.append(f"  {screen.signs.more} and {count - len(shown)} more: all in records.jsonl")
    return lines


def _calls(report: JsonObject) -> list[str]:
    calls = report["observed"].get("calls")
    saved = report["observed"].get("calls_saved")
    if type(calls) is not int:
        return []
    return ["", f"{calls} calls" + (f"; {saved} more were not needed" if type(saved) is int and saved > 0 else "")]
