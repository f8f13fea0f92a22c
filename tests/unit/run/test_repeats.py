"""How often base cases are asked: chosen by the seed and their ids, or all of them where noise is measured."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from robust import DecisionRequest, Run, verify
from robust.canon import JsonObject
from robust.run.repeats import SAMPLED_CASES, Repeats
from robust.store.contracts import read_contract
from tests.property_runs import FLIP, contract, run
from tests.run_fixtures import manifest_of, numbers, right_model, sure, told
from tests.run_fixtures import run as run_golden

WHITESPACE: JsonObject = {"whitespace": {**FLIP, "samples": 1}}


def _repeats(cases: int, *, seed: int = 0, runs: int = 1, judged: bool = True) -> Repeats:
    noise = {"baseline_runs": runs}
    return Repeats(read_contract(contract(WHITESPACE, noise=noise)), seed=seed, cases=cases, judged=judged)


def _trials(finished: Run) -> dict[str, int]:
    return {
        record["case_id"]: 1 + len(record.get("trials", ()))
        for record in finished.records()
        if record["kind"] == "decision"
    }


@given(st.integers(1, SAMPLED_CASES), st.text(max_size=5), st.integers(-5, 5))
def test_of_few_cases_each_is_asked_twice(cases: int, case_id: str, seed: int) -> None:
    """Up to a hundred."""
    assert _repeats(cases, seed=seed).of(case_id) == 2


def test_of_many_cases_about_a_hundred_are_asked_twice() -> None:
    """Others with another seed; which ones does not depend on the order or the others."""
    several = {seed: _repeats(10_000, seed=seed) for seed in (0, 1)}
    chosen = {seed: {n for n in range(10_000) if repeats.of(f"c{n}") == 2} for seed, repeats in several.items()}
    for some in chosen.values():
        assert 50 < len(some) < 150
    assert len(chosen[0] & chosen[1]) < 20
    # With fewer cases at hand, those that were chosen among more stay chosen.
    fewer = _repeats(5_000)
    assert {n for n in chosen[0] if fewer.of(f"c{n}") == 2} == chosen[0]


def test_each_base_is_asked_as_often_as_noise_says() -> None:
    """Whatever their number."""
    assert {_repeats(10_000, runs=5).of(f"c{n}") for n in range(100)} == {5}


def test_where_no_property_is_judged_each_base_is_asked_once(tmp_path: Path) -> None:
    """Golden gates alone need no more, with noise either."""
    assert {_repeats(5, judged=False, runs=runs).of("c") for runs in (1, 7)} == {1}
    golden = run(tmp_path, WHITESPACE, numbers("number 5"), right_model, only="golden", noise={"baseline_runs": 4})
    assert _trials(golden) == {"n1": 1}
    assert golden.report["observed"]["calls"] == 1
    assert golden.report["base_flips"] == {"rate": None, "cases": 0, "groups": 0}
    assert verify(golden.path).holds


def test_trials_stand_in_the_record_and_in_nothing_golden(tmp_path: Path) -> None:
    """The first one is the decision; the base's own flip rate stands beside every property."""
    asked: list[int] = []

    def model(request: DecisionRequest) -> Any:
        asked.append(request.trial)
        if "5000" in str(request.input):
            return sure("yes" if request.trial == 0 else "no")
        return right_model(request)

    cases = numbers("number 5000", "number 5")
    finished = run(tmp_path, {**WHITESPACE, "option_order": FLIP}, cases, model, requirements={"min_accuracy": 1})
    assert _trials(finished) == {"n1": 2, "n2": 2}
    first = next(finished.records())
    assert first["result"]["probabilities"] == {"yes": 0.9, "no": pytest.approx(0.1)}
    assert first["trials"] == [{"probabilities": {"yes": pytest.approx(0.1), "no": 0.9}}]
    assert len(first["observed"]["trials"]) == 1
    assert finished.report["metrics"]["accuracy"]["value"] == 1
    assert finished.report["base_flips"] == {"rate": 0.5, "cases": 2, "groups": 2}
    assert {summary["base_flip_rate"] for summary in finished.report["properties"].values()} == {0.5}
    # Two trials of each base, and one of each of the two pairs of either.
    assert (sorted(asked), finished.report["observed"]["calls"]) == ([0] * 6 + [1] * 2, 8)
    assert verify(finished.path).holds


def test_a_trial_that_fails_is_kept_as_an_error(tmp_path: Path) -> None:
    """The decision stands where the first one was answered, and is an error where it was not; neither can flip."""

    def model(request: DecisionRequest) -> Any:
        if request.trial == ("5000" in str(request.input)):
            raise TimeoutError("slow")
        return right_model(request)

    finished = run(tmp_path, WHITESPACE, numbers("number 5000", "number 5"), model)
    first, second = (record for record in finished.records() if record["kind"] == "decision")
    assert (first["result"]["selected"], first["trials"]) == ("yes", [{"error": {"kind": "timeout"}}])
    assert second["error"] == {"kind": "timeout"}
    assert second["trials"] == [{"probabilities": {"yes": pytest.approx(0.1), "no": 0.9}}]
    assert finished.report["base_flips"] == {"rate": None, "cases": 0, "groups": 0}
    assert verify(finished.path).holds


def test_variants_have_the_bases_own_flip_rate_beside_them(tmp_path: Path) -> None:
    """Variants themselves are decided once."""
    frozen = manifest_of({"total 2000": [("total  2000", "invariant")]})
    finished = run_golden(tmp_path, told({}), manifest=frozen, properties={"variants": {}})
    decision, pair = finished.records()
    assert (len(decision["trials"]), "trials" in pair) == (1, False)
    assert finished.report["properties"]["variants"]["base_flip_rate"] == 0
