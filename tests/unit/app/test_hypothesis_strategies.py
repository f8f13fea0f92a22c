"""Hypothesis draws inputs and samples, a relation makes variants, an oracle lets valid ones out."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from typing import Any

import pytest
from hypothesis import find, given, settings
from hypothesis import strategies as st
from hypothesis.errors import Unsatisfiable

from robust import (
    Case,
    OracleVerdict,
    Relation,
    RelationCandidate,
    candidates,
    length_invariant,
    order_invariant,
    relations_strategy,
    unchanged,
    unit_scaling,
)
from robust.errors import DataError, UsageError

NUMBERS = st.lists(st.integers(), max_size=8)


def same_start(base: Case, candidate: Case) -> OracleVerdict:
    """Valid where the first number stays, which not every reordering keeps."""
    before, after = base.input["value"], candidate.input["value"]  # type: ignore[index]
    return OracleVerdict(before[0] == after[0], "the first number", evidence={"first": [before[0], after[0]]})


@given(candidates(NUMBERS, order_invariant()))
def test_every_candidate_is_a_variant_that_differs(candidate: RelationCandidate) -> None:
    """And its sample makes it again."""
    assert candidate.variant != candidate.base
    assert Counter(candidate.variant) == Counter(candidate.base)
    assert candidate.relation.variant(candidate.base, candidate.sample) == candidate.variant
    assert candidate.validation is None
    assert candidate.holds(sum)


@given(candidates(st.lists(st.integers(), min_size=3, max_size=4), order_invariant(), same_start))
def test_only_what_the_oracle_finds_valid_comes_out(candidate: RelationCandidate) -> None:
    """With what it said."""
    assert candidate.variant[0] == candidate.base[0]
    assert candidate.validation is not None
    assert candidate.validation["status"] == "valid"
    assert candidate.validation["oracle"].endswith("same_start")


def test_a_failure_shrinks_to_the_simplest_input_and_sample() -> None:
    """Two numbers, the smallest sample that exchanges them."""
    found = find(candidates(NUMBERS, order_invariant()), lambda each: not each.holds(lambda items: items[0]))
    assert (sorted(found.base), found.sample) in [([0, 1], 0), ([-1, 0], 0)]


def test_with_an_oracle_a_failure_shrinks_as_far_as_it_is_valid() -> None:
    """Three numbers: with two, the first would change."""
    found = find(
        candidates(NUMBERS, order_invariant(), same_start),
        lambda each: not each.holds(lambda items: items[-1]),
    )
    assert len(found.base) == 3
    assert found.base[0] == found.variant[0]


def test_inputs_without_a_candidate_are_rejected() -> None:
    """Too short, or never valid."""

    def never(base: Case, candidate: Case) -> OracleVerdict:
        return OracleVerdict(None, "who knows?")

    quick = settings(max_examples=5)
    for strategy in (
        candidates(st.just([1]), order_invariant()),
        candidates(st.just([1, 1]), order_invariant()),
        candidates(st.just([1, 2]), order_invariant(), never),
    ):
        with pytest.raises(Unsatisfiable):
            find(strategy, lambda _: True, settings=quick)


@given(relations_strategy(NUMBERS.filter(any), [unit_scaling(factor=3), order_invariant()]))
def test_several_relations_take_turns(candidate: RelationCandidate) -> None:
    """Each with its own assertion; a deterministic one has one sample."""
    if candidate.relation.name == "unit_scaling":
        assert candidate.sample == 0
        assert candidate.variant == [3 * each for each in candidate.base]
    assert candidate.holds(sum)
    assert candidate.relation.name in repr(candidate)


def test_a_system_cannot_change_a_candidate() -> None:
    """It gets copies."""
    candidate = RelationCandidate(order_invariant(), [1, 2], [2, 1], 0)
    assert not candidate.holds(lambda items: items.pop())
    assert (candidate.base, candidate.variant) == ([1, 2], [2, 1])


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ((list, [order_invariant()]), "strategy"),
        ((NUMBERS, []), "relations"),
        ((NUMBERS, [sum]), "relations"),
        ((NUMBERS, order_invariant()), "relations"),
    ],
)
def test_what_is_no_strategy_or_relation_is_refused(arguments: Any, named: str) -> None:
    """Where it was given."""
    with pytest.raises(UsageError, match=f"^{named}: "):
        relations_strategy(*arguments)


@pytest.mark.parametrize("attempts", [0, 1001, 1.5, True])
def test_a_number_of_attempts_that_cannot_be_is_refused(attempts: Any) -> None:
    """Naming it."""
    with pytest.raises(UsageError, match=r"^attempts: "):
        candidates(NUMBERS, order_invariant(), attempts=attempts)


@given(candidates(st.text(min_size=1), length_invariant()))
def test_texts_are_drawn_until_the_relation_applies(candidate: RelationCandidate) -> None:
    """Padding needs Latin letters."""
    assert candidate.variant.startswith(candidate.base)


def test_without_hypothesis_the_error_says_what_to_install() -> None:
    """The package itself works without it."""
    code = (
        "import sys; sys.modules['hypothesis'] = None\n"
        "import robust\n"
        "try: robust.candidates(None, robust.order_invariant())\n"
        "except robust.UsageError as error: print(error.code, error)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, encoding="utf-8", check=True)
    assert done.stdout == "missing_extra Hypothesis is not installed; pip install 'robust-records[hypothesis]'\n"


def test_an_oracle_that_gives_no_answer_raises() -> None:
    """It would look like an input without a valid variant."""

    def broken(base: Case, candidate: Case) -> OracleVerdict:
        raise ValueError("no oracle")

    relation = Relation("longer", lambda text: text + "x", unchanged(), deterministic=True)

    @given(candidates(st.text(max_size=3), relation, broken))
    @settings(max_examples=5, database=None)
    def drawn(candidate: RelationCandidate) -> None:
        assert candidate.variant

    with pytest.raises(DataError, match="gave no answer on sample 0: ValueError: no oracle"):
        drawn()
