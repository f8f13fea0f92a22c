"""A comparison of two runs as JUnit XML: a suite of its checks, and one of what changed for the worse."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from robust.canon import JsonObject
from robust.render.diff_facts import apart_notes, change_text, note_of, provenance, unknown_notes
from robust.render.junit import MAX_BYTES, case_size, junit_document
from robust.render.junit_cases import JUnitCase
from robust.render.report_checks import check_figures
from robust.render.report_ids import id_text
from robust.render.screen import Screen
from robust.render.shown_diff import ShownDiff

CHECKS_SUITE: Final = "regression"
CHANGES_SUITE: Final = "changes"
_NAME_WIDTH: Final = 200
_WIDTH: Final = 500


def diff_junit(diff: ShownDiff, *, most_bytes: int = MAX_BYTES) -> str:
    r"""A comparison as JUnit XML: a test case for each check, and one for each changed case that is listed.

    Checks alone decide: a changed case is skipped, with what came of it, since gates say how many there may be. So a
    server that goes by this file comes to the same verdict as the exit code. Characters that XML cannot hold are shown
    as ``\u{...}``.

    Args:
        diff: the comparison.
        most_bytes: of the text in UTF-8, about; changed cases that do not fit are counted.
    """
    report, screen = diff.report, Screen()
    suites = {CHECKS_SUITE: [*_checks(report, screen), *_notes(report, screen)], CHANGES_SUITE: list[JUnitCase]()}
    room = most_bytes - sum(case_size(case, unicode=diff.unicode) for case in suites[CHECKS_SUITE])
    for change in report["changes"]["first"]:
        case = _change(change, screen)
        room -= case_size(case, unicode=diff.unicode)
        if room < 0:
            break
        suites[CHANGES_SUITE].append(case)
    left = report["changes"]["count"] - len(suites[CHANGES_SUITE])
    if left:
        message = f"{left} more changed cases, not listed here: records.jsonl of both runs has them"
        suites[CHANGES_SUITE].append(JUnitCase("others", "skipped", "not_listed", message))
    filled = {suite: cases for suite, cases in suites.items() if cases}
    facts = provenance(report)
    return junit_document(report["contract"]["name"], filled, report, facts, screen, unicode=diff.unicode)


def _checks(report: JsonObject, screen: Screen) -> Iterator[JUnitCase]:
    if report["status"] == "error":
        yield JUnitCase("compared", "error", "nothing_compared", "no case was decided by both runs")
    for check in report["checks"]:
        warning = check["level"] == "warning"
        name = f"{check['check']} (warning)" if warning else check["check"]
        mark, value, limit = check_figures(check)
        figures = f"{mark}: value {value}, limit {limit}"
        note = note_of(report, check, screen) or ""
        if check["status"] == "pass":
            yield JUnitCase(name, "passed", body=f"{figures}; {note}" if note else "")
        elif warning and not report["settings"]["fail_on_warn"]:
            why = "a warning, which does not fail the comparison"
            yield JUnitCase(name, "skipped", check["status"], f"{figures}; {why}", note)
        else:
            yield JUnitCase(name, "failure", check["status"], figures, note)


def _notes(report: JsonObject, screen: Screen) -> Iterator[JUnitCase]:
    """What the runs do not have in common, and what is not known."""
    notes = [*apart_notes(report, screen), *unknown_notes(report)]
    if notes:
        message = screen.short(notes[0], _WIDTH)
        yield JUnitCase("not in common", "skipped", "note", message, "\n".join(map(screen.safe, notes)))


def _change(change: JsonObject, screen: Screen) -> JUnitCase:
    lines = [f"line {change[side]['line']} of records.jsonl of the {side}" for side in ("baseline", "candidate")]
    more = f" ({change['input_left']} more characters)" if change["input_left"] else ""
    body = "\n".join([*lines, f"input: {screen.visible(change['input'])}{more}"])
    name = f"case {id_text(change['case_id'], screen, _NAME_WIDTH)}"
    return JUnitCase(name, "skipped", change["kind"], screen.short(change_text(change, screen), _WIDTH), body)
