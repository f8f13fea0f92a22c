"""Whether transformed cases break a limit more than the base, asked again, breaks it: an exchange test."""

from __future__ import annotations

import math
from array import array
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from robust.stats.outcome_kinds import Kinds, kinds_of_labels, kinds_of_matrix
from robust.stats.random_sums import Spread, random_sums
from robust.stats.relabelling import Relabellings, all_relabellings, some_relabellings

if TYPE_CHECKING:
    from numpy.random import BitGenerator

DRAWS: Final = 9_999
# Scores that are equal but for rounding are.
_TIE: Final = 1e-12
_SEEDS: Final = 1 << 128
_KEYS: Final = 1 << 64


@dataclass(frozen=True, slots=True)
class ExchangeTest:
    """What the exchange test found.

    Attributes:
        statistic: the share of pairs of a base and a transformed trial that break the limit, of each case, averaged
            over the cases of each source group, then over groups.
        p_value: how likely so high a score is if base and transformed trials do not differ.
        smallest_p: the smallest p value that these cases could have shown; 1 where no case could show anything.
    """

    statistic: float
    p_value: float
    smallest_p: float


@dataclass(slots=True)
class _Part:
    """Cases with as many trials, in groups of as many cases: their whole numbers may be added."""

    pairs: int
    unit: int
    breaks: int = 0
    observed: int = 0
    lowest: int = 0
    spreads: Counter[tuple[int, Spread]] = field(default_factory=Counter)


# How many cases share the group, base and transformed trials; what such cases have.
_Sized = tuple[tuple[int, int, int], _Part]


