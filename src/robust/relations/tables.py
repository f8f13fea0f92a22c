"""Frames, series and arrays of table libraries, taken apart into labels and columns, so that cells can be compared."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Final, NamedTuple


class Table(NamedTuple):
    """A value of a table library.

    Attributes:
        kind: what it is, whatever class of the caller's own was made of it.
        types: of the columns, which tell equal ones by ``==``.
        labels: names and labels, which no tolerance is for.
        columns: numpy arrays or lists.
    """

    kind: str
    types: list[Any]
    labels: list[Any]
    columns: Callable[[], Iterable[Any]]


_INTEGERS: Final = frozenset(("Int8", "Int16", "Int32", "Int64", "UInt8", "UInt16", "UInt32", "UInt64"))


def is_missing(value: Any) -> bool:
    """Whether a value is one of pandas' two that stand for nothing, and equal not even themselves."""
    kind = type(value)
    return kind.__module__.startswith("pandas.") and kind.__name__ in ("NAType", "NaTType")


def table_of(value: Any) -> Table | None:
    """A value of a table library, taken apart; None where it is none."""
    for kind in type(value).__mro__:
        library = getattr(kind, "__module__", None)
        if isinstance(library, str):
            take = _TAKING.get((library.partition(".")[0], kind.__name__))
            if take is not None:
                return take(f"{library.partition('.')[0]}.{kind.__name__}", value)
    return None


def _pandas_values(column: Any) -> Any:
    return column.to_numpy() if type(column.dtype).__module__.startswith("numpy") else column.tolist()


def _pandas_labels(index: Any) -> list[Any]:
    return [list(index.names), str(index.dtype), index.tolist()]


def _pandas_frame(kind: str, frame: Any) -> Table:
    def columns() -> Iterable[Any]:
        return (_pandas_values(frame.iloc[:, place]) for place in range(frame.shape[1]))

    return Table(kind, list(frame.dtypes), [_pandas_labels(frame.columns), _pandas_labels(frame.index)], columns)


def _pandas_series(kind: str, series: Any) -> Table:
    labels = [series.name, _pandas_labels(series.index)]
    return Table(kind, [series.dtype], labels, lambda: [_pandas_values(series)])


def _pandas_index(kind: str, index: Any) -> Table:
    return Table(kind, [index.dtype], list(index.names), lambda: [index.tolist()])


def _pandas_array(kind: str, array: Any) -> Table:
    return Table(kind, [array.dtype], [], lambda: [array.tolist()])


def _polars_values(series: Any) -> Any:
    plain = series.dtype.is_float() or str(series.dtype) in _INTEGERS
    return series.to_numpy() if plain and not series.null_count() else series.to_list()


def _polars_frame(kind: str, frame: Any) -> Table:
    def columns() -> Iterable[Any]:
        return map(_polars_values, frame.get_columns())

    # Without columns, too, a frame may have rows.
    return Table(kind, list(frame.dtypes), [list(frame.columns), frame.height], columns)


def _polars_series(kind: str, series: Any) -> Table:
    return Table(kind, [series.dtype], [series.name], lambda: [_polars_values(series)])


def _arrow_values(column: Any) -> Any:
    import pyarrow  # type: ignore[import-untyped]

    types = pyarrow.types
    plain = types.is_integer(column.type) or types.is_floating(column.type)
    if not plain or column.null_count:
        return column.to_pylist()
    return column.to_numpy() if isinstance(column, pyarrow.ChunkedArray) else column.to_numpy(zero_copy_only=False)


def _arrow_table(kind: str, table: Any) -> Table:
    def columns() -> Iterable[Any]:
        return map(_arrow_values, table.columns)

    return Table(kind, list(table.schema.types), [list(table.schema.names), table.num_rows], columns)


def _arrow_array(kind: str, array: Any) -> Table:
    return Table(kind, [array.type], [], lambda: [_arrow_values(array)])


def _arrow_scalar(kind: str, scalar: Any) -> Table:
    return Table(kind, [scalar.type], [], lambda: [[scalar.as_py()]])


_TAKING: Final[dict[tuple[str, str], Callable[[str, Any], Table]]] = {
    ("pandas", "DataFrame"): _pandas_frame,
    ("pandas", "Series"): _pandas_series,
    ("pandas", "Index"): _pandas_index,
    ("pandas", "ExtensionArray"): _pandas_array,
    ("polars", "DataFrame"): _polars_frame,
    ("polars", "Series"): _polars_series,
    ("pyarrow", "Table"): _arrow_table,
    ("pyarrow", "RecordBatch"): _arrow_table,
    ("pyarrow", "Array"): _arrow_array,
    ("pyarrow", "ChunkedArray"): _arrow_array,
    ("pyarrow", "Scalar"): _arrow_scalar,
}
