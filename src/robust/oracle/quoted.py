"""Where a text is quoted: what stands between quotation marks or backticks."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from robust.oracle.protected_words import words_of

# Apostrophes within words, as in don't, and the marks of feet behind a number are no quotation marks.
_MARKS: Final = re.compile(r"[\"“”„‟«»‹›「」『』《》〈〉｢｣〝〞〟❝❞❛❜＂`]|(?<![^\W_])['‘’‚‛＇]|['‘’‚‛＇](?![^\W_])")
_STRAIGHT: Final = '"＂`'
_SINGLE: Final = "'‘’＇"
# Apostrophes that words and years begin with.
_ELIDED: Final = re.compile(r"['‘](?:tis|twas|twere|twill|em|til|till|cause|bout|round|n|\d\ds)\b", re.IGNORECASE)
# By opening mark, what may close it. German and Danish books turn guillemets round.
_CLOSED_BY: Final = {
    marks[0]: marks[1:]
    for marks in words_of("“”“ „“”‟ ‟” «» »« ‹› ›‹ 「」 『』 《》 〈〉 ｢｣ 〝〞〟 ❝❞ ❛❜ ‘’‘ ‚‘’‛ ‛’ ””")
}
_OPENS_AFTER: Final = frozenset("([{<-–—/=:,;.!?¿¡|*_~&+")


class Quoted(NamedTuple):
    """A quoted stretch with its marks; ``sure`` where its two marks are told apart by their form."""

    start: int
    end: int
    sure: bool


def quoted_spans(text: str) -> list[Quoted]:
    """The quoted stretches of a text, in the order of their starts; outer ones only.

    A mark that is never closed quotes the rest of the text, and straight marks that do not pair off quote everything
    from the first to the last of them: what may be quoted is taken to be.
    """
    marks = [(match.start(), match.group()) for match in _MARKS.finditer(text)]
    if not marks:
        return []
    found = [*_paired(text, marks)]
    for mark in _STRAIGHT:
        found += _straight(text, [place for place, char in marks if char == mark])
    found += _single(text, [place for place, char in marks if char in _SINGLE])
    found += _as_typed(text)
    return _outermost(found)


def _paired(text: str, marks: list[tuple[int, str]]) -> Iterator[Quoted]:
    """Stretches between marks whose two forms differ."""
    start, closing = -1, ""
    for place, char in marks:
        if closing:
            if char in closing:
                yield Quoted(start, place + 1, sure=True)
                closing = ""
        elif char in _CLOSED_BY and char != "‘" and not (char == "”" and _closes(text, place)):
            start, closing = place, _CLOSED_BY[char]
    if closing:
        yield Quoted(start, len(text), sure=False)


def _opens(text: str, place: int) -> bool:
    """Whether a mark has the form of an opening one: space before it, and none behind it."""
    before, behind = text[place - 1 : place], text[place + 1 : place + 2]
    return (not before or before.isspace() or before in _OPENS_AFTER) and bool(behind) and not behind.isspace()


def _closes(text: str, place: int) -> bool:
    before, behind = text[place - 1 : place], text[place + 1 : place + 2]
    return bool(before) and not before.isspace() and not (behind and behind.isalnum())


def _straight(text: str, places: list[int]) -> list[Quoted]:
    """Stretches between straight double marks, which open and close by one form."""
    found: list[Quoted] = []
    start = -1
    for place in places:
        if start < 0 and _opens(text, place):
            start = place
        elif start >= 0 and _closes(text, place):
            found.append(Quoted(start, place + 1, sure=True))
            start = -1
        elif not (start < 0 and text[place - 1 : place].isdigit()):
            # Those of inches, behind a number, quote nothing.
            return [Quoted(places[0], places[-1] + 1 if len(places) % 2 == 0 else len(text), sure=False)]
    if start >= 0:
        # The one that is left over may be any of them.
        return [Quoted(places[0], len(text), sure=False)]
    return found


def _single(text: str, places: list[int]) -> list[Quoted]:
    """Stretches between single marks; one that closes nothing, as in the boys' room, is an apostrophe."""
    opening = [
        place for place in places if _opens(text, place) and text[place] != "’" and not _ELIDED.match(text, place)
    ]
    closing = [place for place in places if _closes(text, place) and text[place] not in "‘‚"]
    if not opening or not closing or closing[-1] < opening[0]:
        return []
    shapes = sorted([*((place, 0) for place in opening), *((place, 1) for place in closing if place > opening[0])])
    if [shape for _, shape in shapes] == [0, 1] * (len(shapes) // 2):
        return [
            Quoted(start, end + 1, sure=True) for (start, _), (end, _) in zip(shapes[::2], shapes[1::2], strict=True)
        ]
    # Apostrophes at the ends of words look the same, so any of them may be the one that closes.
    return [Quoted(opening[0], closing[-1] + 1, sure=False)]


def _as_typed(text: str) -> Iterator[Quoted]:
    """Quotations as typewriters and typesetting programs have them, between two backticks and two apostrophes."""
    start = text.find("``")
    end = text.rfind("''")
    if 0 <= start < end:
        yield Quoted(start, end + 2, sure=False)


def _outermost(found: list[Quoted]) -> list[Quoted]:
    kept: list[Quoted] = []
    for span in sorted(found, key=lambda span: (span.start, -span.end)):
        if kept and span.end <= kept[-1].end:
            continue
        kept.append(span)
    return kept
