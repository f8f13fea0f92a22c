"""``robust.oracle/1`` over HTTP: each question is the body of a POST, and its answer the body of the response."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Mapping
from concurrent.futures import CancelledError
from types import TracebackType
from typing import Final, Self
from urllib.parse import urlsplit

from robust.errors import CaseError
from robust.oracle.asked import AskedOracle
from robust.oracle.protocol import NotTheAnswer, encode_question, read_answer
from robust.oracle.question import Observation, Question, Terms
from robust.records.failure import Failure
from robust.records.oracle_service import OracleService
from robust.records.redaction import redact_text, remember_secret
from robust.transport.client import OVERLOAD_STATUSES, HttpClient, HttpLimits, Response
from robust.transport.endpoint import Endpoint
from robust.transport.failures import DeadlinePassed, HttpFailure
from robust.transport.loop_thread import LoopThread
from robust.transport.secrets import read_secrets

_PATH: Final = "oracle"


class HttpOracle(AskedOracle):
    """An oracle service, given as the ``validator``. With several workers it is asked as often at a time.

    Redirects are never followed. What a header of the answer says, or a body whose status is no success, is not kept.

    Args:
        url: an http or https address without credentials.
        name: the recorded name; the address's host and port by default.
        version: the recorded version, if any.
        bearer_token_env: the environment variable of a token that is sent as ``Authorization: Bearer``.
        headers: headers sent as they stand; none may hold a credential.
        headers_from_env: by header, the environment variable that holds its value.
        timeout_s: seconds for a whole answer, tries included, where the terms of the judgement name none; at most 600.
        max_retries: how often a question is sent again where the service cannot be reached or is overloaded, 0-5.
        retry_backoff_s: seconds before the first of these, doubling.
        max_response_bytes: the largest answer that is read, counted after decompression.

    Raises:
        UsageError: a setting is wrong.
        BackendError: the address or a header cannot be used.
    """

    def __init__(
        self,
        url: str,
        *,
        name: str | None = None,
        version: str | None = None,
        bearer_token_env: str | None = None,
        headers: Mapping[str, str] | None = None,
        headers_from_env: Mapping[str, str] | None = None,
        timeout_s: float = 30.0,
        max_retries: int = 2,
        retry_backoff_s: float = 0.5,
        max_response_bytes: int = OracleService.model_fields["max_response_bytes"].default,
    ) -> None:
        given = {
            "url": url,
            "bearer_token_env": bearer_token_env,
            "headers": dict(headers or {}),
            "headers_from_env": dict(headers_from_env or {}),
            "timeout_s": timeout_s,
            "max_retries": max_retries,
            "retry_backoff_s": retry_backoff_s,
            "max_response_bytes": max_response_bytes,
        }
        self._config = OracleService.read(given, path=_PATH)
        # What is wrong with the address or a header shows here, before there are any credentials.
        Endpoint.of(url, {**self._config.headers, **dict.fromkeys(self._config.headers_from_env, "")}, path=_PATH)
        self.name = name or urlsplit(self._config.url).netloc
        self.version = version
        self._lock = threading.Lock()
        self._open: _Connected | None = None

    def observer(self, terms: Terms, *, isolate: bool = False) -> HttpObserver:
        """A way to ask the service on these terms.

        Raises:
            CaseError: it is to be isolated, which it is.
            BackendError: a credential is missing.
        """
        if isolate:
            message = "an oracle service is a process of its own already"
            raise CaseError.of("bad_isolate", message, path="isolate", hint="leave isolate out")
        self._endpoint()
        return HttpObserver(self, terms, self._config.timeout_s)

    def post(self, body: bytes, timeout_s: float) -> Response:
        """Send a question and wait for the answer.

        Raises:
            HttpFailure: no whole answer came.
            BackendError: a credential is missing.
        """
        with self._lock:
            if self._open is None:
                self._open = _Connected(self._config, self._endpoint())
            connected = self._open
        return connected.post(body, timeout_s)

    def close(self) -> None:
        """Let go of the connections; they are opened anew when it is asked again."""
        with self._lock:
            connected, self._open = self._open, None
        if connected is not None:
            connected.close()

    def _endpoint(self) -> Endpoint:
        config = self._config
        variables = {f"headers_from_env.{header}": name for header, name in config.headers_from_env.items()}
        if config.bearer_token_env is not None:
            variables["bearer_token_env"] = config.bearer_token_env
        secrets = read_secrets(variables, _PATH, remember_secret)
        headers = {**config.headers, **{name: secrets[f"headers_from_env.{name}"] for name in config.headers_from_env}}
        if config.bearer_token_env is not None:
            headers["Authorization"] = f"Bearer {secrets['bearer_token_env']}"
        return Endpoint.of(config.url, headers, path=_PATH)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class _Connected:
    """The connections of a service on a loop of their own, for callers in any thread."""

    def __init__(self, config: OracleService, endpoint: Endpoint) -> None:
        self._endpoint = endpoint
        limits = HttpLimits(
            timeout_s=config.timeout_s,
            max_retries=config.max_retries,
            retry_backoff_s=config.retry_backoff_s,
            retry_statuses=OVERLOAD_STATUSES,
            max_response_bytes=config.max_response_bytes,
        )
        self._client = HttpClient(limits, redact_text)
        self._loop = LoopThread("oracle service")

    def post(self, body: bytes, timeout_s: float) -> Response:
        async def send() -> Response:
            until = asyncio.get_running_loop().time() + timeout_s
            return await self._client.post(self._endpoint, body, deadline=until)

        future = self._loop.submit(send)
        try:
            return future.result()
        except CancelledError:
            raise HttpFailure("the oracle was closed while it was asked") from None
        except KeyboardInterrupt:
            future.cancel()
            raise

    def close(self) -> None:
        self._loop.close(self._client.aclose)


class HttpObserver:
    """Asks an oracle service."""

    def __init__(self, oracle: HttpOracle, terms: Terms, usual_timeout_s: float) -> None:
        self._oracle = oracle
        self._contract = terms.contract
        self._timeout_s = usual_timeout_s if terms.timeout_s is None else terms.timeout_s

    def observe(self, question: Question) -> Observation:
        """Ask the service about one pair.

        Raises:
            BackendError: a credential is missing.
        """
        key, request = encode_question(question, self._contract)
        try:
            return read_answer(self._oracle.post(request, self._timeout_s).body, key)
        except NotTheAnswer as answer:
            return answer.observation
        except DeadlinePassed:
            message = f"no whole answer within {self._timeout_s:g} s"
            return Observation(None, [Failure("validator_timeout", "$", message)])
        except HttpFailure as failure:
            tries = "" if failure.attempts == 1 else f" (asked {failure.attempts} times)"
            return Observation(None, [Failure("validator_error", "$", f"{failure}{tries}")])

    def close(self) -> None:
        """Let go of the connections."""
        self._oracle.close()
