"""Where a text can be edited in a way whose effect is known: places with what may stand there instead."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final, NamedTuple, TypeAlias

from robust.canon import RandomStream
from robust.transforms.strategy import Edit, replaced


class Place(NamedTuple):
    """A piece of a text, and the texts that may stand in its place.

    Attributes:
        start: the offset of its first character.
        end: the offset behind its last one.
        news: what may stand there instead; each differs from what stands there.
    """

    start: int
    end: int
    news: Sequence[str]


# Finds the places of one kind of edit; their order is that of the text.
Finder: TypeAlias = Callable[[str], Iterable[Place]]

# Stands for a character that is part of something else. No pattern takes it.
_HIDDEN: Final = "\ufffc"
# Every part takes all it can and gives nothing back, so that no text takes more than a few looks at a character.
ADDRESS: Final = re.compile(r"(?:https?|ftp)://\S++|www\.\S++|(?<![\w.+%-])[\w.+%-]++@[\w-]++(?:\.[\w-]++)*+")
_DATE: Final = re.compile(
    r"\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}|\d{1,2}:\d{2}(?::\d{2})?"
    r"|\d{1,2}(?:st|nd|rd|th)?\.?\s(?:[A-Z][a-z]{2,8})\.?,?\s?\d{0,4}"
    r"|(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]{0,6}\.?\s\d{1,2}(?:st|nd|rd|th)?(?:,?\s\d{4})?"
)
_PHONE: Final = re.compile(r"\+\d[\d ()/-]{5,20}\d")


def without_addresses(text: str) -> str:
    """The text with URLs and e-mail addresses hidden; offsets stay."""
    return _hide(text, ADDRESS)


def without_dates(text: str) -> str:
    """The text with addresses, dates, times and telephone numbers hidden; offsets stay."""
    return _hide(_hide(without_addresses(text), _PHONE), _DATE)


def _hide(text: str, pattern: re.Pattern[str]) -> str:
    return pattern.sub(lambda match: _HIDDEN * len(match.group()), text)


def drawn(text: str, find: Finder, stream: RandomStream) -> Edit | None:
    """The text with one piece of it replaced, as the stream draws; None where there is no place."""
    places = [place for place in find(text) if place.news]
    if not places:
        return None
    place = stream.choice(places)
    new = stream.choice(place.news)
    params = {"at": place.start, "from": text[place.start : place.end], "to": new}
    return Edit(params, replaced(text, place.start, place.end, new))


def said_once(matches: Iterable[re.Match[str]]) -> Iterator[re.Match[str]]:
    """The matches whose text, whatever its case, no other one has.

    What is said twice and changed once leaves a text that contradicts itself, of which nothing is known.
    """
    found = list(matches)
    counts = Counter(match.group().casefold() for match in found)
    return (match for match in found if counts[match.group().casefold()] == 1)


def other_digits(digits: str, place: int) -> Iterator[str]:
    """A number with another digit of its own script at one place; none starts with 0 that did not."""
    value = unicodedata.decimal(digits[place])
    for other in range(place == 0, 10):
        if other != value:
            yield digits[:place] + chr(ord(digits[place]) - value + other) + digits[place + 1 :]


# Where layout may carry meaning, or where the text is about it, nothing is known of an edit of it.
_PREFORMATTED: Final = re.compile(r"[`\t{}<>|\\]|\S {2,}\S|^ {2,}\S", re.MULTILINE)
_ABOUT_LAYOUT: Final = re.compile(
    r"\b(?:white ?spaces?|spac\w+|blanks?|characters?|letters?|lines?|newlines?|indent\w*|format\w*|exact\w*|verbatim"
    r"|copy|copies|repeat|quot\w+|spell\w*|bytes?|lengths?|hash\w*|checksums?|encod\w+|encrypt\w*|ciphers?|revers\w+"
    r"|palindromes?|passwords?|passphrases?|regex\w*|ascii|unicode|tokens?|strings?|poems?|haikus?"
    r"|leerzeichen|zeichen|zeilen?|buchstaben?|passw[oö]rt\w*|kennw[oö]rt\w*)\b"
    # The name of a file may have blanks of its own.
    r"|\w\.(?:docx?|xlsx?|pptx?|pdf|txt|csv|json|xml|html?|md|py|zip|png|jpe?g)\b",
    re.IGNORECASE,
)
_QUOTE: Final = re.compile(r"[\"“”„«»‹›「」『』]|(?<!\w)['‘’]")
_BLANK: Final = re.compile(r"(?<=[^\W\d_]|[,;]) (?=\S)")


def layout_says_nothing(text: str) -> bool:
    """Whether the layout of a text is plain, and the text not about it."""
    return _PREFORMATTED.search(text) is None and _ABOUT_LAYOUT.search(text) is None


def blanks(text: str) -> Iterator[int]:
    """The offsets of single blanks behind a letter, a comma or a semicolon, before the first quotation mark."""
    quote = _QUOTE.search(text)
    for match in _BLANK.finditer(text, 0, len(text) if quote is None else quote.start()):
        yield match.start()


def in_plain_layout(find: Finder) -> Finder:
    """An edit of layout, where layout says nothing."""

    def places(text: str) -> Iterator[Place]:
        if layout_says_nothing(text):
            yield from find(text)

    return places


def blank_before(find: Finder) -> Finder:
    """The edit that doubles the blank before what another edit would change, and leaves that itself alone."""

    def places(text: str) -> Iterator[Place]:
        if layout_says_nothing(text):
            starts = {place.start for place in find(text)}
            yield from (Place(at, at + 1, ("  ",)) for at in blanks(text) if at + 1 in starts)

    return places
