"""The example with a real model: the same answers in this process and over a socket, and exit codes that say so."""

from __future__ import annotations

import json
import math
import re
import socket
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from language_model import LANGUAGES, NAME, VERSION, language_probabilities
from language_story import NAMES
from robust import verify
from robust.canon import JsonObject
from robust.store.contracts import load_contract
from robust.store.datasets import read_dataset
from server import DEFAULT_PORT, HOST, MAX_BODY_BYTES, PROTOCOL, running_server
from tests.run_fixtures import robust

FOLDER = Path(__file__).parent.parent.parent / "examples" / "language"
CONTRACT = FOLDER / "contract.yaml"
SERVER = FOLDER / "server.py"
PLACES = ("in-process", "over-http")
# The excerpt in the README: every line of it must still be printed.
README_OUTPUT = [
    line
    for block in re.findall(r"```text\n(.*?)```", (FOLDER / "README.md").read_text(encoding="utf-8"), re.DOTALL)
    for line in block.splitlines()
    if line != "..."
]


def run_example(cwd: Path, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """Run the script as a user would, somewhere else than in its folder."""
    return subprocess.run(
        [sys.executable, FOLDER / "run.py", *arguments],
        check=False,
        capture_output=True,
        encoding="utf-8",
        timeout=120,
        cwd=cwd,
    )


def changed_contract(folder: Path, *changes: tuple[str, str]) -> Path:
    """The example's contract in another folder, with some of its text replaced."""
    text = CONTRACT.read_text(encoding="utf-8")
    for old, new in [("dataset: cases.jsonl", f"dataset: {json.dumps(str(FOLDER / 'cases.jsonl'))}"), *changes]:
        assert old in text
        text = text.replace(old, new)
    path = folder / "contract.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def report_of(run: Path) -> Any:
    return json.loads((run / "report.json").read_bytes())


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """The example's server, in a process of its own."""
    with running_server() as url:
        yield url


def test_both_ways_give_the_same_answers_and_verify(tmp_path: Path) -> None:
    """Exit code 0, every line of the README, equal answers of different backends, and evidence that holds."""
    done = run_example(tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    told = done.stdout.splitlines()
    assert max(map(len, told)) <= 80
    assert [line for line in README_OUTPUT if line not in told] == []
    runs = [tmp_path / "runs" / "language" / place for place in PLACES]
    reports = [report_of(run) for run in runs]
    assert [report["backend"]["provider"] for report in reports] == ["callable", "http"]
    assert [report["counts"]["decided"] for report in reports] == [240, 240]
    digests = {report["answers_digest"] for report in reports}
    assert len(digests) == 1
    assert done.stdout.count(digests.pop()) == 2
    # The service itself says who answered; the contract does not know the version.
    with (runs[1] / "records.jsonl").open(encoding="utf-8") as lines:
        results = [json.loads(line)["result"] for line in lines]
    assert {(result["model"], result["model_version"]) for result in results} == {(NAME, VERSION)}
    assert reports[1]["backend"]["model_version"] is None
    verified = robust("verify", *runs)
    assert (verified.returncode, verified.stderr) == (0, "")


def test_a_worse_contract_fails_with_exit_code_1_either_way(tmp_path: Path) -> None:
    """A gate that the model misses: both runs fail, with the same answers, and the evidence of it verifies."""
    contract = changed_contract(tmp_path, ("min_accuracy: 0.94", "min_accuracy: 0.99"))
    done = run_example(tmp_path, "--contract", contract, "--output", "worse")
    assert (done.returncode, done.stderr) == (1, "")
    assert "   FAIL  min_accuracy            0.9625  limit 0.99" in done.stdout.splitlines()
    reports = [report_of(tmp_path / "worse" / place) for place in PLACES]
    assert [report["status"] for report in reports] == ["fail", "fail"]
    assert len({report["answers_digest"] for report in reports}) == 1
    assert all(verify(tmp_path / "worse" / place).holds for place in PLACES)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("min_accuracy: 0.94", "min_acuracy: 0.94", "did you mean 'min_accuracy'?"),
        ("  service:\n", "  other:\n", "the contract has no backend 'service'"),
    ],
)
def test_a_contract_that_cannot_run_ends_with_exit_code_2(tmp_path: Path, old: str, new: str, said: str) -> None:
    """And says what is wrong, without a traceback."""
    done = run_example(tmp_path, "--contract", changed_contract(tmp_path, (old, new)))
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr
    assert "Traceback" not in done.stderr


def test_a_service_that_is_not_there_ends_with_exit_code_2(tmp_path: Path) -> None:
    """The port is taken, but nobody listens on it."""
    with taken_port() as port:
        contract = changed_contract(tmp_path, (f":{DEFAULT_PORT}/", f":{port}/"))
        done = robust("run", contract, "-b", "service", "-o", tmp_path / "run")
    assert done.returncode == 2
    assert done.stdout == ""


def test_a_single_text_is_decided_by_the_service(tmp_path: Path, address: str) -> None:
    """What the README shows: a text between two languages goes to a person."""
    contract = changed_contract(tmp_path, (f"http://{HOST}:{DEFAULT_PORT}", address))
    done = robust("decide", contract, "Lukket om mandagen", "-b", "service")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("human_review  language: no\n")


