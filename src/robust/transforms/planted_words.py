"""Planted edits of words: comparisons turned around, opposites, and names that change their parts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from robust.transforms.planted_doubts import keyed_once
from robust.transforms.planted_places import Place, said_once, without_addresses

_AMOUNT: Final = (
    r"(?=\s(?:[$€£]|(?:EUR|USD|GBP|CHF)\s)?\d|\s(?:one|two|three|four|five|six|seven|eight|nine|ten|half)\b)"
)
_BOUNDS: Final = {
    "at least": "at most",
    "at most": "at least",
    "more than": "less than",
    "less than": "more than",
    "fewer than": "more than",
    "greater than": "smaller than",
    "smaller than": "greater than",
    "above": "below",
    "below": "above",
    "before": "after",
    "after": "before",
    "mindestens": "höchstens",
    "höchstens": "mindestens",
}
_BOUND: Final = re.compile(rf"(?<![\w-])(?P<bound>{'|'.join(_BOUNDS)}){_AMOUNT}", re.IGNORECASE)
_PAIRS: Final = (
    *(("approved", "rejected"), ("allowed", "forbidden"), ("permitted", "prohibited"), ("eligible", "ineligible")),
    *(("included", "excluded"), ("enabled", "disabled"), ("increased", "decreased"), ("increases", "decreases")),
    *(("highest", "lowest"), ("largest", "smallest"), ("oldest", "youngest"), ("longest", "shortest")),
    *(("employer", "employee"), ("buyer", "seller"), ("landlord", "tenant"), ("lender", "borrower")),
    *(("minimum", "maximum"), ("valid", "invalid"), ("legal", "illegal"), ("taxable", "tax-free")),
    *(("mandatory", "optional"), ("refundable", "non-refundable")),
)
_OPPOSITES: Final = {word: other for pair in _PAIRS for word, other in (pair, pair[::-1])}
_OPPOSITE: Final = re.compile(
    rf"(?<![\w-])(?:{'|'.join(sorted(_OPPOSITES, key=len, reverse=True))})(?![\w-])", re.IGNORECASE
)
# What one does to the other, and not both to each other.
_DEEDS: Final = (
    "owes|owed|pays|paid|lends|lent|sells|sold|hires|hired|employs|employed|sues|sued|defeats|defeated|beats|beat"
    "|invites|invited|succeeds|succeeded|teaches|taught|bought|buys|accuses|accused|insures|insured|represents"
    "|represented|(?:is|was) (?!other |rather )[a-z]+er than"
)
_NAMES: Final = re.compile(
    rf"(?<![\w'’-])(?P<one>[A-Z][a-z]+) (?:{_DEEDS}) (?:from )?"
    r"(?P<other>[A-Z][a-z]+)(?![\w’-]| [A-Z])"
)
# A first name before it, or a title: it is only a part of what would change places.
_CAPITAL_BEFORE: Final = re.compile(r"\b[A-Z][\w.]* \Z")
_SENTENCE_BEGINS: Final = re.compile(r"(?:\A|[.!?:;\n])\s*[A-Z]\w* \Z")
_REACH: Final = 40
# As noted above, 5 are due; the above 5 rules.
_REFERS: Final = re.compile(r"\b(?:as|the|see|noted|mentioned|listed|shown|stated|described|given) \Z", re.IGNORECASE)
_NO_NAMES: Final = frozenset(
    (
        *("He", "She", "It", "They", "We", "You", "I", "This", "That", "These", "Those", "Who", "What", "Which", "The"),
        *(
            "Everyone",
            "Everybody",
            "Nobody",
            "Someone",
            "Somebody",
            "Anyone",
            "Each",
            "Both",
            "All",
            "None",
            "One",
            "A",
        ),
        *("An", "My", "Your", "His", "Her", "Its", "Our", "Their", "Today", "Yesterday", "Nothing"),
    )
)


_OPENERS: Final = frozenset(("Then", "If", "When", "As", "Because", "Since", "While", "Now", "So", "And", "But", "Or"))
_LIMIT: Final = re.compile(r"\s*\S{1,20}")


def _with_its_limit(text: str, match: re.Match[str]) -> str:
    """A bound and what it bounds, which said twice and changed once is a contradiction."""
    behind = _LIMIT.match(text, match.end())
    return match.group() if behind is None else (match.group() + behind.group()).rstrip(".,;:!?")


def exchanged_bound(text: str) -> Iterator[Place]:
    """A limit from the other side: "at least 5" becomes "at most 5"."""
    shown = without_addresses(text)
    for match in keyed_once(_BOUND.finditer(shown), lambda match: _with_its_limit(shown, match)):
        first = max(0, match.start() - _REACH)
        if match.group("bound").lower() in ("above", "below") and _REFERS.search(shown, first, match.start()):
            continue
        yield Place(*match.span("bound"), (_like(match.group("bound"), _BOUNDS[match.group("bound").lower()]),))


def opposite_word(text: str) -> Iterator[Place]:
    """A word is its opposite; only where that stands nowhere else in the text."""
    found = list(said_once(_OPPOSITE.finditer(text)))
    said = {match.group().lower() for match in found}
    for match in found:
        other = _OPPOSITES[match.group().lower()]
        if other not in said:
            yield Place(*match.span(), (_like(match.group(), other),))


def swapped_names(text: str) -> Iterator[Place]:
    """Who does something and to whom it is done change places: "Anna owes Ben" becomes "Ben owes Anna"."""
    for match in said_once(_NAMES.finditer(text)):
        one, other = match.group("one"), match.group("other")
        if one != other and not {one, other} & _NO_NAMES and not _is_part_of_a_name(text, match.start()):
            start, end = match.span("one")[0], match.span("other")[1]
            between = text[match.end("one") : match.start("other")]
            yield Place(start, end, (f"{other}{between}{one}",))


def _is_part_of_a_name(text: str, start: int) -> bool:
    first = max(0, start - _REACH)
    if _CAPITAL_BEFORE.search(text, first, start) is None:
        return False
    begins = _SENTENCE_BEGINS.search(text, first, start)
    # "Then Orsini owes" and "Anna Orsini owes" look alike; the former is known by its first word.
    return begins is None or begins.group().split()[-1] not in _OPENERS


def _like(word: str, other: str) -> str:
    """Another word with the capitals of the one."""
    if word.isupper():
        return other.upper()
    return other[0].upper() + other[1:] if word[0].isupper() else other


def comparison_places(text: str) -> Iterator[Place]:
    """Where limits stand."""
    for match in _BOUND.finditer(text):
        yield Place(*match.span(), ())


def word_places(text: str) -> Iterator[Place]:
    """Where words with an opposite, and names of those who do something, stand."""
    for match in (*_OPPOSITE.finditer(text), *_NAMES.finditer(text)):
        yield Place(*match.span(), ())
