"""Which failures of a run are replayed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Final

from robust.canon import JsonObject
from robust.errors import Problem, UsageError
from robust.records.run_record import refused
from robust.records.section import suggestion

MAX_PROBLEMS: Final = 50
# How many ids are looked at for what an unknown one may have been meant to be.
_MOST_KNOWN: Final = 200
_NEVER_ASKED: Final = {
    "paraphrase_error": "nobody worded it, so nothing was sent",
    "oracle_error": "its oracle could not be asked about it, so it was never sent",
}
_NOT_MADE: Final = "nobody worded it, so nothing was sent"


class Choice:
    """The failures that are replayed, and the base cases that are asked for them.

    Args:
        ids: of the failures; None for all of them.
        reworded: the properties whose candidates somebody else words, so that one without steps was never made.

    Attributes:
        count: how many failures are replayed.
        pairs: how many of them are pairs.
        bases: the ids of their base cases.
        left_out: by error kind, the failures that cannot be replayed, for nothing was ever sent.
    """

    def __init__(self, ids: Iterable[str] | None, reworded: Iterable[str]) -> None:
        self._wanted = None if ids is None else frozenset(ids)
        self._reworded = frozenset(reworded)
        self._found: set[str] = set()
        self._problems: list[Problem] = []
        self._related: list[str] = []
        self._others: list[str] = []
        self.count = 0
        self.pairs = 0
        self.bases: set[str] = set()
        self.left_out: Counter[str] = Counter()

    def add(self, record: JsonObject) -> None:
        """Look at one record of the run; all of them must pass by."""
        failed = _failed(record)
        never = self._why_never_sent(record)
        if self._wanted is None:
            if failed and never is not None:
                self.left_out[record["error"]["kind"]] += 1
        elif record["id"] in self._wanted:
            self._found.add(record["id"])
            reason = never or (None if failed else "it did not fail, so there is nothing to reproduce")
            if reason is not None:
                self._problem("not_replayable", f"{record['id']!r} cannot be replayed: {reason}")
        elif failed and never is None:
            self._remember(record)
        if self.takes(record):
            self.count += 1
            self.pairs += record["kind"] == "pair"
            self.bases.add(record["case_id"])

    def takes(self, record: JsonObject) -> bool:
        """Whether a record is replayed."""
        wanted = self._wanted is None or record["id"] in self._wanted
        return wanted and _failed(record) and self._why_never_sent(record) is None

    def check(self) -> None:
        """See that there is something to replay, and that every id that was given is one.

        Raises:
            UsageError: there is not, or it is not.
        """
        for name in sorted((self._wanted or frozenset()) - self._found):
            hint = suggestion(name, [*self._related, *self._others], "it has the failures")
            self._problem("unknown_id", f"the run has no record {name!r}", hint)
        if self._problems:
            raise UsageError(*self._problems)
        if not self.count:
            message = "there is nothing to replay: no pair that was sent failed, and no base case ended in an error"
            raise UsageError.of("no_failures", message, path="ids")

    def _problem(self, code: str, message: str, hint: str | None = None) -> None:
        if len(self._problems) < MAX_PROBLEMS:
            self._problems.append(Problem(code=code, message=message, path="ids", hint=hint))

    def _remember(self, record: JsonObject) -> None:
        """Keep the id of a failure that another one may have been meant to be; those of the same case first."""
        related = any(record["case_id"] in name for name in self._wanted or ())
        names = self._related if related else self._others
        if len(names) < _MOST_KNOWN:
            names.append(record["id"])

    def _why_never_sent(self, record: JsonObject) -> str | None:
        """Why nothing of a record was ever sent; None where it was, or only its base was not decided."""
        if record["kind"] == "skip":
            return f"the property had nothing to transform in this case ({record['reason']})"
        if refused(record):
            return "its oracle refused the candidate, so it was never sent"
        if record["kind"] == "decision" or "error" not in record:
            return None
        if record["property"] in self._reworded and not record["steps"]:
            return _NOT_MADE
        return _NEVER_ASKED.get(record["error"]["kind"])


def _failed(record: JsonObject) -> bool:
    """Whether a record ended in an error or has a violation."""
    return "error" in record or bool(record.get("violations"))
