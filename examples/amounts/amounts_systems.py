"""The systems under test: two parsers that do not know the locale. Neither has a part in judging a candidate."""

from __future__ import annotations

import re
from collections.abc import Callable
from decimal import Decimal
from importlib.metadata import version
from typing import Final

from price_parser import Price

from amounts_data import LIMIT
from robust import CallableBackend, DecisionRequest

# What each system says of an amount that it could read; and of one that it could not, which it sends to a person
# rather than refuse, without much confidence. Below the contract's confidence threshold this shows as lost coverage.
SURE: Final = (0.98, 0.02)
UNREADABLE: Final = (0.6, 0.4)


def price_parser_amount(text: str) -> Decimal | None:
    """What the published ``price-parser`` reads, called as its documentation does: with the text alone."""
    amount: Decimal | None = Price.fromstring(text).amount
    return amount


def naive_amount(text: str) -> Decimal | None:
    """What a quickly written parser reads: digits, dots and commas count, and the last mark is the decimal one."""
    kept = re.sub(r"[^\d.,]", "", text)
    last = max(kept.rfind("."), kept.rfind(","))
    whole, fraction = (kept, "") if last < 0 else (kept[:last], kept[last + 1 :])
    digits = re.sub(r"[.,]", "", whole)
    return Decimal(f"{digits or 0}.{fraction or 0}") if digits or fraction else None


def make_backend(parser: Callable[[str], Decimal | None], *, model: str, model_version: str) -> CallableBackend:
    """A backend that decides by what a parser reads."""

    def decide(request: DecisionRequest) -> dict[str, float]:
        text = request.input if isinstance(request.input, str) else str(request.input["amount"])
        amount = parser(text)
        if amount is None:
            return dict(zip(request.decision.labels, UNREADABLE, strict=True))
        return dict(zip(request.decision.labels, SURE if amount > LIMIT else SURE[::-1], strict=True))

    details = {"limit": str(LIMIT), "confidence": SURE[0], "confidence_when_unreadable": UNREADABLE[0]}
    return CallableBackend(decide, name=model, model=model, version=model_version, details=details)


def systems() -> dict[str, CallableBackend]:
    """The systems under test by name."""
    return {
        "price-parser": make_backend(price_parser_amount, model="price-parser", model_version=version("price-parser")),
        "naive-parser": make_backend(naive_amount, model="naive-parser", model_version="1"),
    }
