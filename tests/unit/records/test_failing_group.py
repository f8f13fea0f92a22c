"""How much failing pairs weigh, and how many source groups of each property are listed."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from robust.records.failing_group import ANY_VIOLATION, FLIP, failing_pair_count, shares_of, weight_of
from tests.unit.render.reports import check_of, property_of, report_of

LIMIT = "max_tv_distance"


def _check(gate: str, status: str = "fail", level: str = "requirement", **fields: Any) -> dict[str, Any]:
    return check_of(check=f"whitespace.{gate}", status=status, level=level, **fields)


@pytest.mark.parametrize(
    ("checks", "limit", "flip"),
    [
        ([_check("max_violation_rate")], "error", "note"),
        ([_check("max_group_violation_rate")], "error", "note"),
        ([_check("max_flip_rate")], "note", "error"),
        ([_check("max_violation_rate", "inconclusive")], "error", "note"),
        ([_check("max_violation_rate", "warn", "warning")], "warning", "note"),
        ([_check("max_violation_rate", "inconclusive", "warning")], "warning", "note"),
        ([_check("max_violation_rate", "pass", noise=True), _check("max_flip_rate", "pass")], "note", "note"),
        ([_check("max_flip_rate", "warn", "warning"), _check("max_violation_rate")], "error", "warning"),
        ([_check("max_error_rate"), _check("min_valid_rate"), check_of(check="max_violation_rate")], "note", "note"),
        ([check_of(check="paraphrase.max_violation_rate")], "note", "note"),
    ],
)
def test_a_pair_weighs_what_the_gates_on_such_pairs_say(checks: list[dict[str, Any]], limit: str, flip: str) -> None:
    """Of limits those on violations, of changed labels the one on flips; no other check, and none that holds."""
    report = report_of(checks=checks)
    assert weight_of(report, "whitespace", [LIMIT]) == limit
    assert weight_of(report, "whitespace", [FLIP]) == flip
    gravest = min(limit, flip, key=["error", "warning", "note"].index)
    assert weight_of(report, "whitespace", [LIMIT, FLIP]) == gravest
    assert weight_of(report, "whitespace", ANY_VIOLATION) == gravest


def _report(failing: dict[str, int], groups: dict[str, int], levels: dict[str, str]) -> dict[str, Any]:
    checks = [
        check_of(check=f"{name}.max_violation_rate", level=level, status="pass" if level == "none" else "fail")
        for name, level in levels.items()
    ]
    properties = {name: property_of(groups=groups[name], errors=3) for name in failing}
    by_kind = {name: count + 3 for name, count in failing.items()}
    failures = {"count": sum(by_kind.values()), "by_kind": by_kind, "first": []}
    return report_of(checks=checks, properties=properties, failures=failures)


def test_errors_are_no_failing_pairs() -> None:
    """And a property that is in no count of failures has none."""
    report = _report({"whitespace": 7}, {"whitespace": 9}, {"whitespace": "requirement"})
    assert failing_pair_count(report, "whitespace") == 7
    report["failures"]["by_kind"] = {}
    report["properties"]["whitespace"]["errors"] = 0
    assert failing_pair_count(report, "whitespace") == 0


def test_what_weighs_most_is_listed_first_and_equals_share() -> None:
    """A property that needs less than its share leaves the rest to the others."""
    failing = {"a": 100, "b": 10, "c": 100, "d": 100}
    levels = {"a": "requirement", "b": "requirement", "c": "requirement", "d": "warning"}
    report = _report(failing, dict.fromkeys(failing, 1000), levels)
    assert shares_of(report, 110) == {"a": 50, "b": 10, "c": 50, "d": 0}
    assert shares_of(report, 230) == {"a": 100, "b": 10, "c": 100, "d": 20}
    assert shares_of(report, 9999) == failing
    assert shares_of(report, 0) == dict.fromkeys(failing, 0)


def test_no_more_is_kept_than_groups_that_were_compared() -> None:
    """However many pairs of them fail: so that another property gets the room."""
    report = _report({"a": 100, "b": 100}, {"a": 4, "b": 100}, {"a": "requirement", "b": "requirement"})
    assert shares_of(report, 60) == {"a": 4, "b": 56}


sizes = st.integers(0, 50)


@given(
    st.dictionaries(
        st.sampled_from("abcdefghij"), st.tuples(sizes, sizes, st.sampled_from(["requirement", "warning", "none"]))
    ),
    st.integers(0, 300),
)
def test_shares_are_fair(found: dict[str, tuple[int, int, str]], most: int) -> None:
    """All of what there is, to nobody more than is wanted, and to none more than to one that wants more."""
    failing = {name: pairs for name, (pairs, _, _) in found.items()}
    groups = {name: count for name, (_, count, _) in found.items()}
    levels = {name: level for name, (_, _, level) in found.items()}
    shares = shares_of(_report(failing, groups, levels), most)
    wanted = {name: min(failing[name], groups[name]) for name in found}
    assert sum(shares.values()) == min(most, sum(wanted.values()))
    order = ["requirement", "warning", "none"]
    for name, share in shares.items():
        assert 0 <= share <= wanted[name]
        for other in shares:
            if share < wanted[name] and levels[other] == levels[name]:
                assert shares[other] <= share + 1
            if share < wanted[name] and order.index(levels[other]) > order.index(levels[name]):
                assert shares[other] == 0
