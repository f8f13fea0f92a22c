"""Work that asks questions without knowing who answers them: the same code for models in this process and elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import Any, NamedTuple, TypeAlias, TypeVar

from robust.records.request import DecisionRequest

T = TypeVar("T")


class Waiting(NamedTuple):
    """A call that may take long; what it returns, or raises, comes back into the dialogue."""

    call: Callable[[], Any]


# Yields questions to a backend and calls that may take long; gets each answer; returns what came of it all.
Dialogue: TypeAlias = Generator[DecisionRequest | Waiting, Any, T]
