"""Short ways to ask a backend behind an address."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from robust.backends.registry import build_backend
from robust.records.backend_config import (
    BackendConfig,
    HttpConfig,
    OpenAIConfig,
    SystemOneConfig,
)
from robust.records.decision_spec import DecisionSpec
from robust.records.request import BackendAnswer, BackendFailure, DecisionRequest, ShownDecision

NOUL = DecisionSpec(name="asks_refund", type="noul", description="Does the text ask for a refund?")
CHOICE = DecisionSpec(
    name="route", type="choice", options=("refund", "repair", "other"), description="What is it about?"
)
SCORE = DecisionSpec(name="anger", type="score", levels=("calm", "cross", "furious"), description="How angry is it?")
_CONFIGS: dict[str, Any] = {"http": HttpConfig, "systemone": SystemOneConfig, "openai": OpenAIConfig}


def configured(provider: str, url: str, **settings: Any) -> BackendConfig:
    """A section; the model and, for chat endpoints, no key, unless told otherwise."""
    usual: dict[str, Any] = {} if provider == "http" else {"model": "m"}
    if provider == "openai":
        usual["api_key_env"] = None
    config: BackendConfig = _CONFIGS[provider].model_validate({"provider": provider, "url": url, **usual, **settings})
    return config


def build(provider: str, url: str, decision: DecisionSpec = NOUL, **settings: Any) -> Any:
    """A backend."""
    name = settings.pop("name", "default")
    return build_backend(configured(provider, url, **settings), name=name, decision=decision, tolerance=0.001)


def request(decision: DecisionSpec = NOUL, **changes: Any) -> DecisionRequest:
    """A request, with its labels as the contract has them or as told."""
    shown = ShownDecision(
        name=decision.name,
        type=decision.type,
        labels=tuple(changes.pop("labels", decision.label_order)),
        description=decision.description,
    )
    return DecisionRequest(**{"case_id": "c1", "decision": shown, "input": "my money back", **changes})


def ask(backend: Any, *requests: DecisionRequest) -> BackendAnswer:
    """The answer to the last of some requests, one after the other; connections are closed afterwards."""

    async def all_of_them() -> BackendAnswer:
        try:
            answers = [await backend.decide(each) for each in requests or (request(),)]
            answer: BackendAnswer = answers[-1]
            return answer
        finally:
            await backend.aclose()

    return asyncio.run(all_of_them())


def fails(backend: Any, *requests: DecisionRequest) -> BackendFailure:
    """What a request ends in that is not answered."""
    with pytest.raises(BackendFailure) as caught:
        ask(backend, *requests)
    return caught.value
