"""What all backends behind an address share: credentials, failures as typed errors, strict reading, health."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Literal

from robust.backends.usage import read_usage
from robust.canon import JsonObject, describe, read_json
from robust.errors import DataError
from robust.records.connection import Connection
from robust.records.redaction import redact_known, redact_text, remember_secret
from robust.records.request import BackendFailure, BackendFailureKind, DecisionRequest, Health, Usage
from robust.transport.client import GATEWAY_STATUSES, HttpClient, HttpLimits, Response
from robust.transport.endpoint import Endpoint
from robust.transport.failures import BodyRefused, DeadlinePassed, HttpFailure, StatusRefused
from robust.transport.secrets import read_secrets

MAX_TEXT = 256
_KINDS: dict[type[HttpFailure], BackendFailureKind] = {
    DeadlinePassed: "timeout",
    StatusRefused: "backend_error",
    BodyRefused: "invalid_response",
}
_CHARSET = re.compile(r";\s*charset\s*=\s*\"?([^\s\";]*)", re.IGNORECASE)
_UTF_8 = frozenset(("", "utf-8", "utf8", "us-ascii", "ascii"))


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer as JSON, with what was seen of the call, and what it cost where that is known."""

    value: JsonObject
    response: Response
    usage: Usage | None = None

    def observed(self, **more: Any) -> JsonObject:
        """What to record of the call: how often it was sent, and whatever else is known."""
        return {"attempts": self.response.attempts, **{key: value for key, value in more.items() if value is not None}}

    def request_id(self, *headers: str) -> str | None:
        """The id under which the server knows the call: ``id`` of the answer, or the first of these headers."""
        texts = (self.value.get("id"), *map(self.response.header, headers))
        return next((text for text in map(short_text, texts) if text), None)

    def refuse(self, message: str, **more: Any) -> BackendFailure:
        """The failure to raise for an answer that must not become a result."""
        return BackendFailure("invalid_response", message, observed=self.observed(**more), usage=self.usage)


