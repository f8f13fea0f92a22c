"""Where an edit may show, and where it may not: otherwise the corpus would take any reason for the right one."""

from __future__ import annotations

import pytest

from tests.tampering.edits import Edit
from tests.tampering.follows import shows
from tests.tampering.verdicts import Finding

RECORDS, REPORT, CONTRACT = "run/records.jsonl", "run/report.json", "run/contract.json"


def _shows(kind: str, where: str, place: str, file: str, line: int | None, path: str | None) -> bool:
    number = where.partition(":")[2]
    edit = Edit(kind, f"{where} {place} changed", {}, place=place, line=int(number) if number else None)
    return shows(edit, Finding("a check", "contradiction", file, line, path))


@pytest.mark.parametrize(
    ("where", "place", "file", "line", "path"),
    [
        (f"{RECORDS}:7", "$.input", RECORDS, 7, "$.input"),
        (f"{RECORDS}:7", "$.result.selected", RECORDS, 7, "$.result"),
        (f"{RECORDS}:7", "$.result", RECORDS, 7, "$.result.selected"),
        (f"{RECORDS}:7", "$.input", RECORDS, 7, None),
        (f"{RECORDS}:7", "$.steps[0]", RECORDS, 7, "$.validation"),
        (f"{RECORDS}:1", "$.metadata.team", RECORDS, 7, "$.metadata.team"),
        (f"{RECORDS}:1", "$.expected", REPORT, None, "$.confusion.yes"),
        (CONTRACT, "$.requirements.min_accuracy", REPORT, None, "$.checks[0].limit"),
        (REPORT, "$.backend.name", RECORDS, 3, "$.result.backend"),
    ],
)
def test_an_edit_shows_at_its_place_and_in_what_follows(
    where: str, place: str, file: str, line: int | None, path: str | None
) -> None:
    """Over it, in it, and in what was derived of it."""
    assert _shows("field, re-hashed", where, place, file, line, path)


@pytest.mark.parametrize(
    ("where", "place", "file", "line", "path"),
    [
        (f"{RECORDS}:7", "$.result.confidence", RECORDS, 8, "$.result.confidence"),
        (f"{RECORDS}:7", "$.result.confidence", RECORDS, 7, "$.result.selected"),
        (f"{RECORDS}:7", "$.metadata.team", RECORDS, 7, "$.comparison"),
        (f"{RECORDS}:7", "$.observed.latency_ms", REPORT, None, "$.metrics.accuracy"),
        (f"{RECORDS}:7", "$.steps[0]", RECORDS, 7, "$.metadata"),
        (f"{RECORDS}:7", "$.input", REPORT, None, "$.records.root"),
        (REPORT, "$.metrics.accuracy.value", REPORT, None, "$.counts.cases"),
        (REPORT, "$.checks[3].value", REPORT, None, "$.checks[4].value"),
        (REPORT, "$.metrics.accuracy.value", REPORT, None, "$.digest"),
        (CONTRACT, "$.requirements.min_accuracy", RECORDS, 3, "$.input"),
        (CONTRACT, "$.warnings.max_ece", CONTRACT, None, "requirements"),
    ],
)
def test_an_edit_does_not_show_elsewhere(where: str, place: str, file: str, line: int | None, path: str) -> None:
    """On another line, in what does not follow from it, or in a digest that was made to fit."""
    assert not _shows("field, re-hashed", where, place, file, line, path)


def test_a_digest_tells_of_an_edit_until_it_is_made_to_fit() -> None:
    """So that of a forged file no digest is taken for a reason."""
    edit = (f"{RECORDS}:7", "$.input", REPORT, None, "$.records.root")
    assert _shows("field, plain", *edit)
    assert not _shows("field, re-hashed", *edit)
