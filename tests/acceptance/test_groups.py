"""Rows G1 to G10: ids, groups, splits."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from robust import Case, DataError, IntegrityError, Manifest, ManifestError, Origin
from robust.store.datasets import read_dataset
from tests.builders import judged, said, sum_case, valid_variant, verdict
from tests.golden.independent import forged
from tests.run_fixtures import robust
from tests.validators import check_addition


def refusal(**content: Any) -> ManifestError:
    with pytest.raises(ManifestError) as caught:
        Manifest.build("name", **content)
    return caught.value


@pytest.mark.parametrize("second", ["x", "y"])
def test_g1_two_rows_with_one_id_are_an_error_that_names_both_lines(tmp_path: Path, second: str) -> None:
    """Whether they are equal or not."""
    path = tmp_path / "rows.jsonl"
    path.write_text(f'{{"id":"a","input":"x"}}\n{{"id":"b","input":"x"}}\n{{"id":"a","input":"{second}"}}\n', "utf-8")
    with pytest.raises(DataError) as caught:
        list(read_dataset(path))
    assert caught.value.problems[0].line == 3
    assert "line 1" in str(caught.value)


def test_g2_a_base_and_its_variant_in_two_splits_are_refused_and_named() -> None:
    """The leak is named from both ends."""
    error = refusal(validations=[valid_variant()], splits={"dev": ["base"], "test": ["variant-5"]})
    assert [problem.code for problem in error.problems] == ["split_leak"]
    assert all(part in str(error) for part in ("'base'", "'variant-5'", "'dev'", "'test'"))


def test_g3_equal_text_under_different_sources_in_two_splits_is_refused() -> None:
    """Another source name does not make the same text new."""
    cases = [Case("the same text", case_id=name, source_id=f"source {name}") for name in ("a", "b")]
    error = refusal(cases=cases, splits={"dev": ["a"], "test": ["b"]})
    assert error.code == "input_leak"
    assert "'a'" in str(error)
    assert "'b'" in str(error)


def test_g3_near_equal_text_in_two_splits_is_a_finding_with_its_similarity(tmp_path: Path) -> None:
    """On request; within one split, or below the threshold, it is none."""
    texts = {"a": "Refund three items to Anna now please", "b": "refund three items to Anne, now please!"}
    cases = [Case(text, 1, case_id=name, source_id=f"source {name}") for name, text in texts.items()]
    near = tmp_path / "near.jsonl"
    Manifest.build("m", cases=cases, splits={"dev": ["a"], "test": ["b"]}).save(near)
    done = robust("manifest", "check", near, "--near-duplicates", "-f", "json")
    assert done.returncode == 1
    (finding,) = json.loads(done.stdout)["findings"]
    assert finding["similarity"] == 0.5
    assert finding["cases"] == [{"case_id": "a", "split": "dev"}, {"case_id": "b", "split": "test"}]
    assert robust("manifest", "check", near, "--near-duplicates", "--threshold", "0.51").returncode == 0
    assert robust("manifest", "check", near).returncode == 0
    Manifest.build("m", cases=cases).save(tmp_path / "one.jsonl")
    alone = robust("manifest", "check", tmp_path / "one.jsonl", "--near-duplicates")
    assert (alone.returncode, alone.stdout) == (2, "")
    assert alone.stderr.startswith("error[one_split]: ")


def test_g4_spellings_of_one_source_are_one_group() -> None:
    """Doc1 and 'doc1 ' count once, and are never dealt to two splits."""
    cases = [Case(f"q{n}", case_id=f"c{n}", source_id=source) for n, source in enumerate(("Doc1", "doc1 ", "DOC1"))]
    assert Manifest.build("n", cases=cases).header["counts"]["sources"] == 1
    for salt in map(str, range(20)):
        splits = Manifest.build("n", cases=cases, splits={"a": 0.5, "b": 0.5}, salt=salt).splits
        assert [ids for ids in splits.values() if ids] == [("c0", "c1", "c2")]
    assert refusal(cases=cases, splits={"a": ["c0"], "b": ["c1", "c2"]}).code == "split_leak"


def test_g5_a_new_group_moves_no_old_one() -> None:
    """Of a thousand groups none moves when one is added."""
    cases = [Case(f"q{n}", case_id=f"c{n:04}", source_id=f"s{n}") for n in range(1000)]
    before, after = (
        {
            entry.case.case_id: entry.split
            for entry in Manifest.build("n", cases=each, splits={"a": 0.3, "b": 0.7}).entries
        }
        for each in (cases, [*cases, Case("new", case_id="new", source_id="new")])
    )
    assert before == {case_id: after[case_id] for case_id in before}
    assert len(after) == 1001


def test_g5_extending_places_a_new_group_by_the_rule_and_moves_no_old_one() -> None:
    """The rule is in the header; nothing else is needed a month later."""
    cases = [Case(f"q{n}", case_id=f"c{n:04}", source_id=f"s{n}") for n in range(300)]
    fresh = [Case(f"new {n}", case_id=f"n{n:04}", source_id=f"new {n}") for n in range(30)]
    old = Manifest.build("n", cases=cases, splits={"a": 0.3, "b": 0.7}, salt="salt")
    new = old.extend(cases=fresh)
    whole = Manifest.build("n", cases=cases + fresh, splits={"a": 0.3, "b": 0.7}, salt="salt")
    assert new.splits == whole.splits
    assert old.diff(new).moved == {}
    assert new.parent == old.digest


def test_g6_one_input_with_two_labels_is_refused_and_both_are_named() -> None:
    """Yes and no for one input cannot both be right."""
    cases = [Case("Is it?", answer, case_id=answer, source_id=answer) for answer in ("yes", "no")]
    error = refusal(cases=cases)
    assert error.code == "answer_conflict"
    assert "'yes'" in str(error)
    assert "'no'" in str(error)


def test_g6_inputs_that_differ_by_case_alone_may_have_two_answers() -> None:
    """Milliwatt and megawatt are different inputs, each with its valid answer."""
    cases = [
        Case("5 mW", 0.005, case_id="milli", source_id="s"),
        Case("5 MW", 5_000_000, case_id="mega", source_id="s"),
    ]
    assert len(Manifest.build("n", cases=cases).cases) == 2


def test_g7_one_candidate_validated_with_two_answers_is_refused() -> None:
    """6 and 7 for the same candidate: no export."""
    base, candidate = sum_case(), sum_case("variant", "What is 1 plus 5?")
    validations = [said(verdict(True, 9, answer), (base, candidate)) for answer in (6, 7)]
    assert [validation.status for validation in validations] == ["valid", "valid"]
    assert refusal(validations=validations).problems


def test_g8_a_variant_that_only_says_that_it_was_validated_is_no_scored_variant() -> None:
    """Its metadata does not vouch for it."""
    base = sum_case(expected=6)
    origin = Origin(parent_id="base", parent_content=base.content_digest)
    claimed = sum_case(
        "variant", "What is 2 plus 5?", expected=7, origin=origin, metadata={"validated": True, "status": "valid"}
    )
    error = refusal(cases=[base, claimed])
    assert [(problem.code, problem.path) for problem in error.problems] == [("validation_required", "case 'variant'")]


def test_g9_a_validation_that_was_set_to_invalid_is_refused_on_load(tmp_path: Path) -> None:
    """With every digest recomputed; and an invalid one set to valid is refused likewise."""
    invalid = judged(check_addition, (sum_case(), sum_case("variant", "What is 1 plus 5?")))
    assert invalid.issues == ("relation_contradicted",)
    lines = [json.loads(line) for line in valid_variant().manifest("m").lines()]
    lines[3]["validation"]["status"] = "invalid"
    promoted = [json.loads(line) for line in valid_variant().manifest("m").lines()]
    promoted[3]["validation"] = {**invalid.data, "status": "valid", "strength": "answers", "issues": []}
    del promoted[3]["validation"]["observed"]
    for found in (lines, promoted):
        (tmp_path / "m.jsonl").write_bytes(forged(found))
        with pytest.raises(IntegrityError) as caught:
            Manifest.load(tmp_path / "m.jsonl")
        assert ("contradiction", "$.validation.status", 4) in [
            (problem.code, problem.path, problem.line) for problem in caught.value.problems
        ]


def test_g10_two_manifests_that_share_a_base_are_merged(tmp_path: Path) -> None:
    """One base, both variants, all validations kept; in either order."""
    for number in (5, 6):
        valid_variant(number).manifest("half").save(tmp_path / f"{number}.jsonl")
    for files, output in (((5, 6), "m.jsonl"), ((6, 5), "n.jsonl")):
        names = [f"{number}.jsonl" for number in files]
        done = robust("manifest", "merge", *names, "--name", "whole", "-o", output, cwd=tmp_path)
        assert (done.returncode, done.stderr) == (0, "")
    assert (tmp_path / "m.jsonl").read_bytes() == (tmp_path / "n.jsonl").read_bytes()
    merged = Manifest.load(tmp_path / "m.jsonl")
    assert [case.case_id for case in merged.cases] == ["base", "variant-5", "variant-6"]
    assert {record.digest for record in merged.validations} == {valid_variant(5).digest, valid_variant(6).digest}
