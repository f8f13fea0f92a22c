"""What of a stored report may differ from the one that is derived again, and what no report may say."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Final

from robust.canon import JsonObject
from robust.errors import Problem
from robust.records.report import differences, report_digest
from robust.run.contradiction import contradiction
from robust.run.own_oracle import is_named

_END_SLACK: Final = 1e-9


def report_problems(report: JsonObject, derived: JsonObject, names: frozenset[str], file: str) -> Iterator[Problem]:
    """How a stored report differs from the one that follows from the records, and who may not have judged.

    Args:
        report: the stored one.
        derived: what follows.
        names: those by which the model is known.
        file: the report's, for messages.
    """
    for path, stored, due in differences(report, with_stored_ends(derived, report)):
        yield contradiction(file, None, path, stored, due)
    for problem in oracle_problems(derived, names):
        yield replace(problem, file=file)


def with_stored_ends(derived: JsonObject, report: JsonObject) -> JsonObject:
    """The derived report with the stored ends of those intervals that are the same to nine digits.

    The ends are quantiles, whose last digits depend on the version of the library that computed them. Everything else
    must be equal to the last bit.
    """
    checks, metrics = report.get("checks"), report.get("metrics")
    pairs: list[tuple[JsonObject, Any]] = []
    if isinstance(checks, list):
        pairs += zip(derived["checks"], checks, strict=False)
    if isinstance(metrics, dict):
        pairs += [(metric, metrics.get(name)) for name, metric in derived["metrics"].items()]
    for due, stored in pairs:
        if isinstance(stored, dict) and same_ends(due["interval"], stored.get("interval")):
            due["interval"] = stored["interval"]
    return {**derived, "digest": report_digest(derived)}


def same_ends(due: Any, stored: Any) -> bool:
    """Whether two intervals are the same to nine digits."""

    def numbers(ends: Any) -> bool:
        return isinstance(ends, list) and len(ends) == 2 and all(type(end) in (int, float) for end in ends)

    return numbers(due) and numbers(stored) and all(abs(a - b) <= _END_SLACK for a, b in zip(due, stored, strict=True))


def oracle_problems(derived: JsonObject, names: frozenset[str]) -> Iterator[Problem]:
    """Who may not have judged the candidates of a property: the tested model, and more oracles than one.

    Args:
        derived: the report that follows from the records.
        names: those by which the model is known.
    """
    for name, summary in derived["properties"].items():
        oracles, path = summary.get("oracles", ()), f"$.properties.{name}.oracles"
        for oracle in oracles:
            if is_named(oracle, names):
                message = f"the tested model is the oracle {oracle['name']!r} of its own test"
                yield Problem(code="own_oracle", message=message, path=path)
        if len(oracles) > 1:
            message = f"several oracles judged the candidates of {name}, and a run has one for each property"
            yield Problem(code="several_oracles", message=message, path=path)
