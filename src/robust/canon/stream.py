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

    def _word(self) -> int:
        """The next 64-bit word."""
        words = self._words
        if not words:
            block = hashlib.sha256(self._key + self._counter.to_bytes(8, "big")).digest()
            words.extend(reversed(_UNPACK(block)))
            self._counter += 1
        return words.pop()

    def below(self, limit: int) -> int:
        """An integer in [0, limit), each equally probable.

        Raises:
            ValueError: the limit is not positive.
        """
        if limit <= 0:
            raise ValueError(f"the limit must be positive, not {limit}")
        count, span = 1, _WORD
        while span < limit:
            count, span = count + 1, span * _WORD
        # Drawn again where the last, incomplete round of numbers would favour the small ones.
        fair = span - span % limit
        while True:
            drawn = self._word()
            for _ in range(count - 1):
                drawn = drawn * _WORD + self._word()
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
        moved: dict[int, int] = {}
        drawn = []
        for place in range(min(count, limit)):
            other = place + self.below(limit - place)
            drawn.append(moved.get(other, other))
            moved[other] = moved.get(place, place)
        return drawn

    def sample(self, items: Sequence[T], count: int) -> list[T]:
        """At most ``count`` of the items, each at most once, in the order in which they were drawn."""
        return [items[index] for index in self.sample_below(len(items), count)]
