"""The HTTP client against servers that behave, and servers that do not: whole answers in time, or a failure by kind."""

from __future__ import annotations

import asyncio
import gc
import gzip
import json
from collections.abc import Iterator
from typing import Any

import pytest

from robust.errors import BackendError
from robust.transport.client import OVERLOAD_STATUSES, HttpClient, HttpLimits, Response
from robust.transport.endpoint import OWN_HEADERS, Endpoint
from robust.transport.failures import BodyRefused, DeadlinePassed, HttpFailure, StatusRefused, Unavailable
from tests.faults import body, encoded, redirect_to, status
from tests.programs import python
from tests.raw_server import RESET, answer, raw_server
from tests.servers import Server, decision_server

ASKED = json.dumps({"decision": {"labels": ["yes", "no"]}, "input": "hello"}).encode()


@pytest.fixture(scope="module")
def running_server() -> Iterator[Server]:
    """One server for all tests of this module."""
    with decision_server() as running:
        yield running


@pytest.fixture
def server(running_server: Server) -> Server:
    """The server, behaving, with nothing seen."""
    running_server.fault = None
    running_server.script.clear()
    running_server.seen.clear()
    return running_server


def post(url: str, headers: dict[str, str] | None = None, **limits: Any) -> Response:
    """One post by a client of its own."""

    async def once() -> Response:
        client = HttpClient(HttpLimits(**limits))
        try:
            return await client.post(Endpoint.of(url, headers or {}), ASKED)
        finally:
            await client.aclose()

    return asyncio.run(once())


def failure(url: str, **limits: Any) -> HttpFailure:
    """What one post ends in."""
    with pytest.raises(HttpFailure) as caught:
        post(url, **limits)
    return caught.value


def test_a_post_brings_the_whole_answer(server: Server) -> None:
    """With its status, its headers and the number of tries; and the server saw the body and the headers."""
    response = post(server.url, {"X-Team": "a b", "user-agent": "mine"})
    assert (response.status, response.attempts) == (200, 1)
    assert json.loads(response.body)["probabilities"] == {"yes": 0.75, "no": 0.25}
    assert (response.header("Content-Type"), response.header("x-nothing")) == ("application/json", "")
    (seen,) = server.seen
    assert (seen.method, seen.path, seen.body) == ("POST", "/decide", ASKED)
    assert (seen.headers["x-team"], seen.headers["user-agent"]) == ("a b", "mine")
    assert (seen.headers["content-type"], seen.headers["accept-encoding"]) == ("application/json", "gzip, identity")
    assert seen.headers["host"] == server.address.removeprefix("http://")


def test_connections_are_used_again_and_no_cookie_is_kept(server: Server) -> None:
    """What one answer sets does not change the next request."""
    server.fault = body(b"{}", set_cookie="visited=1")

    async def several() -> None:
        client = HttpClient(HttpLimits())
        for _ in range(5):
            await client.post(Endpoint.of(server.url, {}), ASKED)
        await client.aclose()

    asyncio.run(several())
    assert all("cookie" not in seen.headers for seen in server.seen)
    assert len({seen.port for seen in server.seen}) == 1


def test_a_connection_that_the_server_has_closed_is_not_used_again() -> None:
    """Without any retries: the server says nothing before it closes."""

    async def several() -> list[int]:
        client = HttpClient(HttpLimits())
        statuses = []
        with raw_server([answer(b"{}")]) as server:
            for _ in range(3):
                statuses.append((await client.post(Endpoint.of(server.address, {}), b"{}")).status)
                await asyncio.sleep(0.05)
        await client.aclose()
        return statuses

    assert asyncio.run(several()) == [200, 200, 200]


def test_no_more_connections_are_open_at_a_time_than_allowed(server: Server) -> None:
    """Twenty requests at once share three connections."""

    async def at_once() -> None:
        client = HttpClient(HttpLimits(max_connections=3))
        await asyncio.gather(*[client.post(Endpoint.of(server.url, {}), ASKED) for _ in range(20)])
        await client.aclose()

    asyncio.run(at_once())
    assert len(server.seen) == 20
    assert len({seen.port for seen in server.seen}) <= 3


@pytest.mark.parametrize("fault", ["drip", "hang", "endless"])
def test_the_deadline_is_for_the_whole_call(server: Server, fault: str) -> None:
    """A byte now and then does not put it off."""
    limits = {"max_response_bytes": 2**40} if fault == "endless" else {}
    failed = failure(server.at(fault), timeout_s=0.35, **limits)
    assert isinstance(failed, DeadlinePassed)
    assert failed.attempts == 1


