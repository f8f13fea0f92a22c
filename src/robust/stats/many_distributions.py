"""Many distributions looked at together, column by column."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

# Far more than what adding up numbers from 0 to 1 in double precision can be off by, for any number of labels.
_DOUBT: Final = 1e-9


def most_probable(columns: Sequence[Sequence[float]], edge: float) -> list[int] | None:
    """The position of the first of the most probable labels of each distribution; None unless all are distributions.

    Args:
        columns: for each label, its probability in every distribution; all finite.
        edge: how far from 1 the exact sum of a distribution may be.
    """
    import numpy as np

    table = np.array(columns, np.float64)
    if table.min() < 0 or table.max() > 1:
        return None
    off = np.abs(table.sum(axis=0) - 1)
    # Where rounding could decide, the exact sum does.
    doubtful = np.flatnonzero(off > edge - _DOUBT)
    if any(abs(math.fsum(table[:, row].tolist()) - 1) > edge for row in doubtful):
        return None
    chosen: list[int] = table.argmax(axis=0).tolist()
    return chosen
