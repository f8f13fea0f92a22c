"""Outcomes of the trials of one case, told apart as far as it matters which pairs of them break a limit."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache

# Of each kind of outcome: how many base trials had it, and how many transformed ones.
Kinds = tuple[tuple[int, int], ...]


def kinds_of_labels(base: Sequence[str], transformed: Sequence[str]) -> tuple[Kinds, bytes]:
    """The kinds of outcome where a pair breaks if its labels differ.

    Args:
        base: the label that each base trial selected.
        transformed: the label that each transformed trial selected.

    Returns:
        The kinds, and for each ordered pair of kinds, row by row, a byte that says whether it breaks.
    """
    before, after = Counter(base), Counter(transformed)
    kinds = tuple(sorted(((before[label], after[label]) for label in before | after), key=_larger_first))
    return kinds, _all_differ(len(kinds))


def kinds_of_matrix(base_trials: int, breaks: Sequence[Sequence[bool]]) -> tuple[Kinds, bytes]:
    """The kinds of outcome, where those that break with the same others are one.

    Args:
        base_trials: how many of the outcomes are of base trials, which come first.
        breaks: whether outcome j as the transformed one breaks the limit against outcome i as the base one; what
            stands where i = j does not matter.

    Returns:
        As :func:`kinds_of_labels` does.

    Raises:
        ValueError: the matrix is not square.
    """
    size = len(breaks)
    if any(len(row) != size for row in breaks):
        raise ValueError(f"the outcomes are {size}, and so must be the columns of every row")
    cells = bytearray(map(bool, (cell for row in breaks for cell in row)))
    cells[:: size + 1] = bytes(size)
    kinds: dict[tuple[bytes, bytes], list[int]] = {}
    for index in range(size):
        sides = bytes(cells[index * size : (index + 1) * size]), bytes(cells[index::size])
        # Its number of base and of transformed trials, and one outcome that stands for it.
        kind = kinds.setdefault(sides, [0, 0, index])
        kind[index >= base_trials] += 1
    ordered = sorted(kinds.values(), key=lambda kind: _larger_first((kind[0], kind[1])))
    between = bytes(cells[row[2] * size + column[2]] for row in ordered for column in ordered)
    return tuple((kind[0], kind[1]) for kind in ordered), between


def kinds_of_groups(counts: Sequence[tuple[int, int]], breaks: Sequence[Sequence[bool]]) -> tuple[Kinds, bytes]:
    """The kinds of outcomes of which equal ones were counted already; groups that break with the same others are one.

    Args:
        counts: of each group, how many base trials had it, and how many transformed ones.
        breaks: whether group j as the transformed one breaks the limit against group i as the base one; what stands
            where i = j does not matter.

    Returns:
        As :func:`kinds_of_labels` does.
    """
    size = len(counts)
    cells = bytearray(map(bool, (cell for row in breaks for cell in row)))
    cells[:: size + 1] = bytes(size)
    kinds: dict[tuple[bytes, bytes], list[int]] = {}
    for index, (before, after) in enumerate(counts):
        sides = bytes(cells[index * size : (index + 1) * size]), bytes(cells[index::size])
        kind = kinds.setdefault(sides, [0, 0, index])
        kind[0] += before
        kind[1] += after
    ordered = sorted(kinds.values(), key=lambda kind: _larger_first((kind[0], kind[1])))
    between = bytes(cells[row[2] * size + column[2]] for row in ordered for column in ordered)
    return tuple((kind[0], kind[1]) for kind in ordered), between


def observed_breaks(kinds: Kinds, breaks: bytes) -> int:
    """How many pairs of a base and a transformed trial break, labelled as they were."""
    size = len(kinds)
    return sum(
        before * after * breaks[row * size + column]
        for row, (before, _) in enumerate(kinds)
        for column, (_, after) in enumerate(kinds)
    )


def _larger_first(kind: tuple[int, int]) -> tuple[int, int]:
    """One order for kinds, so that cases that are alike are known to be."""
    return -sum(kind), -kind[0]


@lru_cache(maxsize=128)
def _all_differ(size: int) -> bytes:
    cells = bytearray(b"\1" * size**2)
    cells[:: size + 1] = bytes(size)
    return bytes(cells)
