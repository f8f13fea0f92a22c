"""What came of a replayed failure, and of all of them."""

from __future__ import annotations

from collections import Counter
from typing import Any, Final, Literal, NamedTuple, TypeAlias

from robust.canon import JsonObject, MerkleTree, canonical_bytes, digest_value
from robust.run.answers import Answer

SCHEMA: Final = "robust.replay/1"
Status: TypeAlias = Literal["reproduced", "differs", "error", "not_reproduced"]
# The most serious first: that of a pair is the most serious one of its forms.
SEVERITY: Final[tuple[Status, ...]] = ("reproduced", "differs", "error", "not_reproduced")
# Errors that say nothing of what was asked, so that none of them reproduces another.
_UNREACHED: Final = frozenset(("unavailable", "budget_exhausted"))


class Finding(NamedTuple):
    """What came of a question, stored or asked again.

    Attributes:
        error: the kind of the error that it ended in.
        violations: the limits that its pair breaks.
        comparison: of its pair.
        unreached: whether nobody was there to be asked, or no call was left.
    """

    error: str | None
    violations: list[str]
    comparison: JsonObject | None = None
    unreached: bool = False

    @classmethod
    def of_errors(cls, *kinds: str | None) -> Finding | None:
        """The first of several errors, one of which led to another; None where there is none."""
        found = [kind for kind in kinds if kind is not None]
        return cls(found[0], [], None, bool(_UNREACHED.intersection(found))) if found else None

    def to_json(self) -> JsonObject:
        """Error, violations and comparison."""
        return {"error": self.error, "violations": self.violations, "comparison": self.comparison}


def status_of(recorded: Finding, found: Finding) -> Status:
    """Whether what was recorded occurs again.

    ``reproduced``: one of the violations, or the error, occurs again; ``differs``: others occur; ``error``: it could
    not be told; ``not_reproduced``: the answer came and breaks nothing.
    """
    if found.unreached:
        return "error"
    if found.error is not None:
        return "reproduced" if found.error == recorded.error else "error"
    if not found.violations:
        return "not_reproduced"
    same = recorded.error is None and not set(found.violations).isdisjoint(recorded.violations)
    return "reproduced" if same else "differs"


def said_of(record: JsonObject) -> JsonObject:
    """What was answered by a stored record, or its reduced form: a distribution or the kind of an error."""
    if "error" in record:
        return {"error": {"kind": record["error"]["kind"]}}
    return {"probabilities": record["result"]["probabilities"]}


def same_json(one: Any, other: Any) -> bool:
    """Whether two JSON values have the same digest."""
    return canonical_bytes(one) == canonical_bytes(other)


def digest_of_answers(record_id: str, answers: JsonObject) -> str:
    """The digest of what was answered when a record was replayed."""
    return digest_value([record_id, answers])


class Tally:
    """Counts results, and digests what was answered."""

    def __init__(self) -> None:
        self.statuses: Counter[str] = Counter()
        self._answers = MerkleTree()
        self._messages: dict[str, str] = {}

    def add(self, result: JsonObject) -> None:
        """Take in a result, in the order of the run's records."""
        self.statuses[result["status"]] += 1
        self._answers.add(canonical_bytes([result["id"], result["answers"]]))

    def add_message(self, answer: Answer) -> None:
        """Keep what was said of the first error of each kind."""
        message = answer.observed.get("message")
        if answer.error is not None and isinstance(message, str):
            self._messages.setdefault(answer.error, message)

    def messages(self) -> JsonObject:
        """What was said of the first error of each kind."""
        return dict(sorted(self._messages.items()))

    def digest(self) -> str:
        """The digest over [id, answers] of every replayed failure, in the order of the run's records."""
        return digest_value({"schema": SCHEMA, "count": self._answers.size, "root": self._answers.root()})

    @property
    def status(self) -> str:
        """``fail`` if a failure occurs again or another one instead, else ``error`` if one could not be told."""
        if self.statuses["reproduced"] or self.statuses["differs"]:
            return "fail"
        return "error" if self.statuses["error"] or not self._answers.size else "pass"
