"""Small bars in a terminal."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from robust.render.plain import columns
from robust.render.report_bars import bar, rates_bars
from robust.render.screen import Screen
from tests.unit.render.reports import assert_fit, check_of, part_of, property_of, report_of

ENCODINGS = st.sampled_from(["utf-8", "cp437", "cp1252", "ascii"])


@given(st.floats(0, 1), st.none() | st.floats(0, 1), ENCODINGS, st.integers(1, 60))
def test_a_bar_has_its_width_and_can_be_written(share: float, mark: float | None, encoding: str, width: int) -> None:
    """Whatever is measured, and wherever its limit is."""
    drawn = bar(share, Screen(encoding), width, mark=mark)
    drawn.encode(encoding)
    assert columns(drawn) <= width
    assert bool(drawn.strip()) == (share > 0 or mark is not None)


@pytest.mark.parametrize(
    ("encoding", "share", "mark", "drawn"),
    [
        ("utf-8", 0.5, None, "████"),
        ("utf-8", 0.55, None, "████▍"),
        ("utf-8", 0.001, None, "▏"),
        ("utf-8", 1, 0.25, "██│█████"),
        ("utf-8", 0.25, 0.75, "██    │"),
        ("utf-8", 0, 1, "       │"),
        ("cp1252", 0.5, None, "####"),
        ("ascii", 0.001, 0.5, "#   |"),
    ],
)
def test_a_bar_is_as_long_as_its_share(encoding: str, share: float, mark: float | None, drawn: str) -> None:
    """In eighths of a column; in ASCII where the terminal has no others."""
    assert bar(share, Screen(encoding), 8, mark=mark) == drawn


def test_violation_rates_stand_beside_their_limits() -> None:
    """The longest bar is the largest of all rates and limits."""
    found = {
        "whitespace": property_of(violation_rate=0.4),
        "option_order": property_of(violation_rate=0.1),
        "paraphrase": property_of(violation_rate=None),
    }
    checks = [check_of(check=f"{name}.max_violation_rate", limit=0.2) for name in found]
    report = report_of(properties=found, checks=checks)
    assert rates_bars(report, Screen("utf-8")) == [
        "",
        "Violation rates (a whole bar is 40.0%; │ is the limit)",
        "  whitespace    40.0%  ██████████████████│█████████████████",
        "  option_order  10.0%  █████████         │",
    ]


def test_where_nothing_is_violated_there_is_nothing_to_see() -> None:
    """Nor where nothing limits violations."""
    whole = {"whitespace": property_of(violation_rate=0)}
    assert (
        rates_bars(report_of(properties=whole, checks=[check_of(check="whitespace.max_violation_rate")]), Screen())
        == []
    )
    assert rates_bars(report_of(properties={"whitespace": property_of(violation_rate=0.4)}), Screen()) == []


@pytest.mark.parametrize("encoding", ["utf-8", "cp1252", "ascii"])
def test_a_report_with_bars_fits_80_columns(encoding: str) -> None:
    """Bars stand behind the numbers, which are the same."""
    rows = [
        {"lower": n / 10, "upper": (n + 1) / 10, "count": 10**6, "mean_confidence": n / 10 + 0.05, "accuracy": 0.12345}
        for n in range(10)
    ]
    found = {name: property_of(violation_rate=1) for name in ("irrelevant_context", "repeated_context")}
    checks = [check_of(check=f"{name}.max_violation_rate", limit=0.2) for name in found]
    report = report_of(reliability=rows, properties=found, checks=checks)
    with_bars, without = (assert_fit(report, encoding=encoding, bars=bars) for bars in (True, False))
    for drawn, plain in zip(part_of(with_bars, "Reliability")[1:], part_of(without, "Reliability")[1:], strict=False):
        assert drawn.startswith(plain)
    assert "Violation rates" not in without
