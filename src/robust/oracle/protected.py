"""The protected items of a text: what says something by itself, so that no edit may change it.

Numbers with their signs and units, ordinals, times, dates, negations, quotations, names that are given, URLs and e-mail
addresses.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from robust.canon import nfc
from robust.oracle.protected_amounts import amount, clock_at, time_of_day
from robust.oracle.protected_dates import month_date, numeric_date
from robust.oracle.protected_item import ProtectedItem, item
from robust.oracle.protected_numbers import ascii_digits, number_readings, vulgar, words_value
from robust.oracle.protected_words import FRACTION_PARTS, LONE_NUMBERS, MONTHS, NEGATIONS, NUMBER_WORDS, ORDINALS, TENS
from robust.oracle.quoted import quoted_spans

# Every alternative takes all it can and gives nothing back, so that no text takes more than a few looks at a character.
_TOKEN: Final = re.compile(
    r"""
    (?P<url> (?<!\w)(?: (?:https?|ftp)://\S++ | www\.\S++ ))
  | (?P<email> (?<![\w.+%-]) [\w.+%-]++ @ [\w-]++ (?: \.[\w-]++ )*+ )
  | (?P<domain> (?<![\w.@-]) (?: [a-z\d-]{1,63}\. ){1,6} (?: com|org|net|edu|gov|io|info|co\.uk|eu|dev|app|ai )
        (?![\w-]|\.\w) (?: [/?\#]\S*+ )? )
  | (?P<date> (?<![\d.,/-]) (?: \d{4}[-/.]\d{1,2}[-/.]\d{1,2} | \d{1,2}(?P<by>[-/.])\d{1,2}(?P=by)(?: \d{4} | \d{2} ) )
        (?![\d/-] | [.,]\d ) )
  | (?P<time> (?<![\d:.,]) \d{1,2}\s?:\s?\d{2} (?: \s?:\s?\d{2} )? (?! \s?:?\d ) )
  | (?P<ratio> (?<!\d) \d++ (?: \s?:\s?\d++ )++ )
  | (?P<grouped> (?<!\d) \d{1,3} (?: [ \u00a0\u2009\u202f]\d{3} )++ (?!\d) (?: [.,]\d++ (?!\d) )? )
  | (?P<digits> \d++ (?: [.,'’٬٫·_]\d++ )*+ )
  | (?P<fraction> [¼½¾⅐-⅞↉] )
  | (?P<word> [^\W\d_] (?: [^\W\d_]++ | [\u0300-\u036f]++ | ['’ʼ＇´`‘](?=[^\W\d_]) )*+ )
    """,
    re.VERBOSE | re.IGNORECASE,
)
_APOSTROPHES: Final = str.maketrans(dict.fromkeys("’ʼ＇´`‘", "'"))
_TRAILING: Final = ".,;:!?…)]}>\"'»”’*_"
_POINT_BEFORE: Final = re.compile(r"(?:\A|[^\w.,)\]])[.,]\Z")
_FIRST_WORD: Final = re.compile(r"([^\W\d_]++)")
_NEXT_WORD: Final = re.compile(r"(?:\s{1,9}|[-‐‑])([^\W\d_]++)")


def protected_items(text: str, keep: Names | None = None) -> list[ProtectedItem]:
    """The protected items of a text in the order of their starts; a quotation comes before what it holds.

    Args:
        text: any text; the time taken grows with its length alone.
        keep: further texts that are protected.
    """
    found = list(_items(text))
    for span in quoted_spans(text):
        if span.sure:
            inner = " ".join(nfc(text[span.start + 1 : span.end - 1]).split())
            found.append(item("quotation", (inner,), span.start, span.end))
    if keep is not None:
        found += keep.find(text)
    return sorted(found, key=lambda found: (found.start, -found.end))


class Names:
    """Texts that no edit may change, wherever they stand as whole words; their white space may be any.

    Args:
        names: the texts; blank ones count for nothing.
    """

    def __init__(self, names: Sequence[str]) -> None:
        self._patterns: dict[str, tuple[str, re.Pattern[str]]] = {}
        for name in names:
            words = name.split()
            if words:
                before = r"(?<!\w)" if words[0][0].isalnum() else ""
                behind = r"(?!\w)" if words[-1][-1].isalnum() else ""
                pattern = re.compile(before + r"\s+".join(map(re.escape, words)) + behind)
                self._patterns[" ".join(words)] = (words[0], pattern)
        self.of_several_words = tuple(name for name in self._patterns if " " in name)

    def find(self, text: str) -> Iterator[ProtectedItem]:
        """Where they stand in a text."""
        for name, (first, pattern) in self._patterns.items():
            if first in text:
                for match in pattern.finditer(text):
                    yield item("name", (nfc(name),), *match.span())


def _items(text: str) -> Iterator[ProtectedItem]:
    last: ProtectedItem | None = None
    for match in _TOKEN.finditer(text):
        floor = last.end if last is not None else 0
        if match.start() < floor:
            continue
        found = _READ[match.lastgroup or "word"](text, match, floor)
        if found is None:
            continue
        # A month takes the day before it along.
        if last is not None and found.start >= last.end:
            yield last
        last = found
    if last is not None:
        yield last


def _url(text: str, match: re.Match[str], floor: int) -> ProtectedItem:  # noqa: ARG001
    value = match.group().rstrip(_TRAILING)
    return item("url", (value,), match.start(), match.start() + len(value))


def _email(text: str, match: re.Match[str], floor: int) -> ProtectedItem:  # noqa: ARG001
    return item("email", (match.group(),), *match.span())


def _date(text: str, match: re.Match[str], floor: int) -> ProtectedItem:  # noqa: ARG001
    return item("date", numeric_date(ascii_digits(match.group("date"))), *match.span())


def _time(text: str, match: re.Match[str], floor: int) -> ProtectedItem:  # noqa: ARG001
    hours, minutes, *seconds = "".join(ascii_digits(match.group()).split()).split(":")
    half, end = clock_at(text, match.end())
    return item("time", (time_of_day(hours, minutes, "".join(seconds), half),), match.start(), end)


def _ratio(text: str, match: re.Match[str], floor: int) -> ProtectedItem:  # noqa: ARG001
    return item("number", ("".join(ascii_digits(match.group()).split()),), *match.span())


def _digits(text: str, match: re.Match[str], floor: int) -> ProtectedItem:
    start, end = match.span()
    values = number_readings(match.group())
    if start > floor and _POINT_BEFORE.search(text, max(floor, start - 2), start):
        values, start = number_readings("0." + match.group()), start - 1
    return amount(text, start, end, values, floor)


def _fraction(text: str, match: re.Match[str], floor: int) -> ProtectedItem:
    return amount(text, match.start(), match.end(), (vulgar(match.group()),), floor)


def _word(text: str, match: re.Match[str], floor: int) -> ProtectedItem | None:
    written = match.group()
    word = written.lower() if written.isascii() else nfc(written.translate(_APOSTROPHES)).casefold()
    if word in NUMBER_WORDS:
        return _number_words(text, match.start(), floor)
    if word in ORDINALS:
        return item("ordinal", (ORDINALS[word],), *match.span())
    if word in LONE_NUMBERS:
        return amount(text, *match.span(), (LONE_NUMBERS[word],), floor)
    if word in FRACTION_PARTS:
        return item("number", (f"1/{FRACTION_PARTS[word]}",), *match.span())
    if word in MONTHS:
        return month_date(text, *match.span(), MONTHS[word])
    return _negation(text, match, word)


def _negation(text: str, match: re.Match[str], word: str) -> ProtectedItem | None:
    said = NEGATIONS.get(word) or ("not" if word.endswith("n't") else None)
    if said is None:
        return None
    if said == "no":
        following = _NEXT_WORD.match(text, match.end())
        if following is not None and following.group(1).lower() == "one":
            return item("negation", (NEGATIONS["nobody"],), match.start(), following.end())
    return item("negation", (said,), *match.span())


def _number_words(text: str, start: int, floor: int) -> ProtectedItem:
    """A number of English words, with what belongs to it."""
    seen: list[re.Match[str]] = []
    value, used = words_value(_following_words(text, start, seen))
    # Twenty-first, but not one second.
    ordinal = ORDINALS.get(seen[used].group(1).lower()) if used < len(seen) else None
    if ordinal is not None and len(ordinal) == 1 and seen[used - 1].group(1).lower() in TENS:
        return item("ordinal", (str(value + int(ordinal)),), start, seen[used].end())
    return amount(text, start, seen[used - 1].end(), (str(value),), floor)


def _following_words(text: str, start: int, seen: list[re.Match[str]]) -> Iterator[str]:
    """The words from an offset on that only white space or hyphens part."""
    word = _FIRST_WORD.match(text, start)
    while word is not None:
        seen.append(word)
        yield word.group(1).lower()
        word = _NEXT_WORD.match(text, word.end())


_READ: Final = {
    "url": _url,
    "domain": _url,
    "email": _email,
    "date": _date,
    "time": _time,
    "ratio": _ratio,
    "grouped": _digits,
    "digits": _digits,
    "fraction": _fraction,
    "word": _word,
}
