"""Merkle trees of RFC 9162, section 2.1: leaf ``SHA-256(0x00 ‖ line)``, node ``SHA-256(0x01 ‖ left ‖ right)``."""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Iterable, Sequence

# Complete subtrees of so many leaves are hashed level by level, which takes fewer steps than leaf by leaf.
_MOST_AT_ONCE = 256
# Two nodes at a time.
_PAIRS = struct.Struct("64s").iter_unpack


def leaf_hash(line: bytes) -> bytes:
    """The hash of one leaf (32 bytes)."""
    return hashlib.sha256(b"\x00" + line).digest()


def leaf_hashes(lines: Iterable[bytes]) -> bytes:
    """The hashes of leaves in their order, 32 bytes each."""
    sha256 = hashlib.sha256
    return b"".join([sha256(b"\x00" + line).digest() for line in lines])


def _node_hash(left: bytes, right: bytes) -> bytes:
    return hashlib.sha256(b"\x01" + left + right).digest()


class MerkleTree:
    """The root over leaves that come one by one, in memory that grows with the logarithm of their number."""

    def __init__(self) -> None:
        self.size = 0
        # The roots of complete subtrees from left to right: one for each bit that is set in the size.
        self._peaks: list[bytes] = []

    def add(self, line: bytes) -> None:
        """Append a leaf: a line without its line feed."""
        self._append(leaf_hash(line), 0)

    def extend(self, lines: Iterable[bytes]) -> None:
        """Append leaves in their order."""
        self.extend_hashed(leaf_hashes(lines))

    def extend_hashed(self, hashes: bytes) -> None:
        """Append leaves that are hashed already, 32 bytes each; see :func:`leaf_hashes`."""
        start, sha256 = 0, hashlib.sha256
        while left := (len(hashes) - start) // 32:
            # As many as make a complete subtree: no more than are left, nor than its place allows.
            place = self.size & -self.size or _MOST_AT_ONCE
            height = min(left, place, _MOST_AT_ONCE).bit_length() - 1
            level = hashes[start : start + (32 << height)]
            start += len(level)
            while len(level) > 32:
                # The hash of _node_hash, without a call for each of the many lines of a file.
                level = b"".join([sha256(b"\x01" + pair).digest() for (pair,) in _PAIRS(level)])
            self._append(level, height)

    def _append(self, subtree: bytes, height: int) -> None:
        """Append the root of a complete subtree of 2^height leaves, whose place in the tree allows it."""
        # As in binary addition, each trailing 1 bit is a subtree as large as the one that is carried.
        carried = self.size >> height
        while carried & 1:
            subtree = _node_hash(self._peaks.pop(), subtree)
            carried >>= 1
        self._peaks.append(subtree)
        self.size += 1 << height

    def root(self) -> str:
        """The root, as ``sha256:…``; that of no leaves is the hash of the empty string."""
        if not self._peaks:
            return "sha256:" + hashlib.sha256(b"").hexdigest()
        value = self._peaks[-1]
        for left in reversed(self._peaks[:-1]):
            value = _node_hash(left, value)
        return "sha256:" + value.hex()


def _split_point(size: int) -> int:
    """The largest power of two below ``size``."""
    return 1 << ((size - 1).bit_length() - 1)


def _subtree_root(leaves: Sequence[bytes]) -> bytes:
    if len(leaves) == 1:
        return leaves[0]
    middle = _split_point(len(leaves))
    return _node_hash(_subtree_root(leaves[:middle]), _subtree_root(leaves[middle:]))


def inclusion_path(leaf_hashes: Sequence[bytes], index: int) -> list[str]:
    """The inclusion proof of RFC 9162, 2.1.3.1: hex hashes from the leaf's sibling up to the root's child.

    Raises:
        IndexError: ``index`` is not that of a leaf.
    """
    if not 0 <= index < len(leaf_hashes):
        raise IndexError(index)
    path: list[str] = []
    leaves = leaf_hashes
    while len(leaves) > 1:
        middle = _split_point(len(leaves))
        left, right = leaves[:middle], leaves[middle:]
        if index < middle:
            path.append(_subtree_root(right).hex())
            leaves = left
        else:
            path.append(_subtree_root(left).hex())
            leaves, index = right, index - middle
    return path[::-1]


def root_from_path(line: bytes, index: int, size: int, path: Sequence[str]) -> str | None:
    """The root that an inclusion proof leads to (RFC 9162, 2.1.3.2), or None when the proof cannot fit the tree."""
    if not 0 <= index < size:
        return None
    position, last = index, size - 1
    value = leaf_hash(line)
    try:
        siblings = [bytes.fromhex(step) for step in path]
    except ValueError:
        return None
    for sibling in siblings:
        if last == 0 or len(sibling) != 32:
            return None
        if position % 2 or position == last:
            value = _node_hash(sibling, value)
            while position % 2 == 0 and position != 0:
                position, last = position >> 1, last >> 1
        else:
            value = _node_hash(value, sibling)
        position, last = position >> 1, last >> 1
    return "sha256:" + value.hex() if last == 0 else None
