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
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import httpx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from language_manifest import freeze_edits, judge_edits, known_sentences, pinned_digest
from language_model import LANGUAGES, NAME, VERSION, language_probabilities, make_backend
from language_refused import property_tally, variant_tallies
from language_robustness import CONTEXT
from language_story import NAMES, is_right
from robust import Validation, run_contract, verify
from robust.canon import JsonObject
from robust.records.properties import FRAGMENTS
from robust.store.contracts import load_contract
from robust.store.datasets import read_dataset
from server import DEFAULT_PORT, HOST, MAX_BODY_BYTES, PROTOCOL, running_server
from tests.run_fixtures import robust

FOLDER = Path(__file__).parent.parent.parent / "examples" / "language"
CONTRACT = FOLDER / "contract.yaml"
SERVER = FOLDER / "server.py"
PLACES = ("in-process", "over-http")
VERIFYING = "10. Everything that was written is derived again, without model or oracle."
EDITED = ("edits", "context-builtin", "context-known-sentences")
FILES = ("edits.validations.jsonl", "edits.manifest.jsonl")
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
        timeout=300,
        cwd=cwd,
    )


def changed_contract(folder: Path, *changes: tuple[str, str], contract: Path = CONTRACT) -> Path:
    """A contract of the example in another folder, with some of its text replaced."""
    text = contract.read_text(encoding="utf-8")
    data = ("dataset: cases.jsonl", f"dataset: {json.dumps(str(FOLDER / 'cases.jsonl'))}")
    for old, new in [*([data] if contract == CONTRACT else []), *changes]:
        assert old in text
        text = text.replace(old, new)
    path = folder / "contract.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def report_of(run: Path) -> Any:
    return json.loads((run / "report.json").read_bytes())


def records_of(run: Path) -> Iterator[Any]:
    with (run / "records.jsonl").open(encoding="utf-8") as lines:
        yield from map(json.loads, lines)


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """The example's server, in a process of its own."""
    with running_server() as url:
        yield url


@pytest.fixture(scope="module")
def example(tmp_path_factory: pytest.TempPathFactory) -> tuple[subprocess.CompletedProcess[str], Path]:
    """The whole example, run once, and where it wrote."""
    folder = tmp_path_factory.mktemp("example")
    return run_example(folder), folder / "runs" / "language"


def test_it_works_and_prints_every_line_of_its_readme(example: tuple[Any, Path]) -> None:
    """Exit code 0, nothing on standard error, and at most 80 columns."""
    done, _ = example
    assert (done.returncode, done.stderr) == (0, "")
    told = done.stdout.splitlines()
    assert max(map(len, told)) <= 80
    assert [line for line in README_OUTPUT if line not in told] == []


def test_both_ways_give_the_same_answers(example: tuple[Any, Path]) -> None:
    """Equal answers of different backends, the second of which says itself who answered."""
    done, output = example
    reports = [report_of(output / place) for place in PLACES]
    assert [report["backend"]["provider"] for report in reports] == ["callable", "http"]
    assert [report["counts"]["decided"] for report in reports] == [240, 240]
    digests = {report["answers_digest"] for report in reports}
    assert len(digests) == 1
    assert done.stdout.count(digests.pop()) == 2
    # The service itself says who answered; the contract does not know the version.
    results = [record["result"] for record in records_of(output / PLACES[1])]
    assert {(result["model"], result["model_version"]) for result in results} == {(NAME, VERSION)}
    assert reports[1]["backend"]["model_version"] is None


def test_everything_that_was_written_verifies(example: tuple[Any, Path]) -> None:
    """As the example says at its end of all paths, and as the command says of some."""
    done, output = example
    told = done.stdout.splitlines()
    ending = told[told.index(VERIFYING) :]
    places = [Path("runs", "language", name) for name in (*PLACES, *FILES, *EDITED)]
    assert [line for line in ending if line.startswith("   ok    ")] == [f"   ok    {place}" for place in places]
    verified = robust("verify", *(output / name for name in (*PLACES, FILES[1], EDITED[2])))
    assert (verified.returncode, verified.stderr) == (0, "")


def test_the_same_comes_out_in_another_process(example: tuple[Any, Path], tmp_path: Path) -> None:
    """The bytes of the manifest, which the contract pins, and the evidence of a run with the oracle."""
    _, output = example
    manifest = freeze_edits(judge_edits())
    assert manifest.digest == pinned_digest()
    manifest.save(tmp_path / FILES[1])
    assert (tmp_path / FILES[1]).read_bytes() == (output / FILES[1]).read_bytes()
    run = run_contract(
        FOLDER / "context.yaml",
        backend=make_backend(),
        oracles={"known-sentences": known_sentences((fragment, "en") for fragment in FRAGMENTS)},
        output=tmp_path / "run",
    )
    assert run.report["evidence_digest"] == report_of(output / EDITED[2])["evidence_digest"]


