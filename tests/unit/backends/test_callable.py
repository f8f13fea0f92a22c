"""A Python function as a model."""

from __future__ import annotations

from typing import Any

import pytest

from robust import BackendError, CallableBackend, DataError, DecisionRequest
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
