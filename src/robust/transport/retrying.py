"""Trying again: after failures in transit only, with growing waits, as the server asks, and never past the deadline."""

from __future__ import annotations

import asyncio
import email.utils
import re
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from typing import Final, TypeVar

import stamina

from robust.transport.failures import Unavailable
from robust.transport.logs import keep_retries_quiet

T = TypeVar("T")
MAX_RETRY_AFTER_S: Final = 60.0
_MAX_BACKOFF_S: Final = 60.0
_SECONDS: Final = re.compile(r"[0-9]{1,12}(?:\.[0-9]{1,12})?\Z")


def read_retry_after(value: str, now: datetime | None = None) -> float | None:
    """The seconds that a ``Retry-After`` asks to wait, at most ``MAX_RETRY_AFTER_S``; None where it says nothing.

    A number of seconds or an HTTP date (RFC 9110, 10.2.3); negative numbers, words and dates beyond all calendars say
    nothing, and a date in the past asks for no wait.
    """
    value = value.strip()
    if _SECONDS.match(value):
        return min(float(value), MAX_RETRY_AFTER_S)
    if not value[:1].isalpha():
        return None
    try:
        moment = email.utils.parsedate_to_datetime(value)
        # A date without a zone is in UTC, as all HTTP dates are.
        moment = moment.replace(tzinfo=moment.tzinfo or UTC)
        seconds = (moment - (now or datetime.now(UTC))).total_seconds()
    except (ValueError, OverflowError, TypeError, IndexError):
        return None
    return min(max(seconds, 0.0), MAX_RETRY_AFTER_S)


class Retries:
    """How often to try again, and how long to wait before it.

    Args:
        retries: the most tries after the first.
        backoff_s: the wait before the second try; it doubles from try to try. A random part of at most this is added.
    """

    def __init__(self, retries: int, backoff_s: float) -> None:
        self._retries = retries
        self._backoff_s = backoff_s
        if retries:
            keep_retries_quiet()

    async def call(self, attempt: Callable[[], Awaitable[T]], deadline: float) -> T:
        """Do something, and again for as long as it ends in :class:`Unavailable`.

        A wait that would not end before the deadline is not begun: what failed last is more telling than a timeout.

        Args:
            attempt: what to do.
            deadline: the time of the running loop's clock after which nothing is begun.

        Raises:
            Exception: whatever the last attempt raised.
        """
        if not self._retries:
            return await attempt()
        clock = asyncio.get_running_loop().time
        tries = 0

        def wait(error: Exception) -> bool | float:
            if not isinstance(error, Unavailable):
                return False
            least = self._backoff_s * 2 ** (tries - 1) if error.retry_after is None else error.retry_after
            if clock() + min(least, _MAX_BACKOFF_S) >= deadline:
                return False
            return True if error.retry_after is None else error.retry_after

        attempts = stamina.retry_context(
            on=wait,
            attempts=self._retries + 1,
            timeout=None,
            wait_initial=self._backoff_s,
            wait_max=_MAX_BACKOFF_S,
            wait_jitter=self._backoff_s,
        )
        async for context in attempts:
            with context:
                tries += 1
                return await attempt()
        raise AssertionError("the last attempt raises")  # pragma: no cover - stamina raises what it raised
