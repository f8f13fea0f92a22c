"""What a model gave for some rows, as one array; nothing is repaired, and a missing prediction stays missing."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from robust.canon import describe, type_name
from robust.errors import DataError
from robust.population.cell_changes import is_missing

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# A probability may be a little outside of 0–1 by rounding, and a distribution a little off its sum.
_SLACK: Final = 1e-9
_SUM_TOLERANCE: Final = 1e-3
_LABELS: Final = (str, bool, int, float)
# From here on not every whole number is a floating point number.
_EXACT: Final = 2.0**53


def output_array(given: Any, rows: int) -> tuple[NDArray[Any], tuple[Any, ...] | None]:
    """The outputs of so many rows, and the names of their columns where they have names.

    Args:
        given: an array, list, series or data frame, or a list of dictionaries from class to probability.
        rows: how many were asked for.

    Returns:
        An array of one dimension, or of two where each row has several numbers.

    Raises:
        DataError: it is none of these, or not one output for each row.
    """
    import numpy as np

    if given is None or isinstance(given, str | bytes | Mapping):
        raise _bad(f"the model gave {'nothing' if given is None else describe(given)}", "one output for each row")
    if inspect.isawaitable(given):
        if inspect.iscoroutine(given):
            given.close()
        raise _bad("the model gave an awaitable", "a plain function: wrap it, lambda rows: asyncio.run(model(rows))")
    names = None
    if hasattr(given, "columns") and callable(getattr(given, "to_numpy", None)):
        names = tuple(getattr(given, "column_names", None) or given.columns)
    if isinstance(given, list | tuple) and given and all(isinstance(each, Mapping) for each in given):
        array, names = _of_mappings(given)
    else:
        array = _unmasked(given) if isinstance(given, np.ndarray) else _as_array(given)
    if array.ndim == 2 and array.shape[1] == 1 and names is None:
        array = array[:, 0]
    if array.ndim not in (1, 2):
        raise _bad(
            f"the model gave an array of {array.ndim} dimensions", "one output, or one row of them, for each row"
        )
    if len(array) != rows:
        raise _bad(f"the model was asked for {rows} rows and gave {len(array)} outputs", "one output for each row")
    return array, names


def _unmasked(given: NDArray[Any]) -> NDArray[Any]:
    """A plain array: what a mask hides is missing, NaN of floating point numbers and else None."""
    import numpy as np

    if not isinstance(given, np.ma.MaskedArray):
        return np.asarray(given)
    hidden = np.ma.getmaskarray(given)
    if given.dtype.names or not hidden.any():
        return np.asarray(given.data)
    numbers = given.dtype.kind == "f" or (given.dtype.kind in "iu" and given.ndim > 1)
    plain: NDArray[Any] = given.data.astype((given.dtype if given.dtype.kind == "f" else float) if numbers else object)
    plain[hidden] = np.nan if numbers else None
    return plain


def _as_array(given: Any) -> NDArray[Any]:
    import numpy as np

    if not isinstance(given, list | tuple):
        convert = getattr(given, "to_numpy", None)
        try:
            made = convert() if callable(convert) else np.asarray(given) if hasattr(given, "__array__") else list(given)
        except (TypeError, ValueError):
            raise _bad(f"the model gave {describe(given)}", "an array, a list or a series") from None
        return _unmasked(np.asanyarray(made))
    if all(isinstance(each, list | tuple | np.ndarray) for each in given) and given:
        try:
            return np.array([_row_of_numbers(each) for each in given], dtype=np.float64)
        except OverflowError:
            raise _inexact("a number in a row of the model's outputs") from None
        except (TypeError, ValueError):
            raise _bad("the model gave rows of several lengths, or not of numbers", "as many for each row") from None
    kinds = set(map(type, given))
    if kinds <= {int, float} or kinds == {bool}:
        try:
            return np.array(given) if given else np.empty(0)
        except OverflowError:
            pass
    array = np.empty(len(given), dtype=object)
    array[:] = [None if is_missing(each) else each for each in given]
    return array


def _row_of_numbers(given: Any) -> NDArray[np.float64]:
    import numpy as np

    if not isinstance(given, np.ndarray):
        given = [np.nan if is_missing(each) else each for each in given]
    return np.asarray(_unmasked(given) if isinstance(given, np.ndarray) else given, dtype=np.float64)


def _of_mappings(given: Sequence[Mapping[Any, Any]]) -> tuple[NDArray[Any], tuple[Any, ...]]:
    import numpy as np

    names = tuple(given[0])
    odd = next((each for each in given if set(each) != set(names)), None)
    if odd is not None:
        raise _bad(f"the model gave probabilities of {list(odd)} and of {list(names)}", "all classes for each row")
    try:
        table = [[np.nan if is_missing(each[name]) else float(each[name]) for name in names] for each in given]
    except (TypeError, ValueError, OverflowError):
        raise _bad("the model gave a probability that is no number", "a number for each class") from None
    return np.array(table), names


def numbers_of(array: NDArray[Any]) -> NDArray[np.float64]:
    """Outputs of one dimension as numbers; what is missing is NaN.

    Raises:
        DataError: one is no number, or one that a floating point number of 64 bits cannot hold.
    """
    import numpy as np

    if array.dtype.kind in "iuf":
        return _doubles(array)
    if array.dtype.kind == "O":
        numbers = np.empty(len(array))
        for place, value in enumerate(array.tolist()):
            plain = value.item() if hasattr(value, "item") else value
            if is_missing(value) or is_missing(plain):
                numbers[place] = np.nan
            elif _is_number(plain):
                numbers[place] = _double(plain, place)
            else:
                raise _bad(f"output {place} of the model is {describe(plain)}", "numbers, or task='classification'")
        return numbers
    raise _bad(f"the model gave {_kind_in_words(array)}", "numbers, or task='classification'")


def _is_number(value: Any) -> bool:
    import numpy as np

    known = isinstance(value, (int, float, np.floating)) or type_name(value) in ("Decimal", "Fraction")
    return known and not isinstance(value, bool)


def labels_of(array: NDArray[Any]) -> NDArray[Any]:
    """Outputs of one dimension as labels: text, booleans or numbers; what is missing is None.

    Raises:
        DataError: one is none of these.
    """
    if array.dtype.kind in "iubU":
        return array
    labels = array.astype(object)
    for place, value in enumerate(array.tolist()):
        plain = value.item() if hasattr(value, "item") else value
        if is_missing(value) or is_missing(plain):
            plain = None
        elif not isinstance(plain, _LABELS):
            raise _bad(f"output {place} of the model is {describe(plain)}", "labels that are text, numbers or booleans")
        labels[place] = plain
    return labels


def probabilities_of(array: NDArray[Any]) -> NDArray[np.float64]:
    """Outputs of two dimensions as distributions; a row with something that is missing is missing as a whole.

    Raises:
        DataError: they are no probabilities, or do not sum to 1.
    """
    import numpy as np

    try:
        table = array.astype(np.float64, copy=False)
    except (TypeError, ValueError, OverflowError):
        raise _bad("the model gave rows of something else than numbers", "a probability for each class") from None
    # Column by column, since rows are short; what is missing makes its sum so.
    sums = np.zeros(len(table))
    for place in range(table.shape[1]):
        sums += table[:, place]
    if table.size and _are_distributions(table, sums):
        return table
    missing = np.isnan(sums)
    some_missing = bool(missing.any())
    known = table[~missing] if some_missing else table
    if known.size and (known.min() < -_SLACK or known.max() > 1 + _SLACK):
        odd = float(known.min() if known.min() < -_SLACK else known.max())
        raise _bad(f"the model gave several numbers for each row, one of them {odd!r}", "probabilities, or one number")
    off = np.abs(sums - 1) > _SUM_TOLERANCE
    if off.any():
        total = float(sums[np.argmax(off)])
        hint = "a distribution, or wrap the model so that it gives one number for each row"
        raise _bad(f"the model gave probabilities of one row that sum to {total!r}", hint)
    if some_missing:
        table = table.copy()
        table[missing] = np.nan
    return table


def _are_distributions(table: NDArray[np.float64], sums: NDArray[np.float64]) -> bool:
    """Whether all is as it must be and nothing is missing, which is told by extremes alone: NaN is within no limits."""
    return bool(
        table.min() >= -_SLACK
        and table.max() <= 1 + _SLACK
        and abs(sums.min() - 1) <= _SUM_TOLERANCE
        and abs(sums.max() - 1) <= _SUM_TOLERANCE
    )


def may_be_probabilities(numbers: NDArray[np.float64]) -> bool:
    """Whether all numbers that are not missing lie within 0–1, but for rounding."""
    import numpy as np

    known = numbers[~np.isnan(numbers)]
    return bool(((known >= -_SLACK) & (known <= 1 + _SLACK)).all())


def same_labels(before: NDArray[Any], after: NDArray[Any]) -> NDArray[np.bool_]:
    """Which labels are equal and of one kind: 1 is 1.0, but neither True nor "1"."""
    import numpy as np

    kinds = before.dtype.kind, after.dtype.kind
    same: NDArray[np.bool_]
    if kinds[0] == kinds[1] and kinds[0] in "iubU":
        same = before == after
        return same
    if kinds == ("O", "O") and not any(bool in set(map(type, each.tolist())) for each in (before, after)):
        same = np.equal(before, after).astype(bool)
    else:
        pairs = zip(before.tolist(), after.tolist(), strict=True)
        same = np.fromiter((same_label(one, other) for one, other in pairs), bool, len(before))
    return same


def same_label(one: Any, other: Any) -> bool:
    """Whether two labels are equal and of one kind."""
    return isinstance(one, bool) == isinstance(other, bool) and bool(one == other)


class JoinedOutputs:
    """The outputs of several batches as one array, without turning one kind into another.

    Each is copied as it comes, since the model's own array may be used again for the next batch.

    Args:
        size: how many rows there are in all.
    """

    def __init__(self, size: int) -> None:
        self._size = size
        self._whole: NDArray[Any] | None = None
        self._parts: list[NDArray[Any]] = []

    def add(self, part: NDArray[Any]) -> None:
        """Take in the outputs of the next rows, of as many dimensions as those before."""
        import numpy as np

        if self._whole is None:
            self._whole = np.empty((self._size, *part.shape[1:]), part.dtype)
        if part.dtype == self._whole.dtype:
            start = sum(map(len, self._parts))
            own = self._whole[start : start + len(part)]
            own[...] = part
        else:
            own = part.copy()
        self._parts.append(own)

    def joined(self) -> NDArray[Any]:
        """All of them; there must be one batch, or more."""
        import numpy as np

        kinds = {part.dtype for part in self._parts}
        if self._whole is not None and len(kinds) == 1:
            return self._whole
        if len({kind.kind for kind in kinds}) == 1:
            return np.concatenate(self._parts)
        return np.concatenate([part.astype(object) for part in self._parts])


def _kind_in_words(array: NDArray[Any]) -> str:
    return {"U": "texts", "S": "bytes", "b": "booleans", "c": "complex numbers"}.get(array.dtype.kind, "no numbers")


def _doubles(array: NDArray[Any]) -> NDArray[np.float64]:
    """Numbers as those of 64 bits, if they can be told apart as such."""
    import numpy as np

    with np.errstate(over="ignore", under="ignore"):
        numbers = array.astype(np.float64)
    if array.dtype.itemsize < numbers.dtype.itemsize:
        return numbers
    if array.dtype.kind in "iu":
        doubtful = np.flatnonzero(np.abs(numbers) >= _EXACT)
    elif array.dtype != numbers.dtype:
        doubtful = np.flatnonzero((np.abs(numbers) >= _EXACT) | (numbers == 0))
    else:
        return numbers
    for place in doubtful.tolist():
        _double(array[place] if array.dtype.kind == "f" else int(array[place]), place)
    return numbers


def _double(value: Any, place: int) -> float:
    """A number as one of 64 bits: rounded where it has a fraction, never where that would make two of them one."""
    try:
        number = float(value)
    except OverflowError:
        raise _inexact(f"output {place} of the model") from None
    lost = number == 0 or abs(number) >= _EXACT
    if lost and value != number:
        raise _inexact(f"output {place} of the model")
    return number


def _inexact(what: str) -> DataError:
    return _bad(f"{what} is a number that a floating point number of 64 bits cannot hold", "smaller numbers")


def _bad(message: str, due: str) -> DataError:
    return DataError.of("bad_output", message, path="model", hint=f"it must give {due}" if " " in due else due)
