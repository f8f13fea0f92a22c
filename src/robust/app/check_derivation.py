"""What follows from a plan and its records: relation checks and population tests, each by its own pure function."""

from __future__ import annotations

from collections.abc import Iterable

from robust.canon import JsonObject
from robust.records.check_report import Derived


def check_terms_of(plan: JsonObject) -> None:
    """Refuse a plan, which was read, of a check that cannot be asked for.

    Raises:
        IntegrityError: names the path within the plan.
    """
    if plan["kind"] == "population":
        from robust.population.derived import settings_of

        settings_of(plan)
        return
    from robust.relations.derived_check import terms_of

    terms_of(plan)


def derive(plan: JsonObject, records: Iterable[tuple[int, JsonObject]]) -> Derived:
    """Everything of a report that follows from a plan, which was read, and from the records with their line numbers.

    Raises:
        IntegrityError: a record is not what the plan and the records before it make due; names line and path.
    """
    if plan["kind"] == "population":
        from robust.population.derived import derive_population

        return derive_population(plan, records)
    from robust.relations.derived_check import derive_check

    return derive_check(plan, records)
