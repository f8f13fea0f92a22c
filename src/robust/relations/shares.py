"""Shares of cases, of trials or of inputs, with their exact intervals."""

from __future__ import annotations

from typing import Final

from robust.records.judge_bias import ShareOfCases
from robust.stats.intervals import clopper_pearson

_CONFIDENCE: Final = 0.95


def share_of_cases(hits: int, cases: int) -> ShareOfCases:
    """A share with its exact 95 % interval (Clopper & Pearson 1934); of no case it is 0 to 1."""
    low, high = clopper_pearson(hits, cases, _CONFIDENCE) if cases else (0.0, 1.0)
    return ShareOfCases(hits=hits, cases=cases, low=low, high=high)
