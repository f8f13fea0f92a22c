"""How base cases are evaluated, and the golden gates over them."""

from __future__ import annotations

from typing import Annotated, Final

from pydantic import Field

from robust.records.scalars import Integer, NonNegative, Number, OrNull, Share
from robust.records.section import Section

# Gates that mean nothing without evaluation.confidence_threshold.
NEED_THRESHOLD: Final = ("min_coverage", "min_selective_accuracy", "max_abstention_rate")
# Gates on metrics that have no interval, and so no bound to be judged on.
WITHOUT_INTERVAL: Final = ("max_ece", "max_latency_p95_ms")
# Gates on the distance between levels, which only an ordered scale has.
SCORE_ONLY: Final = ("max_ordinal_mae",)

BrierScore = Annotated[Number, Field(ge=0, le=2)]


class Evaluation(Section):
    """Settings of the evaluation.

    Attributes:
        confidence_threshold: a decision whose confidence is at least this is covered, one below it abstains.
        calibration_bins: the number of equal-width bins of the calibration metrics.
        probability_tolerance: how far the sum of an answer may be from 1.
        max_concurrency: the most calls in flight.
    """

    confidence_threshold: OrNull[Share] = None
    calibration_bins: Annotated[Integer, Field(ge=1, le=1000)] = 10
    probability_tolerance: Annotated[Number, Field(gt=0, le=0.1)] = 0.001
    max_concurrency: Annotated[Integer, Field(ge=1, le=256)] = 4


class GateSection(Section):
    """Limits on metrics: each holds when its metric is on the right side, the limit itself included."""

    def limits(self) -> dict[str, float]:
        """The gates that are set, by name, in a fixed order."""
        gates = ((name, getattr(self, name)) for name in type(self).model_fields)
        return {name: float(value) for name, value in gates if isinstance(value, float)}


class Gates(GateSection):
    """Golden gates, over the base cases.

    Attributes:
        min_accuracy: share of labelled, decided cases that are answered right.
        min_macro_f1: mean F1 over the labels that occur.
        min_coverage: share of decided cases whose confidence reaches the threshold.
        min_selective_accuracy: accuracy over the labelled cases that are covered.
        max_nll: mean negative log likelihood of the expected label, in nats.
        max_brier: mean multi-class Brier score.
        max_ece: expected calibration error.
        max_abstention_rate: share of decided cases below the threshold.
        max_error_rate: share of all cases that end in an error; as a requirement 0 unless it is set.
        max_latency_p95_ms: 95th percentile of the latency, in milliseconds.
        max_ordinal_mae: mean distance between expected and selected level, in levels; score decisions only.
    """

    min_accuracy: OrNull[Share] = None
    min_macro_f1: OrNull[Share] = None
    min_coverage: OrNull[Share] = None
    min_selective_accuracy: OrNull[Share] = None
    max_nll: OrNull[NonNegative] = None
    max_brier: OrNull[BrierScore] = None
    max_ece: OrNull[Share] = None
    max_abstention_rate: OrNull[Share] = None
    max_error_rate: OrNull[Share] = None
    max_latency_p95_ms: OrNull[NonNegative] = None
    max_ordinal_mae: OrNull[NonNegative] = None
