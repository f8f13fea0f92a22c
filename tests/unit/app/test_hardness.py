"""Measuring how hard cases are: every shot is kept, and a rate is given only where all were measured."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from robust import (
    Case,
    HardnessExit,
    HardnessInterrupted,
    HardnessReport,
    Manifest,
    Validation,
    measure_hardness,
    verify,
)
from robust.canon import canonical_bytes, digest_value, parse_canonical
from robust.errors import CaseError, DataError, IntegrityError, RobustError, UsageError

SUMS = [Case(f"What is {n} plus 1?", n + 1, case_id=f"c{n}", source_id="sums") for n in range(5)]


def right(case: Case) -> int:
    """Always right, from the text alone."""
    assert case.expected is None
    return int(str(case.input).split()[2]) + 1


def measured(model: Any, cases: Any = None, shots: int = 3, **settings: Any) -> HardnessReport:
    return measure_hardness(SUMS if cases is None else cases, model, shots, (0.2, 0.8), **settings)


def statuses(report: HardnessReport) -> list[list[str]]:
    return [[shot.status for shot in case.shots] for case in report]


def by_turns(*answers: Any) -> Callable[[Case], Any]:
    """A model that gives these answers in turn, whatever it is asked; exceptions are raised."""
    left = list(answers)

    def model(case: Case) -> Any:
        answer = left.pop(0)
        if isinstance(answer, BaseException):
            raise answer
        return answer

    return model


def test_a_rate_is_the_share_of_shots_that_failed() -> None:
    """And the band includes both its ends."""
    report = measure_hardness(SUMS[:1], by_turns(1, 0, 1, 1, 1), shots=5, band=(0.2, 0.2))
    (case,) = report
    assert (case.failure_rate, case.measured_shots, case.in_band) == (0.2, 5, True)
    assert [shot.answer for shot in case.shots] == [1, 0, 1, 1, 1]
    assert report.counts["in_band"] == len(list(report.in_band())) == 1


@pytest.mark.parametrize(
    ("answer", "status"),
    [
        (1, "passed"),
        (2, "failed"),
        ("one", "failed"),
        (None, "unmeasured"),
        (ValueError("no"), "model_error"),
        (asyncio.CancelledError(), "model_error"),
        (GeneratorExit(), "model_error"),
        (float("nan"), "model_error"),
        ([float("inf")], "model_error"),
        ({1: 2}, "model_error"),
        (object(), "model_error"),
        ("\ud800", "model_error"),
        ("x" * 2_000_000, "model_error"),
    ],
)
def test_what_a_model_does_is_a_status(answer: Any, status: str) -> None:
    """Of one shot; with an error what it was, and without it nothing."""
    (case,) = measured(by_turns(answer, 1, 2), SUMS[:1])
    assert case.shots[0].status == status
    assert (case.shots[0].detail is not None) == (status == "model_error")
    assert (case.failure_rate is None) == (status not in ("passed", "failed"))


@pytest.mark.parametrize(
    ("said", "status"),
    [
        (True, "passed"),
        (False, "failed"),
        (None, "unmeasured"),
        (1, "judge_error"),
        ("yes", "judge_error"),
        (KeyError("x"), "judge_error"),
    ],
)
def test_what_a_judge_says_is_a_status(said: Any, status: str) -> None:
    """It sees the expected answer, and gets a copy of the model's."""

    def judge(case: Case, answer: Any) -> Any:
        assert case.expected == 1
        answer.append("changed")
        if isinstance(said, Exception):
            raise said
        return said

    (case,) = measured(lambda case: ["an answer"], SUMS[:1], judge=judge)
    assert [shot.status for shot in case.shots] == [status] * 3
    assert case.shots[0].answer == ["an answer"]


def test_without_an_expected_answer_nothing_is_measured() -> None:
    """And the case is in no band."""
    (case,) = measured(right, [SUMS[0].with_expected(None)])
    assert ({shot.status for shot in case.shots}, case.failure_rate, case.in_band) == ({"unmeasured"}, None, False)


def test_a_comparator_says_how_answers_are_compared() -> None:
    """Of an expected answer that it cannot read nothing is right."""
    assert statuses(measured(lambda case: "1.0", SUMS[:1], comparator="number")) == [["passed"] * 3]
    assert statuses(measured(lambda case: "about 1", SUMS[:1], comparator="number")) == [["failed"] * 3]
    assert statuses(measured(lambda case: 1, [SUMS[0].with_expected("one")], comparator="number")) == [
        ["unmeasured"] * 3
    ]


