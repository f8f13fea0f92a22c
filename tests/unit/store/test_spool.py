"""Lines put aside, in memory while they are few and on disk beyond that."""

from __future__ import annotations

from itertools import zip_longest

from hypothesis import given, settings
from hypothesis import strategies as st

from robust.store.spool import LineSpool

LINES = st.lists(st.binary(max_size=40).filter(lambda line: b"\n" not in line), max_size=60)


@given(LINES)
def test_lines_come_back_as_they_were_put_aside(lines: list[bytes]) -> None:
    """Empty ones and any bytes but a line feed included, as often as they are read."""
    spool = LineSpool()
    for line in lines:
        spool.append(line)
    assert list(spool) == lines
    assert list(spool) == lines
    spool.close()


@settings(max_examples=5)
@given(st.integers(min_value=1, max_value=9))
def test_more_than_fits_into_memory_comes_back_too(seed: int) -> None:
    """Twenty million bytes, of lines that are longer and shorter than a block."""
    spool = LineSpool()
    lines = [b"%d" % seed * ((seed * number * 7919) % 60_000) for number in range(400)]
    for line in lines:
        spool.append(line)
    assert all(a == b for a, b in zip_longest(spool, lines))
    spool.close()


def test_several_readers_do_not_disturb_each_other() -> None:
    """One reader is far ahead, another begins, and lines are added in between."""
    spool = LineSpool()
    for number in range(100_000):
        spool.append(b"line %d" % number)
    first = iter(spool)
    ahead = [next(first) for _ in range(60_000)]
    second = iter(spool)
    behind = [next(second) for _ in range(10)]
    spool.append(b"one more")
    assert ahead[-1] == b"line 59999"
    assert behind[-1] == b"line 9"
    assert sum(1 for _ in first) == 40_000
    assert list(spool)[-1] == b"one more"
    spool.close()
