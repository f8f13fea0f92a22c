"""Building manifests: every rule has its code, and names both culprits."""

from __future__ import annotations

import random
from typing import Any

import pytest

from robust import Case, CaseError, Manifest, ManifestError, Validation
from tests.builders import judged, said, sum_case, valid_variant, verdict
from tests.validators import adder, check_addition


def case(case_id: str, shown: str | None = None, expected: Any = None, **fields: Any) -> Case:
    return Case(shown or f"question {case_id}", expected, **{"case_id": case_id, "source_id": case_id, **fields})


def refusal(**content: Any) -> list[tuple[str, str | None]]:
    with pytest.raises(ManifestError) as caught:
        Manifest.build("name", **content)
    return [(problem.code, problem.path) for problem in caught.value.problems]


def message(**content: Any) -> str:
    with pytest.raises(ManifestError) as caught:
        Manifest.build("name", **content)
    return str(caught.value)


def test_cases_without_splits_are_in_development() -> None:
    """The default split holds everything, ordered by id."""
    manifest = Manifest.build("name", cases=[case("b", expected=1), case("a")])
    assert manifest.splits == {"development": ("a", "b")}
    assert [entry.label_source for entry in manifest.entries] == [None, "given"]
    assert manifest.header["counts"] == {"lines": 2, "cases": 2, "sources": 2, "validations": 0}
    assert manifest.header["splits"] == {"development": {"cases": 2, "sources": 2}}
    assert manifest.parent is None


def test_a_variant_brings_its_base_its_answer_and_its_validation() -> None:
    """Neither base nor variant need be listed; both get the derived answers from the oracle."""
    validation = valid_variant()
    manifest = Manifest.build("name", validations=[validation])
    base, variant = manifest.entries
    assert (base.case.expected, base.label_source, base.validation) == (6, "oracle", validation.digest)
    assert (variant.case.expected, variant.label_source, variant.validation) == (7, "oracle", validation.digest)
    assert list(manifest.validations) == [validation]


def test_a_given_label_goes_before_a_derived_one() -> None:
    """A base that is labelled, in the list or in the validation, keeps its label as given."""
    listed = Manifest.build("name", cases=[sum_case(expected=6)], validations=[valid_variant()])
    labelled = Manifest.build("name", validations=[valid_variant(expected=6)])
    for manifest in (listed, labelled):
        assert (manifest.entries[0].label_source, manifest.entries[0].validation) == ("given", None)


def test_several_variants_share_one_base() -> None:
    """One base, all variants, all validations, and each validation stored once."""
    validations = [valid_variant(number) for number in (5, 6, 7)]
    manifest = Manifest.build("name", validations=[*validations, *validations])
    assert [item.case_id for item in manifest.cases] == ["base", "variant-5", "variant-6", "variant-7"]
    assert [item.digest for item in manifest.validations] == sorted(item.digest for item in validations)


def test_the_order_of_the_arguments_changes_no_byte() -> None:
    """Shuffled cases, validations and splits give the same lines."""
    cases = [case(f"c{number}") for number in range(20)]
    validations = [valid_variant(number) for number in range(5, 9)]
    ids = [item.case_id for item in cases]
    splits: Any = {"dev": ids[:10], "test": ids[10:], "variants": ["base"]}
    expected = list(Manifest.build("name", cases=cases, validations=validations, splits=splits).lines())
    for seed in range(5):
        shuffle = random.Random(seed).sample
        again: Any = {name: shuffle(splits[name], len(splits[name])) for name in shuffle(sorted(splits), 3)}
        built = Manifest.build("name", cases=shuffle(cases, 20), validations=shuffle(validations, 4), splits=again)
        assert list(built.lines()) == expected


@pytest.mark.parametrize("name", ["", " ", "a\nb", "x" * 257, 7])
def test_a_name_must_be_printable(name: Any) -> None:
    """A manifest is named in one line."""
    with pytest.raises(ManifestError) as caught:
        Manifest.build(name, cases=[case("a")])
    assert caught.value.code == "bad_name"


def test_nothing_is_no_manifest() -> None:
    """At least one case is needed."""
    assert refusal() == [("no_cases", "cases")]


def test_two_cases_with_one_id_are_refused() -> None:
    """Equal or not, and also after normalisation; both are shown."""
    assert refusal(cases=[case("a"), case("a")]) == [("duplicate_id", "case 'a'")]
    assert refusal(cases=[case("\u00e9", "x"), case("e\u0301", "y")])[0][0] == "duplicate_id"
    shown = message(cases=[case("a", "first"), case("a", "second")])
    assert "first" in shown
    assert "second" in shown


def test_a_listed_case_that_differs_from_its_validations_is_refused() -> None:
    """The base in the list and the base that was judged must be one; so must their given labels."""
    validation = valid_variant()
    assert refusal(cases=[sum_case(question="changed")], validations=[validation])[0] == ("duplicate_id", "case 'base'")
    labelled = valid_variant(expected=6)
    assert refusal(cases=[sum_case(expected="six")], validations=[labelled])[0][0] == "duplicate_id"


def test_a_listed_variant_is_vouched_for_by_its_validation() -> None:
    """Listing it, with or without its answer, changes nothing; with another answer it is refused."""
    validation = valid_variant()
    whole = Manifest.build("name", validations=[validation])
    for expected in (None, 7):
        cases = [whole.cases[0].with_expected(None), whole.cases[1].with_expected(expected)]
        assert Manifest.build("name", cases=cases, validations=[validation]) == whole
    wrong = [whole.cases[1].with_expected(8)]
    assert refusal(cases=wrong, validations=[validation]) == [("duplicate_id", "case 'variant-5'")]


