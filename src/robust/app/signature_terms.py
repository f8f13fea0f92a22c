"""What a reader asks of signatures: whose keys count, and how many of them must have signed."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, TypeAlias

from robust.app.checks import Signer
from robust.app.keys import load_public_key
from robust.canon import describe
from robust.errors import RobustError, UsageError
from robust.signing.keys import PublicKey

PublicKeySource: TypeAlias = PublicKey | str | os.PathLike[str]
_MAX_SHOWN: Final = 100


@dataclass(frozen=True, kw_only=True, slots=True)
class SignatureTerms:
    """Whose signatures count, and what is asked of them.

    Attributes:
        keys: the keys that the reader named, each once, with the files that they came from.
        required: whether what is not signed fails.
        threshold: how many of the keys must have signed what is signed.
    """

    keys: tuple[tuple[PublicKey, str | None], ...] = ()
    required: bool = False
    threshold: int = 1

    @property
    def public_keys(self) -> list[PublicKey]:
        """The keys alone."""
        return [key for key, _ in self.keys]

    def signer(self, key: PublicKey) -> Signer:
        """One of the keys as somebody who signed."""
        file = next((file for known, file in self.keys if known.raw == key.raw), None)
        return Signer(key_id=key.key_id, file=file)


def read_terms(
    public_keys: Iterable[PublicKeySource], *, require_signature: bool = False, threshold: int = 1
) -> SignatureTerms:
    """What a reader asks, with the keys opened.

    Args:
        public_keys: keys, or their files; one that is given twice counts once.
        require_signature: whether what is not signed fails.
        threshold: how many of the keys must have signed; more than one means that a signature is required.

    Raises:
        UsageError: a key cannot be read, the threshold is no whole number from 1 to the number of different keys, or
            there is no key to check with although signatures are asked for.
    """
    if type(threshold) is not int or threshold < 1:
        told = repr(threshold)[:_MAX_SHOWN] if isinstance(threshold, int | float) else describe(threshold)
        message = f"must be a whole number from 1 on, not {told}"
        raise UsageError.of("bad_threshold", message, path="threshold")
    if isinstance(public_keys, str | os.PathLike) or not isinstance(public_keys, Iterable):
        raise UsageError.of("wrong_value", "must be a list of keys", path="public_keys", hint="give [FILE]")
    named: dict[bytes, tuple[PublicKey, str | None]] = {}
    for source in public_keys:
        key, file = _opened(source)
        named.setdefault(key.raw, (key, file))
    required = require_signature or threshold > 1
    if required and not named:
        message = "signatures cannot be checked without the key of somebody who should have signed"
        raise UsageError.of("no_public_key", message, path="public_keys", hint="name it with --public-key FILE")
    if threshold > max(len(named), 1):
        message = f"{threshold} signers cannot be found with {len(named)} different keys"
        raise UsageError.of("bad_threshold", message, path="threshold", hint="name more keys, or ask for fewer")
    return SignatureTerms(keys=tuple(named.values()), required=required, threshold=threshold)


def _opened(source: PublicKeySource) -> tuple[PublicKey, str | None]:
    if isinstance(source, PublicKey):
        return source, None
    if not isinstance(source, str | os.PathLike):
        raise UsageError.of("wrong_value", f"a key or its file is due, not {describe(source)}", path="public_keys")
    file = os.fspath(source)
    try:
        return load_public_key(source), file
    except RobustError as error:
        raise UsageError(*error.problems) from None
