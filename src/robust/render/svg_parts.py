"""Pieces of drawings. Their colours are those of the page, by class, so that they follow its light and dark."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from html import escape
from typing import Final

from robust.render.html_blocks import Svg, Tone
from robust.render.plain import safe, shorten

# So wide that letters of 11 units can be read on a phone, where a drawing takes the whole width.
WIDTH: Final = 340
# An average letter takes about so many units.
LETTER: Final = 6.2
LINE: Final = 15
# The classes of marks by what they say.
MARKS: Final[dict[Tone, str]] = {
    "good": "m-good",
    "bad": "m-bad",
    "warn": "m-warn",
    "open": "m-open",
    "plain": "m-plain",
}


def drawing(height: float, parts: Iterable[str]) -> Svg:
    """A drawing of the common width. Its text alternative stands around it, see the template of figures."""
    size = f'viewBox="0 0 {WIDTH} {number(height)}" width="{WIDTH}" height="{number(height)}"'
    return Svg(f'<svg {size} aria-hidden="true" focusable="false">{"".join(parts)}</svg>')


def number(value: float) -> str:
    """A coordinate, to a tenth of a unit."""
    return f"{value:.1f}".rstrip("0").rstrip(".") or "0"


def line(x: float, y: float, to_x: float, to_y: float, kind: str) -> str:
    """A line of a class."""
    return f'<line {_placed(x1=x, y1=y, x2=to_x, y2=to_y)} class="{kind}"/>'


def box(x: float, y: float, width: float, height: float, kind: str) -> str:
    """A rectangle of a class."""
    return f'<rect {_placed(x=x, y=y, width=max(width, 0), height=max(height, 0))} class="{kind}"/>'


def _placed(**places: float) -> str:
    return " ".join(f'{name}="{number(value)}"' for name, value in places.items())


def dot(x: float, y: float, radius: float, kind: str) -> str:
    """A circle of a class."""
    return f'<circle cx="{number(x)}" cy="{number(y)}" r="{number(radius)}" class="{kind}"/>'


def text(x: float, y: float, said: str, kind: str = "t", *, anchor: str = "start", room: float = WIDTH) -> str:
    """Letters of a class, cut to about so many units; whatever is said is inert, and can be seen.

    Args:
        x: where.
        y: the line that letters stand on.
        said: the text.
        kind: the class: ``t`` for names, ``t-s`` for what stands aside, ``t-b`` for what counts.
        anchor: ``start``, ``middle`` or ``end``.
        room: how many units it may take.
    """
    # No more characters than columns, so that nothing long is looked at.
    columns = max(int(room / LETTER), 1)
    shown = escape(shorten(safe(said[: 2 * columns]), columns))
    aligned = "" if anchor == "start" else f' text-anchor="{anchor}"'
    return f'<text x="{number(x)}" y="{number(y)}" class="{kind}"{aligned}>{shown}</text>'


def nice_end(value: float) -> float:
    """A round number that is not below a value, where an axis may end."""
    if not value > 0:
        return 1.0
    magnitude = 10.0 ** math.floor(math.log10(value))
    return next(step * magnitude for step in (1, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10) if step * magnitude >= value - 1e-12)


def ticks(end: float, count: int = 4) -> Iterator[float]:
    """Places from 0 to the end of an axis, evenly apart."""
    yield from (end * place / count for place in range(count + 1))
