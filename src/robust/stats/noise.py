"""Whether what a property found is more than the model's own noise."""

from __future__ import annotations

from typing import Literal, TypeAlias

# ``noise``: over the limit, but that may be noise, so it holds.
NoiseVerdict: TypeAlias = Literal["holds", "noise", "fail", "inconclusive"]


def judge_noise(*, over_limit: bool, p_value: float, smallest_p: float, alpha: float) -> NoiseVerdict:
    """Judge one limit of a property.

    Args:
        over_limit: whether the rate is over its limit, beyond the slack that all limits have.
        p_value: of the exchange test, adjusted for all limits that are tested.
        smallest_p: the smallest that it could have been, adjusted likewise.
        alpha: the p value below which a finding is more than noise.
    """
    if not over_limit:
        return "holds"
    if p_value < alpha:
        return "fail"
    # A test that could not have found anything tells nothing by finding nothing.
    return "noise" if smallest_p < alpha else "inconclusive"
