"""Planted edits: where each is made, and where it is not."""

from __future__ import annotations

import unicodedata

import pytest

from robust.canon import RandomStream
from robust.transforms.planted import DOMAINS, PLANTS, Plant, plants_of

BY_NAME = {f"{plant.domain}.{plant.name}": plant for plant in PLANTS}
MADE = [
    ("amounts.changed_digit", "Pay 120 EUR.", None),
    ("amounts.changed_digit", "In all 1,250 were sold", None),
    ("amounts.removed_decimal_mark", "It costs 1,25 today.", "It costs 125 today."),
    ("amounts.removed_decimal_mark", "A rate of 0.125 holds", "A rate of 0125 holds"),
    ("amounts.moved_decimal_mark", "It costs 12.5 now", "It costs 1.25 now"),
    ("amounts.moved_decimal_mark", "It costs 0.55 now", "It costs 5.5 now"),
    ("amounts.dropped_minus", "−5 % growth", "5 % growth"),
    ("amounts.dropped_minus", "It was -5 °C.", "It was 5 °C."),
    ("amounts.changed_scale", "about 5 million people", None),
    ("amounts.typographic_minus", "It was -5 °C.", "It was −5 °C."),
    ("amounts.doubled_blank_before", "Pay 120 EUR.", "Pay  120 EUR."),
    ("units.changed_unit", "Take 5 mg daily", None),
    ("units.changed_unit", "within 14 days", None),
    ("units.changed_currency", "It costs €5.", None),
    ("units.dropped_per_cent", "a fee of 5 %", "a fee of 5"),
    ("units.no_break_space", "Take 5 mg daily", "Take 5\u00a0mg daily"),
    ("dates.changed_day", "due on 2024-02-29", None),
    ("dates.changed_month", "due on 31 May", None),
    ("dates.changed_year", "since 2019 at least", None),
    ("dates.changed_hour", "open at 10:30", None),
    ("dates.changed_half_of_day", "open at 10 am", "open at 10 pm"),
    ("dates.no_break_space", "due on 31 May", "due on 31\u00a0May"),
    ("negation.dropped_negation", "It is not due.", None),
    ("negation.dropped_negation", "The fee is not due now.", "The fee is due now."),
    ("negation.dropped_negation", "The fee isn't due now.", "The fee is due now."),
    ("negation.dropped_negation", "You cannot cancel it", "You can cancel it"),
    ("negation.dropped_negation", "Das Paket ist nicht da", "Das Paket ist da"),
    ("negation.added_negation", "The fee is due now.", "The fee is not due now."),
    ("negation.exchanged_always_and_never", "It never closes early", "It always closes early"),
    ("negation.typographic_apostrophe", "The fee isn't due.", "The fee isn’t due."),
    ("comparisons.exchanged_bound", "At least 5 of them", "At most 5 of them"),
    ("comparisons.exchanged_bound", "due before 5 March", "due after 5 March"),
    ("words.opposite_word", "The claim was approved.", "The claim was rejected."),
    ("words.opposite_word", "Eligible persons", "Ineligible persons"),
    ("words.swapped_names", "Then Orsini owes Bakker 5", "Then Bakker owes Orsini 5"),
    ("words.swapped_names", "Orsini is older than Bakker", "Bakker is older than Orsini"),
    ("identifiers.changed_reference", "see INV-2041.", None),
    ("identifiers.changed_phone_number", "call +49 30 1234567", None),
    ("identifiers.changed_address", "see https://example.org/a", None),
    ("identifiers.changed_address", "write to info@example.org", None),
    ("layout.doubled_blank", "one two", "one  two"),
    ("layout.trailing_line_feed", "one two", "one two\n"),
    ("layout.leading_line_feed", "one two", "\none two"),
    ("layout.wider_paragraphs", "one\n\ntwo", "one\n\n\ntwo"),
    ("layout.carriage_returns", "one\ntwo\n", "one\r\ntwo\r\n"),
    ("layout.decomposed_letters", "the café", "the cafe\u0301"),
]
NOT_MADE = [
    ("amounts", "1. Buy milk\n2) Call"),
    ("amounts", "Question 3: see section 4.2 and page 17"),
    ("amounts", "It costs 5 and once more 5"),
    ("amounts", "see https://example.org/120 or a1b2"),
    ("amounts", "on 2024-02-29 at 10:30, call +49 30 1234567"),
    ("amounts.removed_decimal_mark", "in all 1,250 or 1.250.000 or 0.0"),
    ("amounts.dropped_minus", "from 3 -5 to A-4, and 3-5; -0 too"),
    ("amounts.dropped_minus", "-5 apples\n-3 pears"),
    ("amounts.typographic_minus", "run head -5 file"),
    ("units", "nothing measured, 5 apples"),
    ("units.changed_unit", "0 mg or 0.0 kg"),
    ("units.dropped_per_cent", "0 % of it"),
    ("dates", "version 3.11.2 and 1:2:3"),
    ("dates.changed_year", "on 2024-02-29"),
    ("negation.dropped_negation", "Isn't it late? It is late, isn't it?"),
    ("negation.dropped_negation", "The fee is not only due but late."),
    ("negation.dropped_negation", "Say whether it is not due yet"),
    ("negation.added_negation", "Is it due? The fee is never due."),
    ("negation.exchanged_always_and_never", "The fee is not always due here"),
    ("comparisons", "At least he tried; before long; more than enough"),
    ("words.opposite_word", "approved or rejected"),
    ("words.opposite_word", "approved by approved persons"),
    ("words.swapped_names", "She owes Bakker, and Bakker owes Bakker"),
    ("identifiers", "nothing to name, A4 paper"),
    ("layout", "a table |  b"),
    ("layout", "How many spaces are in one two"),
    ("layout", "x = `one two`"),
    ("layout", " \n "),
    ("layout.doubled_blank", '"He said one two"'),
    # Blanks that count.
    ("layout", "Your password is one two three"),
    ("layout", "Open annual report.pdf now"),
]

