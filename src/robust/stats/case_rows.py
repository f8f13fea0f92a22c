"""One row of numbers for each case, taken in fast and kept small."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Final

from robust.stats.calibration import brier_scores

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# Group, position of the expected and of the selected label, confidence, share of the expected label; then Brier score.
Row = tuple[int, int, int, float, float]
COLUMNS: Final = 6
NONE: Final = -1
_BLOCK_ROWS: Final = 1024
_BLOCK_SHARES: Final = 100_000
# Fewer are taken in one by one, to be packed with others.
_FEWEST_AT_ONCE: Final = 64


def _taken(blocks: list[NDArray[np.float64]]) -> Iterator[NDArray[np.float64]]:
    """Some blocks from the first on, each of which is left to whoever takes it."""
    blocks.reverse()
    while blocks:
        yield blocks.pop()


class CaseRows:
    """Keeps 48 bytes of each case, and hands all of them over as one table.

    Rows wait until there are enough of them to be worth packing.

    Args:
        labels: how many labels a distribution has.
    """

    def __init__(self, labels: int) -> None:
        self._labels = labels
        self._block = max(1, min(_BLOCK_ROWS, _BLOCK_SHARES // labels))
        self._waiting: list[Row] = []
        self._distributions: list[Collection[float]] = []
        self._packed: list[NDArray[np.float64]] = []
        self._count = 0

    def __len__(self) -> int:
        return self._count + len(self._waiting)

    def add(self, row: Row, distribution: Collection[float] | None) -> None:
        """Take in a case.

        Args:
            row: the group, the positions of the expected and of the selected label (:data:`NONE` where there is none),
                the confidence, and the probability of the expected label.
            distribution: the probabilities of all labels, in any order; given exactly where both labels are.
        """
        if distribution is not None:
            self._distributions.append(distribution)
        waiting = self._waiting
        waiting.append(row)
        if len(waiting) >= self._block:
            self._pack()

    def extend(self, groups: Sequence[int], expected: Sequence[int], distributions: Sequence[Sequence[float]]) -> None:
        """Take in cases that all have both labels, as :meth:`add` does one by one.

        Args:
            groups: the group of each.
            expected: the positions of the expected labels.
            distributions: the probabilities, in the order of the labels; selected is the first of the most probable.
        """
        if min(len(groups), self._block) < _FEWEST_AT_ONCE:
            for group, right, values in zip(groups, expected, distributions, strict=True):
                confidence = max(values)
                self.add((group, right, values.index(confidence), confidence, values[right]), values)
            return
        if self._waiting:
            self._pack()
        for start in range(0, len(groups), self._block):
            part = slice(start, start + self._block)
            self._pack_scored(groups[part], expected[part], distributions[part])

    def _pack_scored(
        self, groups: Sequence[int], expected: Sequence[int], distributions: Sequence[Sequence[float]]
    ) -> None:
        import numpy as np

        shares = np.fromiter(chain.from_iterable(distributions), np.float64).reshape(-1, self._labels)
        block = np.empty((len(groups), COLUMNS))
        block[:, 0], block[:, 1] = groups, expected
        block[:, 2] = shares.argmax(axis=1)
        block[:, 3] = shares.max(axis=1)
        block[:, 4] = shares[np.arange(len(groups)), expected]
        block[:, 5] = brier_scores(shares, block[:, 4])
        self._keep(block)

    def table(self) -> NDArray[np.float64]:
        """A row of :data:`COLUMNS` numbers for each case, in the order in which they came; each column in one piece."""
        import numpy as np

        if self._waiting:
            self._pack()
        if len(self._packed) != 1 or not self._packed[0].flags.f_contiguous:
            whole = np.empty((self._count, COLUMNS), order="F")
            start = 0
            # Each block goes as soon as it is copied, so that no row is held twice.
            for block in _taken(self._packed):
                whole[start : start + len(block)] = block
                start += len(block)
            self._packed.append(whole)
        return self._packed[0]

    def _pack(self) -> None:
        import numpy as np

        block = np.zeros((len(self._waiting), COLUMNS))
        block[:, :-1] = np.fromiter(chain.from_iterable(self._waiting), np.float64).reshape(-1, COLUMNS - 1)
        scored = (block[:, 1] != NONE) & (block[:, 2] != NONE)
        shares = np.fromiter(chain.from_iterable(self._distributions), np.float64).reshape(-1, self._labels)
        block[scored, -1] = brier_scores(shares, block[scored, -2])
        self._keep(block)
        self._waiting.clear()
        self._distributions.clear()

    def _keep(self, block: NDArray[np.float64]) -> None:
        self._packed.append(block)
        self._count += len(block)
