"""Laws of the catalog: what each relation says that it preserves, whatever the input, the seed and the sample."""

from __future__ import annotations

import json
import re
from collections import Counter
from decimal import Decimal
from fractions import Fraction
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from robust import (
    Relation,
    case_invariant,
    default_pack,
    distractor_robust,
    formatting_invariant,
    length_invariant,
    order_invariant,
    paraphrase_invariant,
    permute_blocks,
    remove_irrelevant,
    total_currency_invariant,
    total_join_invariant,
    total_reorder_invariant,
    unit_scaling,
)
from robust.relations.moved_items import in_order, order_between, simpler_orders, simpler_subsets
from robust.relations.receipt_blocks import blocks_of
from robust.relations.receipt_lines import AMOUNT, cue_pattern, read_line
from robust.relations.relation import NotApplicable

CATALOG = [
    order_invariant(),
    order_invariant(reorder="rotate"),
    order_invariant(reorder="reverse"),
    permute_blocks(),
    distractor_robust(),
    distractor_robust(distractors=["An aside."], where="both"),
    length_invariant(),
    formatting_invariant(),
    case_invariant(),
    paraphrase_invariant(paraphrases=lambda text: text + " (again)"),
    unit_scaling(),
    unit_scaling(units=("kg", "g")),
    remove_irrelevant(irrelevant=lambda piece: len(str(piece)) % 2 == 0),
    *default_pack(),
]
SAMPLES = st.integers(0, 50)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)
texts = st.text(st.sampled_from("ab Zß.!?0 9\n\r\tİσΣé日{}[]kg"), max_size=60)
HEADER = ["CORNER SHOP", "TOTAL TOOLS", "TEL 030 1234567", "", "-----", "12/05/2024", "GST REG NO 123456789", "7.00"]
ITEMS = ["Tea 2.00", "Tea", "2 x 1.00 2.00", "2.00", "", "Gift card 5.00", "Bread  1,50 €"]
TOTALS = [
    *("SUBTOTAL 4.00", "SUBTOTAL", "TAX", "TOTAL", "TOTAL RM4.20", "4.20", "$4.20", "CASH 5.00", "CHANGE", "-----"),
    *("Gesamtbetrag 4,20 €", "合計", "TOTAL 4.20", ""),
]
FOOTER = ["Thank you", "No cash refund", "", "Come again", "Card **** 1234", "You saved 1.00"]
# Receipts in all states of disorder.
lines = st.builds(
    lambda *parts: [line for part in parts for line in part],
    *(st.lists(st.sampled_from(part), max_size=4) for part in (HEADER, ITEMS, TOTALS, FOOTER)),
)
paragraphs = st.lists(st.text(st.sampled_from("ab .\t"), min_size=1), max_size=5).flatmap(
    lambda parts: st.sampled_from(["\n\n", "\r\n\r\n", "\n \n\n"]).map(lambda gap: gap.join(parts))
)
quantities = st.lists(st.sampled_from(["2 kg", "2.5 kg", "1,500 kg", "of tea", "and", "3kg"]), max_size=4).map(" ".join)


def variant_of(relation: Relation, value: Any, sample: int) -> Any:
    """The variant; None where there is none."""
    try:
        return relation.variant(value, sample)
    except NotApplicable as error:
        assert error.reason
        return None


@pytest.mark.parametrize("relation", CATALOG, ids=lambda relation: relation.name)
@given(value=values | texts | lines, sample=SAMPLES)
def test_any_input_gives_a_variant_of_its_kind_or_a_reason(relation: Relation, value: Any, sample: int) -> None:
    """Never another exception, never a change of the input; the same again for the same sample."""
    before = json.dumps(value)
    try:
        variant = relation.variant(value, sample)
    except NotApplicable as error:
        assert error.reason
    else:
        assert type(variant) is type(value)
        assert json.dumps(relation.variant(value, sample)) == json.dumps(variant)
    assert json.dumps(value) == before


