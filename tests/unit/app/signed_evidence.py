"""Signed evidence for tests about verifying: a run and its manifest, keys, and envelopes around any statement."""

from __future__ import annotations

import copy
import json
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from robust import Check, Verification, sign
from robust.app.verifying import verify_all
from robust.canon import JsonObject, canonical_bytes
from robust.errors import RobustError
from robust.signing.envelope import read_envelope, sign_payload
from robust.signing.keys import SigningKey, generate_key
from tests.run_fixtures import manifest_of, run, sure, told

ANN, BOB, EVE = generate_key(), generate_key(), generate_key()
VARIANTS: Final = {"total 2000": [("total  2000", "invariant")], "total 30": []}
RUN: Final = "run"
MANIFEST: Final = "m.manifest.jsonl"
ATTESTATION: Final = "run/attestation.dsse.json"
BESIDE: Final = "m.manifest.jsonl.dsse.json"


class Evidence(NamedTuple):
    """A folder with a manifest and a run of it, both signed by two people."""

    folder: Path

    @property
    def run(self) -> Path:
        return self.folder / RUN

    @property
    def manifest(self) -> Path:
        return self.folder / MANIFEST

    @property
    def attestation(self) -> Path:
        return self.folder / ATTESTATION

    @property
    def beside(self) -> Path:
        return self.folder / BESIDE

    def copied(self, folder: Path) -> Evidence:
        """The same in another folder, to be edited."""
        shutil.copytree(self.folder, folder, dirs_exist_ok=True)
        return Evidence(folder)


def write_run(folder: Path, name: str = RUN, *, answer: str = "no") -> Path:
    """A run that fails, since a variant gets another answer."""
    sections: dict[str, Any] = {"properties": {"variants": {}}, "requirements": {"min_accuracy": 0.5}}
    frozen = manifest_of(VARIANTS)
    return run(folder, told({"total  2000": sure(answer)}), name=name, manifest=frozen, **sections).path


def write_evidence(folder: Path) -> Evidence:
    """Make and sign the evidence."""
    manifest_of(VARIANTS).save(folder / MANIFEST)
    write_run(folder)
    for key in (ANN, BOB):
        sign(folder / RUN, key)
        sign(folder / MANIFEST, key)
    return Evidence(folder)


def statement_in(file: Path) -> JsonObject:
    """The statement of an attestation, as plain data."""
    data: JsonObject = json.loads(read_envelope(file.read_bytes()).payload)
    return data


def restate(file: Path, change: Callable[[Any], object], keys: Sequence[SigningKey] = (ANN, BOB)) -> None:
    """Change a statement, and have others sign what became of it."""
    statement = copy.deepcopy(statement_in(file))
    change(statement)
    write_envelope(file, canonical_bytes(statement), keys)


def write_envelope(file: Path, payload: bytes, keys: Sequence[SigningKey]) -> None:
    """An envelope around anything, signed."""
    envelope = None
    for key in keys:
        envelope = sign_payload(payload, key, earlier=envelope)
    assert envelope is not None
    file.write_bytes(canonical_bytes(envelope.to_json()) + b"\n")


def named(verification: Verification, name: str) -> Check:
    """The first check of a name."""
    return next(check for check in verification.checks if check.name == name)


def codes(verification: Verification) -> list[str]:
    """The code of every problem."""
    return [problem.code for check in verification.checks for problem in check.problems]


def paths(verification: Verification) -> list[str | None]:
    """The path of every problem."""
    return [problem.path for check in verification.checks for problem in check.problems]


def verified(*places: Path, **terms: Any) -> list[Verification]:
    """What is found of several paths, none of which may be an error."""
    found = []
    for result in verify_all(places, **terms):
        assert not isinstance(result, RobustError), result
        found.append(result)
    return found
