"""Short ways to make the pairs that tests talk about."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from robust import Case, OracleVerdict, Validation, validate_variant
from robust.canon import JsonValue
from robust.records.review import ReviewPair
from tests.validators import check_addition

CONTRACT = "integer-addition/v1"


def sum_case(case_id: str = "base", question: str = "What is 2 plus 4?", **fields: Any) -> Case:
    """A case that asks for a sum."""
    return Case(question, **{"case_id": case_id, "source_id": "source", **fields})


def pair(after: str = "What is 2 plus 5?", **base_fields: Any) -> tuple[Case, Case]:
    """A base and a candidate that asks for another sum."""
    return sum_case(**base_fields), sum_case("variant", after)


def verdict(valid: bool | None = True, base: JsonValue = 6, variant: JsonValue = 7, **fields: Any) -> OracleVerdict:
    """A verdict in good order, but for what a test changes."""
    return OracleVerdict(
        **{
            "valid": valid,
            "reason": "recomputed",
            "base_expected": base,
            "variant_expected": variant,
            "evidence": {"how": "by hand"},
            **fields,
        }
    )


def saying(answer: Any) -> Callable[[Case, Case], Any]:
    """A validator that returns the same thing whatever it is asked."""

    def validator(base: Case, candidate: Case) -> Any:
        return answer

    return validator


def judged(validator: Any, cases: tuple[Case, Case] | None = None, **terms: Any) -> Validation:
    """The validation of a pair of different sums, by a validator and under a contract that matter to no test."""
    base, candidate = cases or pair()
    return validate_variant(
        base, candidate, **{"relation": "counterfactual", "contract": CONTRACT, "validator": validator, **terms}
    )


def said(answer: Any, cases: tuple[Case, Case] | None = None, **terms: Any) -> Validation:
    """The validation when the oracle returns just this."""
    return judged(saying(answer), cases, **terms)


def valid_variant(number: int = 5, *, suffix: str = "", source: str = "source", **base_fields: Any) -> Validation:
    """A valid validation: a base asking 2 plus 4 and a variant asking 2 plus ``number``."""
    base = sum_case(f"base{suffix}", source_id=source, **base_fields)
    candidate = sum_case(f"variant{suffix}-{number}", f"What is 2 plus {number}?", source_id=source)
    return judged(check_addition, (base, candidate))


def review_pair(**fields: Any) -> ReviewPair:
    """The pair of a review sheet's row, but for what a test changes."""
    known: dict[str, Any] = {
        "contract": CONTRACT,
        "relation": "counterfactual",
        "base_id": "base",
        "candidate_id": "variant",
        "source_id": "source",
        "base": "one",
        "candidate": "two",
        "media": "",
        "answers": "json",
        "pair": "sha256:" + "0" * 64,
    }
    return ReviewPair(**{**known, **fields})
