"""Asking an inline backend about many requests, before any answer is looked at."""

from __future__ import annotations

import time
from collections.abc import Iterable
from typing import Any, Final, NamedTuple

from robust.errors import BackendError
from robust.records.request import DecisionRequest
from robust.records.seams import Backend

_NS: Final = 10**9


class Asked(NamedTuple):
    """What came of asking about some requests, in order.

    Attributes:
        raws: what the backend gave.
        latencies: how long it took, in milliseconds.
        errors: by place, what it raised instead.
    """

    raws: list[Any]
    latencies: list[float]
    errors: dict[int, BaseException]


def ask_many(backend: Backend, requests: Iterable[DecisionRequest], seconds: float) -> Asked:
    """Ask about requests one by one, at least about one, until so much time has passed.

    Raises:
        BackendError: the backend cannot answer anything.
    """
    decide, clock = backend.decide, time.perf_counter_ns
    raws: list[Any] = []
    latencies: list[float] = []
    errors: dict[int, BaseException] = {}
    until = clock() + seconds * _NS
    for request in requests:
        started = clock()
        try:
            raw: Any = decide(request)
        except (KeyboardInterrupt, BackendError):
            raise
        except BaseException as error:  # noqa: BLE001 - a model's crash is evidence
            raw, errors[len(raws)] = None, error
        ended = clock()
        raws.append(raw)
        # Milliseconds with four digits behind the point, as rounding gives them, but faster.
        latencies.append((ended - started + 50) // 100 / 10_000)
        if ended >= until:
            break
    return Asked(raws, latencies, errors)
