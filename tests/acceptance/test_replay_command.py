"""``robust replay`` and ``robust report`` from end to end: processes of their own, and a model behind a real socket."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from robust import run_contract
from robust.canon import canonical_bytes, parse_canonical
from tests.faults import FAULTS
from tests.run_fixtures import COMMAND, robust
from tests.servers import Server, decision_server, first_label

ROWS = [
    {"id": "one", "input": "A parcel is late. It is missed.", "expected": "complaint"},
    {"id": "zwei – 2", "input": {"text": "Where is it? Ich weiß nicht.", "kind": None}, "expected": "question"},
]
CONTRACT = """\
schema_version: "1"
decision: {{name: letters, type: choice, options: [complaint, question, praise]}}
backend: {{provider: http, url: {url}}}
backends:
  mended: {{provider: mock, default: {{complaint: 0.5, question: 0.3, praise: 0.2}}}}
dataset: cases.jsonl
oracles: {{policy: assumed}}
fuzz: {{text_field: text}}
properties:
  option_order: {{max_tv_distance: {limit}}}
  irrelevant_context: {{max_flip_rate: 0, insertions: 2}}
"""


def moody(content: Any, labels: Sequence[str]) -> list[float]:
    """Prefers whatever stands first, and praise where there is more than two sentences to read."""
    if str(content).count(".") > 2:
        return [0.9 if label == "praise" else 0.05 for label in labels]
    return first_label(content, labels)


def mended(_: Any, labels: Sequence[str]) -> list[float]:
    """A model without that fault."""
    return [{"complaint": 0.5, "question": 0.3, "praise": 0.2}[label] for label in labels]


def write_contract(folder: Path, url: str, *, name: str = "contract.yaml", limit: float = 0.1) -> None:
    """A contract for the model at an address."""
    (folder / name).write_text(CONTRACT.format(url=url, limit=limit), encoding="utf-8")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, Server, set[bytes]]]:
    """A folder with a contract and a run of it that failed, the model that still runs, and what was posted to it."""
    folder = tmp_path_factory.mktemp("replay")
    with decision_server(moody) as running:
        write_contract(folder, running.url)
        write_cases(folder)
        done = robust("run", "contract.yaml", "-o", "out", cwd=folder, env={"PYTHONHASHSEED": "1"})
        assert done.returncode == 1, done.stderr
        yield folder, running, bodies(running)


@pytest.fixture
def server(made: tuple[Path, Server, set[bytes]]) -> Server:
    """The model as it was when it was run, which nobody has asked since."""
    running = made[1]
    running.model, running.fault = moody, None
    running.seen.clear()
    running.seen.clear()
    return running


@pytest.fixture
def ran(made: tuple[Path, Server, set[bytes]], server: Server, tmp_path: Path) -> Path:
    """A copy of the folder."""
    return Path(shutil.copytree(made[0], tmp_path / "copy"))


def write_cases(folder: Path) -> None:
    """The data set."""
    (folder / "cases.jsonl").write_text("".join(json.dumps(row) + "\n" for row in ROWS), encoding="utf-8")


def failures_of(folder: Path) -> list[str]:
    """The ids of what failed, in the order of the records."""
    lines = (folder / "out" / "records.jsonl").read_bytes().splitlines()
    records: list[Any] = [parse_canonical(line) for line in lines]
    return [record["id"] for record in records if record.get("violations")]


def bodies(server: Server) -> set[bytes]:
    """What was posted."""
    return {seen.body for seen in server.seen if seen.method == "POST"}


def test_a_failure_found_in_one_process_is_replayed_in_another(
    made: tuple[Path, Server, set[bytes]], ran: Path, server: Server
) -> None:
    """Whatever its hash seed, its folder and its concurrency: the same requests, the same digest."""
    digests, shown = set(), set()
    for seed, concurrency in (("2", "1"), ("4242", "16")):
        options = ("--max-concurrency", concurrency)
        done = robust("replay", "out", *options, cwd=ran, env={"PYTHONHASHSEED": seed})
        assert (done.returncode, done.stderr) == (1, "")
        lines = done.stdout.splitlines()
        assert lines[0] == "FAIL  letters: default (http)"
        digests.add(lines[-1])
        shown.add(done.stdout)
    assert len(shown) == 1
    assert lines[-2].startswith("Replay digest ")
    assert bodies(server) <= made[2]
    names = failures_of(ran)
    assert {name.split("/")[0] for name in names} == {"option_order", "irrelevant_context"}
    found = [line.split(maxsplit=1)[1] for line in lines if line.startswith("  reproduced  ")]
    assert found == names
    elsewhere = robust("replay", ran / "out", "-f", "json", cwd=ran.parent)
    report = json.loads(elsewhere.stdout)
    assert digests == {report["digest"]}
    assert {(each["status"], each["same_answers"], each["regenerated"]) for each in report["results"]} == {
        ("reproduced", True, True)
    }


def test_one_failure_is_replayed_by_its_id(ran: Path, server: Server) -> None:
    """Its original, its transformed and its reduced form; ids hold what case ids hold."""
    name = next(name for name in failures_of(ran) if "zwei" in name)
    done = robust("replay", "out", "--id", name, "-f", "json", cwd=ran)
    assert done.returncode == 1
    (result,) = json.loads(done.stdout)["results"]
    assert result["id"] == name
    assert len(server.seen) == 2 + (result["reduced"] is not None)
    asked = [seen.json["case_id"] for seen in server.seen]
    assert asked == ["zwei – 2", *[name] * (len(asked) - 1)]


def test_a_mended_model_reproduces_nothing(ran: Path, server: Server) -> None:
    """Exit code 0."""
    server.model = mended
    done = robust("replay", "out", cwd=ran)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("PASS  letters: default (http)\n")
    assert done.stdout.count("  not reproduced  ") == len(failures_of(ran))


def test_another_backend_or_another_contract_answers(ran: Path, server: Server) -> None:
    """By -b one of the run's own contract, by --contract that of another file; the limits stay those that ran."""
    done = robust("replay", "out", "-b", "mended", cwd=ran)
    assert (done.returncode, server.seen) == (0, [])
    assert "the backend is not the one that ran" in done.stdout
    with decision_server(moody) as other:
        write_contract(ran, other.url, name="other.yaml", limit=1)
        assert robust("replay", "out", "--contract", "other.yaml", cwd=ran).returncode == 1
        assert len(other.seen) > 2
    assert server.seen == []
    unknown = robust("replay", "out", "-b", "mendet", cwd=ran)
    assert unknown.returncode == 2
    assert "did you mean 'mended'?" in unknown.stderr


