"""Plans and records of a population test that were tampered with: each is refused with its line and path."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest

from robust import IntegrityError, OracleVerdict, column_edits, increasing, invariance
from robust.canon import JsonObject
from robust.population.derived import derive_population
from robust.records.check_plan import read_plan

ROWS = [{"x": float(place), "team": "ab"[place % 2]} for place in range(6)]


def first_of(rows: Any) -> list[float]:
    """A model of records."""
    return [row["x"] for row in rows]


def odd(base: Any, candidate: Any) -> OracleVerdict:
    """An oracle that accepts all but the first row."""
    return OracleVerdict(base.case_id != "row-0", "it says so", evidence={"looked": True})


RESULT = invariance(first_of, ROWS, column_edits.shifted("x", 1), oracle=odd, groups="team")
PLAIN = increasing(first_of, ROWS, column_edits.shifted("x", 1), method="t_test")
Documents = tuple[JsonObject, list[JsonObject]]


def documents(result: Any) -> Documents:
    """Plan and records, to be tampered with."""
    return copy.deepcopy(result.plan()), copy.deepcopy(list(result.records()))


def derived(plan: JsonObject, records: list[JsonObject]) -> Any:
    """What follows from them."""
    return derive_population(read_plan(plan), list(enumerate(records, 1)))


def test_untouched_documents_give_the_result() -> None:
    """With the line of every failing row, and a note of what the oracle said."""
    found = derived(*documents(RESULT))
    assert found.found == RESULT.found()
    assert found.counts == {"rows": 6, "changed": 5, "invalid": 1, "unknown": 0, "failing": 5}
    assert [(failure.id, failure.line) for failure in found.failures] == [(f"row-{n}", n + 2) for n in range(1, 6)]
    assert found.notes == {"validations": 6}
    assert [check.check for check in found.checks] == ["invariance.min_share"]
    assert [check.check for check in derived(*documents(PLAIN)).checks] == ["increasing.max_p_value"]


EDITS: list[tuple[str, int | None, Callable[[JsonObject, list[JsonObject]], Any]]] = [
    ("$.rows", 1, lambda plan, records: records[0].update(rows=-1)),
    ("$.rows", 1, lambda plan, records: records[0].update(rows="6")),
    ("$.rows", 1, lambda plan, records: records[0].update(rows=10**30)),
    ("$.in_slice", 1, lambda plan, records: records[0].update(in_slice=7)),
    ("$.in_slice", 1, lambda plan, records: records[0].update(in_slice=2)),
    ("$.outputs", 1, lambda plan, records: records[0].update(outputs="colours")),
    ("$.outputs", 1, lambda plan, records: records[0].update(outputs=None)),
    ("$.outputs", 1, lambda plan, records: records[0].update(error={"where": "model", "what": "x"})),
    ("$.error", 1, lambda plan, records: records[0].update(error={"where": "model"})),
    ("$.error.where", 1, lambda plan, records: records[0].update(error={"where": "moon", "what": "x"})),
    ("$.kind", 1, lambda plan, records: records[0].update(kind="row")),
    ("$.id", 1, lambda plan, records: records[0].update(id="date")),
    ("$.more", 1, lambda plan, records: records[0].update(more=1)),
    ("$.cells", 1, lambda plan, records: records.pop(0)),
    ("$", 1, lambda plan, records: records.clear()),
    ("$.kind", 3, lambda plan, records: records[2].update(kind="column")),
    ("$.kind", 3, lambda plan, records: records[2].update(kind=["row"])),
    ("$.row", 4, lambda plan, records: records.insert(2, records[3])),
    ("$.row", 3, lambda plan, records: records[2].update(row=0)),
    ("$.row", 3, lambda plan, records: records[2].update(row=99)),
    ("$.row", 3, lambda plan, records: records[2].update(row=True)),
    ("$.id", 3, lambda plan, records: records[2].update(id="row-2")),
    ("$.group", 3, lambda plan, records: records[2].update(group=None)),
    ("$.group", 3, lambda plan, records: records[2].update(group=1.5)),
    ("$.cells", 3, lambda plan, records: records[2].update(cells={})),
    ("$.cells", 3, lambda plan, records: records[2].update(cells={"x": [1]})),
    ("$.cells", 3, lambda plan, records: records[2].update(cells=[1, 2])),
    ("$.before", 3, lambda plan, records: records[2].update(before="high")),
    ("$.after", 3, lambda plan, records: records[2].update(after=True)),
    ("$.after", 3, lambda plan, records: records[2].update(after=None)),
    ("$.after", 3, lambda plan, records: records[2].pop("after")),
    ("$.validation", 3, lambda plan, records: records[2].pop("validation")),
    ("$.validation.status", 3, lambda plan, records: records[2].update(validation={"status": "invalid"})),
    ("$.validation.status", 3, lambda plan, records: records[2].update(validation=5)),
    ("$.validation.status", 2, lambda plan, records: records[1]["validation"].update(status="valid")),
    ("$.validation.issues", 2, lambda plan, records: records[1]["validation"].update(issues=["validator_error"])),
    ("$.reason", 2, lambda plan, records: records[1].update(reason="unknown")),
    ("$.settings.alpha", None, lambda plan, records: plan["settings"].update(alpha=0.7)),
    ("$.settings.threshold", None, lambda plan, records: plan["settings"].pop("threshold")),
    ("$.settings.colour", None, lambda plan, records: plan["settings"].update(colour="red")),
    ("$.settings.grouped", None, lambda plan, records: plan["settings"].update(grouped=1)),
    ("$.settings.oracle", None, lambda plan, records: plan["settings"].update(oracle=5)),
    ("$.settings.window", None, lambda plan, records: plan["settings"].update(window=0.5)),
    ("$.settings.method", None, lambda plan, records: plan.update(method="t_test")),
    ("$.method", None, lambda plan, records: plan.update(method="")),
    ("$.test", None, lambda plan, records: plan.update(test="growing")),
    ("$.kind", 2, lambda plan, records: plan["settings"].update(oracle=None)),
    ("$.group", 2, lambda plan, records: plan["settings"].update(grouped=False)),
]


@pytest.mark.parametrize(("path", "line", "edit"), EDITS)
def test_what_was_tampered_with_is_refused_with_its_place(path: str, line: int | None, edit: Any) -> None:
    """As damage, never as a fault of the reader."""
    plan, records = documents(RESULT)
    edit(plan, records)
    with pytest.raises(IntegrityError) as caught:
        derived(plan, records)
    problem = caught.value.problems[0]
    assert (problem.path, problem.line) == (path, line)


def test_a_number_that_was_changed_gives_another_result() -> None:
    """Which whoever compares it with the report sees."""
    plan, records = documents(PLAIN)
    records[3]["after"] = 77
    assert derived(plan, records).found != PLAIN.found()


def test_outputs_that_json_cannot_hold_are_records_all_the_same() -> None:
    """By their names."""
    odd_numbers = [float("nan"), float("inf"), float("-inf"), 1.0, -0.0, 2.0]
    result = invariance(lambda rows: odd_numbers, ROWS, column_edits.shifted("x", 1))
    records = list(result.records())
    assert [record["before"] for record in records[1:]] == ["NaN", "Infinity", "-Infinity", 1, 0, 2]
    assert derived(result.plan(), records).found == result.found()


def test_the_least_share_of_a_move_is_part_of_the_plan() -> None:
    """So that the result is derived with it, and another one gives another result."""
    result = increasing(first_of, ROWS, column_edits.shifted("x", 1), output_sensitivity=0.5)
    plan, records = documents(result)
    found = derived(plan, records)
    assert found.found == result.found()
    assert [failure.id for failure in found.failures] == ["row-2", "row-3", "row-4", "row-5"]
    plan["settings"]["output_sensitivity"] = 0
    assert derived(plan, records).failures == ()


def test_a_missing_prediction_of_a_group_is_derived_as_it_was_found() -> None:
    """With the interval of the rows that are left, by their groups."""
    numbers = [1.0, float("nan"), 3.0, 4.0, 5.0, 6.0]
    result = invariance(lambda rows: numbers, ROWS, column_edits.shifted("x", 1), groups=[0, 1, 2, 2, 3, 3])
    assert result.reason == "missing_predictions"
    assert result.row_interval is not None
    assert derived(*documents(result)).found == result.found()
