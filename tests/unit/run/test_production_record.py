"""One production record: what is read of it, and everything that contradicts itself."""

from __future__ import annotations

from typing import Any

import pytest

from robust.errors import DataError
from robust.records.production_record import MISSING, UNKNOWN, segment_name
from robust.run.production_record import ProductionTerms, read_record
from tests.production_files import contract_of, record

TERMS = ProductionTerms.of(contract_of(), ("region",))


def problems(**fields: Any) -> list[tuple[str, str | None]]:
    """What is wrong with a record: codes and paths."""
    with pytest.raises(DataError) as caught:
        read_record(record(**fields), TERMS)
    return [(problem.code, problem.path) for problem in caught.value.problems]


def test_what_is_unknown_stays_unknown() -> None:
    """No outcome is a wrong one, no action an accepted one, and no latency zero."""
    read = read_record(record(), TERMS)
    assert (read.outcome, read.right, read.action, read.fallback) == (UNKNOWN,) * 4
    assert (read.latency_ms, read.cost, read.id, read.timestamp, read.segments) == (None, None, None, None, (None,))


@pytest.mark.parametrize(
    ("fields", "outcome", "right"),
    [
        ({"outcome": "refund"}, 0, 1),
        ({"outcome": "reject"}, 2, 0),
        ({"outcome_correct": True}, UNKNOWN, 1),
        ({"outcome_correct": False}, UNKNOWN, 0),
        ({"outcome": "reject", "outcome_correct": False}, 2, 0),
    ],
)
def test_whether_it_was_right_follows_from_the_outcome_or_is_told(fields: Any, outcome: int, right: int) -> None:
    """Either is enough."""
    read = read_record(record(**fields), TERMS)
    assert (read.outcome, read.right) == (outcome, right)


@pytest.mark.parametrize(
    ("fields", "action", "fallback"),
    [
        ({"action": "accept"}, 0, 0),
        ({"action": "fallback"}, 2, 1),
        ({"action": "fallback", "fallback": True}, 2, 1),
        ({"fallback": True}, UNKNOWN, 1),
        ({"fallback": False}, UNKNOWN, 0),
    ],
)
def test_an_action_tells_of_a_fallback_too(fields: Any, action: int, fallback: int) -> None:
    """And a fallback by itself tells of no action."""
    read = read_record(record(**fields), TERMS)
    assert (read.action, read.fallback) == (action, fallback)


@pytest.mark.parametrize(
    ("fields", "code", "path"),
    [
        ({"decision": "other"}, "other_decision", "$.decision"),
        ({"selected": "reject"}, "contradiction", "$.selected"),
        ({"selected": "nothing"}, "contradiction", "$.selected"),
        ({"confidence": 0.6}, "contradiction", "$.confidence"),
        ({"confidence": "0.7"}, "wrong_value", "$.confidence"),
        ({"confidence": True}, "wrong_value", "$.confidence"),
        ({"outcome": "maybe"}, "wrong_value", "$.outcome"),
        ({"outcome": "refund", "outcome_correct": False}, "contradiction", "$.outcome_correct"),
        ({"outcome_correct": 1}, "wrong_value", "$.outcome_correct"),
        ({"action": "reject"}, "wrong_value", "$.action"),
        ({"action": ["accept"]}, "wrong_value", "$.action"),
        ({"action": "accept", "fallback": True}, "contradiction", "$.fallback"),
        ({"action": "fallback", "fallback": False}, "contradiction", "$.fallback"),
        ({"latency_ms": -1}, "wrong_value", "$.latency_ms"),
        ({"latency_ms": 10**400}, "wrong_value", "$.latency_ms"),
        ({"cost": float("inf")}, "wrong_value", "$.cost"),
        ({"cost": float("nan")}, "wrong_value", "$.cost"),
        ({"cost": "1"}, "wrong_value", "$.cost"),
        ({"timestamp": "yesterday"}, "wrong_value", "$.timestamp"),
        ({"timestamp": "2026-03-01T10:00:00"}, "wrong_value", "$.timestamp"),
        ({"timestamp": 5}, "wrong_value", "$.timestamp"),
        ({"timestamp": "0001-01-01T00:00:00+14:00"}, "wrong_value", "$.timestamp"),
        ({"id": ""}, "bad_id", "$.id"),
        ({"id": 5}, "bad_id", "$.id"),
        ({"id": "a\x1b[31m"}, "bad_id", "$.id"),
        ({"model": 5}, "wrong_value", "$.model"),
        ({"input": [1]}, "wrong_value", "$.input"),
        ({"metadata": []}, "wrong_value", "$.metadata"),
        ({"metadata": {"region": {"a": 1}}}, "bad_segment", "$.metadata.region"),
        ({"metadata": {"region": ["a"]}}, "bad_segment", "$.metadata.region"),
        ({"metadata": {"region": "x" * 201}}, "bad_segment", "$.metadata.region"),
        ({"probabilities": {"refund": 0.7, "exchange": 0.3}}, "invalid_distribution", "$.probabilities"),
        ({"probabilities": {"refund": 70, "exchange": 20, "reject": 10}}, "invalid_distribution", "$.probabilities"),
        ({"probabilities": [0.7, 0.2, 0.1]}, "invalid_distribution", "$.probabilities"),
        ({"probabilities": None}, "missing_field", "$.probabilities"),
        ({"selected": None}, "missing_field", "$.selected"),
        ({"decision": None}, "missing_field", "$.decision"),
        ({"laten_ms": 5}, "unknown_field", "$.laten_ms"),
    ],
)
def test_a_wrong_field_is_an_error_at_its_path(fields: Any, code: str, path: str) -> None:
    """And nothing else is."""
    assert problems(**fields) == [(code, path)]


def test_everything_that_is_wrong_is_told_at_once() -> None:
    """In one reading."""
    assert [path for _, path in problems(decision="x", selected="reject", latency_ms=-1, more=1)] == [
        "$.more",
        "$.decision",
        "$.selected",
        "$.latency_ms",
    ]


@pytest.mark.parametrize("row", [None, [], "x", 5, True])
def test_what_is_no_object_is_no_record(row: Any) -> None:
    """Whatever else it is."""
    with pytest.raises(DataError, match="must be an object"):
        read_record(row, TERMS, "$[3]")


def test_of_equal_labels_the_first_is_selected() -> None:
    """As a run selects."""
    equal = {"reject": 0.4, "exchange": 0.4, "refund": 0.2}
    assert read_record(record(probabilities=equal, selected="exchange"), TERMS).selected == 1


@pytest.mark.parametrize("total", [0.999, 1.001])
def test_both_edges_of_the_tolerance_belong_to_it(total: float) -> None:
    """B12, for records."""
    shares = {"refund": 0.7, "exchange": 0.2, "reject": total - 0.9}
    assert read_record(record(probabilities=shares), TERMS).selected == 0


@pytest.mark.parametrize(
    ("value", "name"),
    [
        (None, MISSING),
        (True, "true"),
        ("true", '"true"'),
        (1, "1"),
        (1.0, "1"),
        ("1", '"1"'),
        ("1x", "1x"),
        ("inf", "inf"),
        ("", '""'),
        ('"1"', r'"\"1\""'),
        (MISSING, f'"{MISSING}"'),
        ("north", "north"),
        ("a\x1b", '"a\\u001b"'),
        (0.5, "0.5"),
        (-0.0, "0"),
    ],
)
def test_different_values_have_different_names(value: Any, name: str) -> None:
    """And equal numbers the same."""
    assert segment_name(value) == name
