"""Reading exactly or not at all: numbers, quantities, dates, lists, and the verdict on two readings."""

from __future__ import annotations

from datetime import date
from fractions import Fraction
from typing import Any

import pytest

from robust import CaseError, Quantity, read_date, read_number, read_quantity, read_set, recomputed
from tests.builders import judged, saying


@pytest.mark.parametrize(
    ("text", "signs", "said"),
    [
        ("1250", {}, "1250"),
        (" 007\n", {}, "7"),
        ("-3", {}, "-3"),
        ("−3", {}, "-3"),
        ("+3", {}, "3"),
        ("-0", {}, "0"),
        ("1,25", {"decimal": ","}, "1.25"),
        ("1.250", {"decimal": "."}, "1.25"),
        ("1.250", {"grouping": "."}, "1250"),
        ("1.234.567,80", {"decimal": ",", "grouping": "."}, "1234567.8"),
        ("1’234", {"grouping": "’"}, "1234"),
        ("1\u202f234\u00a0567", {"grouping": " "}, "1234567"),
        ("٣٫٥", {"decimal": "٫"}, "3.5"),
        ("9" * 900, {}, "9" * 900),
    ],
)
def test_a_number_is_read_by_the_declared_signs(text: str, signs: Any, said: str) -> None:
    """Exactly, whatever its length, sign and script."""
    reading = read_number(text, **signs)
    assert reading
    assert reading.text == said
    assert reading.value == Fraction(said)


@pytest.mark.parametrize(
    ("text", "signs"),
    [
        ("1,25", {}),
        ("1.25", {"decimal": ","}),
        ("1,234", {"decimal": "."}),
        ("12,34", {"grouping": ","}),
        ("1234,567", {"grouping": ","}),
        (",567", {"grouping": ","}),
        ("1.2.3", {"decimal": "."}),
        ("1.", {"decimal": "."}),
        (".5", {"decimal": "."}),
        ("0.500", {"decimal": ",", "grouping": "."}),
        ("000,500", {"grouping": ","}),
        *((text, {"decimal": "."}) for text in ("", "  ", "1e3", "NaN", "Infinity", "0x10", "1_000", "½", "1/2", "²")),
        *((text, {"decimal": "."}) for text in ("--5", "- 5", "5-", "(5)", "5 EUR", "five", "1٢", "9" * 1001)),
        (5, {}),
        (None, {}),
    ],
)
def test_what_is_no_number_in_the_declared_notation_is_not_read(text: Any, signs: Any) -> None:
    """No guess, and no error: a reason."""
    reading = read_number(text, **signs)
    assert not reading
    assert (reading.value, reading.text) == (None, "")
    assert reading.problem


@pytest.mark.parametrize(
    "signs", [{"decimal": ";"}, {"decimal": ".", "grouping": "."}, {"grouping": "5"}, {"grouping": ""}]
)
def test_signs_that_cannot_be_are_an_error(signs: Any) -> None:
    """Of whoever declares them."""
    with pytest.raises(CaseError):
        read_number("5", **signs)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("5 km", "5000 m"),
        ("1.5h", "90 min"),
        ("68 °F", "20 °C"),
        ("0 °C", "273.15 kelvin"),
        ("1 ft", "12 inches"),
        ("36 km/h", "10 m/s"),
        ("50 %", "500 ‰"),
        ("€5", "5 EUR"),
        ("-€5", "€-5"),
        ("1 MiB", "8388.608 kb"),
        ("5 µg", "0.005 mg"),
        ("5 Days", "120 HOURS"),
        ("5 eur", "EUR 5"),
        ("-40 °C", "-40 °F"),
        ("-0 °C", "0 °C"),
    ],
)
def test_quantities_are_converted_exactly(one: str, other: str) -> None:
    """To one unit of their kind."""
    readings = [read_quantity(text, decimal=".") for text in (one, other)]
    assert all(readings), [each.problem for each in readings]
    assert readings[0].value == readings[1].value
    assert readings[0].text == readings[1].text


@pytest.mark.parametrize(
    "text",
    [
        "$5",
        "5 pounds",
        "5 kr",
        "5 tons",
        "5 KB",
        "5 oz",
        "3 cups",
        "5",
        "km 5",
        "EUR 5 EUR",
        "five km",
        "5 mi/gal",
        "3 m 5",
        "5 Nm",
        "5 tb",
        "5 PA",
        "5 B",
        "5 ′",
        "5 pesos",
        "Rs 5",
        "5 Francs",
        "5 try",
        "-300 °C",
    ],
)
def test_a_unit_that_may_mean_several_things_is_not_read(text: str) -> None:
    """Nor one that is not known, or that stands where none does."""
    assert not read_quantity(text, decimal=".")


