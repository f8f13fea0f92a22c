"""The ``policy`` section of a contract: what becomes of a decision, by its confidence."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, ClassVar, Literal, TypeAlias

from pydantic import BeforeValidator, Field

from robust.records.providers import Name
from robust.records.scalars import Items, OrNull, Share, as_text
from robust.records.section import Misfit, Rule, Section

Action: TypeAlias = Literal["accept", "abstain", "fallback", "human_review"]


class Condition(Section):
    """When a route is taken.

    Attributes:
        confidence_gte: the least confidence.
    """

    confidence_gte: Share


def _only_a_fallback_has_a_backend(route: Route) -> Iterator[Misfit]:
    if route.action == "fallback" and route.backend is None:
        yield Misfit((), "a fallback needs a backend", "name one of the contract's backends")
    if route.action != "fallback" and route.backend is not None:
        yield Misfit(("backend",), f"only a fallback has a backend, not {route.action}")


class Route(Section):
    """One route; the first whose condition holds is taken.

    Attributes:
        when: its condition; the last route has none.
        action: what becomes of the decision.
        backend: of a fallback: the backend to ask instead.
    """

    combinations: ClassVar[tuple[Rule, ...]] = (_only_a_fallback_has_a_backend,)

    when: OrNull[Condition] = None
    action: Annotated[Action, BeforeValidator(as_text)]
    backend: OrNull[Name] = None


def _last_route_is_unconditional(policy: Policy) -> Iterator[Misfit]:
    last = len(policy.routes) - 1
    if policy.routes[last].when is not None:
        yield Misfit(("routes", last, "when"), "the last route must be unconditional", "remove its condition")


def _every_route_can_be_reached(policy: Policy) -> Iterator[Misfit]:
    lowest: float | None = None
    for index, route in enumerate(policy.routes):
        if route.when is None:
            for later in range(index + 1, len(policy.routes)):
                message = f"the route cannot be reached: routes[{index}] before it has no condition"
                yield Misfit(("routes", later), message)
            return
        threshold = route.when.confidence_gte
        if lowest is not None and threshold >= lowest:
            message = f"the route cannot be reached: a route before it takes everything from {lowest:g} up"
            yield Misfit(
                ("routes", index, "when", "confidence_gte"), message, "let thresholds fall from route to route"
            )
        lowest = threshold if lowest is None else min(lowest, threshold)


class Policy(Section):
    """Ordered routes, first match wins.

    Attributes:
        routes: at least one; thresholds fall, and the last has no condition.
    """

    combinations: ClassVar[tuple[Rule, ...]] = (_last_route_is_unconditional, _every_route_can_be_reached)

    routes: Annotated[Items[Route], Field(min_length=1)]
