"""The public function that signs evidence; what does not hold is not signed."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from robust.app.checks import Kind
from robust.app.evidence_kinds import kind_of
from robust.app.keys import open_signing_key
from robust.app.statements import subject_digests, unsafe_name_reason
from robust.errors import IntegrityError, Problem, RobustError, UsageError
from robust.records.report import differences
from robust.signing.claim import MAX_CLAIM_BYTES, check_claim, made_at
from robust.signing.envelope import MAX_ENVELOPE_BYTES, Envelope, read_envelope, sign_payload
from robust.signing.keys import SigningKey
from robust.signing.statement import CLAIM_PREDICATE, Statement, claim_statement, read_statement
from robust.store.attestations import (
    MAX_CLAIMS,
    attestation_path,
    claim_path,
    claims_of,
    read_attestation,
    refuse_long_name,
    signing_lock,
    write_attestation,
)

_MAX_SHOWN: Final = 200
# What an envelope can have too much of, or what would be lost of it; a new one is without it.
_NOT_ADDED_TO: Final = frozenset(["too_many_signatures", "too_large", "foreign_member"])
# Everything that can be verified but attestations.
_SIGNED: Final = frozenset(
    ["manifest", "validations", "run", "audit", "audit records", "hardness", "inclusion proof", "record proof"]
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Signed:
    """Some evidence that was signed.

    Attributes:
        path: the evidence.
        kind: what it is.
        file: the attestation, or the claim.
        key_id: who signed.
        added: false where this key had signed the same statement before, and nothing was changed.
        signatures: how many signatures the file holds now.
    """

    path: Path
    kind: Kind
    file: Path
    key_id: str
    added: bool
    signatures: int


def sign(
    path: str | os.PathLike[str],
    key: SigningKey | str | os.PathLike[str],
    *,
    claim: str | None = None,
    name: str | None = None,
    overwrite: bool = False,
) -> Signed:
    """Sign a run, a manifest or other evidence, after everything that can be derived was derived again.

    The attestation is ``attestation.dsse.json`` in the folder of a run, and ``<file name>.dsse.json`` beside every
    other file. Signatures that are in it already are kept: several people sign one statement. With ``claim`` and
    ``name`` a statement of the signer's own about the same files is signed, and lies in a file of its own.

    Args:
        path: what to sign.
        key: the private key, or the file of one that is not encrypted.
        claim: what the signer says of the evidence, dated with the time of this machine.
        name: the signer's name, for a claim.
        overwrite: whether an attestation of other content, or a damaged one, is replaced instead of refused.

    Raises:
        UsageError: the path is missing or of no known kind; a run has the status ``error``; claim or name cannot be
            used; or something cannot be written.
        DataError: the file is no private key.
        IntegrityError: the evidence does not hold, or is unfinished; ``changed``: it changed meanwhile;
            ``other_statement``: the attestation that is there speaks of something else.
    """
    check_claim_of(claim, name)
    return _Signing(Path(path), open_signing_key(key), overwrite=overwrite).run(claim, name)


def check_claim_of(claim: str | None, name: str | None) -> None:
    """Refuse a claim that cannot be made, before anything is opened.

    Raises:
        UsageError: ``half_claim``: one of the two is missing; ``bad_claim``: one could not be shown as it is.
    """
    if (claim is None) != (name is None):
        hint = "give both, or neither"
        raise UsageError.of("half_claim", "a claim needs the name of who makes it, and a name a claim", hint=hint)
    if claim is not None:
        check_claim(claim, name)


def sign_run(path: Path, key: SigningKey, digest: str) -> Signed:
    """Sign the run that was just made, and no other that took its place.

    Args:
        path: the run directory.
        key: who signs.
        digest: the digest of the report.

    Raises:
        UsageError: something cannot be written.
        IntegrityError: what was made does not hold, or is not there any more.
    """
    try:
        return _Signing(path, key, overwrite=False, run_digest=digest).run(None, None)
    except RobustError as error:
        message, hint = "the run is finished, and is not signed", "mend what is wrong, then: robust sign"
        raise type(error)(
            *error.problems, Problem(code="not_signed", message=message, file=os.fspath(path), hint=hint)
        ) from None


class _Signing:
    """Signing of one piece of evidence."""

    def __init__(self, path: Path, key: SigningKey, *, overwrite: bool, run_digest: str | None = None) -> None:
        self._path = path
        self._key = key
        self._overwrite = overwrite
        self._run_digest = run_digest

    def run(self, claim: str | None, name: str | None) -> Signed:
        kind = kind_of(self._path)
        if kind not in _SIGNED:
            message, hint = f"of the kind {kind}, which is not signed", "sign the evidence that it speaks of"
            raise UsageError.of("unknown_kind", message, file=os.fspath(self._path), hint=hint)
        statement = self._checked()
        self._refuse_unsafe_name(statement)
        self._refuse_other_run(statement)
        file = attestation_path(self._path)
        if claim is not None and name is not None:
            statement = claim_statement(claim, name, made_at(datetime.now(UTC)), statement.subjects)
            file = claim_path(self._path, statement.payload())
        refuse_long_name(file)
        with signing_lock(self._path):
            if claim is not None:
                self._refuse_many_claims(file)
            self._refuse_changed(statement, subject_digests(self._path, kind))
            envelope, added = self._add(file, statement)
        return Signed(
            path=self._path,
            kind=kind,
            file=file,
            key_id=self._key.key_id,
            added=added,
            signatures=len(envelope.signatures),
        )

    def _checked(self) -> Statement:
        """What can be stated of the evidence, derived from the very bytes that were checked."""
        # Only here: keys are opened without everything that can be verified.
        from robust.app.verifying import examine

        found = examine(self._path)
        if not found.holds:
            raise IntegrityError(*found.problems)
        if found.statement is None:
            message = found.unsigned or "nothing can be stated of this evidence"
            raise UsageError.of("nothing_to_sign", message, file=os.fspath(self._path))
        return found.statement

    def _refuse_unsafe_name(self, statement: Statement) -> None:
        """A reader of the attestation would refuse a file of such a name."""
        for subject in statement.subjects:
            if reason := unsafe_name_reason(subject.name):
                message = f"{_shown(subject.name)} {reason}"
                raise UsageError.of(
                    "unsafe_name", message, file=os.fspath(self._path), hint="give it another name, and sign it then"
                )

    def _refuse_changed(self, statement: Statement, digests: Mapping[str, str]) -> None:
        """What was checked must still be there, or the attestation would speak of what nobody can see."""
        if {subject.name: f"sha256:{subject.sha256}" for subject in statement.subjects} != dict(digests):
            message = "the evidence changed while it was checked"
            raise IntegrityError.of("changed", message, file=os.fspath(self._path), hint="sign it again")

    def _refuse_many_claims(self, file: Path) -> None:
        """Nobody would read one more."""
        there = claims_of(self._path)
        if len(there) >= MAX_CLAIMS and file not in there:
            message = f"{len(there)} claims are there already; at most {MAX_CLAIMS} are read"
            hint = "move some of them elsewhere"
            raise UsageError.of("too_many_claims", message, file=os.fspath(self._path), hint=hint)

    def _refuse_other_run(self, statement: Statement) -> None:
        due, found = self._run_digest, statement.subjects[0].annotations.get("digest")
        if due is not None and found != due:
            message = f"another run took its place: {found} is stored, {due} was made"
            raise IntegrityError.of("changed", message, file=os.fspath(self._path), path="$.digest")

    def _add(self, file: Path, statement: Statement) -> tuple[Envelope, bool]:
        """Put a signature into a file, beside those that are in it."""
        payload = statement.payload()
        limit = MAX_CLAIM_BYTES if statement.predicate_type == CLAIM_PREDICATE else MAX_ENVELOPE_BYTES
        earlier = None
        try:
            if os.path.lexists(file):
                earlier = self._earlier(file, statement, payload, limit)
            envelope = sign_payload(payload, self._key, earlier=earlier, max_bytes=limit)
        except IntegrityError as error:
            # What a link leads to is somebody else's, and no file takes the place of a folder.
            if not self._overwrite or error.code == "link" or file.is_dir():
                raise error.located(file=os.fspath(file)) from None
            earlier, envelope = None, sign_payload(payload, self._key)
        except UsageError as error:
            if not self._overwrite or earlier is None or error.code not in _NOT_ADDED_TO:
                raise error.located(file=os.fspath(file)) from None
            earlier, envelope = None, sign_payload(payload, self._key)
        if envelope is not earlier:
            write_attestation(file, envelope.to_json())
        return envelope, envelope is not earlier

    @staticmethod
    def _earlier(file: Path, statement: Statement, payload: bytes, limit: int) -> Envelope:
        """The envelope that is there, if it is around the same statement."""
        envelope = read_envelope(read_attestation(file, limit), file=os.fspath(file))
        if envelope.payload == payload:
            return envelope
        hint = "if the evidence was made anew, --overwrite (overwrite=True) makes a new attestation"
        there = read_statement(envelope.payload, file=os.fspath(file)).to_json()
        path, found, due = next(
            iter(differences(there, statement.to_json())), ("$", "other spelling", "canonical JSON")
        )
        message = f"the attestation speaks of something else: {_shown(found)} is stored, {_shown(due)} follows"
        raise IntegrityError.of("other_statement", message, file=os.fspath(file), path=path, hint=hint)


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= _MAX_SHOWN else text[: _MAX_SHOWN - 1] + "…"
