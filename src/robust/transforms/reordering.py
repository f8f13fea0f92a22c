"""Parts that do not build on each other, in another order."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import ClassVar, Final, NamedTuple

from robust.canon import RandomStream
from robust.records.case import Relation
from robust.transforms.strategy import Edit

_BULLET: Final = re.compile(r"([ \t]*[-*+•‣–][ \t]+)(\S.*)")
_LINE_END: Final = re.compile(r"\r\n|\r|\n")
_STOPS: Final = ".!?…"
# a, b and c: two items or more with commas, and a last one; an item has up to four words.
_WORDS: Final = r"[^\W\d_][\w'’-]*+(?: [\w'’-]++){0,3}?"
_LISTED: Final = re.compile(
    rf"(?<=: )({_WORDS}(?:, {_WORDS})*),? (?:and|or|und|oder|et|ou|y|o) ({_WORDS})(?=[.;!?\n]|\Z)"
)
# A colon that leads in has white space behind it, unlike those of times and addresses.
_COLON: Final = re.compile(r":(?=\s)")
_ENTITY: Final = re.compile(r"&(?:#?\w{1,32});")
_SENTENCE_END: Final = re.compile(r"[.!?…][\"'”’»)\]]*\s")
_FENCES: Final = ("```", "~~~")
_PAIRS: Final = {")": "(", "]": "[", "}": "{", "”": "“", "»": "«"}
_SPEAKER: Final = re.compile(r"[^\W\d_][\w .-]{0,30}:\s")
# A line that is longer, and has no mark at its end, goes on in the next one.
_BROKEN: Final = 60
# More lines are mostly something else than a list.
_MOST_PARTS: Final = 1000


class Parts(NamedTuple):
    """Parts that may change places: of what kind, and where each one stands, in the order of the text."""

    kind: str
    spans: tuple[tuple[int, int], ...]


def _lines(text: str) -> Iterator[tuple[int, int]]:
    """Where each line starts and ends, without its line end."""
    start = 0
    for end in _LINE_END.finditer(text):
        yield start, end.start()
        start = end.end()
    yield start, len(text)


def _bullets(text: str) -> Iterator[Parts]:
    """Runs of lines with the same bullet and indent; a run with lines below its items is none."""
    run: list[tuple[int, int]] = []
    lead = ""
    for start, end in (*_lines(text), (len(text), len(text))):
        found = _BULLET.fullmatch(text, start, end)
        if found is not None and found.group(1) == lead:
            run.append(found.span(2))
            continue
        nested = found is None and start < end and text[start] in " \t"
        deeper = found is not None and len(found.group(1)) > len(lead) > 0
        if len(run) > 1 and not nested and not deeper:
            yield Parts("bullets", tuple(run))
        run = [] if found is None else [found.span(2)]
        lead = "" if found is None else found.group(1)


def _clauses(text: str) -> Iterator[Parts]:
    """The clauses of a line that are joined by semicolons; a mark at its end stays there, and so does what leads in.

    A line whose clauses hold a sentence's end or ``&amp;`` is left alone.
    """
    for start, end in _lines(text):
        line = text[start:end]
        if ";" not in line or _ENTITY.search(line):
            continue
        close = start + len(line.rstrip().rstrip(_STOPS))
        lead = _lead(text, start, close)
        if not _SENTENCE_END.search(text, lead, close):
            yield Parts("clauses", tuple(_between(text, lead, close, ";")))


def _lead(text: str, start: int, close: int) -> int:
    """Where the clauses of a line begin: behind a colon before the first semicolon, if no other clause has one."""
    colons = [found.end() for found in _COLON.finditer(text, start, close)]
    return colons[0] if len(colons) == 1 and colons[0] <= text.find(";", start) else start


def _between(text: str, start: int, end: int, mark: str) -> Iterator[tuple[int, int]]:
    """The pieces between marks, without the white space around them."""
    for piece in re.finditer(rf"[^{mark}]+", text[start:end]):
        inner = piece.group().strip()
        if inner:
            at = start + piece.start() + piece.group().index(inner)
            yield at, at + len(inner)


def _whole_lines(text: str) -> Iterator[Parts]:
    """All lines of a text of single lines: none is empty, a bullet or a heading, and none is a paragraph's part."""
    lines = list(_lines(text.rstrip("\r\n")))
    shown = [text[slice(*span)] for span in lines]
    if all(map(_stands_alone, shown)) and not _is_talk(shown):
        yield Parts("lines", tuple(lines))


def _is_talk(lines: Sequence[str]) -> bool:
    """Whether every line names who speaks, and somebody speaks twice or is a question's answer: no list, a talk."""
    speakers = [found.group() for line in lines if (found := _SPEAKER.match(line))]
    return len(speakers) == len(lines) and (len(set(speakers)) < len(speakers) or any("?" in line for line in lines))


def _stands_alone(line: str) -> bool:
    """Whether a line is no heading, bullet or number, and not one of a paragraph that is broken into lines."""
    if not line.strip() or line[0] in " \t#>|0123456789" or line.startswith(_FENCES) or _BULLET.fullmatch(line):
        return False
    return len(line) <= _BROKEN or line.rstrip()[-1] in _STOPS + ":;"


def _listed(text: str) -> Iterator[Parts]:
    """The items behind a colon, as in ``Buy: bread, milk and tea.``."""
    for found in _LISTED.finditer(text):
        spans = [*_between(text, *found.span(1), ","), found.span(2)]
        yield Parts("items", tuple(spans))


def parts_of(text: str) -> list[Parts]:
    """Everything in a text that may be reordered: two different parts or more of one kind."""
    found = (parts for find in (_bullets, _clauses, _whole_lines, _listed) for parts in find(text))
    return [parts for parts in found if 1 < len(parts.spans) <= _MOST_PARTS and _may_move(text, parts)]


def _may_move(text: str, parts: Parts) -> bool:
    """Whether the parts differ, and none begins or ends a bracket or a quotation that another one holds the rest of."""
    different = {text[slice(*span)] for span in parts.spans}
    return len(different) > 1 and all(map(_is_whole, different))


def _is_whole(part: str) -> bool:
    opened: list[str] = []
    for char in part:
        if char in _PAIRS.values():
            opened.append(char)
        elif char in _PAIRS and (not opened or opened.pop() != _PAIRS[char]):
            return False
    return not opened and part.count('"') % 2 == 0


def reordered(text: str, spans: Sequence[tuple[int, int]], order: Sequence[int]) -> str:
    """The text with its parts in another order: ``order`` gives, for each place, the part that comes there."""
    pieces: list[str] = []
    done = 0
    for (start, end), part in zip(spans, order, strict=True):
        pieces += (text[done:start], text[slice(*spans[part])])
        done = end
    return "".join((*pieces, text[done:]))


class Reordering:
    """Bullets, clauses joined by semicolons, items behind a colon, or whole lines change places.

    Numbered lines are left alone, since their order may matter; whether it does elsewhere an oracle has to say.
    """

    name: ClassVar[str] = "reordering"
    relation: ClassVar[Relation] = "invariant"

    def edit(self, text: str, stream: RandomStream) -> Edit | None:
        """See :class:`Strategy`."""
        found = parts_of(text)
        if not found:
            return None
        parts = stream.choice(found)
        order = stream.sample_below(len(parts.spans), len(parts.spans))
        params = {"parts": parts.kind, "at": parts.spans[0][0], "order": order}
        return Edit(params, reordered(text, parts.spans, order))
