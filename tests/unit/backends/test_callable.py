"""A Python function as a model."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest

from robust import BackendError, CallableBackend, DataError, DecisionRequest, Media
from robust.canon import canonical_bytes
from robust.records.request import ShownDecision
from robust.records.seams import Backend


async def _async_model(request: DecisionRequest) -> dict[str, float]:
    return {"yes": 1.0, "no": 0.0}


class _AsyncObject:
    async def __call__(self, request: DecisionRequest) -> dict[str, float]:
        return {"yes": 1.0, "no": 0.0}


def _model(request: DecisionRequest) -> dict[str, float]:
    return {"yes": 1.0, "no": 0.0}


def test_the_model_is_named_after_its_function_unless_told_otherwise() -> None:
    """The identity is what reports show."""
    plain = CallableBackend(_model).identity
    named = CallableBackend(_model, name="main", model="m", version="3", details={"temperature": 0.0}).identity
    assert (plain.name, plain.provider, plain.model, plain.model_version) == ("default", "callable", "_model", None)
    assert (named.name, named.model, named.model_version, named.details) == ("main", "m", "3", {"temperature": 0})
    assert CallableBackend(_AsyncObject()).identity.model == "_AsyncObject"


def test_coroutine_functions_and_objects_are_known_as_such() -> None:
    """So that no thread is spent on them."""
    assert CallableBackend(_async_model).is_async
    assert CallableBackend(_AsyncObject()).is_async
    assert not CallableBackend(_model).is_async
    assert isinstance(CallableBackend(_model), Backend)


@pytest.mark.parametrize("function", [None, 5, "module:name"])
def test_what_cannot_be_called_is_no_model(function: Any) -> None:
    """Said at once."""
    with pytest.raises(BackendError) as caught:
        CallableBackend(function)
    assert caught.value.problems[0].path == "function"


def test_details_must_be_portable() -> None:
    """They are part of the evidence; the path of what is not JSON is named."""
    with pytest.raises(DataError) as caught:
        CallableBackend(_model, details={"deep": [object()]})
    assert caught.value.problems[0].path == "details.deep[0]"
    details: Any = [1]
    with pytest.raises(BackendError):
        CallableBackend(_model, details=details)


def test_the_name_of_a_model_is_found_inside_a_partial_call() -> None:
    """However deep; an object that was made callable has the name of its class."""
    assert CallableBackend(partial(partial(_model), request=None)).identity.model == "_model"
    assert CallableBackend(partial(_AsyncObject())).identity.model == "_AsyncObject"
    assert CallableBackend(partial(_async_model)).is_async


def test_a_plain_function_is_called_directly_only_where_that_is_asked_for() -> None:
    """A coroutine function never is: it may wait, and others would wait with it."""
    assert not CallableBackend(_model).inline
    assert CallableBackend(_model, inline=True).inline
    assert not CallableBackend(_async_model, inline=True).inline


def _request(**fields: Any) -> DecisionRequest:
    shown = ShownDecision(name="q", type="choice", labels=("yes", "no"), description="Is it?")
    return DecisionRequest(**{"case_id": "c", "decision": shown, "input": {"a": [1]}, **fields})


def test_answers_can_be_cached_only_with_a_declared_version() -> None:
    """A function can change from one day to the next without changing its name."""
    assert CallableBackend(_model).sent(_request()) is None
    media = (Media(path="a.png", media_type="image/png", bytes=3, sha256="0" * 64),)
    backend = CallableBackend(_model, name="main", version="3", details={"temperature": 0.5})
    assert backend.sent(_request(media=media)) == {
        "identity": {
            "name": "main",
            "provider": "callable",
            "model": "_model",
            "model_version": "3",
            "details": {"temperature": 0.5},
        },
        "case_id": "c",
        "decision": {"name": "q", "type": "choice", "labels": ["yes", "no"], "description": "Is it?"},
        "input": {"a": [1]},
        "media": [media[0].to_json()],
    }


def test_everything_that_a_function_is_handed_is_in_the_key_but_for_the_trial() -> None:
    """B1: another label order, input, case, description, version or setting is another key."""
    other = ShownDecision(name="q", type="choice", labels=("no", "yes"), description="Is it?")
    worded = ShownDecision(name="q", type="choice", labels=("yes", "no"), description="Was it?")
    backend = CallableBackend(_model, version="3")
    requests = [_request(), _request(case_id="d"), _request(input="a"), _request(decision=other)]
    keys = [canonical_bytes(backend.sent(request)) for request in (*requests, _request(decision=worded))]
    for options in ({"version": "4"}, {"version": "3", "details": {"t": 1}}, {"version": "3", "model": "m"}):
        settings: dict[str, Any] = options
        keys.append(canonical_bytes(CallableBackend(_model, **settings).sent(_request())))
    assert len(set(keys)) == len(keys) == 8
    assert canonical_bytes(backend.sent(_request(trial=7))) == keys[0]
