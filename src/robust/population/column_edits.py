"""Transformations of one column: each makes candidates, says what it means to preserve, and repeats itself exactly.

What an edit does to a row depends on nothing but the seed, the id of the row and its cell (and for :func:`noise` the
spread of the column over all rows), so that it is the same in every slice, order and batch. Cells that hold nothing,
and in edits of texts cells that are no texts, stay as they are. Whether an answer survives an edit is for an oracle to
say; ``preserves`` is what the edit aims at.
"""

from __future__ import annotations

import math
import string
import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

from robust.canon import JsonObject, describe
from robust.errors import UsageError
from robust.population.cell_changes import json_cell
from robust.population.edit_words import RowWords
from robust.population.number_cells import edited_numbers, spread_of
from robust.population.rows import Column
from robust.population.typing_errors import KINDS, with_slip
from robust.records.population import tidy_double
from robust.transforms.letter_case import same_letters

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_MAX_COUNT: Final = 100
# An apostrophe or a hyphen within a word, and what stands between digits, may be part of what is meant.
_PUNCTUATION: Final = frozenset(string.punctuation + "…–—‘’“”„«»¡¿。、，！？；：")
_CASES: Final[dict[str, Callable[[str], str]]] = {
    "upper": str.upper,
    "lower": str.lower,
    "title": str.title,
    "swapped": str.swapcase,
}
# Letters that do not decompose into a letter and its accent.
_STROKES: Final = str.maketrans({"ø": "o", "Ø": "O", "ł": "l", "Ł": "L", "đ": "d", "Đ": "D", "ħ": "h", "Ħ": "H"})
# Unicode names of letters that are the same without their marks.
_ACCENTED_SCRIPTS: Final = ("LATIN ", "GREEK ")

Editor = Callable[["NDArray[Any]", RowWords, "NDArray[Any]"], "NDArray[Any]"]


@dataclass(frozen=True, slots=True)
class ColumnEdit:
    """One of the transformations below, to be given to a population test.

    Attributes:
        name: which one it is.
        column: what it edits; None where each row is one value.
        settings: its arguments, as JSON.
        preserves: what it means to leave as it was, in words.
    """

    name: str
    column: Column
    settings: JsonObject
    preserves: str
    _edit: Editor = field(repr=False, compare=False)

    def edited(
        self, cells: NDArray[Any], ids: NDArray[np.uint64], *, seed: int, population: NDArray[Any] | None = None
    ) -> NDArray[Any]:
        """The cells after the edit; the given ones are not changed.

        Args:
            cells: of the column.
            ids: a number for each row, see :func:`~robust.population.edit_words.id_words`.
            seed: of the test.
            population: the cells of all rows, of which ``cells`` are some; by default they are all.

        Raises:
            DataError: a cell is no number where numbers are edited.
        """
        identity = {"name": self.name, "column": self.column, "settings": self.settings}
        return self._edit(cells, RowWords(seed, identity, ids), cells if population is None else population)

    def to_json(self) -> JsonObject:
        """As it stands in a plan."""
        settings = {"column": self.column, **self.settings}
        return {"name": self.name, "settings": settings, "preserves": self.preserves}


def case(column: Column = None, *, to: str = "upper") -> ColumnEdit:
    """Write texts in another case; one of which a letter would change otherwise (ß, İ) stays as it is.

    Args:
        column: which one; not needed where each row is one text.
        to: ``upper``, ``lower``, ``title`` or ``swapped``.

    Raises:
        UsageError: there is no such case.
    """
    change = _CASES.get(to)
    if change is None:
        raise UsageError.of("bad_edit", f"there is no case {to!r}", path="to", hint=f"use {', '.join(_CASES)}")
    preserves = "the words, their order, digits and punctuation; only the case of letters changes"

    def edit(text: str) -> str:
        changed = change(text)
        return changed if same_letters(text, changed) else text

    return ColumnEdit("case", column, {"to": to}, preserves, _of_texts(edit))