def test_misuse_is_exit_code_2_and_asks_nobody(ran: Path, server: Server) -> None:
    """An unknown id with a suggestion, a missing folder, a file of something else."""
    name = failures_of(ran)[0]
    wrong = robust("replay", "out", "--id", name[:-1] + "77", cwd=ran)
    assert (wrong.returncode, wrong.stdout) == (2, "")
    assert wrong.stderr.startswith("error[unknown_id]: ids: the run has no record")
    assert "did you mean" in wrong.stderr
    missing = robust("replay", "nowhere", cwd=ran)
    assert (missing.returncode, missing.stderr) == (2, "error[unreadable]: nowhere: no such folder\n")
    other = robust("report", ".", cwd=ran)
    hint = "it holds run directories: give one of them, such as out"
    assert (other.returncode, other.stderr) == (2, f"error[unknown_kind]: .: this is no run directory; {hint}\n")
    assert server.seen == []


def test_a_run_that_was_tampered_with_is_exit_code_3(ran: Path, server: Server) -> None:
    """The place is named, and nobody is asked."""
    file = ran / "out" / "records.jsonl"
    lines = file.read_bytes().splitlines()
    record: Any = next(parsed for line in lines if (parsed := parse_canonical(line)).get("violations"))
    place = lines.index(canonical_bytes(record))
    record["violations"] = []
    lines[place] = canonical_bytes(record)
    file.write_bytes(b"\n".join([*lines, b""]))
    for arguments in (["replay", "out"], ["report", "out", "--contract", "contract.yaml"]):
        done = robust(*arguments, cwd=ran)
        assert (done.returncode, done.stdout) == (3, "")
        assert f"records.jsonl:{place + 1}: $.violations: " in done.stderr
    assert server.seen == []
    (ran / "out" / "report.json").unlink()
    unfinished = robust("report", "out", cwd=ran)
    assert unfinished.returncode == 3
    assert unfinished.stderr.startswith("error[unfinished]: out: ")


def test_a_server_that_is_gone_is_exit_code_2(tmp_path: Path) -> None:
    """With a health check at once, without one after every failure was found to be no success."""
    write_cases(tmp_path)
    with decision_server(moody) as server:
        write_contract(tmp_path, f"{server.url}, health_url: {server.health_url}")
        finished = run_contract(tmp_path / "contract.yaml", output=tmp_path / "out")
    unhealthy = robust("replay", "out", cwd=tmp_path)
    assert (unhealthy.returncode, unhealthy.stdout) == (2, "")
    assert unhealthy.stderr.startswith("error[unhealthy]: backend: ")
    done = robust("replay", "out", "--no-healthcheck", cwd=tmp_path)
    assert done.returncode == 2
    assert done.stdout.startswith("ERROR  letters: ")
    assert done.stdout.count("  not evaluated  ") == len(finished.failures)
    assert "the first unavailable:" in done.stdout


