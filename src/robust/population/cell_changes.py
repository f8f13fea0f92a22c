"""Which cells of a column differ after a transformation."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Final

from robust.canon import MAX_SAFE_INTEGER, JsonValue, exact_text
from robust.records.failure import cap_text
from robust.records.population import tidy_double

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MISSING: Final = object()
_NUMBERS: Final = "iufc"
_MAX_SHOWN: Final = 200


def changed_cells(before: NDArray[Any], after: NDArray[Any]) -> NDArray[np.bool_]:
    """Which cells differ; a missing one, or NaN, is equal to another of its kind.

    Args:
        before: the column as it was.
        after: as it is; as many cells.
    """
    import numpy as np

    if before is after:
        return np.zeros(len(before), dtype=bool)
    kinds = before.dtype.kind, after.dtype.kind
    if (kinds[0] in _NUMBERS and kinds[1] in _NUMBERS) or (kinds[0] == kinds[1] and kinds[0] in "bUSMm"):
        changed: NDArray[np.bool_] = before != after
        if kinds[0] in "fcMm" and kinds[1] in "fcMm" and changed.any():
            missing = np.isnat if kinds[0] in "Mm" else np.isnan
            changed &= ~(missing(before) & missing(after))
        return changed
    pairs = zip(before.tolist(), after.tolist(), strict=True)
    differs = [
        one is not other and (one != other if type(one) is str is type(other) else not same_cell(one, other))
        for one, other in pairs
    ]
    return np.array(differs, dtype=bool)


def same_cell(one: Any, other: Any) -> bool:
    """Whether two cells are equal and alike: True is not 1, NaN is NaN, what cannot be compared differs."""
    if isinstance(one, bool) != isinstance(other, bool):
        return False
    if is_missing(one) or is_missing(other):
        return is_missing(one) and is_missing(other)
    try:
        equal = one == other
        # An array of comparisons is equal if all of it is and the shapes are alike.
        return bool(equal.all()) and one.shape == other.shape if hasattr(equal, "all") else bool(equal)
    except Exception:  # noqa: BLE001 - the comparison is of whatever the cells hold
        return False


def is_missing(value: Any) -> bool:
    """Whether a cell holds nothing: None, a float that is NaN, or the missing value of a data frame library."""
    if value is None or value is MISSING:
        return True
    if isinstance(value, str | int | list | dict):
        return False
    if type(value) is float:
        return math.isnan(value)
    if type(value).__name__ in ("NAType", "NaTType"):
        return True
    try:
        return bool(value != value)
    except Exception:  # noqa: BLE001 - see above
        return False


def json_cell(value: Any) -> JsonValue:
    """A cell as a record or a case shows it: plain JSON where it is, else text; nothing where it is missing."""
    if isinstance(value, bool):
        return value
    if isinstance(value, str):
        # A lone surrogate, which JSON cannot hold, is shown as its escape.
        return str(exact_text(value)).encode("utf-8", "backslashreplace").decode()
    item = getattr(value, "item", None)
    if callable(item) and getattr(value, "shape", None) == ():
        return json_cell(item())
    if isinstance(value, list | tuple):
        return [json_cell(each) for each in value]
    if isinstance(value, dict):
        return {str(key): json_cell(each) for key, each in value.items()}
    if isinstance(value, int) and abs(value) <= MAX_SAFE_INTEGER:
        return int(value)
    if isinstance(value, float) and math.isfinite(value):
        return tidy_double(value)
    if is_missing(value):
        return None
    return cap_text(str(value), _MAX_SHOWN)
