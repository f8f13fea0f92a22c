"""A contract with a policy, and guards around models of each kind, for tests about guards."""

from __future__ import annotations

import asyncio
from typing import Any

from robust import CallableBackend, DecisionRequest, Guard
from robust.canon import JsonObject
from tests.run_fixtures import contract_of, sure

ROUTES = [
    {"when": {"confidence_gte": 0.9}, "action": "accept"},
    {"when": {"confidence_gte": 0.6}, "action": "fallback", "backend": "large"},
    {"action": "human_review"},
]
LARGE = {"provider": "mock", "model": "large", "default": {"yes": 1, "no": 0}}


def policy_contract(**sections: Any) -> JsonObject:
    """A contract with three routes and a second backend, whose model comes from Python."""
    return contract_of(**{"backends": {"large": LARGE}, "policy": {"routes": ROUTES}, **sections})


def guard_around(model: Any, *, inline: bool = False, **sections: Any) -> Guard:
    """A guard around a function, under this contract."""
    return Guard.from_contract(policy_contract(**sections), backend=CallableBackend(model, model="m", inline=inline))


def sure_as_told(request: DecisionRequest) -> dict[str, float]:
    """Yes, as confidently as the input says."""
    return sure("yes", float(str(request.input)))


async def sure_later(request: DecisionRequest) -> dict[str, float]:
    """The same after others had their turn."""
    await asyncio.sleep(0)
    return sure_as_told(request)