def _heed_interrupts() -> None:
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def test_an_interrupt_is_exit_code_130_and_leaves_the_run_as_it_was(ran: Path, server: Server) -> None:
    """While the model hangs."""
    before = {path.name: path.read_bytes() for path in (ran / "out").iterdir()}
    server.fault = FAULTS["hang"]
    with subprocess.Popen(
        [COMMAND, "replay", "out"],
        cwd=ran,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # A shell starts background jobs with the signal ignored, and that is inherited.
        preexec_fn=_heed_interrupts,  # noqa: PLW1509 - nothing else runs between fork and exec
    ) as process:
        deadline = time.monotonic() + 60
        while not server.seen:
            assert process.poll() is None and time.monotonic() < deadline
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        out, error = process.communicate(timeout=60)
    assert (process.returncode, out) == (130, "")
    assert error == "error[interrupted]: out: stopped; a replay keeps nothing; run it again\n"
    assert {path.name: path.read_bytes() for path in (ran / "out").iterdir()} == before


def test_no_more_calls_are_made_than_allowed(ran: Path, server: Server) -> None:
    """What is left then was not evaluated."""
    done = robust("replay", "out", "--max-calls", "2", "--max-concurrency", "1", cwd=ran)
    assert len(server.seen) == 2
    assert done.returncode == 2
    assert done.stdout.count("  not evaluated  ") == len(failures_of(ran))


def test_minimising_can_be_turned_off_and_on(ran: Path, server: Server) -> None:
    """Whatever the contract says."""
    fails = {}
    for option in ("--minimize", "--no-minimize"):
        done = robust("run", "contract.yaml", "-o", option.strip("-"), option, "-f", "json", cwd=ran)
        fails[option] = {item["id"]: item["reduced"] for item in json.loads(done.stdout)["failures"]["first"]}
    assert fails["--minimize"].keys() == fails["--no-minimize"].keys()
    assert any(fails["--minimize"].values())
    assert not any(fails["--no-minimize"].values())


def test_a_stored_run_is_shown_with_the_exit_code_of_the_run(ran: Path, server: Server) -> None:
    """The same report, whoever asks, and no model."""
    stored = parse_canonical((ran / "out" / "report.json").read_bytes()[:-1])
    shown = robust("report", "out", "-f", "json", cwd=ran)
    assert (shown.returncode, shown.stderr) == (1, "")
    assert json.loads(shown.stdout) == stored
    text = robust("report", "out", cwd=ran)
    assert text.returncode == 1
    assert "FAIL  letters: " in text.stdout
    assert server.seen == []


def test_stored_answers_are_judged_again_without_a_model(ran: Path, server: Server) -> None:
    """By an edited contract: its limits decide the exit code, and the report says that it was judged again."""
    write_contract(ran, server.url, name="edited.yaml", limit=1)
    lax = (ran / "edited.yaml").read_text(encoding="utf-8").replace("max_flip_rate: 0", "max_flip_rate: 1")
    (ran / "edited.yaml").write_text(lax, encoding="utf-8")
    done = robust("report", "out", "--contract", "edited.yaml", cwd=ran)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("Re-judged: ")
    assert "the run's own status is FAIL" in done.stdout
    assert any(line.startswith("PASS  letters: ") for line in done.stdout.splitlines())
    before = {path.name: path.read_bytes() for path in (ran / "out").iterdir()}
    inside = robust("report", "out", "--contract", "edited.yaml", "-o", "out/report.json", "--overwrite", cwd=ran)
    assert inside.returncode == 2
    assert inside.stderr.startswith("error[bad_output]: out/report.json: ")
    written = robust("report", "out", "--contract", "edited.yaml", "-f", "json", "-o", "new.json", cwd=ran)
    assert (written.returncode, written.stdout) == (0, "PASS  new.json\n")
    report = json.loads((ran / "new.json").read_text(encoding="utf-8"))
    assert (report["status"], report["rejudged"]["status"]) == ("pass", "fail")
    again = robust("report", "out", "-o", "new.json", cwd=ran)
    assert (again.returncode, again.stdout) == (2, "")
    assert again.stderr.startswith("error[exists]: new.json: ")
    assert {path.name: path.read_bytes() for path in (ran / "out").iterdir()} == before
    assert server.seen == []


def test_a_contract_that_asks_something_else_cannot_judge(ran: Path, server: Server) -> None:
    """Every difference is named with its line: exit code 2."""
    text = (ran / "contract.yaml").read_text(encoding="utf-8")
    (ran / "edited.yaml").write_text(text.replace("insertions: 2", "insertions: 3"), encoding="utf-8")
    done = robust("report", "out", "--contract", "edited.yaml", cwd=ran)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(
        "error[other_question]: edited.yaml:11: properties.irrelevant_context.insertions: the run had 2, this"
    )
