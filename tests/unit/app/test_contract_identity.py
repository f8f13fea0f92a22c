"""The contract digest: unchanged by how the file is written, changed by any change of meaning."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from robust.canon import JsonObject
from robust.records.contract import Contract
from robust.store.contracts import contract_of_node, read_contract
from robust.store.yaml_nodes import yaml_nodes
from tests.unit.app.contract_texts import HEAD, read

FULL = """\
schema_version: "1"
decision: {name: q, type: noul, labels: [yes, no], description: Is it so?}
backend:
  provider: mock
  model: m
  rules: [{contains: x, probabilities: {yes: 0.9, no: 0.1}}]
manifest: m.manifest.jsonl
split: dev
evaluation: {confidence_threshold: 0.5}
requirements: {min_accuracy: 0.9}
properties: {variants: {max_tv_distance: 0.1}}
"""
REWRITTEN = """\
# The same, written otherwise.
properties:
    variants:
        max_tv_distance: 1e-1
        enabled: true   # a default, spelled out
requirements:
    "min_accuracy": 0.90
evaluation: {calibration_bins: 10, confidence_threshold: .5}
split: 'dev'
manifest: >-
    m.manifest.jsonl
backend:
    rules:
        - probabilities: {'no': 0.1, 'yes': 0.9}
          contains: "x"
    seed: 0
    model: m
    provider: mock
decision:
    labels: ["yes", "no"]
    type: noul
    description: "Is it so?"
    name: q
