"""The System One format, as Kev and Jev servers speak it: a state, typed questions about it, and typed answers.

Sent is ``{"model", "state": input, "questions": {decision: {"type", "instructions", "criteria"?}}}``:

- a ``choice`` has its options as the keys of ``criteria``, in the order shown, with null descriptions, and is answered
  by ``{"type": "choice", "choice": option, "probabilities": {option: number}}``;
- a ``score`` has its levels as the list ``criteria``, lowest first, and is answered by
  ``{"type": "score", "probabilities": {level index: number}, "legend"?: {level index: level}}``;
- a ``noul`` has no criteria and is answered by ``{"type": "noul", "noul": number}``, the probability of its first
  label.

The answer is ``{"model", "answers": {decision: …}, "id"?, "provider"?, "usage"?: {"input_tokens", "output_tokens",
"cost"}}``. It must be to this question alone and of its type. A ``confidence`` of the provider's own is ignored.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

from robust.backends.place import path_of
from robust.backends.service import Reply, Service, short_text
from robust.backends.shown_forms import meaning
from robust.backends.wire_labels import WireLabels, read_distribution
from robust.canon import JsonObject, describe
from robust.errors import BackendError
from robust.records.backend_config import SystemOneConfig
from robust.records.decision_spec import DecisionSpec
from robust.records.request import BackendAnswer, BackendIdentity, DecisionRequest, Health
from robust.transport.client import OVERLOAD_STATUSES

PROTOCOL: Final = "typesafe.systemone/v1"


class SystemOneBackend:
    """Asks a System One service.

    Args:
        config: the contract's settings.
        name: the backend's name in the contract.
        decision: the decision; its description is the question unless ``instructions`` are set.
        max_connections: the most connections at a time.

    Raises:
        BackendError: there is no question, or a setting cannot be used.
    """

    is_async = True

    def __init__(
        self, config: SystemOneConfig, *, name: str = "default", decision: DecisionSpec, max_connections: int = 256
    ) -> None:
        instructions = config.instructions or decision.description
        if not instructions or not instructions.strip():
            hint = "set decision.description, or instructions"
            raise BackendError.of(
                "no_instructions", "there is no question to ask", path=f"{path_of(name)}.instructions", hint=hint
            )
        if config.label_map and decision.type == "noul":
            message = "a noul sends no labels, so that none can have another name"
            raise BackendError.of("bad_label_map", message, path=f"{path_of(name)}.label_map")
        self._config = config
        self._instructions = instructions
        self._contract_labels = decision.label_order
        self._service = Service(
            config,
            path=path_of(name),
            bearer="bearer_token_env",
            retry_statuses=OVERLOAD_STATUSES,
            tokens=("input_tokens", "output_tokens"),
            max_connections=max_connections,
        )
        self._labels = WireLabels(config.wire_labels, decision.label_order, name)
        self._identity = BackendIdentity(
            name=name,
            provider="systemone",
            model=config.model,
            details={"protocol": PROTOCOL, **self._service.described(), "instructions": instructions},
        )

    @property
    def identity(self) -> BackendIdentity:
        """What is tested: the address, the model, the question and all settings but credentials."""
        return self._identity

    @property
    def calls_per_decision(self) -> int:
        """The most calls that one decision may come to."""
        return 1 + self._config.max_retries

    def sent(self, request: DecisionRequest) -> JsonObject | None:
        """Everything that identifies the answer to a request; None for an input with files."""
        sent = self._service.sent(request, self._body(request))
        # What the number of a noul is about, which is not sent.
        return None if sent is None else {**sent, "first": self._contract_labels[0]}

    async def decide(self, request: DecisionRequest) -> BackendAnswer:
        """Answer one request.

        Raises:
            BackendFailure: it could not be answered.
            BackendError: a credential is missing, so that none can be.
        """
        # Not in canonical form, which would sort the options.
        body = json.dumps(self._body(request), ensure_ascii=False, allow_nan=False, separators=(",", ":"))
        reply = await self._service.ask(request, body.encode())
        decision = request.decision
        answer = _answer_to(reply, decision.name, decision.type)
        served = short_text(reply.value.get("model"))
        if served is None:
            raise reply.refuse("model must be text that names the model that answered")
        if decision.type == "choice":
            probabilities = _read_choice(reply, answer, self._labels.of(decision.labels))
        elif decision.type == "score":
            probabilities = _read_score(reply, answer, self._labels.of(decision.labels))
        else:
            probabilities = self._read_noul(reply, answer, decision.labels)
        return BackendAnswer(
            probabilities=probabilities,
            model=served,
            usage=reply.usage,
            observed=reply.observed(
                request_id=reply.request_id("x-typesafe-request-id", "x-request-id"),
                upstream_provider=short_text(reply.value.get("provider")),
            ),
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
        question: JsonObject = {"type": decision.type, "instructions": self._instructions}
        if decision.type == "choice":
            question["criteria"] = dict.fromkeys(self._labels.of(decision.labels))
        elif decision.type == "score":
            question["criteria"] = list(self._labels.of(decision.labels))
        return {"model": self._config.model, "state": request.input, "questions": {decision.name: question}}

    def _read_noul(self, reply: Reply, answer: JsonObject, shown: tuple[str, ...]) -> dict[str, Any]:
        value = answer.get("noul")
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise reply.refuse(f"noul must be a number, not {describe(value)}")
        if not 0 <= value <= 1:
            hint = "; percentages must be divided by 100" if 1 < value <= 100 else ""
            raise reply.refuse(f"noul must be a probability from 0 to 1, not {value!r}{hint}")
        first = first_label(shown, self._contract_labels)
        return {label: value if label == first else 1 - value for label in shown}


def first_label(shown: Sequence[str], labels: Sequence[str]) -> str:
    """Which of the labels shown is the contract's first one.

    By its text, else by what it means in the form shown; labels under names of other kinds stand in the contract's
    order.
    """
    if labels[0] in shown:
        return labels[0]
    wanted = meaning(labels[0])
    same = [label for label in shown if meaning(label) == wanted]
    return same[0] if len(same) == 1 else shown[0]


def _answer_to(reply: Reply, name: str, kind: str) -> JsonObject:
    answers = reply.value.get("answers")
    if not isinstance(answers, dict):
        raise reply.refuse(f"answers must be an object, not {describe(answers)}")
    if answers.keys() != {name}:
        raise reply.refuse(f"answers must hold the answer to {name!r} and no other")
    answer = answers[name]
    if not isinstance(answer, dict) or answer.get("type") != kind:
        raise reply.refuse(f"the answer must be an object of the type {kind}")
    return answer


def _read_choice(reply: Reply, answer: JsonObject, sent: Mapping[str, str]) -> dict[str, Any]:
    raw = answer.get("probabilities")
    probabilities = read_distribution(reply, raw, sent)
    choice = answer.get("choice")
    if not isinstance(choice, str) or choice not in sent:
        raise reply.refuse("choice is none of the options sent")
    values = [value for value in probabilities.values() if isinstance(value, int | float)]
    chosen = probabilities[sent[choice]]
    if len(values) == len(probabilities) and chosen < max(values):
        raise reply.refuse(f"choice is {choice!r}, which is not the most probable option")
    return probabilities


def _read_score(reply: Reply, answer: JsonObject, sent: Mapping[str, str]) -> dict[str, Any]:
    levels = {str(index): level for index, level in enumerate(sent)}
    legend = answer.get("legend")
    if legend is not None and legend != levels:
        raise reply.refuse("legend does not echo the levels sent")
    by_index = {index: sent[level] for index, level in levels.items()}
    return read_distribution(reply, answer.get("probabilities"), by_index)
