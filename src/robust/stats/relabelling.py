"""What the answers to one case would show if they were labelled base and transformed otherwise."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from robust.stats.outcome_kinds import Kinds, observed_breaks

if TYPE_CHECKING:
    import numpy as np
    from numpy.random import BitGenerator
    from numpy.typing import NDArray

# Where there are more ways to relabel a case, so many of them stand for all.
RELABELLINGS: Final = 2048
_BLOCK_WORDS: Final = 1 << 20
_FEW_KINDS: Final = 16
_MANY_KINDS: Final = 256


@dataclass(frozen=True, slots=True)
class Relabellings:
    """How high each relabelling of a case scores, all relabellings being equally likely.

    The score is 2x − w: x is the share of pairs of a base and a transformed trial that break, w the share of ordered
    pairs of two base trials that do. With w′, the same of transformed trials, it is (2x − w − w′) + w′: how far answers
    moved (the energy distance, Székely & Rizzo 2013, J. Stat. Plan. Inference 143, 1249–1272), and how noisy they are
    now. Twice x alone would not see noise that a transformation adds: relabelled base trials have their part of it, so
    that with more transformed trials than base ones x looks small. With one transformed trial, where pairs break in
    either direction or in none, both order relabellings alike. With one base trial there is no w; the score is 2x.

    Attributes:
        base_trials: how many base trials there are.
        transformed_trials: how many transformed trials.
        breaks: how many pairs of a base and a transformed trial break, labelled as they were.
        observed: the score of that labelling; like all scores here, in parts of :attr:`unit`.
        lowest: the lowest score of a relabelling.
        step: the greatest common divisor of what others have more; 1 where all have the same.
        values: the scores above the lowest, in steps, ascending from 0.
        counts: in what proportion relabellings have them, by whole numbers without a common divisor.
    """

    base_trials: int
    transformed_trials: int
    breaks: int
    observed: int
    lowest: int
    step: int
    values: tuple[int, ...]
    counts: tuple[int, ...]

    @property
    def pairs(self) -> int:
        """How many pairs of a base and a transformed trial there are."""
        return self.base_trials * self.transformed_trials

    @property
    def p_value(self) -> float:
        """How likely so high a score is, among these relabellings, the observed one included."""
        reached = (self.observed - self.lowest) // self.step
        hits = sum(count for value, count in zip(self.values, self.counts, strict=True) if value >= reached)
        return hits / sum(self.counts)

    @property
    def unit(self) -> int:
        """What scores are multiplied by, so that they are whole numbers."""
        return self.pairs * max(1, self.base_trials - 1)


def all_relabellings(kinds: Kinds, breaks: bytes) -> Relabellings | None:
    """Every way to choose which of the outcomes are the base ones.

    Outcomes of one kind are as good as each other, so that ways are counted by how many of each kind they choose: the
    number of ways is Π C(size, chosen) (multivariate hypergeometric).

    Args:
        kinds: of the outcomes; at least one of base trials and one of transformed trials.
        breaks: which ordered pairs of kinds break, row by row.

    Returns:
        None where there are more than :data:`RELABELLINGS` of them, or hundreds of kinds.
    """
    if len(kinds) > _MANY_KINDS or _too_many(tuple(map(sum, kinds)), sum(before for before, _ in kinds)):
        return None
    # Large cases are seldom alike, and would fill memory.
    return _remembered(kinds, breaks) if len(kinds) <= _FEW_KINDS else _counted(kinds, breaks)


def some_relabellings(kinds: Kinds, breaks: bytes, stream: BitGenerator) -> Relabellings:
    """The observed labelling and random others, :data:`RELABELLINGS` together.

    If the observed one is as likely as any other, then it is as likely as any of these to be the one that was observed
    (Hemerik & Goeman 2018, TEST 27, 811–825), so that a test among them is as exact as one among all.

    Args:
        kinds: of the outcomes; at least one of base trials and one of transformed trials.
        breaks: which ordered pairs of kinds break, row by row.
        stream: where random words come from; no other case may use it.
    """
    import numpy as np

    of_outcome = np.repeat(np.arange(len(kinds)), [sum(kind) for kind in kinds])
    size, base = len(of_outcome), sum(before for before, _ in kinds)
    observed = np.array([[before for before, _ in kinds]])
    found = Counter(_scores(kinds, breaks, observed))
    rows = max(1, _BLOCK_WORDS // size)
    for start in range(1, RELABELLINGS, rows):
        count = min(rows, RELABELLINGS - start)
        words = stream.random_raw(count * size).reshape(count, size)
        # The places of the smallest of as many random words as there are outcomes are any places alike.
        places = of_outcome[np.argpartition(words, base - 1, axis=1)[:, :base]]
        cells = places + len(kinds) * np.arange(count)[:, np.newaxis]
        chosen = np.bincount(cells.ravel(), minlength=count * len(kinds)).reshape(count, len(kinds))
        found.update(_scores(kinds, breaks, chosen))
    return _reduced(kinds, breaks, found)


def _counted(kinds: Kinds, breaks: bytes) -> Relabellings:
    chosen, ways = _choices(tuple(map(sum, kinds)), sum(before for before, _ in kinds))
    found: dict[int, int] = {}
    for score, number in zip(_scores(kinds, breaks, chosen), ways, strict=True):
        found[score] = found.get(score, 0) + number
    return _reduced(kinds, breaks, found)


_remembered = lru_cache(maxsize=1024)(_counted)


@lru_cache(maxsize=128)
def _choices(sizes: tuple[int, ...], base: int) -> tuple[NDArray[np.int64], list[int]]:
    """How many of each kind each way to choose takes, and how many choices of outcomes it stands for.

    Returns:
        A table of shape (ways, kinds), and a number for each way.
    """
    import numpy as np

    rows: list[tuple[tuple[int, ...], int]] = [((), base)]
    room = sum(sizes)
    for size in sizes:
        room -= size
        # Whoever takes too few here could not take enough of the others.
        taken = ((row, left, range(max(0, left - room), min(size, left) + 1)) for row, left in rows)
        rows = [((*row, number), left - number) for row, left, numbers in taken for number in numbers]
    ways = [math.prod(math.comb(size, number) for size, number in zip(sizes, row, strict=True)) for row, _ in rows]
    return np.array([row for row, _ in rows], dtype=np.int64), ways


@lru_cache(maxsize=1024)
def _too_many(sizes: tuple[int, ...], base: int) -> bool:
    """Whether there are more than so many ways, with every way counted once, whatever it stands for."""
    ways = [1] + [0] * base
    for size in sizes:
        ways = [sum(ways[max(0, taken - size) : taken + 1]) for taken in range(base + 1)]
        # Further kinds, of which none need be taken, only add to them.
        if ways[base] > RELABELLINGS:
            return True
    return False


def _scores(kinds: Kinds, breaks: bytes, chosen: NDArray[np.int64]) -> list[int]:
    """The score of each choice of base trials: how many of each kind, of shape (choices, kinds)."""
    import numpy as np

    # As floating point numbers, exact far beyond any count here, since products of whole matrices are fast of those.
    before = chosen.astype(np.float64)
    after = np.array([sum(kind) for kind in kinds]) - before
    matrix = np.frombuffer(breaks, dtype=np.uint8).reshape(len(kinds), len(kinds)).astype(np.float64)
    from_base = before @ matrix
    across, within = (from_base * after).sum(axis=1), (from_base * before).sum(axis=1)
    base, transformed = int(before[0].sum()), int(after[0].sum())
    scores: list[int] = (2 * max(1, base - 1) * across - transformed * within).astype(np.int64).tolist()
    return scores


def _reduced(kinds: Kinds, breaks: bytes, found: dict[int, int]) -> Relabellings:
    import numpy as np

    lowest = min(found)
    step = math.gcd(*(score - lowest for score in found)) or 1
    common = math.gcd(*found.values())
    ordered = sorted(found)
    return Relabellings(
        base_trials=sum(before for before, _ in kinds),
        transformed_trials=sum(after for _, after in kinds),
        breaks=observed_breaks(kinds, breaks),
        observed=_scores(kinds, breaks, np.array([[before for before, _ in kinds]]))[0],
        lowest=lowest,
        step=step,
        values=tuple((score - lowest) // step for score in ordered),
        counts=tuple(found[score] // common for score in ordered),
    )
