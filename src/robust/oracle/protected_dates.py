"""Dates: in figures, and with the name of a month."""

from __future__ import annotations

import re
from typing import Final

from robust.oracle.protected_item import ProtectedItem, item
from robust.oracle.protected_numbers import ascii_digits

# What English and others also use for something else, so that it is a month only with a capital.
_AMBIGUOUS: Final = frozenset(("may", "march", "mar", "august"))
_DAY_BEFORE: Final = re.compile(
    r"(?<![\w.,/:-])(\d{1,2})(?:st|nd|rd|th|\.|º|er)?(?:\s{1,9}(?:of|de))?[\s-]{0,9}\Z", re.IGNORECASE
)
_DAY_BEHIND: Final = re.compile(r"\.?[\s-]{1,9}(\d{1,2})(?:st|nd|rd|th)?(?![\w:%°€$]|[.,/-]\d)", re.IGNORECASE)
_YEAR: Final = re.compile(r"\.?,?(?:[\s-]{1,9}|\s{1,9}de\s{1,9})(\d{4})(?![\w%]|[.,/:]\d)")
_LOOK_BACK: Final = 32
_MONTHS: Final = 12
_DAYS: Final = 31
_CENTURY: Final = 2


def numeric_date(text: str) -> tuple[str, ...]:
    """The readings of a date in figures: year first, or day and month in either order."""
    first, second, third = re.split(r"[-/.]", text)
    if len(first) > _CENTURY:
        orders = [(first, second, third)]
    else:
        year = third if len(third) > _CENTURY else "20" + third
        orders = [(year, second, first), (year, first, second)]
    readings = tuple(
        dict.fromkeys(
            f"{year}-{month:0>2}-{day:0>2}"
            for year, month, day in orders
            if 0 < int(month) <= _MONTHS and 0 < int(day) <= _DAYS
        )
    )
    return readings or ("-".join((first, second, third)),)


def month_date(text: str, start: int, end: int, month: str) -> ProtectedItem | None:
    """The date around the name of a month; None where there is neither day nor year."""
    written = text[start:end]
    if written.islower() and written in _AMBIGUOUS:
        return None
    day = ""
    before = _DAY_BEFORE.search(text, max(0, start - _LOOK_BACK), start)
    if before is not None:
        day, start = before.group(1), before.start()
    else:
        behind = _DAY_BEHIND.match(text, end)
        if behind is not None:
            day, end = behind.group(1), behind.end()
    year = _YEAR.match(text, end)
    if year is not None:
        end = year.end()
    if not day and year is None:
        return None
    parts = (
        ascii_digits(year.group(1)) if year is not None else "-",
        month,
        *((f"{ascii_digits(day):0>2}",) if day else ()),
    )
    return item("date", ("-".join(parts),), start, end)
