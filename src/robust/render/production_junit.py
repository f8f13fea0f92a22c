"""A check of production records as JUnit XML: a test case for each gate, a suite for each key of segments."""

from __future__ import annotations

from typing import Final

from robust.canon import JsonObject
from robust.render.junit import MAX_BYTES, case_size, junit_document
from robust.render.junit_cases import JUnitCase
from robust.render.plain import number_text
from robust.render.production_facts import lead_words, note_of, order_of, provenance
from robust.render.report_checks import interval_text
from robust.render.screen import Screen
from robust.render.shown_production import ShownProduction

_NAME_WIDTH: Final = 300
_MESSAGE_WIDTH: Final = 500
RECORDS_SUITE: Final = "records"
SEGMENTS_SUITE: Final = "segments"


def production_junit(run: ShownProduction, *, most_bytes: int = MAX_BYTES) -> str:
    r"""A report as JUnit XML: what does not hold is a failure, and a warning that fails nothing is skipped.

    So a server that goes by this file comes to the same verdict as the exit code. Characters that XML cannot hold are
    shown as ``\u{...}``.

    Args:
        run: the check.
        most_bytes: of the text in UTF-8, about; checks that do not fit are counted.
    """
    report, screen = run.report, Screen()
    suites: dict[str, list[JUnitCase]] = {RECORDS_SUITE: [], SEGMENTS_SUITE: []}
    room, left = most_bytes, 0
    for check in sorted(report["checks"], key=order_of):
        case = _case(report, check, screen)
        room -= case_size(case, unicode=run.unicode)
        if room < 0:
            left += 1
            continue
        suites[SEGMENTS_SUITE if check["check"].startswith("segment") else RECORDS_SUITE].append(case)
    if left:
        message = f"{left} more, not listed here: report.json has them"
        suites[RECORDS_SUITE].append(JUnitCase("others", "skipped", "not_listed", message))
    name = report["contract"]["name"]
    filled = {suite: cases for suite, cases in suites.items() if cases}
    return junit_document(name, filled, report, provenance(report), screen, unicode=run.unicode)


def _case(report: JsonObject, check: JsonObject, screen: Screen) -> JUnitCase:
    name = screen.short(check["check"], _NAME_WIDTH)
    value, limit = number_text(check["value"]), number_text(check["limit"])
    side = "at least" if check["check"].rpartition(".")[2].startswith("min_") else "at most"
    words = f"{value}, {side} {limit} is due" if check["check"] != "gates" else "no gate"
    note = note_of(report, check)
    message = screen.short(f"{words}; {note}" if note else words, _MESSAGE_WIDTH)
    body = "\n".join(
        (screen.safe(lead_words(report)), f"level {check['level']}", f"interval {interval_text(check['interval'])}")
    )
    if check["status"] == "pass":
        return JUnitCase(name, "passed", body=f"{message}\n{body}")
    if check["level"] == "warning" and not report["settings"]["fail_on_warn"]:
        return JUnitCase(name, "skipped", "warning", f"a warning: {message}", body)
    return JUnitCase(name, "failure", check["status"], message, body)
