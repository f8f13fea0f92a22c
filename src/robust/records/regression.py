"""The ``regression`` section of a contract: how much worse than a baseline a candidate may be."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, ClassVar, Final

from pydantic import Field

from robust.records.gates import BrierScore, GateSection
from robust.records.scalars import Integer, Items, NonEmpty, NonNegative, OrNull, Share
from robust.records.section import Misfit, Rule

_SEGMENT_GATE: Final = "max_segment_accuracy_drop"


class RegressionGates(GateSection):
    """Limits on how much a candidate may be worse than its baseline.

    Attributes:
        max_answer_flip_rate: the share of matched cases whose selected label changed.
        max_accuracy_drop: how much accuracy may drop.
        max_macro_f1_drop: how much macro F1 may drop.
        max_ece_increase: how much the expected calibration error may rise.
        max_brier_increase: how much the Brier score may rise.
        max_nll_increase: how much the negative log likelihood may rise.
        max_mean_tv_distance: the mean total variation distance between the two answers to a case.
        max_mean_confidence_shift: how far confidence moved on average, whatever the direction.
        max_error_rate_increase: how much the error rate may rise; as a requirement 0 unless it is set.
        max_latency_p95_increase_ms: how much the 95th percentile of the latency may rise, in milliseconds.
        max_segment_accuracy_drop: how much accuracy may drop in any segment that is large enough.
    """

    max_answer_flip_rate: OrNull[Share] = None
    max_accuracy_drop: OrNull[Share] = None
    max_macro_f1_drop: OrNull[Share] = None
    max_ece_increase: OrNull[Share] = None
    max_brier_increase: OrNull[BrierScore] = None
    max_nll_increase: OrNull[NonNegative] = None
    max_mean_tv_distance: OrNull[Share] = None
    max_mean_confidence_shift: OrNull[Share] = None
    max_error_rate_increase: OrNull[Share] = None
    max_latency_p95_increase_ms: OrNull[NonNegative] = None
    max_segment_accuracy_drop: OrNull[Share] = None


def _segments_are_named(regression: Regression) -> Iterator[Misfit]:
    if not regression.segment_by:
        for place, gates in (((), regression), (("warnings",), regression.warnings)):
            if getattr(gates, _SEGMENT_GATE) is not None:
                yield Misfit((*place, _SEGMENT_GATE), "needs regression.segment_by, the metadata keys of segments")


class Regression(RegressionGates):
    """Gates of ``robust diff``: those at the top are requirements.

    Attributes:
        warnings: the same gates as warnings.
        segment_by: metadata keys whose values make segments.
        min_segment_size: the fewest matched cases of a segment that is judged.
    """

    combinations: ClassVar[tuple[Rule, ...]] = (_segments_are_named,)

    warnings: RegressionGates = Field(default_factory=RegressionGates)
    segment_by: Items[NonEmpty] = ()
    min_segment_size: Annotated[Integer, Field(ge=1)] = 5
