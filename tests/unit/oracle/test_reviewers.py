"""The oracle of people's judgements: who says what, and what follows where they differ."""

from __future__ import annotations

from typing import Any

import pytest

from robust import Comparator, DataError, validate_variant
from robust.canon import canonical_bytes
from robust.oracle.reviewers import ReviewersOracle
from robust.records.review import Judgement, ReviewRow, pair_digest
from robust.records.verdict import MAX_EVIDENCE_BYTES
from tests.builders import CONTRACT, pair, review_pair

BASE, CANDIDATE = pair()


def judgement(reviewer: str = "Anna", **fields: Any) -> Judgement:
    """A judgement in good order, but for what a test changes."""
    known: dict[str, Any] = {"valid": True, "reason": "added", "reviewed_at": "2026-03-30"}
    return Judgement(**{**known, "reviewer": reviewer, "base_answer": 6, "variant_answer": 7, **fields})


def row(said: Judgement | None = None, **fields: Any) -> ReviewRow:
    """A row about the pair of these tests."""
    contents = (BASE.content_digest, CANDIDATE.content_digest)
    own = {"pair": pair_digest(fields.get("contract", CONTRACT), "counterfactual", *contents)}
    return ReviewRow(pair=review_pair(**{**own, **fields}), judgement=said)


def validated(*said: Judgement, relation: Any = "counterfactual", **terms: Any) -> Any:
    """The validation of the pair by a panel."""
    oracle = ReviewersOracle([row(each) for each in said])
    return validate_variant(BASE, CANDIDATE, relation=relation, contract=CONTRACT, validator=oracle, **terms)


def test_one_reviewer_is_the_oracle_of_the_record() -> None:
    """With time and reason as evidence, and answers that make it strong enough to be scored."""
    record = validated(judgement())
    assert (record.status, record.strength) == ("valid", "answers")
    assert record.data["oracle"]["name"] == "Anna"
    assert record.data["oracle"]["version"].startswith("1+sha256:")
    assert record.data["oracle"]["source_sha256"] is None
    assert record.data["verdict"]["reason"] == "added"
    assert record.data["verdict"]["evidence"] == {
        "judgements": [
            {
                "reviewer": "Anna",
                "reviewed_at": "2026-03-30",
                "reason": "added",
                "valid": "yes",
                "base_answer": 6,
                "variant_answer": 7,
            }
        ]
    }


def test_two_reviewers_who_agree_are_one_oracle() -> None:
    """Named in the order of their names, with what each of them said."""
    record = validated(judgement("Ben", reason="counted"), judgement("Anna", base_answer=None))
    assert record.status == "valid"
    assert record.data["oracle"]["name"] == "Anna + Ben"
    assert record.data["verdict"]["reason"] == "Anna: added; Ben: counted"
    assert [each["reviewer"] for each in record.data["verdict"]["evidence"]["judgements"]] == ["Anna", "Ben"]


@pytest.mark.parametrize("other", [False, None])
def test_two_reviewers_who_disagree_leave_it_unknown(other: bool | None) -> None:
    """With both in the evidence."""
    record = validated(judgement("Ben", valid=other), judgement("Anna"))
    assert (record.status, record.issues) == ("unknown", ("unreviewed",))
    assert record.data["verdict"]["reason"].startswith("the reviewers disagree: Anna says valid, Ben says ")
    assert len(record.data["verdict"]["evidence"]["judgements"]) == 2


def test_answers_that_differ_leave_a_valid_pair_unknown() -> None:
    """But not where the comparator of the batch calls them equal, and not an invalid one."""
    two = judgement("Anna", variant_answer="7.0"), judgement("Ben", variant_answer="7.00")
    assert validated(*two).issues == ("unreviewed",)
    assert validated(*two, comparator="number").status == "valid"
    refused = [judgement(name, valid=False, variant_answer=answer) for name, answer in (("Anna", 7), ("Ben", 8))]
    record = validated(*refused)
    assert (record.status, record.data["verdict"]["variant_expected"]) == ("invalid", None)


