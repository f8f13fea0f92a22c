"""What a backend is asked and what it answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal, TypeAlias, get_args

from robust.canon import MAX_SAFE_INTEGER, JsonObject
from robust.records.media import Media

DecisionType: TypeAlias = Literal["choice", "noul", "score"]
# More than any call can cost in any currency; a sum of such stays a number.
_MAX_COST: Final = 1e15
# Stands for a new object.
_NOTHING: Final[JsonObject] = {}


@dataclass(frozen=True, kw_only=True, slots=True)
class ShownDecision:
    """A decision as it is presented: its labels stand in the order and form in which the model sees them."""

    name: str
    type: DecisionType
    labels: tuple[str, ...]
    description: str | None = None


@dataclass(frozen=True, kw_only=True, init=False)
class DecisionRequest:
    """One question to a backend.

    Attributes:
        case_id: the case's id; for a variant, the variant's.
        decision: what is asked.
        input: what the model sees; an object is a copy, which the backend may use as it likes.
        media: files of the input, as ``path``, ``media_type``, ``bytes`` and ``sha256``.
        trial: counts repeated questions about one case from 0.
    """

    case_id: str
    decision: ShownDecision
    input: str | JsonObject
    media: tuple[Media, ...] = ()
    trial: int = 0

    def __init__(
        self,
        *,
        case_id: str,
        decision: ShownDecision,
        input: str | JsonObject,  # noqa: A002 - the field's name
        media: tuple[Media, ...] = (),
        trial: int = 0,
    ) -> None:
        # One is made for each decision, and a frozen class of its own accord calls a function for each field.
        fields = self.__dict__
        fields["case_id"] = case_id
        fields["decision"] = decision
        fields["input"] = input
        fields["media"] = media
        fields["trial"] = trial


@dataclass(frozen=True, kw_only=True, slots=True)
class Usage:
    """What one answer cost: tokens, and money in the provider's own unit; None where it is not known."""

    tokens: int | None = None
    cost: float | None = None


def is_sound_usage(value: Any) -> bool:
    """Whether a value from code that is not ours is a usage of a whole number and a finite amount, or None."""
    if value is None:
        return True
    if not isinstance(value, Usage):
        return False
    tokens, cost = value.tokens, value.cost
    whole = tokens is None or (type(tokens) is int and 0 <= tokens <= MAX_SAFE_INTEGER)
    return whole and (cost is None or (type(cost) in (int, float) and 0 <= cost <= _MAX_COST))


@dataclass(frozen=True, kw_only=True, init=False)
class BackendAnswer:
    """A backend's answer: a probability for every label as shown, and what is known of the model that answered.

    ``metadata`` and ``observed`` may vary from call to call; they are kept as observations and are in no digest.

    Attributes:
        probabilities: by label, as shown in the request.
        model: the model that answered, where it said so.
        model_version: likewise.
        metadata: a JSON object of the model's own.
        usage: what the call cost, where it is known.
        observed: what the adapter saw of the call: ``attempts``, ``request_id`` and the like.
    """

    probabilities: Mapping[str, float]
    model: str | None = None
    model_version: str | None = None
    metadata: JsonObject = field(default_factory=dict)
    usage: Usage | None = None
    observed: JsonObject = field(default_factory=dict)

    def __init__(
        self,
        *,
        probabilities: Mapping[str, float],
        model: str | None = None,
        model_version: str | None = None,
        metadata: JsonObject = _NOTHING,
        usage: Usage | None = None,
        observed: JsonObject = _NOTHING,
    ) -> None:
        # As for a request; see there.
        fields = self.__dict__
        fields["probabilities"] = probabilities
        fields["model"] = model
        fields["model_version"] = model_version
        fields["metadata"] = {} if metadata is _NOTHING else metadata
        fields["usage"] = usage
        fields["observed"] = {} if observed is _NOTHING else observed


@dataclass(frozen=True, kw_only=True, slots=True)
class BackendIdentity:
    """What is tested: the backend's name in the contract, its provider, model, version and settings."""

    name: str
    provider: str
    model: str | None = None
    model_version: str | None = None
    details: JsonObject = field(default_factory=dict)

    def to_json(self) -> JsonObject:
        """The identity as it stands in reports and digests."""
        return {
            "name": self.name,
            "provider": self.provider,
            "model": self.model,
            "model_version": self.model_version,
            "details": self.details,
        }


BackendFailureKind: TypeAlias = Literal["timeout", "unavailable", "invalid_response", "backend_error"]
BACKEND_FAILURE_KINDS: Final[tuple[BackendFailureKind, ...]] = get_args(BackendFailureKind)


class BackendFailure(Exception):
    """Raised by a backend that cannot answer a case: becomes a typed error of that case, never a crash.

    Args:
        kind: ``timeout``, ``unavailable``, ``invalid_response`` or ``backend_error``.
        message: for people.
        observed: what the adapter saw of the call, such as ``attempts`` and ``status``.
        usage: what the call cost all the same, where it is known.
    """

    def __init__(
        self,
        kind: BackendFailureKind,
        message: str,
        *,
        observed: JsonObject | None = None,
        usage: Usage | None = None,
    ) -> None:
        super().__init__(message)
        self.kind = kind
        self.observed: JsonObject = observed or {}
        self.usage = usage


HealthStatus: TypeAlias = Literal["ok", "unhealthy", "unknown"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Health:
    """What a backend's health check found; ``unknown`` where it has none."""

    status: HealthStatus
    detail: str = ""
