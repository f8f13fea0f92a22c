"""Which route an answer takes."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from robust import ContractError
from robust.records.policy import Condition, Route
from robust.run.policy import RouteChoice, choose_route


def _route(limit: float | None, action: Any, backend: str | None = None) -> Route:
    return Route(when=None if limit is None else Condition(confidence_gte=limit), action=action, backend=backend)


ROUTES = [_route(0.9, "accept"), _route(0.6, "fallback", "large"), _route(0.3, "human_review"), _route(None, "abstain")]
limits = st.lists(st.floats(0, 1), max_size=5, unique=True).map(lambda values: sorted(values, reverse=True))


@pytest.mark.parametrize(
    ("confidence", "action", "index"),
    [
        (1, "accept", 0),
        (0.9, "accept", 0),
        (0.3 * 3, "accept", 0),
        (0.9 - 0.9e-9, "accept", 0),
        (0.9 - 1.1e-9, "fallback", 1),
        (0.6, "fallback", 1),
        (0.5, "human_review", 2),
        (0.29, "abstain", 3),
        (0, "abstain", 3),
    ],
)
def test_the_first_route_that_matches_wins(confidence: float, action: str, index: int) -> None:
    """At the limit itself too, and where only rounding is missing."""
    chosen = choose_route(ROUTES, confidence)
    assert (chosen.action, chosen.index) == (action, index)
    assert chosen.confidence_gte == (None if index == 3 else [0.9, 0.6, 0.3][index])


def test_only_a_fallback_names_a_backend() -> None:
    """The others have nobody to ask."""
    assert choose_route(ROUTES, 0.7) == RouteChoice(
        index=1, action="fallback", fallback_backend="large", confidence_gte=0.6
    )
    assert choose_route(ROUTES, 0.1) == RouteChoice(
        index=3, action="abstain", fallback_backend=None, confidence_gte=None
    )


@pytest.mark.parametrize(("routes", "confidence"), [([], 1.0), (ROUTES[:3], 0.1), (ROUTES[:3], math.nan)])
def test_a_policy_without_a_route_for_an_answer_is_an_error(routes: Any, confidence: float) -> None:
    """Never an action that nobody wrote down."""
    with pytest.raises(ContractError) as caught:
        choose_route(routes, confidence)
    assert (caught.value.code, caught.value.problems[0].path) == ("no_route", "policy.routes")


@given(limits, st.floats(0, 1))
def test_the_chosen_route_is_the_highest_limit_that_is_met(values: list[float], confidence: float) -> None:
    """Every route before it asks for more than the answer has."""
    routes = [*(_route(value, "accept") for value in values), _route(None, "abstain")]
    chosen = choose_route(routes, confidence)
    assert all(confidence < value for value in values[: chosen.index])
    assert chosen.confidence_gte is None or confidence >= chosen.confidence_gte - 1e-9


@given(limits, st.lists(st.floats(0, 1), min_size=2))
def test_more_confidence_never_leads_to_a_later_route(values: list[float], confidences: list[float]) -> None:
    """The order of routes is an order of confidence."""
    routes = [*(_route(value, "accept") for value in values), _route(None, "abstain")]
    indices = [choose_route(routes, confidence).index for confidence in sorted(confidences)]
    assert all(before >= after for before, after in pairwise(indices))


@given(st.floats())
def test_an_answer_without_a_sound_confidence_is_never_sure_enough(confidence: float) -> None:
    """Not a number compares as less than every limit."""
    chosen = choose_route([_route(0.0, "accept"), _route(None, "human_review")], confidence)
    assert (chosen.action == "accept") == (confidence >= -1e-9)
