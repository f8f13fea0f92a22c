"""A decision as a program sees it."""

from __future__ import annotations

import json
import pickle
from dataclasses import FrozenInstanceError
from typing import Any

import pytest

from robust import DecisionResult, RoutedDecision

DATA: dict[str, Any] = {
    "case_id": "c1",
    "decision": "triage",
    "decision_type": "choice",
    "labels": ["refund", "repair"],
    "probabilities": {"refund": 0.25, "repair": 0.75},
    "selected": "repair",
    "confidence": 0.75,
    "backend": "default",
    "provider": "mock",
    "model": "m",
    "model_version": None,
    "metadata": {"why": "w"},
}


def test_a_result_survives_its_json_form() -> None:
    """Every field, with the labels in order."""
    result = DecisionResult.from_json(DATA)
    assert result.labels == ("refund", "repair")
    assert result.to_json() == DATA
    assert DecisionResult.from_json(json.loads(json.dumps(result.to_json()))) == result


def test_what_a_record_leaves_out_is_empty() -> None:
    """Metadata stands elsewhere in the records of runs."""
    shorter = {name: value for name, value in DATA.items() if name not in ("metadata", "model", "model_version")}
    result = DecisionResult.from_json(shorter)
    assert (result.metadata, result.model, result.model_version) == ({}, None, None)


def test_a_decision_cannot_be_changed_and_can_be_sent_to_another_process() -> None:
    """Frozen, and equal after the journey."""
    decision = RoutedDecision(
        action="accept",
        result=DecisionResult.from_json(DATA),
        fallback_backend=None,
        route=0,
        confidence_gte=0.5,
        observed={"latency_ms": 1.5},
    )
    with pytest.raises(FrozenInstanceError):
        decision.action = "abstain"  # type: ignore[misc]
    assert pickle.loads(pickle.dumps(decision)) == decision  # noqa: S301 - our own bytes
    assert decision.to_json()["result"] == DATA
