"""The exchange test agrees with looking at every relabelling, and depends on the cases alone."""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction
from itertools import combinations, product
from operator import mul

from hypothesis import example, given, settings
from hypothesis import strategies as st

from robust.stats.exchange import DRAWS, Exchange
from robust.stats.flip_rate import BaseFlips
from robust.stats.multiple import holm, holm_at_best
from robust.stats.noise import judge_noise
from robust.stats.outcome_kinds import kinds_of_matrix
from robust.stats.relabelling import all_relabellings

Matrix = list[list[bool]]
Drawn = tuple[int, int, Matrix]


def _matrix(size: int) -> st.SearchStrategy[Matrix]:
    return st.lists(st.lists(st.booleans(), min_size=size, max_size=size), min_size=size, max_size=size)


# A group, a number of base trials, and which pairs break.
drawn_case = st.integers(2, 5).flatmap(
    lambda size: st.tuples(st.integers(0, 2), st.integers(1, size - 1), _matrix(size))
)
several = st.lists(drawn_case, min_size=1, max_size=3)
answers = st.lists(st.sampled_from("ABC"), min_size=1, max_size=4)
shares = st.floats(0, 1)


def _share(breaks: Matrix, pairs: list[tuple[int, int]]) -> Fraction:
    return Fraction(sum(breaks[i][j] for i, j in pairs), len(pairs)) if pairs else Fraction()


def _scores(base: int, breaks: Matrix) -> list[Fraction]:
    """2x − w of every relabelling, the observed one first."""
    places = range(len(breaks))
    return [
        2 * _share(breaks, [(i, j) for i in chosen for j in places if j not in chosen])
        - _share(breaks, [(i, j) for i in chosen for j in chosen if i != j])
        for chosen in combinations(places, base)
    ]


@given(st.integers(2, 8).flatmap(lambda size: st.tuples(st.integers(1, size - 1), _matrix(size))))
@example((2, [[i < j for j in range(20)] for i in range(20)]))
def test_the_relabellings_of_a_case_are_all_there_are(drawn: tuple[int, Matrix]) -> None:
    """Counted by kinds of outcome, they are those that choosing outcome by outcome gives, in the same proportion."""
    base, breaks = drawn
    found = all_relabellings(*kinds_of_matrix(base, breaks))
    assert found is not None
    due = _scores(base, breaks)
    times = Counter(due)
    common = math.gcd(*times.values())
    assert Fraction(found.observed, found.unit) == due[0]
    assert Fraction(found.breaks, found.pairs) == _share(breaks, list(product(range(base), range(base, len(breaks)))))
    assert {
        Fraction(found.lowest + found.step * value, found.unit): count * common
        for value, count in zip(found.values, found.counts, strict=True)
    } == times


@given(st.integers(2, 6).flatmap(lambda size: _matrix(size + 1)))
def test_with_one_transformed_trial_the_share_across_alone_orders_relabellings_alike(breaks: Matrix) -> None:
    """Where a pair breaks in both directions or in none: what is not across is within."""
    size = len(breaks)
    both = [[breaks[min(i, j)][max(i, j)] for j in range(size)] for i in range(size)]
    across = [
        _share(both, [(i, j) for i in chosen for j in range(size) if j not in chosen])
        for chosen in combinations(range(size), size - 1)
    ]
    scores = _scores(size - 1, both)
    for (one, other), (high, low) in zip(combinations(across, 2), combinations(scores, 2), strict=True):
        assert (one > other, one == other) == (high > low, high == low)


@settings(deadline=None, max_examples=50)
@given(several, st.integers(0, 2**128 - 1))
def test_the_p_value_is_that_of_all_relabellings_of_all_cases(drawn: list[Drawn], seed: int) -> None:
    """To the error that so many draws have."""
    test = Exchange(seed)
    for key, (group, base, breaks) in enumerate(drawn):
        test.add(group, base, breaks, key)
    found = test.result()
    assert found is not None
    groups = Counter(group for group, _, _ in drawn)
    weights = [Fraction(1, len(groups) * groups[group]) for group, _, _ in drawn]
    across = [_share(breaks, list(product(range(base), range(base, len(breaks))))) for _, base, breaks in drawn]
    assert abs(found.statistic - sum(map(mul, weights, across))) < 1e-12
    every = [
        sum(map(mul, weights, scores)) for scores in product(*(_scores(base, breaks) for _, base, breaks in drawn))
    ]
    exact = sum(value >= every[0] for value in every) / len(every)
    # Six standard errors, and what the observed labelling adds.
    chance = 6 * math.sqrt(exact * (1 - exact) / DRAWS) + 1 / DRAWS
    assert abs(found.p_value - exact) <= chance
    highest = every.count(max(every)) / len(every)
    assert abs(found.smallest_p - min(found.p_value, max(highest, 1 / (1 + DRAWS)))) < 1e-12
    assert found.smallest_p <= found.p_value


