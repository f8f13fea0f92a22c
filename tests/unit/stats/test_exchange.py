"""The exchange test on cases that are small enough to work out, and where it cannot show anything."""

from __future__ import annotations

import pytest
from numpy.random import Philox

from robust.stats.exchange import DRAWS, Exchange, ExchangeTest

# Four standard errors of a share of one half among all draws.
CHANCE = 2 / DRAWS**0.5


def _result(test: Exchange) -> ExchangeTest:
    found = test.result()
    assert found is not None
    return found


def test_one_case_against_all_its_relabellings() -> None:
    """Three A then three B: 2 of the 20 ways to choose a base are like that."""
    test = Exchange(seed=1)
    test.add_labels(0, "AAA", "BBB", key=0)
    found = _result(test)
    assert found.statistic == 1
    assert found.p_value == pytest.approx(0.1, abs=CHANCE)
    assert found.smallest_p == pytest.approx(0.1, abs=CHANCE)


def test_the_statistic_is_averaged_over_groups_of_different_sizes() -> None:
    """One group of a case with 1/2, one of cases with 1, 0 and 0: (1/2 + 1/3)/2."""
    test = Exchange(seed=1)
    test.add_labels(7, "AB", "A", key=0)
    for key, (base, transformed) in enumerate([("AA", "B"), ("AA", "A"), ("BB", "BBB")], start=1):
        test.add_labels(-3, base, transformed, key)
    assert len(test) == 4
    assert _result(test).statistic == pytest.approx(5 / 12, abs=1e-15)


def test_two_cases_are_relabelled_apart() -> None:
    """AA|B in groups of one case each: all three ways alike and apart, so that both are largest 1 time in 9."""
    test = Exchange(seed=2)
    test.add_labels(0, "AA", "B", key=0)
    test.add_labels(1, "AA", "B", key=1)
    found = _result(test)
    assert found.p_value == pytest.approx(1 / 9, abs=CHANCE)
    assert found.smallest_p == pytest.approx(1 / 9, abs=CHANCE)


def test_groups_of_different_sizes_weigh_as_much_when_relabelled() -> None:
    """AA|B alone in its group counts three times as much as AB|A, which shares its group with two others.

    So the first alone decides, in 1 of 3 ways; if both counted alike, it would be in 5 of 9.
    """
    test = Exchange(seed=3)
    test.add_labels(0, "AA", "B", key=0)
    test.add_labels(1, "AB", "A", key=1)
    for key in (2, 3):
        test.add_labels(1, "AA", "A", key)
    found = _result(test)
    assert found.statistic == pytest.approx((1 + 1 / 6) / 2)
    assert found.p_value == pytest.approx(1 / 3, abs=CHANCE)
    assert found.smallest_p == pytest.approx(1 / 9)


def test_what_always_breaks_is_found() -> None:
    """A hundred cases that change whenever they are transformed; no draw comes near."""
    test = Exchange(seed=4)
    for key in range(100):
        test.add_labels(key, "AAA", "B", key)
    assert _result(test) == ExchangeTest(statistic=1, p_value=1 / (1 + DRAWS), smallest_p=1 / (1 + DRAWS))


def test_less_flips_than_the_base_has_itself_are_nothing() -> None:
    """The base is noisy, the transformed cases side with its majority."""
    test = Exchange(seed=5)
    for key in range(50):
        test.add_labels(key, "AAB", "A", key)
    assert _result(test).p_value == 1


@pytest.mark.parametrize(("base", "transformed"), [("A", "B"), ("AAA", "AAA"), ("AB", "C")])
def test_where_relabelling_changes_nothing_nothing_could_be_shown(base: str, transformed: str) -> None:
    """One run of each, answers that never change, answers that always do."""
    test = Exchange(seed=6)
    for key in range(1000):
        test.add_labels(key, base, transformed, key)
    found = _result(test)
    assert (found.p_value, found.smallest_p) == (1, 1)


def test_the_smallest_p_value_is_that_of_all_cases_that_can_show_anything() -> None:
    """Three cases AB|A can each be largest in 1 of 3 ways, and one that never flips adds nothing."""
    test = Exchange(seed=7)
    for key in range(3):
        test.add_labels(0, "AB", "A", key)
    test.add_labels(1, "AA", "A", 3)
    assert _result(test).smallest_p == pytest.approx(1 / 27)


