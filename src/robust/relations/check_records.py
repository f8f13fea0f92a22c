"""The plan and the records of a check of relations, as they are written."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from robust.canon import JsonObject
from robust.records.check_report import PLAN_SCHEMA
from robust.records.decision import tidy_number
from robust.relations.course import Confirmation, Course, Minimised, Raised, Skip, Trial, Variant
from robust.relations.input_check import InputCheck, Settings
from robust.relations.relation import Relation
from robust.relations.stored_value import stored
from robust.relations.variant_oracle import name_of_oracle


def plan_of(name: str, relations: Sequence[Relation], settings: Settings, *, batch: bool) -> JsonObject:
    """What was to be done, ``robust.plan/1``."""
    return {
        "schema": PLAN_SCHEMA,
        "kind": "relations",
        "name": name,
        "settings": {
            "samples": settings.samples,
            "baseline_runs": settings.baseline_runs,
            "alpha": settings.alpha,
            "deterministic_system": settings.deterministic,
            "early_stop": settings.early_stop,
            "batch": batch,
        },
        "relations": [
            {
                "name": relation.name,
                "assertion": {"name": relation.judged_by.name, "settings": _plain(relation.judged_by.settings)},
                "deterministic": relation.deterministic,
                "oracle": None if relation.oracle is None else name_of_oracle(relation),
                "seed": relation.seed,
                "kind": relation.kind,
            }
            for relation in relations
        ],
    }


def _plain(settings: JsonObject) -> JsonObject:
    return {name: tidy_number(value) if isinstance(value, float) else value for name, value in sorted(settings.items())}


def records_of(check: InputCheck, input_id: str) -> Iterator[JsonObject]:
    """What came of one input, in the order of the plan."""
    yield {"kind": "input", "id": input_id, "input": check.form}
    if not check.courses:
        return
    runs: list[JsonObject] = [{"output": stored(output)} for output in check.base]
    if check.base_error is not None:
        runs.append({"error": check.base_error.message})
    for run, outcome in enumerate(runs):
        yield {"kind": "base", "id": f"{input_id}/base/{run}", "input_id": input_id, "run": run, **outcome}
    for course in check.courses:
        yield from _records_of_course(course, input_id)


def _records_of_course(course: Course, input_id: str) -> Iterator[JsonObject]:
    name, plan = course.relation.name, course.plan
    of_course = {"input_id": input_id, "relation": name}
    before = [error.message for error in course.errors if error.sample is None]
    yield {
        "kind": "course",
        "id": f"{input_id}/{name}",
        **of_course,
        "base": None if course.base is None else course.base.state,
        "test": None if plan.test is None else plan.test.to_json(),
        "error": before[0] if before else None,
    }
    for event in course.events:
        place = f"{input_id}/{name}/{event.sample}"
        yield {"id": place, **of_course, "sample": event.sample, **_record_of(event, place)}
    for error in course.errors:
        if error.where == "shrink":
            place = f"{input_id}/{name}/{error.sample}/shrink"
            yield {"kind": "error", "id": place, **of_course, **error.to_json()}
    if course.minimised is not None:
        found = course.minimised
        place = f"{input_id}/{name}/{found.sample}/minimised"
        yield {"id": place, **of_course, "sample": found.sample, **_of_minimised(found)}


def _record_of(event: Trial | Skip | Raised | Confirmation, place: str) -> JsonObject:
    if type(event) is Trial:
        asked = _of_variant(event.variant)
        return {"kind": "trial", **asked, "output": stored(event.output), "contradicts": event.contradicts}
    if type(event) is Skip:
        note = {} if event.note is None else {"note": event.note}
        return {"kind": "skip", "reason": event.reason, **note, **_of_variant(event.variant)}
    if type(event) is Confirmation:
        return {
            "id": f"{place}/confirmation",
            "kind": "confirmation",
            "attempt": event.attempt,
            "before": [stored(output) for output in event.before],
            "after": [stored(output) for output in event.after],
            "p_value": tidy_number(event.p_value),
            "error": event.error,
        }
    assert type(event) is Raised  # noqa: S101 - there are no others
    output = {"output": stored(event.output)} if event.error.where == "assertion" else {}
    error = event.error
    return {"kind": "error", "where": error.where, "message": error.message, **_of_variant(event.variant), **output}


def _of_minimised(found: Minimised) -> JsonObject:
    return {
        "kind": "minimised",
        **_of_variant(found.variant),
        "after": [stored(output) for output in found.after],
    }


def _of_variant(variant: Variant | None) -> dict[str, Any]:
    if variant is None:
        return {}
    told = {} if variant.validation is None else {"validation": variant.validation}
    return {"variant": stored(variant.fresh()), **told}
