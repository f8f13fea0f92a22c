"""``docs/models.md``: every block on the page is executed, or read by the code that it is meant for."""

from __future__ import annotations

import json
import math
import os
import re
import socket
import subprocess
import sys
import threading
import time
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from robust import Guard
from robust.app.models import build_backend
from robust.store.contracts import load_contract
from tests.programs import ROOT
from tests.run_fixtures import COMMAND, robust

PAGE = (ROOT / "docs" / "models.md").read_text(encoding="utf-8")
PORT = 8000


class Block(NamedTuple):
    """A block of the page: its language and its text."""

    language: str
    text: str


BLOCKS = [Block(*found) for found in re.findall(r"^```(\w+)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)]
CONTRACT = next(block.text for block in BLOCKS if block.text.startswith("# contract.yaml\n"))
TICKETS, *WIRE = [block.text for block in BLOCKS if block.language == "json"]
SECTIONS = {
    re.findall(r"provider: ([\w-]+)", block.text)[0]: block.text
    for block in BLOCKS
    if block.language == "yaml" and block.text != CONTRACT
}
MODULES = {
    found[1]: block.text
    for block in BLOCKS
    if block.language == "python" and (found := re.match(r"# (\w+\.py)\n", block.text))
}
SCRIPTS = [block.text for block in BLOCKS if block.language == "python" and block.text not in MODULES.values()]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the page's contract and data, which is the current one."""
    (tmp_path / "contract.yaml").write_text(CONTRACT, encoding="utf-8")
    (tmp_path / "tickets.jsonl").write_text(TICKETS, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def _with_backend(section: str, port: int = PORT) -> str:
    """The page's contract with another backend, which is on this port."""
    replaced = re.sub(r"^backend: callable.*\n", lambda _: section, CONTRACT, count=1, flags=re.MULTILINE)
    assert section in replaced
    return replaced.replace(f":{PORT}/", f":{port}/")


def test_no_block_escapes_these_tests() -> None:
    """Each is of a language that is looked at below."""
    assert PAGE.count("\n```") == 2 * len(BLOCKS)
    assert {block.language for block in BLOCKS} == {"yaml", "json", "python", "toml", "console"}
    assert set(SECTIONS) == {"http", "openai", "systemone", "keywords"}
    assert set(MODULES) == {"server.py", "triage_backends.py"}
    assert len(WIRE) == 2
    assert len(SCRIPTS) == 4


@pytest.mark.parametrize(
    ("script", "printed"),
    [
        ("def model(request):  # request.input", r"pass runs/triage-\S+\n"),
        ("async def ask(request)", r"fail 0\.33+\n"),
        ("from sklearn", r"pass sklearn\.pipeline\.Pipeline\n"),
        ("with Guard.from_contract", r"accept refund 0\.94\nexception\n"),
    ],
)
def test_what_the_page_runs_does_what_it_says(
    folder: Path, script: str, printed: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each script, as a program of its own would run it."""
    (text,) = [each for each in SCRIPTS if script in each]
    exec(compile(text, "docs/models.md", "exec"), {"__name__": "__main__"})  # noqa: S102 - it is our own page
    assert re.fullmatch(printed, capsys.readouterr().out)


@pytest.mark.parametrize("provider", ["http", "openai", "systemone"])
def test_each_backend_section_builds_its_backend(folder: Path, provider: str) -> None:
    """Offline, and without the credentials that it names."""
    (folder / "c.yaml").write_text(_with_backend(SECTIONS[provider]), encoding="utf-8")
    identity = build_backend(load_contract(folder / "c.yaml")).identity
    assert identity.provider == provider


def test_every_setting_in_the_table_has_the_default_that_it_says(folder: Path) -> None:
    """A table goes stale where nothing reads it."""
    (folder / "c.yaml").write_text(_with_backend(SECTIONS["http"]), encoding="utf-8")
    config: Any = load_contract(folder / "c.yaml").backend
    (table,) = re.findall(r"\| setting \| default \| meaning \|\n\| --- .*?\n(.*?)\n\n", PAGE, re.DOTALL)
    told: dict[str, str] = {}
    for row in table.splitlines():
        names, defaults, _ = (cell.strip() for cell in row.strip("|").split("|", maxsplit=2))
        found = re.findall(r"`(\w+)`", names)
        told |= dict(zip(found, defaults.split(", ") * len(found), strict=False))
    assert set(told) == set(type(config).model_fields) - {"provider", "url", "model"}
    for name, default in told.items():
        value = getattr(config, name)
        assert (not value and default == "none") or float(default) == value, name


@contextmanager
def _serving(program: str, folder: Path) -> Iterator[int]:
    """The page's server in a process of its own, on a free port."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    (folder / "server.py").write_text(program.replace(str(PORT), str(port)), encoding="utf-8")
    with subprocess.Popen([sys.executable, "server.py"], cwd=folder, stderr=subprocess.DEVNULL) as process:
        try:
            deadline = time.monotonic() + 30
            while not _answers(port):
                assert process.poll() is None
                assert time.monotonic() < deadline
                time.sleep(0.02)
            yield port
        finally:
            process.kill()


def _answers(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def test_the_server_of_the_page_answers_a_contract(folder: Path) -> None:
    """A whole run over a real connection, and a single decision."""
    with _serving(MODULES["server.py"], folder) as port:
        (folder / "c.yaml").write_text(_with_backend(SECTIONS["http"], port), encoding="utf-8")
        with Guard.from_contract(folder / "c.yaml") as guard:
            result = guard.decide("x").result
        done = robust("run", "c.yaml", "-o", "out", cwd=folder)
    assert (result.provider, result.model) == ("http", "demo")
    assert set(result.probabilities.values()) == {1 / 3}
    assert done.returncode == 1  # one in three is right, less than the page's gate asks for
    assert json.loads((folder / "out" / "report.json").read_bytes())["counts"]["errors"] == 0


class _Recorder(ThreadingHTTPServer):
    """A server that keeps what it was sent and gives one answer to everything."""

    def __init__(self, answer: Any) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.answer = json.dumps(answer).encode()
        self.seen: list[Any] = []


class _Handler(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        """Keep the body, and give the answer."""
        server: Any = self.server
        server.seen.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
        self.send_response(200)
        self.send_header("Content-Length", str(len(server.answer)))
        self.end_headers()
        self.wfile.write(server.answer)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the name of the standard library
        """Say nothing."""


@contextmanager
def _recording(answer: Any) -> Iterator[_Recorder]:
    with _Recorder(answer) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()


def _decide(folder: Path, provider: str, answer: Any) -> tuple[Any, Any]:
    """What is sent, and the result, when a server gives this answer."""
    with _recording(answer) as server:
        section = _with_backend(SECTIONS[provider], server.server_address[1])
        (folder / "c.yaml").write_text(section, encoding="utf-8")
        with Guard.from_contract(folder / "c.yaml") as guard:
            decision = guard.decide("I want my money back", case_id="t1")
    return server.seen, decision


def test_the_wire_format_on_the_page_is_what_is_sent_and_read(folder: Path) -> None:
    """To the letter."""
    sent, answer = (json.loads(text) for text in WIRE)
    seen, decision = _decide(folder, "http", answer)
    assert seen == [sent]
    assert decision.result.probabilities == answer["probabilities"]
    assert (decision.result.model, decision.result.model_version) == (answer["model"], answer["model_version"])
    assert decision.fallback_backend == "spare"


def test_the_chat_section_of_the_page_reads_a_chat_answer(folder: Path) -> None:
    """The letters' probabilities, given that one of them is answered."""
    tops = [{"token": token, "logprob": math.log(share)} for token, share in (("A", 0.8), ("B", 0.1), ("C", 0.1))]
    content = [{"token": "A", "logprob": math.log(0.8), "top_logprobs": tops}]
    choice = {"index": 0, "message": {"role": "assistant", "content": "A"}, "logprobs": {"content": content}}
    seen, decision = _decide(folder, "openai", {"model": "small-instruct", "choices": [choice]})
    assert (seen[0]["model"], seen[0]["temperature"]) == ("small-instruct", 0)
    assert decision.result.probabilities == pytest.approx({"refund": 0.8, "repair": 0.1, "other": 0.1})
    assert decision.observed["label_mass"] == pytest.approx(1)


def test_the_system_one_section_of_the_page_reads_such_an_answer(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the question that it names."""
    monkeypatch.setenv("KEV_TOKEN", "a-token-for-this-test")
    probabilities = {"refund": 0.95, "repair": 0.03, "other": 0.02}
    answer = {"type": "choice", "choice": "refund", "probabilities": probabilities}
    seen, decision = _decide(folder, "systemone", {"model": "kev-1", "answers": {"triage": answer}})
    assert seen[0]["questions"]["triage"]["instructions"] == "What does the customer want?"
    assert decision.result.probabilities == probabilities
    assert (decision.action, decision.result.model) == ("accept", "kev-1")


def test_the_plugin_of_the_page_is_found_once_it_is_installed(folder: Path) -> None:
    """By its entry point, in a process that has the package on its path; its own error is shown."""
    packages = folder / "packages"
    metadata = packages / "triage_backends-1.dist-info"
    metadata.mkdir(parents=True)
    (packages / "triage_backends.py").write_text(MODULES["triage_backends.py"], encoding="utf-8")
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: triage-backends\nVersion: 1\n", encoding="utf-8")
    (toml,) = [tomllib.loads(block.text) for block in BLOCKS if block.language == "toml"]
    points = toml["project"]["entry-points"]["robust.backends"]
    entries = "".join(f"{name} = {value}\n" for name, value in points.items())
    (metadata / "entry_points.txt").write_text(f"[robust.backends]\n{entries}", encoding="utf-8")
    (folder / "c.yaml").write_text(_with_backend(SECTIONS["keywords"]), encoding="utf-8")
    wrong = SECTIONS["keywords"].replace("refund: money", "refnd: money")
    (folder / "wrong.yaml").write_text(_with_backend(wrong), encoding="utf-8")
    environment = {"PYTHONPATH": str(packages)}
    done = robust("decide", "c.yaml", "I want my money back", cwd=folder, env=environment)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines()[:3] == [
        "fallback to spare  triage: refund",
        "  confidence 0.8, route 2, from 0.6 up",
        "  by keywords-1 (keywords)",
    ]
    refused = robust("decide", "wrong.yaml", "x", cwd=folder, env=environment)
    assert (refused.returncode, refused.stdout) == (2, "")
    assert "there is no label 'refnd'" in refused.stderr
    missing = robust("decide", "c.yaml", "x", cwd=folder)
    assert missing.stderr.startswith("error[unknown_provider]: c.yaml:")


def test_the_commands_of_the_page_run(folder: Path) -> None:
    """As they stand, in a shell; the JSON form is JSON."""
    (folder / "ticket.txt").write_text("please fix the screen\n", encoding="utf-8")
    (console,) = [block.text for block in BLOCKS if block.language == "console"]
    commands = [line.removeprefix("$ ") for line in console.splitlines() if line.startswith("$ ")]
    assert len(commands) == 3
    path = os.pathsep.join((str(COMMAND.parent), os.environ["PATH"]))
    for command in commands:
        done = subprocess.run(  # noqa: S602 - it is our own page
            command,
            shell=True,
            cwd=folder,
            env={**os.environ, "PATH": path},
            capture_output=True,
            text=True,
            encoding="utf-8",
            check=False,
        )
        assert (done.returncode, done.stderr) == (0, ""), command
        assert ("-f json" in command) == done.stdout.startswith("{")
