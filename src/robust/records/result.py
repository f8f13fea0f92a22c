"""A validated decision as a program sees it, and what a policy makes of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from robust.canon import JsonObject
from robust.records.policy import Action
from robust.records.request import DecisionType


@dataclass(frozen=True, kw_only=True, slots=True)
class DecisionResult:
    """One decision: a probability for every label, and what follows from it.

    Attributes:
        case_id: what the decision was asked as.
        decision: the decision's name.
        decision_type: ``choice``, ``noul`` or ``score``.
        labels: the labels, in the contract's order.
        probabilities: by label; together 1 within the contract's tolerance.
        selected: the most probable label; of several the one that is listed first.
        confidence: its probability.
        backend: the name of the backend that was asked.
        provider: its provider.
        model: the model that answered, where it is known.
        model_version: likewise.
        metadata: what the model said besides.
    """

    case_id: str
    decision: str
    decision_type: DecisionType
    labels: tuple[str, ...]
    probabilities: Mapping[str, float]
    selected: str
    confidence: float
    backend: str
    provider: str
    model: str | None = None
    model_version: str | None = None
    metadata: JsonObject = field(default_factory=dict)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> DecisionResult:
        """The result of its JSON form, as records hold it."""
        return cls(**{**data, "labels": tuple(data["labels"])})

    def to_json(self) -> JsonObject:
        """The result as plain JSON data."""
        data: JsonObject = {name: getattr(self, name) for name in self.__slots__}
        return {**data, "labels": list(self.labels), "probabilities": dict(self.probabilities)}


@dataclass(frozen=True, kw_only=True, slots=True)
class RoutedDecision:
    """A decision and the route that it takes.

    Attributes:
        action: ``accept``, ``abstain``, ``fallback`` or ``human_review``.
        result: the decision itself.
        fallback_backend: of a ``fallback``, the backend of the contract to ask instead. Nobody has asked it.
        route: the position of the route in the policy, from 0.
        confidence_gte: the route's limit; None where it always applies.
        observed: ``latency_ms`` and the like, which vary from call to call.
    """

    action: Action
    result: DecisionResult
    fallback_backend: str | None
    route: int
    confidence_gte: float | None
    observed: JsonObject

    def to_json(self) -> JsonObject:
        """The decision as plain JSON data."""
        return {
            "action": self.action,
            "fallback_backend": self.fallback_backend,
            "route": self.route,
            "confidence_gte": self.confidence_gte,
            "result": self.result.to_json(),
            "observed": self.observed,
        }
