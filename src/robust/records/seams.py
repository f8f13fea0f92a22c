"""The protocols that callers, and outer rooms, implement: each gets one frozen record."""

from __future__ import annotations

from collections.abc import Awaitable
from typing import Any, Protocol, runtime_checkable

from robust.records.case import Case
from robust.records.request import BackendAnswer, BackendIdentity, DecisionRequest
from robust.records.validation import ValidationRecord
from robust.records.verdict import OracleVerdict


class Validator(Protocol):
    """An oracle from Python: a callable over detached copies of base and candidate.

    It may declare ``name`` and ``version``, which are recorded; it may be a coroutine function.
    """

    def __call__(self, base: Case, candidate: Case, /) -> OracleVerdict | Awaitable[OracleVerdict]:
        """Judge a candidate without the tested model."""
        ...


class Journal(Protocol):
    """Where a batch keeps finished validations, so that it can be continued."""

    def get(self, key: str) -> ValidationRecord | None:
        """The finished validation of a pair, if there is one."""
        ...

    def put(self, key: str, record: ValidationRecord) -> None:
        """Keep a finished validation."""
        ...

    def note(self, key: str, event: str) -> None:
        """Keep that a pair was not finished, and why."""
        ...


@runtime_checkable
class Backend(Protocol):
    """A model under test: probabilities for every label of a decision, in the form in which they were shown."""

    @property
    def identity(self) -> BackendIdentity:
        """What is tested; part of the evidence."""
        ...

    def decide(self, request: DecisionRequest) -> Any:
        """Answer one request with a :class:`BackendAnswer` or a mapping of labels, directly or as an awaitable."""
        ...


__all__ = ["Backend", "BackendAnswer", "Journal", "Validator"]
