"""The rule that tells a finding from noise."""

from __future__ import annotations

import pytest

from robust.stats.noise import NoiseVerdict, judge_noise


@pytest.mark.parametrize(
    ("over_limit", "p_value", "smallest_p", "verdict"),
    [
        (False, 0.001, 0.001, "holds"),
        (False, 1.0, 1.0, "holds"),
        (True, 0.049, 0.001, "fail"),
        (True, 0.05, 0.001, "noise"),
        (True, 0.7, 0.049, "noise"),
        (True, 0.7, 0.05, "inconclusive"),
        (True, 1.0, 1.0, "inconclusive"),
    ],
)
def test_every_branch_and_its_edges(over_limit: bool, p_value: float, smallest_p: float, verdict: NoiseVerdict) -> None:
    """At an alpha of 0.05, which itself is not below alpha."""
    assert judge_noise(over_limit=over_limit, p_value=p_value, smallest_p=smallest_p, alpha=0.05) == verdict
