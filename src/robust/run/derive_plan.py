"""Reading a run beside the manifest that was run: what should stand in each place, and what does."""

from __future__ import annotations

from robust.canon import JsonObject
from robust.errors import Problem
from robust.records.report import differences
from robust.run.contradiction import contradiction
from robust.run.plan import Planned
from robust.run.record import planned_fields


def differences_from_plan(
    record: JsonObject | None, planned: Planned | None, file: str, line: int | None
) -> list[Problem]:
    """How a record differs from what the manifest has at its place; one of them may be missing."""
    if planned is None or record is None:
        left, name = (
            ("the manifest has no such case", (record or {}).get("id"))
            if planned is None
            else ("the run has no record of it", planned.id)
        )
        return [Problem(code="not_in_plan", message=f"record {name!r}: {left}", file=file, line=line)]
    due = planned_fields(planned)
    stored = {name: record.get(name) for name in due}
    return [
        contradiction(file, line, path, found, derived, record=record["id"])
        for path, found, derived in differences(stored, due)
    ]
