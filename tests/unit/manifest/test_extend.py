"""Extending: new cases come in, and nothing frozen moves, leaves or changes."""

from __future__ import annotations

from typing import Any

import pytest

from robust import Case, Manifest, ManifestError
from tests.builders import said, sum_case, valid_variant, verdict


def case(case_id: str, source: str | None = None, expected: Any = 1, shown: str | None = None) -> Case:
    return Case(shown or f"question {case_id}", expected, case_id=case_id, source_id=source or case_id)


def listed() -> Manifest:
    """Two splits by lists, so that no rule places new groups."""
    return Manifest.build("m", cases=[case("a"), case("b")], splits={"dev": ["a"], "test": ["b"]})


def by_rule() -> Manifest:
    cases = [case(f"c{number}") for number in range(30)]
    return Manifest.build("m", cases=cases, splits={"dev": 0.5, "test": 0.5}, salt="s")


def refusal(old: Manifest, **arguments: Any) -> list[tuple[str, str | None]]:
    with pytest.raises(ManifestError) as caught:
        old.extend(**arguments)
    return [(problem.code, problem.path) for problem in caught.value.problems]


def test_the_parent_is_the_old_digest_and_every_old_line_is_kept() -> None:
    """Byte for byte, in its split."""
    old = listed()
    new = old.extend(cases=[case("aa", "a")])
    assert new.parent == old.digest
    assert [line for line in new.lines() if line in set(old.lines())] == list(old.lines())[1:]
    assert new.splits == {"dev": ("a", "aa"), "test": ("b",)}


def test_the_rule_in_the_header_places_new_groups() -> None:
    """As it would have in the first place; the new header has it, so that this can go on."""
    old = by_rule()
    cases = [case(f"n{number}") for number in range(20)]
    new = old.extend(cases=cases).extend(cases=[case("last")])
    whole = Manifest.build("m", cases=[*old.cases, *cases, case("last")], splits={"dev": 0.5, "test": 0.5}, salt="s")
    assert new.splits == whole.splits
    assert new.header["split_rule"] == old.header["split_rule"]
    assert refusal(old, cases=cases, splits="dev") == [("split_rule", "splits")]


def test_without_a_rule_the_caller_says_where_new_groups_go() -> None:
    """All into one split, or by lists, which may name a new split; known groups need no word."""
    old = listed()
    assert refusal(old, cases=[case("n"), case("aa", "a")]) == [("split_missing", "case 'n'")]
    assert old.extend(cases=[case("n")], splits="test").splits == {"dev": ("a",), "test": ("b", "n")}
    new = old.extend(cases=[case("n"), case("aa", "a")], splits={"december": ["n"]})
    assert new.splits == {"december": ("n",), "dev": ("a", "aa"), "test": ("b",)}
    assert Manifest.build("m", cases=[case("a")]).extend(cases=[case("n")]).splits == {"development": ("a", "n")}


def test_a_variant_of_a_new_base_goes_with_it() -> None:
    """It is enough to place the base."""
    new = listed().extend(validations=[valid_variant()], splits={"test": ["base"]})
    assert new.splits == {"dev": ("a",), "test": ("b", "base", "variant-5")}


def test_moving_a_frozen_case_or_its_group_is_refused() -> None:
    """Whatever lists say."""
    assert refusal(listed(), cases=[case("n")], splits={"test": ["a", "n"]}) == [("frozen_moved", "case 'a'")]
    assert refusal(listed(), cases=[case("aa", "a")], splits={"test": ["aa"]}) == [("frozen_moved", "case 'aa'")]


@pytest.mark.parametrize(
    "changed",
    [
        case("a", shown="another question"),
        case("a", "b"),
        case("a", expected=2),
        Case("question a", 1, case_id="a", source_id="a", metadata={"x": 1}),
    ],
)
def test_a_frozen_case_that_is_given_changed_is_refused(changed: Case) -> None:
    """Its input, its source, its answer, its metadata."""
    assert refusal(listed(), cases=[changed, case("aa", "a")]) == [("frozen_changed", "case 'a'")]


