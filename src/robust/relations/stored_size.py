"""Which variants may take the place of one that was found: by the sizes of their stored forms."""

from __future__ import annotations

from typing import NamedTuple, Self

from robust.canon import JsonValue, canonical_bytes, key_of
from robust.relations.stored_value import is_opaque


class StoredSize(NamedTuple):
    """The size of a stored value, and what it shares with equal ones alone.

    Attributes:
        size: in bytes of canonical JSON.
        key: None where a part of the value can only be shown, so that two of one form need not be equal.
    """

    size: int
    key: bytes | None

    @classmethod
    def of(cls, form: JsonValue, written: bytes | None = None) -> Self:
        """That of a stored form.

        Args:
            form: the stored form.
            written: its canonical bytes, where they are known already.
        """
        written = canonical_bytes(form) if written is None else written
        return cls(len(written), None if is_opaque(form) else key_of(written))

    def may_follow(self, base: Self, origin: Self) -> bool:
        """Whether it may be a simpler variant than ``origin``, which was made of ``base``.

        It is neither of the two. What lies between them takes each of its parts from one of them, and so is never
        larger than both together, though it may be larger than each: where some edits lengthen and others shorten. Of
        values that can only be shown nothing is known, and nothing is refused.
        """
        if self.key is None or base.key is None or origin.key is None:
            return True
        return self.key not in (base.key, origin.key) and self.size <= base.size + origin.size
