"""Comparators: when two derived answers count as equal, and which is the larger. Part of every validation record."""

from __future__ import annotations

import re
from collections.abc import Iterable
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import combinations
from typing import Any, Final, Literal, Self, get_args

from pydantic import Field, ValidationError, model_validator

from robust.canon import JsonObject, canonical_bytes, decode_own, exact_text, fold, read_json
from robust.errors import CaseError, DataError
from robust.records.base import Record, problems_of

ComparatorName = Literal["exact", "text", "number", "set", "json", "scale"]
_SETTINGS: Final[dict[str, tuple[str, ...]]] = {
    "exact": (),
    "text": ("fold_case", "fold_space"),
    "number": ("abs_tol", "rel_tol"),
    "set": (),
    "json": (),
    "scale": ("levels",),
}
# Long exponents are refused: 1e999999999 as an exact fraction would fill the memory.
_DECIMAL = re.compile(r"[+-]?(?:[0-9]{1,1000}(?:\.[0-9]{0,1000})?|\.[0-9]{1,1000})(?:[eE][+-]?[0-9]{1,4})?\Z")


class Comparator(Record):
    """How answers are compared.

    Attributes:
        name: ``exact`` (canonical bytes), ``text`` (NFC), ``number`` (exact decimal arithmetic with tolerances),
            ``set`` (lists without order or repetition), ``json`` (text is read as JSON first), ``scale`` (members of
            a declared ordered scale, lowest first).
        fold_case: ``text`` only: ignore case.
        fold_space: ``text`` only: ignore differences in white space.
        abs_tol: ``number`` only: absolute tolerance.
        rel_tol: ``number`` only: tolerance relative to the larger magnitude.
        levels: ``scale`` only: the scale's members.
    """

    name: ComparatorName = "exact"
    fold_case: bool = False
    fold_space: bool = False
    abs_tol: float = Field(default=0.0, ge=0)
    rel_tol: float = Field(default=0.0, ge=0, lt=1)
    levels: tuple[Any, ...] = Field(default=(), strict=False)

    @model_validator(mode="after")
    def _only_its_own_settings(self) -> Self:
        own = _SETTINGS[self.name]
        foreign = sorted(self.model_fields_set - {"name", *own})
        if foreign:
            raise ValueError(f"the comparator {self.name!r} has no setting {', '.join(foreign)}")
        if self.name == "scale" and len({canonical_bytes(level) for level in self.levels}) < 2:
            raise ValueError("a scale needs at least two different levels")
        return self

    def to_json(self) -> JsonObject:
        """Name and own settings."""
        data = super().to_json()
        return {key: data[key] for key in ("name", *_SETTINGS[self.name])}

    @cached_property
    def encoded(self) -> bytes:
        """The canonical bytes of :meth:`to_json`, as they stand in every record."""
        return canonical_bytes(self.to_json())

    def equal(self, left: Any, right: Any) -> bool | None:
        """Whether two answers are equal; None when this comparator cannot compare them."""
        if self.name == "exact":
            if type(left) is str and type(right) is str:
                return left == right
            return canonical_bytes(left) == canonical_bytes(right)
        if self.name == "number":
            order = self.order(left, right)
            return None if order is None else order == 0
        first, second = self._key(left), self._key(right)
        return None if first is None or second is None else first == second

    def agree(self, answers: Iterable[Any]) -> bool:
        """Whether the answers that were given are equal, each with each; None is none given.

        Within a tolerance the first may equal each of two that differ. An answer that cannot be compared agrees with
        the same answer alone.
        """
        different = {canonical_bytes(answer): answer for answer in answers if answer is not None}
        return all(self.equal(one, other) is True for one, other in combinations(different.values(), 2))

    def order(self, left: Any, right: Any) -> int | None:
        """-1, 0 or 1 as ``left`` is below, equal to or above ``right``; None when they have no order."""
        if self.name == "scale":
            first, second = self._key(left), self._key(right)
            return None if first is None or second is None else (first > second) - (first < second)
        one, other = as_fraction(left), as_fraction(right)
        if one is None or other is None:
            return None
        # A tolerance too counts as the decimal that its shortest form shows, so that 0.3 reaches from 1.0 to 1.3.
        absolute, relative = Fraction(repr(self.abs_tol)), Fraction(repr(self.rel_tol))
        allowed = max(absolute, relative * max(abs(one), abs(other)))
        if abs(one - other) <= allowed:
            return 0
        return 1 if one > other else -1

    def _key(self, answer: Any) -> Any:
        if self.name == "text":
            return (
                fold(str.__str__(answer), case=self.fold_case, space=self.fold_space)
                if isinstance(answer, str)
                else None
            )
        if self.name == "set":
            return frozenset(map(canonical_bytes, answer)) if isinstance(answer, list) else None
        if self.name == "scale":
            levels = [canonical_bytes(level) for level in self.levels]
            shown = canonical_bytes(answer)
            return levels.index(shown) if shown in levels else None
        if not isinstance(answer, str):
            return canonical_bytes(answer)
        try:
            return canonical_bytes(read_json(answer))
        except DataError:
            return None


def as_fraction(answer: Any) -> Fraction | None:
    """The exact value of a number, or of decimal text such as ``"1.10"``; None for anything else.

    A double counts as the decimal that its shortest form shows, so that ``0.1`` equals ``"0.1"``.
    """
    if isinstance(answer, bool):
        return None
    text = repr(answer) if isinstance(answer, int | float) else answer
    return Fraction(text) if isinstance(text, str) and _DECIMAL.match(text) else None


EXACT: Final = Comparator()


def read_comparator(value: object, path: str = "comparator") -> Comparator:
    """A comparator from its name, its JSON form, or itself.

    Raises:
        CaseError: there is no such comparator, or a setting is wrong.
    """
    if type(value) is Comparator:
        return value
    value = exact_text(value)
    if isinstance(value, str) and value not in get_args(ComparatorName):
        names = ", ".join(get_args(ComparatorName))
        raise CaseError.of("bad_comparator", f"there is no comparator {value!r}", path=path, hint=f"use {names}")
    try:
        return Comparator.model_validate({"name": value} if isinstance(value, str) else value)
    except ValidationError as error:
        raise CaseError(*problems_of(error, path=path)) from None


@lru_cache(maxsize=256)
def stored_comparator(encoded: bytes) -> Comparator:
    """The comparator of a record, from the canonical bytes that must be its own stored form.

    Raises:
        CaseError: there is no such comparator, a setting is wrong, or the form is another.
    """
    comparator = read_comparator(decode_own(encoded), "$.comparator")
    stored = canonical_bytes(comparator.to_json())
    if stored != encoded:
        message = f"{stored.decode()} is how it is stored, not {encoded.decode()[:200]}"
        raise CaseError.of("wrong_value", message, path="$.comparator")
    return EXACT if comparator == EXACT else comparator
