"""R1, R2: labels are read as they are written, numbers and flags only where they are due."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from robust.records.backend_config import MockConfig
from robust.store.contracts import read_contract
from tests.unit.app.contract_texts import choice, load, placed, read, refused


@pytest.mark.parametrize(
    ("written", "labels"),
    [
        ("[yes, no]", ("yes", "no")),
        ("[NO, SE]", ("NO", "SE")),
        ("[on, off]", ("on", "off")),
        ("[Y, N, true, False]", ("Y", "N", "true", "False")),
        ("[010, 1_000, 1:30]", ("010", "1_000", "1:30")),
        ("[null, ~, none]", ("null", "~", "none")),
        ("[2024-01-01, 1.0, 1e3, 0x1F, .inf, 0o7]", ("2024-01-01", "1.0", "1e3", "0x1F", ".inf", "0o7")),
        ("[\"yes\", 'no']", ("yes", "no")),
        ("[=, <<]", ("=", "<<")),
        ("['a b', é, 日本, 🙂]", ("a b", "é", "日本", "🙂")),
    ],
)
def test_labels_are_the_text_that_stands_in_the_file(written: str, labels: tuple[str, ...]) -> None:
    """No implicit type of YAML touches a label."""
    assert read(choice(written)).decision.options == labels


def test_labels_and_levels_of_the_other_types_are_texts_too() -> None:
    """R1 for a noul decision, R2 for a score."""
    noul = choice("[a, b]").replace("type: choice\n  options: [a, b]", "type: noul\n  labels: [no, yes]")
    score = choice("[a, b]").replace("type: choice\n  options: [a, b]", "type: score\n  levels: [010, 1_000, 1:30]")
    assert read(noul).decision.label_order == ("no", "yes")
    assert read(score).decision.label_order == ("010", "1_000", "1:30")


def test_a_noul_decision_is_yes_or_no_unless_told_otherwise() -> None:
    """Without labels, and with an explicit null, positive first."""
    text = choice("[a, b]").replace("type: choice\n  options: [a, b]", "type: noul")
    assert read(text).decision.label_order == ("yes", "no")
    assert read(text.replace("type: noul", "type: noul\n  labels: null")).decision.label_order == ("yes", "no")


def test_keys_that_are_labels_are_read_as_written() -> None:
    """A mock answer keyed on/off and 010 is over those texts."""
    more = "  default: {on: 0.25, 010: 0.75}\n"
    contract = read(choice("[on, 010]").replace("backend: mock", "backend:\n  provider: mock") + more)
    assert isinstance(contract.backend, MockConfig)
    assert contract.backend.default == {"on": 0.25, "010": 0.75}


@pytest.mark.parametrize("written", ["1e-3", "0.001", ".001", "+1e-3", "0.1e-2", "1E-3"])
def test_a_number_may_be_written_in_any_usual_way_where_one_is_due(written: str) -> None:
    """R2: 1e-3 is 0.001, which the default resolver of YAML would call text."""
    limits = read(choice("[a, b]", f"properties:\n  variants: {{max_tv_distance: {written}}}\n")).properties.variants
    assert limits is not None
    assert limits.max_tv_distance == 0.001


@pytest.mark.parametrize(
    "written", ["'0.5'", "yes", "1_000", "0x1", ".nan", ".inf", "1e999", "half", "[0.5]", "true", "1:30", "٣"]
)
def test_what_is_no_number_is_refused_where_one_is_due(tmp_path: Path, written: str) -> None:
    """Quoted text is not a number, and nothing infinite is a limit."""
    error = refused(tmp_path, choice("[a, b]", f"requirements:\n  min_accuracy: {written}\n"))
    assert placed(error) == [("wrong_value", 8, "requirements.min_accuracy")]


@pytest.mark.parametrize("written", ["yes", "on", "1", "True", "'true'"])
def test_only_true_and_false_are_flags(tmp_path: Path, written: str) -> None:
    """Where a boolean is due, nothing else will do."""
    error = refused(tmp_path, choice("[a, b]", f"properties:\n  variants: {{enabled: {written}}}\n"))
    assert placed(error) == [("wrong_value", 8, "properties.variants.enabled")]
    assert "true or false is due" in error.problems[0].message


@pytest.mark.parametrize("written", ["4.0", "1e1", "'4'", "four", "99999999999999999999999"])
def test_a_whole_number_has_no_fraction_and_no_exponent(tmp_path: Path, written: str) -> None:
    """Refused with line and path."""
    error = refused(tmp_path, choice("[a, b]", f"evaluation:\n  max_concurrency: {written}\n"))
    assert placed(error) == [("wrong_value", 8, "evaluation.max_concurrency")]


def test_a_seed_that_canonical_json_cannot_hold_is_refused(tmp_path: Path) -> None:
    """2^53 + 1 would be another number for every other reader."""
    text = choice("[a, b]").replace("backend: mock", "backend: {provider: mock, seed: 9007199254740993}")
    assert placed(refused(tmp_path, text)) == [("wrong_value", 6, "backend.seed")]


def test_labels_of_a_json_contract_stay_as_written(tmp_path: Path) -> None:
    """1.0 and 1e2 are those texts, quoted or not."""
    decision = '{"name": "q", "type": "choice", "options": [1.0, 1e2, "010"]}'
    text = f'{{"schema_version": 1, "decision": {decision}, "backend": "mock"}}'
    assert load(tmp_path, text, "c.json").decision.options == ("1.0", "1e2", "010")


def test_json_and_yaml_of_the_same_meaning_are_one_contract(tmp_path: Path) -> None:
    """And so is the dict from Python."""
    data = {
        "schema_version": "1",
        "decision": {"name": "q", "type": "choice", "options": ["a", "b"]},
        "backend": {"provider": "mock"},
    }
    digests = {
        load(tmp_path, json.dumps(data), "c.json").digest,
        load(tmp_path, choice("[a, b]")).digest,
        read_contract(data).digest,
    }
    assert len(digests) == 1
