"""A terminal: what its encoding can show, and how white space is made visible on it."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from robust.render.plain import columns, fitting, safe, shorten, wrapped

WIDTH: Final = 80
_RUN: Final = re.compile(r"[ \t\r\n]+")


class Signs(NamedTuple):
    """The characters that are ours on a terminal.

    Attributes:
        arrow: from one label to another.
        more: where something is left out.
        space: a space that would not be seen.
        tab: a tab.
        line_break: a line feed.
        carriage_return: likewise.
        literal: those of them that mean themselves where they stand in data, and how they are shown then.
    """

    arrow: str
    more: str
    space: str
    tab: str
    line_break: str
    carriage_return: str
    literal: dict[int, str]


_RICH: Final = Signs(*("→", "…", "·", "→", "⏎", "␍"), literal={ord(sign): f"\\u{{{ord(sign):x}}}" for sign in "→·⏎␍"})
_PLAIN: Final = Signs("->", "...", r"\s", r"\t", r"\n", r"\r", literal={ord("\\"): "\\\\"})


class Screen:
    """A terminal of 80 columns.

    Args:
        encoding: of what is written to it. Where it lacks our own signs, ASCII takes their place; characters of the
            data that it lacks are escaped here, so that the width of what is written is known.

    Attributes:
        encoding: likewise.
        signs: the characters that are ours.
        showed_white_space: whether signs for white space were used so far.
    """

    def __init__(self, encoding: str = "utf-8") -> None:
        self.encoding = encoding
        self.signs = _RICH if self.can_show("".join(_RICH[:6])) else _PLAIN
        self.showed_white_space = False

    def can_show(self, text: str) -> bool:
        """Whether its encoding has all characters of a text."""
        try:
            text.encode(self.encoding)
        except (UnicodeError, LookupError):
            return False
        return True

    def safe(self, text: str) -> str:
        """Text that cannot steer the terminal, in characters that it has."""
        shown = safe(text)
        if shown.isascii() or self.can_show(shown):
            return shown
        return "".join(char if self.can_show(char) else f"\\u{{{ord(char):x}}}" for char in shown)

    def short(self, text: str, width: int) -> str:
        """Safe text in at most so many columns."""
        return shorten(self.safe(text), width, self.signs.more)

    def visible(self, text: str) -> str:
        """Safe text whose white space can be seen, but for single spaces between other characters."""
        last = len(text)
        parts: list[str] = []
        done = 0
        for run in _RUN.finditer(text):
            start, end = run.span()
            parts.append(self._literal(text[done:start]))
            inner = run.group() == " " and start > 0 and end < last
            parts.append(" " if inner else "".join(map(self._sign, run.group())))
            self.showed_white_space |= not inner
            done = end
        parts.append(self._literal(text[done:]))
        return "".join(parts)

    def _literal(self, text: str) -> str:
        return self.safe(text).translate(self.signs.literal) if text else ""

    def _sign(self, char: str) -> str:
        signs = self.signs
        return {" ": signs.space, "\t": signs.tab, "\n": signs.line_break}.get(char, signs.carriage_return)

    @property
    def legend(self) -> str:
        """What the signs for white space mean."""
        signs = self.signs
        return f"{signs.space} is a space, {signs.tab} a tab, {signs.line_break} a line feed"

    def paragraph(self, text: str, *, head: str, indent: int, most: int | None = None) -> list[str]:
        """Safe text in lines of at most 80 columns.

        Args:
            text: what is said, safe already.
            head: what stands before it on the first line, safe already.
            indent: how far the other lines are moved to the right.
            most: the most lines; the last one then ends in a sign that something is left out.
        """
        lines = wrapped(text, WIDTH - indent, WIDTH - columns(head))
        if most is not None and len(lines) > most:
            room = WIDTH - (columns(head) if most == 1 else indent) - len(self.signs.more)
            lines = [*lines[: most - 1], fitting(lines[most - 1], room) + self.signs.more]
        return [(head + lines[0]).rstrip(), *((" " * indent + line).rstrip() for line in lines[1:])]
