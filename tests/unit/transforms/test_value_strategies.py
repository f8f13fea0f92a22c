"""Numbers, dates, order and tables, by example."""

from __future__ import annotations

import pytest

from robust.canon import RandomStream
from robust.errors import UsageError
from robust.records.replacement import Replacement
from robust.transforms.date_formats import DateFormat
from robust.transforms.number_formats import DecimalSeparator, NumberGrouping, read_written
from robust.transforms.reordering import Reordering, parts_of
from robust.transforms.strategies import rewrites, synonyms
from tests.unit.transforms.edits import edits_of

NARROW = "\u202f"


@pytest.mark.parametrize(
    ("token", "read"),
    [
        ("12345", ("12345", "", "", "")),
        ("1,25", ("1", "", ",", "25")),
        ("0.5", ("0", "", ".", "5")),
        ("12.345,6", ("12345", ".", ",", "6")),
        ("1,234,567", ("1234567", ",", "", "")),
        ("1'000", ("1000", "'", "", "")),
        ("1234.567", ("1234", "", ".", "567")),
        ("0.125", ("0", "", ".", "125")),
        ("1,234", None),
        ("1.234", None),
        ("1.2.3", None),
        ("192.168.1.10", None),
        ("007", None),
        ("1.234,567.8", None),
        ("12,34,567", None),
    ],
)
def test_a_number_is_read_where_it_reads_in_one_way_only(token: str, read: tuple[str, ...] | None) -> None:
    """What is one number in one country and another elsewhere is left alone, and so are codes and versions."""
    assert read_written(token) == read


@pytest.mark.parametrize(
    ("text", "made"),
    [
        ("It has 12345 seats", {"It has 12,345 seats", "It has 12'345 seats", f"It has 12{NARROW}345 seats"}),
        ("1,234,567", {"1234567", "1.234.567", "1'234'567", f"1{NARROW}234{NARROW}567"}),
        ("1234.50 €", {"1,234.50 €", "1'234.50 €", f"1{NARROW}234.50 €"}),
        ("-1'000", {"-1000", "-1,000", f"-1{NARROW}000"}),
        ("in 2024", set()),
        ("999", set()),
        ("1,234", set()),
        ("no 12345-678", set()),
        ("A12345", set()),
        ("12345 678", set()),
        ("12:34567", set()),
        ("", set()),
    ],
)
def test_grouping(text: str, made: set[str]) -> None:
    """The same digits, grouped otherwise or not at all; years, codes and parts of something else stay."""
    assert edits_of(NumberGrouping(), text) == made


@pytest.mark.parametrize(
    ("text", "made"),
    [
        ("3.50", {"3,50"}),
        ("Pay 1,25 €.", {"Pay 1.25 €."}),
        ("1,234.50", {"1.234,50"}),
        ("1'234.50", {"1'234,50"}),
        ("1.234", set()),
        ("v1.2", set()),
        ("1.2.3", set()),
        ("10:30.5", set()),
        ("12345", set()),
    ],
)
def test_decimal_separators(text: str, made: set[str]) -> None:
    """Point and comma change places."""
    assert edits_of(DecimalSeparator(), text) == made


FORMS = ("2025-03-04", "2025/03/04", "04.03.2025", "4 March 2025", "March 4, 2025")


@pytest.mark.parametrize(
    "written", [*FORMS, "4th of March 2025", "4 Mar 2025", "Mar. 4 2025", "4.3.2025", "MARCH 4TH, 2025"]
)
def test_a_date_is_written_in_the_other_forms(written: str) -> None:
    """Each of five, whatever it was."""
    made = edits_of(DateFormat(), f"Due {written}, at noon")
    assert made == {f"Due {form}, at noon" for form in {*FORMS} - {written}}


@pytest.mark.parametrize(
    "text",
    ["03/04/2025", "31.02.2025", "2025-13-01", "May 2025", "4 March", "2025-03-04T10:00", "12025-03-04", "", "1.2.3"],
)
def test_what_may_be_another_day_or_none_is_left_alone(text: str) -> None:
    """Orders that depend on the country, days that do not exist, times."""
    assert edits_of(DateFormat(), text) == set()


