"""Numbers in the cells of a column: edited all at once, each staying of its kind."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from robust.canon import describe
from robust.errors import DataError
from robust.population.cell_changes import is_missing
from robust.stats.paired import moments

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_SAFE: Final = 2.0**53
# Edits are computed in floating point numbers.
_INEXACT: Final = "2^53, from where on floating point numbers do not tell whole ones apart"

# Of numbers, and of their positions in the column, to numbers.
NumberEdit = Callable[["NDArray[np.float64]", "NDArray[np.int64]"], "NDArray[np.float64]"]


def edited_numbers(cells: NDArray[Any], column: Any, edit: NumberEdit) -> NDArray[Any]:
    """The column with its numbers edited, in a new array: whole numbers stay whole, cells that hold nothing stay.

    Raises:
        DataError: a cell holds something that is no number, or an edited number is beyond what its type can hold, or
            as a whole number beyond what a floating point number can tell exactly. Names the column and the row.
    """
    import numpy as np

    if cells.dtype.kind == "f":
        return _floating(cells, column, edit)
    places, numbers = _numbers_of(cells, column)
    with np.errstate(over="ignore", invalid="ignore"):
        made = edit(numbers, places)
    if cells.dtype.kind in "iu":
        return _whole(made, cells.dtype, column)
    edited = cells.copy()
    before = cells[places].tolist()
    values: list[Any] = made.tolist()
    for place, old, value in zip(places.tolist(), before, values, strict=True):
        if isinstance(old, (int, np.integer)):
            edited[place] = _whole_cell(value, column, place)
        elif math.isfinite(old) and not math.isfinite(value):
            raise _too_large(value, column, place, "a floating point number")
        else:
            edited[place] = value
    return edited


def _floating(cells: NDArray[Any], column: Any, edit: NumberEdit) -> NDArray[Any]:
    """Edited numbers of a floating point type, computed in 64 bits or more; no finite one becomes infinite."""
    import numpy as np

    wide = cells.astype(np.promote_types(cells.dtype, np.float64))
    with np.errstate(over="ignore", invalid="ignore"):
        edited: NDArray[Any] = edit(wide, np.arange(len(cells))).astype(cells.dtype)
    bad = np.isfinite(cells) & ~np.isfinite(edited)
    if bad.any():
        place = int(np.argmax(bad))
        raise _too_large(float(edited[place]), column, place, str(cells.dtype))
    return edited


def spread_of(cells: NDArray[Any], column: Any) -> float:
    """The standard deviation (with n − 1) of the finite numbers of a column; 0 of fewer than two.

    Raises:
        DataError: a cell holds something that is no number.
    """
    import numpy as np

    numbers = cells.astype(np.float64) if cells.dtype.kind == "f" else _numbers_of(cells, column)[1]
    if isinstance(numbers, np.ma.MaskedArray):
        numbers = numbers.compressed()
    numbers = numbers[np.isfinite(numbers)]
    if len(numbers) < 2:
        return 0.0
    return moments(numbers).deviation


def _numbers_of(cells: NDArray[Any], column: Any) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """The positions of the numbers, and the numbers."""
    import numpy as np

    if cells.dtype.kind in "iu":
        return np.arange(len(cells)), cells.astype(np.float64)
    if cells.dtype.kind != "O":
        message = f"the column {column!r} holds {cells.dtype}, not numbers"
        raise DataError.of("not_a_number", message, path=f"column {column!r}", hint="edit a column of numbers")
    places, numbers = [], []
    for place, cell in enumerate(cells.tolist()):
        plain = cell.item() if hasattr(cell, "item") else cell
        if isinstance(plain, int | float) and not isinstance(plain, bool):
            if plain == plain:
                places.append(place)
                numbers.append(_double(plain, column, place))
        elif not is_missing(cell):
            message = f"row {place} of the column {column!r} holds {describe(cell)}, not a number"
            raise DataError.of("not_a_number", message, path=f"column {column!r}", hint="edit a column of numbers")
    return np.array(places, dtype=np.int64), np.array(numbers, dtype=np.float64)


def _double(number: float, column: Any, place: int) -> float:
    try:
        return float(number)
    except OverflowError:
        message = f"row {place} of the column {column!r} holds a whole number beyond every floating point number"
        raise DataError.of("too_large", message, path=f"column {column!r}", hint="edit smaller numbers") from None


def _whole(numbers: NDArray[np.float64], kind: np.dtype[Any], column: Any) -> NDArray[Any]:
    import numpy as np

    rounded = np.rint(numbers)
    limits = np.iinfo(kind)
    # The largest number of 64 bits is itself no floating point number.
    bad = ~((rounded >= max(float(limits.min), -_SAFE)) & (rounded <= min(float(limits.max), _SAFE)))
    if bad.any():
        place = int(np.argmax(bad))
        fits = float(limits.min) <= rounded[place] <= float(limits.max)
        raise _too_large(float(numbers[place]), column, place, _INEXACT if fits else str(kind))
    return rounded.astype(kind)


def _whole_cell(number: float, column: Any, place: int) -> int:
    if not abs(number) <= _SAFE:
        raise _too_large(number, column, place, _INEXACT)
    return round(number)


def _too_large(number: float, column: Any, place: int, kind: str) -> DataError:
    message = f"row {place} of the column {column!r} would become {number!r}, which is beyond {kind}"
    hint = "make the column one of floats" if math.isfinite(number) else "edit by less, or slice such rows away"
    return DataError.of("too_large", message, path=f"column {column!r}", hint=hint)
