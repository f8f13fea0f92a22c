"""Lines that are kept are read at any place, wherever they are kept."""

from __future__ import annotations

import pickle
import tempfile
from pathlib import Path

import pytest

from robust import UsageError
from robust.store.line_store import LineStore
from tests.limits import full_disk

LINES = [b"", *(f"line {number} é".encode() * (number % 5) for number in range(100)), b"\n", b"last"]


def filled(in_memory: int, lines: list[bytes] = LINES) -> LineStore:
    store = LineStore(in_memory)
    for line in lines:
        store.append(line)
    return store


@pytest.mark.parametrize("in_memory", [1, 700, 10**9])
def test_lines_are_read_at_any_place(in_memory: int) -> None:
    """One by one, from the end, in stretches, and stretches of those."""
    store = filled(in_memory)
    assert len(store) == len(LINES)
    assert list(store) == LINES
    assert [store[place] for place in (0, 1, -1, 50)] == [LINES[place] for place in (0, 1, -1, 50)]
    for part in (slice(0, 7), slice(90, None), slice(None, None, -3), slice(5, 5)):
        assert list(store[part]) == LINES[part]
        assert list(store[part][1:3]) == LINES[part][1:3]
        assert len(store[part]) == len(LINES[part])
    for place in (len(LINES), -len(LINES) - 1):
        with pytest.raises(IndexError):
            store[place]


@pytest.mark.parametrize("lines", [[], [b""], [b"", b""]])
def test_nothing_and_empty_lines_are_kept_too(lines: list[bytes]) -> None:
    """A file without a byte cannot be mapped."""
    assert list(filled(1, lines)) == lines
    assert list(filled(1, lines)[:]) == lines


def test_a_stretch_can_be_sent_to_another_process() -> None:
    """As what it is made of."""
    assert pickle.loads(pickle.dumps(filled(1)[3:9])) == LINES[3:9]  # noqa: S301 - our own


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With what can be done."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "missing"))
    with pytest.raises(UsageError) as caught:
        filled(1)
    assert caught.value.code == "unwritable"


@pytest.mark.parametrize(("in_memory", "lines"), [(1, 30), (1, 3000), (4000, 30), (4000, 3000)])
def test_a_disk_that_fills_up_is_told_while_lines_come(in_memory: int, lines: int) -> None:
    """However little of it is left; or when the first line is read, and not by the system's own error."""
    for left in (1, 900, 1024):
        with full_disk(left), pytest.raises(UsageError) as caught:
            filled(in_memory, [b"x" * 500] * lines)[0]
        assert caught.value.code == "unwritable"
