"""Summaries, lists of ids, and near-equal inputs of manifest files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from robust import Case, DataError, IntegrityError, Manifest, UsageError, Validation, find_near_duplicates
from robust.app.manifest_sources import content_of, read_id_list, read_material
from robust.app.manifest_summary import summarise_manifest
from tests.builders import said, sum_case, valid_variant, verdict


def case(case_id: str, expected: Any = 1, source: str | None = None) -> Case:
    return Case(f"question {case_id}", expected, case_id=case_id, source_id=source or case_id)


def test_a_summary_counts_by_split_group_relation_oracle_and_label(tmp_path: Path) -> None:
    """Each case once; spellings of one source are one group."""
    same = said(verdict(True, 6, 6), (sum_case(), sum_case("same", "Two plus four?")), relation="invariant")
    manifest = Manifest.build(
        "m",
        cases=[case("a", source="Doc"), case("b", source="doc "), case("c", None)],
        validations=[valid_variant(5), valid_variant(6), same],
        splits={"dev": ["a", "b"], "test": ["base", "c"]},
    )
    manifest.save(tmp_path / "m.jsonl")
    shown = summarise_manifest(tmp_path / "m.jsonl")
    assert shown["digest"] == manifest.digest
    summary = shown["summary"]
    assert summary["splits"] == {
        "dev": {"cases": 2, "bases": 2, "variants": 0, "label_sources": {"given": 2, "oracle": 0, "none": 0}},
        "test": {"cases": 5, "bases": 2, "variants": 3, "label_sources": {"given": 0, "oracle": 4, "none": 1}},
    }
    assert summary["groups"] == {
        "count": 3, "smallest": 1, "median": 2,
        "largest": [{"source": "source", "cases": 4}, {"source": "doc", "cases": 2}, {"source": "c", "cases": 1}],
    }  # fmt: skip
    assert summary["relations"] == {"counterfactual": 2, "invariant": 1}
    assert sum(oracle["validations"] for oracle in summary["oracles"]) == 3
    assert {oracle["contract"] for oracle in summary["oracles"]} == {"integer-addition/v1"}
    assert summary["label_sources"] == {"given": 2, "oracle": 4, "none": 1}


def test_a_damaged_manifest_has_no_summary(tmp_path: Path) -> None:
    """Nor has an empty file."""
    Manifest.build("m", cases=[case("a"), case("b")]).save(tmp_path / "m.jsonl")
    raw = (tmp_path / "m.jsonl").read_bytes()
    for damaged in (
        b"",
        raw[:-1],
        raw.replace(b"question b", b"question c"),
        b"\n".join(raw.split(b"\n")[:-2]) + b"\n",
    ):
        (tmp_path / "m.jsonl").write_bytes(damaged)
        with pytest.raises(IntegrityError):
            summarise_manifest(tmp_path / "m.jsonl")


@pytest.mark.parametrize(
    ("content", "ids"),
    [
        (b"a\nb\n", ["a", "b"]),
        ("\ufeffa/b\r\n\r\n ü \n".encode(), ["a/b", " ü "]),
        (b"", []),
        (b'["a", "b\\u2028"]', ["a", "b\u2028"]),
        (b"a\xe2\x80\xa8b\n", ["a\u2028b"]),
    ],
)
def test_a_list_of_ids_is_read_as_it_stands(tmp_path: Path, content: bytes, ids: list[str]) -> None:
    """One a line, or JSON for ids that would not survive lines."""
    (tmp_path / "ids").write_bytes(content)
    assert read_id_list(tmp_path / "ids") == ids


@pytest.mark.parametrize(("content", "code"), [(b"\xff\n", "not_utf8"), (b"[1]", "wrong_value"), (b"[", "json_syntax")])
def test_a_file_without_ids_is_refused(tmp_path: Path, content: bytes, code: str) -> None:
    """Rather than taken for ids that no case has."""
    (tmp_path / "ids").write_bytes(content)
    with pytest.raises(DataError) as caught:
        read_id_list(tmp_path / "ids")
    assert caught.value.code == code


def test_new_material_is_told_by_its_content(tmp_path: Path) -> None:
    """Whatever a file is called; a manifest is merged, not added."""
    Validation.save_all(tmp_path / "records.csv", [valid_variant()])
    (tmp_path / "rows.jsonl").write_text('{"id":"a","input":"x"}\n', encoding="utf-8")
    Manifest.build("m", cases=[case("a")]).save(tmp_path / "m.jsonl")
    kinds = {name: content_of(tmp_path / name) for name in ("records.csv", "rows.jsonl", "m.jsonl")}
    assert list(kinds.values()) == ["validations", "cases", "manifest"]
    material = read_material([tmp_path / "records.csv", tmp_path / "rows.jsonl"])
    assert ([item.case_id for item in material.cases], len(material.validations)) == (["a"], 1)
    with pytest.raises(UsageError) as caught:
        read_material([tmp_path / "m.jsonl"])
    assert caught.value.code == "not_cases"


def test_near_duplicates_come_most_similar_first_and_can_be_limited(tmp_path: Path) -> None:
    """What was not listed is said; without two splits there is nothing to find."""
    texts = ["a b c d e f", "a b c d e f.", "a b c d e x", "q r s t"]
    cases = [Case(text, 1, case_id=f"c{n}", source_id=f"c{n}") for n, text in enumerate(texts)]
    Manifest.build("m", cases=cases, splits={"x": ["c0", "c3"], "y": ["c1", "c2"]}).save(tmp_path / "m.jsonl")
    found = find_near_duplicates(tmp_path / "m.jsonl")
    assert [(item.second, item.similarity) for item in found.findings] == [("c1", 1.0), ("c2", 4 / 6)]
    assert (found.complete, found.exit_code, found.cases) == (True, 1, 4)
    some = find_near_duplicates(tmp_path / "m.jsonl", limit=1)
    assert (len(some.findings), some.complete) == (1, False)
    assert find_near_duplicates(tmp_path / "m.jsonl", limit=2).complete
    none = find_near_duplicates(tmp_path / "m.jsonl", words=6, threshold=1)
    assert [item.first for item in none.findings] == ["c0"]
    for limit in (0, True, 1.5):
        with pytest.raises(UsageError):
            find_near_duplicates(tmp_path / "m.jsonl", limit=limit)  # type: ignore[arg-type]


def test_near_duplicates_of_two_source_groups_are_one_finding(tmp_path: Path) -> None:
    """With its best pair first, and every pair beside it; spellings of one source are one group."""
    texts = {"p1": "a b c d e x", "p2": "a b c d e f", "q1": "A b c d e f", "q2": "a b c d e y", "r": "a b c d e z"}
    sources = {"p1": "p", "p2": "P ", "q1": "q", "q2": "q", "r": "r"}
    cases = [Case({"text": text}, 1, case_id=name, source_id=sources[name]) for name, text in texts.items()]
    cases[2] = Case(texts["q1"] + ".", 1, case_id="q1", source_id="q")
    Manifest.build("m", cases=cases, splits={"x": ["p1", "p2"], "y": ["q1", "q2", "r"]}).save(tmp_path / "m.jsonl")
    found = find_near_duplicates(tmp_path / "m.jsonl")
    assert len(found.findings) == 6
    first, second = found.to_json()["groups"]
    assert first == {
        "similarity": 1.0,
        "pairs": 4,
        "sources": [{"source_id": "P ", "split": "x"}, {"source_id": "q", "split": "y"}],
        "cases": [{"case_id": "p2", "text": '{"text":"a b c d e f"}'}, {"case_id": "q1", "text": "A b c d e f."}],
    }
    assert (second["pairs"], [source["source_id"] for source in second["sources"]]) == (2, ["p", "r"])


def test_a_search_that_is_given_up_tells_what_it_found(tmp_path: Path) -> None:
    """As not complete; when it found nothing it is an error, and never a pass."""
    texts = [f"{'a b c d e f g h'[: 2 * size + 1]} {size}" for size in range(8)] + ["a b c d e f g h 8"]
    cases = [Case(text, 1, case_id=f"c{n}", source_id=f"c{n}") for n, text in enumerate(texts)]
    splits = {"x": [f"c{n}" for n in range(0, 9, 2)], "y": [f"c{n}" for n in range(1, 9, 2)]}
    Manifest.build("m", cases=cases, splits=splits).save(tmp_path / "m.jsonl")
    whole = find_near_duplicates(tmp_path / "m.jsonl", words=1)
    assert whole.complete
    some = find_near_duplicates(tmp_path / "m.jsonl", words=1, max_comparisons=30)
    assert 0 < len(some.findings) < len(whole.findings)
    assert (some.complete, some.exit_code) == (False, 1)
    with pytest.raises(UsageError) as caught:
        find_near_duplicates(tmp_path / "m.jsonl", words=1, max_comparisons=1)
    assert caught.value.code == "too_many_comparisons"
    assert caught.value.problems[0].file == str(tmp_path / "m.jsonl")


def test_a_damaged_manifest_is_not_searched(tmp_path: Path) -> None:
    """Its findings would be of something else."""
    cases = [Case("a b", 1, case_id=name, source_id=name) for name in ("p", "q")]
    Manifest.build("m", cases=[cases[0], case("q")], splits={"x": ["p"], "y": ["q"]}).save(tmp_path / "m.jsonl")
    raw = (tmp_path / "m.jsonl").read_bytes()
    (tmp_path / "m.jsonl").write_bytes(raw.replace(b'"a b"', b'"a c"'))
    with pytest.raises(IntegrityError):
        find_near_duplicates(tmp_path / "m.jsonl")
