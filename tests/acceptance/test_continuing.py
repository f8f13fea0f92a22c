"""Runs that are killed, stopped, continued, cached and short of budget, with the command, over a real socket."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from robust import verify
from tests.servers import Server, decision_server

COMMAND = [sys.executable, "-m", "robust"]
CASES = 60


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a data set."""
    rows = [{"id": f"c{n}", "input": f"text {n}", "expected": "yes"} for n in range(CASES)]
    (tmp_path / "cases.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return tmp_path


def contract(folder: Path, url: str, **more: Any) -> None:
    """Write the contract: an http backend, four calls at once."""
    data = {
        "schema_version": "1",
        "decision": {"name": "q", "type": "noul"},
        "backend": {"provider": "http", "url": url},
        "dataset": "cases.jsonl",
        "requirements": {"min_accuracy": 0.5},
        "evaluation": {"max_concurrency": 4},
        **more,
    }
    (folder / "contract.json").write_text(json.dumps(data), encoding="utf-8")


def command(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the command to its end."""
    return subprocess.run(
        [*COMMAND, "run", "contract.json", "-o", "out", *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def stop_when_asked(folder: Path, server: Server, calls: int, kind: signal.Signals, *arguments: str) -> tuple[int, str]:
    """Start a run and send it a signal when the server has seen so many calls."""
    with subprocess.Popen(
        [*COMMAND, "run", "contract.json", "-o", "out", *arguments],
        cwd=folder,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),  # noqa: PLW1509 - nothing runs between
    ) as process:
        deadline = time.monotonic() + 60
        while len(server.seen) < calls:
            assert process.poll() is None and time.monotonic() < deadline
            time.sleep(0.002)
        process.send_signal(kind)
        _, error = process.communicate(timeout=60)
    return process.returncode, error


def slow(_content: Any, labels: Sequence[str]) -> list[float]:
    """A model that takes its time, so that a signal comes in the middle."""
    time.sleep(0.01)
    return [0.75, *[0.25 / (len(labels) - 1)] * (len(labels) - 1)]


def paid(server: Server) -> Counter[str]:
    """How often each case was asked."""
    return Counter(seen.json["case_id"] for seen in server.seen)


def report(folder: Path) -> Any:
    """The report of the run."""
    return json.loads((folder / "out" / "report.json").read_text(encoding="utf-8"))


def test_b4_a_run_that_is_killed_twice_pays_each_case_once(folder: Path) -> None:
    """Only the calls that were in flight when it was killed, of which nobody has the answer, are made again."""
    with decision_server(slow) as server:
        contract(folder, server.url)
        for calls in (15, 35):
            assert stop_when_asked(folder, server, calls, signal.SIGKILL)[0] == -signal.SIGKILL
            assert not (folder / "out" / "report.json").exists()
        done = command(folder)
        assert done.returncode == 0, done.stderr
        times = paid(server)
    assert len(times) == CASES
    assert max(times.values()) <= 3
    assert sum(times.values()) - CASES <= 2 * 4
    assert verify(folder / "out").holds
    assert sorted(path.name for path in (folder / "out").iterdir()) == ["contract.json", "records.jsonl", "report.json"]
    # Calls that were killed were never counted; all others are.
    assert CASES <= report(folder)["observed"]["calls"] <= sum(times.values())


def test_an_interrupted_run_says_how_to_go_on_and_pays_nothing_twice(folder: Path) -> None:
    """Ctrl-C: exit code 130, what was paid for is kept, and the finished run equals one that was never stopped."""
    with decision_server(slow) as server:
        contract(folder, server.url)
        code, error = stop_when_asked(folder, server, 20, signal.SIGINT)
        assert code == 130
        assert error == (
            "error[interrupted]: out: stopped; what was paid for is kept; run the same again with -o out "
            "(output=...) to go on\n"
        )
        assert command(folder).returncode == 0
        assert sum(paid(server).values()) - CASES <= 4
        stopped = report(folder)["evidence_digest"]
        assert command(folder, "--overwrite").returncode == 0
        assert report(folder)["evidence_digest"] == stopped


def test_without_a_cache_a_stopped_run_starts_anew(folder: Path) -> None:
    """--no-cache keeps nothing."""
    with decision_server(slow) as server:
        contract(folder, server.url)
        stop_when_asked(folder, server, 20, signal.SIGKILL, "--no-cache")
        assert command(folder, "--no-cache").returncode == 0
        assert len(server.seen) >= CASES + 20


def test_a_run_that_kept_answers_is_not_continued_without_them(folder: Path) -> None:
    """What was spent would be forgotten; the message says both ways on."""
    with decision_server(slow) as server:
        contract(folder, server.url)
        stop_when_asked(folder, server, 10, signal.SIGKILL)
        done = command(folder, "--no-cache")
        assert (done.returncode, "--overwrite" in done.stderr) == (2, True)
        assert command(folder, "--no-cache", "--overwrite").returncode == 0


def test_another_run_does_not_continue_what_was_stopped(folder: Path) -> None:
    """Other cases, another seed or another backend are named, with exit code 2, and nothing is asked."""
    with decision_server(slow) as server:
        contract(folder, server.url)
        stop_when_asked(folder, server, 10, signal.SIGKILL)
        before = len(server.seen)
        other = command(folder, "--seed", "7")
        assert other.returncode == 2
        assert "error[other_run]" in other.stderr
        assert "seed" in other.stderr
        contract(folder, server.url, evaluation={"max_concurrency": 4, "probability_tolerance": 0.01})
        assert "contract" in command(folder).stderr
        # Calls that were in flight when it was killed may have come in since.
        assert len(server.seen) <= before + 4


def test_b1_a_cache_is_used_by_the_next_run_and_by_no_other_model(folder: Path) -> None:
    """Answers over runs; another model is another key; the records say what was cached."""
    with decision_server() as server:
        contract(folder, server.url)
        assert command(folder, "--cache", "answers.sqlite").returncode == 0
        assert command(folder, "--cache", "answers.sqlite", "--overwrite").returncode == 0
        assert len(server.seen) == CASES
        assert report(folder)["observed"]["cached"] == CASES
        assert report(folder)["observed"]["calls"] == 0
        first = json.loads((folder / "out" / "records.jsonl").read_text(encoding="utf-8").split("\n")[0])
        assert first["observed"]["cached"] is True
        contract(folder, server.url, backend={"provider": "http", "url": server.url, "model": "other"})
        assert command(folder, "--cache", "answers.sqlite", "--overwrite").returncode == 0
        assert len(server.seen) == 2 * CASES


def test_b3_a_damaged_cache_is_said_and_asked_again(folder: Path) -> None:
    """A value that was changed in the file does not become an answer."""
    import sqlite3

    with decision_server() as server:
        contract(folder, server.url)
        assert command(folder, "--cache", "answers.sqlite").returncode == 0
        with sqlite3.connect(folder / "answers.sqlite") as database:
            database.execute("UPDATE answers SET value = substr(value, 1, 20) WHERE rowid <= 3")
        database.close()
        done = command(folder, "--cache", "answers.sqlite", "--overwrite")
        assert done.returncode == 0
        assert done.stderr.count("notice: ") == 3
        assert len(server.seen) == CASES + 3
        assert len(report(folder)["observed"]["notices"]) == 3


def test_a_cache_inside_the_folder_of_the_run_is_refused(folder: Path) -> None:
    """That folder holds its own files only."""
    contract(folder, "http://127.0.0.1:9/decide")
    done = command(folder, "--cache", "out/mine.sqlite")
    assert (done.returncode, done.stderr.startswith("error[bad_cache]")) == (2, True)


def test_a_spent_budget_keeps_the_run_and_counts_over_continuations(folder: Path) -> None:
    """Ten calls in all, however often it is stopped; the rest ends as budget_exhausted, and the run fails."""
    with decision_server(slow) as server:
        contract(folder, server.url, budget={"max_calls": 10})
        stop_when_asked(folder, server, 5, signal.SIGINT)
        done = command(folder)
        assert done.returncode == 1
        assert len(server.seen) <= 10 + 4
        kinds = report(folder)["errors_by_kind"]
        assert set(kinds) == {"budget_exhausted"}
        assert kinds["budget_exhausted"] >= CASES - 10
        assert verify(folder / "out").holds
        assert command(folder, "--max-calls", "3", "--overwrite").returncode == 1
        assert report(folder)["errors_by_kind"] == {"budget_exhausted": CASES - 3}


def test_b6_a_second_run_into_one_folder_stops_clearly(folder: Path) -> None:
    """While the first still runs."""
    release = threading.Event()

    def held(content: Any, labels: Sequence[str]) -> list[float]:
        release.wait(60)
        return slow(content, labels)

    with decision_server(held) as server:
        contract(folder, server.url)
        with subprocess.Popen(
            [*COMMAND, "run", "contract.json", "-o", "out"], cwd=folder, stdout=subprocess.DEVNULL
        ) as first:
            while not server.seen:
                time.sleep(0.002)
            second = command(folder)
            release.set()
            assert (second.returncode, "error[in_use]" in second.stderr) == (2, True)
            assert first.wait(timeout=60) == 0
    assert verify(folder / "out").holds


def test_b14_when_nothing_answers_the_exit_code_is_2_and_the_records_say_why(folder: Path) -> None:
    """Nobody listens on that port."""
    contract(folder, "http://127.0.0.1:9/decide")
    done = command(folder)
    assert done.returncode == 2
    records = [json.loads(line) for line in (folder / "out" / "records.jsonl").read_text("utf-8").splitlines()]
    assert {record["error"]["kind"] for record in records} == {"unavailable"}
    assert all(record["observed"]["message"] for record in records)


def test_an_unhealthy_backend_is_not_asked(folder: Path) -> None:
    """The health check comes first, and can be skipped."""
    with decision_server() as server:
        contract(
            folder,
            server.url,
            backend={"provider": "http", "url": server.url, "health_url": f"{server.health_url}?fault=status_503"},
        )
        done = command(folder)
        assert (done.returncode, "error[unhealthy]" in done.stderr) == (2, True)
        assert not [seen for seen in server.seen if seen.method == "POST"]
        assert command(folder, "--no-healthcheck").returncode == 0


def test_a_named_backend_is_run_under_its_name(folder: Path) -> None:
    """-b takes one of the contract's backends; an unknown name is an error with a suggestion."""
    with decision_server() as server:
        contract(folder, "http://127.0.0.1:9/decide", backends={"candidate": {"provider": "http", "url": server.url}})
        assert command(folder, "-b", "candidate").returncode == 0
        assert report(folder)["backend"]["name"] == "candidate"
        wrong = command(folder, "-b", "candidat", "--overwrite")
        assert (wrong.returncode, "'candidate'" in wrong.stderr) == (2, True)
