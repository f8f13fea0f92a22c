"""A journal's keys follow from its records, and what was not finished is asked again."""

from __future__ import annotations

import json
import threading
from pathlib import Path
from typing import Any

import pytest

from robust import Case, IntegrityError, OracleVerdict, Validation, validate_variants
from robust.canon import canonical_bytes
from robust.store.validations import FileJournal
from tests.builders import CONTRACT, sum_case, valid_variant
from tests.validators import check_addition


def run(journal: Path, validator: Any = check_addition, **terms: Any) -> list[Validation]:
    pairs = [(sum_case(), sum_case(f"variant-{number}", f"What is 2 plus {number}?")) for number in (5, 6)]
    settings = {"relation": "counterfactual", "contract": CONTRACT, "validator": validator, **terms}
    return list(validate_variants(pairs, journal=journal, **settings))


def refusal(journal: Path, entries: list[Any]) -> tuple[str, str | None]:
    journal.write_bytes(b"".join(canonical_bytes(entry) + b"\n" for entry in entries))
    with pytest.raises(IntegrityError) as caught:
        run(journal)
    return caught.value.code, caught.value.problems[0].path


def test_records_under_each_others_keys_are_refused(tmp_path: Path) -> None:
    """Each by itself is in order; a key says which question was answered."""
    journal = tmp_path / "journal"
    first = run(journal)
    entries = [json.loads(line) for line in journal.read_bytes().splitlines()]
    assert [item.digest for item in run(journal)] == [item.digest for item in first]
    entries[0]["record"], entries[1]["record"] = entries[1]["record"], entries[0]["record"]
    assert refusal(journal, entries) == ("contradiction", "$.key")


def test_a_line_that_is_no_entry_is_refused(tmp_path: Path) -> None:
    """Of another shape, or with a record that is none."""
    record = valid_variant()
    for entry in ({"key": "a"}, {"key": "a", "event": 5}, {"key": record.key, "record": record.data, "event": "x"}):
        assert refusal(tmp_path / "journal", [entry])[0] == "unknown_line"
    records: tuple[Any, ...] = (5, None, [], "text")
    for value in records:
        assert refusal(tmp_path / "journal", [{"key": "a", "record": value}]) == ("wrong_value", "$")


@pytest.mark.parametrize("terms", [{}, {"comparator": "number"}, {"labels": "visible"}, {"repeats": 2}])
def test_the_key_of_a_question_is_the_key_of_its_record(tmp_path: Path, terms: Any) -> None:
    """Computed before and after the judgement, by one function."""
    records = run(tmp_path / "journal", **terms)
    with FileJournal(tmp_path / "journal") as journal:
        assert [journal.get(record.key) for record in records] == records


def test_a_pair_that_timed_out_is_asked_again(tmp_path: Path) -> None:
    """It is noted, not finished; more time may help."""
    released = threading.Event()

    def slow(base: Case, candidate: Case) -> OracleVerdict:
        if candidate.case_id == "variant-5":
            released.wait(20)
        return check_addition(base, candidate)

    slow.name = "slow"  # type: ignore[attr-defined]
    journal = tmp_path / "journal"
    assert [item.issues for item in run(journal, slow, timeout_s=0.3)] == [("validator_timeout",), ()]
    entries = [json.loads(line) for line in journal.read_bytes().splitlines()]
    assert [entry.get("event") for entry in entries] == ["validator_timeout", None]
    released.set()
    assert [item.issues for item in run(journal, slow, timeout_s=20)] == [(), ()]
