"""Envelopes in files: opened, compared with what follows from the evidence, and whose signatures they have."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Final, NamedTuple

from robust.app.checks import Check, Signer, left_open
from robust.app.signature_terms import SignatureTerms
from robust.errors import IntegrityError, Problem
from robust.records.report import differences
from robust.signing.envelope import MAX_ENVELOPE_BYTES, Envelope, read_envelope, signers
from robust.signing.statement import Statement, read_statement
from robust.store.attestations import read_attestation, refuse_link

_MOST_SHOWN: Final = 10
_MAX_MESSAGE: Final = 400


class OpenEnvelope(NamedTuple):
    """An envelope whose form is right; whether what it says is right is another question."""

    file: str
    envelope: Envelope
    statement: Statement

    def claimed(self) -> str:
        """Who signed, as the signatures themselves say."""
        return _names([each.key_id for each in self.envelope.signatures])


def open_envelope(file: Path, *, linked: bool = False, max_bytes: int = MAX_ENVELOPE_BYTES) -> OpenEnvelope:
    """Read an envelope and the statement in it.

    Args:
        file: the file.
        linked: whether it may be a link, as one may that the reader named.
        max_bytes: how many bytes it may have.

    Raises:
        UsageError: it cannot be read.
        IntegrityError: it is a link, no plain file, no envelope, too large, or holds no statement.
    """
    name = os.fspath(file)
    if not linked:
        refuse_link(file)
    if not file.is_file():
        raise IntegrityError.of("not_a_file", "neither an envelope nor any other plain file", file=name)
    data = read_attestation(file.resolve() if linked else file, max_bytes)
    envelope = read_envelope(data, file=name)
    return OpenEnvelope(name, envelope, read_statement(envelope.payload, file=name))


def statement_problems(opened: OpenEnvelope, due: Statement) -> list[Problem]:
    """Where a statement says something else than what follows from the evidence; names path and both values."""
    found = differences(opened.statement.to_json(), due.to_json())
    return [
        Problem(
            code="other_statement",
            message=f"{stated!r} is stated, {derived!r} follows from the files"[:_MAX_MESSAGE],
            file=opened.file,
            path=path,
        )
        for path, stated, derived in islice(found, _MOST_SHOWN)
    ]


class Signatures(NamedTuple):
    """What is known of the signatures of envelopes around one statement."""

    check: Check
    signers: tuple[Signer, ...] = ()


def check_signatures(name: str, opened: Sequence[OpenEnvelope], terms: SignatureTerms, threshold: int) -> Signatures:
    """Whether enough of the named keys have signed a statement.

    Args:
        name: the name of the check.
        opened: envelopes around the statement; each distinct key counts once, in whichever of them it signed.
        terms: the keys.
        threshold: how many keys must have signed; with 0 a statement that only others signed is left open.
    """
    if not terms.keys:
        claimed = "; ".join(each.claimed() for each in opened)
        return Signatures(left_open(name, f"not checked without a public key; says that it is by {claimed}"))
    found: dict[bytes, Signer] = {}
    unknown: list[str] = []
    problems: list[Problem] = []
    for each in opened:
        signed = signers(each.envelope, terms.public_keys)
        found.update((key.raw, terms.signer(key)) for key in signed.keys)
        unknown += signed.unknown
        problems += _broken(each, signed.broken)
    by = tuple(found.values())
    if not problems and len(by) < threshold:
        problems.append(replace(_too_few(by, unknown, threshold), file=opened[0].file))
    if problems:
        return Signatures(Check(name=name, holds=False, problems=tuple(problems)), by)
    if not by:
        return Signatures(left_open(name, f"by {_names(unknown)}, not named and not checked"))
    others = f"; and by {_names(unknown)}, not named and not checked" if unknown else ""
    return Signatures(Check(name=name, holds=True, detail=f"by {', '.join(map(str, by))}{others}"), by)


def _broken(opened: OpenEnvelope, broken: Sequence[object]) -> Iterator[Problem]:
    for index, signature in enumerate(opened.envelope.signatures):
        if signature in broken:
            message = f"the signature says that it is by {_names([signature.key_id])}, and is not: it, or what was "
            message += "signed, was changed, or it is of another key"
            yield Problem(code="bad_signature", message=message, file=opened.file, path=f"$.signatures[{index}].sig")


def _too_few(by: Sequence[Signer], unknown: Sequence[str], threshold: int) -> Problem:
    if not by:
        message = f"signed by {_names(unknown)}, and by none of the keys that were named"
        hint = "name the key of who signed, if that is who you trust"
        return Problem(code="unknown_signer", message=message, path="$.signatures", hint=hint)
    message = f"{len(by)} of the {threshold} signatures that are asked for: {', '.join(map(str, by))}"
    return Problem(code="threshold", message=message, path="$.signatures")


def _names(key_ids: Sequence[str]) -> str:
    """Key ids as signatures give them, the first few."""
    named = [key_id[:100] or "a key that it does not name" for key_id in dict.fromkeys(key_ids)]
    more = f" and {len(named) - _MOST_SHOWN} more" if len(named) > _MOST_SHOWN else ""
    return ", ".join(named[:_MOST_SHOWN]) + more