def typos(column: Column = None, *, count: int = 1) -> ColumnEdit:
    """Make slips of the keyboard: two letters exchanged, one left out, struck twice, or its neighbour on the keyboard.

    They are made in the words of :func:`robust.transforms.typing_errors.words_of`: of three letters or more, and no
    abbreviations, addresses, or words with a combining mark.

    Args:
        column: which one; not needed where each row is one text.
        count: how many slips, 1–100.

    Raises:
        UsageError: the count is out of its range.
    """
    if type(count) is not int or not 1 <= count <= _MAX_COUNT:
        raise UsageError.of("bad_edit", f"must be an integer from 1 to {_MAX_COUNT}, not {count!r}", path="count")

    def edit(cells: NDArray[Any], words: RowWords, _: NDArray[Any]) -> NDArray[Any]:
        texts = cells.tolist()
        for _slip in range(count):
            drawn = (words.below(KINDS), words.below(2**31), words.below(2))
            texts = [
                with_slip(text, kind, place, side) if isinstance(text, str) else text
                for text, kind, place, side in zip(texts, *(each.tolist() for each in drawn), strict=True)
            ]
        return _objects(texts)

    preserves = "digits, signs, spaces and the number of words; what a reader who forgives slips understands"
    return ColumnEdit("typos", column, {"count": count}, preserves, edit)


def punctuation(column: Column = None) -> ColumnEdit:
    """Leave out punctuation, but for signs between two letters or digits, such as in 1.5, don't, and x-ray.

    Args:
        column: which one; not needed where each row is one text.
    """
    preserves = "letters, digits and spaces, and signs within words and numbers; questions no longer look like them"
    return ColumnEdit("punctuation", column, {}, preserves, _of_texts(_without_punctuation))


def accents(column: Column = None) -> ColumnEdit:
    """Write Latin and Greek letters without their accents: é as e, ñ as n, ø as o, ά as α.

    In other scripts a mark is a vowel, or makes another letter (й), and stays.

    Args:
        column: which one; not needed where each row is one text.
    """
    preserves = "base letters, their case, digits and punctuation; words that only an accent tells apart become one"
    return ColumnEdit("accents", column, {}, preserves, _of_texts(_without_accents))


def replaced(column: Column, mapping: Mapping[Any, Any]) -> ColumnEdit:
    """Put other values in the place of some, such as ``{"female": "male", "male": "female"}``.

    Args:
        column: which one.
        mapping: from value to value; others stay.

    Raises:
        UsageError: the mapping is none, or empty.
    """
    if not isinstance(mapping, Mapping) or not mapping:
        raise UsageError.of("bad_edit", f"must map values to values, not {describe(mapping)}", path="mapping")
    # True is equal to 1, and no other value of it.
    table = {(isinstance(_plain(key), bool), _plain(key)): _plain(value) for key, value in mapping.items()}

    def edit(cells: NDArray[Any], _: RowWords, __: NDArray[Any]) -> NDArray[Any]:
        given = cells.tolist()
        edited = [
            table.get((isinstance(_plain(cell), bool), _plain(cell)), cell) if _hashable(cell) else cell
            for cell in given
        ]
        natural = _of_one_kind(edited) if cells.dtype.kind in "iufb" else None
        return _objects(edited) if natural is None else natural

    settings = {"mapping": [[json_cell(key), json_cell(value)] for (_, key), value in table.items()]}
    preserves = "every cell that the mapping does not name, and all other columns"
    return ColumnEdit("replaced", column, settings, preserves, edit)


def scaled(column: Column, factor: float) -> ColumnEdit:
    """Multiply numbers by a factor; whole numbers stay whole, rounded to the nearest (to the even one of two).

    Args:
        column: which one.
        factor: finite.

    Raises:
        UsageError: the factor is no finite number.
    """
    by = _finite(factor, "factor")
    preserves = "zeros, the ratios of numbers and, for a positive factor, signs and order; whole numbers are rounded"

    def edit(cells: NDArray[Any], _: RowWords, __: NDArray[Any]) -> NDArray[Any]:
        return edited_numbers(cells, column, lambda numbers, _places: numbers * by)

    return ColumnEdit("scaled", column, {"factor": tidy_double(by)}, preserves, edit)


def shifted(column: Column, by: float) -> ColumnEdit:
    """Add to numbers; whole numbers stay whole, rounded to the nearest (to the even one of two).

    Args:
        column: which one.
        by: finite, in the column's unit.

    Raises:
        UsageError: it is no finite number.
    """
    much = _finite(by, "by")
    preserves = "the differences of numbers, and their order; whole numbers are rounded"

    def edit(cells: NDArray[Any], _: RowWords, __: NDArray[Any]) -> NDArray[Any]:
        return edited_numbers(cells, column, lambda numbers, _places: numbers + much)

    return ColumnEdit("shifted", column, {"by": tidy_double(much)}, preserves, edit)