def test_real_failures_are_found_by_every_property_and_only_on_what_an_oracle_vouches_for(
    example: tuple[Any, Path],
) -> None:
    """A pair has an answer where its validation is valid, and nowhere else."""
    _, output = example
    report = report_of(output / "edits")
    assert report["status"] == "fail"
    properties = report["properties"]
    assert all(properties[name]["flips"] and properties[name]["unknown"] for name in ("whitespace", CONTEXT))
    assert properties["variants"]["violations"] > 100
    assert report["counts"]["assumed"] == 0
    pairs = [record for record in records_of(output / "edits") if record["kind"] == "pair"]
    judged = [pair for pair in pairs if pair["property"] != "variants"]
    assert {("result" in pair, pair["validation"]["status"]) for pair in judged} == {
        (True, "valid"),
        (False, "unknown"),
    }
    assert {pair["validation"]["oracle"]["name"] for pair in judged} == {"robust.preserves"}
    oracles = {validation.data["oracle"]["name"] for validation in Validation.load_all(output / FILES[0])}
    assert oracles == {"known-sentences"}


def test_the_figures_on_refused_candidates_agree_with_the_runs(example: tuple[Any, Path]) -> None:
    """What was asked outside of a run fails as often as under the oracle that lets all of it through."""
    _, output = example
    for place, name in (("edits", "whitespace"), ("edits", CONTEXT), ("context-known-sentences", CONTEXT)):
        summary = report_of(output / place)["properties"][name]
        tally = property_tally(records_of(output / place), name)
        assert (tally.scored, tally.failed) == (summary["compared"], summary["flips"])
        assert tally.refused == summary["unknown"] + summary["invalid"] > 0
    lenient = property_tally(records_of(output / "context-builtin"), CONTEXT)
    assert tally.scored + tally.refused == lenient.scored
    assert tally.failed + tally.would_fail == lenient.failed > 0
    # Of what the strict oracle accepts nothing fails: the failures are on texts in two languages.
    assert tally.failed == 0


def test_the_figures_on_variants_agree_with_the_run(example: tuple[Any, Path]) -> None:
    """Scored and failed as in the run's own table of right and wrong answers."""
    _, output = example
    validations = list(Validation.load_all(output / FILES[0]))
    tallies = variant_tallies(records_of(output / "edits"), validations)
    answers = report_of(output / "edits")["properties"]["variants"]["by_relation"]["invariant"]
    right, lost = answers["base_right_variant_right"], answers["base_right_variant_wrong"]
    assert sum(tally.failed for tally in tallies.values()) == lost
    assert sum(tally.scored for tally in tallies.values()) == right + lost
    wrong = {record["case_id"] for record in records_of(output / PLACES[0]) if not is_right(record)}
    refused = [item for item in validations if item.status != "valid" and item.data["base"]["case_id"] not in wrong]
    assert sum(tally.refused for tally in tallies.values()) == len(refused) > 0


def test_a_failure_is_reproduced_by_the_service_in_another_process(
    example: tuple[Any, Path], address: str, tmp_path: Path
) -> None:
    """As the README says, but for the port."""
    _, output = example
    edits = FOLDER / "edits.yaml"
    contract = changed_contract(tmp_path, (f"http://{HOST}:{DEFAULT_PORT}", address), contract=edits)
    chosen = ("--id", "whitespace/soup-da/1")
    assert " ".join(chosen) in (FOLDER / "README.md").read_text(encoding="utf-8")
    done = robust("replay", output / "edits", "--contract", contract, "-b", "service", *chosen, "-f", "json")
    assert (done.returncode, done.stderr) == (1, "")
    replay = json.loads(done.stdout)
    assert replay["counts"]["reproduced"] == 1


def test_a_worse_contract_fails_with_exit_code_1_either_way(tmp_path: Path) -> None:
    """A gate that the model misses: both runs fail, with the same answers, and the evidence of it verifies."""
    contract = changed_contract(tmp_path, ("min_accuracy: 0.94", "min_accuracy: 0.99"))
    done = run_example(tmp_path, "--contract", contract, "--output", "worse", "--skip-edits")
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


def test_the_contracts_the_model_and_the_names_have_the_same_ten_labels() -> None:
    """Among them Norwegian, which is no boolean."""
    for path in sorted(FOLDER.glob("*.yaml")):
        contract = load_contract(path)
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
            # Its end of the connection is closed with the process, or cut off; until then this waits.
            with suppress(ConnectionResetError):
                assert open_connection.recv(1) == b""
    with pytest.raises(OSError, match="refused"):
        socket.create_connection((HOST, url.port or 0), timeout=30)


@contextmanager
def taken_port() -> Iterator[int]:
    """A port that nobody listens on, and that nobody else gets."""
    with socket.socket() as taken:
        taken.bind((HOST, 0))
        yield taken.getsockname()[1]
