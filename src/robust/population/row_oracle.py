"""An oracle that judges each changed row as a candidate: only what it calls valid counts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from robust.canon import JsonObject, JsonValue
from robust.errors import CaseError
from robust.oracle.batch import Batch
from robust.oracle.identity import oracle_identity, resolve
from robust.oracle.question import read_terms
from robust.oracle.validate import identify, make_observer
from robust.population.changed_rows import ChangedRows
from robust.population.rows import row_of
from robust.records.case import Case, Origin, Relation, id_problem
from robust.records.population import TestName
from robust.records.status import oracle_failure
from robust.records.validation import ValidationRecord

CONTRACT: Final = "population-row/v1"
RELATIONS: Final[dict[TestName, Relation]] = {
    "invariance": "invariant",
    "increasing": "increasing",
    "decreasing": "decreasing",
}


def oracle_name(oracle: Any) -> str:
    """What an oracle calls itself.

    Raises:
        CaseError: it cannot be called or imported, or does not say who it is.
    """
    target = resolve(oracle) if isinstance(oracle, str) else oracle
    if not callable(target) and not hasattr(target, "observer"):
        raise CaseError.of("not_callable", "an oracle is called with base and candidate", path="oracle")
    return str(oracle_identity(target)["name"])


def judge_rows(
    rows: ChangedRows,
    oracle: Any,
    test: TestName,
    *,
    transformation: JsonObject,
    seed: int,
    groups: Sequence[str | int] | None,
) -> tuple[list[JsonObject], str | None]:
    """Have an oracle judge every changed row, up to the first one of which it gives no answer.

    Args:
        rows: what was changed.
        oracle: a callable of two cases, ``module:name`` of one, or a program, service or combination.
        test: the claim, which says the relation.
        transformation: as it stands in the plan.
        seed: of the transformation.
        groups: the group of each row of the data, which becomes the source group of its cases.

    Returns:
        of each row ``status``, ``issues``, ``verdict`` and ``failures`` of its validation, and what the oracle failed
        with, if it raised, was too late, or gave no answer.

    Raises:
        CaseError: a row cannot be a case.
    """
    terms = read_terms(contract=CONTRACT, require_answers=False)
    observer = make_observer(oracle, terms, isolate=False)
    batch = Batch(observer, terms, identify(oracle, terms), ValidationRecord, relation=RELATIONS[test], journal=None)
    validations: list[JsonObject] = []
    for record in batch.run(_pairs(rows, RELATIONS[test], transformation, seed, groups), 1):
        data = record.data
        failed = oracle_failure(record.issues, data["failures"])
        if failed is not None:
            return validations, f"row {rows.places[len(validations)]}: {failed}"
        validations.append({name: data[name] for name in ("status", "issues", "verdict", "failures")})
    return validations, None


def _pairs(
    rows: ChangedRows,
    relation: Relation,
    transformation: JsonObject,
    seed: int,
    groups: Sequence[str | int] | None,
) -> Iterator[tuple[Case, Case]]:
    columns = [(rows.before.column(name), rows.after.column(name)) for name in rows.before.columns]
    for index, place in enumerate(rows.places.tolist()):
        case_id = f"row-{place}"
        source = case_id if groups is None else str(groups[place])
        if id_problem(source, "groups") is not None:
            source = case_id
        base = Case(
            _input(row_of(rows.before, [cells[index] for cells, _ in columns])), case_id=case_id, source_id=source
        )
        origin = Origin(
            parent_id=case_id,
            parent_content=base.content_digest,
            transform=transformation["name"],
            params=transformation["settings"],
            seed=seed,
            relation=relation,
        )
        after = _input(row_of(rows.after, [cells[index] for _, cells in columns]))
        yield base, Case(after, case_id=f"{case_id}~changed", source_id=source, origin=origin)


def _input(row: JsonValue) -> str | JsonObject:
    """A case is text or an object; a row that is one number is an object with it."""
    return row if isinstance(row, str | dict) else {"value": row}
