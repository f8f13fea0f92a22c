"""Every code of the status table alone, and all of them together."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest

from robust import Case, OracleVerdict, Validation
from robust.records.status import ISSUE_LEADS_TO
from tests.builders import judged, pair, said, saying, sum_case, verdict
from tests.validators import sleep_for_ever, touch_deep_metadata


def raising(base: Case, candidate: Case) -> OracleVerdict:
    raise ValueError("no idea")


def alternating() -> Callable[[Case, Case], OracleVerdict]:
    answers = iter([6, 7, 6, 7])
    return lambda base, candidate: verdict(base=next(answers), variant=8)


DEEP: dict[str, Any] = {"metadata": {"outer": {"inner": [{"leaf": "as it was"}]}}}
ALONE: dict[str, Callable[[], Validation]] = {
    "validator_error": lambda: judged(raising),
    "validator_timeout": lambda: judged(sleep_for_ever, timeout_s=0.05),
    "validator_mutated_input": lambda: judged(touch_deep_metadata, pair(**DEEP)),
    "verdict_malformed": lambda: said("yes"),
    "reason_missing": lambda: said(verdict(reason=" \n")),
    "evidence_missing": lambda: said(verdict(evidence={})),
    "evidence_malformed": lambda: said(verdict(evidence={"good": 1, "bad": math.nan})),
    "validator_flaky": lambda: judged(alternating(), repeats=2),
    "unreviewed": lambda: said(verdict(None)),
    "answer_missing": lambda: said(verdict(variant=None)),
    "rejected": lambda: said(verdict(False)),
    "unchanged_input": lambda: said(verdict(), pair("What is 2 plus 4?")),
    "base_label_conflict": lambda: said(verdict(), pair(expected=5)),
    "candidate_label_conflict": lambda: said(
        verdict(), (sum_case(), sum_case("variant", "What is 2 plus 5?", expected=6))
    ),
    "relation_contradicted": lambda: said(verdict(variant=6)),
}


def test_every_code_of_the_table_has_its_example() -> None:
    """No code is left out below."""
    assert list(ALONE) == list(ISSUE_LEADS_TO)


@pytest.mark.parametrize("code", ISSUE_LEADS_TO)
def test_each_code_alone_leads_where_the_table_says(code: str) -> None:
    """The code is reported alone, the status is the table's, and nothing has a strength."""
    validation = ALONE[code]()
    assert validation.issues == (code,)
    assert validation.status == ISSUE_LEADS_TO[code]
    assert validation.strength is None


def test_nothing_wrong_is_valid_by_answers() -> None:
    """Two answers that satisfy the relation, a reason and evidence make a valid record."""
    validation = said(verdict())
    assert (validation.status, validation.strength, validation.issues) == ("valid", "answers", ())


def test_every_issue_that_applies_is_reported_in_the_order_of_the_table() -> None:
    """Many faults at once are many codes, and one of them that leads to unknown makes the record unknown."""
    base = sum_case(expected=1)
    candidate = sum_case("variant", expected=2)
    validation = said(verdict(True, 6, 6, reason="", evidence={}), (base, candidate))
    assert validation.issues == (
        "reason_missing",
        "evidence_missing",
        "unchanged_input",
        "base_label_conflict",
        "candidate_label_conflict",
        "relation_contradicted",
    )
    assert validation.status == "unknown"


def test_a_rejection_with_every_contradiction_is_invalid() -> None:
    """Codes that all lead to invalid make the record invalid."""
    base, candidate = sum_case(expected=1), sum_case("variant", expected=2)
    validation = said(verdict(False, 6, 6), (base, candidate))
    assert validation.status == "invalid"
    assert validation.issues == (
        "rejected",
        "unchanged_input",
        "base_label_conflict",
        "candidate_label_conflict",
        "relation_contradicted",
    )


def test_observed_codes_stand_beside_what_was_said() -> None:
    """A mutating, mumbling, flaky oracle is described by all of its faults."""
    turns = iter(["a", "b"])

    def oracle(base: Case, candidate: Case) -> OracleVerdict:
        base.metadata["x"] = 1
        turn = next(turns)
        return OracleVerdict(None, "", turn, turn + "!", {"bad": {1}})

    validation = judged(oracle, repeats=2)
    assert validation.issues == (
        "validator_mutated_input",
        "reason_missing",
        "evidence_malformed",
        "validator_flaky",
        "unreviewed",
    )


@pytest.mark.parametrize("answers", [(None, None), (6, None), (None, 7)])
def test_an_invariant_may_rest_on_the_relation_when_answers_are_not_required(answers: tuple[Any, Any]) -> None:
    """Without answers, but with everything else, it is valid by relation; a counterfactual is not."""
    cases = pair("How much is 2 plus 4?")
    relaxed = said(verdict(True, *answers), cases, relation="invariant", require_answers=False)
    assert (relaxed.status, relaxed.strength, relaxed.issues) == ("valid", "relation", ())
    strict = said(verdict(True, *answers), cases, relation="invariant")
    assert (strict.status, strict.issues) == ("unknown", ("answer_missing",))
    other = said(verdict(True, *answers), cases, relation="counterfactual", require_answers=False)
    assert other.issues == ("answer_missing",)


@pytest.mark.parametrize(
    ("relation", "base", "variant", "status"),
    [
        ("invariant", 6, 6.0, "valid"),
        ("invariant", 6, 7, "invalid"),
        ("counterfactual", 6, 6.0, "invalid"),
        ("increasing", 6, 6, "valid"),
        ("increasing", 6, "6.5", "valid"),
        ("increasing", 6, 5, "invalid"),
        ("decreasing", 6, 5, "valid"),
        ("decreasing", "10", "9", "valid"),
        ("decreasing", 6, 7, "invalid"),
    ],
)
def test_relations_hold_or_are_contradicted(relation: str, base: Any, variant: Any, status: str) -> None:
    """Answers are compared as the relation demands."""
    assert said(verdict(True, base, variant), relation=relation).status == status


def test_answers_that_cannot_be_compared_are_malformed() -> None:
    """An order between words that are no numbers and on no scale cannot be judged."""
    validation = said(verdict(True, "low", "high"), relation="increasing")
    assert validation.issues == ("verdict_malformed",)
    scale = {"name": "scale", "levels": ["low", "high"]}
    assert said(verdict(True, "low", "high"), relation="increasing", comparator=scale).status == "valid"


@pytest.mark.parametrize("field", [{"valid": 1}, {"reason": None}, {"base": math.nan}, {"variant": {1}}])
def test_what_is_malformed_is_not_called_missing_as_well(field: Any) -> None:
    """One fault, one code: a field that could not be read is neither unreviewed, blank nor absent."""
    assert said(verdict(**field)).issues == ("verdict_malformed",)


def test_a_label_conflict_is_a_matter_of_the_comparator() -> None:
    """The label "6.0" conflicts with the answer 6 on bytes, not as a number."""
    assert said(verdict(), pair(expected="6.0")).issues == ("base_label_conflict",)
    assert said(verdict(), pair(expected="6.0"), comparator="number").status == "valid"


def test_the_validation_of_a_fixed_answer_does_not_depend_on_the_time() -> None:
    """Two validations of the same have one digest, though each was observed at its own time."""
    first, second = judged(saying(verdict())), judged(saying(verdict()))
    assert first.digest == second.digest
    assert "validated_at" in first.data["observed"]
