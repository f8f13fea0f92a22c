"""The report of a relation check or population test as JUnit XML: a suite of verdicts, and one of counterexamples."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from robust.canon import JsonObject
from robust.render.check_facts import in_plan_order, provenance, skip_notes
from robust.render.check_failure import EXPLAINED, explained, failure_lines, in_one_line
from robust.render.check_population import population_message, population_rows
from robust.render.check_words import error_notes, is_pass, outcome_words, skipped_notes
from robust.render.junit import MAX_BYTES, case_size, junit_document
from robust.render.junit_cases import JUnitCase, Outcome
from robust.render.report_ids import id_text
from robust.render.screen import Screen
from robust.render.shown_check import ShownCheck, ShownFailure

_NAME_WIDTH: Final = 200
_MESSAGE_WIDTH: Final = 500
_LINE_WIDTH: Final = 300
VERDICTS_SUITE: Final = "verdicts"
FAILURES_SUITE: Final = "counterexamples"


def check_junit(run: ShownCheck, *, most_bytes: int = MAX_BYTES) -> str:
    r"""A report as JUnit XML: a test case for the verdict of each relation or test, and one for each counterexample.

    What could not be decided is a failure, and what raised an error or was never tested is an error, as the exit code
    has it; samples that were no trials are skipped, with the reason. A counterexample that the verdict explains by
    noise is skipped, too. Characters that XML cannot hold are shown as ``\u{...}``.

    Args:
        run: the check.
        most_bytes: of the text in UTF-8, about; counterexamples that do not fit are counted.
    """
    report, screen = run.report, Screen()
    suites = {VERDICTS_SUITE: list(_verdicts(run, screen)), FAILURES_SUITE: list[JUnitCase]()}
    room = most_bytes - sum(case_size(case, unicode=run.unicode) for case in suites[VERDICTS_SUITE])
    for failure in run.failures:
        case = _counterexample(report, failure, screen)
        room -= case_size(case, unicode=run.unicode)
        if room < 0:
            break
        suites[FAILURES_SUITE].append(case)
    left = report["failures"]["count"] - len(suites[FAILURES_SUITE])
    if left:
        message = f"{left} more, not listed here: records.jsonl of the run has them"
        suites[FAILURES_SUITE].append(JUnitCase("others", "skipped", "not_listed", message))
    name = report["plan"]["name"] or report["kind"]
    filled = {suite: cases for suite, cases in suites.items() if cases}
    return junit_document(name, filled, report, provenance(report), screen, unicode=run.unicode)


def _verdicts(run: ShownCheck, screen: Screen) -> Iterator[JUnitCase]:
    report = run.report
    if report["kind"] == "population":
        found = report["population"]
        body = "\n".join(screen.safe(f"{name}: {value}") for name, value in population_rows(report))
        why = population_message(report, run.plan)
        yield _verdict(f"{found['test']} ({found['method']})", found["verdict"], why, body, screen)
        return
    for name, found in in_plan_order(report, run.plan).items():
        body = "\n".join([outcome_words(found), *skip_notes(run, name, screen), *error_notes(found)])
        yield _verdict(name, found["verdict"], outcome_words(found), body, screen)
        for note in skipped_notes(found):
            reason = note.partition(" ")[2]
            yield JUnitCase(screen.short(f"{name}: {reason}", _NAME_WIDTH), "skipped", "no_trial", note)
    if not report["relations"]:
        yield JUnitCase("relations", "error", "vacuous", "there are no relations")


def _verdict(name: str, verdict: str, why: str, body: str, screen: Screen) -> JUnitCase:
    shown = screen.short(name, _NAME_WIDTH)
    if is_pass(verdict):
        return JUnitCase(shown, "passed", body=body)
    outcome: Outcome = "error" if verdict in ("errored", "vacuous") else "failure"
    return JUnitCase(shown, outcome, verdict, screen.short(why, _MESSAGE_WIDTH), body)


def _counterexample(report: JsonObject, failure: ShownFailure, screen: Screen) -> JUnitCase:
    body = "\n".join([f"line {failure.line} of records.jsonl", *failure_lines(failure, None, screen)])
    name = id_text(failure.id, screen, _NAME_WIDTH)
    message = in_one_line(failure, screen, _LINE_WIDTH)
    if explained(report, failure):
        return JUnitCase(name, "skipped", "contradiction", message + EXPLAINED, body)
    if failure.error is not None:
        return JUnitCase(name, "error", failure.error, message, body)
    return JUnitCase(name, "failure", "contradiction", message, body)
