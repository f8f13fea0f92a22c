"""Relations for whatever reads a total off a receipt."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

import pytest

from robust import (
    default_pack,
    extract_total,
    inject_footer,
    join_amount_lines,
    normalize_currency,
    reorder_lines,
    total_currency_invariant,
    total_footer_invariant,
    total_join_invariant,
    total_reorder_invariant,
)
from robust.errors import DataError, UsageError
from robust.relations.receipt_blocks import blocks_of
from robust.relations.receipt_edits import FOOTER
from robust.relations.receipt_lines import cue_pattern
from robust.relations.relation import NotApplicable, Relation

RECEIPT = """CORNER SHOP
TAX OFFICE NO: 000123456789
TEL 03-1234 5678
Milk        5.00
Bread       2.50
SUBTOTAL    7.50
TOTAL     RM7.50
CASH       10.00
CHANGE      2.50
THANK YOU"""


def blocks(text: str) -> list[list[str]]:
    return blocks_of(text.split("\n"), cue_pattern()).blocks


def variants(relation: Relation, given: Any, samples: int = 60) -> list[Any]:
    return [relation.variant(given, sample) for sample in range(samples)]


def test_a_receipt_has_a_header_items_totals_and_a_footer() -> None:
    """The number of a tax office is no tax."""
    lines = RECEIPT.split("\n")
    assert blocks(RECEIPT) == [lines[:3], lines[3:5], lines[5:9], lines[9:]]


def test_whole_blocks_change_places_and_all_orders_come() -> None:
    """But the one that they have."""
    lines = RECEIPT.split("\n")
    found = {tuple(each) for each in variants(total_reorder_invariant(), lines, 300)}
    assert len(found) == 23
    assert tuple(lines) not in found
    assert all(Counter(each) == Counter(lines) for each in found)


@pytest.mark.parametrize(
    ("text", "together"),
    [
        ("Shop\nTea 2.00\nTOTAL\n2.00\nBye", ["TOTAL\n2.00"]),
        ("Shop\nTea\n2.00\nTOTAL\n\n2.00\n\nBye\nNow", ["Tea\n2.00", "TOTAL\n\n2.00"]),
        ("Shop\nTea 2.00\nSUBTOTAL\nTAX\nTOTAL\n2.00\n0.20\n2.20\nBye", ["SUBTOTAL\nTAX\nTOTAL\n2.00\n0.20\n2.20"]),
        ("TOTAL TOOLS\nHigh Street\nTea 2.00\nTOTAL 2.00\nBye", ["TOTAL TOOLS\nHigh Street\nTea 2.00"]),
        ("Shop\n2 x 1.00 2.00\nTOTAL 2.00\n-----\n2.00\nBye", ["Shop\n2 x 1.00 2.00", "TOTAL 2.00\n-----\n2.00"]),
        ("Shop\nTea 2.00\nGESAMTBETRAG 2.00\nEC-KARTE 2.00\n\nDanke", ["GESAMTBETRAG 2.00\nEC-KARTE 2.00"]),
        ("Shop\nTea 2,00 €\nTOTAL (tax incl.)\nto pay\n2,00 €\nBye", ["TOTAL (tax incl.)\nto pay\n2,00 €"]),
        ("Shop\nTea 2.00\nGOODS\nTAX\nTOTAL\n2.00\n0.20\n2.20\nBye", ["GOODS\nTAX\nTOTAL\n2.00\n0.20\n2.20"]),
        ("店\n茶 200.00\n合計\n200.00\nまた", ["合計\n200.00"]),
    ],
)
def test_what_belongs_together_is_never_parted(text: str, together: list[str]) -> None:
    """A cue and its amount, above all."""
    for variant in variants(total_reorder_invariant(), text):
        assert all(piece in variant for piece in together)
        assert Counter(variant.split("\n")) == Counter(text.split("\n"))


def test_a_cue_without_amount_never_gets_another_line_behind_it() -> None:
    """The last lines stay last where one is among them, the first where it is a number alone."""
    for variant in variants(total_reorder_invariant(), "Shop\nTea 2.00\nTOTAL 2.00\n\nNo cash refund"):
        assert variant.endswith("\nNo cash refund")
    for variant in variants(total_reorder_invariant(), "12.50\nTea 2.00\nTOTAL 2.00\nBye"):
        assert variant.startswith("12.50\n")


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ("Shop\nTea 2.00", "give cues= or blocks="),
        ("TOTAL 2.00", "blocks that could change places: 1"),
        ("2.00\nTOTAL\n3.00\nCASH", "change places"),
        ("", "there are no lines"),
        ([], "there are no lines"),
        ({"lines": []}, "there are no lines"),
        ({"lines": 3}, "neither text nor lines"),
        ({"rows": ["a"]}, "neither text nor lines"),
        ([1, 2], "neither text nor lines"),
        (None, "neither text nor lines"),
        (["a"] * 10_001, "no receipt"),
    ],
)
def test_what_cannot_be_reordered_fairly_is_skipped(given: Any, reason: str) -> None:
    """With the reason."""
    with pytest.raises(NotApplicable, match=re.escape(reason)):
        total_reorder_invariant().variant(given)


def test_more_cues_and_own_blocks_reach_receipts_that_are_not_recognised() -> None:
    """A splitter that loses a line is an error."""
    text = "Pood\nTee 2.00\nLÕPPSUMMA 2.00\nAitäh"
    assert len(set(variants(total_reorder_invariant(cues=["lõppsumma"]), text, 300))) == 23
    halves = total_reorder_invariant(blocks=lambda lines: [lines[:2], lines[2:]])
    assert halves.variant(text) == "LÕPPSUMMA 2.00\nAitäh\nPood\nTee 2.00"
    with pytest.raises(DataError, match="loses, adds or moves lines"):
        total_reorder_invariant(blocks=lambda lines: [lines[1:], lines[:1]]).variant(text)
    with pytest.raises(NotApplicable, match="change places: 1"):
        total_reorder_invariant(blocks=lambda lines: [lines]).variant(text)
    with pytest.raises(UsageError, match="must be a function"):
        total_reorder_invariant(blocks=[1])  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="cues"):
        total_reorder_invariant(cues=[""])


def test_texts_lists_and_dicts_stay_what_they_are() -> None:
    """With their line ends, their other keys, and at a field."""
    text = "Shop\r\nTOTAL 2.00\r\n"
    assert total_reorder_invariant().variant(text) == "TOTAL 2.00\r\nShop\r\n"
    assert total_reorder_invariant().variant(("Shop", "TOTAL 2.00")) == ("TOTAL 2.00", "Shop")
    given = {"lines": ["Shop", "TOTAL 2.00"], "id": 7}
    assert total_reorder_invariant().variant(given) == {"lines": ["TOTAL 2.00", "Shop"], "id": 7}
    assert total_reorder_invariant("text").variant({"text": text}) == {"text": "TOTAL 2.00\r\nShop\r\n"}


def test_a_reordering_shrinks_to_two_blocks_that_change_places() -> None:
    """Whole blocks still."""
    relation = total_reorder_invariant()
    lines = RECEIPT.split("\n")
    header, items, totals, footer = lines[:3], lines[3:5], lines[5:9], lines[9:]
    assert relation.shrink is not None
    simpler = list(relation.shrink(lines, [*footer, *header, *items, *totals]))
    assert simpler[0] == [*footer, *items, *totals, *header]
    assert list(relation.shrink(lines, ["other"])) == []


def test_a_footer_is_irrelevant_and_stands_behind() -> None:
    """One to three lines, in drawn order; it shrinks to one."""
    found = variants(total_footer_invariant(), RECEIPT)
    added = [each.removeprefix(RECEIPT).strip("\n").split("\n") for each in found]
    assert {len(each) for each in added} == {1, 2, 3}
    assert {line for each in added for line in each} == set(FOOTER)
    relation = total_footer_invariant(text="GOOD BYE")
    assert relation.deterministic
    assert relation.variant(["a"]) == ["a", "GOOD BYE"]
    shrink = total_footer_invariant().shrink
    assert shrink is not None
    assert list(shrink(["a"], ["a", "b", "c"])) == [["a", "b"], ["a", "c"]]


@pytest.mark.parametrize("text", ["TOTAL 5.00", "No cash refunds", "two\nlines", "", " ", [], 3])
def test_a_footer_that_reads_like_part_of_the_receipt_is_refused(text: Any) -> None:
    """No reader could tell it from a total."""
    with pytest.raises(UsageError, match="text"):
        inject_footer(text)


@pytest.mark.parametrize(
    ("line", "plain"),
    [
        ("TOTAL RM7.50", "TOTAL 7.50"),
        ("TOTAL  $ 1,234.50", "TOTAL  1,234.50"),
        ("TOTAL -$5.00", "TOTAL -5.00"),
        ("TOTAL ($5.00)", "TOTAL (5.00)"),
        ("TOTAL 7,50 €", "TOTAL 7,50"),
        ("TOTAL 1.234,50 EUR", "TOTAL 1.234,50"),
        ("TOTAL US$5.00", "TOTAL 5.00"),
        ("TOTAL ¥1,200", "TOTAL 1,200"),
    ],
)
def test_currencies_go_from_beside_amounts(line: str, plain: str) -> None:
    """And nothing else goes."""
    assert total_currency_invariant().variant(["FARM 7.50", line, "3 for $5", "EUR"]) == [
        "FARM 7.50",
        plain,
        "3 for $5",
        "EUR",
    ]


@pytest.mark.parametrize("text", ["TOTAL 7.50", "FARM 7.50", "TOTAL (RM)", "$", "TOTAL EUR 7.50\nTOTAL USD 8.00"])
def test_no_currency_and_two_currencies_are_skipped(text: str) -> None:
    """With two, the sign tells which amount is meant."""
    with pytest.raises(NotApplicable):
        total_currency_invariant().variant(text)


def test_currencies_shrink_to_fewer_lines() -> None:
    """One first."""
    relation = total_currency_invariant()
    assert relation.shrink is not None
    assert list(relation.shrink(["a $1.00", "b $2.00"], None)) == [["a 1.00", "b $2.00"], ["a $1.00", "b 2.00"]]


@pytest.mark.parametrize(
    ("text", "joined"),
    [
        ("Tea\n2.00\nTOTAL\n2.00\nCASH:\n$ 5.00\nBye", "Tea\n2.00\nTOTAL  2.00\nCASH:  $ 5.00\nBye"),
        ("Tea 2.00\nTOTAL  \n  2.00", "Tea 2.00\nTOTAL  2.00"),
        ("合計\n200.00", "合計  200.00"),
    ],
)
def test_a_cue_and_its_amount_on_the_next_line_are_joined(text: str, joined: str) -> None:
    """Only cues; a name of something bought stays where it is."""
    assert total_join_invariant().variant(text) == joined


@pytest.mark.parametrize(
    "text",
    [
        "SUBTOTAL\nTOTAL\n7.50\n8.00",
        "4.50\nTea\n8.00\nTOTAL\n10.00\nCASH\nBye",
        "4.50\nTea\n8.00\nTOTAL",
        "TOTAL\n2.00\n3.00",
        "TOTAL\n2 x 1.00 2.00",
        "TOTAL\n\n2.00",
        "TOTAL 2.00",
        "TOTAL\nTea 2.00",
        "Tea\n2.00",
    ],
)
def test_an_amount_that_may_belong_to_another_cue_is_not_joined(text: str) -> None:
    """Columns, amounts above their cues, several amounts."""
    with pytest.raises(NotApplicable, match="clearly"):
        total_join_invariant().variant(text)


def test_joining_shrinks_to_one_pair() -> None:
    """Each by itself."""
    relation = total_join_invariant()
    assert relation.shrink is not None
    lines = ["TOTAL", "2.00", "CASH", "5.00"]
    assert list(relation.shrink(lines, None)) == [["TOTAL  2.00", "CASH", "5.00"], ["TOTAL", "2.00", "CASH  5.00"]]


def test_the_transforms_can_be_used_alone() -> None:
    """Each takes an input and a random source, and says what it preserves."""
    from random import Random

    given = {"lines": ["Shop", "TOTAL", "$2.00"]}
    assert reorder_lines()(given, Random(0)) == {"lines": ["TOTAL", "$2.00", "Shop"]}
    assert inject_footer("BYE")(given, Random(0)) == {"lines": [*given["lines"], "BYE"]}
    assert normalize_currency()(given, Random(0)) == {"lines": ["Shop", "TOTAL", "2.00"]}
    assert join_amount_lines()(given, Random(0)) == {"lines": ["Shop", "TOTAL  $2.00"]}
    assert given == {"lines": ["Shop", "TOTAL", "$2.00"]}
    assert all(each.preserves for each in (reorder_lines(), inject_footer(), normalize_currency(), join_amount_lines()))
    assert len({relation.name for relation in default_pack()}) == 4


@pytest.mark.parametrize(
    ("receipt", "total"),
    [
        (RECEIPT, 7.5),
        ({"lines": RECEIPT.split("\n")}, 7.5),
        (["SUBTOTAL 7.00", "TOTAL", "RM 1,234.50"], 1234.5),
        (["TOTAL 5.00", "GRAND TOTAL 1.234,50 €"], 1234.5),
        (["TOTAL QTY 3.00", "TOTAL -2.00"], -2.0),
        (["Tea 2.00", "TOTAL", "Tea 2.00"], None),
        (["Tea 2.00"], None),
    ],
)
def test_the_demonstration_extractor_reads_a_total(receipt: Any, total: float | None) -> None:
    """From each form of a receipt."""
    assert extract_total(receipt) == total


@pytest.mark.parametrize("given", [None, 3, [], [1], {}, ""])
def test_the_demonstration_extractor_refuses_what_is_no_receipt(given: Any) -> None:
    """None would say that there is no total."""
    with pytest.raises(DataError, match="not a receipt"):
        extract_total(given)
