"""The client: a whole answer within a deadline, or a failure that says of what kind it is."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, TypeAlias, cast

import httpx

from robust.transport.body import read_body
from robust.transport.connections import Connections
from robust.transport.endpoint import Endpoint
from robust.transport.failures import BodyRefused, DeadlinePassed, HttpFailure, StatusRefused, Unavailable
from robust.transport.logs import redact_logs
from robust.transport.retrying import Retries, read_retry_after

Headers: TypeAlias = dict[bytes, list[bytes]]
GATEWAY_STATUSES: Final = frozenset((502, 503, 504))
OVERLOAD_STATUSES: Final = GATEWAY_STATUSES | {429, 529}
_PARTIAL: Final = 206
# What bounds all waiting is the deadline of the whole call; these would start anew with every byte.
_NO_TIMEOUTS: Final = {"timeout": {"connect": None, "read": None, "write": None, "pool": None}}


@dataclass(frozen=True, kw_only=True, slots=True)
class HttpLimits:
    """How long, how often and how much.

    Attributes:
        timeout_s: seconds for a whole call, its retries included.
        max_retries: the most tries after the first.
        retry_backoff_s: seconds before the first of them.
        retry_statuses: the statuses that say that a server cannot answer just now.
        max_response_bytes: the largest body, counted after decompression.
        max_connections: the most connections at a time.
    """

    timeout_s: float = 30.0
    max_retries: int = 0
    retry_backoff_s: float = 0.5
    retry_statuses: frozenset[int] = GATEWAY_STATUSES
    max_response_bytes: int = 2**20
    max_connections: int = 256


@dataclass(frozen=True, slots=True)
class Response:
    """A whole answer whose status is a success."""

    status: int
    body: bytes
    headers: Headers
    attempts: int

    def header(self, name: str) -> str:
        """The first header of a name, as text; empty if there is none."""
        return _first(self.headers, name.lower().encode("ascii"))


def _first(headers: Headers, name: bytes) -> str:
    return headers[name][0].decode("latin-1").strip() if name in headers else ""


class HttpClient:
    """Sends requests to one server.

    Redirects are never followed, cookies never kept, and nothing of the environment is sent. Connections belong to the
    loop that uses them.

    Args:
        limits: how long, how often and how much.
        redact: takes known secrets out of a text; what the HTTP libraries log goes through it.
    """

    def __init__(self, limits: HttpLimits, redact: Callable[[str], str] | None = None) -> None:
        self._limits = limits
        self._retries = Retries(limits.max_retries, limits.retry_backoff_s)
        self._connections: dict[asyncio.AbstractEventLoop, Connections] = {}
        if redact is not None:
            redact_logs(redact)

    async def post(self, endpoint: Endpoint, body: bytes, *, deadline: float | None = None) -> Response:
        """Post JSON and read the whole answer.

        Args:
            endpoint: where to.
            body: the JSON.
            deadline: the time of the running loop's clock by which the answer must be there; by default ``timeout_s``
                from now.

        Raises:
            DeadlinePassed: it was not there in time.
            Unavailable: it could not be had, after all tries.
            StatusRefused: the status is no success.
            BodyRefused: the answer is too large, or not to be read.
            BackendError: the environment names certificates or a proxy that cannot be used.
        """
        own = ((b"Content-Type", b"application/json"), (b"Content-Length", b"%d" % len(body)))
        call = _Call(self._limits, self._connections_to(endpoint), endpoint, "POST", [*endpoint.headers, *own], body)
        return await self._send(call, deadline)

    async def probe(self, endpoint: Endpoint) -> Response:
        """Get an address for its status; the body is not read.

        Raises:
            HttpFailure: as for :meth:`post`.
            BackendError: likewise.
        """
        call = _Call(self._limits, self._connections_to(endpoint), endpoint, "GET", list(endpoint.headers), None)
        return await self._send(call, None)

    async def open(self, endpoint: Endpoint) -> None:
        """Load what connections need, so that no time of it is taken for the server's. Nothing is sent.

        Raises:
            BackendError: as for :meth:`post`.
        """
        await self._connections_to(endpoint).load()

    async def aclose(self) -> None:
        """Close the connections of the running loop."""
        connections = self._connections.pop(asyncio.get_running_loop(), None)
        if connections is not None:
            await connections.aclose()

    def _connections_to(self, endpoint: Endpoint) -> Connections:
        loop = asyncio.get_running_loop()
        connections = self._connections.get(loop)
        if connections is None:
            # A loop that has ended without closing its connections must not be kept by them.
            self._connections = {other: kept for other, kept in self._connections.items() if not other.is_closed()}
            connections = Connections(endpoint.url, self._limits.max_connections)
            self._connections[loop] = connections
        return connections

    async def _send(self, call: _Call, deadline: float | None) -> Response:
        until = asyncio.get_running_loop().time() + self._limits.timeout_s if deadline is None else deadline
        try:
            async with asyncio.timeout_at(until):
                return await self._retries.call(call.attempt, until)
        except HttpFailure as failure:
            ended = failure
        except TimeoutError:
            # While waiting to try again, what failed last is the more telling.
            ended = call.failure or DeadlinePassed("no whole answer came in time")
        ended.attempts = call.attempts
        # Without the frames that it went through, whose variables hold what was sent and what came.
        raise ended.with_traceback(None)


class _Call:
    """One request, which may be sent several times."""

    __slots__ = ("_connections", "_endpoint", "_has_body", "_limits", "_request", "attempts", "failure")

    def __init__(
        self,
        limits: HttpLimits,
        connections: Connections,
        endpoint: Endpoint,
        method: str,
        headers: list[tuple[bytes, bytes]],
        body: bytes | None,
    ) -> None:
        self._limits = limits
        self._connections = connections
        self._endpoint = endpoint
        self._has_body = body is not None
        self._request = httpx.Request(
            method, endpoint.url, headers=headers, stream=httpx.ByteStream(body or b""), extensions=_NO_TIMEOUTS
        )
        self.attempts = 0
        self.failure: HttpFailure | None = None

    async def attempt(self) -> Response:
        """Send the request once.

        Raises:
            HttpFailure: no whole answer came, or none that is a success.
        """
        self.attempts += 1
        self.failure = None
        connection = await self._connections.take()
        try:
            response = await connection.handle_async_request(self._request)
            stream = cast("httpx.AsyncByteStream", response.stream)
            try:
                answer = await self._read(response, stream)
            finally:
                await stream.aclose()
        except HttpFailure as failure:
            self.failure = failure
        except (httpx.HTTPError, OSError, UnicodeError) as error:
            self.failure = _unavailable(error)
        except BaseException:
            await self._connections.drop(connection)
            raise
        else:
            await self._connections.give_back(connection)
            return answer
        await self._connections.drop(connection)
        raise self.failure

    async def _read(self, response: httpx.Response, stream: httpx.AsyncByteStream) -> Response:
        status = response.status_code
        headers: Headers = {}
        for name, value in response.headers.raw:
            headers.setdefault(name.lower(), []).append(value)
        if status in self._limits.retry_statuses:
            wait = read_retry_after(_first(headers, b"retry-after"))
            raise Unavailable(f"the server answered with HTTP {status}", status=status, retry_after=wait)
        if not 200 <= status < 300:
            note = "; redirects are not followed" if 300 <= status < 400 else ""
            raise StatusRefused(f"the server answered with HTTP {status}{note}", status=status)
        if not self._has_body:
            return Response(status, b"", headers, self.attempts)
        if status == _PARTIAL:
            raise BodyRefused("the server answered with a part only (HTTP 206)", status=status)
        encoding = b", ".join(headers.get(b"content-encoding", ())).decode("latin-1").strip().lower()
        declared = _first(headers, b"content-length")
        length = int(declared) if declared.isascii() and declared.isdigit() and len(declared) < 20 else None
        body = await read_body(aiter(stream), encoding, length, self._limits.max_response_bytes)
        return Response(status, body, headers, self.attempts)


def _unavailable(error: Exception) -> Unavailable:
    """What an error of the HTTP library stands for, in our own words: its message may hold what a server sent."""
    if isinstance(error, httpx.ProxyError):
        return Unavailable("the proxy did not let the request through")
    if isinstance(error, httpx.ConnectError | httpx.ConnectTimeout | UnicodeError):
        if "CERTIFICATE" in str(error):
            return Unavailable("the server's certificate could not be verified")
        return Unavailable("the server could not be reached")
    if isinstance(error, httpx.ProtocolError):
        return Unavailable("the server broke off, or did not speak HTTP, before a whole answer was there")
    return Unavailable("the connection broke before a whole answer was there")
