"""A seeded stream of random numbers that is the same on every platform and in every version of every library."""

from __future__ import annotations

import hashlib
import random
from collections.abc import MutableSequence, Sequence
from struct import Struct
from typing import Any, Final, Self, TypeVar

from robust.canon.encode import canonical_bytes

T = TypeVar("T")
_WORD: Final = 2**64
_UNPACK: Final = Struct(">4Q").unpack
_UNPACK_SHORT: Final = Struct(">8I").unpack
_SHORT: Final = 2**16
_SHORT_WORD: Final = 2**32
# Whatever is below this is below every multiple of a limit up to 2^16 that matters.
_SHORT_FAIR: Final = _SHORT_WORD - _SHORT


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


class SeededRandom(random.Random):
    """The random source of the standard library over a stream of SHA-256 blocks.

    ``shuffle``, ``choice``, ``randrange``, ``random``, ``gauss`` and the rest work as ever. What they give depends on
    nothing but the parts that the source is made of, and no other generator is touched. The key is that of
    :class:`RandomStream`. It is the first block; block *i* is SHA-256(key ‖ *i* as 8 bytes), from 1 on. A block gives
    eight 32-bit words, the last first.

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
        self._key = key = hashlib.sha256(parts).digest()
        self._counter = 1
        self._words: list[int] = [*_UNPACK_SHORT(key)]
        self.gauss_next = None

    def _fill(self) -> None:
        """Take the words of the next block, last first."""
        self._words.extend(_UNPACK_SHORT(hashlib.sha256(self._key + self._counter.to_bytes(8, "big")).digest()))
        self._counter += 1

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
        """An integer of ``k`` random bits.

        Raises:
            ValueError: ``k`` is negative.
        """
        if k < 0:
            raise ValueError(f"the number of bits must not be negative: {k}")
        words, drawn = self._words, 0
        for _ in range((k + 31) // 32):
            if not words:
                self._fill()
            drawn = drawn << 32 | words.pop()
        return drawn >> -k % 32

    def _randbelow(self, n: int) -> int:
        """An integer in [0, n), each equally probable; what all choices of the standard library rest on."""
        if n <= _SHORT:
            while True:
                if not self._words:
                    self._fill()
                drawn = self._words.pop()
                # The last, incomplete round of numbers would favour the small ones.
                if drawn < _SHORT_FAIR or drawn < _SHORT_WORD - _SHORT_WORD % n:
                    return drawn % n
        bits = n.bit_length()
        while True:
            drawn = self.getrandbits(bits)
            if drawn < n:
                return drawn

    def shuffle(self, x: MutableSequence[Any]) -> None:
        """Bring a list into random order, in place; each order is equally probable (Fisher & Yates)."""
        words = self._words
        for last in range(len(x) - 1, 0, -1):
            if not words:
                self._fill()
            drawn = words.pop()
            # The same as in the method above, without calling it for every item.
            place = drawn % (last + 1) if drawn < _SHORT_FAIR and last < _SHORT else self._randbelow(last + 1)
            x[last], x[place] = x[place], x[last]

    def getstate(self) -> tuple[Any, ...]:
        """Where the source is."""
        return self._key, self._counter, tuple(self._words), self.gauss_next

    def setstate(self, state: tuple[Any, ...]) -> None:
        """Go where a source was, given what :meth:`getstate` gave there."""
        self._key, self._counter, words, self.gauss_next = state
        self._words = list(words)

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (type(self), self.getstate())


def _restored(kind: type[SeededRandom], state: tuple[Any, ...]) -> SeededRandom:
    source = kind.__new__(kind)
    source.setstate(state)
    return source
