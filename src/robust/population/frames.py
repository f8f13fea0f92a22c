"""Data frames of any library as tables, through narwhals, which imports none of them."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any, ClassVar, Final

from robust.canon import describe
from robust.errors import DataError
from robust.population.cell_changes import is_missing
from robust.population.rows import Column, Table, another_kind, check_shape

if TYPE_CHECKING:
    import narwhals as nw
    import numpy as np
    from numpy.typing import NDArray

_INSTALL: Final = "pip install 'robust-records[frames]', or give an array, or frame.to_dict('records')"


def frame_table(data: Any) -> Table:
    """A data frame or series as a table.

    Raises:
        DataError: it is neither, it is lazy, its columns have one name twice, or narwhals is not installed.
    """
    try:
        import narwhals as nw
    except ImportError:
        raise DataError.of("no_frames", f"{describe(data)} takes narwhals", path="data", hint=_INSTALL) from None
    try:
        known = nw.from_native(data, allow_series=True, pass_through=False)
    except (TypeError, ValueError) as error:
        hint = "give an array, a list of dictionaries, a list of texts, or a data frame"
        message = f"{describe(data)} holds no rows" if isinstance(error, TypeError) else f"the frame is none: {error}"
        raise DataError.of("bad_rows", message, path="data", hint=hint) from None
    if isinstance(known, nw.LazyFrame):
        raise DataError.of("bad_rows", "a lazy frame has no rows yet", path="data", hint="give frame.collect()")
    return SeriesTable(known) if isinstance(known, nw.Series) else FrameTable(known)


class FrameTable:
    """A data frame; its index, if it has one, is carried along and has no other part."""

    def __init__(self, frame: nw.DataFrame[Any]) -> None:
        self._frame = frame
        self.size = len(frame)
        self.columns: tuple[Column, ...] = tuple(frame.columns)
        if len(set(self.columns)) < len(self.columns):
            twice = next(name for place, name in enumerate(self.columns) if name in self.columns[:place])
            raise DataError.of("bad_rows", f"two columns have the name {twice!r}", path="data", hint="rename one")
        self._cells: dict[Column, NDArray[Any]] = {}
        self._mutable: list[str] | None = None

    def column(self, name: Column) -> NDArray[Any]:
        """See :class:`~robust.population.rows.Table`."""
        if name not in self._cells:
            self._cells[name] = _cells_of(self._frame.get_column(name))  # type: ignore[arg-type]
        return self._cells[name]

    def with_column(self, name: Column, cells: NDArray[Any]) -> FrameTable:
        """See :class:`~robust.population.rows.Table`."""
        changed = FrameTable(_replaced(self._frame, name, cells))
        changed._cells = {**self._cells, name: cells}
        return changed

    def taken(self, places: NDArray[np.int64]) -> FrameTable:
        """See :class:`~robust.population.rows.Table`."""
        return FrameTable(self._frame[places])

    def native(self, start: int = 0, stop: int | None = None) -> Any:
        """See :class:`~robust.population.rows.Table`."""
        end = self.size if stop is None else min(stop, self.size)
        whole = start == 0 and end == self.size
        native = _own(self._frame if whole else self._frame[start:end])
        if self._mutable is None:
            self._mutable = self._find_mutable()
        for name in self._mutable:
            native[name] = copy.deepcopy(native[name].tolist())
        return native

    def _find_mutable(self) -> list[str]:
        """The columns of a pandas frame whose cells may be changed in place, such as lists."""
        if not self._frame.implementation.is_pandas():
            return []
        import numpy as np

        plain = (str, bytes, int, float, bool, type(None))
        return [
            name
            for name, kind in self._frame.to_native().dtypes.items()
            if kind == np.dtype(object) and not all(isinstance(cell, plain) for cell in self.column(name).tolist())
        ]

    def like(self, native: Any) -> FrameTable:
        """See :class:`~robust.population.rows.Table`."""
        import narwhals as nw

        try:
            frame = nw.from_native(native, eager_only=True)
        except TypeError:
            raise another_kind(native, "a data frame") from None
        table = FrameTable(frame)
        check_shape(self, table)
        self._check_order(native)
        return table

    def _check_order(self, native: Any) -> None:
        """Refuse rows that stand in another order, where an index of distinct labels shows it."""
        before, after = getattr(self._frame.to_native(), "index", None), getattr(native, "index", None)
        if before is None or after is None or callable(before) or not before.is_unique or before.equals(after):
            return
        if after.is_unique and before.isin(after).all():
            message = "the transformation returned the rows in another order"
            raise DataError.of("bad_transformation", message, hint="rows are matched by their position")


class SeriesTable:
    """A series: each row is one value."""

    columns: ClassVar[tuple[Column, ...]] = (None,)

    def __init__(self, series: nw.Series[Any]) -> None:
        self._series = series
        self.size = len(series)

    def column(self, _name: Column) -> NDArray[Any]:
        """See :class:`~robust.population.rows.Table`."""
        return _cells_of(self._series)

    def with_column(self, _name: Column, cells: NDArray[Any]) -> SeriesTable:
        """See :class:`~robust.population.rows.Table`."""
        own = self._series.name or "value"
        frame = _replaced(self._series.alias(own).to_frame(), own, cells)
        return SeriesTable(frame.get_column(own).alias(self._series.name))

    def taken(self, places: NDArray[np.int64]) -> SeriesTable:
        """See :class:`~robust.population.rows.Table`."""
        return SeriesTable(self._series[places])

    def native(self, start: int = 0, stop: int | None = None) -> Any:
        """See :class:`~robust.population.rows.Table`."""
        end = self.size if stop is None else min(stop, self.size)
        return _own(self._series[start:end])

    def like(self, native: Any) -> SeriesTable:
        """See :class:`~robust.population.rows.Table`."""
        import narwhals as nw

        try:
            series = nw.from_native(native, series_only=True)
        except TypeError:
            raise another_kind(native, "a series") from None
        table = SeriesTable(series)
        check_shape(self, table)
        return table


def _own(part: nw.DataFrame[Any] | nw.Series[Any]) -> Any:
    """A copy in the caller's library that can be written to without touching the original."""
    if part.implementation.is_pyarrow():
        return part.to_native()
    native = part.to_native()
    return native.copy() if part.implementation.is_pandas_like() else native.clone()


