"""The text that text properties edit: the input itself, or one field of an object."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

from robust.transforms.candidate import Shown, StepError

# Where a sentence ends: its mark with whatever closes it, and then space; a mark that needs no space behind it; or an
# empty line. A single line break may stand within a sentence.
_ENDING: Final = re.compile(r"(?:[.!?…]+[\"'”’»)\]]*[ \t\r\n]+|[。！？]+[」』”]*|\n[ \t\r]*\n[ \t\r\n]*)")
# Points that end no sentence.
_ABBREVIATIONS: Final = frozenset(
    (
        *("mr", "mrs", "ms", "dr", "prof", "st", "jr", "sr", "hon", "rev", "gen", "col", "sgt", "capt", "mme", "mlle"),
        *(
            "no",
            "nr",
            "vs",
            "etc",
            "e.g",
            "i.e",
            "fig",
            "approx",
            "dept",
            "inc",
            "ltd",
            "co",
            "vol",
            "pp",
            "art",
            "sec",
        ),
        *("z.b", "d.h", "u.a", "bzw", "usw", "ca", "eq", "al", "kl", "hr", "fr", "tel", "str", "bl", "osv", "resp"),
        *("jan", "feb", "mar", "apr", "jun", "jul", "aug", "sep", "sept", "oct", "nov", "dec"),
    )
)
_LAST_WORD: Final = re.compile(r"([\w.]+)\.+[\"'”’»)\]]*\s*\Z")
_OPENING: Final = "“«„「『("
_CLOSING: Final = "”»」』)"
_ENCLOSING: Final = re.compile(f'["{re.escape(_OPENING + _CLOSING)}]')


def text_of(shown: Shown, field: str | None) -> str | None:
    """The text to edit; None where there is none."""
    if isinstance(shown, str):
        return shown
    text = None if field is None else shown.get(field)
    return text if isinstance(text, str) else None


def with_text(shown: Shown, field: str | None, text: str) -> Shown:
    """The input with another text in the place of the one that :func:`text_of` gave.

    Raises:
        StepError: it has no text.
    """
    if isinstance(shown, str):
        return text
    if field is None or not isinstance(shown.get(field), str):
        raise StepError("the input has no text")
    return {**shown, field: text}


def required_text(shown: Shown, field: str | None) -> str:
    """The text to edit.

    Raises:
        StepError: there is none.
    """
    text = text_of(shown, field)
    if text is None:
        raise StepError("the input has no text")
    return text


def sentence_boundaries(text: str) -> list[int]:
    """Where a sentence can be put: the start, before each further sentence, and the end; offsets in characters.

    Points of abbreviations and initials, places before a small letter, and places within quotation marks or brackets
    are none: a sentence there would break another one apart.
    """
    start = len(text) - len(text.lstrip())
    places = [start, *(place for place in _between(text) if start < place < len(text.rstrip()))]
    return [*places, len(text)]


def _between(text: str) -> Iterator[int]:
    depth, straight, seen = 0, False, 0
    for match in _ENDING.finditer(text):
        for mark in _ENCLOSING.findall(text, seen, match.end()):
            if mark == '"':
                straight = not straight
            elif mark in _OPENING:
                depth += 1
            else:
                depth = max(0, depth - 1)
        seen = match.end()
        if depth or straight or text[seen : seen + 1].islower() or text[seen : seen + 1].isspace():
            continue
        if not _ends_with_abbreviation(text[max(0, match.start() - 24) : match.end()]):
            yield seen


def _ends_with_abbreviation(before: str) -> bool:
    last = _LAST_WORD.search(before)
    if last is None:
        return False
    word = last.group(1).casefold()
    return word in _ABBREVIATIONS or (len(word) == 1 and word.isalpha())


def integer_at(step: dict[str, Any], name: str, limit: int) -> int:
    """An offset of a step.

    Raises:
        StepError: it is no integer from 0 to the limit.
    """
    value = step.get(name)
    if type(value) is not int or not 0 <= value <= limit:
        raise StepError(f"{name} must be an integer from 0 to {limit}, not {value!r}")
    return value


def text_at(step: dict[str, Any], name: str) -> str:
    """A text of a step.

    Raises:
        StepError: it is no text.
    """
    value = step.get(name)
    if type(value) is not str:
        raise StepError(f"{name} must be text, not {value!r}")
    return value
