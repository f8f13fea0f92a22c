"""E3: forged metrics, intervals, reliability rows and label scores are found, and the place is named."""

from __future__ import annotations

from typing import Any

import pytest

from robust import Case
from tests.run_fixtures import contract_of, right_answer, run, sure, told
from tests.unit.app.forging import StoredRun, at, leaves, other, paths_of, put, shown

TEXTS = [f"number {n}" for n in range(990, 1020)]
SECTIONS: dict[str, Any] = {
    "evaluation": {"confidence_threshold": 0.75, "calibration_bins": 4},
    "requirements": {"min_accuracy": 0.9, "max_brier": 0.9, "max_error_rate": 0.5},
    "warnings": {"max_nll": 0.3},
    "statistics": {"judge": "bound"},
}


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> StoredRun:
    """Thirty cases of ten sources, with wrong answers, an error and inconclusive checks."""
    answers: dict[str, Any] = {"number 995": sure("yes", 0.8), "number 1015": sure("no", 0.6)}
    answers["number 1003"] = TimeoutError("slow")
    cases = [
        Case(text, right_answer(text), case_id=f"c{number}", source_id=f"s{number // 3}")
        for number, text in enumerate(TEXTS)
    ]
    folder = tmp_path_factory.mktemp("forged")
    return StoredRun(run(folder, told(answers), contract=contract_of(**SECTIONS), dataset=cases).path)


def test_the_run_has_what_is_forged_here(stored: StoredRun) -> None:
    """Intervals that are numbers, rows with and without cases, and an inconclusive check."""
    assert all(metric["interval"] for name, metric in stored.report["metrics"].items() if name != "ece")
    assert {bool(row["count"]) for row in stored.report["reliability"]} == {True, False}
    assert {check["status"] for check in stored.report["checks"]} >= {"inconclusive", "pass"}
    assert stored.copy().save().holds


@pytest.mark.parametrize("section", ["metrics", "reliability", "per_label", "confusion", "checks"])
def test_no_number_can_be_edited(stored: StoredRun, section: str) -> None:
    """Every one of them, with all digests over it computed again."""
    for path in leaves(stored.report[section], (section,)):
        forged = stored.copy()
        put(forged.report, path, other(at(forged.report, path)))
        forged.fit_digests()
        verified = forged.save()
        assert verified.exit_code == 3, path
        assert shown(path) in paths_of(verified), path
    assert stored.save().holds


def test_a_row_cannot_be_left_out(stored: StoredRun) -> None:
    """Nor an interval be taken away, or given to a metric that has none."""
    edits: list[tuple[tuple[str | int, ...], Any]] = [
        (("reliability",), stored.report["reliability"][1:]),
        (("metrics", "accuracy", "interval"), None),
        (("metrics", "accuracy", "interval"), [0.9]),
        (("metrics", "accuracy", "interval"), ["0.9", "1"]),
        (("metrics", "accuracy", "interval"), [True, True]),
        (("metrics", "ece", "interval"), [0, 1]),
        (("metrics", "accuracy"), None),
        (("metrics",), []),
        (("checks",), {}),
        (("checks", 0), "pass"),
        (("per_label",), {}),
    ]
    for path, value in edits:
        forged = stored.copy()
        put(forged.report, path, value)
        forged.fit_digests()
        verified = forged.save()
        assert verified.exit_code == 3, path
        assert any(found.startswith(shown(path)) for found in paths_of(verified)), path
    assert stored.save().holds


def test_only_the_last_digits_of_an_interval_may_differ(stored: StoredRun) -> None:
    """They depend on the version of a library; from the eighth digit on up nothing does."""
    for change, holds in ((1e-10, True), (-5e-10, True), (2e-8, False)):
        forged = stored.copy()
        for place in (("metrics", "accuracy", "interval"), ("checks", 1, "interval")):
            ends = at(forged.report, place)
            put(forged.report, place, [ends[0] + change, ends[1] - change])
        forged.fit_digests()
        verified = forged.save()
        assert verified.holds == holds, change
        if not holds:
            assert "$.metrics.accuracy.interval[0]" in paths_of(verified)
    assert stored.save().holds


def test_a_value_may_not_differ_in_its_last_digit(stored: StoredRun) -> None:
    """Values are sums, which are exact."""
    for name in ("nll", "brier", "ece", "macro_f1"):
        forged = stored.copy()
        forged.report["metrics"][name]["value"] *= 1 + 2**-51
        forged.fit_digests()
        assert f"$.metrics.{name}.value" in paths_of(forged.save())
    assert stored.save().holds


def test_a_confidence_that_the_contract_does_not_have_is_refused(stored: StoredRun) -> None:
    """An interval of 95 % may not be passed off as one of 99 %."""
    forged = stored.copy()
    forged.report["settings"]["confidence"] = 0.99
    forged.fit_digests()
    assert "$.settings.confidence" in paths_of(forged.save())
    assert stored.save().holds
