"""The public function that checks stored evidence: everything that can be derived is derived again."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from robust.app.checks import Check, Signer, Verification
from robust.app.evidence_kinds import kind_of
from robust.app.examined import Examined
from robust.app.signature_terms import PublicKeySource, SignatureTerms, read_terms
from robust.app.verify_paths import PathsTogether
from robust.errors import RobustError

__all__ = ["Check", "Signer", "Verification", "examine", "kind_of", "verify", "verify_all"]


def verify(
    path: str | os.PathLike[str],
    *,
    manifest: str | os.PathLike[str] | None = None,
    public_keys: Sequence[PublicKeySource] = (),
    require_signature: bool = False,
    threshold: int = 1,
) -> Verification:
    """Check a run directory, a manifest, a proof, an attestation, or any other evidence.

    What is signed is checked with the keys that are named here and with no others; a key that lies beside the evidence
    shows nothing.

    Args:
        path: what to check.
        manifest: for a run, the manifest that was run: shows that no case was left out or changed. For a proof, the
            manifest that the proven line must be in, and whose signatures then count. It is compared as a second path
            of :func:`verify_all` is.
        public_keys: keys whose signatures count, or their files.
        require_signature: whether evidence that is not signed fails.
        threshold: how many of the keys must have signed what is signed; more than one requires a signature.

    Raises:
        UsageError: a path is missing, may not be read, or is of no known kind; a key cannot be read; or the threshold
            is above the number of different keys.
        IntegrityError: the manifest that was given is damaged, or none.
    """
    terms = read_terms(public_keys, require_signature=require_signature, threshold=threshold)
    place = Path(path)
    if manifest is None:
        return PathsTogether([place], terms).verification(place)
    together = PathsTogether([place, Path(manifest)], terms)
    together.require_manifest(Path(manifest))
    return together.verification(place)


def verify_all(
    paths: Iterable[str | os.PathLike[str]],
    *,
    public_keys: Sequence[PublicKeySource] = (),
    require_signature: bool = False,
    threshold: int = 1,
) -> Iterator[Verification | RobustError]:
    """Check several paths, each by itself and against the others.

    Compared are a run with its manifest and with the audits that its contract pins, an audit with its records, a
    manifest with those that it was made from, a proof with the manifest, run or attestation that it is of, and a
    statement with the files that it speaks of. A path that cannot be checked gives its error, and the others are
    checked all the same.

    Args:
        paths: what to check.
        public_keys: see :func:`verify`.
        require_signature: likewise.
        threshold: likewise.

    Raises:
        UsageError: at once: a key cannot be read, or the threshold is above the number of different keys.
    """
    terms = read_terms(public_keys, require_signature=require_signature, threshold=threshold)
    return _each([Path(path) for path in paths], terms)


def _each(places: Sequence[Path], terms: SignatureTerms) -> Iterator[Verification | RobustError]:
    together = PathsTogether(places, terms)
    for place in places:
        try:
            yield together.verification(place)
        except RobustError as error:
            yield error


def examine(path: str | os.PathLike[str]) -> Examined:
    """What the checks of some evidence come to, and what can be stated of it, whoever signed or claims something.

    Raises:
        UsageError: the path is missing, may not be read, or is of no known kind.
    """
    place = Path(path)
    return PathsTogether([place], SignatureTerms()).examined(place)[1]
