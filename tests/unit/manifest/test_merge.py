"""Merging: every case once, all variants, all validations; whatever conflicts is named from both sides."""

from __future__ import annotations

from typing import Any

import pytest

from robust import Case, Manifest, ManifestError, UsageError
from tests.builders import said, sum_case, valid_variant, verdict


def case(case_id: str, expected: Any = 1, source: str | None = None, **fields: Any) -> Case:
    return Case(f"question {case_id}", expected, case_id=case_id, source_id=source or case_id, **fields)


def built(*cases: Case, **arguments: Any) -> Manifest:
    return Manifest.build(arguments.pop("name", "m"), cases=cases, **arguments)


def refusal(*manifests: Manifest) -> ManifestError:
    with pytest.raises(ManifestError) as caught:
        Manifest.merge("merged", manifests)
    return caught.value


def test_a_shared_base_is_there_once_with_all_variants_and_validations() -> None:
    """In whatever order the manifests are given."""
    first = Manifest.build("a", validations=[valid_variant(5)])
    second = Manifest.build("b", validations=[valid_variant(6), valid_variant(7)])
    merged = Manifest.merge("merged", [first, second])
    assert [item.case_id for item in merged.cases] == ["base", "variant-5", "variant-6", "variant-7"]
    assert len(merged.validations) == 3
    assert merged == Manifest.merge("merged", [second, first, second])


def test_what_is_merged_is_what_building_from_everything_gives() -> None:
    """The same lines, from two halves."""
    validations = [valid_variant(number) for number in range(5, 9)]
    whole = Manifest.build("m", cases=[case("x")], validations=validations)
    parts = [
        Manifest.build("a", cases=[case("x")], validations=validations[:3]),
        Manifest.build("b", validations=validations[2:]),
    ]
    assert list(Manifest.merge("m", parts).lines())[1:] == list(whole.lines())[1:]


def test_a_given_label_goes_before_a_derived_one_and_any_before_none() -> None:
    """On whichever side it is."""
    unlabelled, given = built(sum_case()), built(sum_case(expected=6))
    derived = Manifest.build("d", validations=[valid_variant()])
    for manifests, source in (
        ([unlabelled, derived], "oracle"),
        ([derived, unlabelled], "oracle"),
        ([derived, given], "given"),
        ([given, derived, unlabelled], "given"),
    ):
        assert Manifest.merge("m", manifests).entries[0].label_source == source


def test_cases_of_one_id_that_differ_are_refused() -> None:
    """Both are shown."""
    error = refusal(built(case("a")), built(case("a", metadata={"x": 1})))
    assert [(problem.code, problem.path) for problem in error.problems] == [("duplicate_id", "case 'a'")]
    error = refusal(built(case("a", "yes")), built(case("a", "no")))
    assert error.code == "duplicate_id"
    assert "yes" in str(error)
    assert "no" in str(error)


def test_a_case_in_two_splits_is_refused_and_both_manifests_are_named() -> None:
    """Neither of them is right by itself."""
    first, second = (
        built(case("a"), splits={"dev": ["a"]}, name="one"),
        built(case("a"), splits={"test": ["a"]}, name="two"),
    )
    error = refusal(first, second)
    assert [(problem.code, problem.path) for problem in error.problems] == [("split_conflict", "case 'a'")]
    assert all(part in str(error) for part in ("'one'", "'two'", "'dev'", "'test'"))


def test_a_group_or_an_input_in_two_splits_is_refused() -> None:
    """Though the cases have other ids."""
    leak = refusal(
        built(case("a", source="S"), splits={"dev": ["a"]}), built(case("b", source="s "), splits={"test": ["b"]})
    )
    assert leak.code == "split_leak"
    equal = Case("QUESTION a", case_id="z", source_id="z")
    assert refusal(built(case("a"), splits={"dev": ["a"]}), built(equal, splits={"test": ["z"]})).code == "input_leak"


def test_answers_that_conflict_are_refused() -> None:
    """One content with two answers, and two oracles that contradict each other."""
    other = Case("question a", 2, case_id="z", source_id="z")
    assert refusal(built(case("a")), built(other)).code == "answer_conflict"
    base, candidate = sum_case(), sum_case("variant-5", "What is 2 plus 5?")
    contradicting = Manifest.build("x", validations=[said(verdict(True, 6, 8), (base, candidate))])
    codes = {
        problem.code for problem in refusal(Manifest.build("y", validations=[valid_variant()]), contradicting).problems
    }
    assert codes & {"derived_conflict", "duplicate_id"}


def test_the_rule_is_kept_where_all_have_the_same() -> None:
    """Another rule, or none, ends it."""
    plan: Any = {"dev": 0.5, "test": 0.5}
    first, second = built(case("a"), splits=plan, salt="s"), built(case("b"), splits=plan, salt="s")
    assert Manifest.merge("m", [first, second]).header["split_rule"] == first.header["split_rule"]
    assert Manifest.merge("m", [first, built(case("c"), splits=plan, salt="t")]).header["split_rule"] is None
    assert Manifest.merge("m", [first, built(case("c"))]).header["split_rule"] is None


def test_provenance_names_what_was_merged() -> None:
    """By digest and name, in an order that does not depend on the arguments."""
    first, second = built(case("a"), name="one"), built(case("b"), name="two")
    told = Manifest.merge("m", [second, first], provenance={"why": "one place"}).provenance
    named = sorted(
        [{"digest": item.digest, "name": item.name} for item in (first, second)], key=lambda item: item["digest"]
    )
    assert told == {"why": "one place", "made_from": {"operation": "merge", "manifests": named}}


def test_one_manifest_is_no_merger() -> None:
    """Nor is none."""
    assert refusal(built(case("a"))).code == "nothing_to_merge"
    assert refusal().code == "nothing_to_merge"


@pytest.mark.parametrize("manifests", ["ab", 5, [built(case("a")), "b"], [None, None]])
def test_what_is_no_manifest_cannot_be_merged(manifests: Any) -> None:
    """Nor compared."""
    with pytest.raises(UsageError) as caught:
        Manifest.merge("m", manifests)
    assert caught.value.code == "not_a_manifest"
    with pytest.raises(UsageError):
        built(case("a")).diff(manifests)


def test_manifests_may_come_from_a_generator() -> None:
    """They are read once."""
    merged = Manifest.merge("m", (built(case(name)) for name in ("a", "b")))
    assert [item.case_id for item in merged.cases] == ["a", "b"]
