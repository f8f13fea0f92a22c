"""The bound that judges a run and the number of groups that is asked for before it agree."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from robust.app.contract_warnings import groups_needed, upper_bound
from robust.records.decision import LIMIT_SLACK
from robust.stats.intervals import upper_share_bound

confidences = st.floats(0.5, 0.999)


@given(st.integers(0, 10**6), confidences)
def test_without_a_violation_both_bounds_are_one(groups: int, confidence: float) -> None:
    """But for the digits that are given."""
    assert abs(upper_share_bound(0, groups, confidence) - upper_bound(groups, confidence)) < 1e-10


@given(st.floats(1e-4, 1), confidences)
def test_as_many_groups_as_are_asked_for_are_enough(limit: float, confidence: float) -> None:
    """And one group less is not."""
    needed = groups_needed(limit, confidence)
    assert needed is not None
    assert upper_share_bound(0, needed, confidence) <= limit + LIMIT_SLACK + 1e-10
    assert needed == 1 or upper_share_bound(0, needed - 1, confidence) > limit


@given(st.integers(1, 2000).flatmap(lambda groups: st.tuples(st.integers(1, groups), st.just(groups))), confidences)
def test_more_violations_raise_the_bound_and_more_groups_lower_it(counts: tuple[int, int], confidence: float) -> None:
    """And it is never below the share itself, at a confidence of a half or more."""
    hits, groups = counts
    bound = upper_share_bound(hits, groups, confidence)
    assert hits / groups <= bound <= 1
    assert upper_share_bound(hits - 1, groups, confidence) < bound
    assert upper_share_bound(hits, groups + 1, confidence) <= bound
