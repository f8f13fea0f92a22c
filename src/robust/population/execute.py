"""Runs a population test: slice, change, judge, ask the model before and after."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from robust.canon import JsonObject
from robust.population.changed_rows import ChangedRows, changed_rows
from robust.population.evidence import Evidence
from robust.population.recording import data_record, row_record, skip_record
from robust.population.row_choices import SeamFailure, row_groups, row_ids, sliced_places
from robust.population.row_oracle import judge_rows
from robust.population.rows import Table
from robust.population.table_models import ModelFailure, Outputs, TableModel
from robust.population.tables import table_of
from robust.population.terms import wanted_outputs
from robust.records.failure import describe_exception
from robust.records.population import PopulationSettings, Task

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True, kw_only=True, slots=True)
class Request:
    """Everything that a population test is given but its settings."""

    model: Any
    data: Any
    transformation: Any
    described: JsonObject
    slicing: Any
    classes: Any
    task: Task | None
    groups: Any
    ids: Any
    oracle: Any


@dataclass(frozen=True, slots=True)
class PopulationRun:
    """What a population test saw, with the rows, of which records are made when they are asked for.

    Attributes:
        evidence: all that the result follows from.
        changed: all changed rows, also those that the oracle refused; None where there are none.
        valid: which of them count.
        names: the group of each of them; None without groups.
        validations: what the oracle said of each; None without an oracle.
        calls: how often the model was called.
    """

    evidence: Evidence
    changed: ChangedRows | None = None
    valid: NDArray[np.bool_] | None = None
    names: list[str | int] | None = None
    validations: list[JsonObject] | None = None
    calls: int = 0

    def records(self) -> Iterator[JsonObject]:
        """The records, in the order of the rows."""
        evidence, changed = self.evidence, self.changed
        yield data_record(evidence)
        if evidence.error is not None or changed is None or self.valid is None:
            return
        cells, counted = changed.cells(), 0
        valid: list[bool] = self.valid.tolist()
        for index, place in enumerate(changed.places.tolist()):
            validation = None if self.validations is None else self.validations[index]
            group = None if self.names is None else self.names[index]
            if valid[index]:
                outputs = evidence.before[counted], evidence.after[counted]
                yield row_record(place, group, cells(index), evidence.outputs, outputs, validation)
                counted += 1
            elif validation is not None:
                yield skip_record(place, group, cells(index), validation)


def run_population(settings: PopulationSettings, request: Request) -> PopulationRun:
    """Do what a population test needs.

    Args:
        settings: what is asked.
        request: of whom, over what.

    Raises:
        RobustError: something is not what it must be; a model, slicing or transformation that raises is a result.
    """
    table = table_of(request.data)
    names = row_groups(table, request.groups)
    ids = row_ids(table, request.ids)
    model = TableModel(
        request.model,
        wanted=wanted_outputs(settings),
        label=settings.label,
        classes=request.classes,
        task=request.task,
    )
    in_slice = 0
    try:
        places = sliced_places(table, request.slicing)
        in_slice = table.size if places is None else len(places)
        if not in_slice:
            return PopulationRun(_evidence(table, in_slice))
        changed = changed_rows(table, places, request.transformation, ids=ids, seed=settings.seed)
        return _tested(settings, request, model, table, in_slice, changed, names)
    except SeamFailure as failure:
        return PopulationRun(_evidence(table, in_slice, (failure.where, failure.what)))
    except ModelFailure as failure:
        return PopulationRun(
            _evidence(table, in_slice, ("model", describe_exception(failure.error))), calls=model.calls
        )


def _tested(
    settings: PopulationSettings,
    request: Request,
    model: TableModel,
    table: Table,
    in_slice: int,
    changed: ChangedRows,
    names: list[str | int] | None,
) -> PopulationRun:
    import numpy as np

    validations = None
    valid = np.ones(len(changed.places), dtype=bool)
    if request.oracle is not None:
        validations, failed = judge_rows(
            changed,
            request.oracle,
            settings.test,
            transformation=request.described,
            seed=settings.seed,
            groups=names,
        )
        if failed is not None:
            return PopulationRun(_evidence(table, in_slice, ("oracle", failed), grouped=settings.grouped))
        valid = np.array([each["status"] == "valid" for each in validations], dtype=bool)
    statuses = [] if validations is None else [each["status"] for each in validations]
    refused = statuses.count("invalid"), statuses.count("unknown")
    counted = changed.only(valid)
    own = None if names is None else [names[place] for place in changed.places.tolist()]
    if not len(counted.places):
        empty = _evidence(table, in_slice, grouped=settings.grouped, invalid=refused[0], unknown=refused[1])
        return PopulationRun(empty, changed, valid, own, validations)
    before, after = _asked(settings, model, counted)
    evidence = Evidence(
        rows=table.size,
        in_slice=in_slice,
        outputs=before.kind,
        places=counted.places,
        groups=None if names is None else group_numbers([names[place] for place in counted.places.tolist()]),
        before=before.values,
        after=after.values,
        invalid=refused[0],
        unknown=refused[1],
    )
    return PopulationRun(evidence, changed, valid, own, validations, model.calls)


def _asked(settings: PopulationSettings, model: TableModel, rows: ChangedRows) -> tuple[Outputs, Outputs]:
    """The outputs before and after; a model that gives labels once and numbers the other time is refused."""
    before, after = model.outputs(rows.before), model.outputs(rows.after)
    if before.kind != after.kind:
        before, after = model.alike(before, after)
    if settings.method == "mcnemar":
        model.check_label(before.values, after.values)
    return before, after


def group_numbers(names: list[str | int]) -> NDArray[np.int64]:
    """The group of each row by number, from 0 in the order in which groups occur."""
    import numpy as np

    numbers: dict[tuple[type, str | int], int] = {}
    return np.array([numbers.setdefault((type(name), name), len(numbers)) for name in names], dtype=np.int64)


def _evidence(
    table: Table,
    in_slice: int,
    error: tuple[str, str] | None = None,
    *,
    grouped: bool = False,
    invalid: int = 0,
    unknown: int = 0,
) -> Evidence:
    """Of a test in which the model was not asked."""
    import numpy as np

    nothing = np.empty(0, dtype=np.int64)
    return Evidence(
        rows=table.size,
        in_slice=in_slice,
        outputs=None,
        places=nothing,
        groups=nothing if grouped else None,
        before=np.empty(0),
        after=np.empty(0),
        invalid=invalid,
        unknown=unknown,
        error=error,
    )
