"""Laws of the status decision."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from robust import Comparator
from robust.records.case import RELATIONS, Relation
from robust.records.failure import FailureCode
from robust.records.status import ISSUE_LEADS_TO, Outcome, derive_outcome
from tests.laws.strategies import answers, comparators

OBSERVED: list[FailureCode] = [
    "validator_error",
    "validator_timeout",
    "validator_mutated_input",
    "verdict_malformed",
    "evidence_malformed",
    "validator_flaky",
]
failures = st.lists(
    st.builds(lambda code: {"code": code, "path": "$", "detail": ""}, st.sampled_from(OBSERVED)), max_size=3
)
verdicts = st.one_of(
    st.none(),
    st.fixed_dictionaries(
        {
            "valid": st.sampled_from([True, False, None]),
            "reason": st.sampled_from(["", " ", "because"]),
            "base_expected": st.one_of(st.none(), answers),
            "variant_expected": st.one_of(st.none(), answers),
            "evidence": st.sampled_from([{}, {"a": 1}]),
        }
    ),
)
situations = st.fixed_dictionaries(
    {
        "unchanged": st.booleans(),
        "base_label": st.one_of(st.none(), answers),
        "candidate_label": st.one_of(st.none(), answers),
        "relation": st.sampled_from(RELATIONS),
        "comparator": comparators,
        "require_answers": st.booleans(),
        "verdict": verdicts,
        "failures": failures,
    }
)


@given(situations)
def test_the_status_follows_from_the_codes_alone(situation: dict[str, Any]) -> None:
    """Unknown goes before invalid, invalid before valid, and codes stand in the order of the table."""
    outcome = derive_outcome(**situation)
    leads = [ISSUE_LEADS_TO[code] for code in outcome.issues]
    assert outcome.status == ("unknown" if "unknown" in leads else "invalid" if "invalid" in leads else "valid")
    assert list(outcome.issues) == [code for code in ISSUE_LEADS_TO if code in outcome.issues]
    assert (outcome.strength is not None) == (outcome.status == "valid")


@given(situations)
def test_nothing_is_valid_that_was_not_said_to_be(situation: dict[str, Any]) -> None:
    """A valid record has a verdict of True, a reason, evidence and no failure."""
    outcome = derive_outcome(**situation)
    if outcome.status == "valid":
        verdict = situation["verdict"]
        assert verdict["valid"] is True
        assert verdict["reason"].strip()
        assert verdict["evidence"]
        assert situation["failures"] == []
        assert not situation["unchanged"]


@given(situations)
def test_strength_answers_needs_both_answers(situation: dict[str, Any]) -> None:
    """Strength relation is for invariants that did not require answers, and for nothing else."""
    outcome = derive_outcome(**situation)
    if outcome.status == "valid":
        both = (
            situation["verdict"]["base_expected"] is not None and situation["verdict"]["variant_expected"] is not None
        )
        assert (outcome.strength == "answers") == both
        assert both or (situation["relation"] == "invariant" and not situation["require_answers"])


@given(situations, failures)
def test_another_failure_never_improves_a_record(situation: dict[str, Any], more: list[Any]) -> None:
    """Adding failures keeps every failure's code and never makes a record valid."""
    before = derive_outcome(**situation)
    after = derive_outcome(**{**situation, "failures": [*situation["failures"], *more]})
    assert {failure["code"] for failure in more} <= set(after.issues)
    assert not (after.status == "valid" and before.status != "valid")


@given(answers, answers)
def test_a_counterfactual_is_the_opposite_of_an_invariant(base: Any, variant: Any) -> None:
    """For two given answers exactly one of the two relations holds under the exact comparator."""

    def outcome(relation: Relation) -> Outcome:
        verdict = {
            "valid": True,
            "reason": "r",
            "base_expected": base,
            "variant_expected": variant,
            "evidence": {"a": 1},
        }
        return derive_outcome(
            unchanged=False,
            base_label=None,
            candidate_label=None,
            relation=relation,
            comparator=Comparator(),
            require_answers=True,
            verdict=verdict,
            failures=[],
        )

    if base is not None and variant is not None:
        assert {outcome("invariant").status, outcome("counterfactual").status} == {"valid", "invalid"}


class _Text(str):
    """Text of a class of its own."""

    __slots__ = ()


def other_form(answer: Any) -> Any:
    """An equal answer of a type that is not seen to be equal at once."""
    return _Text(answer) if type(answer) is str else float(answer) if type(answer) is int else answer


few_answers = st.one_of(st.none(), st.sampled_from(["a", "b", 1, 2, True]))
likely = st.fixed_dictionaries(
    {
        "unchanged": st.sampled_from([False, False, False, True]),
        "base_label": few_answers,
        "candidate_label": few_answers,
        "relation": st.sampled_from(RELATIONS),
        "comparator": st.sampled_from([Comparator(), Comparator(), Comparator(name="text"), Comparator(name="set")]),
        "require_answers": st.booleans(),
        "verdict": st.fixed_dictionaries(
            {
                "valid": st.sampled_from([True, True, True, False, None]),
                "reason": st.sampled_from(["because", "because", " "]),
                "base_expected": few_answers,
                "variant_expected": few_answers,
                "evidence": st.sampled_from([{"a": 1}, {"a": 1}, {}]),
            }
        ),
        "failures": st.one_of(st.just([]), failures),
    }
)


@given(likely)
def test_what_is_seen_at_once_is_what_a_closer_look_finds(situation: dict[str, Any]) -> None:
    """Whatever type the same answers are of."""
    verdict = situation["verdict"]
    closer = {
        **situation,
        "base_label": other_form(situation["base_label"]),
        "candidate_label": other_form(situation["candidate_label"]),
        "verdict": {**verdict, **{name: other_form(verdict[name]) for name in ("base_expected", "variant_expected")}},
    }
    assert derive_outcome(**situation) == derive_outcome(**closer)
