"""Proper scores of distributions, and how well confidence matches accuracy."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from robust.stats.exact_sum import exact_mean

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# The least probability that the logarithm is taken of, so that one sure miss costs 34.5 and not infinity.
NLL_FLOOR: Final = 1e-15
_LN_2: Final = 0.6931471805599453
_SQRT_HALF: Final = 0.7071067811865476
# With |ratio| ≤ 0.1716 the next term is below 1e-19.
_LAST_ODD: Final = 23


def brier_scores(distributions: NDArray[np.float64], shares: NDArray[np.float64]) -> NDArray[np.float64]:
    """The multi-class Brier score of each distribution, 0–2: Σ (p − y)² (Brier 1950).

    Summed from the least probable label up, so that the order of the labels makes no difference.

    Args:
        distributions: of shape (cases, labels); the order of the labels may differ between cases.
        shares: the probability of each case's right label, which is one of its distribution.
    """
    import numpy as np

    others = np.sort(distributions, axis=1)
    rows = np.arange(len(others))
    others[rows, np.argmax(others == shares[:, np.newaxis], axis=1)] = 0
    scores = np.zeros(len(others))
    for label in range(others.shape[1]):
        scores += others[:, label] * others[:, label]
    misses = 1 - shares
    return scores + misses * misses


def negative_logs(shares: NDArray[np.float64]) -> NDArray[np.float64]:
    """The negative natural logarithm of each probability, of :data:`NLL_FLOOR` where it is smaller.

    Computed from additions, products and quotients alone, which IEEE 754 fixes: the logarithm of a C library differs
    between platforms in its last bit, and a report must be derived again anywhere. By log m = 2 artanh((m−1)/(m+1)) on
    the mantissa m in [√½, √2).
    """
    import numpy as np

    mantissa, exponent = np.frexp(np.maximum(shares, NLL_FLOOR))
    small = mantissa < _SQRT_HALF
    mantissa = np.where(small, 2 * mantissa, mantissa)
    ratio = (mantissa - 1) / (mantissa + 1)
    square = ratio * ratio
    series = np.zeros_like(ratio)
    for odd in range(_LAST_ODD, 0, -2):
        series = series * square + 1 / odd
    logs: NDArray[np.float64] = -((exponent - small) * _LN_2 + 2 * ratio * series)
    return logs


@dataclass(frozen=True, slots=True)
class ReliabilityBin:
    """The cases whose confidence is in (lower, upper]; the first bin also holds 0, the last what is above 1."""

    lower: float
    upper: float
    count: int
    mean_confidence: float | None
    accuracy: float | None


def reliability(confidences: NDArray[np.float64], correct: NDArray[np.bool_], bins: int) -> list[ReliabilityBin]:
    """The reliability table over bins of equal width, bin *i* holding (i/bins, (i+1)/bins] (Guo et al. 2017).

    Args:
        confidences: the probability of the selected label, of each case.
        correct: whether that label was the right one.
        bins: how many bins; empty ones stand in the table too.
    """
    import numpy as np

    edges = [(index + 1) / bins for index in range(bins)]
    members = np.minimum(np.searchsorted(edges, confidences, side="left"), bins - 1)
    order = np.argsort(members, kind="stable")
    ordered: list[float] = confidences[order].tolist()
    counts: list[int] = np.bincount(members, minlength=bins).tolist()
    hits: list[int] = np.bincount(members[correct], minlength=bins).tolist()
    table, start = [], 0
    for index, (count, right) in enumerate(zip(counts, hits, strict=True)):
        mean = exact_mean(ordered[start : start + count])
        accuracy = right / count if count else None
        table.append(ReliabilityBin(index / bins, edges[index], count, mean, accuracy))
        start += count
    return table


def expected_calibration_error(table: Sequence[ReliabilityBin]) -> float | None:
    """Σ count/n · |accuracy − mean confidence| over bins (Naeini et al. 2015), 0–1; None of no case."""
    total = sum(row.count for row in table)
    if not total:
        return None
    return math.fsum(
        row.count / total * abs(row.accuracy - row.mean_confidence)
        for row in table
        if row.accuracy is not None and row.mean_confidence is not None
    )
