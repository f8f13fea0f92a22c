"""The protocols that callers, and outer rooms, implement: each gets one frozen record."""

from __future__ import annotations

from collections.abc import Awaitable
from concurrent.futures import Future
from typing import Any, Protocol, runtime_checkable

from robust.canon import JsonObject
from robust.records.case import Case
from robust.records.paraphrase import ParaphraseRequest, Paraphrases
from robust.records.progress import ProgressState
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


class AnswerCache(Protocol):
    """Where validated answers are kept by the digest of everything that was sent, and the trial."""

    def get(self, key: str) -> bytes | None:
        """The answer under a key, if there is one; a damaged one is set aside and gives None."""
        ...

    def put(self, key: str, value: bytes, *, spent: tuple[int, int, float] | None = None) -> None:
        """Keep an answer, and count the calls, tokens and cost that it came to. It may be on disk a little later."""
        ...

    def add_spent(self, calls: int, tokens: int, cost: float) -> None:
        """Count what was spent on a call whose answer is not kept."""
        ...

    def on_disk(self) -> Future[None]:
        """Done when everything that was put so far is on disk."""
        ...


class Progress(Protocol):
    """Whoever wants to know how far a run has come."""

    def update(self, state: ProgressState) -> None:
        """Take in how far the run is; called often, on the run's own thread, so it must be quick."""
        ...


@runtime_checkable
class Backend(Protocol):
    """A model under test: probabilities for every label of a decision, in the form in which they were shown.

    Besides these two, a backend may have any of:

    - ``inline`` (bool): ``decide`` is cheap and does no I/O, so that it needs no thread;
    - ``pure`` (bool): an inline one whose answer depends on nothing but the request and the contract, so that several
      processes may each have one of their own;
    - ``is_async`` (bool): ``decide`` gives awaitables;
    - ``sent(request)``: a JSON object of everything that is sent for a request and that identifies its answer. What has
      it can be cached; None says that this request cannot be;
    - ``calls_per_decision`` (int): the most calls that one question may come to, retries included; 1 by default;
    - ``health()``: an awaitable of :class:`Health`, asked once before a run;
    - ``aclose()``: an awaitable that lets go of connections, on the loop that asked.
    """

    @property
    def identity(self) -> BackendIdentity:
        """What is tested; part of the evidence."""
        ...

    def decide(self, request: DecisionRequest) -> Any:
        """Answer one request with a :class:`BackendAnswer` or a mapping of labels, directly or as an awaitable."""
        ...


@runtime_checkable
class Paraphraser(Protocol):
    """Whoever words a text anew for the property ``paraphrase``; it should not be the tested model.

    Besides these two, a paraphraser may have any of:

    - ``inline`` (bool): ``paraphrase`` is cheap and does no I/O, so that it needs no thread;
    - ``is_async`` (bool): ``paraphrase`` gives awaitables;
    - ``sent(request)``: a JSON object of everything that identifies the answer, so that it can be kept; None says that
      this one cannot be;
    - ``calls_per_paraphrase`` (int): the most calls that one text may come to, retries included; 1 by default;
    - ``aclose()``: an awaitable that lets go of connections and files.
    """

    @property
    def provenance(self) -> JsonObject:
        """Who words the texts and how: ``provider``, ``model`` and whatever else is the same for all answers."""
        ...

    def paraphrase(self, request: ParaphraseRequest) -> Paraphrases | Awaitable[Paraphrases]:
        """Word one text anew, directly or as an awaitable.

        Raises:
            BackendFailure: it could not be done for this text.
            BackendError: it can be done for none.
        """
        ...


__all__ = [
    "AnswerCache",
    "Backend",
    "BackendAnswer",
    "Journal",
    "Paraphraser",
    "Progress",
    "ProgressState",
    "Validator",
]
