"""Oracles that are programs: one line in, one line out, and every way in which that can go wrong."""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from robust import CommandOracle, UsageError, Validation
from tests.builders import CONTRACT, judged

GOOD = """
    numbers = lambda case: sum(map(int, re.findall("[0-9]+", case["input"])))
    base, candidate = numbers(question["base"]), numbers(question["candidate"])
    answer = {"id": question["id"], "valid": True, "reason": "recomputed", "base_expected": base,
              "variant_expected": candidate, "evidence": {"asked": [question["protocol"], question["contract"]]}}
"""


@contextmanager
def program(tmp_path: Path, body: str, **settings: Any) -> Iterator[CommandOracle]:
    """An oracle program whose loop sets ``answer``, or writes by itself and leaves it None."""
    script = tmp_path / "oracle.py"
    script.write_text(
        "import json, os, re, sys, time\nfor line in sys.stdin:\n    question = json.loads(line)\n    answer = None\n"
        + textwrap.indent(textwrap.dedent(body), "    ")
        + "\n    if answer is not None:\n"
        + "        print(answer if isinstance(answer, str) else json.dumps(answer), flush=True)\n",
        encoding="utf-8",
    )
    with CommandOracle([sys.executable, str(script)], **settings) as oracle:
        yield oracle


def ask(tmp_path: Path, body: str, *, timeout_s: float | None = None, **settings: Any) -> Validation:
    with program(tmp_path, body, **settings) as oracle:
        return judged(oracle, timeout_s=timeout_s)


def failure(validation: Validation) -> tuple[str, str]:
    [found] = validation.data["failures"]
    return found["code"], found["path"]


def test_a_program_can_be_an_oracle(tmp_path: Path) -> None:
    """It is asked in the named protocol and judged like any other."""
    validation = ask(tmp_path, GOOD, name="adder", version="3")
    assert validation.status == "valid"
    assert validation.data["verdict"]["evidence"] == {"asked": ["robust.oracle/1", CONTRACT]}
    assert (validation.data["oracle"]["name"], validation.data["oracle"]["version"]) == ("adder", "3")


def test_it_is_started_once_and_asked_again(tmp_path: Path) -> None:
    """Two questions reach one process."""
    body = 'answer = {"id": question["id"], "valid": None, "reason": str(os.getpid())}'
    with program(tmp_path, body) as oracle:
        first, second = (judged(oracle).data["verdict"]["reason"] for _ in range(2))
    assert first == second


@pytest.mark.parametrize(
    ("body", "code", "path"),
    [
        ('answer = "thinking ..."', "verdict_malformed", "$"),
        ('answer = "[]"', "verdict_malformed", "$"),
        ('answer = \'{"valid": true, "valid": false, "reason": "x"}\'', "verdict_malformed", "$.valid"),
        ('answer = \'{"valid": true, "reason": "x", "evidence": {"n": NaN}}\'', "verdict_malformed", "$.evidence.n"),
        ('answer = {"valid": True, "reason": "x"}', "verdict_malformed", "$.id"),
        ('answer = {"id": "another", "valid": True, "reason": "x"}', "verdict_malformed", "$.id"),
        ('answer = {"id": question["id"], "valid": True}', "verdict_malformed", "$.reason"),
        (
            'answer = {"id": question["id"], "valid": True, "reason": "x", "verdict": 1}',
            "verdict_malformed",
            "$.verdict",
        ),
        ('answer = {"id": question["id"], "valid": "yes", "reason": "x"}', "verdict_malformed", "$.valid"),
        ('answer = {"id": question["id"], "error": "password=hunter2 refused"}', "validator_error", "$.error"),
        ("sys.exit(3)", "validator_error", "$"),
        ('sys.stdout.write("half a line"); sys.stdout.flush(); os._exit(0)', "validator_error", "$"),
    ],
)
def test_a_bad_answer_is_a_typed_failure(tmp_path: Path, body: str, code: str, path: str) -> None:
    """Noise, damage, foreign answers and crashes are failures with a path."""
    validation = ask(tmp_path, body, timeout_s=30)
    assert failure(validation) == (code, path)
    assert validation.status == "unknown"
    assert "hunter2" not in validation.line().decode()


def test_a_program_that_does_not_answer_in_time_is_killed_and_started_again(tmp_path: Path) -> None:
    """The first question hangs, the second is answered by a new process."""
    flag = tmp_path / "flag"
    body = f"""
    if not os.path.exists({str(flag)!r}):
        open({str(flag)!r}, "w").close()
        time.sleep(3600)
    {GOOD.strip()}
    """
    body = "\n".join(line.removeprefix("    ") for line in body.splitlines())
    with program(tmp_path, body) as oracle:
        assert failure(judged(oracle, timeout_s=3)) == ("validator_timeout", "$")
        assert judged(oracle).status == "valid"


def test_a_program_that_cannot_be_started_is_a_failure_of_the_pair() -> None:
    """No such program: a record that says so."""
    validation = judged(CommandOracle("/no/such/program --flag"))
    assert failure(validation) == ("validator_error", "$")
    assert validation.data["oracle"]["name"] == "program"


@pytest.mark.parametrize("command", ["", [], "'unclosed"])
def test_a_command_that_is_none_is_a_usage_error(command: Any) -> None:
    """Nothing to start, or text that cannot be split."""
    with pytest.raises(UsageError) as caught:
        CommandOracle(command)
    assert caught.value.code == "bad_command"


@pytest.mark.parametrize(
    ("command", "name"),
    [
        ("/opt/bin/reader --fast", "reader"),
        ("python oracle.py", "oracle.py"),
        ("python3.12 tools/oracle.py --fast", "oracle.py"),
        (["py.exe", "oracle.pyw"], "oracle.pyw"),
        ("python -m oracle", "python"),
        ("python", "python"),
        ("pyramid oracle.py", "pyramid"),
    ],
)
def test_the_name_is_that_of_the_program_or_of_the_script_that_python_runs(command: Any, name: str) -> None:
    """Unless one is given."""
    assert CommandOracle(command).name == name
    assert CommandOracle(command, name="mine").name == "mine"
