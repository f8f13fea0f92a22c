"""Making candidates from Python: what is asked for, what is refused, and strategies of one's own."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from robust import Case, CaseError, DataError, Edit, Manifest, Media, RobustError, UsageError, generate_variants
from robust.app.generating import known_strategies
from robust.canon import RandomStream
from robust.records.case import Relation
from robust.records.encoding import canonical_case
from tests.run_fixtures import manifest_of, variant

BASE = Case("The invoice is due.", "yes", case_id="c1", source_id="s1")
FILE = Media(path="a/scan.png", media_type="image/png", bytes=3, sha256="0" * 64)


class Shout:
    """A strategy of one's own."""

    name = "shout"
    relation: Relation = "increasing"

    def __init__(self, gives: Any = None) -> None:
        self._gives = gives

    def edit(self, text: str, stream: RandomStream) -> Edit | None:
        if isinstance(self._gives, Exception):
            raise self._gives
        if self._gives is not None:
            gives: Edit | None = self._gives
            return gives
        marks = "!" * (1 + stream.below(3))
        return Edit({"marks": len(marks)}, text + marks)


def test_a_strategy_of_ones_own_makes_candidates() -> None:
    """Its edits are told apart, and its relation is theirs, unless an edit has another."""
    made = generate_variants([BASE], strategies=[Shout()], per_case=5)
    candidates = list(made)
    assert {case.input for case in candidates} == {f"The invoice is due.{'!' * marks}" for marks in (1, 2, 3)}
    assert {case.origin.relation for case in candidates if case.origin} == {"increasing"}
    (counts,) = made.report["strategies"]
    assert (counts["generated"], counts["duplicate"]) == (3, 2)
    (other,) = generate_variants([BASE], strategies=[Shout(Edit({}, "Paid?", "counterfactual"))])
    assert other.origin is not None
    assert other.origin.relation == "counterfactual"


@pytest.mark.parametrize(
    "gives",
    [
        *(ValueError("no idea"), ("params", "text"), Edit({}, 5), Edit([], "x"), Edit({}, "x", "same")),  # type: ignore[arg-type]
        *(Edit({"share": float("nan")}, "x"), Edit({"what": object()}, "x"), Edit({1: 2}, "x"), Edit({}, "\ud800")),  # type: ignore[dict-item]
        Edit(json.loads('{"a":' * 190 + "1" + "}" * 190), "x"),
    ],
)
def test_a_strategy_that_fails_is_named_with_the_case(gives: Any) -> None:
    """It is the caller's own code that has to be mended."""
    with pytest.raises(CaseError) as caught:
        list(generate_variants([BASE], strategies=[Shout(gives)]))
    assert caught.value.code == "bad_strategy"
    assert "case 'c1': the strategy 'shout' failed: " in str(caught.value)


def test_secrets_among_what_a_strategy_says_are_redacted() -> None:
    """As those that come in with a table are."""
    (made,) = generate_variants([BASE], strategies=[Shout(Edit({"api_key": "not-to-be-kept", "of": 1}, "Paid."))])
    assert made.origin is not None
    assert made.origin.params == {"api_key": "[redacted]", "of": 1}


def test_a_strategy_that_never_changes_anything_is_counted() -> None:
    """Neither a candidate nor an error."""
    made = generate_variants([BASE], strategies=[Shout(Edit({}, "The invoice is due."))], per_case=3)
    assert list(made) == []
    assert made.report["strategies"][0]["unchanged"] == 3


def test_two_strategies_that_make_the_same_text_make_one_candidate() -> None:
    """The later one is counted as a duplicate; what the first one makes does not depend on it."""
    made = generate_variants(
        [Case("Pay", case_id="c", source_id="s")], strategies=["rewrites", "letter-case"], per_case=2,
        rewrites=[("Pay", "pay")],
    )  # fmt: skip
    assert sorted(str(case.input) for case in made) == ["PAY", "pay"]
    assert [each["duplicate"] for each in made.report["strategies"]] == [1, 1]


def test_everything_but_the_answer_and_the_text_is_kept() -> None:
    """Other fields of the input, metadata, media, the source group."""
    shown = {"question": "Is it due?", "amount": 3, "notes": []}
    base = Case(shown, "yes", case_id="c", source_id="s", metadata={"lang": "en"}, media=(FILE,))
    (made,) = generate_variants([base], strategies=["typo-drop"])
    assert isinstance(made.input, dict)
    assert {**made.input, "question": ""} == {**shown, "question": ""}
    assert made.input["question"] != shown["question"]
    assert (made.expected, made.source_id, made.metadata, made.media) == (None, "s", {"lang": "en"}, (FILE,))
    assert made.origin is not None
    assert (made.origin.parent_content, made.origin.params["path"]) == (base.content_digest, "$.question")


def test_a_case_without_one_text_is_skipped_and_counted() -> None:
    """No text, or several of which none is named."""
    bases = [
        Case({"a": "one text", "b": "other text"}, case_id="c", source_id="s"),
        Case({}, case_id="d", source_id="s"),
    ]
    made = generate_variants(bases, strategies=["typo-drop"])
    assert list(made) == []
    assert (made.report["without_text"], made.report["strategies"][0]["not_applicable"]) == (2, 2)
    made = generate_variants(bases, strategies=["typo-drop"], text_field="b")
    assert [case.case_id for case in made] == ["c~typo-drop-0"]


