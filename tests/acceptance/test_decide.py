"""``robust decide`` from end to end: the route on standard output, errors on standard error, exit codes."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from tests.run_fixtures import COMMAND, robust

CONTRACT = """
schema_version: "1"
decision: {name: triage, type: choice, options: [refund, repair, "no \U0001f642"]}
backend:
  provider: mock
  model: small
  rules:
    - {contains: money, probabilities: {refund: 0.95, repair: 0.03, "no \U0001f642": 0.02}}
    - {contains: hello, probabilities: {refund: 0.3, repair: 0.3, "no \U0001f642": 0.4}}
  default: {refund: 0.2, repair: 0.7, "no \U0001f642": 0.1}
backends:
  large: {provider: mock, model: large, default: {refund: 0, repair: 1, "no \U0001f642": 0}}
"""
POLICY = """
policy:
  routes:
    - {when: {confidence_gte: 0.9}, action: accept}
    - {when: {confidence_gte: 0.6}, action: fallback, backend: large}
    - {action: human_review}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a contract that has a policy."""
    (tmp_path / "c.yaml").write_text(CONTRACT + POLICY, encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize(
    ("given", "lines"),
    [
        (
            "I want my MONEY  back",
            [
                "accept  triage: refund",
                "  confidence 0.95, route 1, from 0.9 up",
                "  by small (mock)",
                "  refund  0.95",
                "  repair  0.03",
                "  no \U0001f642   0.02",
            ],
        ),
        ("it is broken", ["fallback to large  triage: repair", "  confidence 0.7, route 2, from 0.6 up"]),
        ("hello", ["human_review  triage: no \U0001f642", "  confidence 0.4, route 3, which always applies"]),
    ],
)
def test_the_first_word_is_what_to_do(folder: Path, given: str, lines: list[str]) -> None:
    """Exit code 0, whatever the route: it was decided."""
    done = robust("decide", "c.yaml", given, cwd=folder)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines()[: len(lines)] == lines


def test_the_json_form_holds_the_whole_decision(folder: Path) -> None:
    """And nothing else is on standard output."""
    done = robust("decide", "c.yaml", "broken", "--id", "t-1", "-f", "json", cwd=folder)
    data = json.loads(done.stdout)
    assert (data["action"], data["fallback_backend"], data["route"]) == ("fallback", "large", 1)
    assert (data["result"]["case_id"], data["result"]["selected"]) == ("t-1", "repair")
    assert data["result"]["probabilities"] == {"refund": 0.2, "repair": 0.7, "no \U0001f642": 0.1}


def test_another_backend_of_the_contract_can_be_asked(folder: Path) -> None:
    """As a caller does that follows a fallback."""
    done = robust("decide", "c.yaml", "broken", "-b", "large", cwd=folder)
    assert done.stdout.splitlines()[:3] == [
        "accept  triage: repair",
        "  confidence 1, route 1, from 0.9 up",
        "  by large (mock)",
    ]


def test_an_object_is_given_as_json(folder: Path) -> None:
    """Its texts count like any other input's."""
    done = robust("decide", "c.yaml", '{"text": "money", "n": 1}', "--input-json", cwd=folder)
    assert done.stdout.startswith("accept")


@pytest.mark.parametrize(
    ("sent", "arguments", "action"),
    [
        (b"money", [], "accept"),
        (b"\xef\xbb\xbfmoney\r\n", [], "accept"),
        (b'{"text": "money"}\n', ["--input-json"], "accept"),
        ("caf\u00e9\n".encode(), [], "fallback"),
        (b"", [], "fallback"),
    ],
)
def test_a_dash_reads_the_input_from_standard_input(
    folder: Path, sent: bytes, arguments: list[str], action: str
) -> None:
    """For what is long, or is not for the list of processes."""
    done = subprocess.run(
        [COMMAND, "decide", "c.yaml", "-", *arguments], cwd=folder, input=sent, capture_output=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.decode("utf-8").startswith(action)


def test_standard_input_has_a_limit(folder: Path) -> None:
    """A pipe that never ends does not fill the memory."""
    with (folder / "large").open("w+b") as large:
        large.truncate(64 * 1024 * 1024 + 1)
        done = subprocess.run(
            [COMMAND, "decide", "c.yaml", "-"], cwd=folder, stdin=large, capture_output=True, text=True, check=False
        )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "error[too_large]: INPUT: standard input has over 67108864 bytes\n"


def test_an_input_that_begins_with_a_dash_follows_two_dashes(folder: Path) -> None:
    """As everywhere."""
    assert robust("decide", "c.yaml", "--", "-money", cwd=folder).stdout.startswith("accept")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["missing.yaml", "x"], "error[unreadable]: missing.yaml: no such file"),
        (["plain.yaml", "x"], "error[no_policy]: plain.yaml: policy: the contract has no policy; add a policy"),
        (
            ["c.yaml", "x", "-b", "lrge"],
            "error[unknown_backend]: c.yaml: backends: the contract has no backend 'lrge'; did",
        ),
        (["c.yaml", "{", "--input-json"], "error[json_syntax]: INPUT:1:2: "),
        (["c.yaml", "[1]", "--input-json"], "error[bad_input]: INPUT: --input-json takes an object, not a list"),
        (["c.yaml", '{"a": 1, "a": 2}', "--input-json"], "error[duplicate_key]: INPUT:1:"),
        (["c.yaml", "x", "--id", ""], "error[bad_id]: $.case_id: "),
        (["c.yaml", "\udcff"], "error[not_portable]: "),
        (["python.yaml", "x"], "error[callable_backend]: python.yaml: backend: "),
    ],
)
def test_what_cannot_be_evaluated_is_exit_code_2(folder: Path, arguments: list[str], message: str) -> None:
    """One clear error, and no action on standard output."""
    (folder / "plain.yaml").write_text(CONTRACT, encoding="utf-8")
    only_python = 'schema_version: "1"\ndecision: {name: q, type: noul}\nbackend: callable\n'
    (folder / "python.yaml").write_text(only_python + "policy: {routes: [{action: accept}]}\n", encoding="utf-8")
    done = robust("decide", *arguments, cwd=folder)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(message)
    assert "Traceback" not in done.stderr


def test_r5_a_console_that_lacks_characters_shows_them_escaped(folder: Path) -> None:
    """R5: the label is written as its escape, and the JSON stays JSON."""
    environment = {"PYTHONIOENCODING": "cp1252"}
    done = robust("decide", "c.yaml", "hello", cwd=folder, env=environment)
    assert (done.returncode, done.stdout.splitlines()[0]) == (0, "human_review  triage: no \\U0001f642")
    done = robust("decide", "c.yaml", "hello", "-f", "json", cwd=folder, env=environment)
    assert json.loads(done.stdout)["result"]["selected"] == "no \U0001f642"
