"""Checking the proof of a line: form, what the line is, that it leads to the root, and whose root that is."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Literal, NamedTuple, TypeAlias

from robust.app.checks import Attempt, Check
from robust.app.examined import KnownTree
from robust.app.hashed_lines import HashedDocument
from robust.app.known_trees import Proven, place_check
from robust.app.proof_files import parse_proof
from robust.canon import JsonObject
from robust.errors import IntegrityError
from robust.manifest.read import read_record
from robust.manifest.rules import Rules
from robust.records.inclusion import InclusionProof
from robust.records.manifest import CaseEntry
from robust.records.record_inclusion import RecordProof

ProofKind: TypeAlias = Literal["inclusion proof", "record proof"]


class CheckedProof(NamedTuple):
    """What was found of a proof.

    Attributes:
        checks: what was checked.
        tree: the known tree that it is of; None where there is none, or something does not hold.
    """

    checks: tuple[Check, ...]
    tree: KnownTree | None = None


def check_proof_document(
    path: Path, document: HashedDocument, kind: ProofKind, trees: Iterable[KnownTree]
) -> CheckedProof:
    """Check a proof.

    Args:
        path: the proof, for messages.
        document: what is in it.
        kind: which of the two it must be.
        trees: the trees that are known; where some of its kind are among them, the proof must be of one.
    """
    attempt, proof = Attempt(), _Proof(os.fspath(path), document, kind)
    checks = []
    for name, work in (("form", proof.form), ("line", proof.line), ("inclusion", proof.inclusion)):
        if not attempt.failed:
            checks.append(attempt.step(name, work))
    if attempt.failed:
        return CheckedProof(tuple(checks))
    check, tree = place_check(attempt, proof.proven(), trees, os.fspath(path))
    return CheckedProof((*checks, check), tree)


class _Proof:
    """A proof while it is checked; each step gives what it found, or raises."""

    def __init__(self, file: str, document: HashedDocument, kind: ProofKind) -> None:
        self._file = file
        self._document = document
        self._kind = kind
        self._read: InclusionProof | RecordProof

    def form(self) -> str:
        self._read = parse_proof(self._document.content(), self._file, self._kind)
        place = f"{self._read.index + 1} of {self._read.size}"
        # Of a manifest the header says so, too.
        return f"record {place}, as the proof says" if isinstance(self._read, RecordProof) else f"line {place}"

    def line(self) -> str:
        try:
            if isinstance(self._read, RecordProof):
                record = self._read.check_line()
                return f"{record['kind']} {record['id']!r}{_said(record)}"
            return _describe_line(self._read)
        except IntegrityError as error:
            raise error.located(file=self._file) from None

    def inclusion(self) -> str:
        problems = self._read.problems()
        if problems:
            raise IntegrityError(*problems).located(file=self._file)
        return f"root {self._read.root}, reached by {len(self._read.path)} hashes"

    def proven(self) -> Proven:
        """What it says of its tree."""
        if isinstance(self._read, RecordProof):
            return Proven("run", self._read.evidence_digest, self._read.root, self._read.size)
        return Proven("manifest", self._read.manifest, self._read.root, self._read.size)


def _said(record: JsonObject) -> str:
    """What a record says that was answered, in a few words."""
    if "result" in record:
        return f": {record['result']['selected']!r}"
    if "error" in record:
        return f": {record['error']['kind']}"
    return f": skipped, {record['reason']}" if record["kind"] == "skip" else ": not sent, the oracle refused it"


def _describe_line(proof: InclusionProof) -> str:
    """What a manifest's line is; it must be one that a manifest can hold, as far as it shows by itself."""
    header = proof.stated_header()
    try:
        record = read_record(proof.line, header.splits)
    except IntegrityError as error:
        problems = (replace(item, path="$.line" + (item.path or "$")[1:]) for item in error.problems)
        raise IntegrityError(*problems) from None
    if isinstance(record, CaseEntry):
        rules = Rules(split_names=header.splits, rule=header.split_rule, validated=False)
        rules.add_case(record)
        if rules.noted:
            raise IntegrityError(*rules.noted)
        return f"case {record.case.case_id!r} in split {record.split!r}"
    if record.status != "valid" or record.strength != "answers":
        message = f"the validation is {record.status} of strength {record.strength!r}; no manifest keeps it"
        raise IntegrityError.of("not_valid", message, path="$.line.validation")
    return f"validation {record.digest}, {record.status}"