def test_the_bases_of_a_manifest_are_taken_and_its_variants_left_out(tmp_path: Path) -> None:
    """Of one split or of all; and no candidate gets the id of a variant that is there."""
    manifest_of({"total 2001": [("total  2001", "invariant")], "total 5": []}).save(tmp_path / "m.manifest.jsonl")
    made = list(generate_variants(tmp_path / "m.manifest.jsonl", strategies=["typo-swap"]))
    assert [case.origin.parent_id for case in made if case.origin] == ["b1", "b2"]
    cases = [Case(f"some text {name}", case_id=name, source_id=name) for name in ("a", "b")]
    Manifest.build("two", cases=cases, splits={"dev": ["a"], "test": ["b"]}).save(tmp_path / "two.jsonl")
    made = list(generate_variants(tmp_path / "two.jsonl", strategies=["typo-swap"], split="test"))
    assert [case.origin.parent_id for case in made if case.origin] == ["b"]
    with pytest.raises(UsageError) as caught:
        generate_variants(tmp_path / "two.jsonl", strategies=["typo-swap"], split="train")
    assert caught.value.code == "unknown_split"


def test_no_candidate_gets_the_id_of_a_variant_of_the_manifest(tmp_path: Path) -> None:
    """Else the two could never stand in one."""
    base = Case("total 2001", "yes", case_id="b1", source_id="s1")
    there = variant(base, "total  2001", "invariant", "b1~typo-swap-0")
    Manifest.build("one", cases=[base], validations=[there]).save(tmp_path / "m.jsonl")
    (made,) = generate_variants(tmp_path / "m.jsonl", strategies=["typo-swap"])
    assert made.case_id != "b1~typo-swap-0"
    assert made.case_id.startswith("b1~")


@pytest.mark.parametrize("name", ["c.jsonl", "c.csv", "c.json"])
def test_every_form_of_a_data_set_gives_the_same_candidates(tmp_path: Path, name: str) -> None:
    """As do the cases themselves."""
    contents = {
        "c.jsonl": '\ufeff{"id":"c1","input":"The invoice is due.","expected":"yes","source_id":"s1"}\n',
        "c.csv": "\ufeffid,input,expected,source_id\r\nc1,The invoice is due.,yes,s1\r\n",
        "c.json": '[{"id":"c1","input":"The invoice is due.","expected":"yes","source_id":"s1"}]',
    }
    (tmp_path / name).write_text(contents[name], encoding="utf-8")
    made = [canonical_case(case) for case in generate_variants(tmp_path / name, strategies=["all"], per_case=2)]
    assert made == [canonical_case(case) for case in generate_variants([BASE], strategies=["all"], per_case=2)]
    assert made


@pytest.mark.parametrize(
    ("cases", "settings", "code"),
    [
        ([], {}, "no_cases"),
        ([BASE, BASE], {}, "duplicate_id"),
        (["text"], {}, "not_a_case"),
        (5, {}, "not_a_case"),
        ([Case("\ud800", case_id="c", source_id="s")], {}, "not_portable"),
        ([BASE], {"seed": True}, "bad_seed"),
        ([BASE], {"seed": 2**53}, "bad_seed"),
        ([BASE], {"per_case": 0}, "bad_per_case"),
        ([BASE], {"per_case": 10**9}, "bad_per_case"),
        ([BASE], {"text_field": 3}, "bad_text_field"),
        ([BASE], {"split": "dev"}, "split_without_manifest"),
        ([BASE], {"strategies": []}, "no_strategies"),
        ([BASE], {"rewrites": [("a",)]}, "bad_table"),
        ([BASE], {"rewrites": 5}, "bad_table"),
        ([BASE], {"rewrites": [("a", "a")]}, "wrong_value"),
        ([BASE], {"synonyms": [("a", "b", "same")]}, "unknown_relation"),
        ([BASE], {"synonyms": []}, "empty_table"),
    ],
)
def test_what_cannot_be_done_is_refused_at_once(cases: Any, settings: Any, code: str) -> None:
    """Before a single candidate is made."""
    with pytest.raises(RobustError) as caught:
        generate_variants(cases, **{"strategies": ["typo-drop"], **settings})
    assert caught.value.code == code, caught.value


def test_a_variant_is_no_base(tmp_path: Path) -> None:
    """Its answer would rest on an answer that rests on a hypothesis."""
    (variant,) = generate_variants([BASE], strategies=["typo-drop"])
    with pytest.raises(CaseError) as caught:
        generate_variants([variant], strategies=["typo-drop"])
    assert caught.value.code == "parent_is_variant"
    (tmp_path / "c.jsonl").write_bytes(canonical_case(BASE) + b"\n" + canonical_case(variant) + b"\n")
    with pytest.raises(DataError) as found:
        generate_variants(tmp_path / "c.jsonl", strategies=["typo-drop"])
    assert f"{tmp_path / 'c.jsonl'}:2: " in str(found.value)


def test_a_generation_can_be_left_early() -> None:
    """It counts what was made, and gives no more."""
    with generate_variants([BASE], strategies=["all"], per_case=3) as made:
        next(made)
        assert made.report["candidates"] == 1
    assert list(made) == []
    assert json.dumps(made.report)


def test_a_wrong_row_of_a_table_is_named_by_its_place_and_field() -> None:
    """As a row of a file is by its line."""
    wrong: Any = 5
    with pytest.raises(UsageError) as caught:
        generate_variants([BASE], rewrites=[("a", "b"), (" ", wrong)])
    assert [problem.path for problem in caught.value.problems] == ["rewrites[1].from", "rewrites[1].to"]


def test_a_set_of_strategies_has_no_relation() -> None:
    """Its members have."""
    relations = {each["name"]: each["relation"] for each in known_strategies()}
    assert (relations["all"], relations["typos"], relations["negation"]) == (None, None, "counterfactual")
