"""The first failures of a run: of each sort some, whatever there is of the others."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from robust.run.failures import MAX_OF_ONE_SORT, Failures

COMPARISON: dict[str, Any] = {
    "relation": "invariant",
    "tv_distance": 0.25,
    "js_divergence": 0.1,
    "max_abs_delta": 0.2,
    "confidence_delta": -0.3,
    "base_selected": "a",
    "variant_selected": "b",
    "flipped": True,
    "level_delta": -1.5,
    "base_correct": True,
    "variant_correct": False,
}


def _pair(number: int, violations: list[str], name: str = "whitespace", **fields: Any) -> dict[str, Any]:
    return {
        "kind": "pair",
        "id": f"{name}/c{number}/0",
        "property": name,
        "input": "one  two\tthree",
        "steps": [{"at": 3, "space": "  "}, {"at": 7, "space": "\t"}],
        "presentation": None,
        "comparison": COMPARISON,
        "violations": violations,
        "reduced": None,
        **fields,
    }


def _error(number: int, kind: str = "timeout", name: str = "whitespace") -> dict[str, Any]:
    return {**_pair(number, [], name), "comparison": None, "error": {"kind": kind}}


def _found(records: list[dict[str, Any]]) -> dict[str, Any]:
    failures = Failures()
    for record in records:
        failures.add(record)
    return failures.to_json()


def test_what_did_not_fail_is_no_failure() -> None:
    """A decision, and a pair that breaks nothing."""
    decision = {"kind": "decision", "id": "decision/c1", "result": {}}
    assert _found([decision, _pair(1, [])]) == {"count": 0, "by_kind": {}, "first": []}


def test_a_failure_says_what_was_broken_and_by_how_much() -> None:
    """In the unit of each limit, without a sign; a changed label is not measured."""
    broken = ["max_tv_distance", "max_confidence_delta", "max_level_decrease", "max_flip_rate"]
    entry = _found([_pair(1, broken)])["first"][0]
    assert entry["violations"] == broken
    assert entry["measured"] == {"max_tv_distance": 0.25, "max_confidence_delta": 0.3, "max_level_decrease": 1.5}
    assert [entry[name] for name in ("property", "base_selected", "variant_selected", "relation")] == [
        *("whitespace", "a", "b", "invariant")
    ]
    assert (entry["base_correct"], entry["variant_correct"], entry["tv_distance"]) == (True, False, 0.25)
    assert (entry["shown"], entry["smallest"], entry["reduced"]) == ("one  two\tthree", None, False)


def test_the_smallest_form_is_shown_with_its_own_effect() -> None:
    """It may fail in another way than the whole."""
    reduced = {
        "steps": [{"at": 7, "space": "\t"}],
        "input": "one two\tthree",
        "presentation": None,
        "comparison": {**COMPARISON, "variant_selected": "c", "tv_distance": 0.5},
        "violations": ["max_flip_rate"],
    }
    entry = _found([_pair(1, ["max_tv_distance"], reduced=reduced)])["first"][0]
    assert entry["variant_selected"] == "b"
    assert entry["smallest"] == {"variant_selected": "c", "tv_distance": 0.5, "violations": ["max_flip_rate"]}
    assert (entry["shown"], entry["edits"]) == ("one two\tthree", [{"at": 7, "space": "\t"}])
    assert entry["edited"] == {"field": None, "at": 7}
    assert entry["reduced"] is True


def test_an_error_has_its_kind() -> None:
    """Of a base case and of a pair."""
    decision = {"kind": "decision", "id": "decision/c1", "error": {"kind": "timeout"}}
    found = _found([decision, _error(1, "original_error")])
    assert found["by_kind"] == {"decision": 1, "whitespace": 1}
    assert found["first"] == [
        {"id": "decision/c1", "property": None, "error": "timeout", "violations": []},
        {"id": "whitespace/c1/0", "property": "whitespace", "error": "original_error", "violations": []},
    ]


@pytest.mark.parametrize("rare", [_pair(7, ["max_tv_distance"]), _error(7), _pair(7, ["max_flip_rate"], "inversion")])
def test_thousands_of_one_sort_do_not_hide_another(rare: dict[str, Any]) -> None:
    """Changed labels do not hide a broken limit, an error, or another property."""
    many = [_pair(number, ["max_flip_rate"]) for number in range(3000)]
    found = _found([*many, rare])
    assert found["count"] == 3001
    assert len(found["first"]) == MAX_OF_ONE_SORT + 1
    assert found["first"][-1]["id"] == rare["id"]


RECORDS = st.builds(
    lambda number, name, sort: _error(number, name=name) if sort is None else _pair(number, sort, name),
    st.integers(0, 99),
    st.sampled_from(["whitespace", "inversion"]),
    st.sampled_from([None, [], ["max_flip_rate"], ["max_tv_distance"], ["max_tv_distance", "max_flip_rate"]]),
)


@given(st.lists(RECORDS, max_size=150), st.lists(st.integers(0, 150), max_size=4))
def test_parts_that_are_counted_apart_come_to_the_whole(records: list[dict[str, Any]], cuts: list[int]) -> None:
    """Wherever the records are divided."""
    places = sorted({0, *(min(cut, len(records)) for cut in cuts), len(records)})
    whole = Failures()
    for start, end in pairwise(places):
        part = Failures()
        for record in records[start:end]:
            part.add(record)
        whole.merge(part)
    assert whole.to_json() == _found(records)
