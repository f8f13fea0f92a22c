"""Amounts as people write them: CLDR's number formats for thirty locales, with the digits that each locale uses."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from functools import cached_property
from typing import Final, Literal, TypeAlias

from babel.core import Locale
from babel.numbers import format_currency, format_decimal, get_currency_precision

from robust import Case
from robust.canon import unit_interval

Notation: TypeAlias = Literal["decimal", "currency", "accounting"]

LIMIT: Final = Decimal(1000)
# The currency of each locale's country. Together: six marks between groups, three decimal marks, two group sizes.
LOCALES: Final[dict[str, str]] = {
    "ar_EG": "EGP",
    "bn_BD": "BDT",
    "cs_CZ": "CZK",
    "da_DK": "DKK",
    "de_CH": "CHF",
    "de_DE": "EUR",
    "en_IN": "INR",
    "en_US": "USD",
    "en_ZA": "ZAR",
    "es_ES": "EUR",
    "et_EE": "EUR",
    "fa_IR": "IRR",
    "fi_FI": "EUR",
    "fr_FR": "EUR",
    "he_IL": "ILS",
    "hi_IN": "INR",
    "hu_HU": "HUF",
    "it_IT": "EUR",
    "ja_JP": "JPY",
    "ko_KR": "KRW",
    "nb_NO": "NOK",
    "nl_NL": "EUR",
    "pl_PL": "PLN",
    "pt_BR": "BRL",
    "ru_RU": "RUB",
    "sv_SE": "SEK",
    "th_TH": "THB",
    "tr_TR": "TRY",
    "uk_UA": "UAH",
    "zh_CN": "CNY",
}
ASCII_DIGITS: Final = "0123456789"
# The zero of each numbering system that these locales use besides the ASCII digits.
_ZEROS: Final = {"arab": "\u0660", "arabext": "\u06f0", "beng": "\u09e6", "deva": "\u0966", "thai": "\u0e50"}
# For every locale one amount from each range, with so many decimals: around the limit, and far from it.
_RANGES: Final[tuple[tuple[Notation, int, int, int], ...]] = (
    ("decimal", 990, 1000, 2),
    ("decimal", 1000, 1010, 2),
    ("currency", 1000, 1100, 2),
    ("decimal", 1, 10, 3),
    ("decimal", 1001, 10_000, 0),
    ("currency", 10_000, 1_000_000, 2),
    ("decimal", 1_000_000, 90_000_000, 2),
    ("decimal", -10_000, -1000, 2),
    ("currency", -10_000, -1, 2),
    ("accounting", -10_000, -1000, 2),
)
_BY_HAND: Final[tuple[tuple[str, str], ...]] = (("de_DE", "1.25"), ("en_US", "1000"), ("de_DE", "1000.01"))


@dataclass(frozen=True, kw_only=True)
class Amount:
    """One amount as one locale writes it: the real-world source of a source group."""

    name: str
    value: Decimal
    locale: str
    notation: Notation
    currency: str

    @cached_property
    def text(self) -> str:
        """The amount as its own locale writes it."""
        return write(self, self.value)

    def case(self) -> Case:
        """The base case. Its label is known, since the amount was there before its notation."""
        return Case(
            {"amount": self.text, "locale": self.locale},
            "yes" if self.value > LIMIT else "no",
            case_id=self.name,
            source_id=self.name,
            metadata={"locale": self.locale, "notation": self.notation},
        )


def native_system(locale: str) -> str:
    """The numbering system of a locale's own digits; ``latn`` where those are the ASCII digits."""
    native: str = Locale.parse(locale).other_numbering_systems.get("native", "latn")
    return native if native in _ZEROS else "latn"


def native_digits(locale: str) -> str:
    """The ten digits of a locale's own numbering system."""
    system = native_system(locale)
    return ASCII_DIGITS if system == "latn" else "".join(chr(ord(_ZEROS[system]) + value) for value in range(10))


def write(amount: Amount, value: Decimal, *, locale: str | None = None, system: str = "default") -> str:
    """Write a value in the notation of an amount, by the rules of a locale (the amount's own by default).

    Babel knows the marks of every numbering system but leaves the digits in ASCII, so they are replaced here.
    """
    place = Locale.parse(locale or amount.locale)
    if amount.notation == "decimal":
        text = format_decimal(value, locale=place, decimal_quantization=False, numbering_system=system)
    else:
        kind: Literal["standard", "accounting"] = "accounting" if amount.notation == "accounting" else "standard"
        text = format_currency(value, amount.currency, locale=place, format_type=kind, numbering_system=system)
    used = place.default_numbering_system if system == "default" else system
    return text if used == "latn" else text.translate(str.maketrans(ASCII_DIGITS, native_digits(str(place))))


def all_amounts() -> Iterator[Amount]:
    """Every amount of the example, always the same ones: drawn from SHA-256, not from a library's generator."""
    for locale, currency in LOCALES.items():
        for number, (notation, low, high, decimals) in enumerate(_RANGES, start=1):
            place = Decimal(str(unit_interval("examples/amounts", locale, number)))
            places = decimals if notation == "decimal" else min(decimals, get_currency_precision(currency))
            value = (low + (high - low) * place).quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP)
            name = f"{locale}-{number:02d}"
            yield Amount(name=name, value=value, locale=locale, notation=notation, currency=currency)
    for number, (locale, written) in enumerate(_BY_HAND, start=1):
        name = f"{locale}-by-hand-{number}"
        currency = LOCALES[locale]
        yield Amount(name=name, value=Decimal(written), locale=locale, notation="decimal", currency=currency)
