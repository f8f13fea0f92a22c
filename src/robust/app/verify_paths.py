"""Several paths that are checked together: each by itself, and against the others where one speaks of another."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Final

from robust.app.attested import check_attested
from robust.app.checks import Check, Kind, Verification
from robust.app.envelopes import OpenEnvelope, open_envelope
from robust.app.evidence_kinds import kind_of
from robust.app.examined import Examined, KnownTree
from robust.app.hashed_lines import HashedDocument
from robust.app.manifest_proofs import header_digest
from robust.app.manifests import Manifest
from robust.app.oracle_audit import OracleAudit
from robust.app.proof_checks import ProofKind, check_proof_document
from robust.app.proof_files import MAX_PROOF_BYTES
from robust.app.signature_terms import SignatureTerms
from robust.app.verify_attestation import look_at_attestation
from robust.app.verify_audit import examine_audit, examine_audit_records, records_root
from robust.app.verify_files import examine_manifest, examine_validations, examined_file
from robust.app.verify_hardness import examine_hardness
from robust.app.verify_lineage import Lineage
from robust.app.verify_production import examine_production_records
from robust.app.verify_run_directory import examine_run
from robust.errors import RobustError, UsageError
from robust.manifest.frozen import FrozenManifest
from robust.signing.statement import MANIFEST_PREDICATE, RUN_PREDICATE
from robust.store.files import file_digest, unreadable

# What is compared with everything else, and so comes last.
_PROOFS: Final = ("inclusion proof", "record proof")
# Statements that tell of a tree, with which proofs are compared.
_OF_TREES: Final = (RUN_PREDICATE, MANIFEST_PREDICATE)
# A manifest and its parent are compared whole; more are not kept.
_MOST_LOADED: Final = 2


class PathsTogether:
    """Checks paths; what was found of one is found once, however often it is asked for.

    Args:
        places: the paths.
        terms: what the reader asks of signatures.
    """

    def __init__(self, places: Sequence[Path], terms: SignatureTerms) -> None:
        self._places = list(dict.fromkeys(places))
        self._terms = terms
        self._kinds: dict[Path, Kind] = {}
        self._examined: dict[Path, Examined] = {}
        self._verified: dict[Path, Verification | RobustError] = {}
        self._trees: list[KnownTree] = []
        self._trees_told = False
        self._loaded: dict[Path, FrozenManifest] = {}

    def verification(self, place: Path) -> Verification:
        """What was checked of one of the paths.

        Raises:
            UsageError: it is missing, may not be read, or is of no known kind.
        """
        if place not in self._verified:
            try:
                self._verified[place] = self._verify(place)
            except RobustError as error:
                self._verified[place] = error
            except OSError as error:  # such as a folder that may not be entered
                self._verified[place] = unreadable(place, error)
        found = self._verified[place]
        if isinstance(found, RobustError):
            raise found
        return found

    def require_manifest(self, place: Path) -> None:
        """Refuse a path that was named as a manifest and is none that holds.

        Raises:
            UsageError: it is missing, may not be read, or is of another kind.
            IntegrityError: it is damaged.
        """
        kind = self._kind(place)
        self._load(place)
        if kind != "manifest":
            message, hint = f"its name makes it one of the kind {kind}", "give the manifest another name"
            raise UsageError.of("unknown_kind", message, file=os.fspath(place), hint=hint)

    def _verify(self, place: Path) -> Verification:
        kind = self._kind(place)
        if kind == "inclusion proof" or kind == "record proof":
            return self._verify_proof(place, kind)
        if kind == "attestation":
            return self._verify_attestation(place)
        examined = self._examine(place, kind)
        attested = check_attested(place, kind, examined, self._terms, self._attestations)
        found = Verification(
            path=os.fspath(place),
            kind=kind,
            checks=(*examined.checks, *attested.checks),
            signers=attested.signers,
            signature=attested.signature,
        )
        found = _with_authenticity(found)
        if examined.tree is not None:
            self._know(examined.tree, found)
        return found

    def _verify_attestation(self, place: Path) -> Verification:
        looked = look_at_attestation(place, self._terms, self)
        if looked.tree is not None:
            self._trees.append(looked.tree)
        return Verification(
            path=os.fspath(place),
            kind="attestation",
            checks=looked.checks,
            signers=looked.signers,
            signature=looked.signature,
            authentic=looked.authentic,
        )

    def _verify_proof(self, place: Path, kind: ProofKind) -> Verification:
        examined, tree = self._examine_proof(place, kind)
        attested = check_attested(place, kind, examined, self._terms, self._attestations)
        checks = (*examined.checks, *attested.checks)
        found = Verification(
            path=os.fspath(place), kind=kind, checks=checks, signers=attested.signers, signature=attested.signature
        )
        if attested.signature == "none" and tree is not None and tree.signers:
            return self._signed_by_its_tree(found, tree)
        return _with_authenticity(found)

    def _signed_by_its_tree(self, found: Verification, tree: KnownTree) -> Verification:
        """A proof that nobody signed, of something that is signed."""
        alone = "" if tree.whole else f"; the {tree.of} itself was not given"
        told = f"by {', '.join(map(str, tree.signers))}, of {tree.source}{alone}"
        signed = Check(name="signature", holds=True, detail=told)
        checks = tuple(signed if check.name == "signature" else check for check in found.checks)
        found = replace(found, checks=checks, signers=tree.signers, signature="verified")
        return replace(found, authentic=found.holds and tree.authentic)

    def _know(self, tree: KnownTree, found: Verification) -> None:
        signers = found.signers if found.authentic else ()
        self._trees.append(replace(tree, signers=signers, authentic=found.authentic))

    def _kind(self, place: Path) -> Kind:
        if place not in self._kinds:
            self._kinds[place] = kind_of(place)
        return self._kinds[place]

    def examined(self, place: Path) -> tuple[Kind, Examined]:
        """What a path is, also one that was not given, and what its checks come to without signatures."""
        kind = self._kind(place)
        if kind == "inclusion proof" or kind == "record proof":
            return kind, self._examine_proof(place, kind)[0]
        return kind, Examined(()) if kind == "attestation" else self._examine(place, kind)

    def _examine(self, place: Path, kind: Kind) -> Examined:
        if place not in self._examined:
            self._examined[place] = self._examine_anew(place, kind)
        return self._examined[place]

    def _examine_anew(self, place: Path, kind: Kind) -> Examined:
        if kind == "run":
            return examine_run(place, self._manifest_of, self._audits, self._production)
        if kind == "manifest":
            return examine_manifest(place, lambda header, digest: self._lineage.checks(place, header, digest))
        if kind == "audit":
            return examine_audit(place, self._records_of(place))
        if kind == "audit records":
            return examine_audit_records(place)
        if kind == "production records":
            return examine_production_records(place)
        return examine_hardness(place) if kind == "hardness" else examine_validations(place)

    def _examine_proof(self, place: Path, kind: ProofKind) -> tuple[Examined, KnownTree | None]:
        """What a proof comes to, and the tree that it is of, whatever the order of the paths."""
        self._tell_trees()
        document = HashedDocument(place, MAX_PROOF_BYTES)
        checks, tree = check_proof_document(place, document, kind, self._trees)
        return examined_file(place, kind, checks, document.digest()), tree

    def _tell_trees(self) -> None:
        """Verify everything that proofs are compared with; what is found of it is kept in the list of trees."""
        if self._trees_told:
            return
        # At once: an attestation that is verified here may speak of a proof, which asks again.
        self._trees_told = True
        tell = {Path(each.file) for each in self._attestations if each.statement.predicate_type in _OF_TREES}
        for others in (False, True):
            for place in self._places:
                with contextlib.suppress(RobustError):  # reported where its turn comes
                    kind = self._kind(place)
                    if place in tell if others else kind not in (*_PROOFS, "attestation"):
                        self.verification(place)

    def runs(self) -> list[Path]:
        """The run directories among the paths."""
        return list(self._of_kind("run"))

    def files(self, name: str) -> list[Path]:
        """The files of that name among the paths, attestations left out."""
        return [place for place in self._places if place.name == name and self._is_evidence(place)]

    def _is_evidence(self, place: Path) -> bool:
        try:
            return self._kind(place) not in ("run", "attestation")
        except RobustError:
            return False

    def _of_kind(self, *kinds: Kind) -> Iterator[Path]:
        for place in self._places:
            try:
                if self._kind(place) in kinds:
                    yield place
            except RobustError:
                continue  # reported where its turn comes

    @cached_property
    def _attestations(self) -> list[OpenEnvelope]:
        """The envelopes among the paths whose form is right."""
        found = []
        for place in self._of_kind("attestation"):
            try:
                found.append(open_envelope(place, linked=True))
            except RobustError:
                continue
        return found

    @cached_property
    def _manifests(self) -> dict[str, Path]:
        """The manifests among the paths by digest, told by their headers."""
        found: dict[str, Path] = {}
        for place in self._of_kind("manifest"):
            try:
                found.setdefault(header_digest(place), place)
            except RobustError:
                continue
        return found

    @cached_property
    def _audits(self) -> dict[str, Path]:
        """The audits among the paths by digest."""
        found: dict[str, Path] = {}
        for place in self._of_kind("audit"):
            try:
                found.setdefault(OracleAudit.load(place).digest, place)
            except RobustError:
                continue
        return found

    @cached_property
    def _records(self) -> dict[str, Path]:
        """The records of audits among the paths by their root."""
        found: dict[str, Path] = {}
        for place in self._of_kind("audit records"):
            try:
                found.setdefault(records_root(place), place)
            except RobustError:
                continue
        return found

    @cached_property
    def _production(self) -> dict[str, Path]:
        """The files of production records among the paths by digest."""
        found: dict[str, Path] = {}
        for place in self._of_kind("production records"):
            try:
                found.setdefault(file_digest(place), place)
            except RobustError:
                continue
        return found

    @cached_property
    def _lineage(self) -> Lineage:
        return Lineage(self._manifests, self._load)

    def _manifest_of(self, digest: str) -> FrozenManifest | None:
        """The manifest that a run names; the first, to be found another's, where none of those given is it."""
        place = self._manifests.get(digest, next(iter(self._manifests.values()), None))
        try:
            return None if place is None else self._load(place)
        except RobustError:
            return None  # reported where its turn comes

    def _records_of(self, place: Path) -> Path | None:
        """The records of an audit among those that were given; the first, to be found another's, where none are."""
        if not self._records:
            return None
        try:
            root = OracleAudit.load(place).facts.records["root"]
        except RobustError:  # reported where it is checked
            root = None
        return self._records.get(root, next(iter(self._records.values()), None))

    def _load(self, place: Path) -> FrozenManifest:
        """A manifest as a whole; those of which the last use is longest ago are let go of."""
        loaded = self._loaded.pop(place, None) or Manifest.load(place)
        self._loaded[place] = loaded
        while len(self._loaded) > _MOST_LOADED:
            del self._loaded[next(iter(self._loaded))]
        return loaded


def _with_authenticity(found: Verification) -> Verification:
    return replace(found, authentic=found.holds and found.signature == "verified")
