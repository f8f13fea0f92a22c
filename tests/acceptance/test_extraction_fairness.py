"""The pack for receipts, audited: no correct reader fails it on receipts of many layouts, and broken ones do."""

from __future__ import annotations

import importlib.util
import re
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from robust import Relation, audit_relation, default_pack

EXAMPLE = Path(__file__).parent.parent.parent / "examples" / "extraction" / "extraction_receipts.py"
TOTALS = ("TOTAL", "TOTAL INCL. TAX", "AMOUNT DUE", "GRAND TOTAL", "TO PAY")
OTHERS = ("SUBTOTAL", "SUB-TOTAL", "TOTAL EXCL. TAX", "GOODS", "TAX 6%", "TOTAL SAVED", "TOTAL TAX", "CASH", "CHANGE")
LABELS = (*TOTALS, *OTHERS, "CARD", "VISA")
AMOUNT = re.compile(r"(\d{1,3}(?:[.,]\d{3})*)[.,](\d{2})(?!\d)")
Lines = list[str]


def receipts_module() -> ModuleType:
    """The generator of the example, which knows what each receipt comes to."""
    spec = importlib.util.spec_from_file_location("extraction_receipts_for_tests", EXAMPLE)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def label_of(line: str) -> str:
    """What stands on a line beside its amount."""
    return re.sub(r"\s+(?:[$£]|RM|CHF )?\d[\d.,]*(?: €)?$", "", line).replace("0", "O").strip()


def amount_of(line: str) -> int | None:
    found = AMOUNT.findall(line)
    return int(re.sub(r"\D", "", "".join(found[-1]))) if found else None


def is_bare(line: str) -> bool:
    return AMOUNT.search(line) is not None and not re.search(r"[A-Z]", re.sub("RM|CHF", "", line.upper()))


def by_columns(lines: Lines) -> int | None:
    """The cue's own line; else as many amounts below its run of labels as labels stand before it in the run."""
    for place, line in enumerate(lines):
        if label_of(line) in TOTALS:
            if (amount := amount_of(line)) is not None:
                return amount
            first = place
            while first > 0 and label_of(lines[first - 1]) in LABELS and amount_of(lines[first - 1]) is None:
                first -= 1
            below = [each for each in lines[place:] if is_bare(each)]
            return amount_of(below[place - first]) if place - first < len(below) else None
    return None


def by_looking_ahead(lines: Lines) -> int | None:
    """The cue's own line; else the first amount on one of the three lines behind it."""
    for place, line in enumerate(lines):
        if label_of(line) in TOTALS or (line.startswith("TOTAL") and label_of(line) not in LABELS):
            for each in lines[place : place + 4]:
                if label_of(line) in TOTALS and (amount := amount_of(each)) is not None:
                    return amount
    return None


def by_largest_cue(lines: Lines) -> int | None:
    """The largest amount of any cue of a total, on its line or the next."""
    found = []
    for place, line in enumerate(lines):
        if "TOTAL" in label_of(line) or label_of(line) in TOTALS:
            near = [amount_of(each) for each in lines[place : place + 2] if each is line or is_bare(each)]
            found += [amount for amount in near if amount is not None][:1]
    return max(found, default=None)


CORRECT = [by_columns, by_looking_ahead, by_largest_cue]


def last_amount(lines: Lines) -> int | None:
    return next((amount for line in lines[::-1] if (amount := amount_of(line)) is not None), None)


def only_on_the_cues_line(lines: Lines) -> int | None:
    return next((amount_of(line) for line in lines if label_of(line) in TOTALS), None)


def without_currency(lines: Lines) -> int | None:
    plain = [line for line in lines if not re.search(r"RM|CHF|[$£€]", line)]
    return by_columns(plain)


def up_to_the_last_line(lines: Lines) -> int | None:
    return by_columns(lines) if lines[-1].isupper() and "SAVE" not in lines[-1] else None


BROKEN = {
    "total_reorder_invariant": last_amount,
    "total_footer_invariant": up_to_the_last_line,
    "total_currency_invariant": without_currency,
    "total_join_invariant": only_on_the_cues_line,
}


@pytest.fixture(scope="module")
def receipts() -> list[tuple[Lines, int]]:
    module: Any = receipts_module()
    return [(receipt.lines, answer.cents) for receipt, answer in module.receipts_and_answers(250, seed=11)]


@pytest.mark.parametrize("relation", default_pack(), ids=lambda relation: relation.name)
@pytest.mark.parametrize("reader", CORRECT)
def test_no_reader_that_is_right_about_a_receipt_fails_the_pack(
    receipts: list[tuple[Lines, int]], relation: Relation, reader: Any
) -> None:
    """Whatever it goes by: columns, lines behind a cue, or the largest total. And a broken reader is killed."""
    right = [lines for lines, cents in receipts if reader(lines) == cents]
    assert len(right) > 90
    broken = BROKEN[relation.name]
    audit = audit_relation(relation, [reader], [broken], right, samples=6, deterministic_system=True)
    assert audit.failing.hits == 0, audit.summary()
    assert audit.failing.cases > 40
    assert audit.killed == (broken.__name__,)
    assert audit.verdict == "fair"
