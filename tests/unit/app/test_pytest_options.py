"""What markers of a test may say, and what the folders of its checks are called."""

from __future__ import annotations

import inspect
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from robust import UsageError
from robust.app.pytest_checks import MARKER_OPTIONS, marked_options, safe_name

NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,118}[A-Za-z0-9_]|[A-Za-z0-9_]")
HOSTILE = [
    "t.py::test[../../etc]",
    "t.py::test[..]",
    "t.py::test[a/b::c]",
    "t.py::test[a\\b:c*?<>|]",
    "t.py::test[\x00\n\x1b[31m]",
    "t.py::test[\udcff]",
    "t.py::test[" + "x" * 5000 + "]",
    "t.py::test[日本]",
    "t.py::test[COM1]",
    "",
    ".",
    "..",
    "[]",
    "-rf",
]


def test_options_of_the_nearest_marker_count() -> None:
    """And those of others where it says nothing."""
    markers: list[tuple[tuple[Any, ...], dict[str, Any]]] = [((), {"samples": 3}), ((), {"samples": 9, "alpha": 0.01})]
    assert marked_options(markers, "t") == {"samples": 3, "alpha": 0.01}
    assert marked_options([], "t") == {}


def test_an_unknown_option_is_named_with_the_one_that_was_meant() -> None:
    """Or with all of them, where none is near."""
    with pytest.raises(UsageError) as caught:
        marked_options([((), {"sample": 3})], "t.py::test")
    assert str(caught.value) == "t.py::test: the marker robust has no option 'sample'; did you mean samples?"
    with pytest.raises(UsageError) as caught:
        marked_options([((), {"xyz": 3})], "t.py::test")
    assert all(name in str(caught.value) for name in MARKER_OPTIONS)
    with pytest.raises(UsageError, match="have names"):
        marked_options([((20,), {})], "t.py::test")


def test_every_option_of_a_marker_is_one_of_a_check() -> None:
    """They are listed apart from the engine, so that a wrong one is told before it is loaded."""
    from robust import assert_robust, check

    known = {*inspect.signature(check).parameters, *inspect.signature(assert_robust).parameters}
    assert set(MARKER_OPTIONS) - {"allow_inconclusive"} <= known


def test_a_plain_test_has_a_plain_folder() -> None:
    """Path and names, with other separators."""
    assert safe_name("tests/unit/test_totals.py::TestReceipts::test_order") == (
        "tests.unit.test_totals.py-TestReceipts-test_order"
    )


@pytest.mark.parametrize("test", HOSTILE)
def test_hostile_ids_are_names_of_files(test: str) -> None:
    """Short, and without anything that a path or a shell takes for something else."""
    assert NAME.fullmatch(safe_name(test))


@given(st.text(max_size=60), st.text(max_size=60))
def test_no_two_tests_have_one_folder(one: str, other: str) -> None:
    """Whatever their ids hold."""
    for text in (one, other):
        assert NAME.fullmatch(safe_name(text))
    assert (safe_name(one) == safe_name(other)) == (one == other)


IDS = st.from_regex(r"[ab./:\-\[\]]{1,6}(\.py)?(::[ab\-]{1,3})?", fullmatch=True)


@given(IDS, IDS)
def test_ids_that_look_alike_have_folders_of_their_own(one: str, other: str) -> None:
    """Separators that were written out are not the same as those that stand for others."""
    assert (safe_name(one) == safe_name(other)) == (one == other)
