"""Agreement of two raters, against published figures and against another way to compute it."""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Iterable

import pytest

from robust.stats.agreement import Agreement, Cell, agreement_of, cohens_kappa
from robust.stats.jackknife import standard_error


def things(table: dict[Cell, int]) -> list[Cell]:
    return [cell for cell, count in table.items() for _ in range(count)]


# The table that textbooks work out: p_o = 0.7, p_e = 0.5.
TEXTBOOK: dict[Cell, int] = {("yes", "yes"): 20, ("yes", "no"): 5, ("no", "yes"): 10, ("no", "no"): 15}


def test_kappa_of_a_textbook_table() -> None:
    """0.7 observed, 0.5 by chance: 0.4."""
    found = cohens_kappa(things(TEXTBOOK))
    assert (found.pairs, found.agreeing, found.share, found.kappa, found.groups) == (50, 35, 0.7, 0.4, 50)


def test_the_interval_is_that_of_fleiss_cohen_and_everitt() -> None:
    """Worked out here from their formula, with one thing in each group and n/(n−1)."""
    observed, by_chance, first, second = 0.7, 0.5, {"yes": 0.5, "no": 0.5}, {"yes": 0.6, "no": 0.4}
    total = 0.0
    for (one, other), count in TEXTBOOK.items():
        if one == other:
            weight = (1 - by_chance) - (first[str(one)] + second[str(one)]) * (1 - observed)
        else:
            weight = -(1 - observed) * (first[str(other)] + second[str(one)])
        total += count / 50 * weight**2
    variance = (total - (observed * by_chance - 2 * by_chance + observed) ** 2) / (50 * (1 - by_chance) ** 4)
    low, high = cohens_kappa(things(TEXTBOOK)).interval(0.95) or (0.0, 0.0)
    student = 2.0095752371  # the 97.5 % quantile at 49 degrees of freedom
    assert (high - low) / 2 == pytest.approx(student * math.sqrt(variance * 50 / 49), rel=1e-9)
    assert (high + low) / 2 == pytest.approx(0.4)


def test_groups_change_the_interval_and_not_kappa() -> None:
    """Ten copies of each thing from one source are ten times one opinion."""
    pairs = things(TEXTBOOK)
    alone = cohens_kappa(pairs)
    copied = cohens_kappa([pair for pair in pairs for _ in range(10)], [g for g in range(50) for _ in range(10)])
    assert copied.kappa == alone.kappa
    assert copied.interval(0.95) == alone.interval(0.95)


def test_the_linearised_error_is_close_to_the_jackknife() -> None:
    """Another way to the same thing, over groups of uneven sizes."""
    stream = random.Random(7)
    groups = []
    for _ in range(300):
        leaning = stream.random()
        groups.append(
            [
                ("yes" if stream.random() < leaning else "no", "yes" if stream.random() < leaning else "no")
                for _ in range(stream.randint(1, 6))
            ]
        )
    whole = cohens_kappa([pair for group in groups for pair in group], [i for i, g in enumerate(groups) for _ in g])
    left_out = [
        cohens_kappa([pair for other, group in enumerate(groups) if other != left for pair in group]).kappa or 0.0
        for left in range(len(groups))
    ]
    low, high = whole.interval(0.95) or (0.0, 0.0)
    student = 1.9679296690  # at 299 degrees of freedom
    assert (high - low) / 2 == pytest.approx(student * standard_error(left_out), rel=0.02)


def test_raters_who_never_differ_are_not_sure_of_it() -> None:
    """Kappa is 1, and the interval reaches as far as unseen groups could bring it."""
    found = cohens_kappa([("yes", "yes"), ("no", "no")] * 10)
    unseen = 1 - 0.025 ** (1 / 20)
    assert found.kappa == 1
    assert found.interval(0.95) == pytest.approx((1 - unseen / 0.5, 1.0))


@pytest.mark.parametrize(
    ("pairs", "kappa"),
    [([], None), ([("yes", "yes")] * 5, None), ([("yes", "no")] * 5, 0.0), ([("yes", "no"), ("no", "yes")], -1.0)],
)
def test_kappa_where_chance_explains_everything(pairs: list[Cell], kappa: float | None) -> None:
    """One and the same answer everywhere says nothing; opposite answers are less than chance."""
    assert cohens_kappa(pairs).kappa == kappa


def test_one_group_has_no_interval() -> None:
    """It says nothing of others."""
    assert cohens_kappa(things(TEXTBOOK), ["one"] * 50).interval(0.95) is None


def test_there_must_be_a_group_for_each_thing() -> None:
    """Otherwise some would be left out without a word."""
    with pytest.raises(ValueError, match="shorter"):
        cohens_kappa([("a", "a"), ("a", "b")], ["one"])


def test_stored_counts_that_no_groups_can_have_are_told() -> None:
    """Each of a few ways to forge them."""
    tables: Iterable[Counter[Cell]] = [Counter({("a", "a"): 2, ("a", "b"): 1}), Counter({("b", "b"): 3})]
    real = agreement_of(tables)
    assert real.is_possible()
    square = (("a", "a"), ("a", "a"))
    for table, groups, products in (
        (real.table, 7, real.products),
        (real.table, 0, real.products),
        (real.table, real.groups, {**real.products, square: 1}),
        (real.table, real.groups, {**real.products, square: 5}),
        (real.table, real.groups, {**real.products, (("a", "a"), ("a", "b")): 9}),
        (real.table, real.groups, {**real.products, (("c", "a"), ("a", "b")): 1}),
        (real.table, real.groups, {}),
        ({}, 1, {}),
    ):
        assert not Agreement(table, groups, products).is_possible()
    assert Agreement({}, 0, {}).is_possible()
