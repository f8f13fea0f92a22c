"""Classification metrics from a confusion matrix: counts by expected label, then by selected label."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

Confusion = Mapping[str, Mapping[str, int]]


@dataclass(frozen=True, slots=True)
class LabelScores:
    """How well one label is found: each score 0–1, undefined ratios 0; support is how often it was right."""

    precision: float
    recall: float
    f1: float
    support: int


def accuracy(confusion: Confusion) -> float | None:
    """Share of decided, labelled cases whose selected label is the expected one; None without such a case."""
    total = sum(sum(row.values()) for row in confusion.values())
    right = sum(row.get(label, 0) for label, row in confusion.items())
    return right / total if total else None


def label_scores(confusion: Confusion, labels: Iterable[str]) -> dict[str, LabelScores]:
    """Precision, recall, F1 and support of each label; undefined ratios count as 0."""
    selected = _times_selected(confusion)
    scores = {}
    for label in labels:
        row = confusion.get(label, {})
        hits, support, claimed = row.get(label, 0), sum(row.values()), selected.get(label, 0)
        uses = support + claimed
        scores[label] = LabelScores(
            precision=hits / claimed if claimed else 0.0,
            recall=hits / support if support else 0.0,
            f1=2 * hits / uses if uses else 0.0,
            support=support,
        )
    return scores


def macro_f1(confusion: Confusion) -> float | None:
    """The mean F1 over labels that occur as expected or as selected; undefined ratios count as 0."""
    expected = {label for label, row in confusion.items() if any(row.values())}
    occurring = expected | {label for label, count in _times_selected(confusion).items() if count}
    if not occurring:
        return None
    return math.fsum(score.f1 for score in label_scores(confusion, occurring).values()) / len(occurring)


def _times_selected(confusion: Confusion) -> dict[str, int]:
    counts: dict[str, int] = {}
    for row in confusion.values():
        for label, count in row.items():
            counts[label] = counts.get(label, 0) + count
    return counts
