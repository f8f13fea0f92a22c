"""What the relabellings of one case give, against values worked out by hand and against every one of them."""

from __future__ import annotations

import pytest
from numpy.random import Philox

from robust.stats.outcome_kinds import Kinds, kinds_of_labels, kinds_of_matrix
from robust.stats.relabelling import RELABELLINGS, Relabellings, all_relabellings, some_relabellings


def _labelled(base: str, transformed: str) -> Relabellings:
    found = all_relabellings(*kinds_of_labels(base, transformed))
    assert found is not None
    return found


def test_a_case_worked_out_by_hand() -> None:
    """AAB then A: if the B is the transformed one, 1 way of 4, 3/3 pairs differ across and none within: 2x − w = 2.

    Else 1/3 and, among the base, 2/3: 0. In parts of 3 · 1 · 2.
    """
    found = _labelled("AAB", "A")
    assert (found.pairs, found.unit, found.breaks) == (3, 6, 1)
    assert (found.lowest, found.step, found.values, found.counts, found.observed) == (0, 12, (0, 1), (3, 1), 0)


def test_a_case_that_could_have_shown_more() -> None:
    """AB then AB: 2/4 across, 1 within: 0. In 2 of 6 ways the As are on one side: 2. In parts of 2 · 2 · 1."""
    found = _labelled("AB", "AB")
    assert (found.pairs, found.unit, found.breaks) == (4, 4, 2)
    assert (found.lowest, found.step, found.values, found.counts, found.observed) == (0, 8, (0, 1), (2, 1), 0)


def test_a_flip_scores_more_among_transformed_trials_also_where_those_are_the_larger_part() -> None:
    """One B among 100 base and 300 transformed trials: 2 · 100/30,000, or 2 · 300/30,000 − 198/9,900 = 0, 1 way of 4.

    By the share across alone it would score more among the base trials.
    """
    found = _labelled("A" * 100, "A" * 299 + "B")
    assert (found.breaks, found.unit) == (100, 30_000 * 99)
    assert found.observed == found.lowest + found.step == 200 * 99
    assert (found.lowest, found.values, found.counts) == (0, (0, 1), (1, 3))


@pytest.mark.parametrize(("base", "transformed"), [("A", "B"), ("AAA", "AA"), ("ABC", "D")])
def test_some_cases_say_nothing(base: str, transformed: str) -> None:
    """One trial each, no flip at all, all labels different."""
    found = _labelled(base, transformed)
    assert (found.values, found.step, found.lowest) == ((0,), 1, found.observed)


def test_one_trial_each_says_something_where_direction_matters() -> None:
    """A level that falls from 1 to 0 breaks, and relabelled it rises; without a second base trial the score is 2x."""
    found = all_relabellings(*kinds_of_matrix(1, [[False, True], [False, False]]))
    assert found is not None
    assert (found.pairs, found.unit, found.breaks) == (1, 1, 1)
    assert (found.lowest, found.step, found.values, found.counts, found.observed) == (0, 2, (0, 1), (1, 1), 2)


def _spread_out(base: int, transformed: int) -> tuple[Kinds, bytes]:
    """Numbers 0, 1, 2 …, of which two are too far apart if they differ by more than a third of all."""
    size = base + transformed
    return kinds_of_matrix(base, [[3 * abs(i - j) > size for j in range(size)] for i in range(size)])


@pytest.mark.parametrize(("base", "transformed"), [(5, 20), (100, 20), (2, 300)])
def test_what_is_too_much_to_count_is_not_counted(base: int, transformed: int) -> None:
    """C(25, 5) is 53,130."""
    assert all_relabellings(*_spread_out(base, transformed)) is None


def _shares(found: Relabellings) -> dict[int, float]:
    """The share of relabellings that have a score."""
    total = sum(found.counts)
    pairs = zip(found.values, found.counts, strict=True)
    return {found.lowest + found.step * value: count / total for value, count in pairs}


@pytest.mark.parametrize(
    ("kinds", "breaks"),
    [
        _spread_out(5, 8),
        # So many trials that not all words are in memory at once.
        kinds_of_labels("AABBC", "A" * 600 + "B" * 300 + "C" * 100),
    ],
    ids=["different answers", "very many trials"],
)
def test_a_random_part_of_the_relabellings_is_like_all_of_them(kinds: Kinds, breaks: bytes) -> None:
    """Of cases that are small enough to know all."""
    every, some = all_relabellings(kinds, breaks), some_relabellings(kinds, breaks, Philox(key=1))
    assert every is not None
    assert (some.unit, some.breaks, some.observed) == (every.unit, every.breaks, every.observed)
    assert sum(some.counts) == RELABELLINGS
    due, found = _shares(every), _shares(some)
    for value in {*due, *found}:
        # Five standard errors of a share of one half at most.
        assert found.get(value, 0) == pytest.approx(due.get(value, 0), abs=2.5 / RELABELLINGS**0.5)


def test_the_observed_labelling_is_one_of_the_random_part() -> None:
    """Where it is one of millions, it would not be drawn; without it the smallest p value would be too small."""
    kinds, breaks = kinds_of_matrix(15, [[(i < 15) != (j < 15) for j in range(30)] for i in range(30)])
    found = some_relabellings(kinds, breaks, Philox(key=1))
    assert found.breaks == found.pairs
    assert found.observed == 2 * found.unit == found.lowest + found.step * found.values[-1]
    assert found.counts[-1] == 1
    assert sum(found.counts) == RELABELLINGS
