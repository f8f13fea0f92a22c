"""Rows L3 to L8: what checks of relations must get right."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from typing import Any

import pytest

from robust import NotApplicable, Relation, assert_robust, check, check_many, scales_by, unchanged


def louder(text: str) -> str:
    return text.upper()


def numbered(text: str, source: random.Random) -> str:
    return f"{text} {source.randrange(10**9)}"


STEADY = Relation("a number behind it changes nothing", numbered, unchanged())


def raises(_: Any) -> str:
    raise ValueError("the judge is out of order")


def test_l3_a_judge_that_always_raises_is_an_error_and_never_passes() -> None:
    """A judge is a system like any other."""
    report = check(raises, "which is better?", [STEADY])
    assert (report.verdicts[STEADY.name], report.broke, report.status) == ("errored", True, "error")
    assert report.exit_code != 0
    assert "the judge is out of order" in report.summary()
    with pytest.raises(AssertionError, match="out of order"):
        assert_robust(raises, "which is better?", [STEADY], allow_inconclusive=True)


def test_l3_a_judge_that_raises_on_every_variant_is_an_error() -> None:
    """That the base can be judged changes nothing."""
    report = check(lambda text: "A" if text == "which?" else raises(text), "which?", [STEADY])
    assert report.verdicts == {STEADY.name: "errored"}
    assert (report.exit_code, report.results[STEADY.name].trials) == (2, 0)


def same(value: Any) -> Any:
    return value


def not_here(_: Any) -> Any:
    raise NotApplicable("nothing to reorder")


@pytest.mark.parametrize(
    ("base", "relation", "options"),
    [
        ("text", STEADY, {"samples": 0}),
        ("", Relation("case", louder, unchanged()), {}),
        ([], Relation("reversed", lambda items: items[::-1], unchanged()), {}),
        ({}, Relation("itself", same, unchanged()), {"deterministic_system": True}),
        ("text", Relation("not here", not_here, unchanged()), {}),
    ],
)
def test_l4_where_nothing_was_tried_nothing_passes(base: Any, relation: Relation, options: dict[str, Any]) -> None:
    """No samples, an empty input, variants that are the input again."""
    report = check(len, base, [relation], **options)
    assert report.verdicts == {relation.name: "vacuous"}
    assert (report.broke, report.status, report.exit_code) == (False, "error", 2)
    with pytest.raises(AssertionError):
        assert_robust(len, base, [relation], **options)


def test_l4_no_relations_and_no_inputs_pass_nothing() -> None:
    """Neither is anything tested."""
    report = check(len, "text", [])
    assert (report.verdicts, report.exit_code, report.calls) == ({}, 2, 0)
    with pytest.raises(AssertionError):
        assert_robust(len, "text", [])
    many = check_many(len, [], [STEADY])
    assert (many.verdicts, many.exit_code) == ({STEADY.name: "vacuous"}, 2)


def breaks(_: str) -> str:
    raise RuntimeError("no such transform today")


@pytest.mark.parametrize("workers", [1, 3])
def test_l5_a_violation_and_an_error_of_another_relation_are_both_reported(workers: int) -> None:
    """Neither hides the other."""
    relations = [Relation("raises", breaks, unchanged()), Relation("case", louder, unchanged(), deterministic=True)]
    report = check(str, "text", relations, deterministic_system=True, workers=workers)
    assert report.verdicts == {"raises": "errored", "case": "violated"}
    assert (report.broke, report.status, report.exit_code) == (True, "fail", 1)
    assert "no such transform today" in report.summary()
    assert [found.relation for found in report.counterexamples] == ["case"]


def test_l5_an_error_in_the_same_relation_does_not_hide_a_violation() -> None:
    """The errors stand beside it."""

    def system(text: str) -> str:
        if text.endswith("3"):
            raise RuntimeError("three")
        return text

    relation = Relation("numbered", numbered, unchanged())
    report = check(system, "text", [relation], deterministic_system=True, early_stop=False, samples=60)
    assert report.verdicts == {"numbered": "violated"}
    assert report.results["numbered"].reason == "errors"
    assert report.errors


def reorder_in_place(items: list[int], source: random.Random) -> list[int]:
    source.shuffle(items)
    return items


@pytest.mark.parametrize("workers", [1, 4])
def test_l6_what_transforms_and_systems_do_to_their_inputs_has_no_effect(workers: int) -> None:
    """Each call has a copy of its own, and the caller's input stays as it was."""
    base = {"items": [3, 1, 2, 5, 4]}
    asked: list[list[int]] = []

    def transform(value: dict[str, list[int]], source: random.Random) -> dict[str, list[int]]:
        reorder_in_place(value["items"], source)
        return value

    def system(value: dict[str, list[int]]) -> list[int]:
        asked.append(list(value["items"]))
        value["items"].sort()
        value["extra"] = []
        return value["items"]

    report = check(system, base, [Relation("order", transform, unchanged())], workers=workers)
    assert base == {"items": [3, 1, 2, 5, 4]}
    assert report.verdicts == {"order": "holds"}
    assert all(sorted(items) == [1, 2, 3, 4, 5] for items in asked)
    assert asked.count([3, 1, 2, 5, 4]) == 5


