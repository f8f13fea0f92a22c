"""``robust check``: records of an application, good and hostile, through the command."""

from __future__ import annotations

import gzip
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from tests.production_files import record, records, write_contract, write_lines
from tests.report_readers import github_html, read_junit
from tests.run_fixtures import robust

PRODUCTION: dict[str, Any] = {
    "segments": ["region"],
    "requirements": {"min_accuracy": 0.1},
    "warnings": {"max_error_rate": 0.01},
    "segment_requirements": {"min_accuracy": 0.05},
}
ESCAPE = "\x1b[31mred\x1b]0;title\x07"
RIGHT_TO_LEFT = "\u202egnp.exe"


@pytest.fixture
def contract(tmp_path: Path) -> Path:
    """A contract file."""
    return write_contract(tmp_path / "contract.json", PRODUCTION)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A file of records."""
    return write_lines(tmp_path / "records.jsonl", records(200))


def test_the_exit_code_says_what_holds(contract: Path, file: Path, tmp_path: Path) -> None:
    """0 with a warning, 1 where that fails, 1 where a requirement does not hold, 2 where nothing can be read."""
    warned = robust("check", contract, "-d", file)
    assert (warned.returncode, warned.stdout.split()[0]) == (0, "WARN")
    assert robust("check", contract, "-d", file, "--fail-on-warn").returncode == 1
    strict = write_contract(tmp_path / "strict.json", {"requirements": {"min_accuracy": 0.999}})
    assert robust("check", strict, "-d", file).returncode == 1
    missing = robust("check", contract, "-d", tmp_path / "none.jsonl")
    assert (missing.returncode, missing.stdout) == (2, "")
    assert "error[unreadable]" in missing.stderr


def test_a_written_check_is_verified_shown_signed_and_compared_with(contract: Path, file: Path, tmp_path: Path) -> None:
    """From the records to the signature, in one line."""
    run = tmp_path / "run"
    assert robust("check", contract, "-d", file, "-o", run).returncode == 0
    alone = robust("verify", run)
    assert (alone.returncode, "integrity holds" in alone.stdout) == (0, True)
    with_records = robust("verify", run, file)
    assert with_records.returncode == 0
    assert "all counts and sums derived again from 200 records" in with_records.stdout
    for form in ("text", "json", "junit", "markdown", "html"):
        assert robust("report", run, "-f", form).returncode == 0, form
    refused = robust("report", run, "-f", "sarif")
    assert (refused.returncode, "unknown_format" in refused.stderr) == (2, True)
    assert robust("keys", "generate", "-o", tmp_path / "keys").returncode == 0
    key = tmp_path / "keys" / "signing.key.pem"
    assert robust("sign", run, "--key", key).returncode == 0
    public = tmp_path / "keys" / "signing.pub.pem"
    assert robust("verify", run, "--public-key", public, "--require-signature").returncode == 0
    later = robust("check", contract, "-d", file, "--baseline", run, "-f", "json")
    assert json.loads(later.stdout)["drift"]["accuracy_drop"]["value"] == 0
    again = robust("check", contract, "-d", file, "-o", run)
    assert (again.returncode, "not written over" in again.stderr) == (2, True)
    signed = robust("check", contract, "-d", file, "-o", run, "--overwrite", "--sign", key)
    assert signed.returncode == 0
    assert robust("verify", run, "--public-key", public, "--require-signature").returncode == 0


def test_an_edited_check_is_an_integrity_error(contract: Path, file: Path, tmp_path: Path) -> None:
    """With exit code 3, also where it is only shown or compared with."""
    run = tmp_path / "run"
    robust("check", contract, "-d", file, "-o", run)
    report = run / "report.json"
    report.write_bytes(report.read_bytes().replace(b'"status":"warn"', b'"status":"pass"', 1))
    for arguments in (("verify", run), ("report", run), ("check", contract, "-d", file, "--baseline", run)):
        done = robust(*arguments)
        assert (done.returncode, "report.json" in done.stdout + done.stderr) == (3, True), arguments


def test_segments_come_from_the_contract_or_from_the_command(contract: Path, file: Path) -> None:
    """Of which the command has the last word."""
    own = json.loads(robust("check", contract, "-d", file, "-f", "json").stdout)
    assert {segment["key"] for segment in own["segments"]} == {"region"}
    asked = json.loads(robust("check", contract, "-d", file, "-s", "tier", "-s", "none", "-f", "json").stdout)
    assert [*dict.fromkeys(segment["key"] for segment in asked["segments"])] == ["tier", "none"]
    (missing,) = [segment for segment in asked["segments"] if segment["key"] == "none"]
    assert (missing["id"], missing["counts"]["records"]) == ("segment[none=<missing>]", 200)


HOSTILE: dict[str, tuple[bytes, str, str]] = {
    "NaN": (b'{"probabilities":{"refund":NaN}}\n', "not_a_number", ":1:"),
    "a huge number": (json.dumps(record(cost=1)).encode().replace(b'"cost": 1', b'"cost": 1e999') + b"\n", "", ":1:"),
    "a number too large to be a cost": (json.dumps(record(cost=1e300)).encode() + b"\n", "wrong_value", "$.cost"),
    "a field that stands twice": (b'{"id":"a","id":"b"}\n', "duplicate_key", ":1:"),
    "a truncated last line": (json.dumps(record()).encode() + b"\n" + json.dumps(record()).encode()[:-9], "", ":2:"),
    "a broken middle": (b"\n".join([json.dumps(record()).encode()] * 30 + [b"{,}"] + [b"{}"] * 9), "", ":31:"),
    "nothing": (b"", "no_records", "records.jsonl"),
    "blank lines": (b"\n\r\n  \n", "no_records", "records.jsonl"),
    "no object": (b"[1]\n", "wrong_value", ":1"),
    "another decision": (json.dumps(record(decision="x")).encode(), "other_decision", "$.decision"),
    "not UTF-8": (json.dumps(record(id="a")).encode().replace(b'"a"', b'"\xff"') + b"\n", "not_utf8", ":1:"),
    "UTF-16": (json.dumps(record()).encode("utf-16"), "", ":1:"),
    "gzip": (gzip.compress(b"{}\n"), "compressed", "gzip"),
    "a lone surrogate": (json.dumps(record(id="\ud800")).encode() + b"\n", "", ":1:"),
    "nested deep": (
        json.dumps(record()).encode()[:-1] + b',"input":' + b"[" * 100_000 + b"]" * 100_000 + b"}",
        "",
        ":1:",
    ),
    "an object as a segment": (
        json.dumps(record(metadata={"region": {"a": 1}})).encode(),
        "bad_segment",
        "$.metadata.region",
    ),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_file_is_refused_with_its_place(contract: Path, tmp_path: Path, name: str) -> None:
    """And nothing is written."""
    data, code, place = HOSTILE[name]
    file = tmp_path / "records.jsonl"
    file.write_bytes(data)
    done = robust("check", contract, "-d", file, "-o", tmp_path / "run")
    assert (done.returncode, done.stdout) == (2, ""), done.stderr
    assert f"error[{code}" in done.stderr and place in done.stderr, done.stderr
    assert "Traceback" not in done.stderr and "internal" not in done.stderr
    assert not (tmp_path / "run").exists()


def test_one_huge_line_is_refused_without_being_taken_in(contract: Path, tmp_path: Path) -> None:
    """100 MB without a line feed."""
    file = tmp_path / "records.jsonl"
    with file.open("wb") as handle:
        handle.write(b'{"id":"')
        for _ in range(100):
            handle.write(b"x" * 1024 * 1024)
    done = robust("check", contract, "-d", file)
    assert (done.returncode, "error[too_large]" in done.stderr) == (2, True)


def test_a_mark_other_line_ends_and_no_last_line_feed_are_fine(contract: Path, tmp_path: Path) -> None:
    """As Windows writes files."""
    file = tmp_path / "records.jsonl"
    lines = [json.dumps(row) for row in records(20)]
    file.write_bytes(b"\xef\xbb\xbf" + "\r\n".join(lines).encode())
    done = robust("check", contract, "-d", file, "-f", "json")
    assert json.loads(done.stdout)["counts"]["records"] == 20


@pytest.mark.skipif(os.name != "posix", reason="there are no pipes with names")
def test_what_is_no_plain_file_is_refused(contract: Path, tmp_path: Path) -> None:
    """A folder and another ending; nobody waits for a pipe that nobody writes to."""
    folder = tmp_path / "folder.jsonl"
    folder.mkdir()
    assert "is a folder" in robust("check", contract, "-d", folder).stderr
    pipe = tmp_path / "pipe.jsonl"
    os.mkfifo(pipe)
    done = robust("check", contract, "-d", pipe, timeout=20)
    assert (done.returncode, "not_a_file" in done.stderr) == (2, True)
    table = tmp_path / "records.csv"
    table.write_text("decision\n", encoding="utf-8")
    assert "unknown_format" in robust("check", contract, "-d", table).stderr


def test_values_of_segments_are_inert_in_every_format(contract: Path, tmp_path: Path) -> None:
    """E2 for segments: no escape reaches a terminal, no markup a page."""
    values = [ESCAPE, RIGHT_TO_LEFT, "</script><script>alert(1)</script>", "a | b `c`", "=cmd|' /C calc'!A0", "]]>&"]
    rows = [record(outcome="refund", metadata={"region": value}) for value in values]
    run = tmp_path / "run"
    file = write_lines(tmp_path / "records.jsonl", rows)
    text = robust("check", contract, "-d", file, "-o", run)
    assert text.returncode == 0
    for form in ("text", "markdown", "junit", "html"):
        shown = robust("report", run, "-f", form).stdout
        assert "\x1b" not in shown and "\x07" not in shown and "\u202e" not in shown, form
        if form == "html":
            assert "<script>alert" not in shown
        if form == "markdown":
            assert "<script>" not in github_html(shown)
        if form == "junit":
            (tmp_path / "junit.xml").write_text(shown, encoding="utf-8")
            read_junit(tmp_path / "junit.xml")
    report = json.loads((run / "report.json").read_text(encoding="utf-8"))
    assert {segment["value"] for segment in report["segments"]} == {*values}
    assert robust("verify", run, file).returncode == 0


def test_many_segments_fit_every_format(tmp_path: Path) -> None:
    """E1 for segments: what is cut is counted."""
    contract = write_contract(tmp_path / "contract.json", PRODUCTION)
    rows = (record(outcome="reject", metadata={"region": f"region {number} {'x' * 150}"}) for number in range(400))
    file = write_lines(tmp_path / "records.jsonl", rows)
    run = tmp_path / "run"
    assert robust("check", contract, "-d", file, "-o", run).returncode == 1
    markdown = robust("report", run, "-f", "markdown").stdout
    assert len(markdown.encode()) <= 65_536 and "more in report.json" in markdown
    text = robust("report", run).stdout
    assert len(text.splitlines()) < 250 and "more: report.json has all of them" in text
    assert robust("report", run, "-f", "junit", "-o", tmp_path / "junit.xml").returncode == 1
    read_junit(tmp_path / "junit.xml")
    assert robust("verify", run).returncode == 0


def test_no_line_of_the_text_is_wider_than_a_terminal(contract: Path, file: Path) -> None:
    """Digests apart."""
    shown = robust("check", contract, "-d", file, "-s", "tier").stdout
    wide = [line for line in shown.splitlines() if len(line) > 80]
    assert all("sha256:" in line for line in wide), wide


@pytest.mark.skipif(os.name != "posix", reason="a kill is a signal")
def test_a_kill_leaves_no_report(contract: Path, tmp_path: Path) -> None:
    """And the same command then makes a whole one."""
    file = write_lines(tmp_path / "records.jsonl", records(3000))
    with file.open("ab") as handle:
        # So much that it is not done before it is killed.
        text = json.dumps(record()).encode() + b"\n"
        handle.write(text * 300_000)
    run = tmp_path / "run"
    command = [sys.executable, "-m", "robust", "check", *map(str, (contract, "-d", file, "-o", run))]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    deadline = time.monotonic() + 60
    while not run.exists() and time.monotonic() < deadline:
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.wait(60)
    assert not (run / "report.json").exists()
    small = write_lines(tmp_path / "small.jsonl", records(50))
    assert robust("check", contract, "-d", small, "-o", run).returncode == 0
    assert robust("verify", run, small).returncode == 0
