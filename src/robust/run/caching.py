"""What is kept of an answer so that it need not be paid twice, and under which key."""

from __future__ import annotations

from typing import Any

from robust.canon import JsonObject, canonical_bytes, digest_value, read_json
from robust.errors import DataError
from robust.records.request import BackendAnswer, DecisionRequest, Usage
from robust.run.answers import Answer, read_answer

SCHEMA = "robust.answer/1"
_FIELDS = {"probabilities", "model", "model_version", "usage", "observed"}


def answer_key(sent: JsonObject, trial: int) -> str:
    """The key of an answer: the digest of everything that was sent, and of which time it was asked.

    Raises:
        DataError: what was sent is not portable JSON.
    """
    return digest_value({"schema": SCHEMA, "sent": sent, "trial": trial})


def encode_answer(answer: Answer, request: DecisionRequest) -> bytes:
    """A validated answer as canonical bytes; never an error, and without what is known to be secret."""
    labels = request.decision.labels
    usage = answer.usage
    return canonical_bytes(
        {
            "probabilities": dict(zip(labels, answer.probabilities or (), strict=True)),
            "model": answer.model,
            "model_version": answer.model_version,
            "usage": None if usage is None else {"tokens": usage.tokens, "cost": usage.cost},
            "observed": answer.observed,
        }
    )


def decode_answer(value: bytes, request: DecisionRequest, tolerance: float) -> Answer | None:
    """A kept answer, validated like a new one; None where it is no answer to this request."""
    try:
        # A cache may be shared with others, so that it is read like anything from outside.
        data: Any = read_json(value)
        if not isinstance(data, dict) or data.keys() != _FIELDS or not isinstance(data["observed"], dict):
            return None
        usage = None if data["usage"] is None else Usage(**data["usage"])
        raw = BackendAnswer(
            probabilities=data["probabilities"],
            model=data["model"],
            model_version=data["model_version"],
            usage=usage,
            observed=data["observed"],
        )
    except (ValueError, TypeError, DataError):
        return None
    answer = read_answer(raw, request, tolerance)
    return None if answer.error is not None else answer
