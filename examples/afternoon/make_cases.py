"""Writes ``cases.csv``, 200 invented requests for a refund, and ``later.csv``, 20 more of a month later."""

from __future__ import annotations

import csv
from itertools import product
from pathlib import Path

LIMIT = 1000
SENTENCES = (
    "Please refund {amount} euros for order {order}.",
    "Order {order} never arrived, I want my {amount} euros back.",
    "The invoice of order {order} says {amount} euros, but the parcel was empty.",
    "You charged {amount} euros twice, see order {order}.",
    "I was promised {amount} euros; order {order} came broken.",
    "My bank shows {amount} euros for order {order}, which I cancelled in time.",
    "Half of order {order} is missing, that makes {amount} euros.",
    "We return all goods of order {order} and ask for {amount} euros.",
    "For order {order} the agreed price was lower by {amount} euros.",
    "The deposit of {amount} euros on order {order} is due to us.",
)
AMOUNTS = (
    *("18.50", "24", "75.99", "120", "310.40", "499", "640.25", "812", "905.10", "999.99"),
    *("1,001", "1,049.50", "1,250", "1,480.75", "1,999", "2,310.20", "3,400", "5,125.60", "8,800", "12,750.30"),
)
LATER = ("49.90", "1,020")


def rows(amounts: tuple[str, ...], first: int) -> list[tuple[str, str, str]]:
    """Id, text and label of every sentence with every amount."""
    made = []
    for number, (amount, sentence) in enumerate(product(amounts, SENTENCES), start=first):
        text = sentence.format(amount=amount, order=70000 + 37 * number)
        made.append((f"request_{number:03}", text, "yes" if float(amount.replace(",", "")) > LIMIT else "no"))
    return made


def write(path: Path, made: list[tuple[str, str, str]]) -> None:
    """Write a data set."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(("id", "input", "expected"))
        writer.writerows(made)


if __name__ == "__main__":
    here = Path(__file__).parent
    write(here / "cases.csv", rows(AMOUNTS, 1))
    write(here / "later.csv", rows(LATER, 1 + len(AMOUNTS) * len(SENTENCES)))
