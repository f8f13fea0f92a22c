"""Finds equal texts among very many, in memory that does not grow with them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# So many keys are sorted at once.
_AT_ONCE: Final = 500_000
PAIR_BYTES: Final = 16


def keyed(texts: Sequence[str], numbers: Sequence[int]) -> bytes:
    """A key of 64 bits for each text, which equal texts share and different ones hardly ever, beside its number.

    Keys hold for this process only.
    """
    import numpy as np

    pairs = np.empty((len(texts), 2), np.int64)
    pairs[:, 0] = np.fromiter(map(hash, texts), np.int64, len(texts))
    pairs[:, 1] = numbers
    return pairs.tobytes()


def equal_keys(blocks: Iterable[bytes], count: int, *, at_once: int = _AT_ONCE) -> Iterator[list[int]]:
    """The numbers of texts that have one key, ascending, for each key that several have.

    Args:
        blocks: what :func:`keyed` gave, a whole number of pairs in each; read as often as needed.
        count: how many pairs there are.
        at_once: about how many of them are held at once.
    """
    import numpy as np

    ranges = max(1, -(-count // at_once))
    for number in range(ranges):
        parts = [np.empty((0, 2), np.int64)]
        for block in blocks:
            pairs = np.frombuffer(block, np.int64).reshape(-1, 2)
            # The last bits tell which of the ranges a key is in: those of a hash are as good as any.
            parts.append(pairs if ranges == 1 else pairs[pairs[:, 0] % ranges == number])
        yield from _equal(np.concatenate(parts))


def _equal(pairs: NDArray[np.int64]) -> Iterator[list[int]]:
    import numpy as np

    pairs = pairs[np.lexsort((pairs[:, 1], pairs[:, 0]))]
    keys = pairs[:, 0]
    again = np.flatnonzero(keys[1:] == keys[:-1])
    for key in np.unique(keys[again]).tolist():
        start, end = np.searchsorted(keys, (key, key), side="left")[0], np.searchsorted(keys, key, side="right")
        yield pairs[start:end, 1].tolist()
