"""A report as JUnit XML, as Jenkins, GitLab and GitHub's actions read it.

Nothing is a failure or an error that does not fail the run: what the contract allows is skipped, with the reason. So a
server that goes by this file comes to the same verdict as the exit code.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final
from xml.etree import ElementTree as ET

from robust.canon import JsonObject
from robust.records.failing_group import FailingGroup
from robust.render.junit_cases import JUnitCase, Outcome, base_cases, group_case, left_case, property_cases
from robust.render.report_facts import observed_seconds, observed_time, provenance
from robust.render.report_words import in_contract_order
from robust.render.screen import Screen
from robust.render.shown_run import ShownRun

_NAME_WIDTH: Final = 200
_GOLDEN: Final = "golden"
# GitLab takes files below 30 MB.
MAX_BYTES: Final = 20_000_000
_HEAD: Final = '<?xml version="1.0" encoding="UTF-8"?>\n'
_COUNTED: Final[dict[str, Outcome]] = {"failures": "failure", "errors": "error", "skipped": "skipped"}
_SECOND: Final = len("2026-01-31T23:59:59")
_MARKUP: Final = 300
# What a character becomes, behind its `&`.
_ESCAPES: Final = {"&": "amp;", "<": "lt;", ">": "gt;", '"': "quot;", "\n": "#10;"}


def junit_text(run: ShownRun, *, most_bytes: int = MAX_BYTES) -> str:
    r"""A report as JUnit XML: a suite for the base cases and for each property, a test case for each check.

    Beside the checks each suite has a test case for each kind of error; that of a property also one for each source
    group with failing pairs, each reason for which cases were skipped, and each reason for which oracles refused
    candidates. It is valid by Jenkins' ``junit-10.xsd``. Characters that XML cannot hold, or that nobody could see,
    are shown as ``\u{...}``.

    Args:
        run: the run.
        most_bytes: of the text in UTF-8, about; source groups that do not fit are counted.
    """
    report, screen = run.report, Screen()
    suites = {_GOLDEN: list(base_cases(report, screen))}
    suites |= {name: list(property_cases(report, name, screen)) for name in in_contract_order(report)}
    room = most_bytes - sum(_size(case, run) for cases in suites.values() for case in cases)
    for name in in_contract_order(report):
        shown: list[FailingGroup] = []
        for group in run.groups.get(name, ()):
            case = group_case(report, name, group, screen, run.replayable)
            room -= _size(case, run)
            if room < 0:
                break
            suites[name].append(case)
            shown.append(group)
        left = left_case(report, name, shown)
        suites[name] += [left] if left is not None else []
    suites = {name: cases for name, cases in suites.items() if cases}
    return junit_document(report["contract"]["name"], suites, report, provenance(report), screen, unicode=run.unicode)


def _size(case: JUnitCase, run: ShownRun) -> int:
    return case_size(case, unicode=run.unicode)


def case_size(case: JUnitCase, *, unicode: bool) -> int:
    """At most so many bytes are written of a test case."""
    text = "".join((case.name, case.message, case.body))
    written = text.encode() if unicode else text.encode("ascii", "xmlcharrefreplace")
    return _MARKUP + len(written) + sum(len(escape) * text.count(char) for char, escape in _ESCAPES.items())


def junit_document(
    name: str,
    suites: Mapping[str, Sequence[JUnitCase]],
    report: JsonObject,
    rests_on: Iterable[tuple[str, str]],
    screen: Screen,
    *,
    unicode: bool,
) -> str:
    """Test cases as JUnit XML.

    Args:
        name: what was tested.
        suites: the test cases by the suite that they are in; their texts are safe to show.
        report: a report, for the times that were observed.
        rests_on: what it rests on, name by name.
        screen: makes texts safe to show.
        unicode: whether every character can be written; others become references.
    """
    facts = [(key, screen.short(value, _NAME_WIDTH)) for key, value in rests_on]
    root = _document(screen.short(name, _NAME_WIDTH), suites, report, facts)
    text = _HEAD + ET.tostring(root, encoding="unicode")
    # References are ASCII, so that what the head says of the encoding is true wherever they are written.
    return text if unicode else text.encode("ascii", "xmlcharrefreplace").decode()


def _document(
    decision: str, suites: Mapping[str, Sequence[JUnitCase]], report: JsonObject, facts: list[tuple[str, str]]
) -> ET.Element:
    totals = _counts(case for cases in suites.values() for case in cases)
    # That element cannot have it.
    del totals["skipped"]
    root = ET.Element("testsuites", {"name": decision, **totals})
    seconds, started = observed_seconds(report), observed_time(report, "started_at")
    if seconds is not None:
        root.set("time", f"{seconds:.3f}")
    for name, cases in suites.items():
        suite = ET.SubElement(root, "testsuite", {"name": name, **_counts(cases)})
        if started is not None:
            suite.set("timestamp", started[:_SECOND])
        if facts:
            properties = ET.SubElement(suite, "properties")
            for key, value in facts:
                ET.SubElement(properties, "property", {"name": key, "value": value})
            facts = []  # they are of the whole run, and said once
        taken: set[str] = set()
        for case in cases:
            # A server that finds a name twice drops one of the two.
            shown = _untaken(case.name, taken)
            taken.add(shown)
            _add_case(suite, case, {"classname": f"{decision}.{name}", "name": shown})
    ET.indent(root, " ")
    return root


def _counts(cases: Iterable[JUnitCase]) -> dict[str, str]:
    outcomes = [case.outcome for case in cases]
    return {"tests": str(len(outcomes))} | {name: str(outcomes.count(kind)) for name, kind in _COUNTED.items()}


def _untaken(name: str, taken: set[str]) -> str:
    number, shown = 1, name
    while shown in taken:
        number += 1
        shown = f"{name} ({number})"
    return shown


def _add_case(suite: ET.Element, case: JUnitCase, names: dict[str, str]) -> None:
    element = ET.SubElement(suite, "testcase", names)
    if case.outcome == "passed":
        if case.body:
            ET.SubElement(element, "system-out").text = case.body
        return
    found = ET.SubElement(element, case.outcome, {"type": case.kind, "message": case.message})
    found.text = case.body or None
