"""Files of inputs within one manifest: where they can lie beside each other, and which inputs they make equal."""

from __future__ import annotations

import hashlib

import pytest

from robust import Case, Manifest, ManifestError, Media


def seen(case_id: str, *files: tuple[str, bytes], split: str = "dev") -> Case:
    media = tuple(
        Media(path=path, media_type="image/png", bytes=len(content), sha256=hashlib.sha256(content).hexdigest())
        for path, content in files
    )
    return Case("What is it?", 1, case_id=case_id, source_id=case_id, media=media)


def refusal(*cases: Case, apart: bool = False) -> list[str]:
    splits = {case.case_id: [case.case_id] for case in cases} if apart else None
    with pytest.raises(ManifestError) as caught:
        Manifest.build("m", cases=cases, splits=splits)
    return [problem.code for problem in caught.value.problems]


@pytest.mark.parametrize(
    ("first", "second"),
    [("a", "a/b.png"), ("a/b.png", "a"), ("A", "a/b/c.png"), ("a/b/c.png", "A/B"), ("\u00e9", "e\u0301/x")],
)
def test_a_file_is_no_folder_of_another(first: str, second: str) -> None:
    """Whichever comes first, and where upper and lower case are one, too."""
    assert refusal(seen("p", (first, b"1")), seen("q", (second, b"2"))) == ["media_conflict"]
    assert refusal(seen("p", (first, b"1"), (second, b"2"))) == ["media_conflict"]


def test_files_of_one_folder_and_folders_of_like_names_are_no_conflict() -> None:
    """Nor is one file of two cases."""
    cases = [
        seen("p", ("a/b", b"1"), ("a/c", b"2")),
        seen("q", ("a/b", b"1")),
        seen("r", ("ab", b"3"), ("a/bc/d", b"4")),
    ]
    assert len(Manifest.build("m", cases=cases).cases) == 3


def test_one_file_has_one_size() -> None:
    """Of two sizes for one hash at most one can be right."""
    entry = seen("p", ("a", b"1")).media[0]
    longer = Media(path="a", media_type="image/png", bytes=9, sha256=entry.sha256)
    other = Case("Which?", 1, case_id="q", source_id="q", media=(longer,))
    assert refusal(seen("p", ("a", b"1")), other) == ["media_conflict"]


def test_one_file_under_two_paths_is_one_input() -> None:
    """Which cannot be in two splits; other bytes make another input."""
    assert refusal(seen("p", ("a.png", b"1")), seen("q", ("b.png", b"1")), apart=True) == ["input_leak"]
    cases = [seen("p", ("a.png", b"1")), seen("q", ("b.png", b"2"))]
    assert len(Manifest.build("m", cases=cases, splits={"x": ["p"], "y": ["q"]}).cases) == 2