@settings(deadline=None)  # the first call reads the model
@given(st.text(max_size=300))
def test_every_text_gets_a_whole_distribution_over_exactly_the_ten_languages(text: str) -> None:
    """Whatever the text: within the tolerance that the contract sets, and without any repair."""
    probabilities = language_probabilities(text)
    assert tuple(probabilities) == LANGUAGES
    assert all(type(value) is float and 0 <= value <= 1 for value in probabilities.values())
    assert abs(math.fsum(probabilities.values()) - 1) <= 1e-6


def test_the_contract_the_model_and_the_names_have_the_same_ten_labels() -> None:
    """Among them Norwegian, which is no boolean."""
    contract = load_contract(CONTRACT)
    assert contract.decision.label_order == LANGUAGES == tuple(NAMES)
    assert contract.evaluation.probability_tolerance == 1e-6
    assert "no" in LANGUAGES


def test_every_topic_is_one_source_with_one_text_in_each_language() -> None:
    """No text stands twice: one that two languages share would have no right answer."""
    cases = list(read_dataset(FOLDER / "cases.jsonl"))
    topics = {case.source_id for case in cases}
    assert Counter((case.source_id, case.expected) for case in cases) == Counter(
        (topic, language) for topic in topics for language in LANGUAGES
    )
    assert len({str(case.input) for case in cases}) == len(cases) == 240
    assert {case.case_id for case in cases} == {f"{case.source_id}-{case.expected}" for case in cases}


def request(**changes: Any) -> JsonObject:
    """A request as the protocol wants it, with some of it replaced."""
    decision = {"name": "language", "type": "choice", "labels": list(LANGUAGES)}
    return {"protocol": PROTOCOL, "case_id": "c", "model": NAME, "decision": decision, "input": "Where?", **changes}


def test_the_server_answers_with_the_models_own_numbers(address: str) -> None:
    """In whatever order the labels come; JSON loses no digit."""
    decision = {"name": "language", "type": "choice", "labels": list(LANGUAGES[::-1])}
    answer = httpx.post(f"{address}/decide", json=request(decision=decision, input="Hvor er nøkkelen?"))
    assert answer.status_code == 200
    assert answer.json() == {
        "probabilities": language_probabilities("Hvor er nøkkelen?"),
        "model": NAME,
        "model_version": VERSION,
    }


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"\xff",
        b"[]",
        b'"text"',
        b"[" * 50_000,
        json.dumps(request(protocol="decguard.http/9")).encode(),
        json.dumps(request(decision="language")).encode(),
        json.dumps(request(decision={"labels": "da"})).encode(),
        json.dumps(request(decision={"labels": [*LANGUAGES, "fr"]})).encode(),
        json.dumps(request(decision={"labels": [*LANGUAGES[1:], ["da"]]})).encode(),
        json.dumps(request(input={"text": "Where?"})).encode(),
    ],
)
def test_the_server_refuses_what_is_no_request(address: str, body: bytes) -> None:
    """With status 400 and the reason, and goes on serving over the same connection."""
    with httpx.Client(base_url=address) as client:
        refused = client.post("/decide", content=body)
        assert (refused.status_code, list(refused.json())) == (400, ["error"])
        assert client.post("/decide", json=request()).status_code == 200


def test_the_server_reads_no_body_over_its_limit_and_knows_two_paths(address: str) -> None:
    """A body that is too long, or of unknown length, is not read."""
    with httpx.Client(base_url=address) as client:
        assert client.post("/decide", content=b" " * (MAX_BODY_BYTES + 1)).status_code == 413
        assert client.post("/decide", content=iter([b"{}"])).status_code == 413
        assert client.post("/other", json=request()).status_code == 404
        assert client.get("/decide").status_code == 404
        assert client.get("/health").json() == {"status": "ok"}


def test_a_port_that_is_taken_is_said_in_one_line() -> None:
    """Exit code 2, and no traceback."""
    with taken_port() as port:
        done = subprocess.run(
            [sys.executable, SERVER, "--port", str(port)],
            check=False,
            capture_output=True,
            encoding="utf-8",
            timeout=60,
        )
    assert (done.returncode, done.stdout) == (2, "")
    assert len(done.stderr.splitlines()) == 1
    assert str(port) in done.stderr


def test_the_server_does_not_outlive_the_process_that_started_it() -> None:
    """Even one that is killed: the end of its input stops the server, and the port is closed."""
    code = "import time, server\nwith server.running_server() as url:\n    print(url, flush=True)\n    time.sleep(60)\n"
    starter = subprocess.Popen([sys.executable, "-c", code], cwd=FOLDER, stdout=subprocess.PIPE, encoding="ascii")
    with starter:
        assert starter.stdout is not None
        url = httpx.URL(starter.stdout.readline().strip())
        with socket.create_connection((HOST, url.port or 0), timeout=30) as open_connection:
            starter.kill()
            # Its end of the connection is closed with the process; until then this waits.
            assert open_connection.recv(1) == b""
    with pytest.raises(OSError, match="refused"):
        socket.create_connection((HOST, url.port or 0), timeout=30)


@contextmanager
def taken_port() -> Iterator[int]:
    """A port that nobody listens on, and that nobody else gets."""
    with socket.socket() as taken:
        taken.bind((HOST, 0))
        yield taken.getsockname()[1]
