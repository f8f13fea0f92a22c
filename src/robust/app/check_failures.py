"""The counterexamples of a check, with excerpts of the records that show them."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any, Final

from robust.canon import JsonObject, canonical_bytes, canonical_text
from robust.errors import RobustError
from robust.records.check_report import CheckFailure, Derived
from robust.records.failure import cap_text
from robust.relations.stored_value import OPAQUE, shown_text, thawed
from robust.render.shown_check import ShownFailure

MOST_CHARACTERS: Final = 4000
_LONGEST_GIVEN: Final = 120
_MOST_RUNS: Final = 100


def shown_failures(
    plan: JsonObject, derived: Derived, records: Iterable[tuple[int, JsonObject]], most: int
) -> list[ShownFailure]:
    """At most so many failures with excerpts: those that decide a verdict first, the smallest of each relation.

    Args:
        plan: what was to be done.
        derived: what follows from the records.
        records: with their numbers from 1; read in one pass, and only as far as is needed.
        most: how many.
    """
    holding = {check.check for check in derived.checks if check.status == "pass"}
    wanted = chosen(derived.failures, most, holding if plan["kind"] == "relations" else set())
    return _Excerpts(plan).collect(wanted, records) if wanted else []


def chosen(failures: Iterable[CheckFailure], most: int, holding: Collection[str | None]) -> list[CheckFailure]:
    """At most so many failures: the smallest of each relation in turn, then the others in the order of the records.

    Args:
        failures: all of them.
        most: how many.
        holding: relations that hold all the same, over all inputs; theirs come last.
    """
    # What contradicts shows more than what raised.
    listed = sorted(failures, key=lambda failure: (failure.relation in holding, failure.error is not None))
    smallest: dict[str | None, CheckFailure] = {}
    for failure in listed:
        known = smallest.get(failure.relation)
        if known is None or (failure.error is None and failure.size < known.size):
            smallest[failure.relation] = failure
    first = list(smallest.values())
    shown = {id(failure) for failure in first}
    return [*first, *(failure for failure in listed if id(failure) not in shown)][:most]


def value_text(data: Any) -> str:
    """A stored value as Python shows it: text as it is, anything else by its ``repr``; capped, and without secrets."""
    if isinstance(data, str):
        return cap_text(data, MOST_CHARACTERS)
    try:
        return cap_text(shown_text(thawed(data)), MOST_CHARACTERS)
    except RobustError:
        # It can only be shown, or a part of it can.
        opaque = data.get(OPAQUE) if isinstance(data, dict) else None
        text = opaque.get("text") if isinstance(opaque, dict) else None
        return cap_text(text if isinstance(text, str) else canonical_text(data), MOST_CHARACTERS)


class _Excerpts:
    """What the records say of some failures; memory grows with these alone."""

    def __init__(self, plan: JsonObject) -> None:
        self._seeds = {each["name"]: each["seed"] for each in plan.get("relations", ())}
        self._input: JsonObject = {}
        self._before: list[Any] = []

    def collect(
        self, failures: Iterable[CheckFailure], records: Iterable[tuple[int, JsonObject]]
    ) -> list[ShownFailure]:
        listed = list(failures)
        lines = {failure.line for failure in listed}
        found: dict[int, ShownFailure] = {}
        for number, record in records:
            if record["kind"] == "input":
                self._input, self._before = record, []
            elif record["kind"] == "base" and "output" in record and len(self._before) < _MOST_RUNS:
                self._before.append(record["output"])
            if number in lines:
                lines.remove(number)
                # Several relations may fail by one record, as where the input itself cannot be run.
                for place, failure in enumerate(listed):
                    if failure.line == number:
                        of_row = failure.relation is None
                        found[place] = row_shown(record, number) if of_row else self._shown(failure, record)
                if not lines:
                    break
        return [found[place] for place in sorted(found)]

    def _shown(self, failure: CheckFailure, record: JsonObject) -> ShownFailure:
        minimised, raised = record["kind"] == "minimised", failure.error is not None
        after = None if raised else record["after"][0] if minimised else record["output"]
        # Of runs that differ from each other one that this output differs from.
        before = next((each for each in self._before if each != after), self._before[0] if self._before else None)
        return ShownFailure(
            id=failure.id,
            line=failure.line,
            columns=columns_of(record),
            relation=failure.relation,
            input_id=failure.input_id,
            sample=failure.sample,
            base=value_text(self._input.get("input")),
            variant=value_text(record["variant"]) if "variant" in record else "",
            before="" if raised else value_text(before),
            after="" if raised else value_text(after),
            error=failure.error,
            message=cap_text(str(record.get("message") or record.get("error") or ""), MOST_CHARACTERS)
            if raised
            else "",
            minimised=minimised,
            replay=None if failure.sample is None else self._replay(failure),
        )

    def _replay(self, failure: CheckFailure) -> str:
        """The line of Python that makes the variant of a sample again, for whoever has system and relation."""
        given = value_text(self._input.get("input"))
        given = repr(given) if isinstance(self._input.get("input"), str) else given
        if len(given) > _LONGEST_GIVEN or not given.isprintable() or "<" in given:
            given = "base_input"
        seed, name = self._seeds[failure.relation], failure.relation
        return f"robust.replay_trial(system, {given}, relation, sample={failure.sample}, seed={seed})  # {name}"


def row_shown(record: JsonObject, line: int) -> ShownFailure:
    """A row of a population test: the cells that changed, and its two outputs."""
    changed = [f"{name}: {value_text(old)} became {value_text(new)}" for name, (old, new) in record["cells"].items()]
    return ShownFailure(
        id=record["id"],
        line=line,
        columns=columns_of(record),
        relation=None,
        input_id=str(record["row"]),
        variant=cap_text("; ".join(changed), MOST_CHARACTERS),
        before=value_text(record["before"]),
        after=value_text(record["after"]),
    )


def columns_of(record: JsonObject) -> int:
    """How many characters the line of a record has."""
    return len(canonical_bytes(record).decode())
