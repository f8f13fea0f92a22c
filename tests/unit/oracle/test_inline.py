"""Validators in this process: on copies, judged on bytes captured before the call."""

from __future__ import annotations

import asyncio
import sys
import threading
import time
from typing import Any

import pytest

from robust import Case, CaseError, OracleVerdict, validate_variant
from tests.builders import CONTRACT, judged, pair, said, sum_case, verdict
from tests.validators import (
    adder,
    check_addition,
    check_addition_async,
    interrupt,
    interrupt_async,
    leave,
    leave_async,
    sleep_for_ever,
    sleep_for_ever_async,
    touch_deep_metadata,
)


def test_labels_are_hidden_unless_asked_for() -> None:
    """The oracle sees no expected answer by default, and the choice is recorded."""
    seen: list[tuple[Any, Any]] = []

    def oracle(base: Case, candidate: Case) -> OracleVerdict:
        seen.append((base.expected, candidate.expected))
        return verdict()

    cases = sum_case(expected=6), sum_case("variant", "What is 2 plus 5?", expected=7)
    hidden, visible = judged(oracle, cases), judged(oracle, cases, labels="visible")
    assert seen == [(None, None), (6, 7)]
    assert [hidden.data["oracle"]["labels"], visible.data["oracle"]["labels"]] == ["hidden", "visible"]
    assert hidden.data["base"]["expected"] == 6


def test_the_oracle_gets_equal_but_detached_copies() -> None:
    """What it is shown equals the caller's cases and shares nothing with them."""
    cases = pair(metadata={"outer": {"inner": [{"leaf": 1}]}})
    seen: list[Case] = []

    def oracle(base: Case, candidate: Case) -> OracleVerdict:
        seen.extend((base, candidate))
        return verdict()

    judged(oracle, cases)
    assert seen[0] == cases[0]
    assert seen[0].metadata["outer"]["inner"] is not cases[0].metadata["outer"]["inner"]


def test_a_change_deep_inside_a_copy_is_noticed_and_reaches_nobody() -> None:
    """The caller's metadata stays, the record keeps what was captured, and the copy's change is reported."""
    cases = pair(metadata={"outer": {"inner": [{"leaf": "as it was"}]}})
    validation = judged(touch_deep_metadata, cases)
    assert validation.issues == ("validator_mutated_input",)
    assert validation.data["failures"][0]["path"] == "$.base"
    assert cases[0].metadata == validation.data["base"]["metadata"] == {"outer": {"inner": [{"leaf": "as it was"}]}}


@pytest.mark.parametrize("name", ["base", "candidate"])
@pytest.mark.parametrize(
    "change",
    [
        lambda case: object.__setattr__(case, "input", "other"),
        lambda case: object.__setattr__(case, "case_id", "other"),
        lambda case: object.__setattr__(case, "metadata", None),
        lambda case: object.__delattr__(case, "source_id"),
        lambda case: case.metadata.update(new=object()),
        lambda case: case.metadata.update(api_key="a secret of its own"),
        lambda case: case.metadata.clear(),
        lambda case: case.input.update(question="other"),
    ],
)
def test_every_kind_of_change_is_noticed(name: str, change: Any) -> None:
    """Replaced, removed and unportable fields, and values that would be stored redacted, are changes all the same."""

    def oracle(base: Case, candidate: Case) -> OracleVerdict:
        change({"base": base, "candidate": candidate}[name])
        return verdict()

    metadata = {"api_key": "secret", "x": 1}
    cases = (
        Case({"question": 1}, case_id="base", source_id="s", metadata=metadata),
        Case({"question": 2}, case_id="variant", source_id="s", metadata=metadata),
    )
    validation = judged(oracle, cases)
    assert validation.issues == ("validator_mutated_input",)
    assert [failure["path"] for failure in validation.data["failures"]] == [f"$.{name}"]


def test_reordering_keys_is_no_change() -> None:
    """An object whose members were taken out and put back is the same object."""

    def oracle(base: Case, candidate: Case) -> OracleVerdict:
        base.metadata["a"] = base.metadata.pop("a")
        return verdict()

    assert judged(oracle, pair(metadata={"a": 1, "b": 2})).status == "valid"


def test_an_error_is_evidence_with_its_type_and_message() -> None:
    """The exception's type and text are kept."""

    def oracle(base: Case, candidate: Case) -> OracleVerdict:
        raise LookupError("no such sum")

    assert judged(oracle).data["failures"] == [
        {"code": "validator_error", "path": "$", "detail": "LookupError: no such sum"}
    ]


