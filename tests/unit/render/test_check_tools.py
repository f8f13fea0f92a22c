"""The report of a check for other tools: what is red, where it is, and how much of it there may be."""

from __future__ import annotations

from typing import Any

import pytest

from robust.canon import digest_value
from robust.render.check_junit import check_junit
from robust.render.check_markdown import check_markdown
from robust.render.check_sarif import check_sarif
from tests.unit.render.checks import (
    RELATION,
    VIOLATED,
    check_report_of,
    failure_shown,
    population_report_of,
    render_check,
    shown_check,
)
from tests.unit.render.shown import read_junit, read_markdown, read_sarif

UNDECIDED = {**RELATION, "verdict": "inconclusive", "reason": "too_few_runs", "contradictions": 1}
VACUOUS = {**RELATION, "verdict": "vacuous", "reason": "no_samples", "trials": 0}
ERRORED = {**RELATION, "verdict": "errored", "reason": "errors", "errors": 2}
NOISY = {**RELATION, "reason": "noise", "contradictions": 1, "adjusted_p": 0.4, "p_value": 0.4}


def _outcomes(report: dict[str, Any], *failures: Any) -> dict[str, str]:
    root = read_junit(render_check(shown_check(report, *failures), "junit"))
    return {str(case.get("name")): case[0].tag if len(case) else "passed" for case in root.iter("testcase")}


def test_a_verdict_is_a_test_case_as_the_exit_code_has_it() -> None:
    """Undecided is a failure; what was never tried, or raised, an error."""
    relations = {"a": VIOLATED, "b": RELATION, "c": UNDECIDED, "d": VACUOUS, "e": ERRORED, "f": NOISY}
    found = _outcomes(check_report_of(relations))
    assert {name: found[name] for name in relations} == {
        "a": "failure",
        "b": "system-out",
        "c": "failure",
        "d": "error",
        "e": "error",
        "f": "system-out",
    }
    assert _outcomes(check_report_of({})) == {"relations": "error"}


def test_samples_that_were_no_trials_are_skipped_with_the_reason() -> None:
    """Each reason by itself."""
    found = _outcomes(check_report_of({"a": {**RELATION, "skipped": {"unchanged": 2, "invalid": 1}}}))
    assert sorted(found.values()) == ["skipped", "skipped", "system-out"]


def test_what_noise_explains_is_not_red() -> None:
    """It is shown all the same, and so is a row that the share allows."""
    report = check_report_of({"a": NOISY, "b": VIOLATED})
    found = _outcomes(report, failure_shown(1, "a"), failure_shown(2, "b"))
    assert (found["trial/0/a/1"], found["trial/0/b/2"]) == ("skipped", "failure")
    log = read_sarif(render_check(shown_check(report, failure_shown(1, "a"), failure_shown(2, "b")), "sarif"))
    assert [(each["ruleId"], each["level"]) for each in log["results"]] == [
        ("b", "error"),
        ("b", "error"),
        ("a", "note"),
    ]
    passed = population_report_of(verdict="holds", reason="shown", passed=True)
    assert _outcomes(passed, failure_shown(1, None))["trial/0/None/1"] == "skipped"


def test_what_raised_is_an_error() -> None:
    """In JUnit; in SARIF its message says what."""
    raised = failure_shown(1, "a", error="transform", message="ValueError: no", before="", after="")
    report = check_report_of({"a": ERRORED}, status="error", exit_code=2)
    assert _outcomes(report, raised)["trial/0/a/1"] == "error"
    log = read_sarif(render_check(shown_check(report, raised), "sarif"))
    assert log["results"][1]["message"]["text"] == "a: input 0, sample 1: the transform raised: ValueError: no"
    assert log["invocations"][0]["executionSuccessful"] is False


def test_counterexamples_that_do_not_fit_are_counted() -> None:
    """By bytes in JUnit and Markdown, by number and packed bytes in SARIF."""
    failures = [failure_shown(number, after=digest_value(number) * 3) for number in range(1, 101)]
    report = check_report_of()
    report["failures"]["count"] = 150
    run = shown_check(report, *failures)
    root = read_junit(check_junit(run, most_bytes=20_000))
    shown = [case for case in root.iter("testcase") if "others" not in str(case.get("name"))]
    others = next(case for case in root.iter("testcase") if case.get("name") == "others")
    assert 5 < len(shown) < 100
    assert str(others[0].get("message")).startswith(f"{150 - (len(shown) - 1)} more, not listed here")
    assert _listed(read_sarif(check_sarif(run, most_results=21)), 150) == 20
    text = check_markdown(run, most_bytes=3_500)
    assert len(text.encode()) < 3_500
    assert "more lines are left out here" in text
    read_markdown(text)


def test_packed_bytes_are_limited_too() -> None:
    """What a service takes is measured in packed bytes."""
    failures = [failure_shown(number, after=digest_value(number) * 3) for number in range(1, 1001)]
    run = shown_check(check_report_of(), *failures)
    assert 100 < _listed(read_sarif(check_sarif(run, most_results=2000, most_packed=50_000)), 1000) < 1000


def _listed(log: dict[str, Any], count: int) -> int:
    """How many counterexamples of so many are listed; the others must be counted."""
    listed = sum("record" in each["properties"] for each in log["results"])
    (told,) = log["invocations"][0]["toolExecutionNotifications"]
    assert told["message"]["text"].startswith(f"{count - listed} counterexamples not listed here")
    return listed


def test_a_result_is_at_its_record() -> None:
    """The verdict is at the plan."""
    log = read_sarif(render_check(shown_check(check_report_of(), failure_shown(7)), "sarif"))
    places = [each["locations"][0]["physicalLocation"] for each in log["results"]]
    assert [place["artifactLocation"]["uri"] for place in places] == ["runs/r/contract.json", "runs/r/records.jsonl"]
    assert places[1]["region"] == {"startLine": 7, "startColumn": 1, "endLine": 7, "endColumn": 101}
    assert log["invocations"][0]["executionSuccessful"] is True


def test_fingerprints_do_not_depend_on_where_the_run_is() -> None:
    """The same thing that fails again is the same alert."""
    logs = [
        read_sarif(render_check(shown_check(check_report_of(), failure_shown(line), folder_uri=place), "sarif"))
        for line, place in ((7, "runs/r"), (7, ""))
    ]
    first, second = ([each["partialFingerprints"] for each in log["results"]] for log in logs)
    assert first == second


@pytest.mark.parametrize("count", [0, 99, 100, 101, 3000])
def test_many_relations_fit_a_comment(count: int) -> None:
    """Those that do not hold come first; others are counted."""
    relations = {f"relation {number}": RELATION for number in range(count)} | {"the last": VIOLATED}
    text = render_check(shown_check(check_report_of(relations)), "markdown")
    read_markdown(text)
    assert text.index("`the last`") < text.index("`relation 0`") if count else True
    assert ("more in report.json" in text) == (count + 1 > 100)


def test_no_relations_have_a_rule_and_a_result() -> None:
    """An upload without results would look like a pass."""
    (result,) = read_sarif(render_check(shown_check(check_report_of({}, status="error")), "sarif"))["results"]
    assert result["message"]["text"] == "no-relations: VACUOUS: 0 of 0 trials contradict; there are no relations"
