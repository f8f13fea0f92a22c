"""Columns of production records: what is checked and computed of many of them at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

UNKNOWN: Final = -1
# A sum over a thousand labels is rounded by less than this.
_ROUNDING: Final = 1e-12
_MOST_LABELS: Final = 1000


class Batch(NamedTuple):
    """Columns of some records; see :class:`robust.records.production_record.ProductionRecord`.

    What is not known is :data:`UNKNOWN` in columns of small numbers, and NaN in others.
    """

    confidence: NDArray[np.float64]
    share: NDArray[np.float64]
    brier: NDArray[np.float64]
    right: NDArray[np.int8]
    action: NDArray[np.int8]
    fallback: NDArray[np.int8]
    latency_ms: NDArray[np.float64]
    cost: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.confidence)


def joined(batches: Sequence[Batch]) -> Batch:
    """Several batches as one."""
    import numpy as np

    return Batch(*map(np.concatenate, zip(*batches, strict=True)))


def shares_of(
    values: Sequence[float], labels: int, tolerance: float, *, checked: bool = False
) -> NDArray[np.float64] | None:
    """Distributions as a table of shape (records, labels); None where one of them is not seen to be in order.

    Args:
        values: the probabilities of all records, one record after the other; numbers of the built-in types.
        labels: how many labels there are.
        tolerance: how far a sum may be from 1.
        checked: whether each was looked at by itself and is in order.
    """
    import numpy as np

    if checked:
        return np.array(values, np.float64).reshape(-1, labels)
    if labels > _MOST_LABELS:
        return None
    try:
        shares = np.array(values, np.float64).reshape(-1, labels)
    except (OverflowError, ValueError):
        return None
    # Also false of NaN. What is at the edge of the tolerance is left to an exact sum.
    if not (shares.min() >= 0 and bool((np.abs(shares.sum(axis=1) - 1) <= tolerance - _ROUNDING).all())):
        return None
    return shares


def measured(values: Sequence[float | None], most: float) -> NDArray[np.float64] | None:
    """Numbers, NaN where there is None; None where one of them is not from 0 to ``most``."""
    import numpy as np

    try:
        numbers = np.array(values, np.float64)
    except (OverflowError, ValueError):
        return None
    known = numbers[~np.isnan(numbers)]
    if len(known) and not (known.min() >= 0 and known.max() <= most):
        return None
    return numbers


class Told(NamedTuple):
    """What records tell in small numbers, each :data:`UNKNOWN` where it is not told.

    Attributes:
        outcome: the position of the right label.
        correct: 1 where the selected label is said to be right, 0 where not.
        action: the position of the action.
        fallback: 1 where a fallback is said to have been taken, 0 where not.
    """

    outcome: Sequence[int]
    correct: Sequence[int]
    action: Sequence[int]
    fallback: Sequence[int]


def batch_of(
    shares: NDArray[np.float64],
    told: Told,
    latency_ms: NDArray[np.float64],
    cost: NDArray[np.float64],
    *,
    fallback_action: int,
) -> Batch | None:
    """The columns of records; None where one of them contradicts itself.

    Args:
        shares: their distributions, of shape (records, labels).
        told: what they tell.
        latency_ms: in milliseconds, NaN where it is not known.
        cost: in any unit, NaN where it is not known.
        fallback_action: the position of the action that is a fallback.
    """
    import numpy as np

    confidence = shares.max(axis=1)
    places = np.array(told.outcome, np.int64)
    known = np.flatnonzero(places != UNKNOWN)
    share, brier = np.full(len(shares), np.nan), np.full(len(shares), np.nan)
    if len(known):
        share[known] = shares[known, places[known]]
        brier[known] = _brier(shares[known], share[known])
    action = np.array(told.action, np.int8)
    right = _agreed(places != UNKNOWN, places == shares.argmax(axis=1), np.array(told.correct, np.int8))
    fallback = _agreed(action != UNKNOWN, action == fallback_action, np.array(told.fallback, np.int8))
    if right is None or fallback is None:
        return None
    return Batch(confidence, share, brier, right, action, fallback, latency_ms, cost)


def _brier(shares: NDArray[np.float64], right: NDArray[np.float64]) -> NDArray[np.float64]:
    """The multi-class Brier score of each distribution: Σ p² of all labels but the right one, and (1 − p)² of that.

    Summed label by label, which every machine does alike.
    """
    squares = shares * shares
    total = squares[:, 0].copy()
    for label in range(1, shares.shape[1]):
        total += squares[:, label]
    misses = 1 - right
    return total - right * right + misses * misses


def _agreed(known: NDArray[np.bool_], holds: NDArray[np.bool_], told: NDArray[np.int8]) -> NDArray[np.int8] | None:
    """What follows where something is known, and what is told elsewhere; None where one contradicts the other."""
    import numpy as np

    if bool((known & (told != UNKNOWN) & (told != holds)).any()):
        return None
    return np.where(known, holds, told).astype(np.int8)
