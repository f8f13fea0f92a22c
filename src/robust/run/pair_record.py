"""Records of the pairs that properties generate, and of the cases that they skip."""

from __future__ import annotations

from typing import Any

from robust.canon import JsonObject
from robust.records.contract import Contract
from robust.records.decision import tidy_number
from robust.records.presentation import presentation_json
from robust.records.redaction import redact_metadata
from robust.records.request import BackendIdentity
from robust.run.answers import Answer
from robust.run.judging import kept_validation
from robust.run.pair_work import Minimising, PairOutcome, Reduced
from robust.run.pairs import PlannedPair, SkippedCase
from robust.run.record import answered, make_result, observed_of


def skip_record(skipped: SkippedCase) -> JsonObject:
    """The record of a case that a property could not transform."""
    case = skipped.base.case
    return {
        "kind": "skip",
        "id": skipped.id,
        "case_id": case.case_id,
        "source_id": case.source_id,
        "property": skipped.plan.name,
        "reason": skipped.reason,
        "observed": {},
    }


def planned_pair_fields(pair: PlannedPair) -> JsonObject:
    """What the record of a pair takes from the plan."""
    case, candidate, plan = pair.base.case, pair.candidate, pair.plan
    fields: JsonObject = {
        "kind": "pair",
        "id": pair.id,
        "case_id": case.case_id,
        "source_id": case.source_id,
        "property": plan.name,
        "sample": pair.sample,
        "input": candidate.input,
        "media": [item.to_json() for item in case.media] if case.media else [],
        "expected": plan.expected(pair.base.expected),
        "metadata": redact_metadata(case.metadata) if case.metadata else case.metadata,
        "presentation": presentation_json(candidate.presentation),
        "steps": list(candidate.steps),
        "provenance": {"relation": plan.relation, **({"paraphraser": pair.source} if pair.source else {})},
    }
    if is_assumed(pair):
        fields["assumed"] = True
    return fields


def is_assumed(pair: PlannedPair) -> bool:
    """Whether a pair is scored on the contract author's word; what was not made or not sent is not scored."""
    return pair.plan.assumed and pair.failure is None and pair.base.probabilities is not None


def pair_record(pair: PlannedPair, outcome: PairOutcome, contract: Contract, backend: BackendIdentity) -> JsonObject:
    """The record of one pair."""
    record = planned_pair_fields(pair)
    validation, minimising = outcome.validation, outcome.minimising
    record["validation"] = None if validation is None else kept_validation(validation)
    record["comparison"] = outcome.comparison
    record["violations"] = outcome.violations
    reduced = None if minimising is None else minimising.reduced
    record["reduced"] = None if reduced is None else _reduced(reduced, pair, contract, backend)
    record["observed"] = _observed(outcome.answers, minimising, pair.worded)
    if not outcome.answers:
        return record
    first, further = outcome.answers[0], outcome.answers[1:]
    if first.probabilities is None:
        record["error"] = {"kind": first.error}
    else:
        record["result"] = make_result(pair.id, first, contract, backend)
    if further:
        record["trials"] = [answered(answer, contract) for answer in further]
    return record


def _observed(answers: tuple[Answer, ...], minimising: Minimising | None, worded: JsonObject) -> JsonObject:
    observed = observed_of(answers) if answers else {}
    if worded:
        observed = {**observed, "paraphrase": worded}
    if minimising is None:
        return observed
    spent: JsonObject = {"calls": minimising.calls}
    if minimising.tokens is not None or minimising.cost is not None:
        cost = None if minimising.cost is None else tidy_number(minimising.cost)
        spent["usage"] = {"tokens": minimising.tokens, "cost": cost}
    return {**observed, "minimising": spent}


def _reduced(reduced: Reduced, pair: PlannedPair, contract: Contract, backend: BackendIdentity) -> JsonObject:
    candidate = reduced.candidate
    kept: Any = None if reduced.validation is None else kept_validation(reduced.validation)
    return {
        "steps": list(candidate.steps),
        "input": candidate.input,
        "presentation": presentation_json(candidate.presentation),
        "validation": kept,
        "result": make_result(pair.id, reduced.answer, contract, backend),
        "comparison": reduced.comparison,
        "violations": reduced.violations,
    }
