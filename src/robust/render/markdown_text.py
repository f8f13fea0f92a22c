"""Pieces of GitHub-flavoured Markdown in which data is inert.

Data stands in code alone: there is no mention, link, image, reference or HTML in it, for GitHub and GitLab alike.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final

from robust.render.screen import Screen

_TICKS: Final = re.compile("`+")
_PIPES: Final = re.compile(r"(\\*)\|")
_LEAST_FENCE: Final = 3


def code(text: str, screen: Screen, width: int) -> str:
    r"""A text as a code span of one line, which may stand in a cell of a table.

    A ``|`` becomes ``\|``, which tables show as ``|``; behind a backslash, where readers differ, it is ``\u{7c}``.

    Args:
        text: any text.
        screen: what is written to.
        width: the most columns that are shown.
    """
    # No more characters than columns, so that marks on marks take no room that nobody sees.
    start = text if len(text) <= width else text[:width] + screen.signs.more
    shown = _PIPES.sub(_escaped_pipe, screen.short(start, width)) or "(empty)"
    ticks = "`" * (_longest_run(shown) + 1)
    # Readers take one space from both ends, where there is one at both.
    around = " " if "`" in (shown[0], shown[-1]) or (shown[0], shown[-1]) == (" ", " ") else ""
    return f"{ticks}{around}{shown}{around}{ticks}"


def _escaped_pipe(found: re.Match[str]) -> str:
    return f"{found[1]}\\u{{7c}}" if found[1] else r"\|"


def _longest_run(text: str) -> int:
    return max((len(run) for run in _TICKS.findall(text)), default=0)


def fence(lines: Sequence[str]) -> str:
    """The fence around a block of lines: longer than any run of backticks in them."""
    return "`" * max(_LEAST_FENCE, *(_longest_run(line) + 1 for line in lines), 0)


def table(head: Sequence[str], rows: Iterable[Sequence[str]], *, right: Iterable[int] = ()) -> list[str]:
    """A table; its cells are Markdown, and hold ``|`` in no other way than :func:`code` writes it.

    Args:
        head: the names of the columns.
        rows: the cells.
        right: the columns that are aligned to the right.
    """
    aligned = set(right)
    marks = ["---:" if place in aligned else "---" for place in range(len(head))]
    return [f"| {' | '.join(row)} |" for row in (head, marks, *rows)]
