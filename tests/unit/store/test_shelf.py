"""Cases put aside."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from robust import Case
from robust.canon import nfc
from robust.errors import CaseError
from robust.records.encoding import canonical_case
from robust.store.shelf import CaseShelf
from tests.laws.strategies import cases


@settings(max_examples=25)
@given(st.lists(cases, max_size=5, unique_by=lambda case: nfc(case.case_id)))
def test_a_shelf_gives_back_what_was_put_there(many: list[Case]) -> None:
    """In order, and by id, in whatever normal form that is written."""
    with CaseShelf() as shelf:
        for case in many:
            shelf.put(case)
        assert [canonical_case(case) for case in shelf] == [canonical_case(case) for case in many]
        for case in many:
            assert nfc(case.case_id) in shelf
            found = shelf.get(case.case_id)
            assert found is not None
            assert canonical_case(found) == canonical_case(case)


def test_a_reserved_id_is_taken_but_has_no_case() -> None:
    """And does not take a case away."""
    with CaseShelf() as shelf:
        shelf.put(Case("text", case_id="a", source_id="s"))
        shelf.reserve("a")
        shelf.reserve("b")
        assert ("a" in shelf, "b" in shelf, "c" in shelf, 5 in shelf) == (True, True, False, False)
        assert (shelf.get("b"), shelf.get("c")) == (None, None)
        assert shelf.get("a") is not None


def test_a_shelf_of_more_than_memory_is_meant_for_is_a_file() -> None:
    """Read in order and by id alike."""
    with CaseShelf() as shelf:
        for number in range(40):
            shelf.put(Case("x" * 500_000 + str(number), case_id=str(number), source_id="s"))
        found: Any = shelf.get("7")
        assert found.input.endswith("x7")
        assert [case.case_id for case in shelf] == [str(number) for number in range(40)]


def test_what_is_no_portable_json_cannot_be_put_aside() -> None:
    """The case is named."""
    with CaseShelf() as shelf, pytest.raises(CaseError) as caught:
        shelf.put(Case("\ud800", case_id="half", source_id="s"))
    assert "half" in str(caught.value)
