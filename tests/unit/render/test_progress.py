"""Progress as one short line."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from robust.records.progress import ProgressState
from robust.render.progress import RecentRate, count_text, duration_text, progress_text


def _state(**fields: Any) -> ProgressState:
    nothing = {"done": 0, "total": None, "errors": 0, "calls": 0, "cached": 0, "tokens": 0, "cost": 0.0}
    return ProgressState(**{**nothing, "elapsed_s": 1.0, **fields})


FULL = _state(done=1234, total=10_000, errors=3, calls=1240, cached=200, tokens=1_250_000, cost=0.1234, elapsed_s=14.5)
counts = st.integers(0, 2**53)
states = st.builds(
    ProgressState,
    done=counts,
    total=st.none() | counts,
    errors=counts,
    calls=counts,
    cached=counts,
    tokens=counts,
    cost=st.floats(0, 1e12),
    elapsed_s=st.floats(0, 1e9),
)


@pytest.mark.parametrize(
    ("width", "text"),
    [
        (
            200,
            "1234/10000 (12%)  3 errors  1m 43s left  85.3/s  1240 calls  200 cached  1.2M tokens  cost 0.1234",
        ),
        (80, "1234/10000 (12%)  3 errors  1m 43s left  85.3/s  1240 calls  200 cached"),
        (40, "1234/10000 (12%)  3 errors  1m 43s left"),
        (30, "1234/10000 (12%)  3 errors"),
        (16, "1234/10000 (12%)"),
        (15, "1234/10000"),
        (9, ""),
        (0, ""),
    ],
)
def test_what_matters_least_is_left_out_where_there_is_no_room(width: int, text: str) -> None:
    """Never a part of a number, which would be another number."""
    assert progress_text(FULL, width=width, rate=85.3) == text


@pytest.mark.parametrize(
    ("state", "rate", "text"),
    [
        (_state(), None, "0 done"),
        (_state(done=5), 2.0, "5 done  2.0/s"),
        (_state(total=0), None, "0 done  in 1s"),
        (_state(done=1, total=3, errors=1, calls=1), None, "1/3 (33%)  1 error  1 call"),
        (_state(done=2, total=3), 0.01, "2/3 (66%)  1m 40s left  0.6/min"),
        (_state(done=3, total=3, elapsed_s=61), 250.7, "3/3 (100%)  in 1m 01s  251/s"),
        (_state(done=999, total=1000), 1e-320, "999/1000 (99%)"),
        (_state(done=1, total=2, cost=12.5), 0.0, "1/2 (50%)  cost 12.50"),
    ],
)
def test_only_what_is_known_is_said(state: ProgressState, rate: float | None, text: str) -> None:
    """No total, no time left; no rate, no guess; all done only when all is."""
    assert progress_text(state, rate=rate) == text


@given(states, st.integers(0, 200), st.none() | st.floats(0, 1e12))
def test_a_line_is_never_wider_than_its_place_and_plain_ascii(
    state: ProgressState, width: int, rate: float | None
) -> None:
    """So that every console can show it, and nothing wraps."""
    text = progress_text(state, width=width, rate=rate)
    assert len(text) <= width
    assert text.isascii()
    assert text == "" or text.isprintable()


@given(st.lists(st.tuples(st.integers(0, 50), st.integers(0, 50)), max_size=20))
def test_the_share_that_is_done_never_falls_where_the_total_does(moves: list[tuple[int, int]]) -> None:
    """A property may make fewer candidates than it could; that is no step back, and all is done only at the end."""
    done, total = 0, sum(more + fewer for more, fewer in moves) + 1
    shares = []
    for more, fewer in moves:
        done, total = done + more, total - fewer
        text = progress_text(_state(done=done, total=total), rate=1.0)
        assert text.startswith(f"{done}/{total} (")
        assert "left" in text
        shares.append(int(text.partition("(")[2].partition("%")[0]))
    assert shares == sorted(shares)
    assert 100 not in shares


@given(states, st.integers(0, 200))
def test_a_wider_line_begins_with_the_narrower_one(state: ProgressState, width: int) -> None:
    """More room adds, and changes nothing."""
    assert progress_text(state, width=width + 1, rate=1.0).startswith(progress_text(state, width=width, rate=1.0))


@pytest.mark.parametrize(
    ("count", "text"),
    [(0, "0"), (9999, "9999"), (10_000, "10.0k"), (999_999, "999.9k"), (1_000_000, "1.0M"), (5_690_000_000, "5.6G")],
)
def test_counts_are_short_and_never_rounded_up(count: int, text: str) -> None:
    """A budget that is nearly spent is not shown as spent."""
    assert count_text(count) == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0, "0s"),
        (0.1, "1s"),
        (59, "59s"),
        (59.5, "1m 00s"),
        (3599, "59m 59s"),
        (3600, "1h 00m"),
        (86_399, "23h 59m"),
        (86_400, "1d 00h"),
        (1e9, "11574d 01h"),
    ],
)
def test_durations_show_their_two_largest_units(seconds: float, text: str) -> None:
    """Seconds matter within minutes, and not within days."""
    assert duration_text(seconds) == text


def test_the_rate_is_that_of_the_last_half_minute() -> None:
    """A burst of known answers at the start of a continued run is soon forgotten."""
    rate = RecentRate()
    assert rate.add(_state(done=0, elapsed_s=0.0)) is None
    assert rate.add(_state(done=90_000, elapsed_s=1.0)) == 90_000
    found = [rate.add(_state(done=90_000 + 10 * second, elapsed_s=1.0 + second)) for second in range(1, 121)]
    assert found[-1] == 10
    assert found[30:] == [10] * 90


def test_a_slow_run_has_a_rate_too() -> None:
    """Where less than one decision ends in half a minute, it is that of the last two."""
    rate = RecentRate()
    assert [rate.add(_state(done=count, elapsed_s=60.0 * count)) for count in range(1, 5)] == [1 / 60] * 4
    assert rate.add(_state(done=4, elapsed_s=400.0)) is None
