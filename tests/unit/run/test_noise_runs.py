"""Properties judged against the model's own noise: trials, the exchange test's verdict on each check, and its marks."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

from robust import Case, DecisionRequest, Run, verify
from robust.canon import JsonObject
from tests.property_runs import FLIP, pairs_of, run
from tests.run_fixtures import numbers, right_answer, right_model, sure

CASES = numbers(*(f"number {n}" for n in range(1, 31)))
LIMITS: JsonObject = {**FLIP, "max_tv_distance": 0.1}


def flipping(share: float, *, moved: str | None = None) -> Any:
    """A model that answers wrong so often, by chance; and always where the input holds something."""

    def model(request: DecisionRequest) -> Any:
        right = right_answer(request.input)
        draw = random.Random(f"{request.case_id} {request.trial} {request.input}").random()
        wrong = draw < share or (moved is not None and moved in str(request.input))
        return sure({"yes": "no", "no": "yes"}[right] if wrong else right)

    return model


def _run(folder: Path, properties: JsonObject, model: Any, runs: int = 5, **options: Any) -> Run:
    noise = {"baseline_runs": runs, **options.pop("noise", {})}
    settings: Any = {"fuzz": {"minimize": False}, **options}
    finished = run(folder, properties, settings.pop("cases", CASES), model, noise=noise, **settings)
    assert verify(finished.path).holds
    return finished


def _check(finished: Run, name: str) -> JsonObject:
    (check,) = (check for check in finished.report["checks"] if check["check"] == name)
    return dict(check)


def test_each_case_is_asked_as_often_as_the_contract_says(tmp_path: Path) -> None:
    """The base so often, a transformed one as often as its property has trials; the records keep all of them."""
    asked: dict[str, list[int]] = {}

    def model(request: DecisionRequest) -> Any:
        asked.setdefault(request.case_id, []).append(request.trial)
        return right_model(request)

    properties = {"whitespace": {**LIMITS, "samples": 1, "trials": 3}, "irrelevant_context": {**LIMITS, "samples": 1}}
    finished = _run(tmp_path, properties, model, cases=numbers("number 5"))
    assert asked == {"n1": [0, 1, 2, 3, 4], "whitespace/n1/0": [0, 1, 2], "irrelevant_context/n1/0": [0]}
    decision, *pairs = finished.records()
    assert len(decision["trials"]) == 4
    assert {pair["property"]: len(pair.get("trials", ())) for pair in pairs} == {
        "whitespace": 2,
        "irrelevant_context": 0,
    }
    assert finished.report["base_flips"] == {"rate": 0, "cases": 1, "groups": 1}


def test_b15_a_no_op_property_of_a_noisy_model_is_no_violation(tmp_path: Path) -> None:
    """B15: 20 % random flips; its base flip rate is shown, and what is over the limit is marked as noise."""
    properties = {
        "whitespace": {**LIMITS, "samples": 2, "trials": 3},
        "paraphrase": {**LIMITS, "samples": 2, "trials": 3},
    }
    finished = _run(tmp_path, properties, flipping(0.2), requirements={"max_error_rate": 0})
    for name in properties:
        summary = finished.report["properties"][name]
        assert 0.2 < summary["base_flip_rate"] < 0.45  # 2 · 0.2 · 0.8 of all pairs of trials
        assert summary["flips"] > 0
        for gate in ("max_flip_rate", "max_violation_rate"):
            check = _check(finished, f"{name}.{gate}")
            assert (check["status"], check["noise"]) == ("pass", True)
            assert check["value"] > check["limit"] == 0
            assert check["p_value"] >= 0.05
    assert finished.status == "pass"
    # The same findings without the section are violations.
    plain = run(tmp_path, {"whitespace": {**LIMITS, "samples": 2}}, CASES, flipping(0.2), name="plain")
    assert _check(plain, "whitespace.max_flip_rate")["status"] == "fail"
    assert _check(plain, "whitespace.max_flip_rate")["p_value"] is None
    assert 0 < plain.report["properties"]["whitespace"]["base_flip_rate"] < 0.6


def test_a_real_effect_is_found_through_the_noise(tmp_path: Path) -> None:
    """A model that is noisy, and falls for what is inserted."""
    settings = {**LIMITS, "fragments": ["It rained."], "samples": 2, "trials": 3}
    finished = _run(tmp_path, {"irrelevant_context": settings}, flipping(0.2, moved="rained"))
    for gate in ("max_flip_rate", "max_violation_rate"):
        check = _check(finished, f"irrelevant_context.{gate}")
        assert (check["status"], check["noise"]) == ("fail", False)
        assert check["p_value"] < 0.05
    assert finished.status == "fail"


def test_a_steady_model_holds_without_a_mark(tmp_path: Path) -> None:
    """Nothing is over the limit, so no p value is told."""
    finished = _run(tmp_path, {"whitespace": {**LIMITS, "trials": 2}}, right_model)
    check = _check(finished, "whitespace.max_flip_rate")
    assert (check["status"], check["value"], check["noise"], check["p_value"]) == ("pass", 0, False, None)


def test_what_could_not_have_been_found_is_inconclusive(tmp_path: Path) -> None:
    """One case, two base trials and one transformed: no p value below 5 % was attainable."""

    def model(request: DecisionRequest) -> Any:
        return sure("yes" if "/" in request.case_id else "no")

    finished = _run(
        tmp_path, {"whitespace": {**FLIP, "samples": 1}}, model, runs=2, cases=numbers("number 5", labelled=False)
    )
    check = _check(finished, "whitespace.max_flip_rate")
    assert (check["status"], check["noise"]) == ("inconclusive", False)
    assert check["p_value"] > 0.3
    assert finished.status == "fail"


def test_the_rate_is_over_all_pairs_of_a_base_and_a_transformed_trial(tmp_path: Path) -> None:
    """One of two base trials and two of four transformed ones say yes: half of the eight pairs differ."""

    def model(request: DecisionRequest) -> Any:
        return sure("yes" if request.trial % 2 else "no")

    properties = {"whitespace": {**LIMITS, "samples": 1, "trials": 4}}
    finished = _run(tmp_path, properties, model, runs=2, cases=numbers("number 5", labelled=False))
    assert _check(finished, "whitespace.max_flip_rate")["value"] == 0.5
    assert _check(finished, "whitespace.max_violation_rate")["value"] == 0.5
    # A pair's own comparison is that of the first trials.
    assert pairs_of(finished)[0]["comparison"]["flipped"] is False


def test_the_p_values_of_all_properties_are_adjusted_together(tmp_path: Path) -> None:
    """Holm: with more properties beside it, a finding's p value is larger."""
    settings: JsonObject = {**FLIP, "fragments": ["It rained."], "samples": 1, "trials": 1}

    def model(request: DecisionRequest) -> Any:
        moved = "rained" in str(request.input) and int(request.case_id.split("/")[1][1:]) <= 8
        return sure("yes" if moved else "no")

    cases = numbers(*(f"number {n}" for n in range(1, 31)), labelled=False)
    alone = _run(tmp_path, {"irrelevant_context": settings}, model, runs=2, cases=cases, name="alone")
    others = {name: {**FLIP, "samples": 1} for name in ("whitespace", "option_order", "paraphrase")}
    beside = _run(tmp_path, {"irrelevant_context": settings, **others}, model, runs=2, cases=cases, name="beside")
    found = [_check(finished, "irrelevant_context.max_flip_rate")["p_value"] for finished in (alone, beside)]
    assert found[1] == pytest.approx(4 * found[0], rel=1e-9)


