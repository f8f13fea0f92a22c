"""Laws of Merkle trees: the streamed root is that of RFC 9162, and proofs prove exactly their leaf."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from robust.canon import MerkleTree, inclusion_path, leaf_hash, root_from_path


def root_by_definition(leaves: Sequence[bytes]) -> bytes:
    """MTH of RFC 9162, section 2.1.1, written down as it stands there."""
    if not leaves:
        return hashlib.sha256(b"").digest()
    if len(leaves) == 1:
        return hashlib.sha256(b"\x00" + leaves[0]).digest()
    split = 1
    while split * 2 < len(leaves):
        split *= 2
    left, right = root_by_definition(leaves[:split]), root_by_definition(leaves[split:])
    return hashlib.sha256(b"\x01" + left + right).digest()


def root_of(leaves: Sequence[bytes]) -> str:
    tree = MerkleTree()
    for leaf in leaves:
        tree.add(leaf)
    return tree.root()


def lines(size: int) -> list[bytes]:
    return [b"line %d" % index for index in range(size)]


@given(st.lists(st.binary(max_size=8), max_size=70))
def test_streamed_root_is_the_defined_root(leaves: list[bytes]) -> None:
    """Adding leaves one by one gives the recursively defined root."""
    assert root_of(leaves) == "sha256:" + root_by_definition(leaves).hex()


@given(st.lists(st.integers(0, 40), max_size=6), st.booleans())
def test_leaves_may_come_in_stretches(sizes: list[int], many: bool) -> None:
    """However many come at once, the root is that of adding them one by one."""
    stretches = [lines(size + 1500 * (many and not place)) for place, size in enumerate(sizes)]
    tree = MerkleTree()
    for stretch in stretches:
        tree.extend(stretch)
    assert tree.root() == root_of([line for stretch in stretches for line in stretch])


@pytest.mark.parametrize("size", range(1, 41))
def test_every_leaf_of_every_size_can_be_proved(size: int) -> None:
    """The proof of each leaf leads to the root, and that of one leaf never proves another."""
    leaves = lines(size)
    root, hashes = root_of(leaves), [leaf_hash(leaf) for leaf in leaves]
    for index in range(size):
        path = inclusion_path(hashes, index)
        assert root_from_path(leaves[index], index, size, path) == root
        assert root_from_path(b"another line", index, size, path) != root
        for other in {0, index - 1, index + 1, size - 1} - {index, -1, size}:
            assert root_from_path(leaves[index], other, size, path) != root


@pytest.mark.parametrize("size", range(2, 41))
def test_a_spoiled_proof_leads_nowhere(size: int) -> None:
    """A proof with a step missing, added, turned or edited does not lead to the root."""
    leaves = lines(size)
    root, hashes = root_of(leaves), [leaf_hash(leaf) for leaf in leaves]
    for index in range(size):
        path = inclusion_path(hashes, index)
        flipped = f"{int(path[0][0], 16) ^ 1:x}{path[0][1:]}"
        spoiled = [
            path[1:],
            path[:-1],
            [*path, path[0]],
            ["ab", *path[1:]],
            ["zz" * 32, *path[1:]],
            [flipped, *path[1:]],
        ]
        if path[::-1] != path:
            spoiled.append(path[::-1])
        assert all(root_from_path(leaves[index], index, size, wrong) != root for wrong in spoiled)


@given(st.integers(-5, 60), st.integers(0, 50), st.lists(st.binary(max_size=40).map(bytes.hex), max_size=8))
def test_a_proof_that_cannot_fit_is_no_error(index: int, size: int, path: list[str]) -> None:
    """Whatever is handed in as a proof, the answer is a root or None."""
    root = root_from_path(b"line", index, size, path)
    assert root is None or (0 <= index < size and root.startswith("sha256:"))


def test_a_leaf_and_a_node_cannot_be_confused() -> None:
    """A leaf whose text is the two hashes of a node does not hash like the node."""
    left, right = leaf_hash(b"a"), leaf_hash(b"b")
    assert root_of([left + right]) != root_of([b"a", b"b"])


def test_there_is_no_proof_for_a_leaf_that_is_not_there() -> None:
    """Asking for a proof outside the tree is an error."""
    for index in (-1, 3):
        with pytest.raises(IndexError):
            inclusion_path([leaf_hash(line) for line in lines(3)], index)


@given(st.lists(st.integers(0, 700), max_size=8))
def test_the_root_does_not_depend_on_how_many_leaves_come_at_once(parts: list[int]) -> None:
    """Alone, a few, or more than are hashed level by level."""
    leaves = lines(sum(parts))
    tree, start = MerkleTree(), 0
    for part in parts:
        if part == 1:
            tree.add(leaves[start])
        else:
            tree.extend(leaves[start : start + part])
        start += part
    assert tree.size == len(leaves)
    assert tree.root() == root_of(leaves)