@pytest.mark.parametrize(
    ("text", "made"),
    [
        ("- a\n- b", {"- b\n- a"}),
        ("See:\r\n * a\r\n * b\r\nEnd", {"See:\r\n * b\r\n * a\r\nEnd"}),
        ("It is due; it is late.", {"it is late; It is due."}),
        ("Facts: red; green!", {"Facts: green; red!"}),
        ("Buy: bread, milk and tea.", {"Buy: " + each for each in (
            "bread, tea and milk.", "milk, bread and tea.", "milk, tea and bread.", "tea, bread and milk.",
            "tea, milk and bread.")}),
        ("one\ntwo\n", {"two\none\n"}),
        ("- a\n  - b\n- c", set()),
        ("1. a\n2. b", set()),
        ("- a\n- a", set()),
        ("one word", set()),
        ("", set()),
        (";", set()),
        ("A line that is longer than sixty characters and goes on in the next\none.", set()),
    ],
)  # fmt: skip
def test_independent_parts_change_places(text: str, made: set[str]) -> None:
    """Bullets, clauses, items, lines; numbered, nested and equal ones do not, nor the lines of a paragraph."""
    assert edits_of(Reordering(), text) == made


def test_the_parts_tell_what_they_are() -> None:
    """So that the record of an edit says which ones changed places."""
    edit = Reordering().edit("- a\n- b\n- c", RandomStream(1))
    assert edit is not None
    assert {name: edit.params[name] for name in ("parts", "at")} == {"parts": "bullets", "at": 2}
    assert sorted(edit.params["order"]) == [0, 1, 2]
    assert [parts.kind for parts in parts_of("x: a and b")] == ["items"]


def test_rewrites_are_taken_to_the_letter() -> None:
    """Whole words, in the case in which they stand; each place by itself."""
    table = rewrites([Replacement("pay", "remit"), Replacement("a.b", "c", line=7)])
    assert edits_of(table, "pay or pay, a.b") == {"remit or pay, a.b", "pay or remit, a.b", "pay or pay, c"}
    assert edits_of(table, "Pay payment repay a.bc xa.b") == set()


def test_synonyms_keep_the_case_of_what_they_replace() -> None:
    """Small letters, a capital, capitals."""
    table = synonyms([Replacement("the bill", "what you owe")])
    assert edits_of(table, "Pay the bill") == {"Pay what you owe"}
    assert edits_of(table, "The bill came") == {"What you owe came"}
    assert edits_of(table, "PAY THE BILL") == {"PAY WHAT YOU OWE"}


def test_t5_a_rewrite_is_not_made_where_the_text_has_it_already() -> None:
    """T5: "is not eligible" would become "is not not eligible"; elsewhere in the same text it is made."""
    table = rewrites([Replacement("eligible", "not eligible", "counterfactual")])
    assert edits_of(table, "She is not eligible.") == set()
    assert edits_of(table, "She is eligible.") == {"She is not eligible."}
    assert edits_of(table, "He is not eligible, she is eligible.") == {"He is not eligible, she is not eligible."}


def test_a_row_has_its_own_relation() -> None:
    """And the edit names its line."""
    table = rewrites([Replacement("is", "is not", "counterfactual", 3)])
    edit = table.edit("It is due", RandomStream(1))
    assert edit is not None
    assert (edit.relation, edit.params) == ("counterfactual", {"at": 3, "from": "is", "to": "is not", "line": 3})
    assert table.relation == "invariant"


@pytest.mark.parametrize("rows", [[], [Replacement("  ", "x")]])
def test_an_empty_table_is_refused(rows: list[Replacement]) -> None:
    """It could never make anything."""
    with pytest.raises(UsageError) as caught:
        synonyms(rows)
    assert caught.value.code == "empty_table"
