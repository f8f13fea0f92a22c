"""Subsets: what is chosen, what comes along, and what must not be left behind."""

from __future__ import annotations

from typing import Any

import pytest

from robust import Case, Manifest, ManifestError, UsageError
from tests.builders import said, sum_case, valid_variant, verdict


def manifest(**arguments: Any) -> Manifest:
    same = said(verdict(True, 6, 6), (sum_case(), sum_case("same", "What is two plus four?")), relation="invariant")
    cases = [
        Case("plain", 1, case_id="plain", source_id="plain", metadata={"channel": "mail", "size": 3, "paid": True}),
        Case("other", 1, case_id="other", source_id="other", metadata={"channel": "chat", "size": "3"}),
    ]
    return Manifest.build("m", cases=cases, validations=[valid_variant(5), valid_variant(6), same], **arguments)


def kept(**conditions: Any) -> list[str]:
    chosen = manifest().subset(**conditions)
    assert Manifest.from_lines(chosen.lines()) == chosen
    return [item.case_id for item in chosen.cases]


def test_a_chosen_variant_brings_its_base_and_its_validation() -> None:
    """And not the other variants of that base."""
    chosen = manifest().subset(ids=["variant-5"])
    assert [item.case_id for item in chosen.cases] == ["base", "variant-5"]
    assert [item.data["candidate"]["case_id"] for item in chosen.validations] == ["variant-5"]
    base, variant = chosen.entries
    assert base.validation == variant.validation == chosen.validations[0].digest


def test_a_chosen_base_brings_all_its_variants() -> None:
    """With their validations."""
    chosen = manifest().subset(ids=["base"])
    assert [item.case_id for item in chosen.cases] == ["base", "same", "variant-5", "variant-6"]
    assert len(chosen.validations) == 3


def test_a_relation_keeps_its_variants_with_their_bases() -> None:
    """Bases without such a variant go."""
    assert kept(relation="invariant") == ["base", "same"]
    assert kept(relation="counterfactual") == ["base", "variant-5", "variant-6"]
    assert kept(relation="counterfactual", ids=["base"]) == ["base", "variant-5", "variant-6"]


@pytest.mark.parametrize(
    ("metadata", "expected"),
    [
        ({"channel": "mail"}, ["plain"]),
        ({"size": "3"}, ["other", "plain"]),
        ({"size": 3}, ["plain"]),
        ({"size": 3.0}, ["plain"]),
        ({"paid": True}, ["plain"]),
        ({"paid": "true"}, ["plain"]),
        ({"size": "3", "channel": "chat"}, ["other"]),
    ],
)
def test_metadata_choose_cases(metadata: Any, expected: list[str]) -> None:
    """A text also finds what is written like it; a number only numbers."""
    assert kept(metadata=metadata) == expected


def test_a_split_is_kept_alone_and_others_are_dropped() -> None:
    """The rule goes with them, since it deals to splits that are gone."""
    old = manifest(splits={"dev": 0.5, "test": 0.5}, salt="3")
    assert all(old.splits.values())
    chosen = old.subset(split="test")
    assert chosen.splits == {"test": old.splits["test"]}
    assert chosen.header["split_rule"] is None
    whole = old.subset(ids=[case.case_id for case in old.cases])
    assert whole.header["split_rule"] == old.header["split_rule"]


def test_the_provenance_tells_the_conditions() -> None:
    """And of which manifest they chose."""
    told = manifest().subset(metadata={"channel": "mail"}, name="mail").provenance["made_from"]
    assert told["conditions"] == {"metadata": {"channel": "mail"}}
    assert told["operation"] == "subset"


def test_what_chooses_nothing_is_refused() -> None:
    """As is a condition that cannot be meant."""
    refusals: list[tuple[Any, str]] = [
        ({"metadata": {"channel": "fax"}}, "no_cases"),
        ({"ids": []}, "no_cases"),
        ({"relation": "increasing"}, "no_cases"),
        ({"ids": ["base", "nobody", "no one"]}, "unknown_case"),
    ]
    for conditions, code in refusals:
        with pytest.raises(ManifestError) as caught:
            manifest().subset(**conditions)
        assert caught.value.code == code
    assert [problem.code for problem in caught.value.problems] == ["unknown_case"] * 2
    mistakes: list[tuple[Any, str]] = [
        ({}, "no_condition"),
        ({"split": "tset"}, "unknown_split"),
        ({"relation": "same"}, "unknown_relation"),
        ({"ids": "base"}, "bad_ids"),
        ({"ids": [["base"]]}, "bad_ids"),
        ({"ids": 5}, "bad_ids"),
        ({"metadata": 5}, "bad_metadata"),
    ]
    for conditions, code in mistakes:
        with pytest.raises(UsageError) as usage:
            manifest().subset(**conditions)
        assert usage.value.code == code