def test_few_draws_bound_what_can_be_shown() -> None:
    """Nineteen draws show 0.05 and no less."""
    test = Exchange(seed=8, draws=19)
    for key in range(100):
        test.add_labels(key, "AA", "B", key)
    assert _result(test) == ExchangeTest(statistic=1, p_value=0.05, smallest_p=0.05)


def test_a_level_that_falls_is_found_with_one_run_of_each() -> None:
    """Direction breaks the tie: ten cases that all fall, 1 of 1,024 ways."""
    test = Exchange(seed=9)
    for key in range(10):
        test.add(key, 1, [[False, True], [False, False]], key)
    found = _result(test)
    assert found.statistic == 1
    assert found.smallest_p == pytest.approx(1 / 1024, rel=0.7)
    assert found.p_value < 0.005


def test_with_too_many_relabellings_an_effect_is_found_too() -> None:
    """Five base answers close to 0, twenty transformed ones from 0.5 up, all different; limit 0.3."""
    answers = [0.01 * index for index in range(5)] + [0.5 + 0.02 * index for index in range(20)]
    breaks = [[abs(a - b) > 0.3 for b in answers] for a in answers]
    test = Exchange(seed=10)
    for key in range(4):
        test.add(key, 5, breaks, key)
    found = _result(test)
    assert found.statistic == 1
    assert found.p_value == 1 / (1 + DRAWS)


def test_of_no_case_there_is_no_result() -> None:
    """Rather than one that passes."""
    assert Exchange(seed=1).result() is None


def test_words_are_those_that_were_published_for_philox() -> None:
    """The known answer of Philox 4×64 with ten rounds for a counter and a key of zeros (Salmon et al. 2011).

    numpy counts up before each block.
    """
    words = Philox(key=0, counter=2**256 - 1).random_raw(4).tolist()
    assert words == [0x16554D9ECA36314C, 0xDB20FE9D672D0FDC, 0xD7E772CEE186176B, 0x7E68B68AEC7BA23B]


@pytest.mark.parametrize(("seed", "p_value"), [(0, 0.0801), (2**128 - 1, 0.0774)])
def test_p_values_are_the_same_everywhere(seed: int, p_value: float) -> None:
    """To the last bit: labels, a matrix, groups of different sizes, and a case that only a part is looked at of."""
    test = Exchange(seed)
    for key in range(300):
        labels = ["ABC"[(key * step // 7) % 5 // 2] for step in (3, 5, 11, 13, 17)]
        test.add_labels(key // (1 + key % 4), labels[:3], labels[3:], key)
    answers = [index * 37 % 101 for index in range(25)]
    test.add(1000, 5, [[abs(a - b) > 40 for b in answers] for a in answers], 300)
    assert _result(test).p_value == p_value


@pytest.mark.parametrize("base", ["", "A"])
def test_a_case_without_both_sides_is_refused(base: str) -> None:
    """There is nothing to exchange."""
    with pytest.raises(ValueError, match="a base and a transformed trial"):
        Exchange(seed=1).add_labels(0, base, "" if base else "A", 0)


@pytest.mark.parametrize("base_trials", [-1, 0, 2, 3])
def test_a_matrix_without_both_sides_is_refused(base_trials: int) -> None:
    """Of two outcomes one is a base one."""
    with pytest.raises(ValueError, match="a base and a transformed trial"):
        Exchange(seed=1).add(0, base_trials, [[False, True], [True, False]], 0)


@pytest.mark.parametrize("key", [-1, 2**64])
def test_a_key_that_is_too_large_is_refused(key: int) -> None:
    """It would run into the words of others."""
    with pytest.raises(ValueError, match="64 bits"):
        Exchange(seed=1).add_labels(0, "A", "B", key)


@pytest.mark.parametrize(("seed", "draws"), [(-1, 1), (2**128, 1), (0, 0)])
def test_a_seed_that_is_too_large_and_no_draws_are_refused(seed: int, draws: int) -> None:
    """128 bits, one draw."""
    with pytest.raises(ValueError, match="128 bits"):
        Exchange(seed, draws)
