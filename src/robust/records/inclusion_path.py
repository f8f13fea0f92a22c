"""The path of an inclusion proof over leaves that come one by one."""

from __future__ import annotations

from robust.canon import MerkleTree, leaf_hash


class InclusionPath:
    """Makes the inclusion path of one leaf (RFC 9162, 2.1.3.1) in memory that grows with the logarithm of the size.

    Each sibling on the way from the leaf to the root stands for a run of neighbouring leaves, whose own root it is.

    Args:
        index: the leaf's place, from 0.
        size: how many leaves there will be.

    Raises:
        IndexError: ``index`` is not that of a leaf.
    """

    def __init__(self, index: int, size: int) -> None:
        if not 0 <= index < size:
            raise IndexError(index)
        self.size = size
        self._added = 0
        # Where each sibling's leaves end, by their place in the file, and its place on the path.
        self._siblings: list[tuple[int, int, MerkleTree]] = []
        self._at = 0
        self._whole = MerkleTree()
        first, last, siblings = 0, size, []
        while last - first > 1:
            middle = first + (1 << ((last - first - 1).bit_length() - 1))
            siblings.append((middle, last) if index < middle else (first, middle))
            first, last = (first, middle) if index < middle else (middle, last)
        for start, end in sorted([*siblings, (index, index + 1)]):
            depth = len(siblings) if start == index else siblings.index((start, end))
            self._siblings.append((end, depth, MerkleTree()))

    def add(self, line: bytes) -> None:
        """Append a leaf: a line without its line feed.

        Raises:
            IndexError: there are more than was said.
        """
        if self._added == self.size:
            raise IndexError(self._added)
        if self._added == self._siblings[self._at][0]:
            self._at += 1
        hashed = leaf_hash(line)
        self._siblings[self._at][2].extend_hashed(hashed)
        self._whole.extend_hashed(hashed)
        self._added += 1

    def root(self) -> str:
        """The root of the whole tree, as ``sha256:…``."""
        return self._whole.root()

    def path(self) -> list[str]:
        """Hex hashes from the leaf's sibling up to the root's child.

        Raises:
            IndexError: there are fewer leaves than was said.
        """
        if self._added != self.size:
            raise IndexError(self._added)
        # The leaf itself lies deepest, and is no part of the path.
        deepest_first = sorted(self._siblings, key=lambda sibling: -sibling[1])
        return [tree.root().removeprefix("sha256:") for _, _, tree in deepest_first[1:]]
