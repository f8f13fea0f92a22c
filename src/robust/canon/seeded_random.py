"""The random source of the standard library over a stream of bytes that is the same everywhere."""

from __future__ import annotations

import hashlib
import random
from collections.abc import MutableSequence
from struct import unpack
from typing import Any, Final, Self

from robust.canon.encode import canonical_bytes

_WORD: Final = 2**32
# SHAKE-128 gives 168 bytes at a time. The first block is one such piece, which is enough for most, and quick to make.
_FIRST: Final = 168
_NEXT: Final = 6 * _FIRST
_KEY: Final = 32
# So many words of a shuffle are taken at once.
_AT_ONCE: Final = 4096


class SeededRandom(random.Random):
    """The random source of the standard library over blocks of SHAKE-128.

    ``shuffle``, ``choice``, ``randrange``, ``random``, ``gauss`` and the rest work as ever. What they give depends on
    nothing but the parts that the source is made of, and no other generator is touched. The first block is the first
    168 bytes of SHAKE-128(JCS(parts)), and its first 32 bytes are the key; block *i* is the first 1,008 bytes of
    SHAKE-128(key ‖ *i* as 8 bytes), from 1 on. Their bytes, one behind the other, are 32-bit words, big-endian.

    Args:
        parts: JSON values, such as a seed, a relation's name and the digest of an input.

    Raises:
        DataError: a part is not portable JSON.
    """

    def __new__(cls, *_: object) -> Self:  # noqa: D102 - it takes what the class takes
        # The generator below is never used; given a number, it does not ask the system for entropy.
        make: Any = super().__new__
        source: Self = make(cls, 0)
        return source

    def __init__(self, *parts: object) -> None:
        self.start(canonical_bytes(list(parts)))

    @classmethod
    def of_canonical(cls, parts: bytes) -> Self:
        """The source of parts that are a canonical JSON list already."""
        source = cls.__new__(cls)
        source.start(parts)
        return source

    def start(self, parts: bytes) -> None:
        """Start again with other parts, which are a canonical JSON list already."""
        self._key = self._block = hashlib.shake_128(parts).digest(_FIRST)
        self._at = self._number = 0
        self.gauss_next = None

    def _take(self, words: int) -> bytes:
        """The next words, as bytes."""
        end = self._at + 4 * words
        taken = self._block[self._at : end]
        if end > len(self._block):
            taken, end = self._beyond(taken, end)
        self._at = end
        return taken

    def _beyond(self, taken: bytes, end: int) -> tuple[bytes, int]:
        """What goes on in the next blocks, and where it ends in the last of them."""
        pieces = [taken]
        while end > len(self._block):
            end -= len(self._block)
            self._number += 1
            self._block = hashlib.shake_128(self._key[:_KEY] + self._number.to_bytes(8, "big")).digest(_NEXT)
            pieces.append(self._block[:end])
        return b"".join(pieces), end

    def seed(self, *parts: Any, **named: Any) -> None:
        """Start again with other parts.

        Raises:
            DataError: a part is not portable JSON.
        """
        self.start(canonical_bytes([*parts, *([named] if named else [])]))

    def random(self) -> float:
        """A number in [0, 1): 53 bits over 2^53."""
        return self.getrandbits(53) * 2.0**-53

    def getrandbits(self, k: int, /) -> int:
        """An integer of ``k`` random bits: the high ones of as many words as it takes.

        Raises:
            ValueError: ``k`` is negative.
        """
        if k < 0:
            raise ValueError(f"the number of bits must not be negative: {k}")
        return int.from_bytes(self._take((k + 31) // 32), "big") >> -k % 32

    def _randbelow(self, n: int) -> int:
        """An integer in [0, n), each equally probable; what all choices of the standard library rest on."""
        if n <= _WORD:
            return self._settled(int.from_bytes(self._take(1), "big"), n)
        bits = n.bit_length()
        while (drawn := self.getrandbits(bits)) >= n:
            pass
        return drawn

    def _settled(self, drawn: int, n: int) -> int:
        """The same of a word that is drawn already; other ones where it would favour small numbers."""
        # The last, incomplete round of numbers is left out.
        fair = _WORD - _WORD % n
        while drawn >= fair:
            drawn = int.from_bytes(self._take(1), "big")
        return drawn % n

    def shuffle(self, x: MutableSequence[Any]) -> None:
        """Bring a list into random order, in place; each order is equally probable (Fisher & Yates).

        It takes a word for each item but one, last item first, and more where words had to be left out.
        """
        left = len(x)
        # No word below this is in the incomplete round of any length up to that of the list.
        fair = _WORD - left
        while left > 1:
            words = min(left - 1, _AT_ONCE)
            for drawn in unpack(f">{words}I", self._take(words)):
                place = drawn % left if drawn < fair else self._settled(drawn, left)
                left -= 1
                x[left], x[place] = x[place], x[left]

    def getstate(self) -> tuple[Any, ...]:
        """Where the source is."""
        return self._key, self._number, self._block, self._at, self.gauss_next

    def setstate(self, state: tuple[Any, ...]) -> None:
        """Go where a source was, given what :meth:`getstate` gave there."""
        self._key, self._number, self._block, self._at, self.gauss_next = state

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (type(self), self.getstate())


def _restored(kind: type[SeededRandom], state: tuple[Any, ...]) -> SeededRandom:
    source = kind.__new__(kind)
    source.setstate(state)
    return source
