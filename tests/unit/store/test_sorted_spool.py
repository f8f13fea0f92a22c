"""Lines put aside come back in order, whether or not they went to disk."""

from __future__ import annotations

import random
import tempfile
from contextlib import closing
from pathlib import Path

import pytest

from robust.errors import UsageError
from robust.store.sorted_spool import SortedSpool
from tests.limits import full_disk


@pytest.mark.parametrize("buffer", [1, 500, 10**9])
def test_lines_come_back_ordered_by_their_bytes(buffer: int) -> None:
    """As often as they are read; equal lines as often as they were given."""
    lines = [f"{number * 7919 % 1009}é\x00{number}".encode() for number in range(300)] * 2
    random.Random(3).shuffle(lines)
    with closing(SortedSpool(buffer)) as spool:
        for line in lines:
            spool.append(line)
        assert list(spool) == sorted(lines)
        assert list(spool) == sorted(lines)


def test_an_empty_spool_has_no_lines() -> None:
    """And an empty line is one."""
    with closing(SortedSpool()) as spool:
        assert list(spool) == []
        spool.append(b"")
        assert list(spool) == [b""]


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With what can be done."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "missing"))
    with closing(SortedSpool(1)) as spool, pytest.raises(UsageError) as caught:
        spool.append(b"x")
    assert caught.value.code == "unwritable"
    assert "TMPDIR" in str(caught.value)


@pytest.mark.parametrize("buffer", [1, 4000])
def test_a_disk_that_fills_up_is_told_and_everything_is_let_go(buffer: int) -> None:
    """What could not be written does not fail again when the spool is closed."""
    for left in (1, 300):
        with full_disk(left), pytest.raises(UsageError) as caught, closing(SortedSpool(buffer)) as spool:
            for number in range(50):
                spool.append(b"%03d" % number * 200)
        assert caught.value.code == "unwritable"
