"""Receipts of invented shops, and, kept apart from them, what each one came to."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from robust import RandomStream

SEED: Final = 7
COUNT: Final = 400
WIDTH: Final = 34

_SHOPS: Final = ("CORNER SHOP", "HILL BAKERY", "TOTAL TOOLS", "GREEN GROCER", "STATION KIOSK", "THE LITTLE CAFE")
_STREETS: Final = ("12 High Street", "3 Mill Lane", "88 Harbour Road", "5 Market Square")
_GOODS: Final = (
    *(("Tea", 240), ("Coffee", 380), ("Bread", 325), ("Milk", 119), ("Nails 40 mm", 460), ("Hammer", 1890)),
    *(("Apples 1 kg", 299), ("Cheese", 715), ("Soup of the day", 590), ("Gift card", 2500), ("Paint, white", 3249)),
    *(("Batteries", 649), ("Newspaper", 210), ("Orange juice", 345), ("Light bulb", 420)),
)
_FOOTERS: Final = (
    "THANK YOU FOR YOUR VISIT",
    "GOODS SOLD ARE NOT RETURNABLE",
    "KEEP THIS SLIP FOR YOUR RECORDS",
    "SAVE 5.00 ON YOUR NEXT VISIT",
    "OPEN DAILY 8-20",
)


class Currency(NamedTuple):
    """How amounts are written: what stands before and behind, and the decimal sign."""

    before: str
    behind: str
    decimal: str

    def write(self, cents: int) -> str:
        """An amount, with thousands in groups."""
        whole = f"{abs(cents) // 100:,}"
        other = "," if self.decimal == "." else "."
        sign = "-" if cents < 0 else ""
        return f"{self.before}{sign}{whole.replace(',', other)}{self.decimal}{abs(cents) % 100:02}{self.behind}"


_CURRENCIES: Final = (
    Currency("", "", "."),
    Currency("", "", "."),
    Currency("$", "", "."),
    Currency("RM", "", "."),
    Currency("£", "", "."),
    Currency("", " €", ","),
    Currency("CHF ", "", "."),
)


@dataclass
class Receipt:
    """A receipt as a reader sees it."""

    name: str
    lines: list[str] = field(default_factory=list)


class Answer(NamedTuple):
    """What nobody sees before the audit: the total in cents, and how the receipt was laid out."""

    name: str
    cents: int
    layout: str


def receipts_and_answers(count: int = COUNT, seed: int = SEED) -> Iterator[tuple[Receipt, Answer]]:
    """Receipts with what they come to; the same ones for the same seed, everywhere."""
    for number in range(count):
        name = f"receipt-{number:03}"
        yield _receipt(name, RandomStream("examples/extraction", seed, number))


def _receipt(name: str, stream: RandomStream) -> tuple[Receipt, Answer]:
    currency = stream.choice(_CURRENCIES)
    goods = stream.sample(_GOODS, 1 + stream.below(6))
    bought = [(label, price, 1 + stream.below(3) if stream.below(4) == 0 else 1) for label, price in goods]
    subtotal = sum(price * times for _, price, times in bought)
    tax = subtotal * 6 // 100 if stream.below(2) else 0
    total = subtotal + tax
    layout = stream.choice(("one line", "one line", "one line", "next line", "columns"))
    receipt = Receipt(name, _header(stream))
    for label, price, times in bought:
        receipt.lines += _item(label, price, times, currency, split=layout == "next line" and stream.below(2) == 0)
    if stream.below(3) == 0:
        receipt.lines.append("-" * WIDTH)
    rows = [*_totals(subtotal, tax, total, stream), *_payment(total, stream)]
    receipt.lines += _scanned(_laid_out(rows, layout, currency), stream)
    receipt.lines += _end(subtotal, tax, currency, stream)
    return receipt, Answer(name, total, layout)


def _header(stream: RandomStream) -> list[str]:
    lines = [stream.choice(_SHOPS), stream.choice(_STREETS)]
    if stream.below(2):
        lines.append(f"TAX OFFICE NO {10**9 + stream.below(9 * 10**9)}")
    lines.append(
        f"{1 + stream.below(28):02}/{1 + stream.below(12):02}/2026 {8 + stream.below(12):02}:{stream.below(60):02}"
    )
    if stream.below(2):
        lines.append("")
    return lines


def _item(label: str, price: int, times: int, currency: Currency, *, split: bool) -> list[str]:
    if times > 1:
        return [
            label,
            f"  {times} x {currency.write(price)}".ljust(WIDTH - 10) + currency.write(price * times).rjust(10),
        ]
    return [label, currency.write(price).rjust(WIDTH)] if split else [_row(label, currency.write(price))]


def _totals(subtotal: int, tax: int, total: int, stream: RandomStream) -> Iterator[tuple[str, int]]:
    """The rows about the total, in one of the ways that shops have."""
    way = stream.below(6)
    if tax:
        yield stream.choice(("SUBTOTAL", "SUB-TOTAL", "TOTAL EXCL. TAX", "GOODS")), subtotal
        yield "TAX 6%", tax
    elif way == 0:
        yield "SUBTOTAL", subtotal
    yield stream.choice(("TOTAL", "TOTAL", "TOTAL INCL. TAX", "AMOUNT DUE", "GRAND TOTAL", "TO PAY")), total
    if way == 1:
        yield "TOTAL SAVED", 20 + 10 * stream.below(30)
    if way == 2:
        yield "TOTAL TAX", tax


def _payment(total: int, stream: RandomStream) -> Iterator[tuple[str, int]]:
    if stream.below(2):
        given = -(-(total + 1) // 1000) * 1000
        yield "CASH", given
        yield "CHANGE", given - total
    elif stream.below(2):
        yield stream.choice(("CARD", "VISA")), total


def _laid_out(rows: list[tuple[str, int]], layout: str, currency: Currency) -> list[str]:
    """Labels with amounts beside them, below them, or in a column of their own as scanners often read them."""
    amounts = [currency.write(cents) for _, cents in rows]
    labels = [label for label, _ in rows]
    if layout == "columns":
        return [*labels, *(amount.rjust(WIDTH) for amount in amounts)]
    if layout == "next line":
        return [line for label, amount in zip(labels, amounts, strict=True) for line in (label, amount.rjust(WIDTH))]
    return [_row(label, amount) for label, amount in zip(labels, amounts, strict=True)]


def _scanned(lines: list[str], stream: RandomStream) -> list[str]:
    """The lines as a scanner read them, which now and then takes an O for a zero or loses a decimal sign."""
    if stream.below(12) == 0:
        lines = [line.replace("TOTAL", "T0TAL") for line in lines]
    if stream.below(15) == 0:
        lines = [re.sub(r"(?<=\d)[.,](?=\d\d\b)", " ", line) if "T" in line else line for line in lines]
    return lines


def _end(subtotal: int, tax: int, currency: Currency, stream: RandomStream) -> list[str]:
    lines = [""] if stream.below(2) else []
    if tax and stream.below(3) == 0:
        lines += ["TAX SUMMARY", _row("TOTAL BEFORE TAX", currency.write(subtotal)), ""]
    return [*lines, *stream.sample(_FOOTERS, 1 + stream.below(2))]


def _row(label: str, amount: str) -> str:
    return label + amount.rjust(max(WIDTH - len(label), len(amount) + 2))
