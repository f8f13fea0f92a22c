"""What a replayed failure is called, and whether its candidate is made again."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from robust.canon import JsonObject
from robust.errors import UsageError
from robust.records.decision import ErrorKind
from robust.run.property_plan import PropertyPlan, plan_properties
from robust.run.replay_choice import Choice
from robust.run.replay_judge import regenerates
from robust.run.replay_result import SEVERITY, Finding, Tally, status_of
from robust.store.contracts import read_contract
from robust.transforms.of_property import stream_of
from tests.unit.app.fragile import contract_of

MOVED = Finding(None, ["max_tv_distance"])
BOTH = Finding(None, ["max_tv_distance", "max_flip_rate"])
FLIPPED = Finding(None, ["max_flip_rate"])
FINE = Finding(None, [])


def failed(*kinds: ErrorKind) -> Finding:
    """An error, and what led to it."""
    found = Finding.of_errors(*kinds)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("recorded", "found", "status"),
    [
        (MOVED, MOVED, "reproduced"),
        (MOVED, BOTH, "reproduced"),
        (BOTH, FLIPPED, "reproduced"),
        (MOVED, FLIPPED, "differs"),
        (MOVED, FINE, "not_reproduced"),
        (MOVED, failed("timeout"), "error"),
        (MOVED, failed("unavailable"), "error"),
        (failed("timeout"), failed("timeout"), "reproduced"),
        (failed("timeout"), failed("exception"), "error"),
        (failed("timeout"), MOVED, "differs"),
        (failed("timeout"), FINE, "not_reproduced"),
        (failed("unavailable"), failed("unavailable"), "error"),
        (failed("budget_exhausted"), failed("budget_exhausted"), "error"),
        (failed("original_error"), failed("original_error", "exception"), "reproduced"),
        (failed("original_error"), failed("original_error", "unavailable"), "error"),
    ],
)
def test_the_status_says_whether_what_was_recorded_occurs_again(recorded: Finding, found: Finding, status: str) -> None:
    """The same violation or error; another violation; no answer; or nothing broken."""
    assert status_of(recorded, found) == status


def test_no_error_is_no_finding() -> None:
    """And several are the first of them."""
    assert Finding.of_errors(None, None) is None
    assert failed("original_error", "timeout").error == "original_error"


@given(st.lists(st.sampled_from(SEVERITY)))
def test_the_outcome_is_that_of_the_most_serious_result(statuses: list[str]) -> None:
    """And nothing at all is no success."""
    tally = Tally()
    for number, status in enumerate(statuses):
        tally.add({"id": str(number), "status": status, "answers": {}})
    fails = bool({"reproduced", "differs"}.intersection(statuses))
    expected = "fail" if fails else "error" if "error" in statuses or not statuses else "pass"
    assert tally.status == expected


PLANS: dict[str, PropertyPlan] = {plan.name: plan for plan in plan_properties(read_contract(contract_of()))}
BASE: JsonObject = {"case_id": "a", "input": "One sentence. Another one. A third."}


def pair_of(name: str, sample: int) -> JsonObject:
    """The record of a pair as far as it is looked at."""
    made: Any = PLANS[name].transformation.generate(BASE["input"], stream_of(4, name, "a"))
    steps, shown, presentation = made[sample]
    shows = None if presentation is None else [list(pair) for pair in presentation]
    return {"id": "x", "sample": sample, "steps": list(steps), "input": shown, "presentation": shows}


@pytest.mark.parametrize("name", PLANS)
def test_a_candidate_that_the_seed_makes_again_matches_in_every_part(name: str) -> None:
    """Another step, input, presentation, place or seed is another candidate."""
    pair = pair_of(name, 1)
    plan = PLANS[name]
    assert regenerates(plan, BASE, pair, 4)
    # There are only so many orders of three labels, so that one other seed may draw the same.
    assert not all(regenerates(plan, BASE, pair, seed) for seed in range(5, 25))
    assert not all(regenerates(plan, {**BASE, "case_id": str(name)}, pair, 4) for name in range(20))
    assert not regenerates(plan, BASE, {**pair, "sample": 0}, 4)
    assert not regenerates(plan, BASE, {**pair, "sample": 99}, 4)
    assert not regenerates(plan, BASE, {**pair, "steps": [*pair["steps"], {}]}, 4)
    assert not regenerates(plan, BASE, {**pair, "input": "another text"}, 4)
    assert not regenerates(plan, BASE, {**pair, "presentation": [["x", "alpha"]]}, 4)


def test_a_case_that_cannot_be_transformed_any_more_does_not_match() -> None:
    """As when its text is another one."""
    assert not regenerates(PLANS["whitespace"], {**BASE, "input": {"no": "text"}}, pair_of("whitespace", 0), 4)


def decision(case_id: str, **more: Any) -> JsonObject:
    """The record of a base case as far as a choice looks at it."""
    return {"kind": "decision", "id": f"decision/{case_id}", "case_id": case_id, **more}


def test_the_failures_of_the_same_case_are_suggested_first() -> None:
    """However many others there are."""
    choice = Choice(["decision/case 300 "], ())
    for number in range(400):
        choice.add(decision(f"case {number}", error={"kind": "timeout"}))
    with pytest.raises(UsageError, match="did you mean 'decision/case 300'"):
        choice.check()


def test_only_the_first_of_many_wrong_ids_are_named() -> None:
    """Fifty of them."""
    choice = Choice(map(str, range(200)), ())
    choice.add(decision("a", error={"kind": "timeout"}))
    with pytest.raises(UsageError) as caught:
        choice.check()
    assert len(caught.value.problems) == 50


def test_base_cases_are_asked_once_for_all_of_their_failures() -> None:
    """And only those that something failed of."""
    choice = Choice(None, ())
    pair = {"kind": "pair", "property": "whitespace", "steps": [], "validation": None, "violations": ["max_flip_rate"]}
    for record in (
        decision("a", error={"kind": "timeout"}),
        decision("b"),
        {**pair, "id": "whitespace/a/0", "case_id": "a"},
        {**pair, "id": "whitespace/a/1", "case_id": "a"},
        {**pair, "id": "whitespace/b/0", "case_id": "b", "violations": []},
    ):
        choice.add(record)
    choice.check()
    assert (choice.bases, choice.count, choice.pairs) == ({"a"}, 3, 2)
