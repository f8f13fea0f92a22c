"""Planted edits of amounts: each changes the value that a number has, or only the blank before it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from robust.transforms.planted_doubts import is_zero, valued_once
from robust.transforms.planted_places import Place, other_digits, said_once, without_dates

NUMBER: Final = re.compile(
    r"(?<![\w.,:/'’#@_\ufffc])(?<![\w\ufffc][-–−])(?<!\d[ \u00a0\u202f])\d++(?:[.,]\d++)*+"
    r"(?![\w\ufffc]|[.,:/'’][\d\ufffc]|[-–−/:]\w|[ \u00a0\u202f]\d)"
)
# What only counts or names parts of a document changes no amount.
_LABEL_BEFORE: Final = re.compile(
    r"\b(?:question|q|step|section|sect|chapter|ch|page|pp?|figure|fig|table|item|part|line|row|column|paragraph|par"
    r"|appendix|annex|exercise|example|problem|task|lesson|option|article|art|clause|rule|slide|volume|vol|edition|verse"
    r"|equation|eq|theorem|footnote|note|no|nr|version|release|revision|python)s?[.:]?[ \u00a0]?"
    r"(?:\d[\d.]*[ \u00a0]?(?:,|and|or|to|through|&|und|bis|[-–])[ \u00a0]?){0,4}\Z",
    re.IGNORECASE,
)
_LIST_MARK: Final = re.compile(r"[.)]\s")
_MARK_BEFORE: Final = re.compile(r"[.:;,!?]\s?\Z")
# (1) and [12] are marks of a list or of a note, as is 1) without the other bracket.
_BRACKET_BEHIND: Final = re.compile(r"\s?[)\]]")
_OPEN_BRACKET: Final = re.compile(r"[(\[][^)\]]*\Z")
# 1.2 Scope of work
_HEADING: Final = re.compile(r"\.?[ \t]+[A-ZÀ-Ý][a-zß-ÿ]")
_LOOK_BACK: Final = 60
_MINUS: Final = re.compile(r"(?<![^\s(\[{:;=])[-−](?=\d)")
_DIGITS: Final = re.compile(r"\d++(?:[.,]\d++)*+")
# Longer ones are no amounts.
_LONGEST: Final = 40
_LINE_START: Final = re.compile(r"(?:\A|\n)[ \t]{0,16}\Z")
_DIGIT_BEFORE: Final = re.compile(r"[\d%)\]]\s*\Z")
_MEASURED: Final = re.compile(r"\d+(?:[.,]\d+)?[ \u00a0]?(?:%|°|€|EUR|USD|GBP|degrees|per cent|percent)")
_SCALE: Final = re.compile(
    r"(?<![\d.,])(?P<number>\d++(?:[.,]\d++)*+)[ \u00a0](?P<scale>thousand|million|billion|trillion)\b"
)
_SCALES: Final = ("thousand", "million", "billion", "trillion")
_AMBIGUOUS_DECIMALS: Final = 3


def numbers(text: str) -> Iterator[re.Match[str]]:
    """Numbers that say an amount: no list mark, reference, version, part of a date or an address; each said once."""
    shown = without_dates(text)
    for match in valued_once(match for match in NUMBER.finditer(shown) if len(match.group()) <= _LONGEST):
        start, end = match.span()
        if not _is_mark(shown, start, end) and _LABEL_BEFORE.search(shown, max(0, start - _LOOK_BACK), start) is None:
            yield match


def _is_mark(text: str, start: int, end: int) -> bool:
    """Whether a number only marks an item of a list, a note or a heading."""
    begins_line = _starts_line(text, start)
    if begins_line and _HEADING.match(text, end):
        return True
    first = max(0, start - _LOOK_BACK)
    if _LIST_MARK.match(text, end) and (begins_line or _MARK_BEFORE.search(text, first, start)):
        return True
    if _BRACKET_BEHIND.match(text, end) is None:
        return False
    opened = _OPEN_BRACKET.search(text, first, start)
    return opened is None or not text[opened.start() + 1 : start].strip()


def changed_digit(text: str) -> Iterator[Place]:
    """One digit of a number is another: 120 becomes 170."""
    for match in numbers(text):
        written = match.group()
        news = [new for place, char in enumerate(written) if char.isdecimal() for new in other_digits(written, place)]
        yield Place(*match.span(), news)


def removed_decimal_mark(text: str) -> Iterator[Place]:
    """The mark before the decimals is gone: 1,25 becomes 125."""
    for match, whole, decimals in _decimals(text):
        yield Place(*match.span(), (whole + decimals,))


def moved_decimal_mark(text: str) -> Iterator[Place]:
    """The mark stands one place to the left or to the right: 12.5 becomes 1.25."""
    for match, whole, decimals in _decimals(text):
        mark = match.group()[len(whole)]
        news = []
        if len(whole) > 1:
            news.append(f"{whole[:-1]}{mark}{whole[-1]}{decimals}")
        if len(decimals) > 1:
            moved = whole + decimals[0]
            news.append(f"{moved[1:] if is_zero(moved[0]) else moved}{mark}{decimals[1:]}")
        yield Place(*match.span(), news)


def _decimals(text: str) -> Iterator[tuple[re.Match[str], str, str]]:
    """Numbers other than 0 with decimals; three could be thousands, but for 0,125."""
    for match in numbers(text):
        parts = re.split("[.,]", match.group())
        if len(parts) == 2 and not is_zero(match.group()):
            whole, decimals = parts
            if len(decimals) != _AMBIGUOUS_DECIMALS or is_zero(whole):
                yield match, whole, decimals


def _minus_signs(text: str) -> Iterator[tuple[int, re.Match[str]]]:
    """The minus signs of numbers other than 0: no hyphen, no dash of a range, no bullet."""
    shown = without_dates(text)
    bullets = "\n" in shown.strip()
    found = [(sign.start(), number) for sign in _MINUS.finditer(shown) if (number := _DIGITS.match(shown, sign.end()))]
    # "Buy -2 eggs -3 onions": a list in a line.
    listed = sum(_MEASURED.match(shown, number.start()) is None for _, number in found) > 1
    for start, number in found:
        subtracts = _DIGIT_BEFORE.search(shown, max(0, start - _LOOK_BACK), start) is not None
        is_mark = (bullets and _starts_line(shown, start)) or (listed and not _MEASURED.match(shown, number.start()))
        if not is_zero(number.group()) and not subtracts and not is_mark:
            yield start, number


def _starts_line(text: str, place: int) -> bool:
    return _LINE_START.search(text, max(0, place - _LOOK_BACK), place) is not None


def dropped_minus(text: str) -> Iterator[Place]:
    """A negative number has lost its sign: −5 % becomes 5 %."""
    for start, _ in _minus_signs(text):
        yield Place(start, start + 1, ("",))


def typographic_minus(text: str) -> Iterator[Place]:
    """The hyphen before a measured number is written as the minus sign that it stands for."""
    for start, number in _minus_signs(text):
        if text[start] == "-" and _MEASURED.match(text, number.start()):
            yield Place(start, start + 1, ("−",))


def changed_scale(text: str) -> Iterator[Place]:
    """A million is a billion."""
    for match in said_once(_SCALE.finditer(without_dates(text))):
        if not is_zero(match.group("number")):
            yield Place(*match.span("scale"), [scale for scale in _SCALES if scale != match.group("scale")])


def number_places(text: str) -> Iterator[Place]:
    """Where numbers stand."""
    for match in numbers(text):
        yield Place(*match.span(), ())
