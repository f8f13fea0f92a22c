"""Files of proofs of a manifest's line or of a run's record: indented JSON, so that people can read them."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Final

from robust.canon import read_json
from robust.errors import DataError, IntegrityError, UsageError
from robust.records.inclusion import SCHEMA as CASE_SCHEMA
from robust.records.inclusion import InclusionProof, read_proof
from robust.records.record_inclusion import SCHEMA as RECORD_SCHEMA
from robust.records.record_inclusion import RecordProof, read_record_proof
from robust.store.attestations import evidence_output
from robust.store.files import MAX_LINE_BYTES, read_file

MAX_PROOF_BYTES: Final = 2 * MAX_LINE_BYTES


def save_proof(
    proof: InclusionProof | RecordProof,
    path: str | os.PathLike[str],
    *,
    overwrite: bool = False,
    outside: str | os.PathLike[str] | None = None,
) -> None:
    """Write a proof as JSON, atomically.

    Args:
        proof: of a manifest's line, or of a run's record.
        path: where to.
        overwrite: whether a file that is there is replaced.
        outside: a folder into which nothing is written, such as that of the run.

    Raises:
        UsageError: the file exists and ``overwrite`` is false, lies in that folder, or cannot be written.
    """
    if outside is not None and _within(Path(outside), Path(path)):
        message = "the folder of a run holds its own files only"
        raise UsageError.of("bad_output", message, file=os.fspath(path), hint="write it elsewhere")
    text = json.dumps(proof.to_json(), indent=2, ensure_ascii=False, sort_keys=True)
    with evidence_output(path, overwrite=overwrite) as write:
        write(text.encode() + b"\n")


def _within(folder: Path, path: Path) -> bool:
    try:
        return folder.resolve() in path.resolve().parents
    except (OSError, ValueError, RuntimeError):
        return False  # what cannot be resolved cannot be written either


def load_proof(path: str | os.PathLike[str]) -> InclusionProof | RecordProof:
    """Read a proof of a manifest's line or of a run's record; whether it holds is for :func:`~robust.verify` to say.

    Raises:
        UsageError: the file cannot be read.
        IntegrityError: it is no proof, or too large for one.
    """
    try:
        content = read_file(path, MAX_PROOF_BYTES)
    except DataError as error:
        raise IntegrityError(*error.problems) from None
    return parse_proof(content, os.fspath(path))


def parse_proof(content: bytes, file: str, kind: str | None = None) -> InclusionProof | RecordProof:
    """The proof in the content of its file.

    Args:
        content: JSON.
        file: the name that errors give.
        kind: which of the two it must be, ``inclusion proof`` or ``record proof``; without it its schema says.

    Raises:
        IntegrityError: it is no JSON, or no such proof.
    """
    try:
        data = read_json(content, file=file)
    except DataError as error:
        raise IntegrityError(*error.problems) from None
    schema = data.get("schema") if isinstance(data, dict) else None
    if kind is None and schema not in (CASE_SCHEMA, RECORD_SCHEMA):
        message = f"neither a {CASE_SCHEMA} nor a {RECORD_SCHEMA}"
        raise IntegrityError.of("unknown_schema", message, file=file, path="$.schema")
    if kind == "record proof" or (kind is None and schema == RECORD_SCHEMA):
        return read_record_proof(data, file=file)
    return read_proof(data, file=file)