def test_a_declared_unit_is_read() -> None:
    """By the name as it is written; a unit that there is not is an error."""
    assert read_quantity("$5", units={"$": "USD"}).value == Quantity(Fraction(5), "USD")
    assert read_quantity("2 pounds", units={"pounds": "lb"}).text == "907.18474 g"
    with pytest.raises(CaseError) as caught:
        read_quantity("$5", units={"$": "dollars"})
    assert caught.value.code == "unknown_unit"


def test_case_tells_units_apart() -> None:
    """5 mW is not 5 MW, and neither is 5 metres."""
    small, large, metres = (read_quantity(text).value for text in ("5 mW", "5 MW", "5 m"))
    assert small < large
    assert small != large
    with pytest.raises(TypeError):
        assert small >= metres


@pytest.mark.parametrize(
    ("text", "order", "said"),
    [
        ("2024-03-05", None, date(2024, 3, 5)),
        ("5 March 2024", None, date(2024, 3, 5)),
        ("March 5th, 2024", None, date(2024, 3, 5)),
        ("5. März 2024", None, date(2024, 3, 5)),
        ("5 de marzo de 2024", None, date(2024, 3, 5)),
        ("25/03/2024", None, date(2024, 3, 25)),
        ("03/25/2024", None, date(2024, 3, 25)),
        ("05/05/2024", None, date(2024, 5, 5)),
        ("05/03/2024", "dmy", date(2024, 3, 5)),
        ("05/03/2024", "mdy", date(2024, 5, 3)),
        ("2024.03.05", "ymd", date(2024, 3, 5)),
        ("29.2.2024", "dmy", date(2024, 2, 29)),
    ],
)
def test_a_date_with_one_reading_is_read(text: str, order: Any, said: date) -> None:
    """In figures and with the name of a month."""
    reading = read_date(text, order=order)
    assert (reading.value, reading.text) == (said, said.isoformat())


@pytest.mark.parametrize(
    ("text", "order"),
    [
        ("05/03/2024", None),
        ("25/03/2024", "mdy"),
        ("2024-03-05", "dmy"),
        ("05/03/24", "dmy"),
        ("29.2.2023", "dmy"),
        ("2024-13-01", None),
        ("0000-01-01", None),
        ("5 Brumaire 2024", None),
        ("March 2024", None),
        ("5-3/2024", "dmy"),
        ("tomorrow", None),
        ("", None),
        ("5 March 2024 at noon", None),
        (20240305, None),
        ("1" * 10_000, None),
    ],
)
def test_a_date_with_two_readings_or_none_is_not_read(text: Any, order: Any) -> None:
    """An order is to be declared."""
    assert not read_date(text, order=order)
    with pytest.raises(CaseError):
        read_date("2024-03-05", order="ydm")  # type: ignore[arg-type]


def test_a_list_is_read_without_its_order() -> None:
    """By the declared separators."""
    one = read_set("red, green and  blue", separators=(",", " and "))
    assert one.value == read_set("blue,red,green").value == frozenset(("red", "green", "blue"))
    assert one.text == "blue; green; red"
    assert read_set("A, a", fold_case=True, repeated=True).value == frozenset(("a",))
    assert not read_set("a,,b")
    assert not read_set("a, a")
    texts = [read_set(text).text for text in ("a,b", "a; b", '"a; b"', 'a,"b', "a; b,c")]
    assert len(set(texts)) == len(texts), "another set has another text, as it may be an answer"
    assert not read_set("")
    assert not read_set(7)
    with pytest.raises(CaseError):
        read_set("a", separators=())


def test_the_verdict_follows_from_both_readings() -> None:
    """With both answers, and what was read as evidence."""
    three, four = read_number("3"), read_number("4")
    assert recomputed(three, read_number("3.0", decimal=".")).valid is True
    refused = recomputed(three, four, answer=lambda value: "yes" if value > 2 else "no")
    assert (refused.valid, refused.base_expected, refused.variant_expected) == (False, "yes", "yes")
    assert refused.evidence == {"base": {"text": "3", "says": "3"}, "candidate": {"text": "4", "says": "4"}}
    swapped = recomputed(three, four, relation="counterfactual", answer=lambda value: bool(value > 3))
    assert (swapped.valid, swapped.base_expected, swapped.variant_expected) == (True, False, True)
    assert recomputed(three, four, relation="increasing").valid is True
    assert recomputed(three, four, relation="decreasing").valid is False
    assert judged(saying(recomputed(three, four, relation="counterfactual"))).status == "valid"


def test_what_cannot_be_read_decides_nothing() -> None:
    """Nor what has no order."""
    verdict = recomputed(read_number("3"), read_number("1,25"))
    assert verdict.valid is None
    assert "the candidate cannot be read" in verdict.reason
    assert judged(saying(verdict)).issues == ("unreviewed",)
    assert recomputed(read_set("a"), read_set("a,b"), relation="increasing").valid is None
    assert recomputed(read_quantity("5 m"), read_quantity("5 g"), relation="increasing").valid is None
    with pytest.raises(CaseError):
        recomputed(read_number("3"), read_number("3"), relation="equal")  # type: ignore[arg-type]
