"""Two readers of totals, of different quality. Neither has a part in judging itself."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Final

_SIMPLE_AMOUNT: Final = re.compile(r"\b\d+\.\d{2}\b")
_AMOUNT: Final = re.compile(r"(?<![\d.,])(?:\d{1,3}(?:[.,]\d{3})+|\d+)[.,]\d{2}(?!\d|%)")
_ONLY_AMOUNT: Final = re.compile(r"\s*(?:[A-Z]{2,3}|[$£€])?\s*[\d.,]+\s*€?\s*")
_STRONG: Final = ("GRAND TOTAL", "AMOUNT DUE", "TO PAY", "INCL")
_NOT_THE_TOTAL: Final = ("SUB", "EXCL", "BEFORE", "SAVED", "TOTAL TAX")

Lines = list[str]
Reader = Callable[[Lines], float | None]


def hasty(lines: Lines) -> float | None:
    """The last number on the last line with "total" or "to pay" in it; else the largest number there is."""
    found = None
    for line in lines:
        if "total" in line.lower() or "to pay" in line.lower():
            numbers = _SIMPLE_AMOUNT.findall(line)
            found = float(numbers[-1]) if numbers else found
    every = [float(number) for line in lines for number in _SIMPLE_AMOUNT.findall(line)]
    return found if found is not None else max(every, default=None)


def careful(lines: Lines) -> float | None:
    """By the strongest cue: what is to be paid before what is called a total, and nothing that only sounds like one.

    The amount is on the line of the cue or is all of the next line, whatever its currency and its decimal sign. Where
    no cue has one, it is the last amount on the receipt.
    """
    best: tuple[int, float] | None = None
    for place, line in enumerate(lines):
        label = line.upper()
        strength = 2 if any(cue in label for cue in _STRONG) else int("TOTAL" in label)
        if not strength or any(word in label for word in _NOT_THE_TOTAL):
            continue
        amount = _at(lines, place)
        if amount is not None and (best is None or strength >= best[0]):
            best = strength, amount
    return best[1] if best is not None else next(_amounts(lines[::-1]), None)


READERS: Final[dict[str, Reader]] = {"hasty": hasty, "careful": careful}


def _at(lines: Lines, place: int) -> float | None:
    """The amount of a cue."""
    on_line = list(_amounts([lines[place]]))
    if on_line:
        return on_line[-1]
    return next(_amounts([line for line in lines[place + 1 : place + 2] if _ONLY_AMOUNT.fullmatch(line)]), None)


def _amounts(lines: Lines) -> Iterator[float]:
    for line in lines:
        for text in _AMOUNT.findall(line):
            yield float(re.sub(r"[.,]", "", text[:-3]) + "." + text[-2:])
