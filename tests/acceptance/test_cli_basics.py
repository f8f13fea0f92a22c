"""The command itself: help, exit codes, the form of errors, streams and terminals."""

from __future__ import annotations

import json
import os
import pty
import re
import subprocess
import sys
from pathlib import Path

import pytest

from robust.version import __version__
from tests.run_fixtures import COMMAND, manifest_of, robust

CONTRACT = """\
schema_version: "1"
decision: {name: q, type: noul}
backend: {provider: mock, default: {yes: 0.2, no: 0.8}}
dataset: cases.jsonl
requirements: {min_accuracy: 0.5}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a contract and a small data set."""
    (tmp_path / "contract.yaml").write_text(CONTRACT, encoding="utf-8")
    rows = "".join(f'{{"id": "c{n}", "input": "text {n}", "expected": "no"}}\n' for n in range(5))
    (tmp_path / "cases.jsonl").write_text(rows, encoding="utf-8")
    return tmp_path


def test_version_and_help_go_to_standard_output() -> None:
    """Exit code 0, and every command is listed."""
    version = robust("--version")
    assert (version.returncode, version.stdout, version.stderr) == (0, f"robust {__version__}\n", "")
    shown = robust("--help")
    assert shown.returncode == 0
    for command in ("run", "verify", "demo", "variants", "manifest"):
        assert re.search(rf"^\s+{command}\b", shown.stdout, re.MULTILINE), command


def test_a_version_is_shown_without_loading_anything_heavy() -> None:
    """Scripts ask for it and wait."""
    listed = subprocess.run(  # noqa: PLW1510 - the exit code is what is tested
        [sys.executable, "-X", "importtime", COMMAND, "--version"], capture_output=True, text=True, timeout=60
    )
    assert listed.returncode == 0
    for heavy in ("pydantic", "typer", "yaml", "orjson", "asyncio"):
        assert not re.search(rf"\| +{heavy}$", listed.stderr, re.MULTILINE), heavy


def test_a_run_loads_nothing_that_makes_or_audits_candidate_files(folder: Path) -> None:
    """Its start-up is paid by everybody who runs a contract."""
    command = [sys.executable, "-X", "importtime", str(COMMAND), "run", "contract.yaml", "-o", "run"]
    listed = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=60)  # noqa: PLW1510 - below
    loaded = set(re.findall(r"\| +(robust\.\S+)$", listed.stderr, re.MULTILINE))
    assert (listed.returncode, "robust.app.running" in loaded) == (0, True), listed.stderr[-2000:]
    apart = r"robust\.(app\.(auditing|pinned_audits|generating|hardness|reviewing)|transforms\.(planted|strategies))"
    assert {name for name in loaded if re.fullmatch(apart, name)} == set()


