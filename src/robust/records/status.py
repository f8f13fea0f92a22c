"""The status decision: one pure function, used when a validation is made and again whenever it is read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, Literal, NamedTuple, TypeAlias

from robust.canon import JsonObject
from robust.records.case import Relation
from robust.records.comparator import Comparator

Status: TypeAlias = Literal["valid", "invalid", "unknown"]
Strength: TypeAlias = Literal["answers", "relation"]

# In the order of the specification's table, which is also the order in which codes are reported.
ISSUE_LEADS_TO: Final[dict[str, Status]] = {
    "validator_error": "unknown",
    "validator_timeout": "unknown",
    "validator_mutated_input": "unknown",
    "verdict_malformed": "unknown",
    "reason_missing": "unknown",
    "evidence_missing": "unknown",
    "evidence_malformed": "unknown",
    "validator_flaky": "unknown",
    "unreviewed": "unknown",
    "answer_missing": "unknown",
    "rejected": "invalid",
    "unchanged_input": "invalid",
    "base_label_conflict": "invalid",
    "candidate_label_conflict": "invalid",
    "relation_contradicted": "invalid",
}
# What can leave a record without a verdict.
NO_VERDICT: Final = frozenset(("validator_error", "validator_timeout", "verdict_malformed"))
# The oracle failed: it raised, was too late, or what it did is no answer. All else that is unknown was said in earnest.
ORACLE_FAILED: Final = frozenset(
    ("validator_error", "validator_timeout", "validator_mutated_input", "verdict_malformed", "evidence_malformed")
)
_ORDER: Final = {code: index for index, code in enumerate(ISSUE_LEADS_TO)}
_ANSWERS: Final = (("base_expected", "$.base_expected"), ("variant_expected", "$.variant_expected"))


class Outcome(NamedTuple):
    """What follows from a judgement: status, strength (None unless valid) and issue codes in table order."""

    status: Status
    strength: Strength | None
    issues: tuple[str, ...]


_BY_ANSWERS: Final = Outcome("valid", "answers", ())
_BY_RELATION: Final = Outcome("valid", "relation", ())


def derive_outcome(
    *,
    unchanged: bool,
    base_label: Any,
    candidate_label: Any,
    relation: Relation,
    comparator: Comparator,
    require_answers: bool,
    verdict: JsonObject | None,
    failures: Sequence[JsonObject],
) -> Outcome:
    """Derive status, strength and issues from what was observed and what was said.

    Args:
        unchanged: whether base and candidate have one content.
        base_label: the base's expected answer as stored, None where there is none.
        candidate_label: the candidate's, likewise.
        relation: what is claimed between the two right answers.
        comparator: how answers are compared.
        require_answers: whether a valid verdict needs both derived answers.
        verdict: the verdict as stored, or None when there is none.
        failures: the observed failures as stored.
    """
    if (
        not failures
        and not unchanged
        and verdict is not None
        and _is_plainly_valid(verdict, base_label, candidate_label, relation, comparator)
    ):
        return _BY_ANSWERS
    codes: set[str] = set()
    malformed: set[str] = set()
    for failure in failures:
        codes.add(failure["code"])
        if failure["code"] == "verdict_malformed":
            malformed.add(failure["path"])
    if unchanged:
        codes.add("unchanged_input")
    if verdict is not None:
        _add_said(codes, verdict, malformed, relation, require_answers=require_answers)
        _add_answers(codes, verdict, base_label, candidate_label, relation, comparator)
    elif not codes:  # no verdict and no failure: nothing was shown
        codes.add("unreviewed")
    if codes or verdict is None:
        issues = tuple(sorted(codes, key=_ORDER.__getitem__))
        unknown = any(ISSUE_LEADS_TO[code] == "unknown" for code in issues)
        return Outcome("unknown" if unknown else "invalid", None, issues)
    complete = verdict["base_expected"] is not None and verdict["variant_expected"] is not None
    return _BY_ANSWERS if complete else _BY_RELATION


def _is_plainly_valid(
    verdict: JsonObject, base_label: Any, candidate_label: Any, relation: Relation, comparator: Comparator
) -> bool:
    """Whether it is seen at once that a verdict of which nothing was malformed makes a pair valid, as most do.

    Answers that are both texts, or both integers, are equal by their bytes if they are at all.
    """
    base, variant = verdict["base_expected"], verdict["variant_expected"]
    kind = type(base)
    return (
        verdict["valid"] is True
        and (kind is str or kind is int)
        and type(variant) is kind
        and (relation == "invariant" if base == variant else relation == "counterfactual")
        and comparator.name == "exact"
        and (base_label is None or (type(base_label) is kind and base_label == base))
        and (candidate_label is None or (type(candidate_label) is kind and candidate_label == variant))
        and bool(verdict["evidence"])
        and bool(verdict["reason"].strip())
    )


def _add_said(
    codes: set[str], verdict: JsonObject, malformed: set[str], relation: Relation, *, require_answers: bool
) -> None:
    """Add the codes that follow from what the oracle said, but for what is named malformed already."""
    valid = verdict["valid"]
    if not verdict["reason"].strip() and "$.reason" not in malformed:
        codes.add("reason_missing")
    if valid is None:
        if "$.valid" not in malformed:
            codes.add("unreviewed")
    elif valid is False:
        codes.add("rejected")
    else:
        if not verdict["evidence"] and "evidence_malformed" not in codes:
            codes.add("evidence_missing")
        if verdict["base_expected"] is None or verdict["variant_expected"] is None:
            missing = [path for name, path in _ANSWERS if verdict[name] is None]
            relation_suffices = not require_answers and relation == "invariant"
            if not relation_suffices and not malformed.issuperset(missing):
                codes.add("answer_missing")


def _add_answers(
    codes: set[str],
    verdict: JsonObject,
    base_label: Any,
    candidate_label: Any,
    relation: Relation,
    comparator: Comparator,
) -> None:
    """Add the codes that follow from the derived answers; what cannot be compared is malformed."""
    base, variant = verdict["base_expected"], verdict["variant_expected"]
    if base is not None and base_label is not None and (equal := comparator.equal(base, base_label)) is not True:
        codes.add(_code(equal, "base_label_conflict"))
    if base is not None and variant is not None:
        holds = relation_holds(relation, base, variant, comparator)
        if holds is not True:
            codes.add(_code(holds, "relation_contradicted"))
    if variant is not None and candidate_label is not None:
        equal = comparator.equal(variant, candidate_label)
        if equal is not True:
            codes.add(_code(equal, "candidate_label_conflict"))


def _code(holds: bool | None, code: str) -> str:
    """The code of a comparison that does not hold; what cannot be compared is malformed."""
    return "verdict_malformed" if holds is None else code


def oracle_failure(issues: Sequence[str], failures: Sequence[JsonObject]) -> str | None:
    """What an oracle that gave no answer failed with, as text; None where it gave one.

    Args:
        issues: of a judgement.
        failures: likewise, as stored.
    """
    code = next((issue for issue in issues if issue in ORACLE_FAILED), None)
    if code is None:
        return None
    detail = next((str(each["detail"]) for each in failures if each["code"] == code), "the answers cannot be compared")
    return detail if code == "validator_error" else f"{code}: {detail}"


def relation_holds(relation: Relation, base_answer: Any, variant_answer: Any, comparator: Comparator) -> bool | None:
    """Whether two right answers satisfy a relation; None when the comparator cannot compare them."""
    if relation in ("invariant", "counterfactual"):
        equal = comparator.equal(base_answer, variant_answer)
        return None if equal is None else equal == (relation == "invariant")
    order = comparator.order(variant_answer, base_answer)
    if order is None:
        return None
    return order >= 0 if relation == "increasing" else order <= 0
