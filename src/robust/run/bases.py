"""The answers on base cases, kept as small as numbers are until their variants have been compared with them."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from math import isnan, nan


class BaseAnswers:
    """One distribution for each base case, in the order of the cases; eight bytes for each label.

    Args:
        labels: how many labels the decision has.
    """

    def __init__(self, labels: int) -> None:
        self._labels = labels
        self._values = array("d")
        self._missing = (nan,) * labels

    def add(self, probabilities: Sequence[float] | None) -> None:
        """Keep the next case's distribution, in contract order; None where it was not decided."""
        self._values.extend(self._missing if probabilities is None else probabilities)

    def __len__(self) -> int:
        return len(self._values) // self._labels

    def at(self, index: int) -> tuple[float, ...] | None:
        """The distribution of a case by its position; None where it was not decided."""
        start = index * self._labels
        values = tuple(self._values[start : start + self._labels])
        return None if isnan(values[0]) else values
