"""Random words for the cells of a column: each depends on nothing but the seed, the edit, and the id of its row."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from robust.canon import JsonObject, hash_bytes
from robust.canon.stream import RandomStream

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_GOLDEN: Final = 0x9E3779B97F4A7C15
_FIRST: Final = 0xBF58476D1CE4E5B9
_SECOND: Final = 0x94D049BB133111EB
_MASK: Final = 2**64 - 1
# Uniform numbers that are added up for one that is almost normal, of 16 bits each.
_TERMS: Final = 12
_PER_WORD: Final = 4


class RowWords:
    """As many random words of 64 bits as are asked for, of each row, the same for a row whatever others there are.

    Word *i* of a row is the *i*-th of SplitMix64 (Steele, Lea & Flood 2014, OOPSLA) begun at the row's id, mixed with
    a key that is drawn from SHA-256 of the seed and of everything that the edit is.

    Args:
        seed: of the test.
        edit: what else tells this edit from others.
        ids: of the rows, see :func:`id_words`.
    """

    def __init__(self, seed: int, edit: JsonObject, ids: NDArray[np.uint64]) -> None:
        self._key = RandomStream("robust/column-edit", seed, edit).below(2**64)
        self._ids = ids
        self._drawn = 0

    def __len__(self) -> int:
        return len(self._ids)

    def next(self) -> NDArray[np.uint64]:
        """The next word of each row."""
        import numpy as np

        self._drawn += 1
        start = (self._key + self._drawn * _GOLDEN) & _MASK
        return _mixed(_mixed(self._ids ^ np.uint64(self._key)) + np.uint64(start))

    def below(self, limit: int) -> NDArray[np.int64]:
        """Of each row a number in [0, limit), as good as equally probable for limits far below 2³²."""
        import numpy as np

        return ((self.next() >> np.uint64(32)) * np.uint64(limit) >> np.uint64(32)).astype(np.int64)

    def almost_normal(self) -> NDArray[np.float64]:
        """Of each row a number with the mean 0 and the standard deviation 1, within ±6: the sum of twelve uniform ones.

        It is made of whole numbers alone, so that it has the same bits on every machine (Irwin 1927 and Hall 1927,
        Biometrika 19, 225–245).
        """
        import numpy as np

        total = np.zeros(len(self._ids), dtype=np.int64)
        for _ in range(_TERMS // _PER_WORD):
            word = self.next()
            for place in range(_PER_WORD):
                total += ((word >> np.uint64(16 * place)) & np.uint64(0xFFFF)).astype(np.int64)
        # Each term is the middle of its step of 2⁻¹⁶.
        return (total + _TERMS // 2) / 2**16 - _TERMS / 2


def id_words(ids: NDArray[Any]) -> NDArray[np.uint64]:
    """A word of 64 bits for each id: whole numbers as they are, texts by their SHA-256."""
    import numpy as np

    if ids.dtype.kind in "iu":
        return ids.astype(np.uint64)
    words = (int.from_bytes(hash_bytes(text.encode("utf-8", "surrogatepass"))[:8], "big") for text in ids.tolist())
    return np.fromiter(words, np.uint64, len(ids))


def _mixed(words: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Every bit of the result depends on every bit of a word, and no two words come to the same."""
    import numpy as np

    mixed = words ^ (words >> np.uint64(30))
    mixed *= np.uint64(_FIRST)
    mixed ^= mixed >> np.uint64(27)
    mixed *= np.uint64(_SECOND)
    mixed ^= mixed >> np.uint64(31)
    return mixed
