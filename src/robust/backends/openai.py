"""Any OpenAI-compatible chat endpoint, read by the probabilities of its first token or by counting its answers.

The labels are offered as marked options in one user message, which every chat template takes (:mod:`.openai_prompt`).

``logprobs`` asks once, with ``max_tokens`` 1 and ``top_logprobs`` 20, the most that endpoints commonly give, and reads
the options' probabilities (:mod:`.openai_answers`); more than 20 options can never all be among them. ``samples`` asks
``n_samples`` times, one request after the other, for many endpoints do not know ``n`` and the contract's concurrency
bounds the requests in flight; ``timeout_s`` is for all of them. Each answer must name an option: with one that does
not the case is ``invalid_response`` at once, since its share of the probability belongs to no label.

A ``seed`` is sent as ``seed + trial``, or ``seed + trial · n_samples + i`` for sample i, since the same one every time
would get the same answer every time.
"""

from __future__ import annotations

import asyncio
from typing import Final

from robust.backends.openai_answers import AnswerError, answer_text, first_choice, read_option_mass
from robust.backends.openai_prompt import Options, options_of, template_digest, write_prompt
from robust.backends.place import path_of
from robust.backends.service import Reply, Service, short_text
from robust.backends.usage import add_usage
from robust.canon import MAX_SAFE_INTEGER, JsonObject, canonical_part
from robust.errors import BackendError
from robust.records.backend_config import OpenAIConfig
from robust.records.decision import LIMIT_SLACK
from robust.records.decision_spec import DecisionSpec
from robust.records.request import BackendAnswer, BackendFailure, BackendIdentity, DecisionRequest, Health, Usage
from robust.transport.client import OVERLOAD_STATUSES

PROTOCOL: Final = "openai.chat.completions"
TOP_LOGPROBS: Final = 20