NO_INVALID_EDIT = [
    # What is said in two ways, and would contradict itself.
    ("amounts", "Pay five (5) EUR, two thousand (2,000) at most"),
    ("amounts", "It is 10 km (6.2 miles) away"),
    ("amounts", "Pay 1,000 EUR; the 1000 EUR, i.e. 1 000.00 EUR, are due"),
    ("amounts", "a sum of 12.5 EUR, or 12,50 EUR"),
    ("units.changed_unit", "It is 10 km (6.2 miles) away"),
    ("units.changed_unit", "Take 5 mg. Those 5 mg are enough."),
    ("units.changed_currency", "Pay $5 USD"),
    ("dates", "due on Monday, 5 March 2021"),
    ("dates", "on 5 March 2021 (Friday)"),
    ("dates", "on 5 March 2021 (05.03.2021)"),
    ("dates", "on 29 February 2024, in figures 2024-02-29"),
    ("negation.exchanged_always_and_never", "He always came. It was always so"),
    ("dates.changed_hour", "at 12:00 noon"),
    ("dates.changed_hour", "at 10:30 UTC (12:30 CEST)"),
    ("dates.changed_half_of_day", "at 10 am in the morning"),
    ("dates.changed_year", "in 2021, and again in 2021"),
    ("negation.dropped_negation", "It is not due. I say it again: it is not due."),
    ("comparisons.exchanged_bound", "at least 5, and I say at least 5."),
    # What would be the same, or lend its sign.
    ("units.changed_unit", "It was -40 °C, minus 40 °F outside"),
    ("units.changed_unit", "٠ km or ０ kg"),
    ("units.dropped_per_cent", "5%-10% off, between 5% and 10 percent"),
    ("amounts.changed_scale", "0 million people"),
    ("words.swapped_names", "Orsini is other than Bakker"),
    # What only marks an item, a note or a heading.
    ("amounts", "Choose (1) apples (2) pears; see [12]. Or 3) plums"),
    ("amounts", "Do this: 1. Read it. 2. Sign it."),
    ("amounts", "see sections 3 and 4, articles 5, 6 and 7"),
    ("amounts", "1.2 Scope of work\n2 Fees"),
    ("amounts.dropped_minus", "Buy -2 eggs -3 onions"),
    ("amounts.dropped_minus", "The list:\n-2 eggs"),
    # Questions that "not" does not turn round, words that are no verbs, idioms, references.
    ("negation", "And is the fee due with the tax?"),
    ("negation", "And is not the fee due with the tax?"),
    ("negation.added_negation", "Where is the station and the bus"),
    ("negation.added_negation", "his last will and testament with the seal"),
    ("negation.added_negation", "Nobody is here with the key"),
    ("negation.exchanged_always_and_never", "As always they said: never say never again"),
    ("comparisons.exchanged_bound", "as noted above 5 are due; the above 3 rules"),
    ("dates", "March 5 miles north. May 5 people come in?"),
    ("words.swapped_names", "Ada Orsini owes Bea Bakker; O'Orsini owes Bakker"),
    # Other languages.
    ("negation.added_negation", "De prijs is hoog en was laag; ich will gehen; El are bani"),
    ("dates.changed_half_of_day", "Treffen um 10 am Bahnhof, 2020 am Sonntag"),
]


