"""Manifests with files: every operation leaves one whose files can be verified."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from robust import Case, DataError, Manifest, ManifestError, UsageError, Validation, describe_media, verify
from tests.builders import said, verdict
from tests.run_fixtures import robust as run_command


def scan(folder: Path, name: str, content: bytes | None = None) -> Case:
    (folder / "scans").mkdir(parents=True, exist_ok=True)
    (folder / "scans" / f"{name}.png").write_bytes(content or name.encode())
    entry = describe_media(folder, f"scans/{name}.png")
    return Case(f"What does {name} show?", name, case_id=name, source_id=name, media=(entry,))


def test_saving_copies_files_beside_the_manifest(tmp_path: Path) -> None:
    """Checked; without a folder nothing is copied, and verifying says so."""
    manifest = Manifest.build("m", cases=[scan(tmp_path / "in", "a"), scan(tmp_path / "in", "b")])
    (tmp_path / "out").mkdir()
    manifest.save(tmp_path / "out" / "m.jsonl")
    assert not verify(tmp_path / "out" / "m.jsonl").holds
    manifest.save(tmp_path / "out" / "m.jsonl", overwrite=True, media_from=tmp_path / "in")
    assert verify(tmp_path / "out" / "m.jsonl").holds
    assert (tmp_path / "out" / "scans" / "b.png").read_bytes() == b"b"


def test_a_manifest_is_not_saved_when_a_file_is_missing(tmp_path: Path) -> None:
    """Nor is anything copied when the manifest could not be written."""
    manifest = Manifest.build("m", cases=[scan(tmp_path / "in", "a")])
    (tmp_path / "in" / "scans" / "a.png").write_bytes(b"changed")
    (tmp_path / "out").mkdir()
    with pytest.raises(DataError) as caught:
        manifest.save(tmp_path / "out" / "m.jsonl", media_from=tmp_path / "in")
    assert caught.value.code == "media_changed"
    assert list((tmp_path / "out").glob("*.jsonl")) == []
    (tmp_path / "in" / "scans" / "a.png").write_bytes(b"a")
    (tmp_path / "there").mkdir()
    (tmp_path / "there" / "m.jsonl").write_bytes(b"kept")
    with pytest.raises(UsageError):
        manifest.save(tmp_path / "there" / "m.jsonl", media_from=tmp_path / "in")
    assert not (tmp_path / "there" / "scans").exists()


def test_one_path_has_one_content(tmp_path: Path) -> None:
    """Also where paths differ by case alone, as some file systems do not tell them apart."""
    first, second = scan(tmp_path / "x", "a"), scan(tmp_path / "y", "a", b"other")
    for path in ("scans/a.png", "scans/A.png"):
        entry = second.media[0]
        other = Case("q", 1, case_id="b", source_id="b", media=(type(entry)(
            path=path, media_type="image/png", bytes=entry.bytes, sha256=entry.sha256),))  # fmt: skip
        with pytest.raises(ManifestError) as caught:
            Manifest.build("m", cases=[first, other])
        assert caught.value.code == "media_conflict"
        assert "'a'" in str(caught.value)


def test_commands_take_the_files_along(tmp_path: Path) -> None:
    """Merging from two folders into a third, and a subset of that into a fourth."""
    for name in ("one", "two"):
        manifest = Manifest.build(name, cases=[scan(tmp_path / name, name)])
        manifest.save(tmp_path / name / "m.jsonl")
    for folder in ("merged", "part", "split"):
        (tmp_path / folder).mkdir()
    commands = [
        ["manifest", "merge", "one/m.jsonl", "two/m.jsonl", "--name", "m", "-o", "merged/m.jsonl"],
        ["manifest", "subset", "merged/m.jsonl", "--id", "two", "-o", "part/m.jsonl"],
        ["manifest", "split", "merged/m.jsonl", "--fractions", "a=0.5,b=0.5", "-o", "split/m.jsonl"],
    ]
    for command in commands:
        assert run_command(*command, cwd=tmp_path).returncode == 0
    assert all(verify(tmp_path / folder / "m.jsonl").holds for folder in ("merged", "part", "split"))
    assert not (tmp_path / "part" / "scans" / "one.png").exists()
    (tmp_path / "two" / "scans" / "two.png").unlink()
    (tmp_path / "again").mkdir()
    done = run_command(*commands[0][:-1], "again/m.jsonl", cwd=tmp_path)
    assert done.returncode == 2
    assert done.stderr.startswith("error[media_missing]: case 'two': ")
    assert not (tmp_path / "again" / "m.jsonl").exists()
    done = run_command(*commands[0][:-1], "again/m.jsonl", "--media-from", "merged", cwd=tmp_path)
    assert done.returncode == 0


def test_building_takes_the_files_of_cases_and_of_validations_along(tmp_path: Path) -> None:
    """From stored cases and from records; a file that is missing leaves no manifest."""
    base = scan(tmp_path / "in", "base")
    candidate = replace(scan(tmp_path / "in", "other"), case_id="variant", source_id="base", expected=None)
    Validation.save_all(tmp_path / "in" / "records.jsonl", [said(verdict(True, "base", "other"), (base, candidate))])
    stored = json.dumps(scan(tmp_path / "in", "alone").to_json())
    (tmp_path / "in" / "cases.jsonl").write_text(stored + "\n", encoding="utf-8")
    (tmp_path / "out").mkdir()
    command = ["manifest", "build", "in/cases.jsonl", "--validations", "in/records.jsonl", "--name", "m"]
    done = run_command(*command, "-o", "out/m.jsonl", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert verify(tmp_path / "out" / "m.jsonl").holds
    names = sorted(path.name for path in (tmp_path / "out" / "scans").iterdir())
    assert names == ["alone.png", "base.png", "other.png"]
    (tmp_path / "in" / "scans" / "other.png").unlink()
    (tmp_path / "more").mkdir()
    done = run_command(*command, "-o", "more/m.jsonl", cwd=tmp_path)
    assert done.returncode == 2
    assert done.stderr.startswith("error[media_missing]: case 'variant': ")
    assert list((tmp_path / "more").glob("*.jsonl")) == []


def test_no_file_is_copied_for_a_manifest_that_breaks_a_rule(tmp_path: Path) -> None:
    """It is made in one go, or nothing is."""
    stored = json.dumps(scan(tmp_path / "in", "alone").to_json())
    (tmp_path / "in" / "cases.jsonl").write_text(f"{stored}\n", encoding="utf-8")
    (tmp_path / "out").mkdir()
    command = ("manifest", "build", "in/cases.jsonl", "in/cases.jsonl", "--name", "m", "-o", "out/m.jsonl")
    done = run_command(*command, cwd=tmp_path)
    assert done.returncode == 2
    assert done.stderr.startswith("error[duplicate_id]: ")
    assert list((tmp_path / "out").iterdir()) == []
