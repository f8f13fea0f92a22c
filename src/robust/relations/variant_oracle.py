"""An oracle that judges the variants of a relation before anything is asked of the system."""

from __future__ import annotations

import re
from typing import Any, Final, NamedTuple

from robust.canon import JsonObject, decode_own
from robust.oracle.question import capture, read_terms
from robust.oracle.validate import identify, judge, make_observer
from robust.records.case import Case
from robust.records.status import Status, oracle_failure
from robust.records.validation import ValidationRecord
from robust.relations.relation import Relation
from robust.relations.stored_value import stored

_SOURCE: Final = "input"
_NOT_IN_NAMES: Final = re.compile(r"[^A-Za-z0-9._-]+")


class Judged(NamedTuple):
    """What an oracle said of a variant.

    Attributes:
        status: ``valid``, ``invalid`` or ``unknown``.
        record: what is kept of it: the oracle's name, ``status``, ``issues`` and ``reason``.
        failure: what the oracle failed with, if it raised, was too late or gave no answer; None if it gave one.
    """

    status: Status
    record: JsonObject
    failure: str | None = None


class VariantOracle:
    """Judges variants of one input, by the function that judges candidates everywhere.

    Input and variant become cases: text and objects as they are, everything else as ``{"value": …}``.

    Args:
        relation: one with an oracle.
        base_input: the input.

    Raises:
        CaseError: its oracle cannot be called.
    """

    def __init__(self, relation: Relation, base_input: Any) -> None:
        self._relation = relation
        self._base = stored(base_input)
        name = _NOT_IN_NAMES.sub("-", relation.name).strip(".-") or "relation"
        self._terms = read_terms(
            contract=f"robust/relation/{name}/v1", require_answers=relation.kind != "invariant", repeats=1
        )
        self._observer = make_observer(relation.oracle, self._terms, isolate=False)
        self._identity = identify(relation.oracle, self._terms)

    @property
    def name(self) -> str:
        """Who judges."""
        return _name(self._identity)

    def judge(self, variant: Any, sample: int) -> Judged:
        """Have a variant judged.

        Raises:
            CaseError: it cannot be made a case.
        """
        form = stored(variant)
        plain = all(isinstance(each, str | dict) for each in (self._base, form))
        base, candidate = (_as_input(each, plain=plain) for each in (self._base, form))
        pair = (
            Case(base, case_id="base", source_id=_SOURCE),
            Case(candidate, case_id=f"sample-{sample}", source_id=_SOURCE),
        )
        question = capture(*pair, relation=self._relation.kind, labels=self._terms.labels)
        record = judge(question, self._observer, self._terms, self._identity, ValidationRecord)
        data = record.data
        verdict = data["verdict"]
        kept = {
            "oracle": self.name,
            "status": record.status,
            "issues": list(record.issues),
            "reason": None if verdict is None else verdict["reason"],
        }
        return Judged(record.status, kept, oracle_failure(record.issues, data["failures"]))

    def close(self) -> None:
        """Let go of what the oracle holds."""
        self._observer.close()


def name_of_oracle(relation: Relation) -> str:
    """Who judges the variants of a relation, as its records say."""
    return _name(identify(relation.oracle, read_terms(contract="robust/relation/v1", require_answers=False)))


def _name(identity: bytes) -> str:
    return str(decode_own(identity)["name"])


def _as_input(form: Any, *, plain: bool) -> Any:
    return form if plain else {"value": form}
