"""What kind of evidence a path holds."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Final

from robust.app.checks import Kind
from robust.errors import UsageError
from robust.records.validation import SCHEMA as VALIDATION
from robust.store.attestations import SUFFIX as ATTESTATION_SUFFIX
from robust.store.files import MAX_LINE_BYTES, open_input, unreadable
from robust.store.runs import is_run_directory, runs_within

# How lines of our files begin: keys are sorted, so the first key tells the kind.
_HEADER_START: Final = b'{"counts":'
_CASE_START: Final = b'{"case":'
_VALIDATION_START: Final = b'{"base":'
_MANIFEST: Final = b'"kind":"manifest"'
# How proofs begin, and what stands in their first member: a proof that was cut short does not get to its own schema.
_PROOFS: Final[tuple[tuple[re.Pattern[bytes], bytes, Kind], ...]] = (
    (re.compile(rb'\s*\{\s*"header"\s*:'), b'"robust.manifest/1"', "inclusion proof"),
    (re.compile(rb'\s*\{\s*"evidence"\s*:'), b'"robust.evidence/1"', "record proof"),
)
# Of an envelope, whose members may stand in any order.
_ENVELOPE: Final = b'"payloadType"'
# What each production record must have, and so much of a file in which the first of them is looked for.
_PRODUCTION: Final = (b'"decision"', b'"probabilities"', b'"selected"')
_HEAD_BYTES: Final = 64 * 1024
# Entries of a batch's journal, which hold whole records.
_JOURNAL_STARTS: Final = (b'{"event":"', b'{"key":"')
# Those that other kinds could begin with say which schema they have, too.
_OTHERS: Final[tuple[tuple[bytes, bytes, Kind], ...]] = (
    (b'{"agreement":', b"robust.oracle-audit/1", "audit"),
    (b'{"domain":', b"robust.audit-pair/1", "audit records"),
    (b'{"header":', b"robust.inclusion-proof/1", "inclusion proof"),
    (b'{"evidence":', b"robust.record-proof/1", "record proof"),
    (b'{"band":', b"robust.hardness/1", "hardness"),
)


def reads_as_manifest(first: bytes) -> bool:
    """Whether a first line is one of a manifest, also of a damaged one."""
    return first.startswith((_HEADER_START, _CASE_START)) or _MANIFEST in first


def is_header(first: bytes) -> bool:
    """Whether a first line is a manifest's header as it was written, and no row that happens to look like one."""
    return first.startswith(_HEADER_START) and _MANIFEST in first


def is_validation(first: bytes) -> bool:
    """Whether a first line is a validation record as it was written."""
    return first.startswith(_VALIDATION_START) and b'"%s"' % VALIDATION.encode() in first


def kind_of(path: Path) -> Kind:
    """What a path holds, told by how its first line begins, and by its name where that is damaged.

    Raises:
        UsageError: it is missing, unreadable, or nothing that this package writes.
    """
    try:
        if path.is_dir():
            if is_run_directory(path):
                return "run"
            message, hint = "the folder is no run directory", runs_within(path)
            raise UsageError.of("unknown_kind", message, file=os.fspath(path), hint=hint)
        if path.exists() and not path.is_file():
            raise UsageError.of("unknown_kind", "neither a file nor a folder", file=os.fspath(path))
    except OSError as error:  # a folder on the way, or of a run, that may not be entered
        raise unreadable(path, error) from None
    kind = _kind_of_file(path)
    if kind is None:
        hint = "give a run, a manifest, an attestation, a proof, validation records, an audit, its records, or hardness"
        raise UsageError.of("unknown_kind", "nothing that can be verified", file=os.fspath(path), hint=hint)
    return kind


def _kind_of_file(path: Path) -> Kind | None:
    try:
        with open_input(path) as handle:
            first = handle.readline(MAX_LINE_BYTES)
    except OSError as error:
        raise unreadable(path, error) from None
    # Whatever is put into its place, no other file has that name.
    if path.name.endswith(ATTESTATION_SUFFIX):
        return "attestation"
    if (other := _other_kind(first)) is not None:
        return other
    if reads_as_manifest(first):
        return "manifest"
    if first.startswith(_JOURNAL_STARTS) and b'"sha256:' in first:
        hint = "give the batch's output; the journal itself is checked when the batch goes on"
        raise UsageError.of("unknown_kind", "the journal of a batch", file=os.fspath(path), hint=hint)
    if first.startswith(_VALIDATION_START) or b'"robust.validation/' in first:
        return "validations"
    # What bears the name of our files is damaged evidence and not something else.
    if path.name.endswith(".manifest.jsonl"):
        return "manifest"
    if not first and path.suffix == ".jsonl":
        return "validations"
    if b'"kind":"decision"' in first:
        hint = "give the run directory that it lies in"
        raise UsageError.of("unknown_kind", "the records of a run by themselves", file=os.fspath(path), hint=hint)
    return _edited_kind(first, path) or _production_kind(first, path)


def _production_kind(first: bytes, path: Path) -> Kind | None:
    """Whether a file holds records of an application, told by what each of them must have."""
    if path.suffix.lower() not in (".jsonl", ".json"):
        return None
    with open_input(path) as handle:
        head = first if len(first) > _HEAD_BYTES else handle.read(_HEAD_BYTES)
    # A proof holds a record of a run, which has the same; damaged, it is no file of an application.
    ours = any(b'"%s"' % schema in head for _, schema, _ in _OTHERS) or any(held in head for _, held, _ in _PROOFS)
    return "production records" if not ours and all(name in head for name in _PRODUCTION) else None


def _other_kind(first: bytes) -> Kind | None:
    """The kind of a file whose first line is as we write it, and says its schema."""
    for start, schema, kind in _OTHERS:
        if first.startswith(start) and b'"schema":"%s"' % schema in first:
            return kind
    return None


def _edited_kind(first: bytes, path: Path) -> Kind | None:
    """The kind of a file that names a schema of ours but is laid out anew, which is damaged evidence all the same."""
    head = first
    if first.strip() == b"{":
        with open_input(path) as handle:
            head = handle.read(MAX_LINE_BYTES)
    if _ENVELOPE in head:
        return "attestation"
    named = next((kind for _, schema, kind in _OTHERS if b'"%s"' % schema in head), None)
    return named or next((kind for start, held, kind in _PROOFS if start.match(head) and held in head), None)
