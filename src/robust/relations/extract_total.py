"""A demonstration: reads the total off a receipt by its cues. It is something to check, not something to trust."""

from __future__ import annotations

import re
from typing import Any, Final

from robust.errors import DataError
from robust.relations.receipt_lines import AMOUNT, lines_of
from robust.relations.relation import NotApplicable

_AMOUNT: Final = re.compile(rf"-?(?:{AMOUNT})")
_ONLY_AMOUNT: Final = re.compile(r"[^\w]*(?:[A-Z]{1,3}[^\w]*)?" + AMOUNT + r"[^\w]*(?:[A-Z]{1,3})?[^\w]*")
# What is to be paid, and what is called a total; of both the first counts.
_PAYABLE: Final = re.compile(
    r"\b(?:grand total|net total|amount due|balance due|total due|to pay|total payable)\b", re.IGNORECASE
)
_TOTAL: Final = re.compile(r"\btotal\b", re.IGNORECASE)
_NO_TOTAL: Final = re.compile(
    r"\bsub[- ]?total\b|\b(?:qty|quantity|items?|points?|saved|savings?|discounts?|tax|gst|vat|excl\w*|before)\b",
    re.IGNORECASE,
)


def extract_total(receipt: Any) -> float | None:
    """The total of a receipt, by its cues: *grand total* and the like before *total*, the largest of equals.

    A demonstration for trying relations on. It knows English cues and amounts with two decimals, and misses much.

    Args:
        receipt: a text, a list of lines, or a dict with ``lines``.

    Returns:
        None where no cue has an amount on its line or on the next.

    Raises:
        DataError: it is nothing of that.
    """
    try:
        lines = lines_of(receipt).lines
    except NotApplicable as error:
        raise DataError.of("no_receipt", f"not a receipt: {error.reason}", hint="give lines of text") from None
    found: dict[bool, list[float]] = {True: [], False: []}
    for place, line in enumerate(lines):
        payable = _PAYABLE.search(line) is not None
        if payable or (_TOTAL.search(line) and not _NO_TOTAL.search(line)):
            amount = _amount(lines, place)
            if amount is not None:
                found[payable].append(amount)
    amounts = found[True] or found[False]
    return max(amounts) if amounts else None


def _amount(lines: list[str], place: int) -> float | None:
    """The last amount of a line, or the one that is all of the next line."""
    on_line = _AMOUNT.findall(lines[place])
    if on_line:
        return read_amount(on_line[-1])
    below = lines[place + 1] if place + 1 < len(lines) else ""
    return read_amount(_AMOUNT.findall(below)[0]) if _ONLY_AMOUNT.fullmatch(below) else None


def read_amount(text: str) -> float:
    """An amount with two decimals, or none, as a number: ``1,234.50``, ``1.234,50`` and ``12,50`` alike."""
    whole, decimals = (text[:-3], text[-2:]) if text[-3:-2] in ".," else (text, "0")
    return float(re.sub(r"[^\d-]", "", whole) + "." + decimals)
