"""What people write into the cells of a review sheet, and what a spreadsheet makes of it, read without a guess."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from robust.canon import canonical_bytes, canonical_text, fold, read_json, within_part_depth
from robust.errors import DataError
from robust.records.case import id_problem
from robust.records.review import AnswerKind, clean
from robust.records.reviewers import tidy_name
from robust.records.verdict import MAX_ANSWER_BYTES, MAX_REASON_CHARACTERS

_VALID: Final[dict[str, bool | None]] = {
    **dict.fromkeys(("yes", "y", "true", "valid"), True),
    **dict.fromkeys(("no", "n", "false", "invalid"), False),
    **dict.fromkeys(("unknown", "unsure", "undecided"), None),
}
_TRUTH: Final = {"true": True, "yes": True, "false": False, "no": False}
_NUMBER: Final = re.compile(r"[+-]?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?\Z")
_ERROR_VALUE: Final = re.compile(r"(?:#(?:NULL!|DIV/0!|VALUE!|REF!|NAME\?|NUM!|N/A|SPILL!|CALC!|#+)|Err:[0-9]{3})\Z")
_TEXT, _JSON = "text:", "json:"
_CLOCK: Final = r"(?:[T ]+(\d{1,2}):(\d{2})(?::(\d{2})(?:\.\d+)?)?(?: ?([AaPp])\.?[Mm]\.?)?)?"
_OFFSET: Final = r"(?: ?([Zz]|[+-]\d{2}:?\d{2}))?"
_YEAR_FIRST: Final = re.compile(r"(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})" + _CLOCK + _OFFSET + r"\Z", re.ASCII)
_DOTTED: Final = re.compile(r"(\d{1,2})\.(\d{1,2})\.(\d{4})" + _CLOCK + r"()\Z", re.ASCII)
_YEAR_LAST: Final = re.compile(r"(\d{1,2})[/-](\d{1,2})[/-](\d{4})" + _CLOCK + r"()\Z", re.ASCII)
_FIRST_YEAR: Final = 2000
# Where a day begins first it is as many hours ahead of UTC; clocks that go a little fast get a little more.
_EARLIEST_ZONE: Final = timedelta(hours=14)
_SLACK: Final = timedelta(minutes=10)
_HOURS: Final = 12


def wrong(code: str, message: str, hint: str) -> DataError:
    """An error about one cell, which the caller places."""
    return DataError.of(code, message, hint=hint)


def check_filled(cell: str) -> None:
    """Refuse what a spreadsheet shows where a formula failed, and a formula instead of its value.

    Raises:
        DataError: the cell is one of them; a text that looks so has an apostrophe before it.
    """
    text = cell.strip()
    if _ERROR_VALUE.match(text):
        message = f"{text[:80]!r} is what a spreadsheet shows for an error"
        raise wrong("error_value", message, "write the text or value itself")
    if text.startswith("="):
        message = f"{text[:80]!r} looks like a formula"
        raise wrong("formula", message, "save values instead of formulas, or write an apostrophe before a text")


def read_valid(cell: str) -> bool | None:
    """``yes``, ``no`` or ``unknown``, in any case, with a few words that mean the same.

    Raises:
        DataError: it is none of them.
    """
    try:
        return _VALID[fold(cell)]
    except KeyError:
        raise wrong("bad_valid", f"{cell[:80]!r} is no judgement", "write yes, no or unknown") from None


def read_reason(cell: str) -> str:
    """Why, as it was written.

    Raises:
        DataError: it is too long.
    """
    cell = clean(cell)
    if len(cell) > MAX_REASON_CHARACTERS:
        message = f"the reason has {len(cell)} characters"
        raise wrong("too_large", message, f"keep it within {MAX_REASON_CHARACTERS}")
    return cell


def read_reviewer(cell: str) -> str:
    """A reviewer's name, tidied.

    Raises:
        DataError: there is none, it is too long, or it cannot be a name.
    """
    name = tidy_name(cell)
    if not name:
        raise wrong("no_reviewer", "nobody is named as the reviewer", "write who judged")
    if problem := id_problem(name, "reviewer"):
        raise wrong("bad_reviewer", problem.message.replace("an id", "a name"), "write a short name")
    return name


def read_time(cell: str, now: datetime | None) -> str:
    """When it was judged: ISO 8601, with the offset from UTC where one was written.

    Read are year-month-day, day.month.year, and day and month around slashes where they can be told apart, each with
    or without a time.

    Args:
        cell: the text.
        now: the current time in UTC, after which nobody can have judged; None to ask nothing of it.

    Raises:
        DataError: it is no date, can be read in two ways, or lies in the future.
    """
    hint = "write year-month-day, such as 2026-03-31 or 2026-03-31T14:05+02:00"
    text = cell.strip()
    if not text:
        raise wrong("no_time", "it is not said when", hint)
    moment, has_time = _moment(text, hint)
    if now is not None and moment > (now + _SLACK if moment.tzinfo else (now + _EARLIEST_ZONE).replace(tzinfo=None)):
        raise wrong("bad_time", f"{text[:80]!r} lies in the future", hint)
    return moment.isoformat(timespec="seconds") if has_time else moment.date().isoformat()


def _moment(text: str, hint: str) -> tuple[datetime, bool]:
    """A date or a date and time, and whether there is a time."""
    if found := _YEAR_FIRST.match(text):
        year, month, day, *clock = found.groups()
    elif found := _DOTTED.match(text):
        day, month, year, *clock = found.groups()
    elif found := _YEAR_LAST.match(text):
        month, day, year, *clock = found.groups()
        if int(month) <= _HOURS and int(day) <= _HOURS and int(month) != int(day):
            raise wrong("bad_time", f"{text!r} may be either of two days", hint)
        if int(month) > _HOURS:
            month, day = day, month
    else:
        raise wrong("bad_time", f"{text[:80]!r} is no date that can be read for certain", hint)
    try:
        moment = _at(datetime(int(year), int(month), int(day)), *clock)  # noqa: DTZ001 - the offset is kept as written
    except (ValueError, OverflowError):
        raise wrong("bad_time", f"there is no time {text[:80]!r}", hint) from None
    if int(year) < _FIRST_YEAR:
        raise wrong("bad_time", f"the year {year} is too long ago for a review", hint)
    return moment, clock[0] is not None


def _at(
    day: datetime, hour: str | None, minute: str | None, second: str | None, half: str | None, offset: str | None
) -> datetime:
    """A time of a day; raises ValueError where there is no such time."""
    hours = int(hour or 0)
    if half:
        if not 1 <= hours <= _HOURS:
            raise ValueError("no such hour")
        hours = hours % _HOURS + _HOURS * (half in "Pp")
    moment = day.replace(hour=hours, minute=int(minute or 0), second=int(second or 0))
    if not offset:
        return moment
    placed = datetime.fromisoformat(moment.isoformat() + offset.upper().replace("Z", "+00:00"))
    placed.astimezone(UTC)  # which has to be a time too
    return placed


def read_answer(cell: str, kind: AnswerKind) -> Any:
    """An answer as JSON; None for an empty cell.

    ``text:`` and ``json:`` before an answer say what it is. Without them it is read as its pair's kind says.

    Raises:
        DataError: it is not of its kind, too large, or nested too deep.
    """
    text = cell.strip()
    if not text:
        return None
    if text.startswith(_TEXT):
        return _bounded(cell.lstrip()[len(_TEXT) :])
    if text.startswith(_JSON):
        return _read_json(text[len(_JSON) :])
    if kind == "text":
        return _bounded(text)
    if kind == "boolean":
        if text.casefold() in _TRUTH:
            return _TRUTH[text.casefold()]
        raise wrong("bad_answer", f"{text[:80]!r} is no truth value", "write true or false, or text: before a text")
    if kind == "number":
        if _NUMBER.match(text):
            return _read_json(text.removeprefix("+"))
        hint = "write digits with a point before the decimals, as in 1234.5, or text: before a text"
        raise wrong("bad_answer", f"{text[:80]!r} is no number that can be read for certain", hint)
    return _read_json(text)


def checked_answer(value: Any) -> Any:
    """An answer that is JSON already.

    Raises:
        DataError: it is too large or nested too deep.
    """
    return None if value is None else _bounded(value)


def write_answer(answer: Any, kind: AnswerKind) -> str:
    """The cell from which :func:`read_answer` reads this answer."""
    if answer is None:
        return ""
    if isinstance(answer, str):
        plain = answer == answer.strip() and answer and not answer.startswith((_TEXT, _JSON))
        if any(ord(char) < ord(" ") or char == "\x7f" for char in answer):
            return _JSON + canonical_text(answer)
        return answer if kind == "text" and plain else _TEXT + answer
    encoded = canonical_text(answer)
    fits = {
        "json": True,
        "boolean": isinstance(answer, bool),
        "number": isinstance(answer, int | float) and not isinstance(answer, bool),
    }
    return encoded if fits.get(kind) else _JSON + encoded


def _read_json(text: str) -> Any:
    try:
        value = read_json(text)
    except DataError as error:
        hint = 'write JSON, such as 12.5, true, ["a","b"] or "a text", or text: before a text'
        raise wrong("bad_answer", f"{text[:80]!r} is not JSON: {error.problems[0].message}", hint) from None
    return _bounded(value)


def _bounded(value: Any) -> Any:
    encoded = canonical_bytes(value)
    if len(encoded) > MAX_ANSWER_BYTES:
        message = f"the answer has {len(encoded)} bytes"
        raise wrong("too_large", message, f"an answer has at most {MAX_ANSWER_BYTES}")
    if not within_part_depth(encoded):
        raise wrong("bad_answer", "the answer is nested too deep", "write a flatter one")
    return value
