"""The records of a population test: one of the data, and one of each changed row."""

from __future__ import annotations

import math
from typing import Any

from robust.canon import JsonObject
from robust.errors import DataError
from robust.population.cell_changes import json_cell
from robust.population.evidence import Evidence
from robust.records.population import OutputKind, tidy_double

DATA_ID = "data"
# How outputs stand in records that are no JSON numbers.
NOT_FINITE = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}
_NAMES = {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}


def data_record(evidence: Evidence) -> JsonObject:
    """How many rows there were, what the model gives, and what was raised, if anything."""
    error = None if evidence.error is None else {"where": evidence.error[0], "what": evidence.error[1]}
    return {
        "kind": "data",
        "id": DATA_ID,
        "rows": evidence.rows,
        "in_slice": evidence.in_slice,
        "outputs": evidence.outputs,
        "error": error,
    }


def row_record(
    place: int,
    group: str | int | None,
    cells: JsonObject,
    kind: OutputKind | None,
    outputs: tuple[Any, Any],
    validation: JsonObject | None,
) -> JsonObject:
    """A changed row that counts, with what the model gave before and after."""
    shown = stored_number if kind == "numbers" else stored_label
    record: JsonObject = {
        "kind": "row",
        "id": row_id(place),
        "row": place,
        "group": group,
        "cells": cells,
        "before": shown(outputs[0]),
        "after": shown(outputs[1]),
    }
    return record if validation is None else {**record, "validation": validation}


def skip_record(place: int, group: str | int | None, cells: JsonObject, validation: JsonObject) -> JsonObject:
    """A changed row that the oracle did not call valid, and why."""
    return {
        "kind": "skip",
        "id": row_id(place),
        "row": place,
        "group": group,
        "cells": cells,
        "reason": validation["status"],
        "validation": validation,
    }


def row_id(place: int) -> str:
    """What the record of a row is called."""
    return f"row-{place}"


def stored_number(value: Any) -> float | int | str:
    """An output that is a number."""
    number = float(value)
    return tidy_double(number) if math.isfinite(number) else _NAMES[str(number)]


def stored_label(value: Any) -> Any:
    """An output that is a label; null for a missing one.

    Raises:
        DataError: it is a number that JSON cannot hold.
    """
    plain = value.item() if hasattr(value, "item") else value
    shown = json_cell(plain)
    if plain is not None and type(shown) is not type(plain) and not isinstance(plain, float):
        raise DataError.of("bad_output", f"the label {shown!r} cannot be recorded", hint="use text, or smaller numbers")
    return shown
