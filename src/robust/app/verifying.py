"""The public function that checks stored evidence: everything that can be derived is derived again."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from robust.app.checks import Check, Kind, Verification
from robust.app.evidence_kinds import kind_of
from robust.app.manifest_proofs import header_digest, proof_checks
from robust.app.manifests import Manifest
from robust.app.oracle_audit import OracleAudit
from robust.app.verify_audit import check_audit, check_audit_records, records_root
from robust.app.verify_files import check_manifest, check_validations
from robust.app.verify_hardness import check_hardness
from robust.app.verify_run import StoredRun, check_run
from robust.errors import RobustError
from robust.manifest.frozen import FrozenManifest
from robust.store.runs import is_run_directory

__all__ = ["Check", "Verification", "kind_of", "verify", "verify_all"]


def verify(path: str | os.PathLike[str], *, manifest: str | os.PathLike[str] | None = None) -> Verification:
    """Check a manifest, a file of validation records, an audit, its records, a hardness file, or a run directory.

    Args:
        path: what to check.
        manifest: for a run, the manifest that was run: shows that no case was left out or changed.

    Raises:
        UsageError: a path is missing, may not be read, or is of no known kind.
        IntegrityError: the manifest that was given is damaged.
    """
    place = Path(path)
    kind = kind_of(place)
    frozen = None if manifest is None else Manifest.load(manifest)
    return Verification(path=os.fspath(path), kind=kind, checks=tuple(_checks(place, kind, frozen)))


def verify_all(paths: Iterable[str | os.PathLike[str]]) -> Iterator[Verification | RobustError]:
    """Check several paths; a run is compared with its manifest, an audit with its records, where these are among them.

    A path that cannot be checked gives its error, and the others are checked all the same.
    """
    places = [Path(path) for path in paths]
    manifests: dict[str, FrozenManifest] = {}
    headers: list[str] = []
    has_run = any(map(is_run_directory, places))
    records: dict[str, Path] = {}
    for place in places:
        try:
            kind = kind_of(place)
            if kind == "manifest":
                headers.append(header_digest(place))
                # Only a run needs it whole: it is checked below, as a stream.
                if has_run:
                    frozen = Manifest.load(place)
                    manifests[frozen.digest] = frozen
            elif kind == "audit records":
                records[records_root(place)] = place
        except RobustError:
            continue  # reported below, where its turn comes
    for place in places:
        try:
            kind = kind_of(place)
            named = StoredRun.named_manifest(place) if kind == "run" else None
            # A run that names none of the manifests given is compared with the first, and found to be another's.
            ran = None if named is None else manifests.get(named, next(iter(manifests.values()), None))
            counted = _records_of(place, records) if kind == "audit" else None
            if kind == "inclusion proof":
                checks = tuple(proof_checks(place, tuple(headers)))
            else:
                checks = tuple(_checks(place, kind, ran, counted))
            yield Verification(path=os.fspath(place), kind=kind, checks=checks)
        except RobustError as error:
            yield error


def _records_of(place: Path, records: dict[str, Path]) -> Path | None:
    """The records of an audit among those that were given; the first, to be found another's, where none are its."""
    try:
        root = OracleAudit.load(place).facts.records["root"]
    except RobustError:  # reported where it is checked
        root = None
    return records.get(root, next(iter(records.values()), None))


def _checks(place: Path, kind: Kind, manifest: FrozenManifest | None, records: Path | None = None) -> Iterator[Check]:
    if kind == "run":
        return check_run(place, manifest)
    if kind == "audit":
        return check_audit(place, records)
    if kind == "audit records":
        return check_audit_records(place)
    if kind == "hardness":
        return check_hardness(place)
    if kind == "inclusion proof":
        return proof_checks(place, () if manifest is None else (manifest.digest,))
    return check_manifest(place) if kind == "manifest" else check_validations(place)
