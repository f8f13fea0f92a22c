"""Planted edits of dates and times: another day, month, year, hour or half of the day."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from robust.transforms.date_formats import MONTHS
from robust.transforms.planted_doubts import keyed_once
from robust.transforms.planted_places import Place, said_once, without_addresses

_NAME: Final = "|".join(MONTHS)
_LONG: Final = frozenset((1, 3, 5, 7, 8, 10, 12))
# Every month has so many days.
_SAFE_DAYS: Final = 28
_ISO: Final = re.compile(
    r"(?<![\w./-])(?P<year>(?:19|20)\d{2})-(?P<month>0[1-9]|1[0-2])-(?P<day>0[1-9]|[12]\d|3[01])(?![\d./-])"
)
_DAY_FIRST: Final = re.compile(
    rf"(?<![\w./-])(?P<day>[1-9]|[12]\d|3[01])\.? (?P<month>{_NAME})(?: (?P<year>\d{{4}}))?\b"
)
_MONTH_FIRST: Final = re.compile(
    rf"\b(?P<month>{_NAME}) (?P<day>[1-9]|[12]\d|3[01])(?:, (?P<year>\d{{4}}))?(?![\w:]|[.,]\d)"
)
_YEAR: Final = re.compile(
    r"\b(?:in|since|until|before|after|from|by|during|year) (?P<year>(?:19|20)\d{2})(?![\w.,]?\d|\w)"
)
_TIME: Final = re.compile(r"(?<![\w:.,])(?P<hour>[01]?\d|2[0-3]):[0-5]\d(?!\d|:)")
_HALF: Final = re.compile(
    r"(?<![\w:.,])(?P<hour>1[0-2]|0?[1-9])(?::[0-5]\d)? ?(?P<half>a\.m\.|p\.m\.|am|pm|AM|PM)(?!\w)"
    r"(?! (?:in the|at night|tonight|this|morning|noon)\b)"
)
# In German "am" is a preposition, and no such word stands before the hour.
_AT: Final = re.compile(
    r"\b(?:at|by|from|until|till|to|before|after|since|around|about|between|and|or) \Z", re.IGNORECASE
)
_WEEKDAY: Final = re.compile(
    r"\b(?:Mon|Tues?|Wed(?:nes)?|Thu(?:rs)?|Fri|Sat(?:ur)?|Sun)(?:day)?\b"
    r"|\b(?:Mon|Diens|Donners|Frei|Sams|Sonn)tags?\b|\bMittwochs?\b|\b(?:Mo|Di|Mi|Do|Fr|Sa|So)\."
)
_NEAR: Final = 16
# At the beginning of a sentence these may be a verb: "March 5 miles north"; "May 5 people enter?"
_VERBS: Final = frozenset(("March", "May"))
_BEGINS: Final = re.compile(r"(?:\A|[.!?:;\n\"])\s*\Z")
_TWELVE: Final = re.compile(r" ?(?:noon|midnight|o.clock)\b")
_HALVES: Final = {"am": "pm", "pm": "am", "AM": "PM", "PM": "AM", "a.m.": "p.m.", "p.m.": "a.m."}
_NOON: Final = 12
_LAST_HOUR: Final = 24


def _dates(text: str) -> Iterator[re.Match[str]]:
    """Dates that are said once, in whatever form, and not as a weekday too, which another date would contradict."""
    shown = without_addresses(text)
    found = (match for pattern in (_ISO, _DAY_FIRST, _MONTH_FIRST) for match in pattern.finditer(shown))
    for match in keyed_once(found, _month_and_day):
        start, end = match.span()
        near = max(0, start - _NEAR)
        if _WEEKDAY.search(shown, near, start) or _WEEKDAY.search(shown, end, end + _NEAR):
            continue
        verb = match.start() == match.start("month") and match.group("month") in _VERBS and not match.group("year")
        if not (verb and _BEGINS.search(shown, near, start)):
            yield match


def _month_and_day(match: re.Match[str]) -> str:
    return f"{_month(match)}-{int(match.group('day'))}"


def _month(match: re.Match[str]) -> int:
    written = match.group("month")
    return int(written) if written.isdecimal() else MONTHS.index(written) + 1


def changed_day(text: str) -> Iterator[Place]:
    """Another day of the month."""
    for match in _dates(text):
        day = match.group("day")
        news = [
            f"{other:0{len(day)}d}"
            for other in range(1, _SAFE_DAYS + 1)
            if other != int(day) and len(f"{other:0{len(day)}d}") == len(day)
        ]
        yield Place(*match.span("day"), news)


def changed_month(text: str) -> Iterator[Place]:
    """Another month that has this day."""
    for match in _dates(text):
        written, day = match.group("month"), int(match.group("day"))
        month = _month(match)
        others = [other for other in range(1, 13) if other != month and (day <= _SAFE_DAYS or other in _LONG)]
        news = [f"{other:02d}" if written.isdecimal() else MONTHS[other - 1] for other in others]
        yield Place(*match.span("month"), news)


def changed_year(text: str) -> Iterator[Place]:
    """Another year of the same decade."""
    shown = without_addresses(text)
    named = keyed_once(_YEAR.finditer(shown), lambda match: match.group("year"))
    for match in (*_dates(text), *named):
        year = match.group("year")
        # Not every year has a 29th of February.
        if year and shown.count(year) == 1 and "29" not in (match.groupdict().get("day") or ""):
            yield Place(*match.span("year"), [year[:3] + digit for digit in "0123456789" if digit != year[3]])


def changed_hour(text: str) -> Iterator[Place]:
    """Another hour of the same half of the day."""
    shown = without_addresses(text)
    for match in said_once(_TIME.finditer(shown)):
        if _TWELVE.match(shown, match.end()):
            continue
        hour = match.group("hour")
        hours = range(1, _NOON) if int(hour) <= _NOON else range(_NOON + 1, _LAST_HOUR)
        news = [f"{other:0{len(hour)}d}" for other in hours if other != int(hour)]
        yield Place(*match.span("hour"), [new for new in news if len(new) == len(hour)])


def changed_half_of_day(text: str) -> Iterator[Place]:
    """Morning is afternoon: 10 am becomes 10 pm."""
    shown = without_addresses(text)
    for match in said_once(_HALF.finditer(shown)):
        start = match.start()
        if match.group("half") == "am" and not _AT.search(shown, max(0, start - _NEAR), start):
            continue
        yield Place(*match.span("half"), (_HALVES[match.group("half")],))


def no_break_space(text: str) -> Iterator[Place]:
    """The blank between day and month is one at which no line breaks."""
    for match in _DAY_FIRST.finditer(without_addresses(text)):
        start = match.start("month") - 1
        yield Place(start, start + 1, ("\u00a0",))


def date_places(text: str) -> Iterator[Place]:
    """Where dates and times stand."""
    for match in (*_dates(text), *_TIME.finditer(without_addresses(text))):
        yield Place(*match.span(), ())
