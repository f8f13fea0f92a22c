"""Laws of the figures of an audit: sums over groups say all that their groups would."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from robust.stats.agreement import cohens_kappa
from robust.stats.group_counts import grouped_share

ANSWERS = st.sampled_from(["valid", "invalid", "unknown"])
JUDGED = st.lists(st.tuples(ANSWERS, ANSWERS, st.integers(0, 6)), max_size=40)


@given(JUDGED)
def test_agreement_does_not_depend_on_order_or_names(judged: list[tuple[str, str, int]]) -> None:
    """Of things, groups or answers."""
    found = cohens_kappa([(one, other) for one, other, _ in judged], [group for *_, group in judged])
    turned = judged[::-1]
    names = {"valid": 1, "invalid": 2, "unknown": 3}
    renamed = cohens_kappa([(names[one], names[other]) for one, other, _ in turned], [-group for *_, group in turned])
    assert (found.kappa, found.share, found.interval(0.95)) == (renamed.kappa, renamed.share, renamed.interval(0.95))
    assert found.is_possible()


@given(JUDGED)
def test_agreement_is_the_same_from_both_sides(judged: list[tuple[str, str, int]]) -> None:
    """Neither rater is the standard."""
    groups = [group for *_, group in judged]
    found = cohens_kappa([(one, other) for one, other, _ in judged], groups)
    turned = cohens_kappa([(other, one) for one, other, _ in judged], groups)
    assert (found.kappa, found.interval(0.9)) == (turned.kappa, turned.interval(0.9))


@given(JUDGED)
def test_the_interval_holds_kappa_and_grows_with_the_confidence(judged: list[tuple[str, str, int]]) -> None:
    """And stays within −1 and 1."""
    found = cohens_kappa([(one, other) for one, other, _ in judged], [group for *_, group in judged])
    inner, outer = found.interval(0.8), found.interval(0.99)
    if found.kappa is None or inner is None or outer is None:
        return
    assert -1 <= outer[0] <= inner[0] <= found.kappa + 1e-9
    assert found.kappa - 1e-9 <= inner[1] <= outer[1] <= 1


@given(st.lists(st.integers(1, 8).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))), max_size=20))
def test_sums_of_real_groups_are_possible_and_their_interval_holds_the_share(groups: list[tuple[int, int]]) -> None:
    """Whatever the groups."""
    share = grouped_share(groups)
    assert share.is_possible()
    ends = share.interval(0.95)
    assert (ends is None) == (share.groups < 2)
    if ends is not None and share.value is not None:
        assert 0 <= ends[0] <= share.value <= ends[1] <= 1
