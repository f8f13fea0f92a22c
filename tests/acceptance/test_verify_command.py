"""``robust verify``: one line for each check, and an exit code that can be relied on."""

from __future__ import annotations

import hashlib
import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from robust.canon import digest_value, parse_canonical
from robust.store.validations import FileJournal
from tests.run_fixtures import manifest_of, numbers, robust, run, sure, told, variant
from tests.unit.app.forging import StoredRun


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A manifest and a run of it that fails."""
    manifest = manifest_of({"total 2000": [("total  2000", "invariant")], "total 30": []})
    manifest.save(tmp_path / "m.manifest.jsonl")
    sections: dict[str, Any] = {"properties": {"variants": {}}, "requirements": {"min_accuracy": 0.5}}
    run(tmp_path, told({"total  2000": sure("no")}), manifest=manifest, **sections)
    return tmp_path


def test_evidence_that_holds_is_exit_code_0(folder: Path) -> None:
    """Every check of every path on a line of its own; integrity is all that is claimed."""
    done = robust("verify", "run", "m.manifest.jsonl", cwd=folder)
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert lines[0] == "run (run)"
    assert sum(line.startswith("  ok    ") for line in lines) == 8
    assert sum(line.startswith("  --    signature: none") for line in lines) == 2
    assert sum("integrity holds; nothing is signed" in line for line in lines) == 2
    assert sum(line.startswith("  not proven: who made it; that the oracle is right;") for line in lines) == 2
    assert "authentic" not in done.stdout


def test_the_result_can_be_read_by_programs(folder: Path) -> None:
    """As a list, one entry for each path, in their order."""
    done = robust("verify", "m.manifest.jsonl", "run", "--format", "json", cwd=folder)
    results = json.loads(done.stdout)
    assert [(item["path"], item["kind"], item["holds"]) for item in results] == [
        ("m.manifest.jsonl", "manifest", True),
        ("run", "run", True),
    ]
    names = ["report", "contract", "records and derivation", "records against the manifest", "time", "signature"]
    assert [check["name"] for check in results[1]["checks"]] == names
    assert (results[1]["authentic"], results[1]["signature"], results[1]["signers"]) == (False, "none", [])
    assert results[1]["not_proven"] == ["maker", "oracle", "unseen_data", "dates"]


def test_a_forged_report_is_exit_code_3_with_path_and_both_values(folder: Path) -> None:
    """E3: the failed run is declared to have passed, and every digest fits again."""
    forged = StoredRun(folder / "run")
    forged.report |= {"status": "pass", "exit_code": 0, "logical_status": "pass"}
    forged.fit_digests()
    forged.save()
    done = robust("verify", "run", cwd=folder)
    assert (done.returncode, done.stderr) == (3, "")
    assert (
        '  error[contradiction]: run/report.json: $.status: "pass" is stored, "fail" follows'
        in done.stdout.splitlines()
    )
    assert "integrity holds" not in done.stdout
    checks = json.loads(robust("verify", "run", "-f", "json", cwd=folder).stdout)[0]["checks"]
    problems = [problem for check in checks for problem in check["problems"]]
    assert {"code", "message", "file", "line", "path"} == set(problems[0])


def test_one_bad_path_among_good_ones_is_exit_code_3(folder: Path) -> None:
    """The others are shown all the same."""
    (folder / "run" / "report.json").unlink()
    done = robust("verify", "m.manifest.jsonl", "run", cwd=folder)
    assert done.returncode == 3
    assert "  FAIL  report" in done.stdout
    assert "integrity holds" in done.stdout


def test_a_path_that_cannot_be_checked_does_not_hide_the_others(folder: Path) -> None:
    """The others are shown, and the exit code is that of the worst."""
    done = robust("verify", "missing", "m.manifest.jsonl", cwd=folder)
    assert (done.returncode, done.stderr.split(":")[0]) == (2, "error[unreadable]")
    assert "integrity holds" in done.stdout


def test_a_case_that_was_changed_shows_beside_its_manifest(folder: Path) -> None:
    """A consistent forgery holds by itself; with the manifest at hand the record and both values are named."""
    forged = StoredRun(folder / "run")
    forged.records[1]["metadata"] = {"added": "later"}
    forged.fit_records()
    forged.fit_digests()
    assert forged.save().holds
    alone = robust("verify", "run", cwd=folder)
    assert (alone.returncode, "give the manifest too" in alone.stdout) == (0, True)
    done = robust("verify", "run", "m.manifest.jsonl", cwd=folder)
    assert done.returncode == 3
    assert "run/records.jsonl:2: $.metadata.added: record 'decision/b2'" in done.stdout


@pytest.mark.parametrize("name", ["missing", "notes.txt", "."])
def test_what_is_no_evidence_is_exit_code_2(folder: Path, name: str) -> None:
    """A missing path, an unknown file, a folder that is no run."""
    (folder / "notes.txt").write_text("hello", encoding="utf-8")
    done = robust("verify", name, cwd=folder)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"error[{'unreadable' if name == 'missing' else 'unknown_kind'}]: {name}: ")


@pytest.mark.parametrize("event", ["finished", "noted"])
def test_a_journal_is_no_evidence_and_not_called_damaged(folder: Path, event: str) -> None:
    """Whether its first entry is a record or an event."""
    record = variant(numbers("total 2000")[0], "total  2000", "invariant", "v1")
    with FileJournal(folder / "j.journal") as journal:
        if event == "finished":
            journal.put(record.key, record)
        else:
            journal.note(record.key, "validator_timeout")
    done = robust("verify", "j.journal", cwd=folder)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("error[unknown_kind]: j.journal: the journal of a batch; give the batch's output")


def test_a_run_can_be_moved(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    """E5: another place, another name, another working directory."""
    target = tmp_path_factory.mktemp("elsewhere") / "renamed run"
    shutil.move(folder / "run", target)
    assert robust("verify", target, cwd=folder).returncode == 0
    assert robust("verify", "renamed run", cwd=target.parent).returncode == 0


def test_an_auditor_needs_no_tool_to_check_the_digests(folder: Path) -> None:
    """With a hash function and JSON alone: the manifest's identity and the file digest of the records."""
    report = json.loads((folder / "run" / "report.json").read_bytes())
    header = (folder / "m.manifest.jsonl").read_bytes().split(b"\n")[0]
    records = (folder / "run" / "records.jsonl").read_bytes()
    assert report["manifest"]["digest"] == "sha256:" + hashlib.sha256(header).hexdigest()
    assert report["records"]["sha256"] == "sha256:" + hashlib.sha256(records).hexdigest()
    logical = {key: value for key, value in report.items() if key not in ("digest", "observed")}
    # These numbers need no special care, so sorted, compact JSON is canonical here.
    compact = json.dumps(logical, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()
    assert report["digest"] == "sha256:" + hashlib.sha256(compact).hexdigest() == digest_value(logical)
    assert parse_canonical((folder / "run" / "report.json").read_bytes()[:-1]) == report
