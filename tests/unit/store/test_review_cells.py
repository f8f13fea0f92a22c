"""What people write into a review sheet: judgements, times, names and answers, none of them guessed."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from robust import DataError
from robust.records.review import AnswerKind
from robust.store.review_cells import (
    check_filled,
    read_answer,
    read_reason,
    read_reviewer,
    read_time,
    read_valid,
    write_answer,
)

NOW = datetime(2026, 3, 31, 12, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("cell", "valid"),
    [
        ("yes", True),
        (" Yes ", True),
        ("TRUE", True),
        ("valid", True),
        ("no", False),
        ("FALSE", False),
        ("N", False),
        ("unknown", None),
        ("Unsure", None),
    ],
)
def test_a_judgement_is_read_in_any_case(cell: str, valid: bool | None) -> None:
    """With the words that spreadsheets make of true and false."""
    assert read_valid(cell) is valid


@pytest.mark.parametrize("cell", ["ja", "1", "yes?", "", "-"])
def test_any_other_word_is_no_judgement(cell: str) -> None:
    """The message says which words are."""
    with pytest.raises(DataError, match="write yes, no or unknown"):
        read_valid(cell)


@pytest.mark.parametrize(
    ("cell", "read"),
    [
        ("2026-03-31", "2026-03-31"),
        ("2026/3/1", "2026-03-01"),
        ("31.03.2026", "2026-03-31"),
        ("3.4.2025", "2025-04-03"),
        ("3/31/2026", "2026-03-31"),
        ("31/3/2026", "2026-03-31"),
        ("3/3/2026", "2026-03-03"),
        ("31-03-2026", "2026-03-31"),
        ("2026-03-30 9:05", "2026-03-30T09:05:00"),
        ("3/30/2026 3:05 PM", "2026-03-30T15:05:00"),
        ("3/30/2026 12:05:07 am", "2026-03-30T00:05:07"),
        ("2026-03-31T14:05+02:00", "2026-03-31T14:05:00+02:00"),
        ("2026-03-31T11:59:59.5Z", "2026-03-31T11:59:59+00:00"),
        ("2026-03-31 23:00", "2026-03-31T23:00:00"),
    ],
)
def test_a_time_is_read_in_every_form_that_has_one_meaning(cell: str, read: str) -> None:
    """With its offset where one is given; without one it may be the day that has begun in the east."""
    assert read_time(cell, NOW) == read


@pytest.mark.parametrize(
    ("cell", "said"),
    [
        ("", "not said when"),
        ("3/4/2026", "either of two days"),
        ("46112", "no date"),
        ("31.03.26", "no date"),
        ("yesterday", "no date"),
        ("2026-02-30", "no time"),
        ("2026-03-31T25:00", "no time"),
        ("3/30/2026 13:00 PM", "no time"),
        ("1900-01-01", "too long ago"),
        ("2026-03-31T12:30Z", "future"),
        ("2026-04-01T13:00", "future"),
        ("2027-01-01", "future"),
        ("2026-03-31T14:05+99:00", "no time"),
    ],
)
def test_a_time_that_cannot_be_is_refused_with_the_form_that_can(cell: str, said: str) -> None:
    """A day that may be two, a serial number, and what lies in the future."""
    with pytest.raises(DataError, match=said) as refused:
        read_time(cell, NOW)
    assert "2026-03-31T14:05+02:00" in str(refused.value.problems[0].hint)


def test_the_future_is_not_asked_for_without_a_clock() -> None:
    """So that a reader without one gives the same on every day."""
    assert read_time("2999-01-01", None) == "2999-01-01"


@pytest.mark.parametrize(
    ("cell", "kind", "answer"),
    [
        ("", "text", None),
        ("  ", "json", None),
        ("3.50", "text", "3.50"),
        (" yes ", "text", "yes"),
        ("text: yes ", "text", " yes "),
        ("text:", "number", ""),
        ("3.50", "number", 3.5),
        ("+7", "number", 7),
        ("-1e3", "number", -1000.0),
        ("TRUE", "boolean", True),
        ("no", "boolean", False),
        ('["a",1]', "json", ["a", 1]),
        ('json:{"a":null}', "text", {"a": None}),
        ("json:3", "text", 3),
        ("text:json:3", "json", "json:3"),
    ],
)
def test_an_answer_is_read_as_its_kind_or_its_prefix_says(cell: str, kind: AnswerKind, answer: Any) -> None:
    """Text stays text, down to its zeros."""
    read = read_answer(cell, kind)
    assert (read, type(read)) == (answer, type(answer))


@pytest.mark.parametrize(
    ("cell", "kind"),
    [
        ("3,5", "number"),
        ("1.234,5", "number"),
        ("007", "number"),
        ("five", "number"),
        ("1e999", "number"),
        ("maybe", "boolean"),
        ("1", "boolean"),
        ("yes", "json"),
        ("[1,", "json"),
        ("json:NaN", "text"),
    ],
)
def test_an_answer_of_another_kind_is_refused(cell: str, kind: AnswerKind) -> None:
    """A comma may part thousands or decimals; nobody knows."""
    with pytest.raises(DataError) as refused:
        read_answer(cell, kind)
    assert "text: before a text" in str(refused.value.problems[0].hint)


def test_an_answer_has_a_limit_in_size_and_depth() -> None:
    """Those of a verdict."""
    with pytest.raises(DataError, match="bytes"):
        read_answer("x" * 1_048_577, "text")
    with pytest.raises(DataError, match="deep"):
        read_answer("json:" + "[" * 195 + "]" * 195, "text")


@pytest.mark.parametrize("cell", ["#REF!", "#N/A", "#NAME?", "Err:508", "#####", "=A1+1", " =1"])
def test_a_formula_or_its_failure_is_no_judgement_of_anybody(cell: str) -> None:
    """It is what a spreadsheet leaves when it saves no values."""
    with pytest.raises(DataError):
        check_filled(cell)


@pytest.mark.parametrize("answer", ["", " x ", "a\nb", "text:x", "json:1", "=1", "#REF!", "\x07", "it's"])
@pytest.mark.parametrize("kind", ["text", "number", "boolean", "json"])
def test_a_text_answer_is_written_so_that_it_reads_as_text(answer: str, kind: AnswerKind) -> None:
    """Whatever kind its pair has."""
    assert read_answer(write_answer(answer, kind), kind) == answer


def test_a_name_is_tidied_and_has_to_be_one() -> None:
    """Of one line, and not empty."""
    assert read_reviewer("  Anna\t B. ") == "Anna B."
    for cell in ("", "   ", "x" * 257, "a\x07b"):
        with pytest.raises(DataError):
            read_reviewer(cell)


def test_a_reason_has_a_limit() -> None:
    """That of a verdict's reason."""
    assert read_reason("why\r\nnot") == "why\nnot"
    with pytest.raises(DataError, match="16385 characters"):
        read_reason("x" * 16385)
