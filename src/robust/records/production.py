"""The ``production`` section of a contract: gates over records that an application collected."""

from __future__ import annotations

from typing import Annotated, Final, TypeAlias

from pydantic import AfterValidator, Field

from robust.records.gates import BrierScore, GateSection
from robust.records.scalars import Items, NonNegative, OrNull, Share, Text, unique
from robust.records.section import Section

# Gates on what has no interval, and so no bound to be judged on.
WITHOUT_INTERVAL: Final = ("max_ece", "max_confidence_tv_distance", "max_ece_increase")


def _check_key(key: str) -> str:
    if not key or key != key.strip():
        raise ValueError("a metadata key must not be empty or have space around it")
    return key


Segments: TypeAlias = Annotated[
    Items[Annotated[Text, AfterValidator(_check_key)]], AfterValidator(unique("metadata key"))
]


class SegmentGates(GateSection):
    """Gates over records, of every segment by itself.

    Attributes:
        min_accuracy: share of records with a known outcome that were right.
        max_error_rate: share of records with a known outcome that were wrong.
        max_ece: expected calibration error.
        max_brier: mean multi-class Brier score.
        max_nll: mean negative log likelihood of the outcome, in nats.
        min_threshold_coverage: share of records whose confidence reaches ``evaluation.confidence_threshold``.
        max_abstention_rate: share of routed records that ended in ``abstain``.
        max_fallback_rate: share of routed records that ended in ``fallback``.
    """

    min_accuracy: OrNull[Share] = None
    max_error_rate: OrNull[Share] = None
    max_ece: OrNull[Share] = None
    max_brier: OrNull[BrierScore] = None
    max_nll: OrNull[NonNegative] = None
    min_threshold_coverage: OrNull[Share] = None
    max_abstention_rate: OrNull[Share] = None
    max_fallback_rate: OrNull[Share] = None


class ProductionGates(SegmentGates):
    """Gates over all records; the last three compare with a baseline, and do not hold without one.

    Attributes:
        max_confidence_tv_distance: total variation distance between the histograms of confidence.
        max_accuracy_drop: how much accuracy may drop.
        max_ece_increase: how much the expected calibration error may rise.
    """

    max_confidence_tv_distance: OrNull[Share] = None
    max_accuracy_drop: OrNull[Share] = None
    max_ece_increase: OrNull[Share] = None


class Production(Section):
    """Gates and segments of ``robust check``.

    Attributes:
        segments: metadata keys whose values make segments.
        requirements: gates over all records.
        warnings: the same as warnings.
        segment_requirements: gates of every segment.
        segment_warnings: the same as warnings.
    """

    segments: Segments = ()
    requirements: ProductionGates = Field(default_factory=ProductionGates)
    warnings: ProductionGates = Field(default_factory=ProductionGates)
    segment_requirements: SegmentGates = Field(default_factory=SegmentGates)
    segment_warnings: SegmentGates = Field(default_factory=SegmentGates)