@settings(deadline=None, max_examples=20)
@given(several, answers, answers, st.data())
def test_the_order_of_cases_and_the_names_of_groups_leave_no_trace(
    drawn: list[Drawn], base: list[str], transformed: list[str], data: st.DataObject
) -> None:
    """To the last bit, also with a case that only a part of the relabellings is looked at of."""
    many = [[3 * abs(i - j) > 20 for j in range(20)] for i in range(20)]
    cases = [*enumerate(drawn), (90, (1, 6, many)), (91, (2, 7, many))]
    results = []
    for ordered, names in (
        (cases, range(3)),
        (data.draw(st.permutations(cases)), data.draw(st.permutations(range(3)))),
    ):
        test = Exchange(seed=11, draws=199)
        for key, (group, size, breaks) in ordered:
            test.add(names[group], size, breaks, key)
        test.add_labels(names[0], base, transformed, 92)
        results.append(test.result())
    assert results[0] == results[1]


@settings(deadline=None)
@given(st.lists(st.tuples(st.integers(0, 3), answers, answers), min_size=1, max_size=6))
def test_labels_are_the_matrix_of_those_that_differ(drawn: list[tuple[int, list[str], list[str]]]) -> None:
    """Both ways to take a case in give the same result."""
    by_label, by_matrix = Exchange(seed=12, draws=99), Exchange(seed=12, draws=99)
    for key, (group, base, transformed) in enumerate(drawn):
        by_label.add_labels(group, base, transformed, key)
        pooled = base + transformed
        by_matrix.add(group, len(base), [[a != b for b in pooled] for a in pooled], key)
    assert by_label.result() == by_matrix.result()


@given(st.lists(st.tuples(st.integers(0, 3), answers), max_size=12), st.data())
def test_the_base_flip_rate_is_that_of_its_pairs(drawn: list[tuple[int, list[str]]], data: st.DataObject) -> None:
    """Counted pair by pair; in any order of cases, to the last bit."""
    due: dict[int, list[float]] = {}
    for group, labels in drawn:
        pairs = list(combinations(labels, 2))
        if pairs:
            due.setdefault(group, []).append(sum(a != b for a, b in pairs) / len(pairs))
    rates = []
    for ordered in (drawn, data.draw(st.permutations(drawn))):
        flips = BaseFlips()
        for group, labels in ordered:
            flips.add(group, labels)
        rates.append(flips.rate)
    assert rates[0] == rates[1]
    if rates[0] is None:
        assert not due
    else:
        means = [math.fsum(values) / len(values) for values in due.values()]
        assert abs(rates[0] - math.fsum(means) / len(means)) < 1e-12


@given(st.lists(shares, max_size=8), st.data())
def test_adjusted_values_are_in_order_and_never_below_the_raw_ones(p_values: list[float], data: st.DataObject) -> None:
    """Nor above those of Bonferroni; what they belong to does not depend on the order they come in."""
    adjusted = holm(p_values)
    for raw, due in zip(p_values, adjusted, strict=True):
        assert raw <= due <= min(1, len(p_values) * raw)
    ranked = sorted(zip(p_values, adjusted, strict=True))
    assert [due for _, due in ranked] == sorted(adjusted)
    order = data.draw(st.permutations(range(len(p_values))))
    assert holm([p_values[place] for place in order]) == [adjusted[place] for place in order]


@given(st.lists(shares, min_size=1, max_size=8), shares)
def test_as_many_are_rejected_as_stepping_down_rejects(p_values: list[float], alpha: float) -> None:
    """Holm's own wording: go on from the smallest while p < alpha/(hypotheses left)."""
    adjusted = holm(p_values)
    going = True
    for rank, place in enumerate(sorted(range(len(p_values)), key=lambda place: p_values[place])):
        going = going and (len(p_values) - rank) * p_values[place] < alpha
        assert (adjusted[place] < alpha) == going


@given(st.lists(st.tuples(shares, shares).map(sorted), min_size=1, max_size=6), st.booleans(), st.floats(0.001, 0.5))
def test_what_was_found_could_be_found(pairs: list[list[float]], over: bool, alpha: float) -> None:
    """Where a test shows no less than it can, a failure is never one that was out of reach."""
    smallest, p_values = ([pair[side] for pair in pairs] for side in (0, 1))
    for p_value, best in zip(holm(p_values), holm_at_best(p_values, smallest), strict=True):
        assert best <= p_value
        verdict = judge_noise(over_limit=over, p_value=p_value, smallest_p=best, alpha=alpha)
        assert (verdict == "holds") == (not over)
        assert (verdict == "fail") == (over and p_value < alpha)
        assert (verdict == "inconclusive") == (over and best >= alpha)
