"""An item of a text that no edit may change."""

from __future__ import annotations

from typing import Final, Literal, NamedTuple, TypeAlias

from robust.canon import JsonObject

Kind: TypeAlias = Literal["number", "ordinal", "time", "date", "negation", "quotation", "name", "url", "email"]
_MAX_SHOWN: Final = 80


class ProtectedItem(NamedTuple):
    """A protected item.

    Attributes:
        kind: what it is; a percentage, an amount of money and a quantity are numbers with a unit.
        value: what it says, the likeliest reading: ``-5 %``, ``15:00``, ``not``.
        start: the offset of its first character.
        end: the offset behind its last one.
        readings: all that it may say: ``1,250`` is 1250 or 1.25, by language.
    """

    kind: Kind
    value: str
    start: int
    end: int
    readings: frozenset[str]

    def same(self, other: ProtectedItem) -> bool:
        """Whether both may say the same."""
        return self.kind == other.kind and not self.readings.isdisjoint(other.readings)

    def to_json(self, text: str) -> JsonObject:
        """The item of a text as evidence."""
        return {"kind": self.kind, "text": shortened(text[self.start : self.end]), "value": shortened(self.value)}


def shortened(text: str) -> str:
    """A text, or its start where it is long."""
    return text if len(text) <= _MAX_SHOWN else text[: _MAX_SHOWN - 1] + "…"


def item(kind: Kind, readings: tuple[str, ...], start: int, end: int) -> ProtectedItem:
    """An item of its readings, the likeliest first."""
    return ProtectedItem(kind, readings[0], start, end, frozenset(readings))
