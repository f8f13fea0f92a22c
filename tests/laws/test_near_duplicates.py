"""The law of the join: it finds just the pairs that looking at all of them finds."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from robust import Case
from robust.manifest.near_duplicates import near_duplicates
from robust.manifest.shingles import Shingles
from robust.records.manifest import CaseEntry

# Few words, so that many inputs are near each other, and some words that are in one split alone.
sentences = st.lists(st.sampled_from(list("abcdefg")), max_size=12).map(" ".join)
thresholds = st.one_of(st.sampled_from([0.1, 0.25, 1 / 3, 0.5, 0.6, 0.75, 0.8, 0.9, 1.0, 1]), st.floats(0.01, 1.0))
cases = st.lists(st.tuples(sentences, st.sampled_from(["dev", "test", "hold"])), max_size=14)


def entries(drawn: list[tuple[str, str]]) -> list[CaseEntry]:
    return [
        CaseEntry(Case(text, case_id=f"c{number:02}", source_id="s"), split, None, None)
        for number, (text, split) in enumerate(drawn)
    ]


def all_pairs(found: list[CaseEntry], threshold: float, words: int) -> dict[tuple[str, str], Fraction]:
    """Every pair that is similar enough, by the definition."""
    shingles = Shingles(words)
    sets = [(entry, shingles.of(entry.case.input)) for entry in found]
    similar = {}
    for (one, first), (other, second) in combinations(sets, 2):
        if one.split != other.split and first and second:
            similarity = Fraction(len(first & second), len(first | second))
            if similarity >= Fraction(str(threshold)):
                similar[one.case.case_id, other.case.case_id] = similarity
    return similar


@given(cases, thresholds, st.integers(1, 4))
def test_the_join_finds_what_brute_force_finds(drawn: list[tuple[str, str]], threshold: float, words: int) -> None:
    """Each pair once, with its similarity."""
    made = entries(drawn)
    found = list(near_duplicates(made, threshold=threshold, words=words))
    expected = all_pairs(made, threshold, words)
    assert {(item.first, item.second): item.similarity for item in found} == {
        pair: float(similarity) for pair, similarity in expected.items()
    }
    assert len(found) == len(expected)


@given(cases, thresholds, st.randoms())
def test_the_order_of_the_cases_makes_no_difference(
    drawn: list[tuple[str, str]], threshold: float, random: Any
) -> None:
    """The same findings in the same order."""
    made = entries(drawn)
    mixed = list(made)
    random.shuffle(mixed)
    assert list(near_duplicates(mixed, threshold=threshold)) == list(near_duplicates(made, threshold=threshold))