def test_a_server_that_never_answers_is_out_of_time() -> None:
    """Nothing at all comes."""
    with raw_server([5.0]) as server:
        assert isinstance(failure(server.address, timeout_s=0.2, max_retries=2), DeadlinePassed)


def test_headers_that_drip_are_out_of_time() -> None:
    """The deadline holds before the body, too."""
    with raw_server([step for _ in range(40) for step in (b"HTTP/1.1 200 OK\r\nx-a: "[:1], 0.05)]) as server:
        assert isinstance(failure(server.address, timeout_s=0.2), DeadlinePassed)


CUT_SHORT = {
    "length not met": [answer(b'{"a": 1}', length=100)],
    "chunks cut": [b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n8\r\n{"],
    "last chunk missing": [b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\n{}\r\n"],
    "reset in the body": [answer(b'{"a": 1}', length=100), RESET],
    "reset before the head": [RESET],
    "closed before the head": [b""],
    "head cut": [b"HTTP/1.1 200 OK\r\ncontent-le"],
    "no HTTP at all": [b"SSH-2.0-OpenSSH_9.6\r\n"],
    "endless head": [b"HTTP/1.1 200 OK\r\n", b"x-a: " + b"b" * 200_000],
    "two lengths": [b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\ncontent-length: 3\r\n\r\n{}"],
}


@pytest.mark.parametrize("steps", CUT_SHORT.values(), ids=CUT_SHORT)
def test_an_answer_that_breaks_off_is_unavailable_and_tried_again(steps: list[object]) -> None:
    """A second try that succeeds is an answer, and says that it was the second."""
    with raw_server(steps) as server:
        failed = failure(server.address)
        assert type(failed) is Unavailable
        assert (failed.attempts, failed.status) == (1, None)
    with raw_server(steps, steps, [answer(b"{}")]) as server:
        response = post(server.address, max_retries=2, retry_backoff_s=0.001)
        assert (response.body, response.attempts) == (b"{}", 3)
        assert len(server.requests) == 3


def test_a_server_that_is_not_there_is_unavailable() -> None:
    """Refused connections are tried again; every try is counted."""
    with raw_server([b""]) as server:
        address = server.address
    failed = failure(address, max_retries=2, retry_backoff_s=0.001)
    assert type(failed) is Unavailable
    assert (str(failed), failed.attempts) == ("the server could not be reached", 3)


@pytest.mark.parametrize("host", ["no-such-host.invalid", "a" * 80 + ".invalid", "127.0.0.1.."])
def test_a_name_that_is_nobodys_is_unavailable(host: str) -> None:
    """Also one that no name can be."""
    assert type(failure(f"http://{host}:9/", timeout_s=10)) is Unavailable


@pytest.mark.parametrize("code", [502, 503, 504])
def test_a_gateway_that_cannot_answer_just_now_is_asked_again(server: Server, code: int) -> None:
    """And is unavailable when it never can."""
    server.script.extend([status(code), None])
    assert post(server.url, max_retries=1, retry_backoff_s=0.001).attempts == 2
    server.fault = status(code)
    failed = failure(server.url, max_retries=1, retry_backoff_s=0.001)
    assert type(failed) is Unavailable
    assert (failed.status, failed.attempts) == (code, 2)


@pytest.mark.parametrize("code", [300, 304, 400, 401, 404, 418, 429, 500, 501, 529, 599])
def test_any_other_status_is_refused_at_once(server: Server, code: int) -> None:
    """To send the same again would not help."""
    server.fault = body(b"", code=code)
    failed = failure(server.url, max_retries=3)
    assert type(failed) is StatusRefused
    assert (failed.status, failed.attempts, len(server.seen)) == (code, 1, 1)


@pytest.mark.parametrize("code", [429, 529])
def test_overload_is_asked_again_where_that_is_the_custom(server: Server, code: int) -> None:
    """Of the System One and OpenAI formats."""
    server.script.extend([status(code), None])
    assert post(server.url, max_retries=1, retry_backoff_s=0.001, retry_statuses=OVERLOAD_STATUSES).attempts == 2


@pytest.mark.parametrize("code", [301, 302, 303, 307, 308])
def test_a_redirect_is_not_followed(server: Server, code: int) -> None:
    """Neither elsewhere nor at home."""
    with decision_server() as other:
        for target in (other.url, server.url):
            server.fault = redirect_to(target, code)
            failed = failure(server.url, max_retries=1)
            assert type(failed) is StatusRefused
            assert failed.status == code
        assert other.seen == []
    assert len(server.seen) == 2


@pytest.mark.parametrize("fault", ["bomb", "endless", "gzip-cut", "gzip-more", "gzip-members", "gzip-damaged"])
def test_a_body_that_must_not_be_read_is_refused(server: Server, fault: str) -> None:
    """Too large when unpacked, without end, no single whole gzip stream."""
    assert type(failure(server.at(fault), max_retries=1)) is BodyRefused
    assert len(server.seen) == 1


@pytest.mark.parametrize("fault", ["gzip-twice", "double-bomb", "brotli", "206"])
def test_a_body_in_a_form_that_was_not_asked_for_is_refused(server: Server, fault: str) -> None:
    """Nothing of it is read."""
    assert type(failure(server.at(fault))) is BodyRefused


@pytest.mark.parametrize("encoding", ["gzip", "GZIP", "x-gzip"])
def test_a_gzipped_body_is_unpacked(server: Server, encoding: str) -> None:
    """Whatever the case of the encoding's name."""
    server.fault = encoded(gzip.compress, encoding)
    assert json.loads(post(server.url).body)["model"] == "m-1"
    server.fault = encoded(lambda data: data, "identity")
    assert json.loads(post(server.url).body)["model"] == "m-1"


@pytest.mark.parametrize("packed", [False, True])
def test_the_limit_counts_bytes_after_unpacking_to_the_byte(server: Server, packed: bool) -> None:
    """A body of just the limit is read, one more byte is not."""
    for size, fits in ((1000, True), (1001, False)):
        content = json.dumps("x" * (size - 2)).encode()
        server.fault = encoded(gzip.compress if packed else bytes, "gzip" if packed else "identity")
        server.fault = body(gzip.compress(content), content_encoding="gzip") if packed else body(content)
        if fits:
            assert post(server.url, max_response_bytes=1000).body == content
        else:
            assert "max_response_bytes" in str(failure(server.url, max_response_bytes=1000))


def test_a_declared_length_over_the_limit_is_refused_before_anything_is_read() -> None:
    """The body itself never comes."""
    with raw_server([answer(b"", length=10**15), 5.0]) as server:
        assert type(failure(server.address, timeout_s=3)) is BodyRefused


def test_a_body_of_many_empty_gzip_blocks_ends_at_the_limit() -> None:
    """It unpacks to nothing for ever."""
    head = b"HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\nconnection: close\r\n\r\n"
    empty_block = b"\x00\x00\x00\xff\xff"
    start = gzip.compress(b"")[:10]
    with raw_server([head, start, *[empty_block * 20_000] * 30]) as server:
        assert type(failure(server.address, timeout_s=10)) is BodyRefused


def test_nothing_that_a_server_wrote_is_in_a_failure(server: Server) -> None:
    """Not its body, its headers, its reason, nor what it sent instead of HTTP; no exception is chained that has it."""
    word = "confidential"
    faults = {
        "status": [
            b"HTTP/1.1 500 confidential\r\nx-confidential: confidential\r\ncontent-length: 12\r\n\r\nconfidential"
        ],
        "retried": [b"HTTP/1.1 503 confidential\r\nretry-after: confidential\r\ncontent-length: 0\r\n\r\n"],
        "garbage": [b"confidential confidential confidential\r\n\r\n"],
        "encoding": [answer(b"{}", more=b"content-encoding: confidential\r\n")],
        "length": [answer(b"{}", more=b"content-length: confidential\r\n")],
    }
    for steps in faults.values():
        with raw_server(steps) as raw:
            failed = failure(raw.address, max_retries=1, retry_backoff_s=0.001)
        chain: list[BaseException] = [failed]
        for each in chain:
            assert word not in str(each)
            assert word not in repr(each)
            chain += [other for other in (each.__context__, each.__cause__) if other is not None]
        assert len(chain) == 1


def test_after_many_calls_broken_off_the_client_still_has_all_its_connections(server: Server) -> None:
    """A call that is cancelled, or runs out of time, takes its connection with it, and nothing else."""

    async def calls() -> int:
        client = HttpClient(HttpLimits(timeout_s=0.05, max_connections=4))
        slow, good = Endpoint.of(server.at("drip"), {}), Endpoint.of(server.url, {})
        for _ in range(5):
            ended = await asyncio.gather(*[client.post(slow, ASKED) for _ in range(8)], return_exceptions=True)
            assert all(isinstance(each, DeadlinePassed) for each in ended)
            task = asyncio.create_task(client.post(slow, ASKED, deadline=asyncio.get_running_loop().time() + 60))
            await asyncio.sleep(0.02)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
        deadline = asyncio.get_running_loop().time() + 30
        answers = await asyncio.gather(*[client.post(good, ASKED, deadline=deadline) for _ in range(40)])
        await client.aclose()
        return sum(each.status == 200 for each in answers)

    assert asyncio.run(calls()) == 40


def test_closing_while_requests_are_under_way_leaves_no_connection_behind(server: Server) -> None:
    """They end as they would, and close what they used; an unclosed one would be warned of, which is an error here."""

    async def close_early() -> list[int]:
        client = HttpClient(HttpLimits())
        endpoint = Endpoint.of(server.url, {})
        tasks = [asyncio.create_task(client.post(endpoint, ASKED)) for _ in range(5)]
        await asyncio.sleep(0.001)
        await client.aclose()
        return [response.status for response in await asyncio.gather(*tasks)]

    assert asyncio.run(close_early()) == [200] * 5
    gc.collect()


FIRST_REQUEST = """
import asyncio, sys
from robust.transport.client import HttpClient, HttpLimits
from robust.transport.endpoint import Endpoint
from tests.programs import python
from tests.raw_server import answer, raw_server

async def first(address):
    client, endpoint = HttpClient(HttpLimits()), Endpoint.of(address, {})
    await client.open(endpoint)
    before = set(sys.modules)
    await client.post(endpoint, b"{}")
    await client.aclose()
    # A codec is found anew for each way to spell it.
    print(sorted(name for name in set(sys.modules) - before if not name.startswith("encodings")))

with raw_server([answer(b"{}")]) as server:
    asyncio.run(first(server.address))
"""


def test_a_client_that_was_opened_imports_nothing_at_its_first_request() -> None:
    """Which would count as the time that the server took."""
    assert python(FIRST_REQUEST).stdout == "[]\n"


def test_a_client_serves_several_loops(server: Server) -> None:
    """Connections belong to a loop; a client belongs to none."""
    client = HttpClient(HttpLimits())

    async def once() -> int:
        try:
            return (await client.post(Endpoint.of(server.url, {}), ASKED)).status
        finally:
            await client.aclose()

    assert [asyncio.run(once()) for _ in range(3)] == [200, 200, 200]


def test_a_probe_looks_at_the_status_alone(server: Server) -> None:
    """An endless body does not matter, a bad status does."""

    async def probe(url: str) -> Response:
        client = HttpClient(HttpLimits(timeout_s=5))
        try:
            return await client.probe(Endpoint.of(url, {}))
        finally:
            await client.aclose()

    assert asyncio.run(probe(server.health_url)).status == 200
    assert asyncio.run(probe(f"{server.health_url}?fault=endless")).body == b""
    with pytest.raises(StatusRefused):
        asyncio.run(probe(f"{server.health_url}?fault=500"))
    assert [seen.method for seen in server.seen] == ["GET"] * 3


@pytest.mark.parametrize(
    "url", ["ftp://a/b", "a/b", "http://", "http:///x", "http://[::1", "http://a:99999/", "http://\x00"]
)
def test_what_is_no_address_is_no_endpoint(url: str) -> None:
    """Said when it is made, with the path of the setting."""
    with pytest.raises(BackendError) as caught:
        Endpoint.of(url, {}, path="backends.second")
    assert caught.value.problems[0].path == "backends.second.url"


@pytest.mark.parametrize("name", sorted(OWN_HEADERS))
def test_headers_that_frame_the_message_cannot_be_set(name: str) -> None:
    """They would make of one request two."""
    with pytest.raises(BackendError) as caught:
        Endpoint.of("http://a", {name.title(): "5"})
    assert caught.value.code == "bad_header"


def test_an_endpoint_does_not_show_its_headers() -> None:
    """They may be credentials."""
    assert "hush" not in repr(Endpoint.of("http://a", {"authorization": "hush"}))
