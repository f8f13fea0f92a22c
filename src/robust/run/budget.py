"""How much a run may spend, counted over its continuations."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from decimal import Decimal

from robust.canon import JsonObject
from robust.records.decision import LIMIT_SLACK
from robust.records.request import Usage

# What may be said that one question took; the rest is fantasy.
_MOST_ATTEMPTS = 100_000


def calls_made(observed: JsonObject) -> int:
    """How many calls a question came to, by what was observed of it: its attempts, or one."""
    attempts = observed.get("attempts", 1)
    return attempts if type(attempts) is int and 0 < attempts <= _MOST_ATTEMPTS else 1


@dataclass(frozen=True, kw_only=True, slots=True)
class Limits:
    """The most that may be spent; None where there is no limit."""

    calls: int | None = None
    tokens: int | None = None
    cost: float | None = None


@dataclass(kw_only=True, slots=True)
class Budget:
    """What has been spent, and what may still be.

    The calls that a question may come to, its retries included, are reserved before it is asked, so that
    ``limits.calls`` is never exceeded; what it did not need is given back. Tokens and cost are known only afterwards:
    once they are spent no further question is asked, but those in flight are paid.

    Attributes:
        calls: the calls that were made.
        tokens: the tokens that were spent.
        cost: the money that was spent; added as decimals, so that three times 0.1 is 0.3.
    """

    limits: Limits
    calls: int = 0
    tokens: int = 0
    cost: float = 0.0
    _reserved: int = 0
    _settled: asyncio.Condition = field(default_factory=asyncio.Condition)

    def fits(self, calls: int) -> bool:
        """Whether so many more calls may be made, besides those that are reserved."""
        limits = self.limits
        return (
            (limits.calls is None or self.calls + self._reserved + calls <= limits.calls)
            and (limits.tokens is None or self.tokens < limits.tokens)
            and (limits.cost is None or self.cost < limits.cost - LIMIT_SLACK)
        )

    async def reserve(self, calls: int) -> bool:
        """Set calls aside for one question; false when what is left does not suffice.

        While others are in flight it is not known what is left, so that this waits for them.
        """
        if self.limits.calls is not None and not self.fits(calls):
            async with self._settled:
                await self._settled.wait_for(lambda: self._reserved == 0 or self.fits(calls))
        if not self.fits(calls):
            return False
        self._reserved += calls
        return True

    async def settle(self, reserved: int, made: int, usage: Usage | None) -> tuple[int, int, float]:
        """Count what a question came to, and give back what was set aside for it.

        Returns:
            the calls, tokens and cost that it came to.
        """
        self._reserved -= reserved
        spent = self.count(made, usage)
        if self.limits.calls is not None:
            async with self._settled:
                self._settled.notify_all()
        return spent

    def count(self, made: int, usage: Usage | None) -> tuple[int, int, float]:
        """Count calls that were not set aside; gives the calls, tokens and cost that they came to."""
        tokens = 0 if usage is None or usage.tokens is None else usage.tokens
        cost = 0.0 if usage is None or usage.cost is None else float(usage.cost)
        self.calls += made
        self.tokens += tokens
        self.cost = float(Decimal(repr(self.cost)) + Decimal(repr(cost)))
        return made, tokens, cost