def test_asynchronous_models_and_judges_are_awaited_also_within_a_loop() -> None:
    """As in a notebook."""

    async def model(case: Case) -> int:
        await asyncio.sleep(0)
        return right(case)

    async def judge(case: Case, answer: Any) -> bool:
        await asyncio.sleep(0)
        return bool(answer == case.expected)

    async def inside() -> HardnessReport:
        return measured(model, judge=judge, workers=2)

    assert statuses(asyncio.run(inside())) == [["passed"] * 3] * 5


@pytest.mark.parametrize("workers", [1, 4])
def test_the_report_is_in_the_order_of_the_cases(workers: int) -> None:
    """Whoever is done first."""
    report = measured(right, workers=workers)
    assert [case.case_id for case in report] == [case.case_id for case in SUMS]
    assert report.digest == measured(right).digest
    assert len(report) == 5


@pytest.mark.parametrize("workers", [1, 3])
@pytest.mark.parametrize(
    ("stop", "caught"), [(KeyboardInterrupt(), HardnessInterrupted), (SystemExit(9), HardnessExit)]
)
def test_what_was_measured_before_it_was_stopped_is_kept(
    tmp_path: Path, stop: BaseException, caught: Any, workers: int
) -> None:
    """All cases are there; what was not reached is not run."""

    def model(case: Case) -> int:
        if case.case_id == "c2":
            raise stop
        return right(case)

    with pytest.raises(caught) as raised:
        measured(model, output=tmp_path / "h.jsonl", workers=workers)
    report = raised.value.report
    assert [case.case_id for case in report] == [case.case_id for case in SUMS]
    assert statuses(report)[:3] == [["passed"] * 3, ["passed"] * 3, ["not_run"] * 3]
    assert list(HardnessReport.load(tmp_path / "h.jsonl")) == list(report)
    if isinstance(raised.value, SystemExit):
        assert raised.value.code == 9


def test_a_shot_that_is_under_way_when_it_is_stopped_is_not_waited_for() -> None:
    """A model that hangs in another thread holds nobody up."""
    go_on = threading.Event()

    def model(case: Case) -> int:
        if case.case_id == "c1":
            go_on.wait(60)
        if case.case_id == "c0":
            raise KeyboardInterrupt
        return right(case)

    with pytest.raises(HardnessInterrupted) as raised:
        measured(model, workers=2)
    go_on.set()
    assert statuses(raised.value.report)[1] == ["not_run"] * 3


def test_what_is_saved_is_what_is_loaded(tmp_path: Path) -> None:
    """And is verified."""
    report = measured(by_turns(*[1, 2, None] * 5), output=tmp_path / "h.jsonl")
    again = HardnessReport.load(tmp_path / "h.jsonl")
    assert (list(again), again.header, again.band) == (list(report), report.header, report.band)
    found = verify(tmp_path / "h.jsonl")
    assert (found.kind, found.holds) == ("hardness", True)
    with pytest.raises(UsageError, match="not written over"):
        measured(right, output=tmp_path / "h.jsonl")


def _header(data: list[Any], **new: Any) -> None:
    data[0].update(new)


def _case(data: list[Any], **new: Any) -> None:
    data[1].update(new)


def _shot(data: list[Any], **new: Any) -> None:
    data[1]["shots"][0].update(new)


FORGERIES: list[Callable[[list[Any]], object]] = [
    lambda data: _case(data, failure_rate=0.5),
    lambda data: _case(data, in_band=True),
    lambda data: _case(data, measured_shots=2),
    lambda data: _case(data, case_id="c1"),
    lambda data: _case(data, case_id=""),
    lambda data: _case(data, content="x"),
    lambda data: _case(data, more=1),
    lambda data: _case(data, shots=[]),
    lambda data: _case(data, shots=7),
    lambda data: _shot(data, status="failed"),
    lambda data: _shot(data, status="fine"),
    lambda data: _shot(data, status="not_run"),
    lambda data: _shot(data, detail="what"),
    lambda data: _shot(data, status="model_error", answer=None, detail=""),
    lambda data: _shot(data, status="judge_error"),
    lambda data: _shot(data, answer=None),
    lambda data: _shot(data, note=1),
    lambda data: _header(data, band=[0, 1]),
    lambda data: _header(data, band=[1, 0]),
    lambda data: _header(data, shots=4),
    lambda data: _header(data, shots=0),
    lambda data: _header(data, judge={"name": "x"}),
    lambda data: _header(data, comparator=None),
    lambda data: _header(data, comparator={"name": "nearly"}),
    lambda data: _header(data, model={"name": "", "version": None, "source_sha256": None}),
    lambda data: _header(data, observed=1),
    lambda data: data[0]["counts"].update(in_band=5),
    lambda data: data.pop(),
    lambda data: data.pop(0),
    lambda data: data.reverse(),
]


