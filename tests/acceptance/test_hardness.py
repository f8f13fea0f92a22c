"""Row T14: what is said of a hard case of which one shot could not be measured."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from robust import Case, measure_hardness
from tests.run_fixtures import robust

HARD = Case("What is 17 times 23?", 391, case_id="hard", source_id="products")


@pytest.mark.parametrize("third", ["none", "raises", "nan"])
def test_t14_a_hard_case_with_one_unmeasured_shot_of_three_has_no_failure_rate(tmp_path: Path, third: str) -> None:
    """It is not in the band, whatever the other two say; and the file that says so is verified."""
    answers = [391, 381, {"none": None, "nan": float("nan")}.get(third)]

    def model(case: Case) -> object:
        if len(answers) == 1 and third == "raises":
            raise TimeoutError("no answer")
        return answers.pop(0)

    report = measure_hardness([HARD], model, 3, (0.0, 1.0), output=tmp_path / "h.jsonl")
    (case,) = report
    assert [shot.status for shot in case.shots][:2] == ["passed", "failed"]
    assert case.shots[2].status == ("unmeasured" if third == "none" else "model_error")
    assert (case.failure_rate, case.measured_shots, case.in_band) == (None, 2, False)
    assert list(report.in_band()) == []
    done = robust("verify", tmp_path / "h.jsonl", "-f", "json")
    assert (done.returncode, json.loads(done.stdout)[0]["kind"]) == (0, "hardness")


def test_the_same_case_with_three_measured_shots_is_in_the_band() -> None:
    """So that the row above means something."""
    answers = [391, 381, 381]
    (case,) = measure_hardness([HARD], lambda case: answers.pop(), 3, (0.0, 1.0))
    assert case.in_band
    assert case.failure_rate == pytest.approx(2 / 3)
