"""Writing a manifest as a stream: the same refusals as building, and never half a file."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from robust import Case, CaseError, Manifest, ManifestError, UsageError, verify
from robust.errors import RobustError
from tests.builders import said, sum_case, valid_variant, verdict


def case(case_id: str, expected: Any = 1, **fields: Any) -> Case:
    return Case(f"question {case_id}", expected, **{"case_id": case_id, "source_id": case_id, **fields})


def refusals(write: Any) -> set[tuple[str, str | None]]:
    with pytest.raises(RobustError) as caught:
        write()
    return {(problem.code, problem.path) for problem in caught.value.problems}


BAD: list[dict[str, Any]] = [
    {"cases": []},
    {"cases": [case("a"), case("a")]},
    {"cases": [case("a"), case("a", 2), case("a", 3)]},
    {"cases": [sum_case(metadata={"x": 1})], "validations": [valid_variant()]},
    {"cases": [case("a"), case("b", source_id="A ")], "splits": {"x": ["a"], "y": ["b"]}},
    {"cases": [case("a")], "splits": {"x": ["a", "z"], "y": ["a"]}},
    {"cases": [case("a"), case("b")], "splits": {"x": ["a"]}},
    {"cases": [case("a")], "splits": {"x": 0.5}},
    {"cases": [case("a"), Case("question a", 2, case_id="b", source_id="b")]},
    {"cases": [case("a"), "b"]},
    {"cases": 5},
    {"validations": [5]},
    {"validations": [said(verdict(False))]},
    {"validations": [said(verdict(True, 6, answer)) for answer in (7, 8)]},
    {"cases": [case("a", float("nan"))]},
    {"cases": [case("a")], "splits": " "},
    {"cases": [case("a")], "provenance": 5},
    {"cases": [case("a")], "salt": 5},
]


@pytest.mark.parametrize("arguments", BAD)
def test_what_building_refuses_is_refused(tmp_path: Path, arguments: Any) -> None:
    """With the same codes and places; nothing is left behind."""
    written = refusals(lambda: Manifest.write(tmp_path / "m.jsonl", "m", **arguments))
    assert written == refusals(lambda: Manifest.build("m", **arguments))
    assert list(tmp_path.iterdir()) == []


def test_the_order_of_the_arguments_changes_no_refusal() -> None:
    """The message names the same culprits in the same roles."""
    cases = [Case("the same", answer, case_id=answer, source_id=answer) for answer in ("yes", "no", "maybe")]
    told = set()
    for order in (cases, cases[::-1], [cases[1], cases[0], cases[2]]):
        with pytest.raises(ManifestError) as caught:
            Manifest.build("m", cases=order)
        told.add(str(caught.value))
    assert len(told) == 1


def test_cases_stream_in_and_what_they_raise_passes_through(tmp_path: Path) -> None:
    """A source that breaks leaves no file, nor what was there changed."""

    def broken() -> Iterator[Case]:
        yield case("a")
        raise CaseError.of("broken", "the source broke")

    (tmp_path / "m.jsonl").write_bytes(b"old")
    with pytest.raises(CaseError):
        Manifest.write(tmp_path / "m.jsonl", "m", cases=broken(), overwrite=True)
    assert [(path.name, path.read_bytes()) for path in tmp_path.iterdir()] == [("m.jsonl", b"old")]


def test_a_file_that_is_there_is_told_before_anything_is_read(tmp_path: Path) -> None:
    """A million cases are not read in vain."""
    (tmp_path / "m.jsonl").write_bytes(b"old")

    def untouched() -> Iterator[Case]:
        pytest.fail("a case was asked for")
        yield case("a")

    with pytest.raises(UsageError) as caught:
        Manifest.write(tmp_path / "m.jsonl", "m", cases=untouched())
    assert caught.value.code == "exists"


def test_what_was_written_verifies_and_has_the_digest_that_was_returned(tmp_path: Path) -> None:
    """With variants, and validations given twice."""
    variants = [valid_variant(number) for number in (5, 6, 5)]
    digest = Manifest.write(
        tmp_path / "m.jsonl", "m", cases=(case(f"c{n}") for n in range(50)), validations=iter(variants),
        splits={"dev": 0.5, "test": 0.5},
    )  # fmt: skip
    assert verify(tmp_path / "m.jsonl").holds
    loaded = Manifest.load(tmp_path / "m.jsonl")
    assert loaded.digest == digest
    assert (len(loaded.cases), len(loaded.validations)) == (53, 2)