class OpenAIBackend:
    """Asks a chat endpoint.

    Args:
        config: the contract's settings.
        name: the backend's name in the contract.
        decision: the decision; its description is the question unless ``instructions`` are set.
        max_connections: the most connections at a time.

    Raises:
        BackendError: there is no question, there are too many labels for ``logprobs``, or a setting cannot be used.
    """

    is_async = True

    def __init__(
        self, config: OpenAIConfig, *, name: str = "default", decision: DecisionSpec, max_connections: int = 256
    ) -> None:
        path = path_of(name)
        instructions = config.instructions or decision.description
        if not instructions or not instructions.strip():
            hint = "set decision.description, or instructions"
            raise BackendError.of(
                "no_instructions", "there is no question to ask", path=f"{path}.instructions", hint=hint
            )
        if config.method == "logprobs" and len(decision.label_order) > TOP_LOGPROBS:
            message = f"logprobs tells the probabilities of at most {TOP_LOGPROBS} labels"
            raise BackendError.of("too_many_labels", message, path=f"{path}.method", hint="use method: samples")
        self._config = config
        self._instructions = instructions
        self._service = Service(
            config,
            path=path,
            bearer="api_key_env",
            retry_statuses=OVERLOAD_STATUSES,
            tokens=("prompt_tokens", "completion_tokens"),
            max_connections=max_connections,
        )
        details = {**self._service.described(), "instructions": instructions, "prompt": template_digest()}
        self._identity = BackendIdentity(
            name=name, provider="openai", model=config.model, details={"protocol": PROTOCOL, **details}
        )

    @property
    def identity(self) -> BackendIdentity:
        """What is tested: the address, the model, the prompt's digest and all settings but credentials."""
        return self._identity

    @property
    def calls_per_decision(self) -> int:
        """The most calls that one decision may come to."""
        samples = self._config.n_samples if self._config.method == "samples" else 1
        return samples * (1 + self._config.max_retries)

    def sent(self, request: DecisionRequest) -> JsonObject | None:
        """Everything that identifies the answer to a request; None for an input with files."""
        sent = self._service.sent(request, self._body(request, options_of(request.decision.labels), 0))
        if sent is None:
            return None
        config = self._config
        rule = config.min_label_mass if config.method == "logprobs" else config.n_samples
        return {**sent, "method": config.method, "rule": rule, "prompt": template_digest()}

    async def decide(self, request: DecisionRequest) -> BackendAnswer:
        """Answer one request.

        Raises:
            BackendFailure: it could not be answered.
            BackendError: the key is missing, so that none can be.
        """
        options = options_of(request.decision.labels)
        if self._config.method == "samples":
            return await self._sample(request, options)
        reply = await self._service.ask(request, canonical_part(self._body(request, options, 0)))
        observed = reply.observed(request_id=reply.request_id("x-request-id"))
        try:
            mass = read_option_mass(first_choice(reply.value), options.marks)
        except AnswerError as error:
            problem = str(error)
        else:
            observed["label_mass"] = mass.label_mass
            least = self._config.min_label_mass
            if mass.label_mass >= least - LIMIT_SLACK:
                return BackendAnswer(
                    probabilities=dict(zip(options.labels, mass.probabilities, strict=True)),
                    model=short_text(reply.value.get("model")),
                    model_version=short_text(reply.value.get("system_fingerprint")),
                    usage=reply.usage,
                    observed=observed,
                )
            problem = f"the options have {mass.label_mass:.4g} of all probability, less than min_label_mass {least:g}"
        raise BackendFailure("invalid_response", problem, observed=observed, usage=reply.usage)

    async def _sample(self, request: DecisionRequest, options: Options) -> BackendAnswer:
        """Count which options are answered."""
        wanted = self._config.n_samples
        counts = [0] * len(options.labels)
        tally = _Tally()
        failure: BackendFailure | None = None
        deadline = asyncio.get_running_loop().time() + self._config.timeout_s
        while failure is None and sum(counts) < wanted:
            body = self._body(request, options, sum(counts))
            try:
                reply = await self._service.ask(request, canonical_part(body), deadline=deadline)
                tally.add(reply)
                chosen = options.chosen(answer_text(first_choice(reply.value)))
                if chosen is None:
                    raise AnswerError("the answer names none of the options")
                counts[chosen] += 1
            except AnswerError as error:
                failure = BackendFailure("invalid_response", f"sample {sum(counts) + 1} of {wanted}: {error}")
            except BackendFailure as error:
                tally.attempts += error.observed.get("attempts", 0)
                failure = error
        seen = {"attempts": tally.attempts, "samples": sum(counts)}
        if failure is not None:
            status = {key: value for key, value in failure.observed.items() if key == "status"}
            raise BackendFailure(failure.kind, str(failure), observed=seen | status, usage=tally.usage)
        return BackendAnswer(
            probabilities={label: count / wanted for label, count in zip(options.labels, counts, strict=True)},
            model=_only(tally.models),
            model_version=_only(tally.versions),
            usage=tally.usage,
            observed=seen,
        )

    async def health(self) -> Health:
        """Unknown: chat endpoints have no common way to ask."""
        return await self._service.health(None)

    async def aclose(self) -> None:
        """Let go of the connections of the running loop."""
        await self._service.aclose()

    def _body(self, request: DecisionRequest, options: Options, number: int) -> JsonObject:
        config = self._config
        prompt = write_prompt(self._instructions, request.input, options)
        body: JsonObject = {"model": config.model, "messages": [{"role": "user", "content": prompt}]}
        if config.method == "logprobs":
            body |= {"logprobs": True, "top_logprobs": TOP_LOGPROBS, "max_tokens": config.max_tokens or 1}
        elif config.max_tokens is not None:
            body["max_tokens"] = config.max_tokens
        if config.temperature is not None:
            body["temperature"] = config.temperature
        if config.seed is not None:
            each = config.n_samples if config.method == "samples" else 1
            seed = config.seed + request.trial * each + number
            body["seed"] = seed if seed <= MAX_SAFE_INTEGER else seed - MAX_SAFE_INTEGER - 1
        return body


class _Tally:
    """What several calls came to."""

    def __init__(self) -> None:
        self.attempts = 0
        self.usage: Usage | None = None
        self.models: set[str | None] = set()
        self.versions: set[str | None] = set()

    def add(self, reply: Reply) -> None:
        """Count one more."""
        self.attempts += reply.response.attempts
        self.usage = add_usage((self.usage, reply.usage))
        self.models.add(short_text(reply.value.get("model")))
        self.versions.add(short_text(reply.value.get("system_fingerprint")))


def _only(texts: set[str | None]) -> str | None:
    """The one text that all calls agree on."""
    return next(iter(texts)) if len(texts) == 1 else None
