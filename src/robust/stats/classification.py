"""Classification metrics from a confusion matrix."""

from __future__ import annotations

import math
from collections.abc import Mapping

Confusion = Mapping[str, Mapping[str, int]]


def accuracy(confusion: Confusion) -> float | None:
    """Share of decided, labelled cases whose selected label is the expected one; None without such a case."""
    total = sum(sum(row.values()) for row in confusion.values())
    right = sum(row.get(label, 0) for label, row in confusion.items())
    return right / total if total else None


def macro_f1(confusion: Confusion) -> float | None:
    """The mean F1 over labels that occur as expected or as selected; undefined ratios count as 0.

    Args:
        confusion: counts by expected label, then by selected label.
    """
    expected = {label: sum(row.values()) for label, row in confusion.items()}
    selected: dict[str, int] = {}
    for row in confusion.values():
        for label, count in row.items():
            selected[label] = selected.get(label, 0) + count
    occurring = [label for label in {**expected, **selected} if expected.get(label, 0) + selected.get(label, 0)]
    if not occurring:
        return None
    scores = []
    for label in sorted(occurring):
        hits = confusion.get(label, {}).get(label, 0)
        scores.append(2 * hits / (expected.get(label, 0) + selected.get(label, 0)))
    return math.fsum(scores) / len(scores)
