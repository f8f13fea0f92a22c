"""Oracles that are not called but asked: programs, services, and combinations of several."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from robust.oracle.question import Observation, Question, Terms


class Observer(Protocol):
    """A way to ask an oracle once."""

    def observe(self, question: Question) -> Observation:
        """Ask once about one pair."""
        ...

    def close(self) -> None:
        """Let go of processes, if there are any."""
        ...


class AskedOracle:
    """The base of every oracle that is given as a ``validator`` and brings its own way of being asked.

    Attributes:
        name: who it is, in every record.
        version: its version, if it has one.
    """

    name: str
    version: str | None

    def observer(self, terms: Terms, *, isolate: bool = False) -> Observer:
        """A way to ask it on these terms.

        Args:
            terms: on what terms candidates are judged.
            isolate: whether callables among its parts are to run in worker processes.

        Raises:
            CaseError: it cannot be asked on these terms.
        """
        raise NotImplementedError
