"""The options in another order."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Final

from robust.canon import RandomStream
from robust.records.presentation import Presentation, presentation_of
from robust.records.properties import OptionOrder
from robust.transforms.candidate import Candidate, Shown, SkipReason, StepError, Steps

# How many orders are remembered: all of six labels, and the last ones of more.
_REMEMBERED: Final = 1024


class OptionOrderTransformation:
    """Shows the labels in distinct orders other than the contract's, each equally probable.

    A step is ``{"order": [...]}``: the positions of the labels in the contract, in the order shown.
    """

    def __init__(self, settings: OptionOrder, labels: Sequence[str]) -> None:
        self._samples = settings.samples
        self._labels = tuple(labels)
        # The first permutation in lexicographic order is the contract's own.
        self._others = math.factorial(len(self._labels)) - 1
        self._made = lru_cache(_REMEMBERED)(self._of_rank)

    def generate(self, shown: Shown, stream: RandomStream) -> list[Candidate] | SkipReason:
        """See :class:`Transformation`."""
        made = self._made
        return [Candidate(steps, shown, presentation) for steps, presentation in map(made, self._ranks(stream))]

    def _ranks(self, stream: RandomStream) -> list[int]:
        return stream.sample_below(self._others, self._samples)

    def _of_rank(self, rank: int) -> tuple[Steps, Presentation | None]:
        candidate = self._candidate("", _permutation(rank + 1, len(self._labels)))
        return candidate.steps, candidate.presentation

    def _candidate(self, shown: Shown, order: Sequence[int]) -> Candidate:
        pairs = [(self._labels[place], self._labels[place]) for place in order]
        return Candidate(({"order": list(order)},), shown, presentation_of(pairs, self._labels))

    def apply(self, shown: Shown, steps: Steps) -> Candidate:
        """See :class:`Transformation`."""
        order = steps[0].get("order") if len(steps) == 1 else None
        if not isinstance(order, list) or any(type(place) is not int for place in order):
            raise StepError("there must be one step with an order")
        if sorted(order) != list(range(len(self._labels))):
            raise StepError(f"the order must hold each position below {len(self._labels)} once")
        return self._candidate(shown, order)

    def smaller(self, steps: Steps) -> Iterator[Steps]:
        """Orders that are one adjacent swap closer to the contract's, but not the contract's itself."""
        order = steps[0]["order"]
        for place in range(len(order) - 1):
            if order[place] > order[place + 1]:
                closer = [*order[:place], order[place + 1], order[place], *order[place + 2 :]]
                if closer != sorted(closer):
                    yield ({"order": closer},)


def _permutation(rank: int, size: int) -> list[int]:
    """The permutation of a rank from 0 in lexicographic order (Lehmer's code)."""
    left = list(range(size))
    order = []
    for place in range(size, 0, -1):
        index, rank = divmod(rank, math.factorial(place - 1))
        order.append(left.pop(index))
    return order
