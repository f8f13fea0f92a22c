"""The ``properties`` section of a contract."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BeforeValidator

from robust.records.base import Record
from robust.records.scalars import Flag, OptionalShare, Share, as_text

# Per-pair limits on how far the distribution may move, by the field of the comparison that they bound.
DISTRIBUTION_LIMITS = {
    "max_tv_distance": "tv_distance",
    "max_js_divergence": "js_divergence",
    "max_abs_delta": "max_abs_delta",
    "max_confidence_delta": "confidence_delta",
}


class VariantsProperty(Record):
    """The manifest's own valid variants, each paired with its base.

    A pair is a violation when the base is right and the variant wrong, or when an ``invariant`` pair breaks a
    distribution limit.

    Attributes:
        enabled: false keeps the settings and turns the property off.
        level: whether its checks are requirements or warnings.
        max_violation_rate: share of the pairs whose base is right (and, with distribution limits, of all
            ``invariant`` pairs) that may be violations.
        max_flip_rate: share of ``invariant`` pairs whose selected label may change.
        max_tv_distance: total variation distance, 0–1.
        max_js_divergence: Jensen–Shannon divergence in bits, 0–1.
        max_abs_delta: largest change of one label's probability.
        max_confidence_delta: change of the selected label's probability.
        min_variant_accuracy: share of variants that are answered right.
        max_agreed_error_rate: share of pairs that look right by their relation while both answers are wrong.
    """

    enabled: Flag = True
    level: Annotated[Literal["requirement", "warning"], BeforeValidator(as_text)] = "requirement"
    max_violation_rate: Share = 0.0
    max_flip_rate: OptionalShare = None
    max_tv_distance: OptionalShare = None
    max_js_divergence: OptionalShare = None
    max_abs_delta: OptionalShare = None
    max_confidence_delta: OptionalShare = None
    min_variant_accuracy: OptionalShare = None
    max_agreed_error_rate: OptionalShare = None

    def distribution_limits(self) -> dict[str, float]:
        """The per-pair limits that are set, by name."""
        limits = {name: getattr(self, name) for name in DISTRIBUTION_LIMITS}
        return {name: limit for name, limit in limits.items() if limit is not None}


class Properties(Record):
    """The properties that are configured."""

    variants: VariantsProperty | None = None
