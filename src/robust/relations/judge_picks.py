"""What a judge picked: its answer read as one of the answers that it was shown, or refused."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Callable, Sequence
from numbers import Integral, Real
from typing import Any, Final, Literal, TypeAlias

from robust.canon import describe
from robust.errors import DataError, UsageError
from robust.relations.argument_words import shown_argument
from robust.relations.moved_items import item_key

PickStyle: TypeAlias = Literal["auto", "text", "letter", "index", "number", "scores"]
_STYLES: Final = ("auto", "text", "letter", "index", "number", "scores")
_LETTERS: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_LETTER: Final = re.compile(
    r"\W*(?:(?:final\s+)?(?:answer|option|choice|candidate|response|assistant|pick|winner|verdict)\W+(?:is\W+)?)?"
    r"([A-Za-z])\W*",
    re.IGNORECASE,
)
# What a judge says that prefers none.
TIE: Final = -1
_TIES: Final = ("tie", "draw")

Picker: TypeAlias = Callable[[Any, Sequence[Any]], int]


def picker(style: PickStyle | Callable[[Any, list[Any]], Any]) -> Picker:
    """What reads a judge's answer: it gives the number of the answer that was picked, from 0, or :data:`TIE`.

    Raises:
        UsageError: the style is not known.
    """
    if callable(style):
        return lambda result, answers: _checked(style(result, list(answers)), answers)
    if style not in _STYLES:
        hint = f"one of {', '.join(_STYLES)}, or a function of the judge's answer and the answers that gives a number"
        raise UsageError.of("bad_option", f"{style!r} is no way to pick", path="picks", hint=hint)
    return {
        "auto": _any_way,
        "text": lambda result, answers: _found(_by_text(result, answers), result, answers),
        "letter": lambda result, answers: _found(_by_letter(result, answers), result, answers),
        "index": lambda result, answers: _by_number(result, answers, 0),
        "number": lambda result, answers: _by_number(result, answers, 1),
        "scores": lambda result, answers: _found(_by_scores(result, answers), result, answers),
    }[style]


def _any_way(result: Any, answers: Sequence[Any]) -> int:
    """By the answer itself, by its letter, or by scores; a number alone would not say where it counts from.

    Raises:
        DataError: it is nothing of that, or two ways lead to two answers.
    """
    text, letter = _by_text(result, answers), _by_letter(result, answers)
    if text is not None and letter is not None and item_key(answers[text]) != item_key(answers[letter]):
        hint = 'give picks="text" or picks="letter"'
        raise _no_pick(f"{result!r} is an answer, and also the letter of another", hint)
    for found in (text, letter, _by_scores(result, answers)):
        if found is not None:
            return found
    return _found(None, result, answers)


def _found(place: int | None, result: Any, answers: Sequence[Any]) -> int:
    if place is not None:
        return place
    if isinstance(result, str) and result.strip(" .!").casefold() in _TIES:
        return TIE
    if isinstance(result, float) and math.isnan(result):
        raise _no_pick("the judge gave NaN")
    if isinstance(result, Integral) and not isinstance(result, bool):
        raise _no_pick(
            f"the judge gave the number {shown_argument(result)}",
            'give picks="index" (from 0) or picks="number" (from 1)',
        )
    shown = repr(result)[:80] if isinstance(result, str | float | bool) else describe(result)
    hint = "a judge gives one of the answers, its letter, a score for each, or 'tie'; else give picks="
    raise _no_pick(f"the judge gave {shown}, which is none of {len(answers)} answers", hint)


def _by_text(result: Any, answers: Sequence[Any]) -> int | None:
    if isinstance(result, str):
        wanted = _plain(result)
        return next(
            (place for place, each in enumerate(answers) if isinstance(each, str) and _plain(each) == wanted), None
        )
    if result is None or isinstance(result, float):
        return None
    key = item_key(result)
    return next((place for place, each in enumerate(answers) if item_key(each) == key), None)


def _by_letter(result: Any, answers: Sequence[Any]) -> int | None:
    found = _LETTER.fullmatch(result) if isinstance(result, str) and len(result) <= 200 else None
    if found is None:
        return None
    place = _LETTERS.index(found[1].upper())
    return place if place < len(answers) else None


def _by_number(result: Any, answers: Sequence[Any], start: int) -> int:
    if isinstance(result, str) and re.fullmatch(r"\s*\d{1,6}\s*", result):
        result = int(result)
    if isinstance(result, Integral) and not isinstance(result, bool) and 0 <= int(result) - start < len(answers):
        return int(result) - start
    if isinstance(result, str) and result.strip(" .!").casefold() in _TIES:
        return TIE
    shown = repr(result)[:80] if isinstance(result, str | Real) else describe(result)
    raise _no_pick(f"the judge gave {shown}, not a number from {start} to {len(answers) - 1 + start}")


def _by_scores(result: Any, answers: Sequence[Any]) -> int | None:
    """The answer with the highest score; a tie where several have it.

    Raises:
        DataError: a score is NaN, or there is not one for each answer.
    """
    scores = result.tolist() if hasattr(result, "tolist") and getattr(result, "ndim", 0) == 1 else result
    if not isinstance(scores, list | tuple) or not scores:
        return None
    if any(isinstance(score, bool) or not isinstance(score, Real) for score in scores):
        return None
    if len(scores) != len(answers):
        raise _no_pick(f"the judge gave {len(scores)} scores for {len(answers)} answers")
    if any(score != score for score in scores):  # integers may be larger than any floating point number
        raise _no_pick("a score is NaN")
    best = [place for place, score in enumerate(scores) if score == max(scores)]
    return best[0] if len(best) == 1 else TIE


def _checked(place: Any, answers: Sequence[Any]) -> int:
    if place is None:
        return TIE
    if not isinstance(place, Integral) or isinstance(place, bool) or not 0 <= int(place) < len(answers):
        hint = "the function gives the number of an answer, from 0, or None for a tie"
        raise _no_pick(f"picks= gave {repr(place)[:80]}", hint)
    return int(place)


def _plain(text: str) -> str:
    return unicodedata.normalize("NFC", text).strip()


def _no_pick(message: str, hint: str | None = None) -> DataError:
    return DataError.of("bad_pick", message, hint=hint)
