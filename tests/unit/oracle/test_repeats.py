"""Oracles that are asked more than once."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any

from robust import Case, OracleVerdict
from tests.builders import judged, saying, verdict


def in_turn(answers: Iterable[Any]) -> Callable[[Case, Case], OracleVerdict]:
    turns = iter(answers)

    def oracle(base: Case, candidate: Case) -> OracleVerdict:
        answer = next(turns)
        if isinstance(answer, Exception):
            raise answer
        return answer  # type: ignore[no-any-return]

    return oracle


def test_an_oracle_that_agrees_with_itself_is_fine_whatever_its_reason() -> None:
    """Reasons and evidence may differ; the first verdict is kept."""
    oracle = in_turn(verdict(reason=f"reason {number}", evidence={"n": number}) for number in range(5))
    validation = judged(oracle, repeats=5)
    assert validation.status == "valid"
    assert validation.data["verdict"]["reason"] == "reason 0"
    assert validation.data["oracle"]["repeats"] == 5


def test_an_oracle_that_contradicts_itself_is_flaky_and_shown_to_be() -> None:
    """The distinct triples are kept, each once."""
    oracle = in_turn([verdict(), verdict(variant=8), verdict(), verdict(None), verdict(variant=8)])
    validation = judged(oracle, repeats=5)
    assert validation.issues == ("validator_flaky",)
    assert validation.data["failures"][0]["detail"] == [
        {"valid": True, "base_expected": 6, "variant_expected": 7},
        {"valid": True, "base_expected": 6, "variant_expected": 8},
        {"valid": None, "base_expected": 6, "variant_expected": 7},
    ]


def test_one_number_in_two_spellings_is_no_contradiction() -> None:
    """7 and 7.0 are one answer."""
    assert judged(in_turn([verdict(), verdict(variant=7.0)]), repeats=2).status == "valid"


def test_one_failure_among_good_answers_is_enough() -> None:
    """An oracle that fails once of three times is not to be relied on."""
    validation = judged(in_turn([verdict(), ValueError("once"), verdict()]), repeats=3)
    assert validation.issues == ("validator_error",)
    assert validation.data["verdict"] is not None


def test_the_same_failure_each_time_is_kept_once() -> None:
    """Five equal failures are one entry."""
    validation = judged(saying(verdict(evidence={"a": 1, "b": math.inf})), repeats=5)
    assert len(validation.data["failures"]) == 1


def test_the_oracle_is_asked_exactly_as_often_as_said() -> None:
    """Not more often, and not less when it fails at once."""
    calls: list[str] = []

    def oracle(base: Case, candidate: Case) -> OracleVerdict:
        calls.append(candidate.case_id)
        raise ValueError

    judged(oracle, repeats=4)
    assert len(calls) == 4
