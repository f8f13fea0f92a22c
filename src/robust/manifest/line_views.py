"""Lines of a manifest as sequences: kept as bytes, and decoded when they are asked for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Generic, Protocol, TypeVar, overload

T = TypeVar("T")


class LineView(Sequence[T], Generic[T]):
    """A sequence whose items are decoded from lines when they are read, so that holding it costs no objects."""

    def __init__(self, lines: Sequence[bytes], decode: Callable[[bytes], T]) -> None:
        self._lines = lines
        self._decode = decode

    def __len__(self) -> int:
        return len(self._lines)

    @overload
    def __getitem__(self, index: int) -> T: ...
    @overload
    def __getitem__(self, index: slice) -> LineView[T]: ...
    def __getitem__(self, index: int | slice) -> T | LineView[T]:
        if isinstance(index, slice):
            return LineView(self._lines[index], self._decode)
        return self._decode(self._lines[index])

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sequence) or len(self) != len(other):
            return False
        return all(one == another for one, another in zip(self, other, strict=True))

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<{len(self)} items>"


class LineKeeper(Protocol):
    """Keeps the lines of a manifest, and gives any stretch of them."""

    def extend(self, lines: Sequence[bytes], /) -> None:
        """Keep more lines."""

    def __getitem__(self, places: slice, /) -> Sequence[bytes]:
        """Some of the lines, in their order."""
        ...
