"""Transforms that leave their input as it is are given one copy for all samples; nobody can tell."""

from __future__ import annotations

from typing import Any

import pytest

from robust import check, order_invariant, unchanged

QUESTION = {"ask": "Which is a fish?", "options": [["eel"], ["yak"], ["hen"], ["ant"]], "seen": {"by": [1]}}


def spoiled(given: Any) -> str:
    """A system that changes all that it gets."""
    options = given["options"] if isinstance(given, dict) else given
    for option in options:
        if isinstance(option, list):
            option.append("spoiled")
    options.clear()
    if isinstance(given, dict):
        given["seen"]["by"].append(2)
    return "eel"


@pytest.mark.parametrize("given", [QUESTION, QUESTION["options"], ["eel", "yak", "hen", "ant"], [1, 2, 3, 4]])
@pytest.mark.parametrize("reorder", ["shuffle", "rotate", "reverse"])
def test_a_system_that_spoils_its_input_changes_no_other_variant(given: Any, reorder: Any) -> None:
    """Each variant is the one that the relation makes of the input alone."""
    field = "options" if isinstance(given, dict) else None
    relation = order_invariant(field, reorder=reorder, assertion=unchanged())
    asked: list[Any] = []

    def system(variant: Any) -> str:
        asked.append(repr(variant))
        return spoiled(variant)

    report = check(system, given, [relation], samples=12, baseline_runs=1)
    variants = [repr(relation.variant(given, sample)) for sample in range(12)]
    assert report.verdicts == {relation.name: "holds"}
    assert asked[0] == repr(given)
    assert asked[1:] == list(dict.fromkeys(variants if reorder != "reverse" else variants[:1]))


def test_a_getter_that_changes_what_it_looks_at_is_given_a_copy_each_time() -> None:
    """It is the caller's own, and may do anything."""

    def get(given: Any) -> Any:
        given["seen"]["by"].append(0)
        return given["options"]

    def put(given: Any, part: Any) -> Any:
        return {**given, "options": part}

    found: list[Any] = []

    def system(variant: Any) -> str:
        found.append(variant["seen"]["by"])
        return "eel"

    check(system, QUESTION, [order_invariant(get=get, set=put)], samples=5, baseline_runs=1)
    assert found[0] == [1]
    assert found[1:] == [[1, 0]] * (len(found) - 1)
    assert len(found) > 2