class Service:
    """The way to one service.

    Args:
        config: the contract's settings.
        path: where they stand in the contract, for errors.
        bearer: the setting that names the environment variable of the token to send.
        retry_statuses: the statuses that say that the service cannot answer just now.
        tokens: the counts in ``usage`` of an answer that together are all tokens; without any, it is not looked at.
        max_connections: the most connections at a time.

    Raises:
        BackendError: the address or a header cannot be used.
    """

    def __init__(
        self,
        config: Connection,
        *,
        path: str,
        bearer: Literal["bearer_token_env", "api_key_env"],
        retry_statuses: frozenset[int] = GATEWAY_STATUSES,
        tokens: tuple[str, ...] = (),
        max_connections: int = 256,
    ) -> None:
        self.config = config
        self._tokens = tokens
        self._path = path
        self._bearer = bearer
        self._variables = {f"headers_from_env.{header}": name for header, name in config.headers_from_env.items()}
        token: str | None = getattr(config, bearer)
        if token is not None:
            self._variables[bearer] = token
        self._limits = HttpLimits(
            timeout_s=config.timeout_s,
            max_retries=config.max_retries,
            retry_backoff_s=config.retry_backoff_s,
            retry_statuses=retry_statuses,
            max_response_bytes=config.max_response_bytes,
            max_connections=max_connections,
        )
        self._client = HttpClient(self._limits, redact_text)
        self._endpoint: Endpoint | None = None
        # What is wrong with the settings shows when the backend is built, before there are any credentials.
        self._endpoint_at(config.url, {**config.headers, **dict.fromkeys(config.headers_from_env, "")})

    @property
    def environment(self) -> list[str]:
        """The names of the environment variables that are read."""
        return sorted(set(self._variables.values()))

    def described(self) -> JsonObject:
        """The settings, which identify what is tested; of credentials only the names of their variables."""
        secret = {"bearer_token_env", "api_key_env", "headers_from_env"}
        kept = self.config.model_dump(mode="json", exclude={"provider", "model", *secret}, exclude_none=True)
        return {**kept, "environment": self.environment}

    def sent(self, request: DecisionRequest, body: JsonObject) -> JsonObject | None:
        """What identifies the answer to a request: where it goes, what is sent, and the labels as shown."""
        if request.media:
            return None
        return {
            "url": self.config.url,
            "headers": self.config.headers,
            "case_id": request.case_id,
            "labels": list(request.decision.labels),
            "body": body,
        }

    async def ask(self, request: DecisionRequest, body: bytes, *, deadline: float | None = None) -> Reply:
        """Post a body and read the answer, which must be one JSON object.

        Args:
            request: what is asked; it must have no files.
            body: the JSON to send.
            deadline: see :meth:`HttpClient.post`.

        Raises:
            BackendFailure: no answer came, or none that can be read.
            BackendError: a credential is missing, so that no request can be answered.
        """
        if request.media:
            raise BackendFailure("backend_error", "the input has files, which this backend cannot send")
        return await self.post(body, deadline=deadline)

    async def post(self, body: bytes, *, deadline: float | None = None) -> Reply:
        """Post a body that is no decision's and read the answer; see :meth:`ask`.

        Raises:
            BackendFailure: no answer came, or none that can be read.
            BackendError: a credential is missing, so that no request can be answered.
        """
        endpoint = self.start()
        try:
            response = await self._client.post(endpoint, body, deadline=deadline)
        except HttpFailure as error:
            failure = self._failure(error)
        else:
            value, problem = _read(response, self._limits.max_response_bytes)
            if problem is None and isinstance(value, dict):
                usage = read_usage(value.get("usage"), *self._tokens) if self._tokens else None
                return Reply(value, response, usage)
            message = problem or f"the answer must be a JSON object, not {describe(value)}"
            failure = BackendFailure("invalid_response", message, observed={"attempts": response.attempts})
        raise failure

    async def health(self, url: str | None) -> Health:
        """Whether the service is well, by the status of an address; unknown where there is none.

        Raises:
            BackendError: a credential is missing.
        """
        await self._client.open(self._endpoint_at(self.config.url, {}))
        if url is None:
            return Health(status="unknown", detail="no health_url is set")
        endpoint = self._endpoint_at(url, self._headers())
        # It may be another server than the one that is asked, with other certificates and another way to it.
        client = HttpClient(self._limits, redact_text)
        try:
            response = await client.probe(endpoint)
        except HttpFailure as error:
            return Health(status="unhealthy", detail=str(self._failure(error)))
        finally:
            await client.aclose()
        return Health(status="ok", detail=f"HTTP {response.status}")

    async def aclose(self) -> None:
        """Let go of the connections of the running loop; credentials are read anew when it is used again."""
        self._endpoint = None
        await self._client.aclose()

    def start(self) -> Endpoint:
        """Read the credentials, if that has not been done.

        Raises:
            BackendError: one is missing.
        """
        if self._endpoint is None:
            self._endpoint = self._endpoint_at(self.config.url, self._headers())
        return self._endpoint

    def _headers(self) -> dict[str, str]:
        secrets = read_secrets(self._variables, self._path, remember_secret)
        headers = dict(self.config.headers)
        if self._bearer in secrets:
            headers["Authorization"] = f"Bearer {secrets[self._bearer]}"
        return headers | {header: secrets[f"headers_from_env.{header}"] for header in self.config.headers_from_env}

    def _endpoint_at(self, url: str, headers: dict[str, str]) -> Endpoint:
        return Endpoint.of(url, headers, path=self._path)

    def _failure(self, error: HttpFailure) -> BackendFailure:
        observed: JsonObject = {"attempts": error.attempts}
        if error.status is not None:
            observed["status"] = error.status
        message = str(error)
        if isinstance(error, DeadlinePassed):
            message += f" ({self._limits.timeout_s:g} s)"
        if error.status in (401, 403) and self.environment:
            message += "; check " + ", ".join(self.environment)
        return BackendFailure(_KINDS.get(type(error), "unavailable"), message, observed=observed)


def _read(response: Response, limit: int) -> tuple[Any, str | None]:
    """The JSON of an answer, or why it is none, in words that quote nothing of it."""
    declared = response.header("content-type").lower()
    charset = _CHARSET.search(declared)
    if charset is not None and charset[1] not in _UTF_8 and not response.body.isascii():
        return None, "the answer declares another charset than UTF-8, in which JSON is"
    if not response.body.strip():
        return None, f"the answer is empty (HTTP {response.status})"
    try:
        return read_json(response.body, max_bytes=limit), None
    except DataError as error:
        problem = error.problems[0]
    kind = " but HTML" if "html" in declared or response.body.lstrip()[:1] == b"<" else ""
    place = "" if problem.line is None else f" at line {problem.line}, column {problem.column}"
    return None, f"the answer is not JSON{kind} ({problem.code}{place})"


def short_text(value: Any) -> str | None:
    """A text of the server that may be recorded: without known secrets, of one short line; None for anything else."""
    if not isinstance(value, str) or not value:
        return None
    # Redacted before it is cut, for half a secret is not recognised.
    text: str = redact_known(value)
    return "".join(char if char.isprintable() else " " for char in text[:MAX_TEXT])


def optional_text(reply: Reply, name: str) -> str | None:
    """A text that an answer may have, without known secrets.

    Raises:
        BackendFailure: it is not text, or too long.
    """
    value = reply.value.get(name)
    if value is not None and not (isinstance(value, str) and len(value) <= MAX_TEXT):
        raise reply.refuse(f"{name} must be text of at most {MAX_TEXT} characters, not {describe(value)}")
    return redact_known(value) or None
