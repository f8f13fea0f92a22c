"""What was observed of the calls: time, tokens and cost. It varies from run to run and is in no logical digest."""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from math import fsum
from typing import Final

from robust.canon import JsonObject
from robust.records.decision import tidy_number
from robust.stats.percentiles import percentile

_PERCENTS: Final = (50, 90, 95, 99)
# Nothing that was observed is larger; a stored number beyond it is damage, and would overflow a sum.
_MOST: Final = 1e15


class Observations:
    """What was observed of the calls of a run, as its records have it."""

    def __init__(self) -> None:
        self._latencies = array("d")
        self._costs = array("d")
        self._tokens = 0
        self._tokens_known = False
        self._cached = 0
        self._messages: dict[str, str] = {}

    def add_message(self, kind: str, observed: JsonObject) -> None:
        """Take in what was said of an error; the first of each kind is kept."""
        message = observed.get("message")
        if isinstance(message, str) and message:
            self._messages.setdefault(kind, message)

    def messages(self) -> JsonObject:
        """What was said of the first error of each kind."""
        return dict(sorted(self._messages.items()))

    def add(self, observed: JsonObject, *, decided: bool) -> None:
        """Take in what was observed of one record; ``decided`` is for base cases that were decided.

        What is not a number from 0 up is passed over, as records may come from anywhere.
        """
        latency = observed.get("latency_ms", -1)
        # An answer from the cache has the latency of the call that it once took.
        if decided and (type(latency) is float or type(latency) is int) and 0 <= latency <= _MOST:
            self._latencies.append(latency)
        if len(observed) == 1 and "latency_ms" in observed:
            return  # all that there is to see of a model in this process
        if "usage" in observed or "cached" in observed:
            self._add_spending(observed)
        trials = observed.get("trials")
        further = [
            *(trials if isinstance(trials, list) else ()),
            observed.get("minimising"),
            observed.get("paraphrase"),
        ]
        for part in further:
            if isinstance(part, dict):
                self._add_spending(part)

    def add_latencies(self, latencies: Iterable[float]) -> None:
        """Take in latencies in milliseconds, of base cases that were decided and of which no more was observed."""
        self._latencies.extend([latency for latency in latencies if 0 <= latency <= _MOST])

    def _add_spending(self, observed: JsonObject) -> None:
        if observed.get("cached") is True:
            self._cached += 1
            return  # it was paid for before
        usage = observed.get("usage")
        if isinstance(usage, dict):
            tokens, cost = usage.get("tokens", -1), usage.get("cost", -1)
            if type(tokens) is int and 0 <= tokens <= _MOST:
                self._tokens += tokens
                self._tokens_known = True
            if type(cost) in (int, float) and 0 <= cost <= _MOST:
                self._costs.append(cost)

    def merge(self, other: Observations) -> None:
        """Add what was observed of records that come behind these."""
        self._latencies.extend(other._latencies)
        self._costs.extend(other._costs)
        self._tokens += other._tokens
        self._tokens_known = self._tokens_known or other._tokens_known
        self._cached += other._cached
        self._messages = {**other._messages, **self._messages}

    def latency(self) -> JsonObject:
        """Mean, percentiles and maximum in milliseconds, over ``n`` decided base cases; null without one."""
        ordered = sorted(self._latencies)
        figures: dict[str, float | None] = {"mean_ms": None, **{f"p{percent}_ms": None for percent in _PERCENTS}}
        figures["max_ms"] = None
        if ordered:
            figures["mean_ms"] = fsum(ordered) / len(ordered)
            figures |= {f"p{percent}_ms": percentile(ordered, percent) for percent in _PERCENTS}
            figures["max_ms"] = ordered[-1]
        shown = {name: None if value is None else tidy_number(value) for name, value in figures.items()}
        return {"n": len(ordered), **shown}

    def latency_p95(self) -> float | None:
        """The 95th percentile of the latency of decided base cases in milliseconds; None without one."""
        return percentile(sorted(self._latencies), 95) if self._latencies else None

    def spending(self) -> JsonObject:
        """How many answers came from a cache, and the tokens and cost of the others; null where not known."""
        return {
            "cached": self._cached,
            "tokens": self._tokens if self._tokens_known else None,
            "cost": tidy_number(fsum(self._costs)) if self._costs else None,
        }
