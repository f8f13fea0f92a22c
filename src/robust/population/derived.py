"""The result of a population test from its plan and records alone, and what of it stands in a report."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final

from robust.canon import MAX_SAFE_INTEGER, JsonObject, describe, join_path
from robust.errors import IntegrityError, RobustError
from robust.population.evidence import Evidence
from robust.population.execute import group_numbers
from robust.population.judge import judge_population
from robust.population.output_arrays import may_be_probabilities
from robust.population.recorded_cells import RecordedCells
from robust.population.recording import DATA_ID, NOT_FINITE, row_id
from robust.population.table_models import outputs_problem
from robust.population.terms import population_terms, wanted_outputs
from robust.records.check_report import CheckFailure, CheckRunStatus, Derived
from robust.records.population import OutputKind, PopulationOutcome, PopulationSettings
from robust.records.report import CheckResult, CheckStatus
from robust.records.status import ORACLE_FAILED

if TYPE_CHECKING:
    from numpy.typing import NDArray

_SETTINGS: Final = (
    *("statistic", "threshold", "window", "relative", "output_sensitivity", "abs_tol", "label", "alpha", "grouped"),
    *("seed", "oracle"),
)
_DATA: Final = ("kind", "id", "rows", "in_slice", "outputs", "error")
_ROW: Final = ("kind", "id", "row", "group", "cells", "before", "after")
_SKIP: Final = ("kind", "id", "row", "group", "cells", "reason", "validation")
_WHERE: Final = ("slicing", "transformation", "oracle", "model")
_MAX_ROWS: Final = 10**12
# What is neither has no verdict.
_STATUSES: Final[Mapping[str, CheckRunStatus]] = {"pass": "pass", "fail": "fail"}
Numbered = tuple[int, JsonObject]


def outcome_of(plan: JsonObject, records: Iterable[Numbered]) -> tuple[PopulationOutcome, dict[int, int]]:
    """The result of a population test, and the line of each counted row.

    Args:
        plan: ``robust.plan/1`` of the kind ``population``.
        records: with their line numbers from 1.

    Raises:
        IntegrityError: the plan is none that can be asked for, or a record is none that it makes due.
    """
    settings = settings_of(plan)
    evidence, lines = _evidence_of(settings, RecordedCells(plan["transformation"]), iter(records))
    return judge_population(settings, evidence), lines


def derive_population(plan: JsonObject, records: Iterable[Numbered]) -> Derived:
    """Everything of a report that follows from the plan and the records of a population test.

    Raises:
        IntegrityError: see :func:`outcome_of`.
    """
    outcome, lines = outcome_of(plan, records)
    status = _STATUSES.get(outcome.status, "error")
    failures = tuple(
        CheckFailure(id=row_id(place), line=lines[place], relation=None, input_id=str(place))
        for place in outcome.failing
    )
    judged = outcome.n_changed + outcome.n_invalid + outcome.n_unknown if outcome.settings.oracle is not None else 0
    return Derived(
        status=status,
        counts={
            "rows": outcome.n,
            "changed": outcome.n_changed,
            "invalid": outcome.n_invalid,
            "unknown": outcome.n_unknown,
            "failing": len(outcome.failing),
        },
        found=outcome.found(),
        checks=tuple(checks_of(outcome)),
        failures=failures,
        notes={"validations": judged} if judged else {},
    )


def checks_of(outcome: PopulationOutcome) -> Iterator[CheckResult]:
    """What is required of a population, each as a check of a report: the share of rows, and the p-value."""
    settings = outcome.settings
    if settings.method in ("proportion", "equivalence"):
        proportion = settings.method == "proportion"
        verdict = outcome.population_verdict if proportion else outcome.row_verdict
        yield CheckResult(
            check=f"{settings.test}.min_share",
            level="requirement",
            status=_check_status(verdict),
            value=outcome.metric if proportion else outcome.row_share,
            limit=settings.threshold,
            interval=outcome.interval if proportion else outcome.row_interval,
        )
    if settings.method != "proportion":
        yield CheckResult(
            check=f"{settings.test}.max_p_value",
            level="requirement",
            status=_check_status(outcome.population_verdict),
            value=outcome.p_value,
            limit=settings.alpha,
        )


def _check_status(verdict: str) -> CheckStatus:
    return "pass" if verdict == "holds" else "fail" if verdict == "violated" else "inconclusive"


def settings_of(plan: JsonObject) -> PopulationSettings:
    """The settings that a plan holds, checked as they were when it was made.

    Raises:
        IntegrityError: a setting is missing, unknown, or none that can be asked for.
    """
    given = plan["settings"]
    odd = sorted({*given} ^ {*_SETTINGS})
    if odd:
        said = "the field is missing" if odd[0] not in given else "no such field"
        raise IntegrityError.of("wrong_value", said, path=join_path("$.settings", odd[0]))
    oracle, grouped = given["oracle"], given["grouped"]
    if not (oracle is None or isinstance(oracle, str)):
        raise IntegrityError.of(
            "wrong_value", f"must be text or null, not {describe(oracle)}", path="$.settings.oracle"
        )
    if type(grouped) is not bool:
        message = f"must be true or false, not {describe(grouped)}"
        raise IntegrityError.of("wrong_value", message, path="$.settings.grouped")
    try:
        settings = population_terms(plan["test"], method=plan["method"], **given)
    except RobustError as error:
        problem = error.problems[0]
        raise IntegrityError.of("wrong_value", problem.message, path=f"$.settings.{problem.path}") from None
    if settings.to_json() != given:
        raise IntegrityError.of("wrong_value", "a setting is not in the form in which it is stored", path="$.settings")
    return settings


def _evidence_of(
    settings: PopulationSettings, cells: RecordedCells, records: Iterator[Numbered]
) -> tuple[Evidence, dict[int, int]]:
    import numpy as np

    data = _data_of(next(records, None))
    numbers, last = data["outputs"] == "numbers", -1
    lines: dict[int, int] = {}
    names: list[str | int] = []
    before: list[Any] = []
    after: list[Any] = []
    refused = {"invalid": 0, "unknown": 0}
    for line, record in records:
        place = _place(record, line, settings, data["rows"], last)
        due = cells.problem(record["cells"])
        _require(due is None, record["cells"], str(due), line, "$.cells")
        last = place
        if record["kind"] == "skip":
            refused[record["reason"]] += 1
            continue
        lines[place] = line
        names.append(record["group"])
        before.append(_output(record["before"], line, "$.before", numbers=numbers))
        after.append(_output(record["after"], line, "$.after", numbers=numbers))
    looked_at = len(lines) + sum(refused.values())
    if looked_at > data["in_slice"]:
        message = f"{data['in_slice']} is stored, {looked_at} rows follow"
        raise IntegrityError.of("contradiction", message, line=1, path="$.in_slice")
    if bool(lines) != (data["outputs"] is not None) or (data["error"] is not None and looked_at):
        message = f"{data['outputs']!r} is stored, and {looked_at} rows follow"
        raise IntegrityError.of("contradiction", message, line=1, path="$.outputs")
    error = None if data["error"] is None else (data["error"]["where"], data["error"]["what"])
    arrays = _array(before, numbers=numbers), _array(after, numbers=numbers)
    if lines:
        _check_outputs(settings, data["outputs"], arrays)
    return (
        Evidence(
            rows=data["rows"],
            in_slice=data["in_slice"],
            outputs=data["outputs"],
            places=np.fromiter(lines, np.int64, len(lines)),
            groups=group_numbers(names) if settings.grouped else None,
            before=arrays[0],
            after=arrays[1],
            error=error,
            **refused,
        ),
        lines,
    )


def _check_outputs(settings: PopulationSettings, kind: OutputKind, outputs: tuple[NDArray[Any], NDArray[Any]]) -> None:
    """Refuse outputs with which no such test is made: labels of which a mean would be taken, and the like."""
    probable = kind == "numbers" and all(may_be_probabilities(each) for each in outputs)
    refused = outputs_problem(wanted_outputs(settings), settings.label, kind, probabilities=probable)
    if refused is not None:
        raise IntegrityError.of("contradiction", refused.problems[0].message, line=1, path="$.outputs")


def _array(values: list[Any], *, numbers: bool) -> NDArray[Any]:
    import numpy as np

    if numbers:
        return np.array(values, dtype=np.float64)
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array


def _data_of(first: Numbered | None) -> JsonObject:
    if first is None:
        raise IntegrityError.of("missing_record", "there is no record of the data", line=1, path="$")
    line, record = first
    _check_fields(record, _DATA, line)
    rows, in_slice, error = record["rows"], record["in_slice"], record["error"]
    _require(record["kind"] == "data", record["kind"], "data", line, "$.kind")
    _require(record["id"] == DATA_ID, record["id"], DATA_ID, line, "$.id")
    _require(type(rows) is int and 0 <= rows <= _MAX_ROWS, rows, "a number of rows", line, "$.rows")
    fits = type(in_slice) is int and 0 <= in_slice <= rows
    _require(fits, in_slice, f"a number from 0 to {rows}", line, "$.in_slice")
    outputs = record["outputs"]
    _require(outputs in (None, "numbers", "labels"), outputs, "numbers, labels or null", line, "$.outputs")
    if error is not None:
        told = (
            isinstance(error, dict)
            and set(error) == {"where", "what"}
            and all(isinstance(each, str) for each in error.values())
        )
        _require(told, error, "where and what", line, "$.error")
        _require(error["where"] in _WHERE, error["where"], "one of " + ", ".join(_WHERE), line, "$.error.where")
    return record


def _place(record: JsonObject, line: int, settings: PopulationSettings, rows: int, last: int) -> int:
    """The number of a record's row, after all of it but its cells and outputs was checked."""
    kind = record.get("kind")
    _require(kind in ("row", "skip"), kind, "row or skip", line, "$.kind")
    judged = settings.oracle is not None
    _check_fields(record, _SKIP if kind == "skip" else (*_ROW, "validation") if judged else _ROW, line)
    place, group = record["row"], record["group"]
    in_order = type(place) is int and last < place < rows
    _require(in_order, place, f"a number from {last + 1} to {rows - 1}", line, "$.row")
    _require(record["id"] == row_id(place), record["id"], row_id(place), line, "$.id")
    if settings.grouped:
        named = isinstance(group, str) or (type(group) is int and abs(group) <= MAX_SAFE_INTEGER)
        _require(named, group, "the name of a group", line, "$.group")
    else:
        _require(group is None, group, "null, since there are no groups", line, "$.group")
    if judged or kind == "skip":
        _require(judged, kind, "row, since there is no oracle", line, "$.kind")
        validation = record["validation"]
        status = validation.get("status") if isinstance(validation, dict) else None
        due = ("invalid", "unknown") if kind == "skip" else ("valid",)
        _require(status in due, status, " or ".join(due), line, "$.validation.status")
        if kind == "skip":
            _require(record["reason"] == status, record["reason"], str(status), line, "$.reason")
            issues = validation.get("issues") if isinstance(validation, dict) else None
            failed = isinstance(issues, list) and any(each in ORACLE_FAILED for each in issues if isinstance(each, str))
            _require(not failed, issues, "an answer of the oracle", line, "$.validation.issues")
    return int(place)


def _output(value: Any, line: int, path: str, *, numbers: bool) -> Any:
    if not numbers:
        label = value is None or isinstance(value, str | bool | int | float)
        _require(label, value, "a label or null", line, path)
        return value
    if isinstance(value, str) and value in NOT_FINITE:
        return NOT_FINITE[value]
    number = isinstance(value, int | float) and not isinstance(value, bool)
    _require(number, value, "a number, NaN, Infinity or -Infinity", line, path)
    return float(value)


def _check_fields(record: JsonObject, known: tuple[str, ...], line: int) -> None:
    odd = sorted({*record} ^ {*known})
    if odd:
        said = "the field is missing" if odd[0] not in record else "no such field"
        raise IntegrityError.of("wrong_value", said, line=line, path=join_path("$", odd[0]))


def _require(holds: bool, stored: Any, due: str, line: int, path: str) -> None:
    if not holds:
        shown = repr(stored) if isinstance(stored, str | int | float) else describe(stored)
        raise IntegrityError.of("contradiction", f"{shown[:200]} is stored, and it must be {due}", line=line, path=path)