def test_of_several_validations_of_one_variant_the_first_by_digest_counts() -> None:
    """Two oracles agree: both validations are kept, and one vouches."""
    cases = sum_case(), sum_case("variant", "What is 2 plus 5?")
    both = [judged(check_addition, cases), judged(adder, cases)]
    manifest = Manifest.build("name", validations=both)
    assert len(manifest.validations) == 2
    assert {entry.validation for entry in manifest.entries} == {min(item.digest for item in both)}


def test_a_variant_without_a_validation_is_refused() -> None:
    """Whatever its metadata says."""
    variant = Manifest.build("n", validations=[valid_variant()]).cases[1]
    assert refusal(cases=[sum_case(), variant]) == [("validation_required", "case 'variant-5'")]


@pytest.mark.parametrize("answer", [verdict(None), verdict(False), verdict(variant=6)])
def test_invalid_and_unknown_validations_are_refused(answer: Any) -> None:
    """With their status and codes."""
    assert refusal(validations=[said(answer)]) == [("not_valid", "case 'variant'")]
    assert said(answer).issues[0] in message(validations=[said(answer)])


def test_a_validation_by_relation_is_refused() -> None:
    """Without answers nothing can be scored."""
    validation = said(verdict(True, None, None), relation="invariant", require_answers=False)
    assert validation.status == "valid"
    assert "answers_required" in [code for code, _ in refusal(validations=[validation])]


def test_one_content_with_two_answers_is_refused() -> None:
    """Both cases and both answers are named; media belong to the content."""
    shown = message(cases=[case("a", "same", "yes"), case("b", "same", "no")])
    assert "answer_conflict" in [code for code, _ in refusal(cases=[case("a", "same", "yes"), case("b", "same", "no")])]
    assert all(part in shown for part in ("'a'", "'b'", '"yes"', '"no"'))
    Manifest.build("name", cases=[case("a", "same", 1), case("b", "same", 1.0), case("c", "same")])


def test_text_and_object_inputs_are_never_one_content() -> None:
    """Not even a text that looks like the key of an object's content."""
    tricky = Case("\x00[{},[]]", "yes", case_id="a", source_id="a")
    Manifest.build("name", cases=[tricky, Case({}, "no", case_id="b", source_id="b")])


def test_derived_answers_that_contradict_each_other_are_refused() -> None:
    """Two validations, one content, two answers: both digests are named."""
    base = sum_case()
    first = judged(check_addition, (base, sum_case("v1", "What is 2 plus 5?")))
    second = said(verdict(variant=8), (base, sum_case("v2", "What is 2 plus 5?")))
    assert ("derived_conflict", "case 'v2'") in refusal(validations=[first, second]) or (
        "derived_conflict",
        "case 'v1'",
    ) in refusal(validations=[first, second])
    shown = message(validations=[first, second])
    assert first.digest in shown
    assert second.digest in shown


def test_a_source_group_in_two_splits_is_refused() -> None:
    """In any spelling of the source; both cases and splits are named."""
    cases = [case("a", source_id="Doc1"), case("b", source_id="doc1 ")]
    splits = {"dev": ["a"], "test": ["b"]}
    assert refusal(cases=cases, splits=splits) == [("split_leak", "case 'b'")]
    assert all(part in message(cases=cases, splits=splits) for part in ("'a'", "'dev'", "'test'", "'Doc1'", "'doc1 '"))


def test_equal_inputs_in_two_splits_are_refused_after_folding() -> None:
    """Case, white space and Unicode form do not tell inputs apart; text leaves of objects are folded too."""
    for one, other in (("The  Café", "the cafe\u0301"), ({"q": "A"}, {"q": "a "})):
        cases = [Case(one, case_id="a", source_id="a"), Case(other, case_id="b", source_id="b")]
        assert refusal(cases=cases, splits={"dev": ["a"], "test": ["b"]}) == [("input_leak", "case 'b'")]
        assert Manifest.build("name", cases=cases, splits={"dev": ["a", "b"]}).splits == {"dev": ("a", "b")}


def test_every_problem_is_reported_at_once() -> None:
    """Three rules broken are three problems; hundreds are counted."""
    cases = [case("a", "same", 1), case("b", "same", 2), case("c", source_id="a"), case("d", "SAME")]
    codes = [code for code, _ in refusal(cases=cases, splits={"x": ["a", "b"], "y": ["c", "d"]})]
    assert codes == ["answer_conflict", "split_leak", "input_leak"]
    many = [case(f"c{number:04}", "same", number) for number in range(300)]
    assert [code for code, _ in refusal(cases=many)] == ["answer_conflict"] * 200 + ["more_problems"]


def test_what_is_no_case_is_refused() -> None:
    """A dict in the list is a case error; so is a case that cannot be stored."""
    for cases in ([{"case_id": "a"}], [case("a", expected=float("nan"))]):
        with pytest.raises(CaseError):
            Manifest.build("name", cases=cases)  # type: ignore[arg-type]


@pytest.mark.parametrize("provenance", [[], "text", {"when": float("nan")}])
def test_provenance_must_be_a_portable_object(provenance: Any) -> None:
    """It is stored in the header."""
    with pytest.raises(ManifestError) as caught:
        Manifest.build("name", cases=[case("a")], provenance=provenance)
    assert (caught.value.problems[0].path or "").startswith("provenance")


def test_an_invalid_validation_makes_no_manifest_by_itself() -> None:
    """The shortcut refuses it too."""
    validation: Validation = said(verdict(False))
    with pytest.raises(ManifestError, match="the validation is invalid \\(rejected\\)"):
        validation.manifest("pair")
