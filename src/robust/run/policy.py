"""What becomes of an answer: the first route of a policy whose condition its confidence meets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from robust.errors import ContractError
from robust.records.decision import LIMIT_SLACK
from robust.records.policy import Action, Route


@dataclass(frozen=True, kw_only=True, slots=True)
class RouteChoice:
    """The route that was chosen.

    Attributes:
        index: its position in the policy, from 0.
        action: what to do.
        fallback_backend: of a ``fallback``, the backend to ask instead; it is named and not asked.
        confidence_gte: the route's limit; None where it always applies.
    """

    index: int
    action: Action
    fallback_backend: str | None
    confidence_gte: float | None


def choose_route(routes: Sequence[Route], confidence: float) -> RouteChoice:
    """The first route whose condition holds: confidence ≥ its limit, with the slack of all limits (1e-9).

    Args:
        routes: the policy's routes, in order.
        confidence: the probability of the selected label, 0–1.

    Raises:
        ContractError: no route applies. A contract's last route always does.
    """
    for index, route in enumerate(routes):
        limit = None if route.when is None else route.when.confidence_gte
        if limit is None or confidence >= limit - LIMIT_SLACK:
            return RouteChoice(index=index, action=route.action, fallback_backend=route.backend, confidence_gte=limit)
    message = f"no route applies to a confidence of {confidence!r}"
    raise ContractError.of("no_route", message, path="policy.routes", hint="end with a route without a condition")