def test_the_same_run_has_the_same_p_values(tmp_path: Path) -> None:
    """What is drawn derives from the run's seed, and with another seed is drawn anew."""
    settings = {"whitespace": {**LIMITS, "samples": 2, "trials": 2}}
    digests = [
        _run(tmp_path, settings, flipping(0.3), name=f"{seed} {at_once}", seed=seed, max_concurrency=at_once).report[
            "checks"
        ]
        for seed, at_once in ((1, 1), (1, 16))
    ]
    assert digests[0] == digests[1]


def test_errors_among_trials_leave_the_others(tmp_path: Path) -> None:
    """A case whose base never answered says nothing, and nothing is invented for a trial that failed."""

    def model(request: DecisionRequest) -> Any:
        if request.trial == 1 or request.case_id == "n1":
            raise TimeoutError("slow")
        return right_model(request)

    finished = _run(tmp_path, {"whitespace": {**LIMITS, "trials": 3}}, model, runs=3, cases=CASES[:4])
    check = _check(finished, "whitespace.max_flip_rate")
    assert (check["status"], check["value"]) == ("pass", 0)
    assert _check(finished, "whitespace.max_error_rate")["status"] == "fail"
    assert finished.report["base_flips"]["cases"] == 3
    first = next(finished.records())
    assert first["trials"] == [{"error": {"kind": "timeout"}}] * 2


def test_a_question_turned_round_is_judged_by_the_answer_that_is_due(tmp_path: Path) -> None:
    """A model that swaps its answer as it should shows nothing against its base trials."""
    rewrites = [{"find": "above", "replace": "below"}]
    properties = {"inversion": {**LIMITS, "rewrites": rewrites, "trials": 3}}
    cases = [Case(f"above {n}", case_id=f"c{n}", source_id=f"c{n}") for n in range(20)]

    def swapping(request: DecisionRequest) -> Any:
        return sure("yes" if "above" in str(request.input) else "no")

    holds = _run(tmp_path, properties, swapping, cases=cases, name="holds")
    assert _check(holds, "inversion.max_flip_rate")["value"] == 0
    stays = _run(tmp_path, properties, lambda _: sure("yes"), cases=cases, name="stays")
    check = _check(stays, "inversion.max_flip_rate")
    assert (check["status"], check["value"]) == ("fail", 1)
