"""Who is asked, how, and what of the answer is believed."""

from __future__ import annotations

import functools
import gc
import os
import sys
import warnings
from pathlib import Path
from typing import Any
from unittest.mock import MagicMock

import pytest

from robust import Case, CaseError, CommandOracle, OracleVerdict, validate_variants
from robust.canon import canonical_bytes
from robust.errors import DataError
from robust.oracle.isolated import _read_answer
from tests.builders import CONTRACT, judged, pair, sum_case, verdict
from tests.validators import check_addition

UNDECIDED = """
import json, os, sys, time
for line in sys.stdin:
    question = json.loads(line)
    time.sleep({pause})
    said = [question["contract"], os.getpid(), question["candidate"]["case_id"]]
    print(json.dumps({{"id": question["id"], "valid": None, "reason": json.dumps(said)}}), flush=True)
    {more}
"""


def program(pause: float = 0, more: str = "pass") -> CommandOracle:
    return CommandOracle([sys.executable, "-c", UNDECIDED.format(pause=pause, more=more)])


def pairs(count: int) -> list[tuple[Case, Case]]:
    return [(sum_case(), sum_case(f"variant-{number}", f"What is 2 plus {number + 5}?")) for number in range(count)]


def reasons(records: Any) -> list[Any]:
    return [None if record.data["verdict"] is None else record.data["verdict"]["reason"] for record in records]


class Observing:
    """A callable that happens to have an attribute ``observe``."""

    observe = observer = close = None

    def __call__(self, base: Case, candidate: Case) -> OracleVerdict:
        """Judge."""
        return check_addition(base, candidate)


@pytest.mark.parametrize("validator", [MagicMock(side_effect=check_addition), Observing()])
def test_an_attribute_makes_no_program_of_a_callable(validator: Any) -> None:
    """Only a CommandOracle is asked as one; even a mock of one is called."""
    assert judged(validator).status == "valid"
    assert judged(MagicMock(spec=CommandOracle, return_value=verdict())).status == "valid"


def test_a_program_is_asked_on_the_terms_of_the_call() -> None:
    """Contract and time limit are those of the record."""
    with program() as oracle:
        assert reasons([judged(oracle, contract="other/v9")])[0].startswith('["other/v9", ')
    with program(pause=60) as oracle:
        assert judged(oracle, timeout_s=0.3).issues == ("validator_timeout",)


def test_a_program_is_not_isolated_again() -> None:
    """It is a process already, and saying so twice is a mistake."""
    with program() as oracle, pytest.raises(CaseError) as caught:
        judged(oracle, isolate=True)
    assert (caught.value.code, caught.value.problems[0].path) == ("bad_isolate", "isolate")


def test_workers_ask_programs_side_by_side() -> None:
    """Four pauses take one; waiting for a free process is no part of the time limit."""
    with program(pause=1.5) as oracle:
        settings: Any = {"contract": CONTRACT, "relation": "counterfactual", "validator": oracle, "timeout_s": 30}
        found = list(validate_variants(pairs(4), workers=4, **settings))
    assert [record.issues for record in found] == [("unreviewed",)] * 4
    assert len({reason.split(", ")[1] for reason in reasons(found)}) == 4


def test_an_answer_too_many_reaches_no_other_question() -> None:
    """It is told by its id, the program is started again, and the other question is asked in the new process."""
    with program(more='print("{}", flush=True)') as oracle:
        settings: Any = {"contract": CONTRACT, "relation": "counterfactual", "validator": oracle}
        found = list(validate_variants(pairs(3), **settings))
    assert [record.issues for record in found] == [("unreviewed",)] * 3
    assert [reason.split(", ")[2] for reason in reasons(found)] == [f'"variant-{number}"]' for number in range(3)]