def test_l6_a_variant_that_the_transform_keeps_is_safe_from_the_system() -> None:
    """A transform may give one and the same object again and again."""
    kept = [1, 2, 3]
    inputs = []

    def system(items: list[int]) -> int:
        inputs.append(list(items))
        items.clear()
        return 1

    check(system, [0], [Relation("kept", lambda _: kept, unchanged())], samples=3)
    assert kept == [1, 2, 3]
    assert inputs[-1] == [1, 2, 3]


def test_l6_an_output_that_the_system_changes_later_is_what_it_was() -> None:
    """Outputs are taken at once."""
    shared: list[str] = []

    def system(text: str) -> list[str]:
        shared.append(text)
        return shared

    relation = Relation("numbered", numbered, unchanged())
    report = check(system, "a", [relation], baseline_runs=2, samples=1)
    assert report.results["numbered"].base == "differs"


PAIRS: list[tuple[Any, Any, bool]] = [
    (math.inf, math.inf, True),
    (math.inf, -math.inf, False),
    (math.inf, 1e308, False),
    (math.nan, math.nan, True),
    (math.nan, 0.0, False),
    (1e-8, 9e-7, False),
    ([0.1 + 0.2], [0.3], True),
    ({"a": [[0.1 + 0.2], "x"]}, {"a": [[0.3], "x"]}, True),
    (-10.0, -1000.0, False),
    (0.0, -0.0, True),
    (0.0, 1e-300, False),
]


@pytest.mark.parametrize(("before", "after", "holds"), PAIRS)
def test_l7_numbers_are_compared_by_a_symmetric_tolerance(before: Any, after: Any, holds: bool) -> None:
    """Also within lists and objects, and the same in both directions."""
    for first, second in ((before, after), (after, before)):
        outputs = {"base": first, "variant": second}
        relation = Relation("other text", lambda _: "variant", unchanged(), deterministic=True)
        report = check(outputs.__getitem__, "base", [relation], deterministic_system=True)
        assert report.verdicts["other text"] == ("holds" if holds else "violated")


def negated(row: dict[str, float]) -> dict[str, float]:
    return {"x": row["x"] * 100}


SYSTEMS: list[Callable[[dict[str, float]], float]] = [lambda row: -row["x"], lambda row: row["x"] - 20]


@pytest.mark.parametrize(("system", "after"), list(zip(SYSTEMS, (-1000.0, 980.0), strict=True)))
def test_l8_a_regression_from_minus_ten_by_far_is_violated(
    system: Callable[[dict[str, float]], float], after: float
) -> None:
    """A relative tolerance of a negative number is not negative."""
    relation = Relation("a hundred times", negated, unchanged(rel_tol=0.1))
    report = check(system, {"x": 10.0}, [relation], deterministic_system=True)
    assert report.verdicts == {"a hundred times": "violated"}
    (found,) = report.counterexamples
    assert (found.before, found.after) == (-10.0, after)


def test_l8_a_negative_output_may_be_scaled() -> None:
    """Which the same numbers are, where that is what is due."""
    scaled = Relation("scales", negated, scales_by(100))
    assert check(lambda row: -row["x"], {"x": 10.0}, [scaled], deterministic_system=True).status == "pass"
