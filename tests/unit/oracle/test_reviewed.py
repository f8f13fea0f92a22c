"""The oracle of reviews: repeats what records say of the same pair, and nothing else."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from robust import Case, OracleVerdict, Origin, Validation, validate_variant
from robust.canon import JsonObject
from robust.errors import DataError
from robust.oracle.reviewed import ReviewedOracle
from robust.records.case import Relation
from robust.records.verdict import MAX_EVIDENCE_BYTES, MAX_REASON_CHARACTERS
from robust.run.judging import CandidateJudge, JudgedBase
from robust.store.validations import read_validations, write_validations
from tests.builders import verdict

CONTRACT = "reviews/v1"
BASE = Case("Bring 2 keys.", "two", case_id="base", source_id="s")


def candidate(
    text: str = "Bring two keys.", *, base: Case = BASE, relation: Relation | None = "invariant", case_id: str = "new"
) -> Case:
    origin = Origin(
        parent_id=base.case_id, parent_content=base.content_digest, transform="rewording", relation=relation
    )
    return Case(text, case_id=case_id, source_id=base.source_id, origin=origin)


class Reviewer:
    """Says what it was told to say."""

    version = "1"

    def __init__(self, name: str, answer: Any) -> None:
        self.name = name
        self.answer = answer

    def __call__(self, *_: Case) -> Any:
        """Say it."""
        return self.answer


def review(
    said: Any = None, text: str = "Bring two keys.", *, name: str = "reviewer", base: Case = BASE, **terms: Any
) -> Validation:
    """A record of a reviewer who says what is given, or that both answers are two."""
    reviewer = Reviewer(name, said if said is not None else verdict(True, "two", "two"))
    relation = terms.pop("relation", "invariant")
    pair = base, candidate(text, base=base, relation=relation, case_id=f"reviewed by {name}")
    return validate_variant(*pair, relation=relation, **{"contract": CONTRACT, "validator": reviewer, **terms})


def asked(*records: Validation, about: Case | None = None, contract: str | None = None) -> OracleVerdict:
    return ReviewedOracle(records, contract=contract)(BASE, about or candidate())


def judged_by(oracle: Any) -> Validation:
    return validate_variant(BASE, candidate(), relation="invariant", contract=CONTRACT, validator=oracle)


def test_a_valid_record_is_repeated_whole() -> None:
    """Reason, both answers and evidence, with the digest of the record; ids have no part in it."""
    record = review(verdict(True, "two", "two", reason="the same number", evidence={"number": 2}))
    assert asked(record) == OracleVerdict(
        True, "the same number", "two", "two", {"records": [record.digest], "evidence": {"number": 2}}
    )
    other_ids = candidate(base=replace(BASE, case_id="another base"))
    assert ReviewedOracle([record])(replace(BASE, case_id="another base"), other_ids).valid is True


def raising(*_: Case) -> OracleVerdict:
    raise RuntimeError("no light")


@pytest.mark.parametrize(
    ("said", "valid", "reason"),
    [
        (verdict(False, "two", "three", reason="another number"), False, "another number"),
        (verdict(None, None, None, reason="unreadable"), None, "unreadable"),
        (verdict(True, "two", "three", reason="fine"), False, "recorded as invalid (relation_contradicted): fine"),
        (verdict(True, "three", "three"), False, "base_label_conflict"),
        (verdict(True, "two", "two", evidence={}), None, "recorded as unknown (evidence_missing)"),
        (verdict(True, "two", None), None, "answer_missing"),
        (verdict(True, "two", "two", reason="  "), None, "recorded as unknown (reason_missing)"),
        ("yes", None, "recorded as unknown (verdict_malformed)"),
    ],
)
def test_a_record_counts_for_what_its_codes_make_of_it(said: Any, valid: bool | None, reason: str) -> None:
    """A verdict of True that did not make a valid record vouches for nothing."""
    record = review(said)
    answer = asked(record)
    assert answer.valid is valid
    assert reason in answer.reason
    assert answer.evidence["records"] == [record.digest]


def test_a_record_without_a_verdict_vouches_for_nothing() -> None:
    """The oracle that was to judge broke down."""
    answer = asked(judged_by(raising))
    assert (answer.valid, answer.reason) == (None, "recorded as unknown (validator_error)")


@pytest.mark.parametrize(
    ("base", "about"),
    [
        (BASE, candidate("Bring three keys.")),
        (BASE, candidate(relation="counterfactual")),
        (BASE, candidate(relation=None)),
        (BASE, Case("Bring two keys.", case_id="new", source_id="s")),
        (replace(BASE, input="Bring 3 keys."), candidate()),
        (replace(BASE, input={"text": "Bring 2 keys."}), candidate()),
    ],
)
def test_of_another_pair_nothing_is_known(base: Case, about: Case) -> None:
    """Another base, another candidate, another relation, or none."""
    answer = ReviewedOracle([review()])(base, about)
    assert answer.valid is None
    assert answer.reason


def test_records_that_agree_vouch_together() -> None:
    """All are named; answers come from one that has them; the same record twice is one."""
    by_relation = review(verdict(True, None, None), name="first", require_answers=False)
    by_answers = review(name="second")
    answer = asked(by_relation, by_answers, by_answers, by_relation)
    assert (answer.valid, answer.base_expected, answer.variant_expected) == (True, "two", "two")
    assert answer.evidence["records"] == [by_relation.digest, by_answers.digest]


@pytest.mark.parametrize("other", [verdict(False, "two", "three"), verdict(None, None, None)])
def test_records_that_disagree_vouch_for_nothing(other: OracleVerdict) -> None:
    """Whichever stands first; the evidence says which record says what."""
    yes, no = review(name="first"), review(other, name="second")
    for records in ([yes, no], [no, yes], [yes, yes, no, yes]):
        answer = asked(*records)
        assert (answer.valid, answer.base_expected) == (None, None)
        said = {item["digest"]: item["status"] for item in answer.evidence["records"]}
        assert said == {yes.digest: "valid", no.digest: no.status}


def test_records_with_different_answers_vouch_for_nothing() -> None:
    """Of two valid records one must be wrong about the question, even if both say that nothing changed."""
    bare = replace(BASE, expected=None)
    records = [review(verdict(True, answer, answer), name=str(answer), base=bare) for answer in (2, 3)]
    answer = asked(*records)
    assert answer.valid is None
    assert answer.evidence["records"] == [record.digest for record in records]
    close = [
        review(verdict(True, n, n), name=str(n), base=bare, comparator={"name": "number", "abs_tol": 1}) for n in (2, 3)
    ]
    assert asked(*close).valid is True


@pytest.mark.parametrize("order", [(2, 1, 3), (1, 2, 3), (3, 1, 2)])
def test_answers_within_a_tolerance_must_agree_each_with_each(order: tuple[int, ...]) -> None:
    """In whatever order the records come: 2 is near enough to 1 and to 3, which are too far apart."""
    bare = replace(BASE, expected=None)
    near = {"name": "number", "abs_tol": 1}
    records = [review(verdict(True, n, n), name=str(n), base=bare, comparator=near) for n in order]
    assert asked(*records).reason == "the records derive different answers"


def test_a_counterfactual_is_repeated_under_its_relation() -> None:
    """The same two texts may be claimed both ways."""
    oracle = ReviewedOracle([review(verdict(True, "two", "three"), "Bring three keys.", relation="counterfactual")])
    assert oracle(BASE, candidate("Bring three keys.", relation="counterfactual")).valid is True
    assert oracle(BASE, candidate("Bring three keys.", relation="invariant")).valid is None


def test_records_of_other_contracts_do_not_count() -> None:
    """Where one is named; where none is, all must be of one."""
    own, other = review(), review(verdict(False, "two", "two"), contract="strict/v2", name="strict")
    oracle = ReviewedOracle([other, own], contract=CONTRACT)
    assert (oracle.contract, [item["name"] for item in oracle.oracles]) == (CONTRACT, ["reviewer"])
    assert oracle(BASE, candidate()).valid is True
    assert ReviewedOracle([own, own]).contract == CONTRACT
    with pytest.raises(DataError, match=r"reviews/v1, strict/v2") as caught:
        ReviewedOracle([other, own])
    assert caught.value.code == "mixed_contracts"


@pytest.mark.parametrize("contract", [None, CONTRACT])
def test_no_records_are_an_error(contract: str | None) -> None:
    """An oracle that knows nothing would make everything unknown, long after the mistake."""
    with pytest.raises(DataError) as caught:
        ReviewedOracle([], contract=contract)
    assert caught.value.code == "no_reviews"
    with pytest.raises(DataError, match=r"the validation records are of reviews/v1"):
        ReviewedOracle([review()], contract="reviews/v2")


def test_records_of_several_comparators_are_an_error() -> None:
    """A run compares answers in one way, which is told."""
    number = review(comparator={"name": "number", "abs_tol": 1.0}, text="Bring a key.")
    assert ReviewedOracle([number]).comparator.to_json()["abs_tol"] == 1.0
    with pytest.raises(DataError) as caught:
        ReviewedOracle([number, review()])
    assert caught.value.code == "mixed_comparators"


def test_the_oracles_behind_the_records_are_told_once_each() -> None:
    """So that a run can refuse the tested model as the author of its own reviews."""
    records = [review(text=text, name=name) for text in ("a", "b") for name in ("one", "two")]
    oracles = ReviewedOracle(records).oracles
    assert [item["name"] for item in oracles] == ["one", "two"]
    assert oracles[0] == records[0].data["oracle"]


def test_other_records_make_another_version() -> None:
    """A run that is continued after a review tells the two apart."""
    few, more = ReviewedOracle([review()]), ReviewedOracle([review(), review(text="Bring both keys.")])
    assert few.version != more.version
    assert few.version == ReviewedOracle([review()]).version
    assert few.version.startswith("1+sha256:")


def deep(levels: int) -> JsonObject:
    value: JsonObject = {"end": 1}
    for _ in range(levels - 1):
        value = {"in": value}
    return value


@pytest.mark.parametrize("evidence", [{"text": "x" * (MAX_EVIDENCE_BYTES - 20)}, deep(180)])
def test_evidence_that_leaves_no_room_is_named_by_its_digest(evidence: JsonObject) -> None:
    """What is repeated must stay a verdict in order."""
    record = review(verdict(True, "two", "two", evidence=evidence))
    assert record.status == "valid"
    again = judged_by(ReviewedOracle([record]))
    assert again.status == "valid"
    assert again.data["verdict"]["evidence"]["evidence"]["digest"].startswith("sha256:")


def test_many_long_records_of_one_pair_stay_within_limits() -> None:
    """A hundred are named, the rest are counted, and a long reason is cut."""
    long = "y" * MAX_REASON_CHARACTERS
    records = [
        review(verdict(True, "two", "two", reason=long, evidence={}), name=f"reviewer {number}")
        for number in range(130)
    ]
    again = judged_by(ReviewedOracle(records))
    assert again.issues == ("unreviewed",)
    assert len(again.data["verdict"]["evidence"]["records"]) == 100
    assert again.data["verdict"]["evidence"]["more_records"] == 30


def in_a_run(oracle: ReviewedOracle) -> Any:
    """The record that a run makes of the pair."""
    return CandidateJudge(oracle, contract="other/v1").judge(JudgedBase(BASE, BASE.content_digest), candidate())


@pytest.mark.parametrize(
    ("terms", "said", "strength"),
    [({}, verdict(True, "two", "two"), "answers"), ({"require_answers": False}, verdict(True, None, None), "relation")],
)
def test_its_record_has_the_strength_of_the_review(terms: JsonObject, said: OracleVerdict, strength: str) -> None:
    """Also through a file; under the contract of the reviews, without a thread."""
    oracle = ReviewedOracle([review(said, **terms)])
    made = in_a_run(oracle)
    assert (made.status, made.strength, made.data["contract"]) == ("valid", strength, CONTRACT)
    assert made.data["oracle"]["name"] == "robust.reviewed"
    assert made.data["oracle"]["version"] == oracle.version
    assert oracle.waits is False


def test_records_come_from_a_file(tmp_path: Path) -> None:
    """As a contract names it."""
    records: list[Validation] = [review(), review(verdict(False, "two", "three"), "Bring three keys.")]
    write_validations(tmp_path / "reviews.jsonl", records)
    oracle = ReviewedOracle(read_validations(tmp_path / "reviews.jsonl"), contract=CONTRACT)
    judge: Callable[[Case, Case], OracleVerdict] = oracle
    assert judge(BASE, candidate()).valid is True
    assert judge(BASE, candidate("Bring three keys.")).valid is False
