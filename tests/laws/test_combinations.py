"""Laws of combined oracles: order has no part in them, more agreement never does harm, nothing comes of nothing."""

from __future__ import annotations

from typing import Any, Final

from hypothesis import given
from hypothesis import strategies as st

from robust.canon import canonical_bytes
from robust.oracle.counting import Ballot, Rule, combined_verdict
from robust.oracle.question import Observation
from robust.records.comparator import EXACT
from robust.records.failure import Failure
from robust.records.verdict import read_verdict
from tests.builders import verdict

_ORDER: Final = {False: 0, None: 1, True: 2}
said = st.sampled_from([True, False, None])
rules = st.one_of(
    st.sampled_from(["all_of", "any_of"]).map(lambda kind: (kind, 0)),
    st.integers(1, 5).map(lambda needed: ("quorum", needed)),
)


def rule_of(chosen: tuple[str, int], members: int) -> Rule:
    kind, needed = chosen
    return Rule(kind, {"all_of": members, "any_of": 1}.get(kind, needed))


def ballot(number: int, valid: bool | None, variant: Any = 7, *, fails: bool = False) -> Ballot:
    encoded, failures = read_verdict(verdict(valid, variant=variant))
    if fails:
        failures = [Failure("validator_mutated_input", "$.base", "changed")]
    identity = {"name": f"m{number}", "version": None, "source_sha256": None}
    return Ballot.of(identity, Observation(encoded, failures), "counterfactual", EXACT)


@given(rules, st.lists(st.tuples(said, st.sampled_from([7, 8]), st.booleans()), max_size=6), st.randoms())
def test_the_order_of_the_members_changes_nothing(
    chosen: tuple[str, int], members: list[tuple[bool | None, int, bool]], random: Any
) -> None:
    """Byte for byte."""
    ballots = [ballot(number, valid, variant, fails=fails) for number, (valid, variant, fails) in enumerate(members)]
    rule = rule_of(chosen, len(ballots))
    first = read_verdict(combined_verdict(rule, ballots, EXACT))
    random.shuffle(ballots)
    assert read_verdict(combined_verdict(rule, ballots, EXACT)) == first
    assert first[1] == []


@given(rules, st.lists(said, min_size=1, max_size=6), st.data())
def test_a_member_that_says_more_for_it_never_makes_it_less_valid(
    chosen: tuple[str, int], members: list[bool | None], data: Any
) -> None:
    """From invalid to undecided to valid, with answers that agree."""
    rule = rule_of(chosen, len(members))
    place = data.draw(st.integers(0, len(members) - 1))
    higher = data.draw(st.sampled_from([each for each in _ORDER if _ORDER[each] >= _ORDER[members[place]]]))
    raised = [*members[:place], higher, *members[place + 1 :]]
    before, after = (
        combined_verdict(rule, [ballot(n, each) for n, each in enumerate(case)], EXACT).valid
        for case in (members, raised)
    )
    assert _ORDER[after] >= _ORDER[before]


@given(rules, st.lists(said, max_size=6))
def test_valid_needs_enough_that_say_so_and_one_at_least(chosen: tuple[str, int], members: list[bool | None]) -> None:
    """However they are combined; and what all say, the combination says."""
    rule = rule_of(chosen, len(members))
    found = combined_verdict(rule, [ballot(n, each) for n, each in enumerate(members)], EXACT)
    if found.valid:
        assert members.count(True) >= max(rule.needed, 1)
    if found.valid is False:
        assert members.count(False) >= 1
    if members and len(set(members)) == 1 and rule.needed <= len(members):
        assert found.valid is members[0]
    if not members:
        assert found.valid is None


@given(rules, st.lists(st.tuples(said, st.sampled_from([7, 8])), min_size=2, max_size=6))
def test_members_that_derive_different_answers_never_make_it_valid(
    chosen: tuple[str, int], members: list[tuple[bool | None, int]]
) -> None:
    """Where both of them say valid; and it is recorded."""
    ballots = [ballot(number, valid, variant) for number, (valid, variant) in enumerate(members)]
    found = combined_verdict(rule_of(chosen, len(ballots)), ballots, EXACT)
    if len({variant for valid, variant in members if valid}) > 1:
        assert found.valid is not True
        assert found.evidence["disagreement"] is True


@given(st.integers(1, 6), st.booleans())
def test_what_fails_counts_for_nothing(number: int, valid: bool) -> None:
    """A member whose copies changed has no vote."""
    ballots = [ballot(each, valid, fails=True) for each in range(number)]
    for kind in ("all_of", "any_of", "quorum"):
        found = combined_verdict(Rule(kind, 1), ballots, EXACT)
        assert found.valid is None
    assert canonical_bytes(found.evidence)
