"""What can go wrong between a request and a whole answer. Nothing that a server wrote is ever part of a message."""

from __future__ import annotations


class HttpFailure(Exception):
    """The base of what a call may end in instead of an answer.

    Args:
        message: for people; holds no text from the server.
        status: the HTTP status, where there was one.

    Attributes:
        attempts: how often the request was sent, or begun to be.
    """

    def __init__(self, message: str, *, status: int | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.attempts = 1


class DeadlinePassed(HttpFailure):
    """The whole call, its retries included, did not end in time."""


class Unavailable(HttpFailure):
    """No whole answer came: the connection failed or broke, or the server said that it cannot answer just now.

    Args:
        message: for people.
        status: the HTTP status, where there was one.
        retry_after: how many seconds the server asked to wait.
    """

    def __init__(self, message: str, *, status: int | None = None, retry_after: float | None = None) -> None:
        super().__init__(message, status=status)
        self.retry_after = retry_after


class StatusRefused(HttpFailure):
    """The server answered with a status that is no success, and to try again would not help."""


class BodyRefused(HttpFailure):
    """A body came that must not be read: too large, in an unknown encoding, damaged."""