@pytest.mark.parametrize("relation", CATALOG, ids=lambda relation: relation.name)
@given(value=texts | lines | paragraphs | quantities | st.lists(st.integers(0, 3), max_size=6), sample=SAMPLES)
def test_simpler_variants_are_fair_as_well(relation: Relation, value: Any, sample: int) -> None:
    """Each is of the same kind, and neither the input nor what it was made simpler from."""
    variant = variant_of(relation, value, sample)
    if relation.shrink is None or variant is None or variant == value:
        return
    for simpler in list(relation.shrink(value, variant))[:30]:
        assert type(simpler) is type(value)
        assert simpler != variant or isinstance(value, list)
        if relation.name in ("order_invariant", "permute_blocks", "total_reorder_invariant"):
            assert Counter(simpler) == Counter(variant)


@given(st.lists(values, min_size=2, max_size=8), SAMPLES, st.sampled_from(["shuffle", "rotate"]))
def test_another_order_has_the_same_items(items: list[Any], sample: int, reorder: Any) -> None:
    """As many of each."""
    variant = variant_of(order_invariant(reorder=reorder), items, sample)
    assert Counter(map(repr, variant)) == Counter(map(repr, items))


@given(st.permutations(range(7)))
def test_an_order_is_found_again_and_simpler_ones_move_fewer_items(order: list[int]) -> None:
    """And every one of them can be reached."""
    items = list("abcdefg")
    assert order_between(items, in_order(items, order)) == order
    moved = sum(place != index for place, index in enumerate(order))
    for simpler in simpler_orders(order):
        assert sorted(simpler) == list(range(7))
        assert 0 < sum(place != index for place, index in enumerate(simpler)) < moved


@given(st.lists(st.sampled_from("ab"), max_size=6), st.randoms())
def test_an_order_of_duplicates_is_found_with_as_few_moves_as_differ(items: list[str], random: Random) -> None:
    """Equal items that are in place stay there."""
    shuffled = random.sample(items, len(items))
    order = order_between(items, shuffled)
    assert order is not None
    assert in_order(items, order) == shuffled
    moved = sum(place != index for place, index in enumerate(order))
    assert moved == sum(one != other for one, other in zip(items, shuffled, strict=True))


@given(st.lists(st.integers(), unique=True, max_size=9))
def test_smaller_sets_are_part_of_what_was_chosen(chosen: list[int]) -> None:
    """In order, never all, never none."""
    for smaller in simpler_subsets(chosen):
        assert 0 < len(smaller) < len(chosen)
        assert [item for item in chosen if item in smaller] == smaller


@given(texts | paragraphs, SAMPLES)
def test_paragraphs_are_the_same_lines_in_another_order(text: str, sample: int) -> None:
    """Whatever the line ends."""
    variant = variant_of(permute_blocks(), text, sample)
    if variant is None:
        return
    assert Counter(line.strip() for line in variant.split("\n")) == Counter(line.strip() for line in text.split("\n"))
    assert len(variant) == len(text)


@given(texts, SAMPLES, st.sampled_from([distractor_robust(where="both", most=3), length_invariant(factor=3)]))
def test_a_text_that_something_was_added_to_is_still_there(text: str, sample: int, relation: Relation) -> None:
    """Whole."""
    variant = variant_of(relation, text, sample)
    if variant is None:
        return
    assert text in variant
    assert len(variant) > len(text)


@given(texts, SAMPLES)
def test_other_white_space_leaves_the_words(text: str, sample: int) -> None:
    """In their order."""
    variant = variant_of(formatting_invariant(), text, sample)
    if variant is None:
        return
    assert variant.split() == text.split()
    assert variant != text


@given(texts | st.text(), SAMPLES)
def test_other_case_leaves_the_letters(text: str, sample: int) -> None:
    """Both fold to the same, place by place in number."""
    variant = variant_of(case_invariant(), text, sample)
    if variant is None:
        return
    assert variant.casefold() == text.casefold()
    assert len(variant) == len(text)
    assert variant != text


@given(
    st.lists(st.integers(0, 10**6) | st.floats(1e-6, 1e6), min_size=1),
    st.sampled_from([2, 10, 0.5, 1000]),
)
def test_scaling_keeps_ratios(numbers: list[float], factor: float) -> None:
    """And the sum, as a system that adds them up gives it, scales by the factor."""
    relation = unit_scaling(factor=factor)
    variant = relation.variant(numbers)
    assert all(after == before * factor for before, after in zip(numbers, variant, strict=True))
    before, after = (float(sum(map(Fraction, each))) for each in (numbers, variant))
    assert relation.judged_by.holds(before, after)


