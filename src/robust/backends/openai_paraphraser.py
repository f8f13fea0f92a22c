"""The paraphraser ``openai``: a model behind an OpenAI-compatible chat endpoint words a text anew.

One request asks for all wordings of a text. The answer's content must be a JSON array of at most as many different
texts, and nothing else: whatever it is instead is an ``invalid_response``, for a text that was cut or guessed out of
something is nobody's wording. Of the answer the model, its fingerprint, the cost and the id are recorded.
"""

from __future__ import annotations

from typing import Final
from urllib.parse import urlsplit, urlunsplit

from robust.backends.openai import PROTOCOL
from robust.backends.openai_answers import AnswerError
from robust.backends.paraphrase_chat import prompt_digest, read_wordings, write_prompt
from robust.backends.service import Reply, Service, short_text
from robust.canon import JsonObject, canonical_part
from robust.errors import BackendError
from robust.records.backend_config import OpenAIConfig
from robust.records.connection import MIB
from robust.records.paraphrase import ParaphraseRequest, Paraphrases, answer_problem, is_blank, wording_problem
from robust.records.paraphrase_source import OpenAISource
from robust.records.request import BackendFailure
from robust.transport.client import OVERLOAD_STATUSES

ENDPOINT: Final = "/chat/completions"
# Not for a contract to say: a call that costs one text's paraphrases is worth trying again, within timeout_s.
MAX_RETRIES: Final = 2
RETRY_BACKOFF_S: Final = 0.5
# Twenty wordings of a long text are larger than any distribution.
MAX_RESPONSE_BYTES: Final = 16 * MIB


class OpenAIParaphraser:
    """Has a chat model word texts anew.

    Args:
        config: the contract's settings.
        path: where they stand in the contract, for errors.
        max_connections: the most connections at a time.
        retry_backoff_s: seconds before a call that failed in transit is tried again, doubling, with jitter.

    Raises:
        BackendError: a setting cannot be used.
    """

    is_async = True

    calls_per_paraphrase = 1 + MAX_RETRIES

    def __init__(
        self,
        config: OpenAISource,
        *,
        path: str,
        max_connections: int = 256,
        retry_backoff_s: float = RETRY_BACKOFF_S,
    ) -> None:
        if config.instructions is not None and not config.instructions.strip():
            hint = "leave them out for the built-in ones"
            raise BackendError.of("no_instructions", "are blank", path=f"{path}.instructions", hint=hint)
        self._config = config
        self._url = _endpoint_of(config.url, path)
        # Its parts were checked when the contract was read.
        endpoint = OpenAIConfig.model_construct(
            provider="openai",
            model=config.model,
            url=self._url,
            api_key_env=config.api_key_env,
            timeout_s=config.timeout_s,
            max_retries=MAX_RETRIES,
            retry_backoff_s=retry_backoff_s,
            max_response_bytes=MAX_RESPONSE_BYTES,
        )
        self._service = Service(
            endpoint,
            path=path,
            bearer="api_key_env",
            retry_statuses=OVERLOAD_STATUSES,
            tokens=("prompt_tokens", "completion_tokens"),
            max_connections=max_connections,
        )
        self._provenance: JsonObject = {
            "provider": "openai",
            "model": config.model,
            "temperature": config.temperature,
            "prompt": prompt_digest(config.instructions),
        }

    @property
    def provenance(self) -> JsonObject:
        """The model that is asked, its temperature, and the digest of the prompt's template."""
        return dict(self._provenance)

    def sent(self, request: ParaphraseRequest) -> JsonObject | None:
        """Everything that identifies the answer to a request; None for a text that cannot be sent."""
        if wording_problem(request.text) is not None:
            return None
        return {
            "protocol": PROTOCOL,
            "url": self._url,
            "case_id": request.case_id,
            "samples": request.samples,
            "body": self._body(request),
        }

    async def paraphrase(self, request: ParaphraseRequest) -> Paraphrases:
        """Word one text anew; a blank one has no other wording, and is not sent.

        Raises:
            BackendFailure: no answer came, or none that can be used.
            BackendError: the key is missing, so that none can come.
        """
        if is_blank(request.text):
            return Paraphrases(texts=(), provenance={**self._provenance, "seed": request.seed})
        unsendable = wording_problem(request.text)
        if unsendable is not None:
            raise BackendFailure("backend_error", f"the text {unsendable}, and cannot be sent")
        reply = await self._service.post(canonical_part(self._body(request)))
        request_id = reply.request_id("x-request-id")
        try:
            texts = read_wordings(reply.value)
            problem = answer_problem(texts, request)
        except AnswerError as error:
            problem = str(error)
        if problem is not None:
            raise reply.refuse(problem, request_id=request_id)
        return Paraphrases(
            texts=texts,
            provenance={**self._provenance, "seed": request.seed, **_answered_by(reply)},
            usage=reply.usage,
            observed=reply.observed(request_id=request_id),
        )

    async def aclose(self) -> None:
        """Let go of the connections of the running loop."""
        await self._service.aclose()

    def _body(self, request: ParaphraseRequest) -> JsonObject:
        config = self._config
        prompt = write_prompt(request.text, request.samples, config.instructions)
        return {
            "model": config.model,
            "messages": [{"role": "user", "content": prompt}],
            "temperature": config.temperature,
            "seed": request.seed,
        }


def _answered_by(reply: Reply) -> JsonObject:
    """The model that says that it answered, and its fingerprint; null where the endpoint does not say."""
    return {
        "answered_by": short_text(reply.value.get("model")),
        "system_fingerprint": short_text(reply.value.get("system_fingerprint")),
    }


def _endpoint_of(base: str, path: str) -> str:
    """The address of the endpoint below that of the API, whose query is kept."""
    parts = urlsplit(base)
    folder = parts.path.rstrip("/")
    if folder.endswith(ENDPOINT):
        message = f"must be the address of the API, to which {ENDPOINT} is added"
        hint = f"write {urlunsplit(parts._replace(path=folder.removesuffix(ENDPOINT)))}"
        raise BackendError.of("bad_url", message, path=f"{path}.url", hint=hint)
    return urlunsplit(parts._replace(path=folder + ENDPOINT, fragment=""))
