"""Integers that no floating point number holds, as arguments, as outputs and as scores."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest

from robust import (
    NotApplicable,
    Relation,
    UsageError,
    check,
    equivalent,
    judge_bias,
    length_invariant,
    scales_by,
    shifts_by,
    unchanged,
    unit_scaling,
)
from robust.relations.closeness import Tolerance, same

HUGE = 10**400
WRITTEN_OUT = 10**5000
NEXT = Relation("next", lambda number: number + 1, unchanged(), deterministic=True)
ARGUMENTS: dict[str, Callable[[Any], object]] = {
    "k": scales_by,
    "d": shifts_by,
    "rel_tol": lambda value: unchanged(rel_tol=value),
    "abs_tol": lambda value: unchanged(abs_tol=value),
    "threshold": lambda value: equivalent(len, value),
    "factor of units": lambda value: unit_scaling(factor=value),
    "power of units": lambda value: unit_scaling(power=value),
    "factor of lengths": lambda value: length_invariant(factor=value),
    "samples": lambda value: check(len, "a", [NEXT], samples=value),
    "alpha": lambda value: check(len, "a", [NEXT], alpha=value),
    "runs": lambda value: judge_bias(len, [], runs=value),
}


@pytest.mark.parametrize("value", [HUGE, -HUGE, WRITTEN_OUT], ids=["huge", "negative", "of many digits"])
@pytest.mark.parametrize("name", ARGUMENTS)
def test_a_huge_argument_is_refused_in_plain_words(name: str, value: int) -> None:
    """However many digits it has, the message is short."""
    with pytest.raises(UsageError, match="must be") as refused:
        ARGUMENTS[name](value)
    assert len(str(refused.value)) < 300


@pytest.mark.parametrize("number", [HUGE, Fraction(HUGE)], ids=["integer", "fraction"])
def test_huge_outputs_are_compared_exactly(number: Any) -> None:
    """Also with what an assertion makes of them, and with numbers of other kinds."""
    assert check(lambda given: number + given, 0, [NEXT]).verdicts != {"next": "errored"}
    assert unchanged().holds(number, number)
    assert not unchanged().holds(number, number * 2)
    assert scales_by(2.5).holds(number, number * 5 // 2)
    assert not scales_by(2.5).holds(number, number * 3)
    assert shifts_by(0.5).holds(number, number + Fraction(1, 2))
    assert not same(number, 1j, Tolerance())
    assert not same(
        {number},
        {
            number * 2,
        },
        Tolerance(),
    )


def test_a_huge_number_is_scaled_exactly_or_not_at_all() -> None:
    """By an integer it stays one; by a fraction there is none that holds it."""
    relation = unit_scaling(factor=3)
    assert relation.variant([HUGE, 2], 0) == [3 * HUGE, 6]
    with pytest.raises(NotApplicable):
        unit_scaling(factor=2.5).variant([HUGE, 2], 0)


def test_scores_are_compared_whatever_their_size() -> None:
    """The highest is picked."""
    cases = [{"answers": ["x", "yy"]}]
    report = judge_bias(lambda case: [HUGE if answer == "yy" else 1 for answer in case["answers"]], cases)
    assert (report.verdict, report.failed) == ("holds", 0)
    nan = judge_bias(lambda _: [HUGE, float("nan")], cases)
    assert nan.failures[0].detail.endswith("a score is NaN")


def test_a_function_of_picks_that_raises_is_an_error_of_its_case() -> None:
    """The others are judged."""

    def picks(result: str, answers: list[Any]) -> int:
        return answers.index(result)

    cases = [{"answers": ["x", "yy"]}, {"answers": ["a", "bb"]}]
    report = judge_bias(lambda case: "x" if "x" in case["answers"] else "none", cases, picks=picks)
    assert (report.verdict, report.failed, report.tested) == ("errored", 1, 1)
    assert report.failures[0].code == "bad_pick"
    assert "ValueError" in report.failures[0].detail
    with pytest.raises(KeyboardInterrupt):
        judge_bias(lambda _: "x", cases, picks=_interrupting)


def _interrupting(result: Any, answers: list[Any]) -> int:
    raise KeyboardInterrupt
