"""A service that speaks ``decguard.http/0.1``: one POST for each decision.

Sent is ``{"protocol", "case_id", "model", "decision": {"name", "type", "labels"}, "input"}``; the answer is
``{"probabilities": {label: number}, "model"?, "model_version"?, "metadata"?}``. Other members of it are not looked at.
"""

from __future__ import annotations

from typing import Final

from robust.backends.place import path_of
from robust.backends.service import Service, optional_text, short_text
from robust.backends.wire_labels import WireLabels, read_distribution
from robust.canon import JsonObject, canonical_part, describe
from robust.records.backend_config import HttpConfig
from robust.records.decision_spec import DecisionSpec
from robust.records.redaction import redact_known
from robust.records.request import BackendAnswer, BackendIdentity, DecisionRequest, Health

PROTOCOL: Final = "decguard.http/0.1"


class HttpBackend:
    """Asks an HTTP service.

    Args:
        config: the contract's settings.
        name: the backend's name in the contract.
        decision: the decision, whose labels ``label_map`` must fit.
        max_connections: the most connections at a time.

    Raises:
        BackendError: a setting cannot be used.
    """

    is_async = True

    def __init__(
        self, config: HttpConfig, *, name: str = "default", decision: DecisionSpec, max_connections: int = 256
    ) -> None:
        self._config = config
        self._service = Service(config, path=path_of(name), bearer="bearer_token_env", max_connections=max_connections)
        self._labels = WireLabels(config.wire_labels, decision.label_order, name)
        self._identity = BackendIdentity(
            name=name,
            provider="http",
            model=config.model,
            details={"protocol": PROTOCOL, **self._service.described()},
        )

    @property
    def identity(self) -> BackendIdentity:
        """What is tested: the address, the model and all settings but credentials."""
        return self._identity

    @property
    def calls_per_decision(self) -> int:
        """The most calls that one decision may come to."""
        return 1 + self._config.max_retries

    def sent(self, request: DecisionRequest) -> JsonObject | None:
        """Everything that identifies the answer to a request; None for an input with files."""
        return self._service.sent(request, self._body(request))

    async def decide(self, request: DecisionRequest) -> BackendAnswer:
        """Answer one request.

        Raises:
            BackendFailure: it could not be answered.
            BackendError: a credential is missing, so that none can be.
        """
        reply = await self._service.ask(request, canonical_part(self._body(request)))
        sent = self._labels.of(request.decision.labels)
        probabilities = read_distribution(reply, reply.value.get("probabilities"), sent)
        metadata = reply.value.get("metadata")
        if metadata is not None and not isinstance(metadata, dict):
            raise reply.refuse(f"metadata must be an object, not {describe(metadata)}")
        return BackendAnswer(
            probabilities=probabilities,
            model=optional_text(reply, "model"),
            model_version=optional_text(reply, "model_version"),
            metadata=redact_known(metadata) if metadata else {},
            observed=reply.observed(request_id=short_text(reply.response.header("x-request-id"))),
        )

    async def health(self) -> Health:
        """Whether ``health_url`` answers with success.

        Raises:
            BackendError: a credential is missing.
        """
        return await self._service.health(self._config.health_url)

    async def aclose(self) -> None:
        """Let go of the connections of the running loop."""
        await self._service.aclose()

    def _body(self, request: DecisionRequest) -> JsonObject:
        decision = request.decision
        return {
            "protocol": PROTOCOL,
            "case_id": request.case_id,
            "model": self._config.model,
            "decision": {
                "name": decision.name,
                "type": decision.type,
                "labels": list(self._labels.of(decision.labels)),
            },
            "input": request.input,
        }
