"""Media files: described, checked and copied, and nothing outside of a manifest's folder touched."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from typing import Any

import pytest

from robust import CaseError, DataError, Media, UsageError
from robust.store.media import check_media, copy_media, describe_media


@pytest.fixture
def source(tmp_path: Path) -> Path:
    folder = tmp_path / "source"
    (folder / "scans").mkdir(parents=True)
    (folder / "scans" / "a.png").write_bytes(b"picture")
    return folder


@pytest.fixture
def target(tmp_path: Path) -> Path:
    (tmp_path / "target").mkdir()
    return tmp_path / "target"


def entry(path: str = "scans/a.png", content: bytes = b"picture") -> tuple[str, Media]:
    return "c1", Media(
        path=path, media_type="image/png", bytes=len(content), sha256=hashlib.sha256(content).hexdigest()
    )


def refusal(*entries: tuple[str, Media], sources: list[Path], target: Path) -> list[str]:
    with pytest.raises(DataError) as caught:
        copy_media(entries, sources, target / "m.manifest.jsonl")
    return [problem.code for problem in caught.value.problems]


def test_a_file_is_described_by_what_it_is(source: Path) -> None:
    """Path, type, size and hash."""
    assert describe_media(source, "scans/a.png") == entry()[1]
    (source / "notes").write_bytes(b"")
    assert describe_media(source, "notes", "text/plain").bytes == 0


@pytest.mark.parametrize("path", ["../a.png", "/etc/hosts", "scans\\a.png", "a/../b.png", "con.png", "", "a. /b", 5])
def test_a_path_out_of_the_folder_is_refused(source: Path, path: Any) -> None:
    """Or one that another system could not store."""
    with pytest.raises(CaseError):
        describe_media(source, path)


def test_what_cannot_be_described_is_refused(source: Path, tmp_path: Path) -> None:
    """A missing file, a folder, a link out of the folder, a file of unknown type."""
    (tmp_path / "secret.png").write_bytes(b"x")
    (source / "link.png").symlink_to(tmp_path / "secret.png")
    for path in ("missing.png", "scans", "link.png"):
        with pytest.raises(UsageError) as caught:
            describe_media(source, path, "image/png")
        assert caught.value.code == "media_missing"
    with pytest.raises(CaseError) as unknown:
        describe_media(source, "scans/a.unheard-of")
    assert unknown.value.problems[0].path == "$.media.media_type"


def test_files_are_copied_with_their_folders(source: Path, target: Path) -> None:
    """Once, however many cases name them."""
    assert copy_media([entry(), ("c2", entry()[1])], [source], target / "m.manifest.jsonl") == 1
    assert (target / "scans" / "a.png").read_bytes() == b"picture"
    assert list(check_media(target, [entry()])) == []
    assert copy_media([entry()], [source], target / "m.manifest.jsonl") == 0


def test_the_folders_are_searched_in_their_order(source: Path, target: Path, tmp_path: Path) -> None:
    """A folder without the file is passed over."""
    assert copy_media([entry()], [tmp_path, source], target / "m.manifest.jsonl") == 1


def test_a_file_in_its_place_is_checked_and_never_written_over(source: Path, target: Path) -> None:
    """Not even by the right bytes."""
    (target / "scans").mkdir()
    (target / "scans" / "a.png").write_bytes(b"other")
    assert refusal(entry(), sources=[source], target=target) == ["media_changed"]
    assert (target / "scans" / "a.png").read_bytes() == b"other"


def test_every_problem_is_named_and_nothing_wrong_is_left_behind(source: Path, target: Path) -> None:
    """A missing file, and one with other bytes."""
    (source / "b.png").write_bytes(b"new bytes")
    found = refusal(entry("missing.png"), entry("b.png"), entry(), sources=[source], target=target)
    assert found == ["media_missing", "media_changed"]
    assert sorted(str(path.relative_to(target)) for path in target.rglob("*")) == ["scans", "scans/a.png"]


def test_no_link_leads_out_of_either_folder(source: Path, target: Path, tmp_path: Path) -> None:
    """Neither a file that is read, nor a folder that is written to."""
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "a.png").write_bytes(b"picture")
    (source / "linked.png").symlink_to(outside / "a.png")
    assert refusal(entry("linked.png"), sources=[source], target=target) == ["media_missing"]
    (target / "scans").symlink_to(outside, target_is_directory=True)
    (source / "scans" / "b.png").write_bytes(b"picture")
    assert refusal(entry("scans/b.png"), sources=[source], target=target) == ["media_outside"]
    assert [path.name for path in outside.iterdir()] == ["a.png"]
    assert [problem.code for problem in check_media(target, [entry("scans/a.png")])] == ["media_missing"]


def test_what_is_no_regular_file_is_not_read(source: Path, target: Path) -> None:
    """A pipe would be read for ever, and a link to itself never ends."""
    os.mkfifo(source / "pipe.png")
    (source / "loop.png").symlink_to(source / "loop.png")
    for path in ("pipe.png", "loop.png", "scans"):
        assert refusal(entry(path), sources=[source], target=target) == ["media_missing"]


@pytest.mark.parametrize("leads_to", ["scans", "nowhere"])
def test_a_link_that_leads_nowhere_is_no_folder(source: Path, target: Path, leads_to: str) -> None:
    """To itself, or to what is not there."""
    (target / "scans").symlink_to(target / leads_to)
    assert refusal(entry(), sources=[source], target=target) == ["media_outside"]


@pytest.mark.parametrize("path", ["m.manifest.jsonl", "M.Manifest.jsonl", "m.manifest.jsonl/a.png"])
def test_no_file_takes_the_place_of_the_one_that_is_written(source: Path, target: Path, path: str) -> None:
    """It would be written over; where upper and lower case are one, too."""
    (source / path).parent.mkdir(exist_ok=True)
    (source / path).write_bytes(b"picture")
    assert refusal(entry(path), sources=[source], target=target) == ["media_conflict"]
    assert list(target.iterdir()) == []
