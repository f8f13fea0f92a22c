"""What a population test saw, and all that its result is derived from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from robust.records.population import OutputKind

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True, kw_only=True, slots=True)
class Evidence:
    """The outputs of the rows that count, and how many others there were.

    Attributes:
        rows: of the data.
        in_slice: of the slice.
        outputs: whether the outputs are numbers or labels; None where the model was not asked.
        places: the numbers of the rows that count, ascending, from 0.
        groups: the group of each of them, from 0 on, each of which occurs; None without groups.
        before: the outputs before the change: numbers with NaN, or labels with None, for missing ones.
        after: likewise, after it.
        invalid: changed rows that the oracle rejected.
        unknown: changed rows of which it could not be told.
        error: where something was raised, and what; None if nothing was.
    """

    rows: int
    in_slice: int
    outputs: OutputKind | None
    places: NDArray[np.int64]
    groups: NDArray[np.int64] | None
    before: NDArray[Any]
    after: NDArray[Any]
    invalid: int = 0
    unknown: int = 0
    error: tuple[str, str] | None = None

    @property
    def units(self) -> int:
        """How many groups there are, or rows without groups."""
        if self.groups is None:
            return len(self.places)
        return int(self.groups.max()) + 1 if len(self.groups) else 0
