"""Near-equal inputs in different splits: an exact join on the similarity of their word shingles.

The similarity of two inputs is the Jaccard index of their sets of shingles, |A ∩ B| / |A ∪ B|. A shingle is a number of
words that follow each other. The join finds every pair from the threshold on, without looking at every pair: it looks
only for inputs that share one of their rarest shingles (prefix filter: Chaudhuri, Ganti, Kaushik, "A primitive operator
for similarity joins in data cleaning", ICDE 2006), and are long enough and share it early enough (length and positional
filters: Xiao, Wang, Lin, Yu, "Efficient similarity joins for near duplicate detection", WWW 2008).
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator
from fractions import Fraction
from math import ceil
from typing import Final, NamedTuple

from robust.errors import UsageError
from robust.manifest.shingles import Shingles
from robust.records.manifest import CaseEntry
from robust.records.near_duplicates import NearDuplicate

# One word changed in the middle of seven leaves 4 of 8 pairs of words.
DEFAULT_THRESHOLD: Final = 0.5
DEFAULT_WORDS: Final = 2
MAX_WORDS: Final = 20
# Some minutes. Of 100,000 texts made of the same few words every pair would have to be looked at.
MAX_COMPARISONS: Final = 50_000_000


class TooManyComparisons(UsageError):
    """A search was given up, whatever it had found by then."""


def check_settings(threshold: float, words: int, max_comparisons: int = MAX_COMPARISONS) -> None:
    """Check a threshold, a number of words, and a number of comparisons.

    Raises:
        UsageError: one of them makes no sense.
    """
    if isinstance(threshold, bool) or not isinstance(threshold, int | float) or not 0 < threshold <= 1:
        message = f"must be above 0 and at most 1, not {threshold!r}"
        raise UsageError.of(
            "bad_threshold", message, path="threshold", hint="0.5 finds short texts that differ in one word"
        )
    if type(words) is not int or not 1 <= words <= MAX_WORDS:
        raise UsageError.of("bad_words", f"must be an integer from 1 to {MAX_WORDS}, not {words!r}", path="words")
    if type(max_comparisons) is not int or max_comparisons < 1:
        message = f"must be an integer from 1 on, not {max_comparisons!r}"
        raise UsageError.of("bad_comparisons", message, path="max_comparisons")


class _Item(NamedTuple):
    """A case with its shingles, as ranks in ascending order: the rarest first."""

    case_id: str
    split: str
    ranks: array[int]


def near_duplicates(
    entries: Iterable[CaseEntry],
    *,
    threshold: float = DEFAULT_THRESHOLD,
    words: int = DEFAULT_WORDS,
    max_comparisons: int = MAX_COMPARISONS,
) -> Iterator[NearDuplicate]:
    """Every pair of cases in different splits whose inputs have at least this similarity.

    Inputs without a word have no shingles, and are like nothing. The pairs come in an order that depends on nothing but
    the cases.

    Args:
        entries: the cases, in any order.
        threshold: the least similarity, above 0 and at most 1.
        words: how many words make a shingle, 1-20.
        max_comparisons: the most pairs, or groups of pairs, that are looked at.

    Raises:
        UsageError: a setting makes no sense.
        TooManyComparisons: while iterating: the inputs are so alike that the search would take too long.
    """
    check_settings(threshold, words, max_comparisons)
    items, lonely = _ranked(entries, words)
    return _join(items, lonely, Fraction(str(threshold)), max_comparisons)


def _ranked(entries: Iterable[CaseEntry], words: int) -> tuple[list[_Item], int]:
    """The cases that have shingles, those with the fewest first; and how many of the lowest ranks are of one split."""
    shingles = Shingles(words)
    places: dict[int, int] = {}
    counts = array("L")
    owners: list[str | None] = []
    found: list[_Item] = []
    names: dict[str, str] = {}
    for entry in entries:
        split = names.setdefault(entry.split, entry.split)
        own = array("L")
        for shingle in shingles.of(entry.case.input):
            place = places.setdefault(shingle, len(counts))
            if place == len(counts):
                counts.append(0)
                owners.append(split)
            counts[place] += 1
            if owners[place] is not split:
                owners[place] = None
            own.append(place)
        if own:
            found.append(_Item(entry.case.case_id, split, own))
    places.clear()
    order = sorted(range(len(counts)), key=lambda place: (owners[place] is None, counts[place]))
    ranks = array("L", bytes(len(counts) * counts.itemsize))
    for rank, place in enumerate(order):
        ranks[place] = rank
    items = [item._replace(ranks=array("L", sorted([ranks[place] for place in item.ranks]))) for item in found]
    items.sort(key=lambda item: (len(item.ranks), item.case_id))
    return items, len(owners) - owners.count(None)


class _Postings:
    """Where shingles were met: by rank, split, size of the set and place in it, so that whole lists are passed by."""

    def __init__(self, threshold: Fraction) -> None:
        self._threshold = threshold
        self._lists: dict[int, dict[tuple[str, int, int], list[int]]] = {}
        self._needed: dict[int, int] = {}

    def add(self, rank: int, item: _Item, place: int, number: int) -> None:
        """Note that the item with a number has a rank at a place."""
        key = (item.split, len(item.ranks), place)
        self._lists.setdefault(rank, {}).setdefault(key, []).append(number)

    def groups(self, rank: int) -> int:
        """How many lists :meth:`near` has to look at."""
        return len(self._lists.get(rank, ()))

    def near(self, rank: int, item: _Item, place: int, shortest: int) -> Iterator[list[int]]:
        """The numbers of items of other splits that can be near enough if this rank is the first that both have."""
        size = len(item.ranks)
        for (split, other_size, other_place), numbers in self._lists.get(rank, {}).items():
            if split != item.split and other_size >= shortest:
                most = min(size - place, other_size - other_place)
                if most >= self._common(size + other_size):
                    yield numbers

    def _common(self, sizes: int) -> int:
        """The fewest common members of two sets of so many members in all that are similar enough."""
        needed = self._needed.get(sizes)
        if needed is None:
            needed = self._needed[sizes] = ceil(self._threshold / (1 + self._threshold) * sizes)
        return needed


def _join(items: list[_Item], lonely: int, threshold: Fraction, max_comparisons: int) -> Iterator[NearDuplicate]:
    """The pairs from the threshold on.

    Args:
        items: the cases, those with the fewest shingles first.
        lonely: ranks below this are of shingles that occur in one split alone, and hence in no pair.
        threshold: the least similarity.
        max_comparisons: the most pairs and groups of pairs that are looked at.

    Raises:
        TooManyComparisons: there are more.
    """
    postings = _Postings(threshold)
    left = max_comparisons
    for number, item in enumerate(items):
        size = len(item.ranks)
        shortest = ceil(threshold * size)
        candidates: set[int] = set()
        # Of two sets that share so many members, those parts share one, whatever order the members have.
        for place, rank in enumerate(item.ranks[: size - shortest + 1]):
            if rank >= lonely:
                left -= postings.groups(rank)
                candidates.update(*postings.near(rank, item, place, shortest))
                postings.add(rank, item, place, number)
        left -= len(candidates)
        if left < 0:
            raise _given_up(number, len(items), max_comparisons)
        members = frozenset(item.ranks)
        for other in sorted(candidates):
            near = items[other]
            common = len(members.intersection(near.ranks))
            union = size + len(near.ranks) - common
            if common * threshold.denominator >= threshold.numerator * union:
                yield _finding(near, item, common / union)


def _given_up(done: int, size: int, max_comparisons: int) -> TooManyComparisons:
    message = f"the search was given up after {max_comparisons} comparisons, with {done} of {size} inputs looked at"
    hint = "take more words to a shingle or a higher threshold, or allow more (max_comparisons, --max-comparisons)"
    return TooManyComparisons.of("too_many_comparisons", message, path="max_comparisons", hint=hint)


def _finding(one: _Item, other: _Item, similarity: float) -> NearDuplicate:
    first, second = sorted((one, other), key=lambda item: item.case_id)
    return NearDuplicate(
        first=first.case_id,
        first_split=first.split,
        second=second.case_id,
        second_split=second.split,
        similarity=similarity,
    )
