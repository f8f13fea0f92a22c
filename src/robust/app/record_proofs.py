"""Proofs of single records of a run, made of a run that holds."""

from __future__ import annotations

import os
from typing import Final

from robust.app.verify_run import StoredRun
from robust.canon import JsonObject, canonical_bytes, canonical_part, parse_canonical
from robust.errors import DataError, IntegrityError, UsageError
from robust.records.inclusion_path import InclusionPath
from robust.records.record_inclusion import SCHEMA, RecordProof, evidence_of, read_record_proof

_HINT: Final = "give an id as it stands in records.jsonl, such as decision/CASE_ID"


def prove_record(run: str | os.PathLike[str], record_id: str) -> RecordProof:
    """The proof that a record is in a run, which can be checked without the other records.

    Everything of the run that can be derived is derived again first. Memory does not grow with the records but for
    what that takes.

    Args:
        run: the run directory.
        record_id: the ``id`` of a line of ``records.jsonl``.

    Raises:
        UsageError: there is no run, or it has no such record.
        IntegrityError: it is unfinished, damaged, or contradicts itself.
    """
    stored = StoredRun.load(run)
    index = _index_of(stored, record_id)
    if index is None:
        message = f"the run has no record {record_id!r}"
        raise UsageError.of("unknown_record", message, file=os.fspath(run), path="id", hint=_HINT)
    summary = stored.report["records"]
    place = InclusionPath(index, summary["count"])
    proven: JsonObject = {}
    for at, record in enumerate(stored.records()):
        record.pop("observed", None)
        if at == index:
            proven = record
        place.add(canonical_part(record))
    if place.root() != summary["root"]:
        raise IntegrityError.of("contradiction", "the records changed while they were read", file=os.fspath(run))
    evidence = evidence_of(stored.report)
    return read_record_proof(
        {
            "schema": SCHEMA,
            "evidence": evidence,
            "evidence_digest": stored.report["evidence_digest"],
            "line": proven,
            "index": index,
            "size": place.size,
            "path": place.path(),
            "root": summary["root"],
        }
    )


def _index_of(run: StoredRun, record_id: str) -> int | None:
    """The place of a record among those of a run that was checked; None where it has none."""
    try:
        member = b'"id":%s' % canonical_bytes(record_id)
    except DataError:  # such as a lone surrogate, which no record holds
        return None
    # Another object within a line may hold the same member, so that the few lines with it are looked at closely.
    for at, (number, line) in enumerate(run.lines()):
        if member in line and parse_canonical(line, file=run.records_file, line=number)["id"] == record_id:
            return at
    return None
