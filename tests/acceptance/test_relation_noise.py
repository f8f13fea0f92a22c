"""Rows L1 and L2: how often noise is called a violation, and how often a violation is found beside it."""

from __future__ import annotations

import itertools
import random
from collections.abc import Sequence

import pytest

from robust import Assertion, Relation, consistent_pick, not_less, unchanged
from robust.relations.drive_inline import drive_inline
from robust.relations.input_check import InputCheck, Settings

pytestmark = pytest.mark.slow
REPETITIONS = 2000
ALPHA = 0.05
NUMBERS = itertools.count()


def relations(count: int, assertion: Assertion) -> list[Relation]:
    """Relations whose transform makes another variant each time."""
    return [
        Relation(f"numbered {number}", lambda text: f"{text} {next(NUMBERS)}", assertion) for number in range(count)
    ]


def share_violated(
    given: Sequence[Relation], base_b: float, variant_b: float, baseline_runs: int, outputs: tuple[object, object]
) -> float:
    """The share of checks that call any relation violated.

    Args:
        given: the relations.
        base_b: how likely the system is to give the second output for the base.
        variant_b: likewise for a variant.
        baseline_runs: how often the base is run.
        outputs: the two.
    """
    source = random.Random(f"{base_b} {variant_b} {baseline_runs} {len(given)}")

    def system(text: str) -> object:
        return outputs[source.random() < (base_b if text == "base" else variant_b)]

    found = 0
    for _ in range(REPETITIONS):
        check = InputCheck("base", given, Settings(baseline_runs=baseline_runs, alpha=ALPHA))
        drive_inline(check, system, None)
        found += any(conclusion.verdict == "violated" for conclusion in check.conclude())
    return found / REPETITIONS


@pytest.mark.parametrize("baseline_runs", [1, 3, 5])
@pytest.mark.parametrize("noise", [0.01, 0.05, 0.1, 0.3])
def test_l1_a_change_without_effect_is_seldom_called_a_violation(noise: float, baseline_runs: int) -> None:
    """At any noise, with any number of base runs."""
    given = relations(1, unchanged())
    assert share_violated(given, noise, noise, baseline_runs, ("A", "B")) <= ALPHA


@pytest.mark.parametrize("noise", [0.05, 0.3])
def test_l1_several_relations_together_raise_no_more_false_alarms(noise: float) -> None:
    """Holm's method and the shared level of confirmations see to that."""
    assert share_violated(relations(4, unchanged()), noise, noise, 5, ("A", "B")) <= ALPHA


@pytest.mark.parametrize("assertion", [unchanged(), not_less()])
def test_l1_numbers_are_no_other_case(assertion: Assertion) -> None:
    """There the permutation test takes the place of Fisher's."""
    assert share_violated(relations(1, assertion), 0.3, 0.3, 5, (2.5, 1.5)) <= ALPHA


@pytest.mark.parametrize("assertion", [unchanged(), consistent_pick()])
def test_l2_a_change_that_always_flips_is_found_beside_noise(assertion: Assertion) -> None:
    """The base gives B 20 % of the time, a variant always."""
    assert share_violated(relations(1, assertion), 0.2, 1.0, 5, ("A", "B")) >= 0.95
