"""What to ask next, and what follows."""

from __future__ import annotations

import pytest

from robust.relations.noise_test import Base, NoiseTest
from robust.relations.trial_plan import Attempt, Conclusion, Rules, Step, TrialPlan, conclude, confirmation_runs

ALONE = Rules(alpha=0.05, relations=1, early_stop=True)
CLEAR, UNCLEAR = 2 / 924, 0.2


def plan(base: Base, *, planned: int = 20, rules: Rules = ALONE) -> TrialPlan:
    made = TrialPlan(planned, rules)
    made.base = base
    return made


def trial(of: TrialPlan, *, contradicts: bool) -> Step:
    of.asked += 1
    of.trials += 1
    return of.contradicted() if contradicts else "go"


def attempt(p_value: float) -> Attempt:
    return Attempt(0, p_value, CLEAR)


def only(of: TrialPlan, rules: Rules = ALONE) -> Conclusion:
    (found,) = conclude([of], rules)
    return found


def test_the_first_contradiction_of_a_deterministic_system_is_a_violation() -> None:
    """And nothing more is asked, unless all is wanted."""
    made = plan("declared")
    assert trial(made, contradicts=True) == "stop"
    assert made.unasked == 19
    assert only(made) == ("violated", None, None)
    assert trial(plan("declared", rules=ALONE._replace(early_stop=False)), contradicts=True) == "go"


def test_a_contradiction_is_confirmed_before_it_counts() -> None:
    """A clear confirmation ends the relation."""
    made = plan("agrees")
    assert trial(made, contradicts=False) == "go"
    assert trial(made, contradicts=True) == "confirm"
    assert made.confirmed(attempt(CLEAR)) == "stop"
    verdict, _, adjusted = only(made)
    assert verdict == "violated"
    assert adjusted == pytest.approx(3 * CLEAR)


def test_at_most_three_contradictions_are_confirmed() -> None:
    """Each at a third of the level; after that nothing can change."""
    made = plan("agrees")
    steps = []
    for _ in range(3):
        steps += [trial(made, contradicts=True), made.confirmed(attempt(UNCLEAR))]
    assert steps == ["confirm", "go", "confirm", "go", "confirm", "stop"]
    assert only(made)[:2] == ("holds", "noise")
    assert only(made).adjusted_p == pytest.approx(0.6)


def test_all_samples_are_asked_without_an_early_stop() -> None:
    """But nothing is confirmed that is certain already."""
    made = plan("agrees", rules=ALONE._replace(early_stop=False))
    assert trial(made, contradicts=True) == "confirm"
    assert made.confirmed(attempt(CLEAR)) == "go"
    assert trial(made, contradicts=True) == "go"


def test_one_sample_has_the_level_for_itself() -> None:
    """There can be one confirmation only."""
    made = plan("agrees", planned=1)
    assert trial(made, contradicts=True) == "confirm"
    made.confirmed(attempt(0.04))
    assert only(made)[0] == "violated"


def test_more_relations_need_more_runs_to_confirm() -> None:
    """Six for up to seven of them."""
    assert [confirmation_runs(0.05, 3 * relations) for relations in (1, 7, 8, 100)] == [6, 6, 7, 8]
    assert confirmation_runs(0.5, 1) == 6
    assert confirmation_runs(0.001, 3) == 8


def test_where_the_base_differs_all_is_asked_and_tested() -> None:
    """By one test of all outputs."""
    made = plan("differs")
    assert trial(made, contradicts=True) == "go"
    made.test = NoiseTest(0.01, 0.0001, 5)
    assert only(made) == ("violated", None, 0.01)
    made.test = NoiseTest(0.3, 0.0001, 5)
    assert only(made) == ("holds", "noise", 0.3)
    made.test = NoiseTest(0.3, 0.1, 5)
    assert only(made) == ("inconclusive", "too_few_runs", 0.3)
    made.contradictions = 0
    made.test = NoiseTest(1.0, 0.1, 0)
    assert only(made) == ("holds", None, 1.0)


def test_an_assertion_that_cannot_tell_noise_is_inconclusive_once_it_is_contradicted() -> None:
    """Where nothing contradicts, it holds."""
    made = plan("unknown")
    trial(made, contradicts=False)
    assert only(made)[0] == "holds"
    assert trial(made, contradicts=True) == "go"
    assert only(made) == ("inconclusive", "noise_unknown", None)


def test_errors_come_before_everything_but_a_violation() -> None:
    """Also before a lack of trials."""
    made = plan("agrees")
    made.errors = 1
    assert only(made)[0] == "errored"
    trial(made, contradicts=False)
    assert only(made)[0] == "errored"
    trial(made, contradicts=True)
    made.confirmed(attempt(CLEAR))
    assert only(made)[:2] == ("violated", "errors")


def test_nothing_tried_is_vacuous() -> None:
    """With the reason."""
    assert only(plan("agrees", planned=0)) == ("vacuous", "no_samples", None)
    made = plan("agrees")
    made.skip("unchanged")
    assert only(made) == ("vacuous", "no_effective_trial", None)


def test_only_relations_that_were_tested_are_adjusted_for() -> None:
    """One that was never contradicted takes no part of the level."""
    rules = ALONE._replace(relations=3)
    found = []
    for p_value in (0.01, 0.012):
        made = plan("agrees", rules=rules)
        trial(made, contradicts=True)
        made.confirmed(attempt(p_value))
        found.append(made)
    quiet = plan("agrees", rules=rules)
    trial(quiet, contradicts=False)
    assert [each.adjusted_p for each in conclude([*found, quiet], rules)] == [
        pytest.approx(0.06),
        pytest.approx(0.06),
        None,
    ]
    assert conclude([found[0], quiet], rules)[0].verdict == "violated"