@pytest.mark.parametrize("number", range(len(FORGERIES)))
def test_a_file_that_contradicts_itself_is_refused(tmp_path: Path, number: int) -> None:
    """Also with its digest made anew."""
    path = tmp_path / "h.jsonl"
    measured(right, output=path)
    data = [parse_canonical(line) for line in path.read_bytes().splitlines()]
    FORGERIES[number](data)
    if data[0]["kind"] == "hardness":
        content = {key: value for key, value in data[0].items() if key not in ("digest", "observed")}
        data[0]["digest"] = digest_value(content)
    path.write_bytes(b"".join(canonical_bytes(line) + b"\n" for line in data))
    with pytest.raises(IntegrityError) as caught:
        HardnessReport.load(path)
    assert all(problem.file and problem.line for problem in caught.value.problems)


@pytest.mark.parametrize("content", [b"", b"{}\n", b"[]\n", b'{"band":1}', b"\xff\n"])
def test_a_file_that_is_none_is_refused(tmp_path: Path, content: bytes) -> None:
    """With an error of ours."""
    (tmp_path / "h.jsonl").write_bytes(content)
    with pytest.raises(IntegrityError):
        HardnessReport.load(tmp_path / "h.jsonl")


def test_hardness_enters_neither_a_validation_nor_a_manifest(tmp_path: Path) -> None:
    """Its file is neither, and the cases are what they were."""
    before = [case.to_json() for case in SUMS]
    measured(right, output=tmp_path / "h.jsonl")
    assert [case.to_json() for case in SUMS] == before
    for read in (Manifest.load, lambda path: list(Validation.load_all(path))):
        with pytest.raises(IntegrityError):
            read(tmp_path / "h.jsonl")


@pytest.mark.parametrize(
    "wrong",
    [
        {"cases": []},
        {"cases": 7},
        {"cases": ["text"]},
        {"cases": [SUMS[0], SUMS[0]]},
        {"cases": [Case("x", {"n": float("nan")}, case_id="a", source_id="a")]},
        {"model": "no callable"},
        {"judge": 3},
        {"shots": 0},
        {"shots": True},
        {"band": (0.8, 0.2)},
        {"band": (0, 2)},
        {"band": (float("nan"), 1)},
        {"band": 0.5},
        {"workers": 0},
        {"comparator": "nearly"},
    ],
)
def test_what_cannot_be_measured_is_refused(wrong: dict[str, Any]) -> None:
    """With a message."""
    with pytest.raises((UsageError, CaseError, DataError)):
        measure_hardness(**{"cases": SUMS, "model": right, "shots": 2, "band": (0, 1), **wrong})


def test_a_data_set_is_read_from_its_file(tmp_path: Path) -> None:
    """As cases are everywhere."""
    (tmp_path / "d.jsonl").write_text('{"id": "c1", "input": "What is 1 plus 1?", "expected": 2}\n', encoding="utf-8")
    assert statuses(measured(right, tmp_path / "d.jsonl")) == [["passed"] * 3]
    (tmp_path / "d.jsonl").write_text("{", encoding="utf-8")
    with pytest.raises(RobustError):
        measured(right, tmp_path / "d.jsonl")


def test_the_cases_are_not_written_over(tmp_path: Path) -> None:
    """Even where a file may be replaced."""
    cases = tmp_path / "cases.jsonl"
    cases.write_text('{"id": "a", "input": "1", "expected": 1}\n', encoding="utf-8")
    with pytest.raises(UsageError) as caught:
        measure_hardness(cases, right, 1, (0, 1), output=cases, overwrite=True)
    assert caught.value.code == "same_file"
    assert cases.read_text(encoding="utf-8").startswith('{"id"')