def noise(column: Column, spread: float = 0.1) -> ColumnEdit:
    """Add noise to numbers: almost normal, within six of its standard deviations; whole numbers stay whole.

    Args:
        column: which one.
        spread: the standard deviation of the noise as a share of that of the column over all rows of the data, in any
            slice; more than 0.

    Raises:
        UsageError: the spread is no finite number above 0.
    """
    share = _finite(spread, "spread")
    if share <= 0:
        raise UsageError.of("bad_edit", f"must be above 0, not {spread!r}", path="spread")

    def edit(cells: NDArray[Any], words: RowWords, population: NDArray[Any]) -> NDArray[Any]:
        size = share * spread_of(population, column)
        drawn = words.almost_normal()
        return edited_numbers(cells, column, lambda numbers, places: numbers + size * drawn[places])

    preserves = "the order of magnitude and, on the whole, the mean; whole numbers are rounded, signs may change"
    return ColumnEdit("noise", column, {"spread": tidy_double(share)}, preserves, edit)


def _of_texts(change: Callable[[str], str]) -> Editor:
    def edit(cells: NDArray[Any], _: RowWords, __: NDArray[Any]) -> NDArray[Any]:
        return _objects([change(cell) if isinstance(cell, str) else cell for cell in cells.tolist()])

    return edit


def _objects(cells: list[Any]) -> NDArray[Any]:
    import numpy as np

    array = np.empty(len(cells), dtype=object)
    array[:] = cells
    return array


def _without_punctuation(text: str) -> str:
    signs = [index for index, sign in enumerate(text) if sign in _PUNCTUATION]
    dropped = {
        index for index in signs if not (index and text[index - 1].isalnum() and text[index + 1 : index + 2].isalnum())
    }
    return "".join(sign for index, sign in enumerate(text) if index not in dropped) if dropped else text


def _without_accents(text: str) -> str:
    if text.isascii():
        return text
    kept: list[str] = []
    bare = False
    for sign in text:
        if unicodedata.combining(sign):
            if not bare:
                kept.append(sign)
            continue
        base = _base_letter(sign)
        bare = base is not None
        kept.append(base or sign)
    return "".join(kept)


@lru_cache(maxsize=4096)
def _base_letter(sign: str) -> str | None:
    """The letter without its accent; None of what is no Latin or Greek letter."""
    parts = unicodedata.normalize("NFD", sign)
    # What decomposes into one other letter has no accent: the sign of the ohm is an omega.
    base = (parts[0] if len(parts) > 1 else sign).translate(_STROKES)
    return base if base.isalpha() and unicodedata.name(base, "").startswith(_ACCENTED_SCRIPTS) else None


def _of_one_kind(cells: list[Any]) -> NDArray[Any] | None:
    """Numbers, or booleans, as an array that holds them as they are; None where there is none."""
    import numpy as np

    kinds = set(map(type, cells))
    if not kinds <= {int, float} and kinds != {bool}:
        return None
    try:
        array = np.array(cells)
    except OverflowError:
        return None
    if array.dtype.kind not in "iufb" or (int in kinds and array.dtype.kind == "f" and array.tolist() != cells):
        return None
    return array


def _plain(value: Any) -> Any:
    """A number of numpy as Python's own."""
    kind = getattr(getattr(value, "dtype", None), "kind", "")
    return value.item() if kind in ("i", "u", "f", "b") and getattr(value, "shape", None) == () else value


def _hashable(cell: Any) -> bool:
    try:
        hash(cell)
    except TypeError:
        return False
    return True


def _finite(value: Any, path: str) -> float:
    number = math.nan
    if isinstance(value, int | float) and not isinstance(value, bool):
        try:
            number = float(value)
        except OverflowError:
            # Too many digits to be shown.
            raise UsageError.of("bad_edit", "must not be beyond every floating point number", path=path) from None
    if not math.isfinite(number):
        raise UsageError.of("bad_edit", f"must be a finite number, not {value!r}", path=path)
    return number


__all__ = [
    "ColumnEdit",
    "accents",
    "case",
    "noise",
    "punctuation",
    "replaced",
    "scaled",
    "shifted",
    "typos",
]