def edited(plant: Plant, text: str, seed: int = 0) -> str | None:
    edit = plant.edit(text, RandomStream(seed, plant.domain, plant.name))
    return None if edit is None else edit.text


@pytest.mark.parametrize(("name", "text", "due"), MADE)
def test_each_edit_is_made_where_it_is_sure(name: str, text: str, due: str | None) -> None:
    """With what it says that it did, which gives the same text again."""
    plant = BY_NAME[name]
    if text == "It is not due.":
        assert edited(plant, text) == "It is due."
        return
    edit = plant.edit(text, RandomStream(0))
    assert edit is not None
    assert edit.text != text
    at, old, new = edit.params["at"], edit.params["from"], edit.params["to"]
    assert text[at : at + len(old)] == old
    assert text[:at] + new + text[at + len(old) :] == edit.text
    if due is not None:
        assert edit.text == due


@pytest.mark.parametrize(("name", "text"), NOT_MADE)
def test_no_edit_is_made_where_nothing_is_known(name: str, text: str) -> None:
    """Of one edit, or of none of a domain."""
    plants = [BY_NAME[name]] if name in BY_NAME else plants_of([name])
    for plant in plants:
        for seed in range(5):
            assert edited(plant, text, seed) is None, plant.name


@pytest.mark.parametrize("text", ["القيمة ١٢٠ دينار", "２５ 円です", "२५ किलो"])
def test_digits_of_any_script_get_another_value(text: str) -> None:
    """A digit of another script with the same value would change nothing."""
    plant = BY_NAME["amounts.changed_digit"]
    for seed in range(40):
        new = edited(plant, text, seed)
        assert new is not None
        values = [[unicodedata.decimal(char) for char in each if char.isdecimal()] for each in (text, new)]
        assert values[0] != values[1]
        assert not any(char.isascii() and char.isdecimal() for char in new)


@pytest.mark.parametrize(("name", "text"), NO_INVALID_EDIT)
def test_no_edit_is_called_invalid_that_may_say_the_same_or_contradicts_itself(name: str, text: str) -> None:
    """Of one edit, or of none of a domain; layout may be edited there all the same."""
    plants = [BY_NAME[name]] if name in BY_NAME else plants_of([name])
    for plant in plants:
        for seed in range(5):
            assert plant.truth == "valid" or edited(plant, text, seed) is None, plant.name


def test_every_edit_has_an_example_here() -> None:
    """Otherwise one could be broken without notice."""
    beside = {name for name in BY_NAME if name.endswith("doubled_blank_before")}
    assert {name for name, _, _ in MADE} >= set(BY_NAME) - beside


def test_every_domain_with_invalid_edits_has_a_valid_one_beside_them() -> None:
    """So that an oracle that refuses everything there is found out."""
    assert [domain for domain in DOMAINS if not {p.truth for p in PLANTS if p.domain == domain}] == []
    for domain in DOMAINS:
        truths = {plant.truth for plant in PLANTS if plant.domain == domain}
        assert truths == ({"valid"} if domain == "layout" else {"valid", "invalid"}), domain


def test_a_day_that_a_month_does_not_have_is_never_made() -> None:
    """Another month of the 31st has 31 days, and the 29th of February keeps its year."""
    plant = BY_NAME["dates.changed_month"]
    months = {edited(plant, "due on 2024-01-31", seed) for seed in range(60)}
    assert months == {f"due on 2024-{month:02d}-31" for month in (3, 5, 7, 8, 10, 12)}
    named = {edited(plant, "due on 31 May", seed) for seed in range(80)}
    assert {str(text).split()[-1] for text in named} == {
        *("January", "March", "July", "August", "October", "December"),
    }


def test_the_listed_edits_say_what_they_do() -> None:
    """One sentence or two each, for the list of the command."""
    assert all(plant.says.endswith(".") for plant in PLANTS)
    assert len({(plant.domain, plant.name) for plant in PLANTS}) == len(PLANTS)


@pytest.mark.parametrize("piece", ["1", "1,", "-5 ", "a ", "is not ", "0.5 ", "a@", "5 March ", '"', "at least ", "\n"])
def test_a_hostile_text_is_edited_or_refused(piece: str) -> None:
    """Of fifty thousand characters: with work that grew with its square this would last for minutes."""
    text = (piece * 50_000)[:50_000]
    for plant in PLANTS:
        found = edited(plant, text)
        assert found is None or found != text
