"""The public functions that make keys and read them."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from robust.canon import type_name
from robust.errors import UsageError
from robust.signing.keys import (
    MAX_KEY_BYTES,
    PublicKey,
    SigningKey,
    generate_key,
    read_public_key,
    read_signing_key,
)
from robust.store.keys import key_paths, others_can_read, read_key_file, write_key_pair

__all__ = [
    "KeyFiles",
    "PublicKey",
    "SigningKey",
    "generate_keys",
    "load_public_key",
    "load_signing_key",
    "open_signing_key",
    "others_can_read",
]

Passphrase: TypeAlias = str | Callable[[], str] | None


@dataclass(frozen=True, slots=True)
class KeyFiles:
    """A new pair of keys.

    Attributes:
        private: the file of the private key, which only its owner can read.
        public: the file of the public key, to be handed out.
        key_id: the id of both, ``sha256:…``.
    """

    private: Path
    public: Path
    key_id: str


def generate_keys(
    directory: str | os.PathLike[str], *, name: str = "signing", passphrase: str | None = None
) -> KeyFiles:
    """Make an Ed25519 key pair: ``<name>.key.pem`` (PKCS#8, mode 0600) and ``<name>.pub.pem``; both or none.

    Args:
        directory: made with mode 0700 where it is missing.
        name: what the files are called.
        passphrase: encrypts the private key, as UTF-8; None leaves it in the clear.

    Raises:
        UsageError: ``exists``: one of the files is there, and keys are never written over; the folder cannot be
            written; or the name or the passphrase cannot be used.
    """
    key_paths(Path(directory), name)
    key = generate_key()
    private = key.to_pem(None if passphrase is None else _encoded(passphrase))
    files = write_key_pair(Path(directory), name, private, key.public.to_pem())
    return KeyFiles(*files, key.key_id)


def load_signing_key(path: str | os.PathLike[str], *, passphrase: Passphrase = None) -> SigningKey:
    """Read a private key of Ed25519: PKCS#8 in PEM, as openssl and :func:`generate_keys` write it, or OpenSSH's form.

    Args:
        path: the file.
        passphrase: for a key that is encrypted: the passphrase, or a function that is asked for it then and only then.

    Raises:
        UsageError: the file cannot be read; ``passphrase_needed``: it is encrypted and no passphrase was given.
        DataError: it is no such key (a public key, another kind of key, several keys, no key), or the passphrase does
            not open it.
    """
    file = os.fspath(path)

    def ask() -> bytes:
        if passphrase is None:
            hint = "give its passphrase (ROBUST_KEY_PASSPHRASE for the command)"
            raise UsageError.of("passphrase_needed", "the key is encrypted", file=file, hint=hint)
        return _encoded(passphrase() if callable(passphrase) else passphrase)

    return read_signing_key(read_key_file(path, MAX_KEY_BYTES), file=file, passphrase=ask)


def load_public_key(path: str | os.PathLike[str]) -> PublicKey:
    """Read a public key of Ed25519: PEM, as openssl writes it, or the line of OpenSSH.

    Raises:
        UsageError: the file cannot be read.
        DataError: it is no such key: a private key, another kind of key, several keys, a weak key, or no key.
    """
    return read_public_key(read_key_file(path, MAX_KEY_BYTES), file=os.fspath(path))


def open_signing_key(key: SigningKey | str | os.PathLike[str]) -> SigningKey:
    """A key as it is, or read from the file of one that is not encrypted.

    Raises:
        UsageError: the file cannot be read, the key is encrypted, or this is neither a key nor a path.
        DataError: the file is no private key.
    """
    if isinstance(key, SigningKey):
        return key
    if not isinstance(key, str | os.PathLike):
        message = f"must be a private key or its file, not {type_name(key)}"
        raise UsageError.of("bad_key", message, path="key", hint="load_signing_key(path) reads one")
    return load_signing_key(key)


def _encoded(passphrase: object) -> bytes:
    """A passphrase as UTF-8; bytes of a terminal or an environment that are none are taken as they came."""
    try:
        if isinstance(passphrase, str):
            return passphrase.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        pass
    # Nothing of it is shown.
    raise UsageError.of("bad_passphrase", "a passphrase is text", path="passphrase")
