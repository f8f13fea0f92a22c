"""E6: file names that are derived from names and ids."""

from __future__ import annotations

import ntpath
import re
from pathlib import PureWindowsPath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from robust.records.file_names import MAX_NAME, file_name

# The older spelling warns where there is the newer one.
_is_reserved = getattr(ntpath, "isreserved", None) or (lambda name: PureWindowsPath(name).is_reserved())
DEVICES = ["CON", "con", "Prn", "AUX", "nul", "COM1", "lpt9", "con.txt", "NUL.tar.gz", "aux."]


@pytest.mark.parametrize("name", ["q", "over_limit", "a.b", "v1.2-x", "com10", "console", "aux-x", "x" * MAX_NAME])
def test_e6_a_safe_name_stays_as_it_is(name: str) -> None:
    """So that people find what they named."""
    assert file_name(name) == name


@pytest.mark.parametrize("name", [*DEVICES, "a:b", "a/b", "..", "", "a.", "a ", "-rf", ".hidden", "x" * 101, "日本"])
def test_e6_another_name_is_changed_and_keeps_a_part_of_its_digest(name: str) -> None:
    """Two that would become one stay two."""
    changed = file_name(name)
    assert re.search(r"-[0-9a-f]{8}\Z", changed)
    assert changed not in (name, file_name(name + "!"))


@given(st.text(max_size=150) | st.sampled_from(DEVICES) | st.from_regex(r"[.\-a-zA-Z0-9: ]*"), st.integers(16, 120))
def test_e6_every_name_is_one_that_windows_takes(name: str, most: int) -> None:
    """One part, no device, nothing hidden, no option, nothing that is dropped at its end; whatever is put behind it."""
    made = file_name(name, most)
    for whole in (made, f"{made}-20260131T235959.999Z", f"{made}.json"):
        assert re.fullmatch(r"[A-Za-z0-9_][A-Za-z0-9_.-]*", whole)
        assert PureWindowsPath(whole).name == whole
        assert not _is_reserved(whole)
        assert not whole.endswith((".", " "))
    assert 0 < len(made) <= most
    assert file_name(made, most) == made
