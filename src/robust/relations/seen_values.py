"""Which values of a check were there before, told by their keys."""

from __future__ import annotations

from typing import Final, TypeAlias

# Text, the items of a flat list, or the bytes of anything else.
Key: TypeAlias = str | bytes | tuple[str, ...] | tuple[int, ...]
# Hashing all of a key takes longer than everything else that is done with a long one.
_LONG: Final = 2048
_MANY: Final = 64
_ENDS: Final = 16


class SeenValues:
    """The keys of values that were there.

    A long key is told from others by its length and its ends. Only one that shares these with an earlier key is
    compared with it, and is hashed as a whole if they differ; so that many that differ in the middle alone cost no more
    than that.

    Args:
        key: of the first value.
    """

    __slots__ = ("_by_ends", "_whole")

    def __init__(self, key: Key) -> None:
        self._by_ends: dict[tuple[int, Key, Key], Key] = {}
        if _is_long(key):
            self._whole: set[Key] = set()
            self.add(key)
        else:
            self._whole = {key}

    def add(self, key: Key) -> bool:
        """Note the key of a value; whether it is the first one like it."""
        if len(key) > _MANY and _is_long(key):
            known = self._by_ends
            before = len(known)
            first = known.setdefault((len(key), key[:_ENDS], key[-_ENDS:]), key)
            if len(known) > before:
                return True
            if first == key:
                return False
        whole = self._whole
        before = len(whole)
        whole.add(key)
        return len(whole) > before


def _is_long(key: Key) -> bool:
    return len(key) > (_MANY if type(key) is tuple else _LONG)
