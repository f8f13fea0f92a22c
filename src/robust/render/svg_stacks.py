"""Parts of a whole, row by row: each row is a bar of the same length, its parts one behind the other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from robust.render.html_blocks import Svg
from robust.render.svg_parts import WIDTH, box, drawing, text

_ROW: Final = 54
_PAD: Final = 6
_BAR: Final = 12


class Part(NamedTuple):
    """A part of a row: its name, how many there are of it, and the class of its colour (``s-1`` to ``s-5``)."""

    name: str
    number: int
    kind: str


class Stack(NamedTuple):
    """A row of the drawing."""

    name: str
    parts: Sequence[Part]


def stacks_svg(stacks: Sequence[Stack]) -> Svg:
    """Rows of parts; what they are stands below each in words, so that nothing is told by colour alone."""
    return drawing(_ROW * len(stacks) + 4, [part for place, stack in enumerate(stacks) for part in _row(stack, place)])


def _row(stack: Stack, place: int) -> Iterator[str]:
    top = _ROW * place
    whole = sum(part.number for part in stack.parts)
    yield text(_PAD, top + 12, stack.name, "t", room=WIDTH / 2)
    said = " · ".join(f"{part.number:,} {part.name}" for part in stack.parts if part.number)
    yield text(_PAD, top + 43, said, "t-s", room=WIDTH - 2 * _PAD)
    room, left = WIDTH - 2 * _PAD, float(_PAD)
    for part in stack.parts:
        if part.number:
            width = room * part.number / whole
            yield box(left, top + 18, max(width - 1, 1), _BAR, part.kind)
            left += width
