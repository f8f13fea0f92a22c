"""The checks of a property: each kind on both sides of its limit, and nothing that passes with nothing shown."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from robust import Case, DecisionRequest, Run, verify
from robust.canon import JsonObject
from tests.property_runs import Judge, fragile, run, words
from tests.property_runs import install_words as install
from tests.run_fixtures import checks_of, numbers, right_model, sure

HOUSE: JsonObject = {"default": {"provider": "house"}}
FRAGMENTS = ["It rained.", "It snowed."]
# Ten cases with four candidates each: every fragment at either end.
CASES = numbers(*(f"number {n}" for n in range(10)))


def _run(folder: Path, settings: JsonObject, model: Any = right_model, **options: Any) -> Run:
    properties = {"irrelevant_context": {"fragments": FRAGMENTS, "samples": 4, **settings}}
    finished = run(folder, properties, options.pop("cases", CASES), model, **options)
    assert verify(finished.path).holds
    return finished


def _checks(finished: Run) -> dict[str, tuple[str, Any]]:
    return {
        check["check"].removeprefix("irrelevant_context."): (check["status"], check["value"])
        for check in finished.report["checks"]
        if check["check"].startswith("irrelevant_context.")
    }


@pytest.mark.parametrize(
    ("settings", "checks"),
    [
        ({"max_flip_rate": 0}, {"max_flip_rate", "max_error_rate"}),
        ({"max_tv_distance": 0.1}, {"max_violation_rate", "max_error_rate"}),
        (
            {"max_js_divergence": 1, "max_flip_rate": 0, "max_group_violation_rate": 1},
            {"max_violation_rate", "max_flip_rate", "max_group_violation_rate", "max_error_rate"},
        ),
        (
            {"max_abs_delta": 1, "min_valid_rate": 0.5, "max_unknown_rate": 0.5},
            {"max_violation_rate", "min_valid_rate", "max_unknown_rate", "max_error_rate"},
        ),
    ],
)
def test_a_property_has_the_checks_that_are_set_and_one_that_always_is(
    tmp_path: Path, settings: JsonObject, checks: set[str]
) -> None:
    """The violation rate wherever a single pair can be a violation; the error rate always."""
    finished = _run(tmp_path, settings, oracles=HOUSE, validators={"house": Judge()})
    assert set(_checks(finished)) == checks
    assert {status for status, _ in _checks(finished).values()} == {"pass"}


@pytest.mark.parametrize(("limit", "status"), [(0.5, "pass"), (0.49, "fail")])
def test_the_rate_of_violations_is_over_all_pairs(tmp_path: Path, limit: float, status: str) -> None:
    """Twenty of forty; the limit itself holds."""
    settings = {"max_tv_distance": 0.1, "max_violation_rate": limit}
    finished = _run(tmp_path, settings, fragile("snowed"), fuzz={"minimize": False})
    assert _checks(finished) == {"max_violation_rate": (status, 0.5), "max_error_rate": ("pass", 0)}
    assert (finished.status, finished.exit_code) == ({"pass": "pass", "fail": "fail"}[status], int(status == "fail"))
    summary = finished.report["properties"]["irrelevant_context"]
    assert (summary["violations"], summary["groups"], summary["groups_violating"]) == (20, 10, 10)


@pytest.mark.parametrize(("limit", "status"), [(0.5, "pass"), (0.49, "fail")])
def test_the_rate_of_flips_is_over_all_pairs(tmp_path: Path, limit: float, status: str) -> None:
    """A flip alone is no violation, but is listed as a failure."""
    finished = _run(tmp_path, {"max_flip_rate": limit}, fragile("snowed"), fuzz={"minimize": False})
    assert _checks(finished) == {"max_flip_rate": (status, 0.5), "max_error_rate": ("pass", 0)}
    summary = finished.report["properties"]["irrelevant_context"]
    assert (summary["flips"], summary["violations"], summary["failures"]) == (20, 0, 20)


@pytest.mark.parametrize(
    ("limit", "field"),
    [
        ("max_tv_distance", "tv_distance"),
        ("max_js_divergence", "js_divergence"),
        ("max_abs_delta", "max_abs_delta"),
        ("max_confidence_delta", "confidence_delta"),
    ],
)
def test_each_limit_on_a_pair_is_on_its_own_distance(tmp_path: Path, limit: str, field: str) -> None:
    """The largest distance of all pairs holds as the limit; a little less does not."""

    def moving(request: DecisionRequest) -> Any:
        return sure("no", 0.7 if "snowed" in str(request.input) else 0.8)

    found = _run(tmp_path, {limit: 1}, moving, name="first").report["properties"]["irrelevant_context"]
    largest = found[
        {
            "tv_distance": "max_tv_distance",
            "js_divergence": "max_js_divergence",
            "confidence_delta": "max_confidence_delta",
        }.get(field, field)
    ]
    assert 0 < largest < 0.2
    for name, value, status in (("holds", largest, "pass"), ("breaks", largest - 1e-6, "fail")):
        finished = _run(tmp_path, {limit: value}, moving, name=name, fuzz={"minimize": False})
        assert checks_of(finished)["irrelevant_context.max_violation_rate"] == status


@pytest.mark.parametrize(("cases", "status"), [(59, "pass"), (58, "fail")])
def test_groups_are_judged_on_their_exact_upper_bound(tmp_path: Path, cases: int, status: str) -> None:
    """Without a violation 59 source groups show at most 5 % at 95 % confidence; one less does not."""
    settings = {"max_tv_distance": 0.1, "max_group_violation_rate": 0.05, "samples": 1}
    finished = _run(tmp_path, settings, cases=numbers(*(f"number {n}" for n in range(cases))))
    assert _checks(finished)["max_group_violation_rate"][0] == status


def test_a_group_with_many_violations_counts_once(tmp_path: Path) -> None:
    """All cases of one source: the bound is over a single group, whatever number of pairs."""
    one = [Case(f"number {n}", case_id=f"c{n}", source_id=("Source", "source ")[n % 2]) for n in range(8)]
    settings = {"max_tv_distance": 0.1, "max_violation_rate": 1, "max_group_violation_rate": 0.99}
    finished = _run(tmp_path, settings, fragile("snowed"), cases=one, fuzz={"minimize": False})
    summary = finished.report["properties"]["irrelevant_context"]
    assert (summary["violations"], summary["groups"], summary["groups_violating"]) == (16, 1, 1)
    assert _checks(finished)["max_group_violation_rate"] == ("fail", 1)


@pytest.mark.parametrize(
    ("settings", "check", "status"),
    [
        ({"min_valid_rate": 0.25}, "min_valid_rate", "pass"),
        ({"min_valid_rate": 0.26}, "min_valid_rate", "fail"),
        ({"max_unknown_rate": 0.25}, "max_unknown_rate", "pass"),
        ({"max_unknown_rate": 0.24}, "max_unknown_rate", "fail"),
    ],
)
def test_how_many_candidates_are_valid_can_be_required(
    tmp_path: Path, settings: JsonObject, check: str, status: str
) -> None:
    """Half are invalid, a quarter unknown, a quarter valid; the rates are over all that were judged."""
    judge = Judge(invalid="snowed", unknown="It rained. number")
    finished = _run(tmp_path, {"max_flip_rate": 0, **settings}, oracles=HOUSE, validators={"house": judge})
    assert _checks(finished)[check] == (status, 0.25)
    assert finished.status == status


def test_a_warning_level_property_only_warns(tmp_path: Path) -> None:
    """But that its error check is a requirement."""
    settings = {"max_flip_rate": 0, "level": "warning"}
    finished = _run(tmp_path, settings, fragile("snowed"), fuzz={"minimize": False})
    assert _checks(finished)["max_flip_rate"] == ("warn", 0.5)
    assert (finished.status, finished.exit_code) == ("warn", 0)
    levels = {check["check"]: check["level"] for check in finished.report["checks"]}
    assert levels["irrelevant_context.max_flip_rate"] == "warning"
    assert levels["irrelevant_context.max_error_rate"] == "requirement"


@pytest.mark.parametrize("level", ["requirement", "warning"])
def test_nothing_transformed_does_not_hold(tmp_path: Path, level: str) -> None:
    """T2: every case was skipped, so nothing was shown; as a warning, too."""
    cases = [Case({"n": n}, case_id=f"c{n}", source_id=f"c{n}") for n in range(3)]
    finished = _run(tmp_path, {"max_flip_rate": 1, "level": level}, lambda _: sure("yes"), cases=cases)
    assert _checks(finished)["max_error_rate"] == ("fail", None)
    assert finished.status == "fail"
    summary = finished.report["properties"]["irrelevant_context"]
    assert (summary["planned"], summary["skipped"], summary["compared"], summary["flip_rate"]) == (0, 3, 0, None)


@pytest.mark.parametrize("judge", [Judge(invalid="It"), Judge(unknown="It")], ids=["invalid", "unknown"])
def test_nothing_valid_does_not_hold(tmp_path: Path, judge: Judge) -> None:
    """T2: zero usable variants never pass, whatever limits are set."""
    settings = {"max_flip_rate": 1, "max_tv_distance": 1, "max_violation_rate": 1, "max_group_violation_rate": 1}
    finished = _run(tmp_path, settings, oracles=HOUSE, validators={"house": judge})
    assert {status for status, _ in _checks(finished).values()} == {"fail"}
    assert _checks(finished)["max_error_rate"] == ("fail", None)
    assert finished.status == "fail"


def test_nothing_worded_does_not_hold(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A paraphraser that has no words for any case."""
    install(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    properties = {"paraphrase": {"max_flip_rate": 1, "source": words(tmp_path, {})}}
    finished = run(tmp_path, properties, CASES, right_model)
    assert checks_of(finished)["paraphrase.max_error_rate"] == "fail"
    assert finished.report["properties"]["paraphrase"]["skipped_by_reason"] == {"no_paraphrase": 10}


def test_one_error_is_too_many(tmp_path: Path) -> None:
    """Of forty pairs one that fails; the other checks are over those that were compared."""

    def model(request: DecisionRequest) -> Any:
        if request.case_id == "irrelevant_context/n3/2":
            raise TimeoutError("slow")
        return right_model(request)

    finished = _run(tmp_path, {"max_flip_rate": 0}, model)
    assert _checks(finished) == {"max_flip_rate": ("pass", 0), "max_error_rate": ("fail", 1 / 40)}


def test_two_wrong_answers_that_agree_are_seen(tmp_path: Path) -> None:
    """Right and wrong of base and variant, where the answer is known."""

    def model(request: DecisionRequest) -> Any:
        if "number 7" in str(request.input):
            return sure("yes")  # wrong both times
        return fragile("snowed")(request)

    cases = [*numbers("number 7", "number 8"), Case("number 9", case_id="free", source_id="free")]
    finished = _run(tmp_path, {"max_flip_rate": 1}, model, cases=cases)
    assert finished.report["properties"]["irrelevant_context"]["answers"] == {
        "base_right_variant_right": 2,
        "base_right_variant_wrong": 2,
        "base_wrong_variant_right": 0,
        "base_wrong_variant_wrong": 4,
    }


def test_only_the_properties_are_judged_where_only_they_are_asked_for(tmp_path: Path) -> None:
    """Golden gates are not, though the bases are asked."""
    finished = _run(tmp_path, {"max_flip_rate": 0}, only="properties", requirements={"min_accuracy": 1})
    assert set(checks_of(finished)) == {"irrelevant_context.max_flip_rate", "irrelevant_context.max_error_rate"}
    assert finished.report["mode"] == "properties"


def test_candidates_are_in_no_golden_metric(tmp_path: Path) -> None:
    """Ten cases are ten cases."""
    finished = _run(tmp_path, {"max_flip_rate": 1}, fragile("It"), requirements={"min_accuracy": 1})
    assert finished.report["counts"]["cases"] == finished.report["metrics"]["accuracy"]["n"] == 10
    assert finished.report["metrics"]["accuracy"]["value"] == 1
