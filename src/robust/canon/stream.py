"""A seeded stream of random numbers that is the same on every platform and in every version of every library."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from struct import Struct
from typing import Final, TypeVar

from robust.canon.encode import canonical_bytes

T = TypeVar("T")
_WORD: Final = 2**64
_UNPACK: Final = Struct(">4Q").unpack


class RandomStream:
    """Numbers that depend on nothing but the parts that the stream is made of.

    Block *i* is SHA-256(key ‖ *i* as 8 bytes), where the key is SHA-256(JCS(parts)); a block gives four 64-bit words.

    Args:
        parts: JSON values, such as a seed, a property's name and a case's id.

    Raises:
        DataError: a part is not portable JSON.
    """

    __slots__ = ("_counter", "_key", "_words")

    def __init__(self, *parts: object) -> None:
        self._start(canonical_bytes(list(parts)))

    @classmethod
    def of_canonical(cls, parts: bytes) -> RandomStream:
        """The stream of parts that are a canonical JSON list already."""
        stream = object.__new__(cls)
        stream._start(parts)
        return stream

    def _start(self, parts: bytes) -> None:
        self._key = hashlib.sha256(parts).digest()
        self._counter = 0
        self._words: list[int] = []

    def _fill(self) -> list[int]:
        """Take the words of the next block, last first; they are given back, too."""
        block = hashlib.sha256(self._key + self._counter.to_bytes(8, "big")).digest()
        self._words.extend(_UNPACK(block)[::-1])
        self._counter += 1
        return self._words

    def below(self, limit: int) -> int:
        """An integer in [0, limit), each equally probable.

        Raises:
            ValueError: the limit is not positive.
        """
        if limit <= 0:
            raise ValueError(f"the limit must be positive, not {limit}")
        # Drawn again where the last, incomplete round of numbers would favour the small ones.
        words, fair = self._words, _WORD - _WORD % limit
        while limit <= _WORD:
            drawn = (words or self._fill()).pop()
            if drawn < fair:
                return drawn % limit
        return self._below_many(limit)

    def _below_many(self, limit: int) -> int:
        """The same for a limit that takes several words."""
        count, span = 2, _WORD * _WORD
        while span < limit:
            count, span = count + 1, span * _WORD
        fair = span - span % limit
        while True:
            drawn = 0
            for _ in range(count):
                drawn = drawn * _WORD + (self._words or self._fill()).pop()
            if drawn < fair:
                return drawn % limit

    def choice(self, items: Sequence[T]) -> T:
        """One of the items.

        Raises:
            ValueError: there are none.
        """
        return items[self.below(len(items))]

    def sample_below(self, limit: int, count: int) -> list[int]:
        """Distinct integers in [0, limit), at most ``count``, in the order in which they were drawn.

        It takes time and memory for what is drawn, not for the limit (Fisher & Yates, without the untouched places).
        """
        if count == 1 <= limit:
            return [self.below(limit)]
        moved: dict[int, int] = {}
        drawn = []
        for place in range(min(count, limit)):
            other = place + self.below(limit - place)
            drawn.append(moved.get(other, other))
            if other > place:
                moved[other] = moved.get(place, place)
        return drawn

    def sample(self, items: Sequence[T], count: int) -> list[T]:
        """At most ``count`` of the items, each at most once, in the order in which they were drawn."""
        return [items[index] for index in self.sample_below(len(items), count)]
