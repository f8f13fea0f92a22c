"""The verdict in words and the checks, as a page shows them first."""

from __future__ import annotations

from typing import Any

import pytest

from robust.render.html_checks import check_rows, limit_text, straddles, verdict_of
from tests.unit.render.reports import check_of, report_of

PASSING = {"status": "pass", "value": 0.95}
VERDICTS: list[tuple[str, list[dict[str, Any]], int, str]] = [
    ("pass", [check_of(**PASSING)], 0, "The one requirement holds."),
    (
        "warn",
        [check_of(**PASSING), check_of(**PASSING), check_of(level="warning", status="warn")],
        0,
        "All 2 requirements hold; 1 of 1 warning does not hold.",
    ),
    (
        "warn",
        [check_of(**PASSING), check_of(level="warning", status="warn")],
        1,
        "The one requirement holds; 1 of 1 warning does not hold. Warnings fail this run.",
    ),
    (
        "fail",
        [check_of(), check_of(status="inconclusive"), check_of(**PASSING)],
        1,
        "2 of 3 requirements do not hold, 1 of them undecided.",
    ),
    ("fail", [check_of(status="inconclusive")], 1, "1 of 1 requirement does not hold and is undecided."),
    (
        "pass",
        [check_of(status="pass", noise=True, p_value=0.3)],
        0,
        "The one requirement holds; 1 check holds only because what is over the limit may be noise.",
    ),
    ("error", [check_of()], 2, "Nothing could be evaluated."),
    ("pass", [], 0, "No check was asked for."),
]


@pytest.mark.parametrize(("status", "checks", "exit_code", "sentence"), VERDICTS)
def test_the_verdict_is_told_in_words(status: str, checks: list[dict[str, Any]], exit_code: int, sentence: str) -> None:
    """How many requirements and warnings hold, whether some are undecided, and whether warnings fail the run."""
    report = report_of(status=status, checks=checks, exit_code=exit_code)
    _, word, told = verdict_of(report)
    assert (word, told) == (status.upper(), sentence)


def test_what_does_not_hold_comes_first() -> None:
    """Requirements before warnings, noise before what holds; among equals in the order of the contract."""
    checks = [
        check_of(check="a", **PASSING),
        check_of(check="b", level="warning", status="warn"),
        check_of(check="c", status="pass", noise=True, p_value=0.3, value=1, limit=0.5),
        check_of(check="d"),
        check_of(check="e", status="inconclusive"),
    ]
    rows = check_rows(report_of(checks=checks))
    assert [row.name for row in rows] == ["d", "e", "b", "c", "a"]
    assert [row.mark for row in rows] == ["fails", "inconclusive", "warns", "noise", "holds"]
    assert [row.tone for row in rows] == ["bad", "open", "warn", "open", "good"]


def test_each_check_has_value_limit_and_interval() -> None:
    """The interval of the check itself, of its metric, or of what is told beside it; a dash where there is none."""
    metric = {"value": 0.95, "n": 10, "groups": 10, "interval": [0.9, 0.97]}
    checks = [
        check_of(check="min_accuracy", value=0.95, limit=0.8, status="pass"),
        check_of(check="a.max_flip_rate", value=0.2, limit=0.1),
        check_of(check="max_brier", value=0.2, limit=0.3, interval=[0.1, 0.25], status="pass"),
        check_of(check="a.max_error_rate", value=None, limit=0),
    ]
    report = report_of(checks=checks, metrics={"accuracy": metric})
    rows = {row.name: row for row in check_rows(report, {"a.max_flip_rate": (0.1, 0.3)})}
    assert rows["min_accuracy"][4:7] == ("0.95", "≥ 0.8", "0.9 to 0.97")
    assert rows["a.max_flip_rate"][4:7] == ("0.2", "≤ 0.1", "0.1 to 0.3")
    assert rows["max_brier"][4:7] == ("0.2", "≤ 0.3", "0.1 to 0.25")
    assert rows["a.max_error_rate"][4:7] == ("-", "≤ 0", "-")


def test_a_report_needs_no_more_of_a_check_than_the_format_promises() -> None:
    """A comparison or a check of records may have fewer fields, and no metrics at all."""
    check = {"check": "max_accuracy_drop", "level": "requirement", "status": "fail", "value": 0.1, "limit": 0.05}
    (row,) = check_rows({"checks": [check]})
    assert row[:7] == ("max_accuracy_drop", "requirement", "bad", "fails", "0.1", "≤ 0.05", "-")


@pytest.mark.parametrize(
    ("limit", "status", "expected"),
    [(0.9, "pass", True), (0.9, "fail", False), (0.85, "pass", False), (0.97, "pass", False), (None, "pass", False)],
)
def test_a_check_that_holds_by_its_value_alone_is_told(limit: float | None, status: str, expected: bool) -> None:
    """Where the limit is within the interval; not where it is an end of it."""
    assert straddles(check_of(limit=limit, status=status), [0.85, 0.97]) is expected
    assert straddles(check_of(limit=limit, status=status), None) is False


def test_limits_say_which_side_is_right() -> None:
    """By the name of their gate."""
    assert limit_text("whitespace.max_flip_rate", "0.1") == "≤ 0.1"
    assert limit_text("variants.min_variant_accuracy", "0.9") == "≥ 0.9"
    assert limit_text("gates", "1") == "≥ 1"
    assert limit_text("max_nll", "-") == "-"
