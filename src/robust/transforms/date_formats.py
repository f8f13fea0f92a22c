"""The same date written in another way."""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable, Iterator
from typing import ClassVar, Final

from robust.canon import RandomStream
from robust.records.case import Relation
from robust.transforms.number_names import is_named
from robust.transforms.strategy import Edit, replaced

MONTHS: Final = (
    *("January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November"),
    "December",
)
_MONTH: Final = {name[:size].lower(): n for n, name in enumerate(MONTHS, 1) for size in (3, len(name))} | {"sept": 9}
_NAMES: Final = "|".join(sorted(_MONTH, key=len, reverse=True))
_BEFORE: Final = r"(?<![\w.,/:+–-])"
_BEHIND: Final = r"(?![\w]|[-/.,:–][\w]|,? \d{1,2}[:.h]\d\d)"
# Each group is named for what it is. Day and month in figures with a slash are in either order, and are left alone.
_WRITTEN: Final = (
    rf"{_BEFORE}(?P<year>\d{{4}})(?P<mark>[-/.])(?P<month>\d{{2}})(?P=mark)(?P<day>\d{{2}}){_BEHIND}",
    rf"{_BEFORE}(?P<day>\d{{1,2}})\.(?P<month>\d{{1,2}})\.(?P<year>\d{{4}}){_BEHIND}",
    rf"{_BEFORE}(?P<day>\d{{1,2}})(?:st|nd|rd|th)? (?:of )?(?P<name>{_NAMES})\.?,? (?P<year>\d{{4}}){_BEHIND}",
    rf"(?<!\w)(?P<name>{_NAMES})\.? (?P<day>\d{{1,2}})(?:st|nd|rd|th)?,? (?P<year>\d{{4}}){_BEHIND}",
)
_PATTERNS: Final = tuple(re.compile(pattern, re.IGNORECASE | re.ASCII) for pattern in _WRITTEN)
# A day that shares its month or year with this date: "4 and 6 March 2025", "March 1 to March 4, 2025".
_SHARES: Final = re.compile(
    rf"(?<![\d:/.-])(?:\d{{1,2}}\.)?\d{{1,2}}(?:\.|st|nd|rd|th)?(?: (?:of )?(?:{_NAMES})\.?)?"
    r"\s*(?:[,&/–—-]|\b(?:and|or|to|till|until|through|und|oder|bis)\b)\s*(?:the )?\Z",
    re.IGNORECASE | re.ASCII,
)
_LOOK_BACK: Final = 48
FORMS: Final[dict[str, Callable[[datetime.date], str]]] = {
    "YYYY-MM-DD": lambda date: date.isoformat(),
    "YYYY/MM/DD": lambda date: date.isoformat().replace("-", "/"),
    "DD.MM.YYYY": lambda date: f"{date.day:02}.{date.month:02}.{date.year:04}",
    "D Month YYYY": lambda date: f"{date.day} {MONTHS[date.month - 1]} {date.year:04}",
    "Month D, YYYY": lambda date: f"{MONTHS[date.month - 1]} {date.day}, {date.year:04}",
}


def dates_in(text: str) -> Iterator[tuple[int, int, datetime.date]]:
    """Every date that reads in one way only, with its place; days that are in no calendar are none."""
    for pattern in _PATTERNS:
        for found in pattern.finditer(text):
            if _is_part(text, *found.span()):
                continue
            parts = found.groupdict()
            month = int(parts["month"]) if "month" in parts else _MONTH[parts["name"].lower()]
            try:
                date = datetime.date(int(parts["year"]), month, int(parts["day"]))
            except ValueError:
                continue
            yield *found.span(), date


def _is_part(text: str, start: int, end: int) -> bool:
    """Whether what looks like a date is a part of something else, such as ``week 1 March 2025``, or lends its year."""
    # The patterns know the figures and letters of ASCII only.
    if text[start - 1 : start].isalnum() or text[end : end + 1].isalnum():
        return True
    return is_named(text, start) or bool(_SHARES.search(text[max(start - _LOOK_BACK, 0) : start]))


class DateFormat:
    """A date of day, month and year is written in another of five forms, of which no two can be taken for each other.

    Dates such as 03/04/2025, whose order depends on the country, are neither read nor written.
    """

    name: ClassVar[str] = "date-format"
    relation: ClassVar[Relation] = "invariant"

    def edit(self, text: str, stream: RandomStream) -> Edit | None:
        """See :class:`Strategy`."""
        found = list(dates_in(text))
        if not found:
            return None
        start, end, date = stream.choice(found)
        written = text[start:end]
        form = stream.choice([name for name, write in FORMS.items() if write(date) != written])
        new = FORMS[form](date)
        params = {"at": start, "from": written, "to": new, "form": form, "date": date.isoformat()}
        return Edit(params, replaced(text, start, end, new))
