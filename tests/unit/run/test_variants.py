"""The property ``variants``: every valid variant is decided once and judged by what its relation says."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from robust import Run, UsageError
from tests.run_fixtures import checks_of, manifest_of, numbers, run, sure, told

# Base and variant text, relation: two that keep the answer, one that changes it.
SAME = {"total 2000": [("total  2000", "invariant")]}
BOTH = {
    "total 2000": [("total  2000", "invariant"), ("total 20", "counterfactual")],
    "total 30": [("total  30", "invariant"), ("total 3000", "counterfactual")],
}
ON: dict[str, Any] = {"max_violation_rate": 0}


def _run(folder: Path, variants: Any, answers: Any, **settings: Any) -> Run:
    return run(folder, told(answers), manifest=manifest_of(variants), properties={"variants": {**ON, **settings}})


def _summary(finished: Run) -> Any:
    return finished.report["properties"]["variants"]


def test_pairs_are_counted_in_a_two_by_two_table_for_each_relation(tmp_path: Path) -> None:
    """T3: a typo variant and a counterfactual in one run, each handled by its own right answer."""
    finished = _run(tmp_path, BOTH, {"total  2000": "no", "total 3000": "no", "total 30": "yes"})
    cells = {
        "base_right_variant_right": 0,
        "base_right_variant_wrong": 0,
        "base_wrong_variant_right": 0,
        "base_wrong_variant_wrong": 0,
    }
    assert _summary(finished)["by_relation"] == {
        "invariant": {**cells, "base_right_variant_wrong": 1, "base_wrong_variant_right": 1},
        "counterfactual": {**cells, "base_right_variant_right": 1, "base_wrong_variant_wrong": 1},
    }


def test_a_violation_is_a_right_base_with_a_wrong_variant(tmp_path: Path) -> None:
    """The rate is over pairs whose base is right, here two, of which one is violated."""
    finished = _run(tmp_path, BOTH, {"total  2000": "no", "total 30": "yes"})
    summary = _summary(finished)
    shown = {
        name: summary[name]
        for name in ("planned", "compared", "violations", "eligible", "violation_rate", "groups_violating")
    }
    assert shown == {
        "planned": 4,
        "compared": 4,
        "violations": 1,
        "eligible": 2,
        "violation_rate": 0.5,
        "groups_violating": 1,
    }
    assert checks_of(finished)["variants.max_violation_rate"] == "fail"
    assert [failure["id"] for failure in finished.failures] == ["variants/b1/0"]


def test_flips_are_counted_over_invariant_pairs_alone(tmp_path: Path) -> None:
    """A counterfactual is supposed to flip."""
    finished = _run(tmp_path, BOTH, {"total  2000": "no"}, max_flip_rate=0.5, max_violation_rate=1)
    summary = _summary(finished)
    assert (summary["flips"], summary["flip_rate"]) == (1, 0.5)
    assert checks_of(finished)["variants.max_flip_rate"] == "pass"
    strict = _run(tmp_path / "strict", BOTH, {"total  2000": "no"}, max_flip_rate=0.49, max_violation_rate=1)
    assert checks_of(strict)["variants.max_flip_rate"] == "fail"


def test_a_model_that_never_changes_its_answer_fails_counterfactuals(tmp_path: Path) -> None:
    """Invariance alone would call it robust."""
    finished = _run(tmp_path, {"total 2000": [("total 20", "counterfactual")]}, {"total 20": "yes"}, max_flip_rate=0)
    assert checks_of(finished)["variants.max_violation_rate"] == "fail"
    assert checks_of(finished)["variants.max_flip_rate"] == "inconclusive"


def test_without_a_right_base_the_violation_rate_is_inconclusive(tmp_path: Path) -> None:
    """Which does not hold."""
    finished = _run(tmp_path, SAME, {"total 2000": "no", "total  2000": "no"})
    assert checks_of(finished)["variants.max_violation_rate"] == "inconclusive"
    assert (finished.status, finished.exit_code) == ("fail", 1)


def test_two_wrong_answers_that_agree_can_be_limited(tmp_path: Path) -> None:
    """They look invariant; the 2x2 table and a gate of their own show them."""
    finished = _run(tmp_path, SAME, {"total 2000": "no", "total  2000": "no"}, max_agreed_error_rate=0.5)
    assert _summary(finished)["agreed_error_rate"] == 1
    assert checks_of(finished)["variants.max_agreed_error_rate"] == "fail"


def test_the_accuracy_of_variants_can_be_required(tmp_path: Path) -> None:
    """Over variants with a known answer, here three of four, right on the limit."""
    limits = {"max_violation_rate": 1, "min_variant_accuracy": 0.75}
    assert checks_of(_run(tmp_path, BOTH, {"total 20": "yes"}, **limits))["variants.min_variant_accuracy"] == "pass"
    worse = {"total 20": "yes", "total 3000": "no"}
    assert checks_of(_run(tmp_path / "worse", BOTH, worse, **limits))["variants.min_variant_accuracy"] == "fail"


@pytest.mark.parametrize(("moved", "holds"), [(0.67, True), (0.73, True), (0.669, False), (0.731, False)])
def test_a_move_of_exactly_the_limit_holds(tmp_path: Path, moved: float, holds: bool) -> None:
    """B13: max_tv_distance 0.03, and rounding never decides."""
    answers = {"total 2000": sure("yes", 0.7), "total  2000": sure("yes", moved)}
    finished = _run(tmp_path, SAME, answers, max_tv_distance=0.03)
    assert (checks_of(finished)["variants.max_violation_rate"] == "pass") is holds
    assert _summary(finished)["max_tv_distance"] == pytest.approx(abs(moved - 0.7), abs=1e-12)


def test_distribution_limits_judge_invariant_pairs_whose_base_is_wrong_too(tmp_path: Path) -> None:
    """The distribution moved, whoever was right."""
    answers = {"total 2000": sure("no", 0.9), "total  2000": sure("no", 0.6)}
    finished = _run(tmp_path, SAME, answers, max_tv_distance=0.1)
    record = list(finished.records())[-1]
    assert record["violations"] == ["max_tv_distance"]
    assert _summary(finished)["violation_rate"] == 1


def test_a_variant_whose_base_failed_is_not_sent(tmp_path: Path) -> None:
    """Its record is an original_error, the other pair goes on, and the property's error check fails.

    Each base is asked twice, for the model's own flip rate.
    """
    asked: list[str] = []

    def model(request: Any) -> Any:
        asked.append(request.case_id)
        if request.case_id == "b1":
            raise ConnectionError("down")
        return sure("no")

    variants = {"total 2000": [("total  2000", "invariant")], "total 30": [("total  30", "invariant")]}
    finished = run(tmp_path, told({}, model), manifest=manifest_of(variants), properties={"variants": ON})
    assert sorted(asked) == ["b1", "b1", "b2", "b2", "b2-v1"]
    pairs = [record for record in finished.records() if record["kind"] == "pair"]
    assert [pair.get("error") for pair in pairs] == [{"kind": "original_error"}, None]
    assert (pairs[0]["comparison"], pairs[0]["violations"]) == (None, [])
    assert finished.report["observed"]["calls"] == 5
    assert checks_of(finished)["variants.max_error_rate"] == "fail"


def test_a_variant_that_fails_is_an_error_of_its_pair(tmp_path: Path) -> None:
    """Compared are the others."""
    finished = _run(tmp_path, BOTH, {"total 20": TimeoutError("slow")})
    assert (_summary(finished)["errors"], _summary(finished)["compared"]) == (1, 3)
    assert checks_of(finished)["variants.max_error_rate"] == "fail"
    (failure,) = finished.failures
    assert (failure["id"], failure["error"], failure["violations"]) == ("variants/b1/1", "timeout", [])


def test_a_split_without_variants_does_not_pass(tmp_path: Path) -> None:
    """Nothing was compared, so nothing was shown."""
    finished = run(tmp_path, manifest=manifest_of({"total 2000": []}), properties={"variants": ON})
    assert checks_of(finished)["variants.max_error_rate"] == "fail"
    assert finished.status == "fail"


def test_variants_need_a_manifest(tmp_path: Path) -> None:
    """A data set has none; disabled, or for golden gates alone, it will do."""
    with pytest.raises(UsageError) as caught:
        run(tmp_path, dataset=numbers("number 5"), properties={"variants": ON})
    assert caught.value.code == "no_variants"
    assert not (tmp_path / "run").exists()
    gates = {"min_accuracy": 1}
    off = run(tmp_path, dataset=numbers("number 5"), properties={"variants": {"enabled": False}}, requirements=gates)
    golden = run(
        tmp_path,
        name="golden",
        dataset=numbers("number 5"),
        properties={"variants": ON},
        requirements=gates,
        only="golden",
    )
    assert (off.status, golden.status) == ("pass", "pass")


def test_a_warning_level_property_warns_but_its_errors_still_fail(tmp_path: Path) -> None:
    """The error check is a requirement whatever the level."""
    warned = _run(tmp_path, SAME, {"total  2000": "no"}, level="warning")
    assert (warned.status, checks_of(warned)["variants.max_violation_rate"]) == ("warn", "warn")
    broken = _run(tmp_path / "broken", SAME, {"total  2000": TimeoutError()}, level="warning")
    assert broken.status == "fail"


def test_variants_of_other_splits_are_not_run(tmp_path: Path) -> None:
    """Each split has its own bases and variants."""
    frozen = manifest_of(BOTH, splits={"dev": ["b1", "b1-v1", "b1-v2"], "test": ["b2", "b2-v1", "b2-v2"]})
    finished = run(tmp_path, manifest=frozen, split="test", properties={"variants": ON})
    assert {record["case_id"] for record in finished.records()} == {"b2"}
    assert [record["id"] for record in finished.records()] == ["decision/b2", "variants/b2/0", "variants/b2/1"]
