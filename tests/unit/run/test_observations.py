"""Time, tokens and cost: shown, judged, and in no logical digest."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from robust import CallableBackend, DecisionRequest, verify
from robust.canon import JsonObject
from robust.run.observations import Observations
from tests.run_fixtures import checks_of, logical_records, manifest_of, numbers, run, sure, told
from tests.unit.app.forging import StoredRun, paths_of

SLOW, FAST = {"max_latency_p95_ms": 0}, {"max_latency_p95_ms": 1e9}


def _observed(*observed: JsonObject, decided: bool = True) -> Observations:
    observations = Observations()
    for each in observed:
        observations.add(each, decided=decided)
    return observations


def test_latency_worked_out_by_hand() -> None:
    """Twenty calls of 1 to 20 ms: the 95th percentile lies at 0.05 of the way from 19 to 20."""
    seen = _observed(*[{"latency_ms": float(each)} for each in range(20, 0, -1)])
    assert seen.latency() == {
        "n": 20,
        "mean_ms": 10.5,
        "p50_ms": 10.5,
        "p90_ms": pytest.approx(18.1),
        "p95_ms": pytest.approx(19.05),
        "p99_ms": pytest.approx(19.81),
        "max_ms": 20,
    }
    assert seen.latency_p95() == pytest.approx(19.05)


def test_without_a_call_there_is_no_latency() -> None:
    """Null, not 0."""
    seen = _observed({"latency_ms": 5}, decided=False)
    assert seen.latency() == {"n": 0} | dict.fromkeys(
        ["mean_ms", "p50_ms", "p90_ms", "p95_ms", "p99_ms", "max_ms"], None
    )
    assert seen.latency_p95() is None


@pytest.mark.parametrize("latency", [None, "5", True, -1, 1e300, [5], {"ms": 5}, float("nan"), float("inf"), 10**400])
def test_what_is_no_latency_is_passed_over(latency: Any) -> None:
    """Records may come from anywhere; a sum must not overflow."""
    assert _observed({"latency_ms": latency}, {"latency_ms": 4}).latency()["n"] == 1


@pytest.mark.parametrize(
    "usage", [None, 5, [], {"tokens": "9"}, {"tokens": -9}, {"tokens": True}, {"cost": 1e300}, {"tokens": None}]
)
def test_what_is_no_usage_is_passed_over(usage: Any) -> None:
    """What is not known is null; what is known of others is counted."""
    assert _observed({"usage": {"tokens": 7}}).spending() == {"cached": 0, "tokens": 7, "cost": None}
    assert _observed({"usage": usage}).spending() == {"cached": 0, "tokens": None, "cost": None}
    known = {"latency_ms": 1, "usage": {"tokens": 7, "cost": 0.25}}
    seen = _observed(known, {"latency_ms": 1, "usage": usage}, known, known)
    assert seen.spending() == {"cached": 0, "tokens": 21, "cost": 0.75}


def test_an_answer_from_the_cache_keeps_its_latency_and_costs_nothing() -> None:
    """The call that it took was paid for before."""
    kept = {"latency_ms": 250, "usage": {"tokens": 100, "cost": 1.0}, "cached": True}
    seen = _observed(kept, {"latency_ms": 350, "usage": {"tokens": 10, "cost": 0.5}})
    assert seen.latency()["mean_ms"] == 300
    assert seen.spending() == {"cached": 1, "tokens": 10, "cost": 0.5}


def test_latency_is_over_the_base_cases_that_were_decided(tmp_path: Path) -> None:
    """Neither errors nor variants count."""
    manifest = manifest_of({"total 2000": [("total  2000", "invariant")], "total 30": []})
    model = told({"total 30": TimeoutError("slow")})
    finished = run(tmp_path, model, manifest=manifest, properties={"variants": {}})
    latency = finished.report["observed"]["latency"]
    record = next(finished.records())
    assert latency["n"] == 1
    assert latency["max_ms"] == record["observed"]["latency_ms"]


def test_a_gate_on_time_is_marked_and_decides_the_status_alone(tmp_path: Path) -> None:
    """Neither the logical status nor the evidence knows of it."""
    cases = numbers("number 5", "number 5000")
    requirements = {"min_accuracy": 1}
    slow = run(tmp_path, name="slow", dataset=cases, requirements={**requirements, **SLOW})
    again = run(tmp_path, name="again", dataset=cases, requirements={**requirements, **SLOW})
    assert checks_of(slow)["max_latency_p95_ms"] == "fail"
    check = next(check for check in slow.report["checks"] if check["observed"])
    assert (check["check"], check["interval"], check["needed_groups"]) == ("max_latency_p95_ms", None, None)
    assert (slow.status, slow.exit_code, slow.report["logical_status"]) == ("fail", 1, "pass")
    assert check["value"] == slow.report["observed"]["latency"]["p95_ms"]
    assert logical_records(slow) == logical_records(again)
    assert slow.report["evidence_digest"] == again.report["evidence_digest"]
    assert slow.report["answers_digest"] == again.report["answers_digest"]
    assert verify(slow.path).holds


def test_a_warning_about_time_only_warns(tmp_path: Path) -> None:
    """And a limit that is kept holds."""
    cases = numbers("number 5")
    warned = run(tmp_path, name="warned", dataset=cases, requirements={"min_accuracy": 1}, warnings=SLOW)
    kept = run(tmp_path, name="kept", dataset=cases, requirements={"min_accuracy": 1, **FAST})
    assert (warned.status, warned.report["logical_status"]) == ("warn", "pass")
    assert (kept.status, kept.report["logical_status"]) == ("pass", "pass")


def test_without_a_decided_case_a_gate_on_time_does_not_hold(tmp_path: Path) -> None:
    """It cannot be computed; and the run as a whole is an error."""

    def model(request: DecisionRequest) -> Any:
        raise TimeoutError("slow")

    finished = run(tmp_path, CallableBackend(model), dataset=numbers("number 5"), requirements=FAST)
    assert checks_of(finished)["max_latency_p95_ms"] == "fail"
    assert (finished.status, finished.report["logical_status"]) == ("error", "error")


def test_a_forged_latency_is_found(tmp_path: Path) -> None:
    """E3: in the summary and in the check; both follow from the records."""
    model = CallableBackend(lambda request: sure("yes"), model="m")
    finished = run(tmp_path, model, dataset=numbers("number 5000"), requirements=SLOW)
    forged = StoredRun(finished.path)
    forged.report["observed"]["latency"]["p95_ms"] = 0
    forged.fit_digests()
    assert "$.observed.latency.p95_ms" in paths_of(forged.save())
    forged = StoredRun(run(tmp_path, model, name="other", dataset=numbers("number 5000"), requirements=SLOW).path)
    place = next(index for index, check in enumerate(forged.report["checks"]) if check["observed"])
    forged.report["checks"][place] |= {"value": 0, "status": "pass"}
    forged.report |= {"status": "pass", "exit_code": 0}
    forged.fit_digests()
    assert {f"$.checks[{place}].value", "$.status"} <= paths_of(forged.save())
