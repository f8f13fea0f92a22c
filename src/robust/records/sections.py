"""The small sections of a contract: how candidates are made, how statistics judge, what a run may cost."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BeforeValidator, Field

from robust.records.scalars import Flag, Integer, NonEmpty, Number, OrNull, Seed, as_text
from robust.records.section import Section


class Fuzz(Section):
    """How candidates are made and made smaller.

    Attributes:
        seed: every candidate derives from it, the property and the case id.
        text_field: of an object input, the key whose text is edited.
        minimize: whether a failing candidate is made smaller.
        max_minimize_calls: the most calls that this may take for each failing candidate.
    """

    seed: Seed = 0
    text_field: OrNull[NonEmpty] = None
    minimize: Flag = True
    max_minimize_calls: Annotated[Integer, Field(ge=0, le=1000)] = 32


class Statistics(Section):
    """How metrics are judged.

    Attributes:
        confidence: the confidence of every interval.
        judge: ``point``: gates look at the metric itself; ``bound``: at its whole interval.
    """

    confidence: Annotated[Number, Field(ge=0.5, lt=1)] = 0.95
    judge: Annotated[Literal["point", "bound"], BeforeValidator(as_text)] = "point"


class Noise(Section):
    """Telling a model's own noise from what a property finds.

    Attributes:
        baseline_runs: how often each base case is decided; above 1 properties are judged against that noise.
        alpha: the p value below which a property's finding is more than noise.
    """

    baseline_runs: Annotated[Integer, Field(ge=1, le=100)] = 1
    alpha: Annotated[Number, Field(gt=0, lt=1)] = 0.05


class Budget(Section):
    """What a run may spend, its continuations included; what is left then is ``budget_exhausted``.

    Attributes:
        max_calls: calls of the backend.
        max_tokens: tokens, as the backend counts them.
        max_cost: money, in the backend's own unit.
    """

    max_calls: OrNull[Annotated[Integer, Field(ge=1)]] = None
    max_tokens: OrNull[Annotated[Integer, Field(ge=1)]] = None
    max_cost: OrNull[Annotated[Number, Field(gt=0)]] = None
