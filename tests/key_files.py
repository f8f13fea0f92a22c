"""Keys and envelopes made by other tools, for tests of signatures. They need openssl, and fail where it is missing."""

from __future__ import annotations

import subprocess
from pathlib import Path

from robust.signing.keys import PublicKey, SigningKey, generate_key, read_public_key, read_signing_key

# Of the curve's points of small order, those with y = 0, 1 and -1, and two of order 8 with both signs of x.
SMALL_ORDER = (
    "0000000000000000000000000000000000000000000000000000000000000000",
    "0000000000000000000000000000000000000000000000000000000000000080",
    "0100000000000000000000000000000000000000000000000000000000000000",
    "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
    "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa",
    "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
    "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85",
)


def openssl(*arguments: str | Path, data: bytes = b"") -> bytes:
    """What openssl writes to its standard output; an error of it is one of the test."""
    return subprocess.run(["openssl", *arguments], input=data, capture_output=True, check=True, timeout=60).stdout


def never_asked() -> bytes:
    """The passphrase of a key that has none."""
    raise AssertionError("a passphrase was asked for")


def private_of(data: bytes, passphrase: str | None = None) -> SigningKey:
    """The private key in some bytes."""
    return read_signing_key(data, passphrase=never_asked if passphrase is None else passphrase.encode)


def new_keys(count: int) -> list[SigningKey]:
    """Some new keys."""
    return [generate_key() for _ in range(count)]


def public_of(data: bytes) -> PublicKey:
    """The public key in some bytes."""
    return read_public_key(data)