def _cells_of(series: nw.Series[Any]) -> NDArray[Any]:
    """The cells as an array; whole numbers with gaps, texts, and what has parts, as objects."""
    import numpy as np

    kind = series.dtype
    if kind.is_nested() or ((kind.is_integer() or kind.is_temporal()) and series.null_count()):
        cells = np.empty(len(series), dtype=object)
        for place, cell in enumerate(series.to_list()):
            cells[place] = cell
        return cells
    return series.to_numpy()


def _replaced(frame: nw.DataFrame[Any], name: Column, cells: NDArray[Any]) -> nw.DataFrame[Any]:
    """The frame with other cells in a column: of its type if they can be, else of theirs.

    Raises:
        DataError: a column cannot hold them together.
    """
    import narwhals as nw
    import numpy as np

    kind = frame.schema[name]  # type: ignore[index]
    if frame.implementation.is_pandas():
        native = frame.to_native().copy(deep=False)
        before = native[name]
        try:
            # By position and not by index, whatever labels the rows have.
            native[name] = before._constructor(cells, index=native.index, dtype=_kind_for(cells, before.dtype))
        except (TypeError, ValueError):
            native[name] = cells
        return nw.from_native(native, eager_only=True)
    values: Any = cells.tolist() if cells.dtype.kind in "OUS" else cells
    # A fraction would be cut off without a word.
    fractions = cells.dtype.kind == "f" and kind.is_integer() and bool((np.rint(cells) != cells).any())
    try:
        series = nw.new_series(name, values, None if fractions else kind, backend=frame.implementation)  # type: ignore[arg-type]
    except Exception:  # noqa: BLE001 - each library has errors of its own for a cell that a type cannot hold
        try:
            series = nw.new_series(name, values, backend=frame.implementation)  # type: ignore[arg-type]
        except Exception:  # noqa: BLE001 - see above
            message = f"no column of this frame can hold what {name!r} would become"
            hint = "change cells to values of one type"
            raise DataError.of("bad_transformation", message, path=f"column {name!r}", hint=hint) from None
    return frame.with_columns(series)


def _kind_for(cells: NDArray[Any], kind: Any) -> Any:
    """The type of a pandas column; of categories only if every cell is one, since any other would be missing."""
    categories = getattr(kind, "categories", None)
    if categories is None:
        return kind
    known = set(categories)
    return kind if all(is_missing(cell) or cell in known for cell in cells.tolist()) else None
