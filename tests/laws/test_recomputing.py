"""Laws of exact reading: what was written is what is read, under its own signs, and nothing is read in two ways."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from robust import read_date, read_number, read_quantity
from robust.oracle.recompute import number_text

decimals = st.decimals(allow_nan=False, allow_infinity=False, places=4, min_value=-(10**12), max_value=10**12)
signs = st.sampled_from([(".", ","), (",", "."), (",", " "), (".", "'"), ("·", None), (",", None)])


def written(value: Decimal, decimal: str, grouping: str | None) -> str:
    """A number as the signs say."""
    text = f"{value:,.4f}".replace(",", "\0").replace(".", decimal)
    return text.replace("\0", grouping or "")


@given(decimals, signs)
def test_a_number_that_is_written_is_read_as_itself(value: Decimal, chosen: tuple[str, str | None]) -> None:
    """Whatever its signs; and its canonical text says the same."""
    decimal, grouping = chosen
    reading = read_number(written(value, decimal, grouping), decimal=decimal, grouping=grouping)  # type: ignore[arg-type]
    assert reading.value == Fraction(value)
    assert read_number(reading.text, decimal=".").value == reading.value


@given(st.text(max_size=30), signs)
def test_any_text_is_read_or_has_a_reason(text: str, chosen: tuple[str, str | None]) -> None:
    """And never raises, for numbers, quantities and dates."""
    decimal, grouping = chosen
    for reading in (
        read_number(text, decimal=decimal, grouping=grouping),  # type: ignore[arg-type]
        read_quantity(text, decimal=decimal, grouping=grouping),  # type: ignore[arg-type]
        read_date(text),
    ):
        assert bool(reading) == (reading.value is not None) == (not reading.problem) == bool(reading.text)


@given(st.fractions())
def test_a_fraction_has_one_text(value: Fraction) -> None:
    """From which it can be had again, and a decimal one where it has an end."""
    text = number_text(value)
    assert Fraction(text) == value
    assert ("/" in text) == bool(set(_primes(value.denominator)) - {2, 5})


def _primes(number: int) -> list[int]:
    found, prime = [], 2
    while number > 1 and prime < 200:
        while number % prime == 0:
            number //= prime
            found.append(prime)
        prime += 1
    return [*found, number] if number > 1 else found


@given(st.dates(min_value=date(1000, 1, 1)))
def test_a_date_in_figures_is_read_by_its_order_or_not_at_all(day: date) -> None:
    """Without an order never as another day."""
    for order, form in (("dmy", "%d/%m/%Y"), ("mdy", "%m/%d/%Y"), ("ymd", "%Y/%m/%d")):
        text = day.strftime(form)
        assert read_date(text, order=order).value == day  # type: ignore[arg-type]
        assert read_date(text).value in (day, None)
    assert read_date(day.isoformat()).value == day
