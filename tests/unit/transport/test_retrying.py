"""Trying again: what a server may ask for, waits within the deadline, and no lines on the terminal."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from robust.transport.client import HttpClient, HttpLimits, Response
from robust.transport.endpoint import Endpoint
from robust.transport.failures import Unavailable
from robust.transport.retrying import MAX_RETRY_AFTER_S, Retries, read_retry_after
from tests.faults import status
from tests.programs import python
from tests.servers import decision_server

NOW = datetime(2024, 5, 1, 12, 0, 0, tzinfo=UTC)
ASKED = b'{"decision": {"labels": ["yes", "no"]}, "input": ""}'


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("0", 0),
        ("7", 7),
        (" 7 ", 7),
        ("1.5", 1.5),
        ("007", 7),
        ("99999999999", MAX_RETRY_AFTER_S),
        ("Wed, 01 May 2024 12:00:09 GMT", 9),
        ("Wed, 01 May 2024 11:00:00 GMT", 0),
        ("Wednesday, 01-May-24 12:00:09 GMT", 9),
        ("Wed May  1 12:00:09 2024", 9),
        ("Fri, 31 Dec 9999 23:59:59 GMT", MAX_RETRY_AFTER_S),
    ],
)
def test_a_wait_is_seconds_or_a_date(value: str, seconds: float) -> None:
    """In all three forms of date, up to the ceiling; a date in the past asks for none."""
    assert read_retry_after(value, NOW) == seconds


NONSENSE = ["", "-1", "+5", "soon", "1e9", "inf", "nan", "0x10", "٣", "5 seconds", "9" * 400, "2024-05-01", "\x00"]
NO_DATES = ["Wed,", "Wed, 99 May 2024 12:00:00 GMT", "Sat, 01 Jan 999999 00:00:00 GMT"]
NO_ZONE = "Mon, 01 Jan 2024 00:00:00 +99999999999999"


@pytest.mark.parametrize("value", [*NONSENSE, *NO_DATES, NO_ZONE])
def test_nonsense_asks_for_nothing(value: str) -> None:
    """The usual wait is taken."""
    assert read_retry_after(value, NOW) is None


dates = st.datetimes(timezones=st.just(UTC)).map(format_datetime)
almost = st.builds(
    lambda text, place, char: text[:place] + char + text[place + 1 :], dates, st.integers(0, 30), st.text()
)


@given(st.text() | st.text("0123456789-+.eE ,:GMT", max_size=20) | dates | almost)
def test_no_value_crashes_and_every_wait_is_within_the_ceiling(value: str) -> None:
    """Whatever a server sends."""
    seconds = read_retry_after(value, NOW)
    assert seconds is None or 0 <= seconds <= MAX_RETRY_AFTER_S


@given(st.integers(0, 59))
def test_a_date_and_the_seconds_to_it_ask_for_the_same(seconds: int) -> None:
    """Round trip."""
    assert read_retry_after(format_datetime(NOW + timedelta(seconds=seconds), usegmt=True), NOW) == seconds


def _post(url: str, **limits: float) -> Response:
    async def once() -> Response:
        client = HttpClient(HttpLimits(**{"max_retries": 2, **limits}))  # type: ignore[arg-type]
        try:
            return await client.post(Endpoint.of(url, {}), ASKED)
        finally:
            await client.aclose()

    return asyncio.run(once())


def test_the_server_knows_best_how_long_to_wait() -> None:
    """With no wait asked for, a usual one that would never end is not taken."""
    with decision_server() as server:
        server.script.extend([status(503, retry_after="0"), status(502, retry_after="Mon, 01 Jan 2001 00:00:00 GMT")])
        assert _post(server.url, retry_backoff_s=60).attempts == 3


@pytest.mark.parametrize(("value", "backoff"), [("3600", 0), ("59", 0), ("nonsense", 50), ("-5", 50)])
def test_a_wait_that_would_not_end_in_time_is_not_begun(value: str, backoff: float) -> None:
    """What failed is said at once, and not that time ran out."""
    with decision_server() as server:
        server.fault = status(503, retry_after=value)
        with pytest.raises(Unavailable) as caught:
            _post(server.url, retry_backoff_s=backoff, timeout_s=20)
        assert (caught.value.status, caught.value.attempts, len(server.seen)) == (503, 1, 1)


def test_when_time_runs_out_while_waiting_the_last_failure_is_told() -> None:
    """Jitter may take a wait over the deadline."""

    async def call() -> None:
        async def attempt() -> None:
            attempts.append(1)
            raise Unavailable("no")

        deadline = asyncio.get_running_loop().time() + 0.5
        with pytest.raises(Unavailable):
            await Retries(5, 0.3).call(attempt, deadline)

    attempts: list[int] = []
    asyncio.run(call())
    assert 1 <= len(attempts) < 6


def test_only_failures_in_transit_are_tried_again() -> None:
    """Anything else comes through at once, a cancellation too."""

    async def call(error: BaseException) -> None:
        async def attempt() -> None:
            attempts.append(1)
            raise error

        await Retries(5, 0).call(attempt, asyncio.get_running_loop().time() + 60)

    for error in (ValueError("x"), KeyError("x"), asyncio.CancelledError()):
        attempts: list[int] = []
        with pytest.raises(type(error)):
            asyncio.run(call(error))
        assert len(attempts) == 1
    attempts = []
    with pytest.raises(Unavailable):
        asyncio.run(call(Unavailable("x")))
    assert len(attempts) == 6


QUIET = """
import asyncio, sys
import stamina
from robust.transport.failures import Unavailable
from robust.transport.retrying import Retries

seen = []
if sys.argv[1] == "hook":
    stamina.instrumentation.set_on_retry_hooks([seen.append])
else:
    # structlog prints to standard output by default; here is one that would.
    import types
    module = types.ModuleType("structlog")
    module.get_logger = lambda *a: types.SimpleNamespace(warning=lambda event, **details: print(event))
    sys.modules["structlog"] = module

async def attempt():
    raise Unavailable("x")

async def ours():
    for _ in range(2):
        try:
            await Retries(2, 0).call(attempt, asyncio.get_running_loop().time() + 60)
        except Unavailable:
            pass

asyncio.run(ours())
assert seen == []

@stamina.retry(on=ValueError, attempts=2, wait_initial=0, wait_jitter=0)
def theirs():
    raise ValueError

try:
    theirs()
except ValueError:
    pass
print(len(seen))
"""


def test_our_retries_print_nothing_and_those_of_others_are_still_told() -> None:
    """A hook that was set before ours keeps hearing of the retries that are not ours."""
    done = python(QUIET, "hook")
    assert (done.stdout, done.stderr) == ("1\n", "")
    done = python(QUIET, "structlog")
    assert done.stderr == ""
    assert done.stdout.count("stamina.retry_scheduled") == 1
