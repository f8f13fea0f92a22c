"""Counts by two names, such as what became of right and of wrong bases."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from robust.render.html_blocks import Svg
from robust.render.plain import number_text
from robust.render.svg_parts import WIDTH, box, drawing, text

_LEFT: Final = 92
_HEAD: Final = 40
_CELL: Final = 44
_FOOT: Final = 12
# By share of the whole, the classes of cells from pale to full; letters are readable on each.
_SHADES: Final = 5


class Matrix(NamedTuple):
    """A table of counts.

    Attributes:
        name: what was counted.
        rows: the names of the rows.
        columns: the names of the columns.
        counts: by names of row and column.
        bad: the cells that are worth a look, as pairs of names.
    """

    name: str
    rows: Sequence[str]
    columns: Sequence[str]
    counts: Mapping[tuple[str, str], int]
    bad: frozenset[tuple[str, str]] = frozenset()


def matrix_svg(matrices: Sequence[Matrix]) -> Svg:
    """Tables of few columns, one below the other; the more there is in a cell, the fuller is its colour."""
    parts: list[str] = []
    top = 0.0
    for matrix in matrices:
        parts += _matrix(matrix, top)
        top += _HEAD + _CELL * len(matrix.rows) + _FOOT
    return drawing(top, parts)


def _matrix(matrix: Matrix, top: float) -> Iterator[str]:
    whole = sum(matrix.counts.values())
    width = (WIDTH - _LEFT - 6) / len(matrix.columns)
    yield text(6, top + 13, matrix.name, "t-b", room=WIDTH)
    for place, column in enumerate(matrix.columns):
        yield text(_LEFT + width * (place + 0.5), top + 32, column, "t-s", anchor="middle", room=width)
    for row_place, row in enumerate(matrix.rows):
        y = top + _HEAD + _CELL * row_place
        yield text(6, y + _CELL / 2 + 4, row, "t-s", room=_LEFT - 8)
        for place, column in enumerate(matrix.columns):
            count = matrix.counts.get((row, column), 0)
            shade = 0 if not count else 1 + min(int(_SHADES * count / whole), _SHADES - 1)
            kind = "b" if (row, column) in matrix.bad else "p"
            x = _LEFT + width * place
            yield box(x + 1, y + 1, width - 2, _CELL - 2, f"cell {kind}-{shade}")
            share = f" {_share(count, whole)}" if whole else ""
            yield text(x + width / 2, y + _CELL / 2 + 4, f"{count}{share}", "t-c", anchor="middle", room=width)


def _share(count: int, whole: int) -> str:
    return f"({number_text(round(100 * count / whole, 1))}%)"