@given(st.decimals(0, 10**9, places=6), st.sampled_from([("kg", "g"), ("g", "kg"), ("km", "m"), ("ft", "m")]))
def test_a_converted_quantity_is_the_same_quantity(amount: Decimal, units: tuple[str, str]) -> None:
    """To the last decimal."""
    from robust import read_quantity

    text = f"{amount:f} {units[0]}"
    variant = unit_scaling(units=units).variant(text)
    assert variant.endswith(f" {units[1]}")
    assert read_quantity(variant, decimal=".").value == read_quantity(text, decimal=".").value


@given(lines, SAMPLES)
def test_removal_leaves_the_rest_in_its_order(pieces: list[str], sample: int) -> None:
    """And removes something."""
    irrelevant = re.compile("^[A-Z]")
    variant = variant_of(remove_irrelevant(irrelevant=irrelevant), pieces, sample)
    if variant is None:
        return
    assert [line for line in variant if not irrelevant.search(line)] == [
        line for line in pieces if not irrelevant.search(line)
    ]
    assert len(variant) < len(pieces)


@given(lines, SAMPLES)
def test_a_reordered_receipt_has_the_same_lines_and_nothing_parted(receipt: list[str], sample: int) -> None:
    """A line of numbers alone follows the same line as before; a waiting cue has the same line behind it."""
    variant = variant_of(total_reorder_invariant(), receipt, sample)
    if variant is None:
        return
    assert Counter(variant) == Counter(receipt)
    pattern = cue_pattern()

    def neighbours(each: list[str]) -> tuple[Counter[Any], Counter[Any]]:
        filled = [line for line in (read_line(text, pattern) for text in each) if not line.separates]
        pairs = [*zip([None, *filled], filled, strict=False)]
        return (
            Counter((before and before.text, line.text) for before, line in pairs if line.bare),
            Counter((before.text, line.text) for before, line in pairs if before and before.waits),
        )

    assert neighbours(variant) == neighbours(receipt)


@given(lines)
def test_the_blocks_of_a_receipt_are_its_lines(receipt: list[str]) -> None:
    """One behind the other."""
    try:
        found = blocks_of(receipt, cue_pattern())
    except NotApplicable:
        return
    assert [line for block in found.blocks for line in block] == receipt
    assert all(found.blocks)


@given(lines)
def test_amounts_and_words_survive_without_currency_and_joined(receipt: list[str]) -> None:
    """In their order."""

    def amounts(each: list[str]) -> list[str]:
        return [found for line in each for found in re.findall(AMOUNT, line)]

    def words(each: list[str]) -> list[str]:
        return [word for line in each for word in re.findall(r"[^\W\d_]{3,}", line)]

    for relation in (total_currency_invariant(), total_join_invariant()):
        try:
            variant = relation.variant(receipt)
        except NotApplicable:
            continue
        assert amounts(variant) == amounts(receipt)
        assert words(variant) == words(receipt)
        assert variant != receipt


@given(st.lists(st.tuples(st.sampled_from(["Tea", "Bread"]), st.integers(1, 999)), min_size=1, max_size=4), st.data())
def test_a_correct_reader_agrees_with_itself_on_every_variant(items: list[tuple[str, int]], data: Any) -> None:
    """Receipts of several layouts, and a reader that looks for the cue: no relation of the pack makes it change."""
    split = data.draw(st.booleans())
    total = sum(cents for _, cents in items)

    def row(label: str, cents: int) -> list[str]:
        amount = f"{cents // 100}.{cents % 100:02}"
        return [label, amount] if split else [f"{label}  RM{amount}"]

    receipt = ["CORNER SHOP", *(line for item in items for line in row(*item)), *row("SUBTOTAL", total)]
    receipt += [*row("TOTAL", total + 7), *row("CASH", total + 500), *row("CHANGE", 493), "Thank you"]

    def read(each: list[str]) -> str:
        place = next(place for place, line in enumerate(each) if line.startswith("TOTAL"))
        found = re.findall(AMOUNT, each[place]) or re.findall(AMOUNT, each[place + 1])
        return str(found[0])

    for relation in default_pack():
        try:
            variant = relation.variant(receipt, data.draw(SAMPLES))
        except NotApplicable:
            continue
        assert read(variant) == read(receipt)
