"""Where a text says a thing in two ways, asks it, or is in another language, so that nothing is known of an edit."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from typing import Final

from robust.transforms.planted_places import Finder, Place

_WORDS: Final = (
    "one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|dozen|fifteen|twenty|thirty|forty|fifty|sixty|seventy"
    "|eighty|ninety|hundred|thousand|million|noon|midnight|eins?|zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|zwölf"
)
_AMOUNT: Final = rf"(?:\d|\b(?:{_WORDS})\b)"
_BRACKETS: Final = re.compile(r"[(\[]([^()\[\]\n]{1,60})[)\]]")
_SAYS_AMOUNT: Final = re.compile(_AMOUNT, re.IGNORECASE)
_AGAIN: Final = re.compile(
    r"\bi\. ?e\.|\bd\. ?h\.|\bthat is\b|\bequals?\b|\bor rather\b|[=≈]|\bnoon\b|\bmidnight\b", re.IGNORECASE
)
_CLAUSE_END: Final = re.compile(r"[;!?\n]|\.\s")
# How far from its restatement an amount can stand.
_REACH: Final = 40
_LONG_SENTENCE: Final = 400
_SENTENCE_END: Final = re.compile(r"[.!?](?=\s|\Z)|\n")
_ASKS_WHICH: Final = re.compile(r"\s*(?:who|which)\b", re.IGNORECASE)
# Words of English that no other language with its "is", "was", "are" or "will" has.
_ENGLISH: Final = re.compile(
    r"\b(?:the|this|these|those|and|with|from|your|you|they|their|which|have|been|it|its|what|each|every)\b",
    re.IGNORECASE,
)
_MARKS: Final = re.compile("[.,]")
_GROUP: Final = 3


def is_zero(number: str) -> bool:
    """Whether every digit is 0, of whatever script."""
    return not any(unicodedata.decimal(char, 0) for char in number)


def readings(number: str) -> frozenset[Fraction]:
    """The values that a number with marks may have: with decimals behind its last mark, or with groups alone."""
    digits = "".join(str(unicodedata.decimal(char)) if char.isdecimal() else char for char in number)
    whole, *groups = _MARKS.split(digits)
    found = {Fraction(int(digits))} if not groups else set()
    if groups:
        found.add(Fraction(int(whole + "".join(groups)), 10 ** len(groups[-1])))
        if all(len(group) == _GROUP for group in groups):
            found.add(Fraction(int(whole + "".join(groups))))
    return frozenset(found)


def valued_once(matches: Iterable[re.Match[str]]) -> Iterator[re.Match[str]]:
    """The numbers whose value no other one has, however it is written: ``1,000`` and ``1000`` say a thing twice."""
    found = [(match, readings(match.group())) for match in matches]
    counts = Counter(value for _, values in found for value in values)
    return (match for match, values in found if all(counts[value] == 1 for value in values))


def outside_restatements(find: Finder) -> Finder:
    """An edit of amounts, where what it would change is not said in another way beside it: five (5), 10 km (6 mi)."""

    def places(text: str) -> Iterator[Place]:
        spans = list(_merged(_restatements(text)))
        ends = [end for _, end in spans]
        for place in find(text):
            behind = bisect_left(ends, place.start + 1)
            if behind == len(spans) or spans[behind][0] >= place.end:
                yield place

    return places


def _restatements(text: str) -> Iterator[tuple[int, int]]:
    """The spans in which an amount is said in two ways."""
    for match in _BRACKETS.finditer(text):
        start = _clause_start(text, match.start())
        if _SAYS_AMOUNT.search(match[1]) and _SAYS_AMOUNT.search(text, start, match.start()):
            yield start, match.end()
    for match in _AGAIN.finditer(text):
        start, end = _clause_start(text, match.start()), match.end() + _REACH
        if _SAYS_AMOUNT.search(text, start, match.start()):
            yield start, end


def _merged(spans: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """The same places as spans of which no two overlap, in order."""
    last: tuple[int, int] | None = None
    for start, end in sorted(spans):
        if last is not None and start > last[1]:
            yield last
            last = None
        last = (start, end) if last is None else (last[0], max(last[1], end))
    if last is not None:
        yield last


def _clause_start(text: str, place: int) -> int:
    """Where the clause before a place begins, as far as it matters."""
    first = max(0, place - _REACH)
    return max((match.end() for match in _CLAUSE_END.finditer(text, first, place)), default=first)


def asks(text: str, place: int) -> bool:
    """Whether a place is in a question that "not" need not turn round: "Is not it due?" asks what "Is it?" does."""
    end = _SENTENCE_END.search(text, place, place + _LONG_SENTENCE)
    if end is None or end.group() != "?":
        return False
    first = max(0, place - _LONG_SENTENCE)
    start = max((match.end() for match in _SENTENCE_END.finditer(text, first, place)), default=first)
    return _ASKS_WHICH.match(text, start) is None


def in_statements(find: Finder) -> Finder:
    """An edit of what is said, where it is said and not asked."""

    def places(text: str) -> Iterator[Place]:
        return (place for place in find(text) if not asks(text, place.start))

    return places


def is_english(text: str) -> bool:
    """Whether a text has a word that shows it: "is" and "was" are Dutch too, "will" German, "are" Romanian."""
    return _ENGLISH.search(text) is not None


def keyed_once(matches: Iterable[re.Match[str]], key: Callable[[re.Match[str]], str]) -> Iterator[re.Match[str]]:
    """The matches whose key, whatever its case, no other one has."""
    found = [(match, key(match).casefold()) for match in matches]
    counts = Counter(name for _, name in found)
    return (match for match, name in found if counts[name] == 1)