@pytest.mark.parametrize(
    "raised", [GeneratorExit, asyncio.CancelledError, BaseException, StopIteration, RecursionError]
)
def test_unusual_exceptions_are_evidence_too(raised: type[BaseException]) -> None:
    """Only an interrupt and a request to exit pass through; everything else ends as a record."""

    def oracle(base: Case, candidate: Case) -> OracleVerdict:
        raise raised

    for timeout_s in (None, 5):
        assert judged(oracle, timeout_s=timeout_s).issues == ("validator_error",)


@pytest.mark.parametrize("timeout_s", [None, 5])
@pytest.mark.parametrize(
    ("validator", "raised"),
    [
        (interrupt, KeyboardInterrupt),
        (interrupt_async, KeyboardInterrupt),
        (leave, SystemExit),
        (leave_async, SystemExit),
    ],
)
def test_an_interrupt_and_an_exit_pass_through(
    validator: Any, raised: type[BaseException], timeout_s: float | None
) -> None:
    """They end the call, from plain functions and from coroutines, with and without a time limit."""
    with pytest.raises(raised):
        judged(validator, timeout_s=timeout_s)
    assert judged(check_addition_async).status == "valid"


def test_coroutines_are_awaited_without_a_running_loop() -> None:
    """An async validator works in an ordinary program."""
    assert judged(check_addition_async).status == "valid"
    assert judged(check_addition_async, timeout_s=5).status == "valid"


def test_coroutines_are_awaited_inside_a_running_loop() -> None:
    """It works in a notebook too, where a loop runs already."""

    async def notebook() -> str:
        return judged(check_addition_async).status

    assert asyncio.run(notebook()) == "valid"


def test_any_awaitable_is_awaited() -> None:
    """Not only coroutines: an object with __await__ counts."""

    class Later:
        def __await__(self) -> Any:
            yield from asyncio.sleep(0).__await__()
            return verdict()

    assert said(Later()).status == "valid"


@pytest.mark.parametrize("validator", [sleep_for_ever, sleep_for_ever_async])
def test_a_time_limit_ends_the_waiting(validator: Any) -> None:
    """A validator that hangs is a time-out after the limit, not after an hour."""
    started = time.monotonic()
    validation = judged(validator, timeout_s=0.1)
    assert validation.issues == ("validator_timeout",)
    assert time.monotonic() - started < 5
    assert judged(check_addition_async, timeout_s=5).status == "valid"


def test_a_time_limit_leaves_a_daemon_thread_behind() -> None:
    """As documented: the thread cannot be ended, but does not keep the program alive."""
    release = threading.Event()

    def oracle(base: Case, candidate: Case) -> OracleVerdict:
        release.wait(60)
        return verdict()

    assert judged(oracle, timeout_s=0.05).issues == ("validator_timeout",)
    left = [thread for thread in threading.enumerate() if thread.name == "robust-validator"]
    assert left
    assert all(thread.daemon for thread in left)
    release.set()


def test_a_validators_own_timeout_error_is_an_error() -> None:
    """A TimeoutError that it raises itself is not taken for ours."""

    async def oracle(base: Case, candidate: Case) -> OracleVerdict:
        raise TimeoutError("upstream")

    for timeout_s in (None, 5):
        validation = judged(oracle, timeout_s=timeout_s)
        assert validation.issues == ("validator_error",)
        assert validation.data["failures"][0]["detail"] == "TimeoutError: upstream"


def test_what_a_validator_prints_is_its_own_affair(capsys: pytest.CaptureFixture[str]) -> None:
    """Output in this process is passed on and changes nothing."""

    def oracle(base: Case, candidate: Case) -> OracleVerdict:
        sys.stdout.write("thinking")
        return verdict()

    assert judged(oracle).status == "valid"
    assert capsys.readouterr().out == "thinking"


def test_a_validator_that_asks_another_one_is_fine() -> None:
    """Judging inside judging works, also with coroutines inside."""

    def oracle(base: Case, candidate: Case) -> OracleVerdict:
        inner = validate_variant(
            base, candidate, relation="counterfactual", contract=CONTRACT, validator=check_addition_async
        )
        return verdict(evidence={"inner": inner.digest})

    assert judged(oracle).status == "valid"


def test_a_validator_must_be_callable() -> None:
    """Anything else is refused before anything runs."""
    with pytest.raises(CaseError) as caught:
        judged(7)
    assert caught.value.code == "not_callable"


def test_a_validator_can_be_named_by_its_place() -> None:
    """module:name is imported."""
    assert judged("tests.validators:check_addition").digest == judged(check_addition).digest
    assert judged("tests.validators:adder").digest == judged(adder).digest
    for wrong in ("tests.validators:nothing", "no.such.module:name", "tests.validators", ":x"):
        with pytest.raises(CaseError) as caught:
            judged(wrong)
        assert caught.value.code == "not_importable"
