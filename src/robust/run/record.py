"""Records of decisions and pairs: made here, and derived here again when they are read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from robust.canon import JsonObject, canonical_bytes
from robust.records.contract import Contract
from robust.records.decision import distribution_problem, label_of_answer, select
from robust.records.redaction import redact_metadata
from robust.records.request import BackendIdentity
from robust.relations.compare import compare_decisions, violations_of
from robust.run.answers import Answer
from robust.run.plan import Planned


@dataclass(frozen=True, slots=True)
class BaseDecision:
    """What is kept of a base's decision until its variants have been compared with it."""

    probabilities: tuple[float | int, ...] | None
    expected: str | None
    source: str


def make_record(
    planned: Planned,
    answers: tuple[Answer, ...],
    contract: Contract,
    backend: BackendIdentity,
    base: BaseDecision | None,
) -> JsonObject:
    """The record of one decision in all its trials, or of one variant and its comparison with its base."""
    case = planned.entry.case
    record = planned_fields(planned)
    answer, further = answers[0], answers[1:]
    record["observed"] = observed_of(answers)
    if further:
        record["trials"] = [answered(trial, contract) for trial in further]
    if answer.probabilities is None:
        record["error"] = {"kind": answer.error}
    else:
        record["result"] = make_result(case.case_id, answer, contract, backend)
    if planned.property_name is not None:
        record |= derived_of_pair(record, contract, base)
    return record


def answered(answer: Answer, contract: Contract) -> JsonObject:
    """What a further trial came to: a distribution or the kind of an error."""
    if answer.probabilities is None:
        return {"error": {"kind": answer.error}}
    return {"probabilities": dict(zip(contract.decision.label_order, answer.probabilities, strict=True))}


def observed_of(answers: tuple[Answer, ...]) -> JsonObject:
    """What was observed of the first trial, with the further ones in ``trials``."""
    first, further = answers[0], answers[1:]
    return {**first.observed, "trials": [answer.observed for answer in further]} if further else first.observed


def planned_fields(planned: Planned) -> JsonObject:
    """What a record takes from the plan: the case, and for a pair where its variant comes from."""
    entry = planned.entry
    case = entry.case
    metadata = case.metadata
    fields: JsonObject = {
        "kind": "decision",
        "id": planned.id,
        "case_id": case.case_id,
        "source_id": case.source_id,
        "input": case.input,
        "media": [item.to_json() for item in case.media] if case.media else [],
        "expected": case.expected,
        "metadata": redact_metadata(metadata) if metadata else metadata,
        "presentation": None,
    }
    if planned.property_name is not None:
        fields |= {
            "kind": "pair",
            "case_id": planned.base_id,
            "property": planned.property_name,
            "sample": planned.sample,
            "steps": [],
            "provenance": {
                "variant_id": case.case_id,
                "relation": planned.relation,
                "origin": None if case.origin is None else case.origin.to_json(),
            },
            "validation": entry.validation,
            "reduced": None,
        }
    return fields


def make_result(case_id: str, answer: Answer, contract: Contract, backend: BackendIdentity) -> JsonObject:
    """A validated result: the distribution, and what follows from it."""
    labels = contract.decision.label_order
    probabilities = answer.probabilities or ()
    return {
        "case_id": case_id,
        "decision": contract.decision.name,
        "decision_type": contract.decision.type,
        "labels": list(labels),
        "probabilities": dict(zip(labels, probabilities, strict=True)),
        **selection(labels, probabilities),
        "backend": backend.name,
        "provider": backend.provider,
        "model": answer.model if answer.model is not None else backend.model,
        "model_version": answer.model_version if answer.model_version is not None else backend.model_version,
    }


def selection(labels: Sequence[str], probabilities: Sequence[float]) -> JsonObject:
    """``selected`` and ``confidence`` of a distribution."""
    chosen = select(probabilities)
    return {"selected": labels[chosen], "confidence": probabilities[chosen]}


def probabilities_of(record: JsonObject, contract: Contract) -> tuple[float | int, ...] | None:
    """The distribution of a record in contract order, or None where it ended in an error."""
    result = record.get("result")
    if result is None:
        return None
    return tuple(result["probabilities"][label] for label in contract.decision.label_order)


def answers_of(record: JsonObject, contract: Contract) -> list[tuple[float | int, ...] | None]:
    """The distributions of all trials of a record in contract order; None for one that ended in an error."""
    labels = contract.decision.label_order
    further = (trial.get("probabilities") for trial in record.get("trials", ()))
    return [
        probabilities_of(record, contract),
        *(None if found is None else tuple(found[label] for label in labels) for found in further),
    ]


def derived_of_pair(record: JsonObject, contract: Contract, base: BaseDecision | None) -> JsonObject:
    """``comparison`` and ``violations`` of a pair: pure functions of its two distributions and answers."""
    variant = probabilities_of(record, contract)
    settings = contract.properties.variants
    if variant is None or base is None or base.probabilities is None or settings is None:
        return {"comparison": None, "violations": []}
    comparison = compare_decisions(
        labels=contract.decision.label_order,
        decision_type=contract.decision.type,
        base=base.probabilities,
        variant=variant,
        base_expected=base.expected,
        variant_expected=label_of_answer(record["expected"]),
        relation=record["provenance"]["relation"],
    )
    return {"comparison": comparison, "violations": violations_of(comparison, settings.distribution_limits())}


def result_problem(result: JsonObject, contract: Contract) -> tuple[str, Any, Any] | None:
    """What of a stored result does not follow from its distribution: path, stored and derived value."""
    labels = contract.decision.label_order
    problem = distribution_problem(result.get("probabilities"), labels, contract.evaluation.probability_tolerance)
    if problem is not None:
        return "$.result.probabilities", result.get("probabilities"), problem
    probabilities = tuple(result["probabilities"][label] for label in labels)
    derived = {
        "decision": contract.decision.name,
        "decision_type": contract.decision.type,
        "labels": list(labels),
        **selection(labels, probabilities),
    }
    for name, value in derived.items():
        if name not in result or canonical_bytes(result[name]) != canonical_bytes(value):
            return f"$.result.{name}", result.get(name), value
    return None