class Exchange:
    """The exchange test of one property, taken in case by case.

    Under the hypothesis that a transformation changes nothing, all trials of a case are independent answers to one
    question, so that any of its trials could as well have been the base ones. Within each case the labels are drawn
    anew, and p = (1 + draws that score at least as high as what was observed) / (1 + draws) (Phipson & Smyth 2010,
    Statistical Applications in Genetics and Molecular Biology 9, article 39). That is exact for any number of trials,
    of cases and of cases in a group. :class:`~robust.stats.relabelling.Relabellings` says what the score of a case is;
    scores are averaged within source groups, then over groups.

    The score of a draw is a sum over cases, so what is kept of a case is the distribution of its score over
    relabellings: 12 bytes and, once for all cases that are alike, that distribution. Sums over cases that are alike are
    drawn at once, from the exact distribution of such a sum.

    The result depends on the seed and on the cases, not on their order, nor on the numbers of their groups. Random
    words are those of numpy's Philox, whose stream is the same in every version; no other random function is used.

    Args:
        seed: 0 to 2¹²⁸ − 1.
        draws: how often labels are drawn.

    Raises:
        ValueError: the seed is outside of its range, or there are no draws.
    """

    def __init__(self, seed: int, draws: int = DRAWS) -> None:
        if not 0 <= seed < _SEEDS or draws < 1:
            raise ValueError(f"a seed is a number of 128 bits, and there is at least one draw: {seed}, {draws}")
        self._seed = seed
        self._draws = draws
        self._groups = array("q")
        self._cases = array("i")
        self._known: dict[Relabellings, int] = {}

    def __len__(self) -> int:
        return len(self._cases)

    def add(self, group: int, base_trials: int, breaks: Sequence[Sequence[bool]], key: int) -> None:
        """Take in a case, each base case once, with the trials of all its transformed forms.

        Args:
            group: the number of its source group.
            base_trials: how many of the outcomes are of base trials, which come first.
            breaks: whether outcome j as the transformed one breaks the limit against outcome i as the base one; what
                stands where i = j does not matter.
            key: a number of 64 bits, another one for each case, such as the start of a digest of its id. It matters
                only where there are too many relabellings to look at all, and keeps order from mattering there.

        Raises:
            ValueError: there is no base or no transformed trial, the matrix is not square, or the key is out of range.
        """
        self._add(group, *kinds_of_matrix(base_trials, breaks), key)

    def add_labels(self, group: int, base: Sequence[str], transformed: Sequence[str], key: int) -> None:
        """Take in a case whose pairs break if their labels differ, as :meth:`add` does, but faster.

        Args:
            group: the number of its source group.
            base: the label that each base trial selected.
            transformed: the label that each transformed trial selected.
            key: as in :meth:`add`.

        Raises:
            ValueError: there is no base or no transformed trial, or the key is out of range.
        """
        self._add(group, *kinds_of_labels(base, transformed), key)

    def result(self) -> ExchangeTest | None:
        """What the cases show; None of no case."""
        import numpy as np

        parts, groups = self._parts()
        if not parts:
            return None
        stream = self._stream(0)
        # The observed labelling comes first, so that it is rounded as every draw is.
        totals = np.zeros(self._draws + 1)
        for (size, *_), part in parts:
            scores = np.full(self._draws + 1, part.lowest, dtype=np.int64)
            scores[0] = part.observed
            for (step, spread), times in sorted(part.spreads.items()):
                scores[1:] += step * random_sums(spread, times, stream, self._draws)
            totals += scores / float(part.unit * size * groups)
        reached = int(np.count_nonzero(totals[1:] >= totals[0] - _TIE))
        p_value = (1 + reached) / (1 + self._draws)
        statistic = math.fsum(part.breaks / (part.pairs * size) for (size, *_), part in parts) / groups
        # What was reached could be, even where chance drew the highest score more seldom than it is.
        return ExchangeTest(statistic, p_value, min(p_value, self._smallest(parts)))

    def _add(self, group: int, kinds: Kinds, breaks: bytes, key: int) -> None:
        if not 0 <= key < _KEYS:
            raise ValueError(f"a key is a number of 64 bits: {key}")
        if not any(before for before, _ in kinds) or not any(after for _, after in kinds):
            raise ValueError("a case needs a base and a transformed trial")
        found = all_relabellings(kinds, breaks) or some_relabellings(kinds, breaks, self._stream(1, key))
        self._groups.append(group)
        self._cases.append(self._known.setdefault(found, len(self._known)))

    def _stream(self, use: int, key: int = 0) -> BitGenerator:
        """Random words of their own: the counter's low half counts them, its high half says what they are for."""
        from numpy.random import Philox

        return Philox(key=self._seed, counter=use << 192 | key << 128)

    def _parts(self) -> tuple[list[_Sized], int]:
        """The cases by how many share their group and how many trials they have, in order; and the number of groups."""
        import numpy as np

        _, members, sizes = np.unique(np.array(self._groups), return_inverse=True, return_counts=True)
        known = list(self._known)
        cells = sizes[members] * len(known) + np.array(self._cases, dtype=np.int64)
        parts: dict[tuple[int, int, int], _Part] = {}
        for cell, times in zip(*(each.tolist() for each in np.unique(cells, return_counts=True)), strict=True):
            size, case = divmod(cell, len(known))
            found = known[case]
            trials = found.base_trials, found.transformed_trials
            part = parts.setdefault((size, *trials), _Part(found.pairs, found.unit))
            part.breaks += times * found.breaks
            part.observed += times * found.observed
            part.lowest += times * found.lowest
            if len(found.values) > 1:
                part.spreads[found.step, (found.values, found.counts)] += times
        return sorted(parts.items(), key=lambda item: item[0]), len(sizes)

    def _smallest(self, parts: list[_Sized]) -> float:
        """The chance of the highest score, which is the highest of every case; at least what draws can show."""
        least, chance = 1 / (1 + self._draws), 1.0
        for _, part in parts:
            for (_, (_, counts)), times in sorted(part.spreads.items()):
                for _ in range(times):
                    chance *= counts[-1] / sum(counts)
                    if chance <= least:
                        return least
        return chance
