"""Vectors of outputs, each asked for once."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from robust.errors import DataError
from robust.relations.stored_value import key_of_value

_KEPT: Final = 4096


class Embedded:
    """The vectors that a function gives, kept by output.

    Args:
        embed: gives the vector of an output.
    """

    def __init__(self, embed: Callable[[Any], Any]) -> None:
        self._embed = embed
        self._lock = threading.Lock()
        self._kept: OrderedDict[bytes, NDArray[np.float64]] = OrderedDict()
        self._length: int | None = None

    def cosine(self, one: Any, other: Any) -> float:
        """The cosine of the angle between the vectors of two outputs, from −1 to 1.

        Raises:
            DataError: a vector is empty, of another length than those before, all zeros, or not finite.
        """
        first, second = self._vector(one), self._vector(other)
        return float(np.clip(np.dot(first, second), -1.0, 1.0))

    def _vector(self, output: Any) -> NDArray[np.float64]:
        key = key_of_value(output)
        # Held while it is embedded, so that two threads do not pay for one output twice.
        with self._lock:
            found = self._kept.get(key)
            if found is None:
                found = self._read(self._embed(output))
                self._kept[key] = found
                if len(self._kept) > _KEPT:
                    self._kept.popitem(last=False)
            return found

    def _read(self, given: Any) -> NDArray[np.float64]:
        """The vector, scaled to length 1."""
        try:
            vector = np.asarray(given, dtype=np.float64)
        except (TypeError, ValueError):
            raise _bad("is no list of numbers") from None
        if vector.ndim != 1 or not len(vector):
            raise _bad(f"is of shape {vector.shape}, and must be a list of numbers")
        if self._length not in (None, len(vector)):
            raise _bad(f"has {len(vector)} numbers, and one before had {self._length}")
        if not np.isfinite(vector).all():
            raise _bad("holds NaN or an infinity")
        largest = np.abs(vector).max()
        if largest == 0:
            raise _bad("is all zeros, and has no direction")
        # Divided by the largest first, so that squares neither overflow nor vanish.
        scaled = vector / largest
        self._length = len(vector)
        unit: NDArray[np.float64] = scaled / np.linalg.norm(scaled)
        return unit


def _bad(what: str) -> DataError:
    hint = "look at the function that was given to equivalent()"
    return DataError.of("bad_embedding", f"the embedding of an output {what}", hint=hint)