def test_under_a_tolerance_each_two_must_agree() -> None:
    """7 is near 8 and 8 near 9, but 7 is not near 9."""
    said = [judgement(name, variant_answer=answer) for name, answer in (("Anna", 7), ("Ben", 8), ("Carla", 9))]
    near = Comparator(name="number", abs_tol=1)
    assert validated(*said, comparator=near, relation="invariant").issues == ("unreviewed",)
    assert validated(*said[:2], comparator=near, relation="counterfactual").data["verdict"]["valid"] is True


def test_a_reviewer_who_contradicts_himself_decides_nothing() -> None:
    """A row that stands twice is one; one that was edited in between is not."""
    assert validated(judgement(), judgement()).status == "valid"
    assert validated(judgement(), judgement("ANNA")).data["oracle"]["name"] == "ANNA"
    assert validated(judgement(), judgement(valid=False)).status == "unknown"


def test_what_nobody_judged_is_unknown_and_says_why() -> None:
    """A row that waits, a pair that no row is about, and another relation."""
    waiting = [row(), row(judgement(), pair="sha256:" + "0" * 64)]
    oracle = ReviewersOracle(waiting)
    assert oracle(BASE, CANDIDATE).reason == "the candidate claims no relation, so that no judgement can be of it"
    contents = (BASE.content_digest, CANDIDATE.content_digest)
    assert oracle.verdict(*contents, "counterfactual", Comparator()).reason == "nobody has judged this pair yet"
    other = ReviewersOracle([row(judgement())]).verdict(*contents, "invariant", Comparator())
    assert (other.valid, other.reason) == (None, f"no row of {CONTRACT} is about this pair as invariant")


def test_a_judgement_without_a_reason_stays_unknown() -> None:
    """As any verdict does."""
    assert validated(judgement(reason=" ")).issues == ("reason_missing",)
    assert validated(judgement(reason=""), judgement("Ben", reason="counted")).status == "valid"


def test_the_contract_chooses_the_rows_that_count() -> None:
    """Where several are in a file, one has to be named."""
    rows = [row(judgement()), row(judgement("Ben", valid=False), contract="other/v1")]
    with pytest.raises(DataError, match="2 oracle contracts") as refused:
        ReviewersOracle(rows)
    assert refused.value.code == "mixed_contracts"
    assert ReviewersOracle(rows, contract="other/v1").name == "Ben"
    with pytest.raises(DataError, match="no row is of the oracle contract 'third/v1'"):
        ReviewersOracle(rows, contract="third/v1")


@pytest.mark.parametrize("rows", [[], [row()]])
def test_a_sheet_without_a_judgement_is_no_oracle(rows: list[ReviewRow]) -> None:
    """An empty one, and one that nobody filled in."""
    with pytest.raises(DataError) as refused:
        ReviewersOracle(rows)
    assert refused.value.code == "no_reviews"


def test_many_reviewers_are_counted_in_the_name() -> None:
    """As a list of names that is cut could be that of others."""
    said = [judgement(f"Reviewer of the second floor, number {number}") for number in range(2, 20)]
    oracle = ReviewersOracle([row(each) for each in said])
    assert oracle.name == "18 reviewers"
    assert [each["name"] for each in oracle.oracles] == list(oracle.reviewers)


def test_evidence_stays_within_its_limit_whatever_was_written() -> None:
    """The rest is counted, and long answers are named by their digests."""
    said = [
        judgement(f"{number}" + "ä" * 240, reason="\u4e00" * 5000, base_answer="x" * 5000) for number in range(2, 99)
    ]
    record = validated(*said)
    evidence = record.data["verdict"]["evidence"]
    assert record.data["failures"] == []
    assert len(canonical_bytes(evidence)) < MAX_EVIDENCE_BYTES
    assert len(evidence["judgements"]) + evidence["more_judgements"] == len(said)
    assert evidence["judgements"][0]["base_answer"]["digest"].startswith("sha256:")