schema_version: 1
warnings: {}
"""
label_texts = st.text(st.characters(categories=("L", "N", "P", "S")), min_size=1, max_size=6)
shares = st.floats(0, 1, allow_nan=False)
limits = st.one_of(st.none(), shares)
gates = st.fixed_dictionaries({}, optional={"min_accuracy": shares, "min_macro_f1": shares, "max_error_rate": shares})


@st.composite
def contracts(draw: st.DrawFn) -> JsonObject:
    """Contracts of every type, with odd labels, limits and mock answers."""
    kind = draw(st.sampled_from(["choice", "noul", "score"]))
    size = 2 if kind == "noul" else draw(st.integers(2, 5))
    labels = draw(st.lists(label_texts, min_size=size, max_size=size, unique=True))
    field = {"choice": "options", "noul": "labels", "score": "levels"}[kind]
    backend: JsonObject = {"provider": "mock", "seed": draw(st.integers(-(2**53) + 1, 2**53 - 1))}
    if draw(st.booleans()):
        backend["default"] = {label: float(index == 0) for index, label in enumerate(labels)}
        backend["rules"] = [{"contains": draw(label_texts), "probabilities": dict(backend["default"])}]
    data: JsonObject = {
        "schema_version": "1",
        "decision": {"name": "q", "type": kind, field: labels},
        "backend": backend,
        "requirements": draw(gates),
        "warnings": draw(gates),
        "evaluation": {"confidence_threshold": draw(limits)},
    }
    if draw(st.booleans()):
        data |= {
            "manifest": "m.jsonl",
            "properties": {"variants": {"max_tv_distance": draw(limits), "max_flip_rate": draw(limits)}},
        }
    return data


def _shuffled(value: Any, order: random.Random) -> Any:
    if isinstance(value, dict):
        keys = list(value)
        order.shuffle(keys)
        return {key: _shuffled(value[key], order) for key in keys}
    return [_shuffled(item, order) for item in value] if isinstance(value, list) else value


@given(contracts())
def test_the_normalised_form_reads_back_as_the_same_contract(data: JsonObject) -> None:
    """From contract.json of a run, also after a trip through JSON text and through YAML text."""
    contract = read_contract(data)
    stored = contract.normalised()
    again = [
        read_contract(stored),
        read_contract(json.loads(json.dumps(stored))),
        contract_of_node(yaml_nodes(yaml.safe_dump(stored, allow_unicode=True))),
    ]
    for other in again:
        assert (other, other.digest) == (contract, contract.digest)
        assert other.normalised() == stored


@given(contracts(), st.randoms(use_true_random=False))
def test_the_order_of_keys_is_no_part_of_the_identity(data: JsonObject, order: random.Random) -> None:
    """At any depth; the order of labels is."""
    contract = read_contract(data)
    assert read_contract(_shuffled(data, order)).digest == contract.digest
    field = next(name for name in ("options", "labels", "levels") if name in data["decision"])
    turned = {**data, "decision": {**data["decision"], field: data["decision"][field][::-1]}}
    assert read_contract(turned).digest != contract.digest


def test_formatting_comments_order_and_spelled_out_defaults_change_nothing() -> None:
    """Two files of one meaning, one digest."""
    assert read(FULL).digest == read(REWRITTEN).digest


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("name: q", "name: r"),
        ("Is it so?", "Is it not so?"),
        ("[yes, no]", "[no, yes]"),
        ("model: m", "model: n"),
        ("contains: x", "contains: y"),
        ("yes: 0.9, no: 0.1", "yes: 0.8, no: 0.2"),
        ("m.manifest", "n.manifest"),
        ("split: dev", "split: test"),
        ("confidence_threshold: 0.5", "confidence_threshold: 0.6"),
        ("min_accuracy: 0.9", "min_accuracy: 0.91"),
        ("requirements", "warnings"),
        ("max_tv_distance: 0.1", "max_abs_delta: 0.1"),
        ("max_tv_distance: 0.1", "max_tv_distance: 0.1, enabled: false"),
        ("max_tv_distance: 0.1", "max_tv_distance: 0.1, level: warning"),
    ],
)
def test_any_change_of_meaning_changes_the_digest(before: str, after: str) -> None:
    """One setting at a time."""
    changed = FULL.replace(before, after)
    assert changed != FULL
    assert read(changed).digest != read(FULL).digest


@pytest.mark.parametrize(
    "section",
    [
        "backends: {other: mock}",
        "fuzz: {seed: 1}",
        "fuzz: {minimize: false}",
        "oracles: {policy: assumed}",
        "oracles: {default: builtin}",
        "statistics: {confidence: 0.9}",
        "statistics: {judge: bound}",
        "noise: {baseline_runs: 2}",
        "budget: {max_calls: 5}",
        "regression: {min_segment_size: 6}",
        "regression: {warnings: {max_accuracy_drop: 0}}",
        "production: {segments: [a]}",
        "policy: {routes: [{action: abstain}]}",
    ],
)
def test_every_section_counts(section: str) -> None:
    """Whatever it is about, another setting is another contract."""
    assert read(f"{HEAD}{section}\n").digest != read(HEAD).digest


@pytest.mark.parametrize(
    "section",
    [
        "backends: {}",
        "fuzz: {seed: 0, text_field: null}",
        "oracles: {policy: required, default: ~}",
        "statistics: {confidence: 0.95}",
        "noise: {alpha: 5e-2}",
        "budget: {max_cost: null}",
        "regression: {segment_by: []}",
        "production: {requirements: {}}",
        "policy: null",
    ],
)
def test_a_default_that_is_spelled_out_does_not(section: str) -> None:
    """Nor does a null where nothing is the default."""
    assert read(f"{HEAD}{section}\n").digest == read(HEAD).digest


def test_a_null_that_is_no_default_counts_and_is_kept() -> None:
    """A server that wants no key is another backend than one whose key has the usual name."""
    chat = HEAD.replace("mock", "{provider: openai, url: 'http://h', model: m, instructions: Which?%s}")
    bare, named, none = (read(chat % more) for more in ("", ", api_key_env: OPENAI_API_KEY", ", api_key_env: null"))
    assert bare.digest == named.digest != none.digest
    assert read_contract(json.loads(json.dumps(none.normalised()))).digest == none.digest


def test_settings_that_came_later_are_in_no_digest_of_the_old_format() -> None:
    """So that a contract of the published format keeps its digest whatever is added."""
    old = read(HEAD.replace('"1"', "0.1")).normalised()
    new = read(HEAD).normalised()
    assert old.keys() == new.keys() - {"oracles", "statistics", "noise", "budget"}
    assert new["backend"].keys() - old["backend"].keys() == {"noise"}
    assert read_contract(old).oracles.policy == "assumed"
    assert read_contract(new).oracles.policy == "required"


def test_the_digest_is_stable_over_releases() -> None:
    """A golden value: what was recorded must be found again."""
    assert read(HEAD).digest == "sha256:8ef34cda5c3f3e5f4a3c17f794cd779a9b048ae2eed840186e49884ae0c485b4"
    old = "sha256:24aacfcedb58ba0caea3bea6f8820e1dc6fb18bedd535895cedfc1165c38e44f"
    assert read(HEAD.replace('"1"', "0.1")).digest == old


def test_a_contract_cannot_be_changed_after_it_was_read() -> None:
    """Frozen, so that its digest stays true."""
    contract: Contract = read(HEAD)
    with pytest.raises(ValueError, match="frozen"):
        contract.split = "other"  # type: ignore[misc]
