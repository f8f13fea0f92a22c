"""Validators in a worker process: what they do to it never reaches the caller."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

import pytest

from robust import Case, CaseError, OracleVerdict, validate_variants
from tests.builders import CONTRACT, judged, pair, sum_case
from tests.programs import is_running
from tests.validators import (
    adder,
    chatter,
    check_addition,
    check_addition_async,
    crash,
    interrupt,
    interrupt_async,
    leave,
    leave_async,
    sleep_for_ever,
    sleep_stubbornly,
    sleep_when_asked,
    tell_process,
    touch_deep_metadata,
    undecided,
)


@pytest.mark.parametrize("validator", [check_addition, check_addition_async, adder, undecided])
def test_a_worker_gives_the_same_record_as_a_call(validator: Any) -> None:
    """Function, coroutine and object give the same digest on both sides of the process border."""
    assert judged(validator, isolate=True).digest == judged(validator).digest


def test_a_worker_is_another_process_and_stays_for_the_next_question() -> None:
    """Two questions are answered by one process that is not ours."""
    first, second = (judged(tell_process, isolate=True).data["verdict"]["evidence"]["pid"] for _ in range(2))
    assert first == second != os.getpid()


def test_a_validator_named_by_its_place_need_not_be_loaded_here() -> None:
    """The text module:name serves as well."""
    assert judged("tests.validators:check_addition", isolate=True).status == "valid"


def test_a_worker_that_hangs_is_killed_and_the_batch_goes_on(tmp_path: Path) -> None:
    """The time-out is a record, the process is gone, and the pairs after it are judged."""
    noted = tmp_path / "pid"
    candidates = [
        sum_case(f"variant-{number}", f"What is 2 plus {number}?", metadata={"hang": str(noted)} if number == 6 else {})
        for number in (5, 6, 7)
    ]
    started = time.monotonic()
    validations = list(
        validate_variants(
            [(sum_case(), candidate) for candidate in candidates],
            relation="counterfactual",
            contract=CONTRACT,
            validator=sleep_when_asked,
            timeout_s=2,
            isolate=True,
        )
    )
    assert [validation.issues for validation in validations] == [(), ("validator_timeout",), ()]
    assert not is_running(int(noted.read_text(encoding="utf-8")))
    assert time.monotonic() - started < 30


def test_a_stubborn_worker_is_killed_with_its_children(tmp_path: Path) -> None:
    """Ignoring the request to end does not help, and nothing that it started stays behind."""
    noted = tmp_path / "noted"
    cases = sum_case(), sum_case("variant", "What is 2 plus 5?", metadata={"noted": str(noted)})
    assert judged(sleep_stubbornly, cases, isolate=True, timeout_s=3).issues == ("validator_timeout",)
    processes = [int(word) for word in noted.read_text(encoding="utf-8").split()]
    give_up = time.monotonic() + 10
    while any(map(is_running, processes)) and time.monotonic() < give_up:
        time.sleep(0.01)
    assert [is_running(process) for process in processes] == [False, False]


def test_a_crash_is_evidence_and_the_next_question_gets_a_new_worker() -> None:
    """A worker that ends without a word is an error of that pair, with its exit status."""
    validation = judged(crash, isolate=True)
    assert validation.issues == ("validator_error",)
    assert "exit status 7" in validation.data["failures"][0]["detail"]
    assert judged(crash, isolate=True).issues == ("validator_error",)


def test_what_a_worker_prints_is_not_taken_for_its_answer() -> None:
    """Lines on standard output, even ones that look like answers, do not get in the way."""
    assert judged(chatter, isolate=True).status == "valid"


def test_a_change_inside_the_worker_is_noticed() -> None:
    """Mutation is observed where it happens."""
    deep = {"outer": {"inner": [{"leaf": 1}]}}
    assert judged(touch_deep_metadata, pair(metadata=deep), isolate=True).issues == ("validator_mutated_input",)


@pytest.mark.parametrize("validator", [interrupt, interrupt_async])
def test_an_interrupt_in_the_worker_passes_through(validator: Any) -> None:
    """A KeyboardInterrupt is raised again here."""
    with pytest.raises(KeyboardInterrupt):
        judged(validator, isolate=True, timeout_s=30)


@pytest.mark.parametrize("validator", [leave, leave_async])
def test_an_exit_in_the_worker_passes_through_with_its_status(validator: Any) -> None:
    """A SystemExit is raised again here."""
    with pytest.raises(SystemExit) as caught:
        judged(validator, isolate=True, timeout_s=30)
    assert caught.value.code == 7


def test_a_worker_can_be_used_after_a_time_out() -> None:
    """The killed process is replaced at the next question."""
    for _ in range(2):
        assert judged(sleep_for_ever, isolate=True, timeout_s=0.2).issues == ("validator_timeout",)


def test_a_validator_that_a_worker_cannot_import_is_refused_at_once() -> None:
    """Local functions, lambdas and nameless objects are case errors, not time-outs."""

    def local(base: Case, candidate: Case) -> OracleVerdict:
        return check_addition(base, candidate)

    for validator in (local, lambda *_: undecided(*pair()), type(adder)()):
        with pytest.raises(CaseError) as caught:
            judged(validator, isolate=True)
        assert caught.value.code == "not_importable"


def test_several_workers_share_the_work_and_are_gone_afterwards() -> None:
    """With four workers the answers stand in order, and closing the batch ends their processes."""
    pairs = [(sum_case(), sum_case(f"variant-{number}", f"What is 2 plus {number}?")) for number in range(5, 25)]
    validations = list(
        validate_variants(
            pairs, relation="counterfactual", contract=CONTRACT, validator=tell_process, isolate=True, workers=4
        )
    )
    assert [item.data["candidate"]["case_id"] for item in validations] == [item.case_id for _, item in pairs]
    processes = {item.data["verdict"]["evidence"]["pid"] for item in validations}
    assert 1 <= len(processes) <= 4
    assert not any(map(is_running, processes))
