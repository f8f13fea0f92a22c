"""The oracle: reads both amounts exactly, each by the rules of its own locale, and recomputes both answers."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from typing import ClassVar

from babel.core import Locale, UnknownLocaleError
from babel.numbers import get_decimal_symbol, get_group_symbol, parse_decimal

from robust import Case, OracleVerdict


class UnreadableError(Exception):
    """The rules of the locale do not cover a notation; the message says why."""


@dataclass(frozen=True, slots=True)
class Reading:
    """An amount that was read, and the rules that it was read by."""

    amount: Decimal
    currency: str | None
    rules: dict[str, str]

    def to_json(self) -> dict[str, str | None]:
        """The reading as evidence."""
        return {"amount": str(self.amount), "currency": self.currency, **self.rules}


class DecimalAmountOracle:
    """Judges by decimal arithmetic on what is written, whatever labels, tested systems and edits say.

    Everything that decides is a method of this class: a validation records the digest of the class's source, so that
    a changed rule shows. Babel supplies the marks and the last conversion. ``parse_decimal`` alone would not do, even
    with ``strict=True``: it reads NaN, 1e3 and 1_000 as numbers, a dot in French as a decimal mark, and digits of any
    script; and it refuses 1'234'567 in de_CH.
    """

    name: ClassVar = "decimal-amount"
    version: ClassVar = "1"
    limit: ClassVar = Decimal(1000)
    # What people type for a space that groups digits, and what Unicode puts around numbers in right-to-left text.
    spaces: ClassVar = " \u00a0\u202f\u2009"
    direction_marks: ClassVar = dict.fromkeys(map(ord, "\u200e\u200f\u061c"))
    # Where the digits of the numbering systems begin that these rules cover besides the ASCII digits.
    zeros: ClassVar = {"arab": "\u0660", "arabext": "\u06f0", "beng": "\u09e6", "deva": "\u0966", "thai": "\u0e50"}

    def __call__(self, base: Case, candidate: Case) -> OracleVerdict:
        """Judge one candidate."""
        evidence: dict[str, object] = {"limit": str(self.limit)}
        readings: list[Reading] = []
        for name, case in (("base", base), ("candidate", candidate)):
            try:
                readings.append(self.read(case.input))
                evidence[name] = readings[-1].to_json()
            except UnreadableError as problem:
                evidence[name] = {"unreadable": str(problem)}
                return OracleVerdict(None, f"the {name} cannot be read: {problem}", evidence=evidence)
        before, after = readings
        answers = ["yes" if reading.amount > self.limit else "no" for reading in readings]
        relation = candidate.origin.relation if candidate.origin else None
        valid: bool | None
        if before.currency != after.currency:
            valid, reason = False, f"the currency changed from {before.currency} to {after.currency}"
        elif relation == "invariant":
            valid = before.amount == after.amount
            reason = f"{before.amount} and {after.amount} are {'equal' if valid else 'different amounts'}"
        elif relation != "counterfactual":
            valid, reason = None, f"this oracle has no rule for the relation {relation}"
        else:
            valid = answers[0] != answers[1]
            moved = f"the answer moves from {answers[0]} to {answers[1]}" if valid else f"the answer stays {answers[0]}"
            reason = f"from {before.amount} to {after.amount} {moved}"
        return OracleVerdict(valid, reason, base_expected=answers[0], variant_expected=answers[1], evidence=evidence)

    @classmethod
    def read(cls, shown: object) -> Reading:
        """Read ``{"amount": text, "locale": name}``.

        Raises:
            UnreadableError: the text is no amount by the rules of the locale, or has no single meaning.
        """
        if not isinstance(shown, dict) or not all(isinstance(shown.get(key), str) for key in ("amount", "locale")):
            raise UnreadableError("an amount and a locale are needed")
        try:
            locale = Locale.parse(shown["locale"])
        except (UnknownLocaleError, ValueError):
            raise UnreadableError(f"CLDR does not know the locale {shown['locale']!r}") from None
        number, negative, currency = cls.peel(shown["amount"].translate(cls.direction_marks), locale)
        digits, system = cls.ascii_digits(number, locale)
        grouping = get_group_symbol(locale, numbering_system=system)
        decimal = get_decimal_symbol(locale, numbering_system=system)
        plain = cls.without_grouping(digits, grouping, decimal, locale)
        # By now ASCII digits and at most the locale's decimal mark: nothing is left to be lenient about.
        amount = parse_decimal(plain, locale, strict=True, numbering_system=system)
        rules = {"locale": str(locale), "numbering_system": system, "grouping": grouping, "decimal": decimal}
        # Not ``-amount``, which rounds to the 28 digits of the context.
        return Reading(amount.copy_negate() if negative else amount, currency, rules)

    @classmethod
    def peel(cls, text: str, locale: Locale) -> tuple[str, bool, str | None]:
        """Take sign, brackets and currency, each at most once, from around the number."""
        symbols = cls.currencies(locale)
        rest = text.strip(cls.spaces)
        bracketed, negative, currency = rest.startswith("("), False, None
        while True:
            symbol = next((sign for sign in symbols if rest.startswith(sign) or rest.endswith(sign)), None)
            if not negative and rest[:1] in ("-", "\u2212"):
                negative, rest = True, rest[1:]
            elif not negative and rest[:1] == "(" and rest[-1:] == ")":
                negative, rest = True, rest[1:-1]
            elif currency is None and symbol is not None:
                currency = symbols[symbol]
                rest = rest.removeprefix(symbol) if rest.startswith(symbol) else rest.removesuffix(symbol)
            else:
                break
            rest = rest.strip(cls.spaces)
        if bracketed and currency is None:
            raise UnreadableError("brackets mean a negative amount only where a currency is written")
        return rest, negative, currency

    @classmethod
    @cache
    def currencies(cls, locale: Locale) -> dict[str, str]:
        """Currency codes by how the locale writes them, longest first, so that ``kr.`` is not taken for ``kr``."""
        written = sorted(locale.currency_symbols.items())
        symbols = {symbol.translate(cls.direction_marks): code for code, symbol in written}
        symbols |= {code: code for code in locale.currencies}
        return {symbol: symbols[symbol] for symbol in sorted(symbols, key=lambda item: (-len(item), item))}

    @classmethod
    def ascii_digits(cls, number: str, locale: Locale) -> tuple[str, str]:
        """The number in ASCII digits, and the one numbering system in which it was written."""
        begins = {chr(ord(char) - unicodedata.decimal(char)) for char in number if char.isdecimal()}
        native = locale.other_numbering_systems.get("native", "latn")
        if not begins:
            raise UnreadableError("it has no digit, or something that is neither sign nor currency stands around it")
        if len(begins) > 1:
            raise UnreadableError("it mixes the digits of several scripts")
        if begins == {"0"}:
            return number, "latn"
        if begins != {cls.zeros.get(native)}:
            raise UnreadableError(f"these are not the digits of {locale}")
        return "".join(str(unicodedata.decimal(char)) if char.isdecimal() else char for char in number), native

    @classmethod
    def without_grouping(cls, number: str, grouping: str, decimal: str, locale: Locale) -> str:
        """The number without its grouping marks, if every mark stands where the locale puts it."""
        if grouping in cls.spaces:
            number = re.sub(f"[{cls.spaces}]", grouping, number)
        last, others = locale.decimal_formats[None].grouping
        group, mark = re.escape(grouping), re.escape(decimal)
        grouped = rf"[1-9]\d{{0,{others - 1}}}({group}\d{{{others}}})*{group}\d{{{last}}}"
        if not re.fullmatch(rf"(0|[1-9]\d*|{grouped})({mark}\d+)?", number, re.ASCII):
            raise UnreadableError(f"{number!r} is no number of {locale} (grouping {grouping!r}, decimal {decimal!r})")
        return number.replace(grouping, "")