def test_a_program_that_nobody_asks_any_more_is_ended() -> None:
    """Without a word about an open process."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        oracle = program()
        process = int(reasons([judged(oracle)])[0].split(", ")[1])
        del oracle
        gc.collect()
    with pytest.raises(ProcessLookupError):
        os.kill(process, 0)


def test_the_source_of_a_program_is_not_known() -> None:
    """It is not that of the class which asks it."""
    with program() as oracle:
        assert judged(oracle).data["oracle"]["source_sha256"] is None


def test_a_partial_is_what_it_calls() -> None:
    """By name and source."""
    assert judged(functools.partial(check_addition)).data["oracle"] == judged(check_addition).data["oracle"]


class Nameless:
    """Raises when it is asked for its name."""

    @property
    def name(self) -> str:
        """Not told."""
        raise ZeroDivisionError

    def __call__(self, base: Case, candidate: Case) -> OracleVerdict:
        """Never called."""
        raise AssertionError


def test_a_validator_that_cannot_tell_who_it_is_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """So is a module that raises when it is imported; nobody was asked."""
    with pytest.raises(CaseError) as caught:
        judged(Nameless())
    assert caught.value.code == "bad_oracle"
    (tmp_path / "raising_module.py").write_text("1 / 0\n", encoding="utf-8")
    (tmp_path / "leaving_module.py").write_text("raise SystemExit(3)\n", encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    for module in ("raising_module", "leaving_module"):
        with pytest.raises(CaseError) as caught:
            judged(f"{module}:oracle")
        assert caught.value.code == "not_importable"


class Raising(BaseException):
    """Neither an Exception nor an interrupt."""


class Hostile:
    """Raises whatever is asked of it."""

    def to_json(self) -> Any:
        """Raise."""
        raise Raising

    def __getattr__(self, name: str) -> Any:
        raise Raising


@pytest.mark.parametrize("name", ["media", "origin", "metadata", "input", "case_id"])
def test_a_copy_that_cannot_be_looked_at_was_changed(name: str) -> None:
    """Its own code is not even run."""

    def plant(base: Case, candidate: Case) -> OracleVerdict:
        candidate.__dict__[name] = (Hostile(),) if name == "media" else Hostile()
        return verdict()

    assert judged(plant).issues == ("validator_mutated_input",)


def test_an_exception_without_a_readable_message_is_an_observation() -> None:
    """Whatever its ``__str__`` raises."""

    class Mute(Exception):
        def __str__(self) -> str:
            raise Raising

    def fail(base: Case, candidate: Case) -> OracleVerdict:
        raise Mute

    [failure] = judged(fail).data["failures"]
    assert failure["detail"] == "Mute: (its message cannot be read: Raising)"


def write_lines(base: Case, candidate: Case) -> OracleVerdict:
    """Write to every file that is open, the one for answers among them."""
    for descriptor in range(3, 12):
        try:
            os.write(descriptor, b'{"verdict":null,"failures":[],"raised":null}\n')
        except OSError:
            continue
    return check_addition(base, candidate)


def test_what_a_validator_writes_for_its_worker_is_not_believed() -> None:
    """A record says so, and the next question gets a worker of its own."""
    first, second = pair(), (sum_case(), sum_case("other", "What is 2 plus 6?"))
    assert judged(write_lines, first, isolate=True, timeout_s=30).issues == ("validator_error",)
    assert judged(check_addition, second, isolate=True).status == "valid"


GOOD: Any = {"id": "k", "verdict": None, "failures": [], "raised": None, "exit_code": None}
FAILURE: Any = {"code": "validator_error", "path": "$", "detail": "x"}


@pytest.mark.parametrize(
    "answer",
    [
        [],
        {},
        GOOD,
        {**GOOD, "failures": [FAILURE], "id": "other"},
        {**GOOD, "failures": [FAILURE], "more": 1},
        {**GOOD, "failures": [{**FAILURE, "code": "bored"}]},
        {**GOOD, "failures": [{**FAILURE, "code": "validator_flaky"}]},
        {**GOOD, "failures": [{**FAILURE, "detail": "x" * 5000}]},
        {**GOOD, "failures": [FAILURE], "verdict": {"valid": True}},
        {**GOOD, "failures": [FAILURE], "raised": "ZeroDivisionError"},
        {**GOOD, "raised": "SystemExit", "exit_code": 1.5},
    ],
)
def test_an_answer_of_another_shape_is_refused(answer: Any) -> None:
    """Unknown fields, codes and kinds."""
    with pytest.raises(DataError):
        _read_answer(canonical_bytes(answer), "k")


@pytest.mark.parametrize("item", [5, None, "ab", (sum_case(),), (1, 2, 3)])
def test_an_item_that_is_no_pair_is_named(item: Any) -> None:
    """By its position; and what is no series at all, at once."""
    with pytest.raises(CaseError) as caught:
        list(validate_variants([item], contract=CONTRACT, validator=check_addition, relation="invariant"))
    assert (caught.value.code, caught.value.problems[0].path) == ("not_a_pair", "pairs[0]")
    with pytest.raises(CaseError):
        validate_variants(5, contract=CONTRACT, validator=check_addition)  # type: ignore[arg-type]
