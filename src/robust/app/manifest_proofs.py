"""Inclusion proofs in files, and checking them with no more than the manifest's header or digest."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Final

from robust.app.checks import Attempt, Check, Verification
from robust.canon import digest_bytes, is_digest, read_json
from robust.errors import IntegrityError, RobustError, UsageError
from robust.manifest.read import read_header, read_record
from robust.manifest.rules import Rules
from robust.records.inclusion import InclusionProof, read_proof
from robust.records.manifest import CaseEntry
from robust.store.files import MAX_LINE_BYTES, atomic_output, open_input, read_file

MAX_PROOF_BYTES: Final = 2 * MAX_LINE_BYTES


def save_proof(proof: InclusionProof, path: str | os.PathLike[str], *, overwrite: bool = False) -> None:
    """Write a proof as JSON, atomically.

    Raises:
        UsageError: the file exists and ``overwrite`` is false, or it cannot be written.
    """
    text = json.dumps(proof.to_json(), indent=2, ensure_ascii=False, sort_keys=True)
    with atomic_output(path, overwrite=overwrite) as write:
        write(text.encode() + b"\n")


def load_proof(path: str | os.PathLike[str]) -> InclusionProof:
    """Read a proof; whether it holds is for :func:`check_proof` to say.

    Raises:
        UsageError: the file cannot be read.
        IntegrityError: it is no proof.
    """
    file = os.fspath(path)
    try:
        return read_proof(read_json(read_file(path, MAX_PROOF_BYTES), file=file), file=file)
    except (UsageError, IntegrityError):
        raise
    except RobustError as error:
        raise IntegrityError(*error.problems) from None


def header_digest(path: str | os.PathLike[str]) -> str:
    """The digest of a manifest from its first line; the other lines may be missing.

    Raises:
        UsageError: the file cannot be read.
        IntegrityError: its first line is no header.
    """
    with open_input(path) as handle:
        line = handle.readline(MAX_LINE_BYTES).removesuffix(b"\n")
    read_header(line, os.fspath(path))
    return digest_bytes(line)


def check_proof(path: str | os.PathLike[str], *, manifest: str | os.PathLike[str] | None = None) -> Verification:
    """Check that a line is in a manifest.

    Args:
        path: the proof.
        manifest: which manifest it must be: its digest (``sha256:…``), or a file that holds the manifest or only its
            header line. Without it the proof is of the manifest that it names, whatever that is.

    Raises:
        UsageError: a file cannot be read.
        IntegrityError: the file that was given as the manifest begins with no header.
    """
    wanted: str | None = None
    if manifest is not None:
        wanted = str(manifest) if is_digest(manifest) else header_digest(manifest)
    checks = tuple(proof_checks(Path(path), () if wanted is None else (wanted,)))
    return Verification(path=os.fspath(path), kind="inclusion proof", checks=checks)


def proof_checks(path: Path, manifests: tuple[str, ...]) -> Iterator[Check]:
    """The checks of a proof.

    Args:
        path: the proof.
        manifests: digests of which the proven manifest must be one; empty when none is known.
    """
    attempt, proof = Attempt(), _Proof(path)
    for name, work in (("form", proof.form), ("line", proof.line), ("inclusion", proof.inclusion)):
        if not attempt.failed:
            yield attempt.step(name, work)
    if attempt.failed:
        return
    if manifests:
        yield attempt.step("manifest", lambda: proof.identity(manifests))
    else:
        told = f"manifest digest {proof.read.manifest}: compare it with the one that you know"
        yield Check(name="manifest", holds=True, done=False, detail=told)


class _Proof:
    """A proof while it is checked; each step gives what it found, or raises."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file = os.fspath(path)
        self.read: InclusionProof

    def form(self) -> str:
        self.read = load_proof(self._path)
        return f"line {self.read.index + 1} of {self.read.size}"

    def line(self) -> str:
        return _describe_line(self.read, self._file)

    def inclusion(self) -> str:
        problems = self.read.problems()
        if problems:
            raise IntegrityError(*problems).located(file=self._file)
        return f"root {self.read.root}, reached by {len(self.read.path)} hashes"

    def identity(self, manifests: tuple[str, ...]) -> str:
        if self.read.manifest not in manifests:
            message = f"the proof is of the manifest {self.read.manifest}, not of {' or '.join(manifests)}"
            raise IntegrityError.of("other_manifest", message, file=self._file, path="$.manifest")
        return f"manifest digest {self.read.manifest}"


def _describe_line(proof: InclusionProof, file: str) -> str:
    """What the line is; it must be one that a manifest can hold, as far as it shows by itself."""
    try:
        header = proof.stated_header()
    except IntegrityError as error:
        raise error.located(file=file) from None
    try:
        record = read_record(proof.line, header.splits, file=file)
    except IntegrityError as error:
        problems = (replace(item, path="$.line" + (item.path or "$")[1:]) for item in error.problems)
        raise IntegrityError(*problems) from None
    if isinstance(record, CaseEntry):
        rules = Rules(split_names=header.splits, rule=header.split_rule, validated=False)
        rules.add_case(record)
        if rules.noted:
            raise IntegrityError(*rules.noted).located(file=file)
        return f"case {record.case.case_id!r} in split {record.split!r}"
    if record.status != "valid" or record.strength != "answers":
        message = f"the validation is {record.status} of strength {record.strength!r}; no manifest keeps it"
        raise IntegrityError.of("not_valid", message, file=file, path="$.line.validation")
    return f"validation {record.digest}, {record.status}"