@pytest.mark.parametrize(
    "arguments",
    [["--nonsense"], ["nonsense"], ["run"], ["run", "c.yaml", "--split"], ["run", "c.yaml", "--format", "pdf"]],
)
def test_a_wrong_call_is_exit_code_2_with_a_message_on_standard_error(arguments: list[str]) -> None:
    """And nothing on standard output."""
    done = robust(*arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert "Error: " in done.stderr
    assert "Traceback" not in done.stderr


def test_an_error_has_code_place_fault_and_remedy(folder: Path) -> None:
    """error[CODE]: FILE:LINE: path: what is wrong; what to do. One line for each problem."""
    (folder / "contract.yaml").write_text(
        CONTRACT + "warnings: {min_acuracy: 1, max_error_rate: 2}\n", encoding="utf-8"
    )
    done = robust("run", "contract.yaml", cwd=folder)
    assert (done.returncode, done.stdout) == (2, "")
    faults = [
        ("wrong_value", "max_error_rate", "must be at most 1 (found 2)"),
        ("unknown_key", "min_acuracy", "there is no setting 'min_acuracy' here; did you mean 'min_accuracy'?"),
    ]
    lines = [f"error[{code}]: contract.yaml:6: warnings.{name}: {message}" for code, name, message in faults]
    assert done.stderr.splitlines() == lines
    assert sorted(path.name for path in folder.iterdir()) == ["cases.jsonl", "contract.yaml"]


def test_a_broken_line_is_placed_and_nothing_is_asked(folder: Path) -> None:
    """R4: file:143:column."""
    rows = [f'{{"id": "c{n}", "input": "x"}}' for n in range(1, 200)]
    rows[142] = '{"id": "c143", "input" "x"}'
    (folder / "cases.jsonl").write_text("\n".join(rows), encoding="utf-8")
    done = robust("run", "contract.yaml", "-o", "out", cwd=folder)
    assert done.returncode == 2
    assert done.stderr.startswith("error[json_syntax]: cases.jsonl:143:24: ")
    assert not (folder / "out").exists()


@pytest.mark.parametrize(
    ("text", "code", "line"),
    [
        ("id,input\na,b,c\n", "csv_cells", 2),
        ("id,input\na\n", "csv_cells", 2),
        ("id,input,input\na,b,c\n", "csv_header", 1),
        ('id,input\na,"b\nc\n', "csv_syntax", 2),
    ],
)
def test_a_faulty_row_of_a_table_is_placed(folder: Path, text: str, code: str, line: int) -> None:
    """R6: a missing cell, an extra one, a repeated header, an open quote."""
    (folder / "cases.csv").write_text(text, encoding="utf-8")
    done = robust("run", "contract.yaml", "--dataset", "cases.csv", cwd=folder)
    assert done.returncode == 2
    assert re.match(rf"error\[{code}\]: cases\.csv:{line}: ", done.stderr), done.stderr


def test_a_traceback_is_shown_on_request_only(folder: Path) -> None:
    """ROBUST_DEBUG=1; the messages stay."""
    plain = robust("run", "missing.yaml", cwd=folder)
    debug = robust("run", "missing.yaml", cwd=folder, env={"ROBUST_DEBUG": "1"})
    assert plain.returncode == debug.returncode == 2
    assert "Traceback" not in plain.stderr
    assert debug.stderr.startswith("Traceback (most recent call last)")
    assert debug.stderr.endswith(plain.stderr)


def test_a_reader_that_has_seen_enough_ends_the_command_silently(folder: Path) -> None:
    """| head -1 on an output much larger than the pipe."""
    variants = {f"total {2000 + n}": [(f"total  {2000 + n}", "invariant")] for n in range(60)}
    records = manifest_of(variants).validations
    (folder / "v.jsonl").write_bytes(b"".join(record.line() + b"\n" for record in records))
    done = subprocess.run(  # noqa: PLW1510 - the exit code is what is tested
        ["bash", "-c", f"set -o pipefail; {COMMAND} variants show v.jsonl --format json | head -1"],
        cwd=folder, capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    assert done.stdout.count("\n") == 1
    assert (done.returncode, done.stderr) == (0, "")


def _on_terminal(folder: Path, **env: str) -> str:
    """What the command shows on a pseudo-terminal."""
    leader, follower = pty.openpty()
    with subprocess.Popen(
        [COMMAND, "run", "contract.yaml", "-o", "out", "--overwrite"],
        cwd=folder, stdout=follower, stderr=follower, env={**os.environ, "TERM": "xterm", **env},
    ) as process:  # fmt: skip
        os.close(follower)
        shown = b""
        try:
            while chunk := os.read(leader, 4096):
                shown += chunk
        except OSError:  # how Linux says that the other end was closed
            pass
        process.wait(60)
    os.close(leader)
    return shown.decode()


def test_colours_follow_the_terminal_and_no_color(folder: Path) -> None:
    """The status alone is coloured; switched off by NO_COLOR and by a dumb terminal."""
    coloured = _on_terminal(folder, NO_COLOR="")
    assert coloured.startswith("\x1b[32m\x1b[1mPASS\x1b[0m")
    assert coloured.count("\x1b") == 3
    for env in ({"NO_COLOR": "1"}, {"TERM": "dumb"}):
        assert "\x1b" not in _on_terminal(folder, **env)


def test_e7_a_log_holds_no_control_characters(folder: Path) -> None:
    """E7: neither progress nor colours, even where a variable asks for colours."""
    for arguments in (["run", "contract.yaml", "-o", "out", "--overwrite"], ["verify", "out"], ["demo"], ["--help"]):
        done = robust(*arguments, cwd=folder, env={"FORCE_COLOR": "1", "TERM": "xterm"})
        assert done.returncode == 0
        assert all(char == "\n" or char.isprintable() for char in done.stdout + done.stderr), arguments


@pytest.mark.parametrize(
    ("env", "encoding", "data"),
    [
        ({"PYTHONIOENCODING": "cp1252"}, "cp1252", "数据.jsonl"),
        # What Python makes of a C locale when nobody helps it: no file name outside ASCII can be opened then.
        ({"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}, "ascii", "data.jsonl"),
        ({"LC_ALL": "C"}, "utf-8", "数据.jsonl"),
    ],
)
def test_r5_any_console_can_show_any_data(folder: Path, env: dict[str, str], encoding: str, data: str) -> None:
    """R5: emoji in labels, ids and file names are read, written, and printed as escapes where they must be."""
    (folder / "contract.yaml").write_text(
        'schema_version: "1"\ndecision: {name: q, type: choice, options: [👍, é]}\n'
        f"backend: {{provider: mock, default: {{👍: 1, é: 0}}}}\ndataset: {data}\nrequirements: {{min_accuracy: 1}}\n",
        encoding="utf-8",
    )
    (folder / data).write_text('{"id": "🙂", "input": "naïve 🙂", "expected": "é"}\n', encoding="utf-8")
    shown = subprocess.run(  # noqa: PLW1510 - the exit code is what is tested
        [COMMAND, "run", "contract.yaml", "-o", "out", "-f", "json"],
        cwd=folder, env={**os.environ, **env}, capture_output=True, timeout=60,
    )  # fmt: skip
    assert (shown.returncode, shown.stderr.splitlines()) == (1, [b"run out"])
    assert json.loads(shown.stdout.decode(encoding))["contract"]["labels"] == ["👍", "é"]
    assert '"naïve 🙂"'.encode() in (folder / "out" / "records.jsonl").read_bytes()
    text = robust("run", "contract.yaml", "-o", "out", "--overwrite", cwd=folder, env=env)
    assert (text.returncode, text.stderr) == (1, "")
    assert "FAIL  q" in text.stdout
