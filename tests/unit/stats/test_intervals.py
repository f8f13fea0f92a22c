"""Intervals against values worked out by hand and by scipy.stats, and where there is nothing to estimate from."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats  # type: ignore[import-untyped]

from robust.stats.intervals import (
    JackknifeEstimate,
    RateEstimate,
    clopper_pearson,
    groups_to_decide,
    jackknife_estimate,
    rate_estimate,
    upper_share_bound,
)


def _rate(groups: list[tuple[int, int]]) -> RateEstimate:
    """The estimate from hits and cases of each group."""
    hits = [index < right for right, cases in groups for index in range(cases)]
    numbers = [number for number, (_, cases) in enumerate(groups) for _ in range(cases)]
    found = rate_estimate(np.array(hits, dtype=np.bool_), np.array(numbers, dtype=np.int64))
    assert found is not None
    return found


@pytest.mark.parametrize(("hits", "cases"), [(0, 1), (1, 1), (0, 20), (20, 20), (3, 10), (77, 100), (1, 100_000)])
@pytest.mark.parametrize("confidence", [0.8, 0.95, 0.999])
def test_of_whole_numbers_it_is_the_exact_interval_of_scipy(hits: int, cases: int, confidence: float) -> None:
    """Clopper–Pearson, the edges included."""
    due = stats.binomtest(hits, cases).proportion_ci(confidence, method="exact")
    assert clopper_pearson(hits, cases, confidence) == pytest.approx((due.low, due.high), abs=1e-12)


@pytest.mark.parametrize(("hits", "groups"), [(0, 1), (1, 2), (3, 10), (77, 100), (1, 100_000), (99, 100)])
@pytest.mark.parametrize("confidence", [0.5, 0.95, 0.999])
def test_the_upper_bound_of_a_share_of_groups_is_the_exact_one_of_scipy(
    hits: int, groups: int, confidence: float
) -> None:
    """One-sided Clopper–Pearson."""
    due = stats.binomtest(hits, groups, alternative="less").proportion_ci(confidence, method="exact")
    assert upper_share_bound(hits, groups, confidence) == pytest.approx(due.high, abs=1e-10)


@pytest.mark.parametrize("groups", [1, 10, 58, 59, 1000])
def test_without_a_hit_the_upper_bound_has_a_closed_form(groups: int) -> None:
    """1 − 0.05^(1/n), so that 59 groups show at most 0.05, and 58 do not."""
    bound = upper_share_bound(0, groups, 0.95)
    assert bound == pytest.approx(1 - 0.05 ** (1 / groups), abs=1e-10)
    assert (bound <= 0.05) == (groups >= 59)


@pytest.mark.parametrize("groups", [0, 1, 7])
def test_where_all_groups_count_the_upper_bound_is_one(groups: int) -> None:
    """Also of no group, which shows nothing."""
    assert upper_share_bound(groups, groups, 0.95) == 1


@pytest.mark.parametrize("hits", [-1, 4])
def test_a_share_of_groups_is_between_none_and_all(hits: int) -> None:
    """Three groups have none to three hits."""
    with pytest.raises(ValueError, match="of 3 groups"):
        upper_share_bound(hits, 3, 0.95)


def test_an_effective_size_worked_out_by_hand() -> None:
    """Groups 4/4, 1/2 and 1/4: p = 0.6, sums of residuals 1.6, −0.2 and −1.4, v = 3/2 · 4.56/100 = 0.0684."""
    found = _rate([(4, 4), (1, 2), (1, 4)])
    assert (found.value, found.cases, found.groups) == (0.6, 10, 3)
    assert found.effective == pytest.approx(0.24 / 0.0684)
    # Corrected by the quantiles of t with 9 and 2 degrees of freedom.
    size = 0.24 / 0.0684 * (stats.t.ppf(0.975, 9) / stats.t.ppf(0.975, 2)) ** 2
    due = stats.beta.ppf(0.025, 0.6 * size, 0.4 * size + 1), stats.beta.ppf(0.975, 0.6 * size + 1, 0.4 * size)
    assert found.interval(0.95) == pytest.approx(due, abs=1e-9)


def test_cases_that_are_their_own_groups_have_nearly_the_exact_interval() -> None:
    """One case less, since v divides by n − 1."""
    found = _rate([(int(number < 70), 1) for number in range(100)])
    assert found.effective == pytest.approx(99)
    assert found.interval(0.95) == pytest.approx(clopper_pearson(0.7 * 99, 99, 0.95), abs=1e-9)


def test_clustered_cases_count_for_less() -> None:
    """Groups that are all right or all wrong are worth one case each; the interval of 500 cases is that of 50."""
    clustered = _rate([(10 * (number < 35), 10) for number in range(50)])
    single = _rate([(int(number < 35), 1) for number in range(50)])
    assert clustered.effective == pytest.approx(49)
    low, high = clustered.interval(0.95) or (1, 0)
    other = single.interval(0.95) or (1, 0)
    assert low <= other[0]
    assert high >= other[1]


def test_the_effective_size_is_never_more_than_the_cases() -> None:
    """Groups that differ less than chance would have them, here 5/10 and 6/10 in turn, prove no extra cases."""
    found = _rate([(5 + number % 2, 10) for number in range(20)])
    assert found.effective is not None
    assert found.effective > 200
    assert found.interval(0.95) == pytest.approx(clopper_pearson(110, 200, 0.95), abs=1e-9)


@pytest.mark.parametrize("hits", [0, 3, 4])
def test_groups_that_are_all_alike_are_the_sample(hits: int) -> None:
    """Without variance n* = G, whatever the rate and however many cases each group has."""
    found = _rate([(hits, 4)] * 30)
    assert found.effective is None
    assert found.interval(0.95) == pytest.approx(clopper_pearson(30 * hits / 4, 30, 0.95), abs=1e-9)


def test_fifty_nine_groups_show_a_rate_below_five_percent() -> None:
    """The rule that 0.95⁵⁹ is below 0.05, as the upper end of a two-sided 90 % interval."""
    assert (_rate([(0, 1)] * 59).interval(0.9) or (0, 1))[1] < 0.05 < (_rate([(0, 1)] * 58).interval(0.9) or (0, 0))[1]


@pytest.mark.parametrize("groups", [[(1, 1)], [(0, 1)], [(3, 7)], [(100, 100)]])
def test_one_group_says_nothing_of_others(groups: list[tuple[int, int]]) -> None:
    """No interval, however many cases it has."""
    assert _rate(groups).interval(0.95) is None
    assert JackknifeEstimate(0.5, 1, 0.1, 0, 1).interval(0.95) is None


def test_no_case_has_no_estimate() -> None:
    """None, not a rate of 0."""
    assert rate_estimate(np.array([], dtype=np.bool_), np.array([], dtype=np.int64)) is None


def test_two_groups_that_contradict_each_other_tell_almost_nothing() -> None:
    """A hundred right, a hundred wrong: nearly the whole range."""
    low, high = _rate([(100, 100), (0, 100)]).interval(0.95) or (1, 0)
    assert low < 1e-6
    assert high > 1 - 1e-6


def test_a_jackknife_interval_worked_out_by_hand() -> None:
    """Value 3, error 1, four groups: 3 ± 3.182, cut at the least value."""
    left_out = [3 + share * math.sqrt(1 / 3) for share in (1, -1, 1, -1)]
    found = jackknife_estimate(3, left_out, lowest=0, highest=100)
    assert found.error == pytest.approx(1)
    assert found.interval(0.95) == pytest.approx((0, 3 + stats.t.ppf(0.975, 3)), abs=1e-9)


def test_groups_without_any_difference_are_not_certainty() -> None:
    """Ten groups with a perfect score may hide as much as ten hits out of ten do."""
    perfect = jackknife_estimate(1, [1.0] * 10, lowest=0, highest=1)
    assert perfect.error == 0
    assert perfect.interval(0.95) == pytest.approx(clopper_pearson(10, 10, 0.95), abs=1e-9)
    none = jackknife_estimate(0, [0.0] * 10, lowest=0, highest=2)
    assert none.interval(0.95) == pytest.approx((0, 2 * clopper_pearson(0, 10, 0.95)[1]), abs=1e-9)


def test_the_rounding_of_equal_groups_is_no_error() -> None:
    """Values that differ in their last bit alone."""
    found = jackknife_estimate(0.1, [0.1, math.nextafter(0.1, 1), 0.1], lowest=0, highest=1)
    assert found.error == 0


def test_a_value_outside_of_its_range_is_inside_of_its_interval() -> None:
    """Distributions may sum to a little more than 1, and the log loss of 1.001 is below 0."""
    low, high = jackknife_estimate(-0.001, [-0.001] * 5, lowest=0, highest=30).interval(0.95) or (1, 0)
    assert low == -0.001
    assert high > 0


def test_a_confidence_next_to_one_still_has_an_interval() -> None:
    """Wide, and finite."""
    found = _rate([(3, 4), (2, 4), (4, 4), (1, 4)]).interval(1 - 2**-53)
    assert found is not None
    assert 0 <= found[0] < 0.625 < found[1] <= 1


def test_groups_to_decide_are_enough_and_not_far_too_many() -> None:
    """With as many more the interval is on one side; with half of them it is not yet."""
    found = _rate([(9, 10), (10, 10), (8, 10), (9, 10), (10, 10), (10, 10), (7, 10), (10, 10)])

    def decides(ends: tuple[float, float]) -> bool:
        return ends[0] >= 0.88

    more = groups_to_decide(found, decides, 0.95)
    assert more is not None
    assert decides(found.interval(0.95, found.groups + more) or (0, 1))
    assert not decides(found.interval(0.95, found.groups + more // 2) or (0, 1))


@pytest.mark.parametrize(("limit", "due"), [(0.95, 42), (0.99, 340), (0.999, 3700)])
def test_groups_to_decide_are_rounded_up_to_two_digits(limit: float, due: int) -> None:
    """30 groups without a fault: 0.975 needs ln 0.025 / ln limit of them in all, which are 72, 368 and 3688."""
    found = _rate([(1, 1)] * 30)
    total = math.ceil(math.log(0.025) / math.log(limit))
    assert groups_to_decide(found, lambda ends: ends[0] >= limit, 0.95) == due
    assert 0 <= 30 + due - total < 100


def test_what_no_number_of_groups_decides_has_no_number() -> None:
    """A limit at the value itself, and a sample of one group."""
    found = _rate([(1, 2), (2, 2), (0, 2)])
    assert groups_to_decide(found, lambda ends: ends[0] >= 0.5 or ends[1] < 0.5, 0.95) is None
    assert groups_to_decide(_rate([(1, 2)]), lambda ends: True, 0.95) is None


grouped = st.lists(
    st.integers(1, 12).flatmap(lambda cases: st.tuples(st.integers(0, cases), st.just(cases))), min_size=2, max_size=12
)


@given(grouped, st.floats(0.5, 0.999))
def test_an_interval_holds_its_rate_and_lies_within_zero_and_one(
    groups: list[tuple[int, int]], confidence: float
) -> None:
    """Whatever the groups; and a higher confidence never has a narrower one."""
    found = _rate(groups)
    low, high = found.interval(confidence) or (1, 0)
    assert 0 <= low <= found.value + 1e-10
    assert found.value - 1e-10 <= high <= 1
    wider = found.interval((1 + confidence) / 2) or (1, 0)
    assert wider[0] <= low + 1e-9
    assert wider[1] >= high - 1e-9


@given(grouped)
def test_the_variance_is_the_linearised_one(groups: list[tuple[int, int]]) -> None:
    """n* = p(1 − p)/v with v = G/(G − 1) Σ (a − p m)²/n², computed group by group."""
    found = _rate(groups)
    cases = sum(size for _, size in groups)
    rate = sum(right for right, _ in groups) / cases
    spread = math.fsum(((right - rate * size) / cases) ** 2 for right, size in groups)
    variance = len(groups) / (len(groups) - 1) * spread
    if found.effective is None:
        assert variance == pytest.approx(0, abs=1e-15)
    else:
        assert found.effective == pytest.approx(rate * (1 - rate) / variance)


@given(grouped)
def test_a_rate_and_its_opposite_have_mirrored_intervals(groups: list[tuple[int, int]]) -> None:
    """As accuracy and error."""
    low, high = _rate(groups).interval(0.95) or (1, 0)
    other = _rate([(size - right, size) for right, size in groups]).interval(0.95) or (1, 0)
    assert other == pytest.approx((1 - high, 1 - low), abs=1e-9)


@given(grouped, st.integers(2, 5))
def test_repeating_the_cases_of_every_group_adds_no_certainty(groups: list[tuple[int, int]], times: int) -> None:
    """The effective size stays what it was: certainty comes from groups."""
    once, often = _rate(groups), _rate([(right * times, size * times) for right, size in groups])
    assert once.effective == (None if often.effective is None else pytest.approx(often.effective))


@given(grouped, st.integers(2, 50))
def test_more_groups_of_the_same_kind_narrow_the_interval(groups: list[tuple[int, int]], times: int) -> None:
    """Which is what the search for enough groups rests on."""
    found = _rate(groups)
    low, high = found.interval(0.95) or (1, 0)
    narrower = found.interval(0.95, len(groups) * times) or (0, 1)
    assert low - 1e-9 <= narrower[0]
    assert narrower[1] <= high + 1e-9
