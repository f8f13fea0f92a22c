"""The JSON Schema of contracts: what it accepts, what it refuses, and that it says what every setting is."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from robust.records.contract_schema import contract_schema
from tests.contract_files import EXAMPLES, NEGATIVE, POSITIVE, Broken, as_an_editor_reads

SCHEMA = contract_schema()
VALIDATOR = Draft202012Validator(SCHEMA)
GOOD = [*POSITIVE, *EXAMPLES]


def read(path: Path) -> Any:
    return as_an_editor_reads(path.read_text(encoding="utf-8"), path.name)


def test_it_is_a_schema_in_the_dialect_that_it_names() -> None:
    """Draft 2020-12, and plain JSON."""
    Draft202012Validator.check_schema(SCHEMA)
    assert SCHEMA["$schema"] == Draft202012Validator.META_SCHEMA["$id"]
    assert json.loads(json.dumps(SCHEMA)) == SCHEMA


@pytest.mark.parametrize("path", GOOD, ids=lambda path: path.name)
def test_every_good_contract_of_the_repository_is_accepted(path: Path) -> None:
    """As an editor reads it: 010 is a number there, yes perhaps a boolean, and both are labels."""
    assert [error.message for error in VALIDATOR.iter_errors(read(path))] == []


@pytest.mark.parametrize("example", NEGATIVE, ids=[each.path.stem for each in NEGATIVE])
def test_broken_contracts_are_refused_where_a_schema_can_see_it(example: Broken) -> None:
    """Unknown keys, wrong values, settings that came later; hardly what sections ask of each other."""
    assert VALIDATOR.is_valid(as_an_editor_reads(example.text)) is not example.schema_refuses


@pytest.mark.parametrize(
    ("setting", "value"),
    [
        ("evaluation", {"calibration_bins": 0}),
        ("evaluation", {"calibration_bins": 10.5}),
        ("evaluation", {"probability_tolerance": 0}),
        ("evaluation", {"max_concurrency": "four"}),
        ("requirements", {"min_accuracy": 1.5}),
        ("requirements", [0.9]),
        ("policy", {"routes": []}),
        ("properties", {"monotonic": {"field": "x", "deltas": [0]}}),
        ("properties", {"option_order": {"enabled": "yes"}}),
        ("properties", {"inversion": {"max_flip_rate": 0}}),
        ("backend", "http"),
        ("backend", {"provider": "http", "ur": "http://h"}),
        ("backend", {"model": "m"}),
        ("backends", {"default": "mock"}),
        ("backends", {"a b": "mock"}),
        ("oracles", {"default": {"provider": "builtin", "kep": []}}),
        ("properties", {"option_order": {"max_flip_rat": 0}}),
        ("properties", {"label_format": {"oracle": {"provider": "presentation", "keep": []}}}),
        ("regression", {"warnings": {"max_acuracy_drop": 0.1}}),
        ("production", {"segment_requirements": {"max_ece_increase": 0.1}}),
        ("policy", {"routes": [{"action": "abstain", "backend": "default", "if": 1}]}),
        ("schema_version", "2"),
        ("decision", {"name": "q", "type": "choice"}),
        ("decision", {"name": "q", "type": "choice", "levels": ["a", "b"], "options": ["a", "b"]}),
        ("decision", {"name": "q", "type": "noul", "labels": ["a"]}),
    ],
)
def test_a_wrong_value_is_refused(setting: str, value: Any) -> None:
    """Types, ranges, lists, providers, and which labels a decision has."""
    good = {"schema_version": "1", "decision": {"name": "q", "type": "noul"}, "backend": "mock"}
    assert VALIDATOR.is_valid(good)
    assert not VALIDATOR.is_valid({**good, setting: value})


@pytest.mark.parametrize("version", ["0.1", 0.1, "1", 1])
def test_a_version_may_be_written_as_text_or_as_a_number(version: Any) -> None:
    """As in a contract; what came later is refused under the old one however it is written."""
    good = {"schema_version": version, "decision": {"name": "q", "type": "noul"}, "backend": "mock"}
    assert VALIDATOR.is_valid(good)
    assert VALIDATOR.is_valid({**good, "budget": {}}) is (version in ("1", 1))
    plugin = {"provider": "ours", "noise": 0.5, "oracle": 1}
    assert VALIDATOR.is_valid({**good, "backend": plugin})


def test_every_setting_and_every_section_is_described() -> None:
    """From the docstrings of the models, without their markup."""
    for name, section in SCHEMA["$defs"].items():
        assert section["description"], name
        for setting, schema in section["properties"].items():
            assert schema["description"], f"{name}.{setting}"
            assert "``" not in schema["description"]


def test_every_section_but_those_of_plugins_is_closed() -> None:
    """No other keys than those that the schema names."""
    open_ones = {name for name, section in SCHEMA["$defs"].items() if section.get("additionalProperties") is not False}
    assert {name.removesuffix("-0.1") for name in open_ones} == {"PluginConfig", "PluginOracle", "PluginSource"}


def test_the_old_version_has_no_setting_that_came_later() -> None:
    """Neither by mark nor by reference."""
    old = json.dumps({name: section for name, section in SCHEMA["$defs"].items() if name.endswith("-0.1")})
    assert "x-since" not in old
    assert "OpenAIConfig" not in old
    assert '"x-since"' in json.dumps(SCHEMA)
