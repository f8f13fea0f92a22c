"""Verifying manifests, validation files, run directories and media as they lie on disk."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from robust import Case, Check, Manifest, Media, UsageError, Validation, Verification, verify
from robust.canon import canonical_bytes, digest_value, parse_canonical
from tests.run_fixtures import manifest_of, numbers, run, variant
from tests.unit.app.forging import root_of

VARIANTS = {"total 2000": [("total  2000", "invariant")], "total 30": []}


def _run(folder: Path, name: str = "run") -> Path:
    sections: dict[str, Any] = {"properties": {"variants": {}}}
    return run(folder, name=name, manifest=manifest_of(VARIANTS), **sections).path


def _manifest(folder: Path) -> Path:
    manifest_of(VARIANTS).save(folder / "m.jsonl")
    return folder / "m.jsonl"


def _validations(folder: Path) -> Path:
    base = numbers("total 2000")[0]
    texts = {"total  2000": "invariant", "total 20": "counterfactual", "total 30": "invariant"}
    records = [variant(base, text, relation, f"v{index}") for index, (text, relation) in enumerate(texts.items())]
    Validation.save_all(folder / "v.jsonl", records)
    return folder / "v.jsonl"


def _codes(verified: Verification) -> list[str]:
    return [problem.code for check in verified.checks for problem in check.problems]


def _named(verified: Verification, name: str) -> Check:
    return next(check for check in verified.checks if check.name == name)


@pytest.mark.parametrize(("make", "kind"), [(_run, "run"), (_manifest, "manifest"), (_validations, "validations")])
def test_what_was_written_verifies_whatever_it_is_called(
    tmp_path: Path, make: Callable[[Path], Path], kind: str
) -> None:
    """The kind is told by content, and every check says what it found."""
    verified = verify(make(tmp_path))
    assert (verified.kind, verified.holds, verified.exit_code) == (kind, True, 0)
    assert all(check.detail for check in verified.checks)
    assert json.loads(json.dumps(verified.to_json()))["holds"] is True


def test_validations_are_counted_by_status(tmp_path: Path) -> None:
    """Invalid ones are evidence too."""
    assert _named(verify(_validations(tmp_path)), "digests and derivation").detail == "1 invalid, 2 valid"


def test_a_run_that_was_moved_and_renamed_verifies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """E5: from another directory, by another name, through a link, by a relative path."""
    moved = tmp_path / "archive" / "2026: evidence"
    moved.parent.mkdir()
    _run(tmp_path).rename(moved)
    (tmp_path / "link").symlink_to(moved)
    monkeypatch.chdir(moved.parent)
    assert verify(moved).holds
    assert verify(Path("2026: evidence")).holds
    assert verify(tmp_path / "link").holds


def test_an_embedded_validation_cannot_be_turned_around(tmp_path: Path) -> None:
    """G9: status set to invalid and every digest computed again; the status does not follow."""
    lines = [parse_canonical(line) for line in _validations(tmp_path).read_bytes().split(b"\n")[:-1]]
    for field, value in (
        ("status", "invalid"),
        ("status", "unknown"),
        ("issues", ["rejected"]),
        ("strength", "relation"),
    ):
        record = {**lines[0], field: value}
        record["digest"] = digest_value(
            {key: item for key, item in record.items() if key not in ("digest", "observed")}
        )
        (tmp_path / "forged.jsonl").write_bytes(canonical_bytes(record) + b"\n")
        verified = verify(tmp_path / "forged.jsonl")
        assert verified.exit_code == 3
        assert _named(verified, "digests and derivation").problems[0].path == f"$.{field}"


def test_a_manifest_with_a_turned_validation_is_refused(tmp_path: Path) -> None:
    """G9 inside a manifest, with record digest, references, order and root made to fit."""
    header, *lines = [parse_canonical(line) for line in _manifest(tmp_path).read_bytes().split(b"\n")[:-1]]
    record = next(line for line in lines if line["kind"] == "validation")["validation"]
    old = record["digest"]
    record["status"] = "invalid"
    record["digest"] = digest_value({key: item for key, item in record.items() if key != "digest"})
    for line in lines:
        if line.get("validation") == old:
            line["validation"] = record["digest"]
    raw = [canonical_bytes(line) for line in lines]
    header["root"] = root_of(raw)
    (tmp_path / "forged.jsonl").write_bytes(b"".join(line + b"\n" for line in (canonical_bytes(header), *raw)))
    verified = verify(tmp_path / "forged.jsonl")
    assert verified.exit_code == 3
    assert [problem.path for check in verified.checks for problem in check.problems] == ["$.validation.status"]


def _cut(data: bytes) -> bytes:
    return data[:-10]


def _drop(data: bytes) -> bytes:
    return b"".join(data.splitlines(keepends=True)[:-1])


def _double(data: bytes) -> bytes:
    return data + data.splitlines(keepends=True)[-1]


def _swap(data: bytes) -> bytes:
    lines = data.splitlines(keepends=True)
    lines[-1], lines[-2] = lines[-2], lines[-1]
    return b"".join(lines)


def _windows(data: bytes) -> bytes:
    return data.replace(b"\n", b"\r\n")


def _blank(data: bytes) -> bytes:
    return data + b"\n"


def _repeat_key(data: bytes) -> bytes:
    return re.sub(rb'"([a-z_]+)":', rb'"\1":0,"\1":', data, count=1)


def _spaced(data: bytes) -> bytes:
    return data.replace(b'":', b'": ', 1)


DAMAGES = [_cut, _drop, _double, _swap, _windows, _blank, _repeat_key, _spaced]


@pytest.mark.parametrize("damage", DAMAGES)
def test_damaged_records_of_a_run_are_found(tmp_path: Path, damage: Callable[[bytes], bytes]) -> None:
    """Torn, dropped, doubled, swapped, respelled: exit code 3, the file named."""
    file = _run(tmp_path) / "records.jsonl"
    file.write_bytes(damage(file.read_bytes()))
    verified = verify(file.parent)
    assert verified.exit_code == 3
    named = {problem.file for check in verified.checks for problem in check.problems}
    assert named & {str(file), str(file.parent / "report.json")}


@pytest.mark.parametrize("damage", DAMAGES)
@pytest.mark.parametrize("make", [_manifest, _validations])
def test_damaged_manifests_and_validation_files_are_found(
    tmp_path: Path, make: Callable[[Path], Path], damage: Callable[[bytes], bytes]
) -> None:
    """Where lines can be dropped or swapped without a trace (validations), the count and file digest still show it."""
    file = make(tmp_path)
    before = verify(file)
    file.write_bytes(damage(file.read_bytes()))
    verified = verify(file)
    if make is _validations and damage in (_drop, _double, _swap):
        assert verified.checks[0].detail != before.checks[0].detail
        return
    assert verified.exit_code == 3


@pytest.mark.parametrize("name", ["report.json", "records.jsonl", "contract.json"])
def test_an_incomplete_run_is_found(tmp_path: Path, name: str) -> None:
    """A missing file, an empty one, a folder in its place, a torn one."""
    path = _run(tmp_path)
    data = (path / name).read_bytes()
    for content in (b"", data[:-1], data[: len(data) // 2], b"null\n", b"[]\n", b"\xff\n", b"{}\n"):
        (path / name).write_bytes(content)
        assert verify(path).exit_code == 3, content[:20]
    (path / name).unlink()
    assert _codes(verify(path)) == ["unfinished" if name == "report.json" else "missing_file"]
    (path / name).mkdir()
    assert verify(path).exit_code == 3


@pytest.mark.parametrize("name", ["report.json", "records.jsonl", "contract.json"])
def test_files_of_two_runs_do_not_mix(tmp_path: Path, name: str) -> None:
    """Each is whole in itself, together they contradict each other."""
    mine = _run(tmp_path)
    sections: dict[str, Any] = {"requirements": {"min_accuracy": 0.5}}
    theirs = run(tmp_path, name="theirs", dataset=numbers("number 5"), **sections).path
    shutil.copy(theirs / name, mine / name)
    assert verify(mine).exit_code == 3


def test_what_cannot_be_verified_is_a_usage_error(tmp_path: Path) -> None:
    """Missing paths and unknown kinds: exit code 2, the path named."""
    (tmp_path / "notes.txt").write_text("hello\n", encoding="utf-8")
    (tmp_path / "other.json").write_text('{"schema": "something/1"}\n', encoding="utf-8")
    (tmp_path / "empty").mkdir()
    (tmp_path / "empty.txt").write_bytes(b"")
    for name in ("missing", "notes.txt", "other.json", "empty", "empty.txt"):
        with pytest.raises(UsageError) as caught:
            verify(tmp_path / name)
        assert caught.value.exit_code == 2
        assert caught.value.problems[0].file == str(tmp_path / name)


@pytest.mark.parametrize("name", ["a.manifest.jsonl", "records.jsonl"])
def test_an_empty_evidence_file_is_damaged(tmp_path: Path, name: str) -> None:
    """It can be opened and holds nothing: exit code 3."""
    (tmp_path / name).write_bytes(b"")
    assert verify(tmp_path / name).exit_code == 3


def _with_media(folder: Path) -> Path:
    (folder / "img").mkdir(parents=True)
    (folder / "img" / "a.png").write_bytes(b"picture")
    digest = hashlib.sha256(b"picture").hexdigest()
    media = (Media(path="img/a.png", media_type="image/png", bytes=7, sha256=digest),)
    Manifest.build("pictures", cases=[Case("what is it?", case_id="a", source_id="a", media=media)]).save(
        folder / "m.jsonl"
    )
    return folder / "m.jsonl"


def test_media_files_are_hashed_again(tmp_path: Path) -> None:
    """Equal bytes hold; changed, missing and hidden ones do not, and case and file are named."""
    file = _with_media(tmp_path)
    picture = tmp_path / "img" / "a.png"
    assert _named(verify(file), "media files").detail == "1 files have their digests"
    picture.write_bytes(b"picturE")
    assert _codes(verify(file)) == ["media_changed"]
    picture.unlink()
    verified = verify(file)
    assert _codes(verified) == ["media_missing"]
    problem = _named(verified, "media files").problems[0]
    assert (problem.file, problem.path) == (str(picture), "case 'a'")


def test_media_outside_the_folder_are_refused(tmp_path: Path) -> None:
    """Also through a link, with the right bytes; a link inside the folder is fine."""
    file = _with_media(tmp_path / "folder")
    picture = tmp_path / "folder" / "img" / "a.png"
    picture.rename(tmp_path / "elsewhere.png")
    picture.symlink_to(tmp_path / "elsewhere.png")
    assert _codes(verify(file)) == ["media_missing"]
    picture.unlink()
    shutil.copy(tmp_path / "elsewhere.png", tmp_path / "folder" / "real.png")
    picture.symlink_to(tmp_path / "folder" / "real.png")
    assert verify(file).holds
