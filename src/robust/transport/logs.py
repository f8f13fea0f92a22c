"""What other libraries would say about our requests: kept free of secrets, and off the terminal."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from typing import Any

import stamina.instrumentation

from robust.transport.failures import HttpFailure

# At the level DEBUG these print whole response headers, in which a server may echo what it was sent.
_TALKERS = ("httpx", "httpcore.connection", "httpcore.http11", "httpcore.proxy")
_LOCK = threading.Lock()


class _Redacting(logging.Filter):
    """Redacts the message of every record."""

    def __init__(self, redact: Callable[[str], str]) -> None:
        super().__init__()
        self.redact = redact

    def filter(self, record: logging.LogRecord) -> bool:
        record.msg, record.args = self.redact(record.getMessage()), ()
        return True


class _NotOurs:
    """A hook on scheduled retries that passes over ours: they are counted in what is recorded of each call.

    Without it each of our retries becomes a line on the terminal, even on standard output where structlog is installed.
    """

    def __init__(self, hook: Callable[[Any], Any]) -> None:
        self.hook = hook

    def __call__(self, details: stamina.instrumentation.RetryDetails) -> Any:
        return None if isinstance(details.caused_by, HttpFailure) else self.hook(details)


def redact_logs(redact: Callable[[str], str]) -> None:
    """Have every message that the HTTP libraries log redacted from now on."""
    with _LOCK:
        for name in _TALKERS:
            logger = logging.getLogger(name)
            if not any(isinstance(each, _Redacting) and each.redact == redact for each in logger.filters):
                logger.addFilter(_Redacting(redact))


def keep_retries_quiet() -> None:
    """Have the process's hooks on retries pass over ours; those of others reach them as before."""
    with _LOCK:
        hooks = stamina.instrumentation.get_on_retry_hooks()
        if not all(isinstance(hook, _NotOurs) for hook in hooks):
            stamina.instrumentation.set_on_retry_hooks(
                [hook if isinstance(hook, _NotOurs) else _NotOurs(hook) for hook in hooks]
            )
