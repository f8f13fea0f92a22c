"""The test cases of a report: checks, errors, failing source groups, skipped and refused candidates."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, Literal, NamedTuple, TypeAlias

from robust.canon import JsonObject
from robust.records.failing_group import ANY_VIOLATION, FailingGroup, Weight, weight_of
from robust.render.plain import plural
from robust.render.report_checks import check_figures, check_note
from robust.render.report_facts import observed_message
from robust.render.report_failure import failure_text
from robust.render.report_groups import WHERE, group_text, left_text
from robust.render.report_ids import id_text
from robust.render.report_words import REFUSED, SKIPPED, why_allowed
from robust.render.screen import Screen

Outcome: TypeAlias = Literal["passed", "failure", "error", "skipped"]
_MESSAGE_WIDTH: Final = 500
_GATE_OF_ERRORS: Final = "max_error_rate"


class JUnitCase(NamedTuple):
    """A test case as JUnit has it; its texts are safe to show.

    Attributes:
        name: what is tested.
        outcome: what came of it.
        kind: of the failure, of the error, or of the reason to skip it.
        message: in one line.
        body: in several.
    """

    name: str
    outcome: Outcome
    kind: str = ""
    message: str = ""
    body: str = ""


def base_cases(report: JsonObject, screen: Screen) -> Iterator[JUnitCase]:
    """The golden checks, and how base cases ended in errors."""
    yield from _checks(report, "")
    planned = plural(report["counts"]["cases"], "base case")
    weight = "error" if report["status"] == "error" else _weight_of_errors(report, "")
    for kind, count in report["errors_by_kind"].items():
        yield _error_case(report, None, kind, f"{count} of {planned}", weight, screen)


def property_cases(report: JsonObject, name: str, screen: Screen) -> Iterator[JUnitCase]:
    """The checks of a property, how its pairs ended in errors, and what of it was skipped or refused, and why."""
    found = report["properties"][name]
    yield from _checks(report, name)
    planned = plural(found["planned"], "pair")
    if found["errors"]:
        for kind, count in (found.get("errors_by_kind") or {"": found["errors"]}).items():
            weight = _weight_of_errors(report, name)
            yield _error_case(report, name, kind, f"{count} of {planned}", weight, screen)
    for reason, count in found.get("skipped_by_reason", {}).items():
        yield JUnitCase(f"skipped: {reason}", "skipped", reason, f"{plural(count, 'case')}: {SKIPPED[reason]}")
    for code, count in found.get("refused_by_code", {}).items():
        first = found["first_refused"][code]
        said = _line(first["reason"], screen)
        message = f"{plural(count, 'candidate')}, not scored: {REFUSED[code]}"
        body = f"the first is {id_text(first['id'], screen)}" + (f": {said}" if said else "")
        yield JUnitCase(f"refused: {code}", "skipped", code, message, body)


def group_case(report: JsonObject, name: str, group: FailingGroup, screen: Screen, run: str | None) -> JUnitCase:
    """A source group with failing pairs of a property.

    Args:
        report: the report.
        name: of the property.
        group: the source group.
        screen: what is written to.
        run: the run directory for the command that replays the first pair; None where nothing can be replayed.
    """
    limits = report["properties"][name].get("limits", {})
    outcome, why = _weighed(report, weight_of(report, name, group.violations), why_allowed(report, name))
    lines = failure_text(group.first, None, limits, screen, run)
    body = "\n".join([f"line {group.line} of records.jsonl", *lines])
    message = group_text(group, limits, screen) + why
    return JUnitCase(f"source {id_text(group.source_id, screen)}", outcome, "violation", message, body)


def left_case(report: JsonObject, name: str, shown: Sequence[FailingGroup]) -> JUnitCase | None:
    """What of a property's failing pairs is not listed; None where all of it is."""
    left = left_text(report, name, shown)
    if left is None:
        return None
    outcome, why = _weighed(report, weight_of(report, name, ANY_VIOLATION), why_allowed(report, name))
    return JUnitCase("other sources", outcome, "violation", f"{left}, not listed here: {WHERE}{why}")


def _checks(report: JsonObject, name: str) -> Iterator[JUnitCase]:
    for check in report["checks"]:
        if check["check"].rpartition(".")[0] != name:
            continue
        warning = check["level"] == "warning"
        shown = f"{check['check']} (warning)" if warning else check["check"]
        mark, value, limit = check_figures(check)
        figures = f"value {value}, limit {limit}"
        note = check_note(report, check) or ""
        if check["status"] == "pass":
            yield JUnitCase(shown, "passed", body=f"{mark}: {figures}; {note}" if note else "")
            continue
        outcome, why = _weighed(report, "warning" if warning else "error", "")
        yield JUnitCase(shown, outcome, check["status"], f"{mark}: {figures}{why}", note)


def _weighed(report: JsonObject, weight: Weight, allowed: str) -> tuple[Outcome, str]:
    """What something of a weight is, and behind what is said of it, why it is no failure."""
    if weight == "note":
        return "skipped", f"; {allowed}"
    if weight == "warning" and not report["settings"]["fail_on_warn"]:
        return "skipped", "; a warning, which does not fail the run"
    return "failure", ""


def _weight_of_errors(report: JsonObject, name: str) -> Weight:
    """How much errors weigh, by the gate on them."""
    gate = f"{name}.{_GATE_OF_ERRORS}" if name else _GATE_OF_ERRORS
    levels = {check["level"] for check in report["checks"] if check["check"] == gate and check["status"] != "pass"}
    return "error" if "requirement" in levels else "warning" if levels else "note"


def _error_case(
    report: JsonObject, name: str | None, kind: str, share: str, weight: Weight, screen: Screen
) -> JUnitCase:
    """How often a kind of error was what came of base cases, or of the pairs of a property."""
    outcome, why = _weighed(report, weight, "within the limits of the contract")
    ids = [
        id_text(entry["id"], screen)
        for entry in report["failures"]["first"]
        if entry["property"] == name and entry["error"] is not None and kind in ("", entry["error"])
    ]
    body = [f"the first: {', '.join(ids)}; {WHERE}"]
    if said := _line(observed_message(report, kind), screen):
        body.append(f"what was said of the first {kind}: {said}")
    ended = f"ended in {kind}" if kind else "ended in an error"
    return JUnitCase(
        f"errors: {kind}" if kind else "errors",
        "error" if outcome == "failure" else outcome,
        kind or "error",
        f"{share} {ended}{why}",
        "\n".join(body),
    )


def _line(text: str, screen: Screen) -> str:
    """A text on one line, a long one cut."""
    return screen.short(" ".join(text[: 4 * _MESSAGE_WIDTH].split()), _MESSAGE_WIDTH)