def test_a_frozen_case_may_be_given_again_as_it_is() -> None:
    """So that a whole data set can be given, with what is new in it."""
    new = listed().extend(cases=[case("a"), case("b", expected=None), case("aa", "a")])
    assert new.splits == {"dev": ("a", "aa"), "test": ("b",)}
    assert new.entries[2].case.expected == 1


def test_nothing_new_is_no_extension() -> None:
    """It would be another manifest that says the same."""
    assert refusal(listed(), cases=[case("a")]) == [("nothing_new", "cases")]
    assert refusal(listed()) == [("nothing_new", "cases")]


def test_new_variants_of_frozen_bases_come_with_their_validations() -> None:
    """The frozen label stays, the pointers of frozen variants too."""
    old = Manifest.build("m", validations=[valid_variant(5)])
    new = old.extend(validations=[valid_variant(5), valid_variant(6), valid_variant(7)])
    assert [item.case_id for item in new.cases] == ["base", "variant-5", "variant-6", "variant-7"]
    assert len(new.validations) == 3
    assert list(new.lines())[1] == list(old.lines())[1]
    assert old.diff(new).is_extension


def test_an_answer_that_was_missing_may_come() -> None:
    """Given, or derived by the oracle of a new variant; only that changes."""
    old = Manifest.build("m", cases=[sum_case(), case("b", expected=None)])
    new = old.extend(cases=[case("b", expected=3)], validations=[valid_variant()])
    assert [entry.label_source for entry in new.entries] == ["given", "oracle", "oracle"]
    found = old.diff(new)
    assert found.is_extension
    assert {case_id: [change.path for change in changes] for case_id, changes in found.changed.items()} == {
        "b": ["$.case.expected", "$.label_source"],
        "base": ["$.case.expected", "$.label_source", "$.validation"],
    }


def test_an_oracle_that_contradicts_a_frozen_label_is_refused() -> None:
    """Given labels and derived ones."""
    old = Manifest.build("m", cases=[sum_case(expected=7)])
    assert refusal(old, validations=[valid_variant()]) == [("base_label_conflict", "case 'base'")]
    derived = Manifest.build("m", validations=[valid_variant()])
    other = said(verdict(True, 8, 9), (sum_case(), sum_case("other", "What is 2 plus 7?")))
    assert {code for code, _ in refusal(derived, validations=[other])} == {"derived_conflict"}


def test_an_input_that_equals_a_frozen_one_of_another_split_is_refused() -> None:
    """Both are named."""
    with pytest.raises(ManifestError) as caught:
        listed().extend(cases=[case("n", shown="QUESTION  a")], splits="test")
    assert caught.value.code == "input_leak"
    assert "'n'" in str(caught.value)
    assert "'a'" in str(caught.value)


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({"cases": [case("n"), case("n", expected=2)], "splits": "dev"}, [("duplicate_id", "case 'n'")]),
        ({"cases": [case("n")], "splits": {"dev": ["n", "nobody"]}}, [("unknown_case", "splits.dev")]),
        ({"cases": [case("n")], "splits": "\n"}, [("bad_split", "splits")]),
        ({"cases": [case("n")], "splits": ""}, [("bad_split", "splits")]),
        ({"cases": [case("n")], "splits": 5}, [("bad_split", "splits")]),
        ({"cases": [case("n")], "splits": {"dev": "n"}}, [("bad_split", "splits.dev")]),
        ({"cases": [case("n")], "splits": "dev", "name": ""}, [("bad_name", "name")]),
        ({"cases": [case("n")], "splits": "dev", "provenance": []}, [("wrong_value", "provenance")]),
    ],
)
def test_what_cannot_be_is_refused(arguments: Any, expected: Any) -> None:
    """With every problem and its place."""
    assert refusal(listed(), **arguments) == expected


def test_name_and_provenance_stay_unless_given() -> None:
    """The digest of the parent says the rest."""
    old = Manifest.build("m", cases=[case("a")], provenance={"from": "desk"})
    same, other = old.extend(cases=[case("b")]), old.extend(cases=[case("b")], name="n", provenance={"by": "me"})
    assert (same.name, same.provenance) == ("m", {"from": "desk"})
    assert (other.name, other.provenance) == ("n", {"by": "me"})
