"""Digests: ``sha256:`` and 64 lowercase hex digits over canonical bytes."""

from __future__ import annotations

import hashlib
import re
import struct
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import Final

from robust.canon.encode import canonical_bytes

# 120 bits tell more things apart than memory holds; with what Python puts around them they fill 48 bytes, where one
# byte more would take 64.
KEY_BYTES: Final = 15
_TO_UNIT: Final = 2.0**-53
_DIGEST = re.compile(r"sha256:[0-9a-f]{64}\Z")


def digest_bytes(data: bytes) -> str:
    """The SHA-256 of bytes, as ``sha256:…``."""
    return "sha256:" + hashlib.sha256(data).hexdigest()


def digests_of(contents: Iterable[bytes]) -> list[str]:
    """The digest of each of many contents; see :func:`digest_bytes`."""
    sha256 = hashlib.sha256
    return [f"sha256:{sha256(content).hexdigest()}" for content in contents]


def hash_bytes(data: bytes) -> bytes:
    """The SHA-256 of bytes as 32 raw bytes: a key for what is kept in memory, never written."""
    return hashlib.sha256(data).digest()


def key_of(data: bytes | str) -> bytes:
    """The first :data:`KEY_BYTES` bytes of a SHA-256, of bytes or of any text: a key kept in memory, never written."""
    return hash_bytes(data.encode("utf-8", "surrogatepass") if isinstance(data, str) else data)[:KEY_BYTES]


def keys_of(contents: Iterable[bytes]) -> list[bytes]:
    """The key of each of many contents; see :func:`key_of`."""
    sha256 = hashlib.sha256
    return [sha256(content).digest()[:KEY_BYTES] for content in contents]


def digest_value(value: object) -> str:
    """The digest of a value's canonical bytes.

    Raises:
        DataError: the value is not portable JSON.
    """
    return digest_bytes(canonical_bytes(value))


def is_digest(text: object) -> bool:
    """Whether a value is a well-formed digest."""
    return isinstance(text, str) and _DIGEST.match(text) is not None


def unit_interval(*parts: object) -> float:
    """A number in [0, 1) that depends on nothing but its parts: the first 53 bits of SHA-256(JCS(parts)) over 2^53.

    It is the same on every platform and never touches a library's random generator.
    """
    first = hashlib.sha256(canonical_bytes(list(parts))).digest()[:8]
    return (int.from_bytes(first, "big") >> 11) / 2**53


def unit_intervals(start: bytes, ends: Sequence[bytes]) -> list[float]:
    """The numbers of :func:`unit_interval` for several lists of parts, whose canonical bytes begin alike.

    Args:
        start: what all of them begin with.
        ends: what each of them goes on with.
    """
    sha256 = hashlib.sha256
    digests = b"".join([sha256(start + end).digest() for end in ends])
    # A power of two scales exactly.
    return [(first >> 11) * _TO_UNIT for first in _first_words(len(ends))(digests)]


@lru_cache(maxsize=64)
def _first_words(count: int) -> Callable[[bytes], tuple[int, ...]]:
    """What takes the first 64 bits of each of so many digests, as integers."""
    return struct.Struct(">" + "Q24x" * count).unpack


class Hasher:
    """SHA-256 over a stream of chunks."""

    def __init__(self) -> None:
        self._state = hashlib.sha256()
        self.size = 0

    def update(self, chunk: bytes) -> None:
        """Add a chunk."""
        self._state.update(chunk)
        self.size += len(chunk)

    def digest(self) -> str:
        """The digest of everything added so far, as ``sha256:…``."""
        return "sha256:" + self._state.hexdigest()
