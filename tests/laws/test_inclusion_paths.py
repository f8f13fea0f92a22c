"""Laws of inclusion paths that are made while leaves come one by one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from robust.canon import MerkleTree, inclusion_path, leaf_hash, root_from_path
from robust.records.inclusion_path import InclusionPath


@given(st.integers(1, 140).flatmap(lambda size: st.tuples(st.integers(0, size - 1), st.just(size))))
def test_it_is_the_path_that_all_leaves_at_once_give(place: tuple[int, int]) -> None:
    """And leads to the root of the tree."""
    index, size = place
    lines = [f"line {number}".encode() for number in range(size)]
    made, tree = InclusionPath(index, size), MerkleTree()
    for line in lines:
        made.add(line)
        tree.add(line)
    assert made.path() == inclusion_path([leaf_hash(line) for line in lines], index)
    assert made.root() == tree.root() == root_from_path(lines[index], index, size, made.path())


@given(st.integers(1, 20), st.integers(-3, 25))
def test_the_number_of_leaves_is_kept_to(size: int, index: int) -> None:
    """Neither a place outside, nor more leaves, nor fewer."""
    if not 0 <= index < size:
        with pytest.raises(IndexError):
            InclusionPath(index, size)
        return
    made = InclusionPath(index, size)
    for number in range(size):
        with pytest.raises(IndexError):
            made.path()
        made.add(b"%d" % number)
    with pytest.raises(IndexError):
        made.add(b"more")
