"""Which cells of a column differ after a transformation."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Final

from robust.canon import MAX_SAFE_INTEGER, JsonValue, exact_text, type_name
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
    if isinstance(before, np.ma.MaskedArray) or isinstance(after, np.ma.MaskedArray):
        return changed_cells(_unmasked(before), _unmasked(after))
    kinds = before.dtype.kind, after.dtype.kind
    if (kinds[0] in _NUMBERS and kinds[1] in _NUMBERS) or (kinds[0] == kinds[1] and kinds[0] in "bUSMm"):
        changed: NDArray[np.bool_] = before != after
        if kinds[0] in "fcMm" and kinds[1] in "fcMm" and changed.any():
            missing = np.isnat if kinds[0] in "Mm" else np.isnan
            changed &= ~(missing(before) & missing(after))
        return changed
    pairs = zip(before.tolist(), after.tolist(), strict=True)
    different = [
        one is not other and (one != other if type(one) is str is type(other) else not same_cell(one, other))
        for one, other in pairs
    ]
    return np.array(different, dtype=bool)


def _unmasked(cells: NDArray[Any]) -> NDArray[Any]:
    """Cells of which those that a mask hides are missing."""
    import numpy as np

    if not np.ma.is_masked(cells):
        return np.ma.getdata(cells)
    plain: NDArray[Any] = np.ma.getdata(cells).astype(object)
    plain[np.ma.getmaskarray(cells)] = None
    return plain


def same_cell(one: Any, other: Any) -> bool:
    """Whether two cells are equal and alike: True is not 1, NaN is NaN, what cannot be compared differs."""
    if isinstance(one, bool) != isinstance(other, bool):
        return False
    if is_missing(one) or is_missing(other):
        return is_missing(one) and is_missing(other)
    try:
        equal = one == other
        # An array of comparisons is equal if all of it is and the shapes are alike.
        if not hasattr(equal, "all"):
            return bool(equal)
        return bool(equal.all()) and getattr(one, "shape", ()) == getattr(other, "shape", ())
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
    if type(value).__name__ in ("NAType", "NaTType", "MaskedConstant"):
        return True
    if type(value).__name__ == "Decimal":
        # The signalling one cannot even be compared.
        return bool(value.is_nan())
    try:
        return bool(value != value)
    except Exception:  # noqa: BLE001 - see above
        return False


def shown_change(before: Any, after: Any) -> list[JsonValue]:
    """Two cells that differ as a record shows them; where JSON shows them alike, the second with its type."""
    pair = [json_cell(before), json_cell(after)]
    if not shown_alike(*pair):
        return pair
    return [pair[0], f"{type_name(after)} {cap_text(str(pair[1]), _MAX_SHOWN)}"]


def shown_alike(one: JsonValue, other: JsonValue) -> bool:
    """Whether two cells are shown alike; True is not 1."""
    return isinstance(one, bool) == isinstance(other, bool) and one == other


def json_cell(value: Any) -> JsonValue:
    """A cell as a record or a case shows it: plain JSON where it is, else text; nothing where it is missing."""
    if isinstance(value, bool):
        return value
    if isinstance(value, str):
        # A lone surrogate, which JSON cannot hold, is shown as its escape.
        return str(exact_text(value)).encode("utf-8", "backslashreplace").decode()
    item = getattr(value, "item", None)
    if callable(item) and getattr(value, "shape", None) == ():
        plain = None if type(value).__name__ == "MaskedConstant" else item()
        # A number of more than 64 bits is its own item.
        return json_cell(plain) if type(plain) is not type(value) else _wide_number(value)
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


def _wide_number(value: Any) -> JsonValue:
    """A number that Python has no type for: as a number where it is the same, else in digits."""
    if is_missing(value):
        return None
    if getattr(getattr(value, "dtype", None), "kind", None) != "f":
        return cap_text(str(value), _MAX_SHOWN)
    number = float(value)
    return json_cell(number if number == value else str(value))
