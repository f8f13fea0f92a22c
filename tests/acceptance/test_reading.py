"""Rows R1 to R9, but R5, which is about consoles and stands in test_cli_basics.py: reading contracts and data."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from robust import Case, ContractError, DataError, RobustError
from robust.records.backend_config import MockConfig
from robust.records.contract import Contract
from robust.store.contracts import load_contract
from robust.store.datasets import read_dataset

ASSUMED = "oracles: {policy: assumed}\n"
HEAD = 'schema_version: "1"\nbackend: {provider: mock}\n'


def contract(tmp_path: Path, text: str) -> Contract:
    path = tmp_path / "contract.yaml"
    path.write_text(text, encoding="utf-8")
    return load_contract(path)


def refusal(tmp_path: Path, text: str) -> ContractError:
    with pytest.raises(ContractError) as caught:
        contract(tmp_path, text)
    return caught.value


def rows(tmp_path: Path, content: str, name: str = "rows.jsonl") -> list[Case]:
    path = tmp_path / name
    path.write_text(content, encoding="utf-8", newline="")
    return list(read_dataset(path))


def test_r1_labels_that_yaml_takes_for_booleans_are_texts(tmp_path: Path) -> None:
    """yes, no, NO, SE and the key on are what they look like."""
    noul = contract(tmp_path, HEAD + "decision: {name: d, type: noul, labels: [yes, no]}\n")
    assert noul.decision.label_order == ("yes", "no")
    assert contract(tmp_path, HEAD + "decision: {name: d, type: noul}\n").decision.label_order == ("yes", "no")
    choice = contract(tmp_path, HEAD + "decision: {name: d, type: choice, options: [NO, SE]}\n")
    assert choice.decision.label_order == ("NO", "SE")
    text = 'schema_version: "1"\ndecision: {name: d, type: noul, labels: [on, off]}\n'
    keyed = contract(tmp_path, text + "backend:\n  provider: mock\n  default:\n    on: 0.75\n    off: 0.25\n")
    assert isinstance(keyed.backend, MockConfig)
    assert keyed.backend.default == {"on": 0.75, "off": 0.25}
    aliases = "    aliases:\n      on: [go]\n      off: [010]\n    styles: [quoted]\n    max_flip_rate: 0\n"
    shown = contract(tmp_path, text + f"backend: mock\n{ASSUMED}properties:\n  label_format:\n{aliases}")
    assert shown.properties.label_format is not None
    assert shown.properties.label_format.aliases == {"on": ("go",), "off": ("010",)}


def test_r2_levels_are_texts_and_limits_are_numbers(tmp_path: Path) -> None:
    """010, 1_000 and 1:30 stay as written; 1e-3 is a number where one is due."""
    text = HEAD + "decision: {name: d, type: score, levels: [010, 1_000, 1:30]}\n"
    read = contract(tmp_path, text + "properties:\n  variants:\n    max_tv_distance: 1e-3\n")
    assert read.decision.label_order == ("010", "1_000", "1:30")
    assert read.properties.variants is not None
    assert read.properties.variants.max_tv_distance == 0.001
    more = "properties:\n  monotonic: {field: 010, deltas: [1e-3, .5]}\n"
    raised = contract(tmp_path, HEAD + "decision: {name: d, type: score, levels: [1, 2]}\n" + ASSUMED + more)
    assert raised.properties.monotonic is not None
    assert (raised.properties.monotonic.field, raised.properties.monotonic.deltas) == ("010", (0.001, 0.5))


def test_r3_a_key_that_stands_twice_is_an_error_with_both_lines(tmp_path: Path) -> None:
    """The second is named by its place, the first by its line."""
    text = (
        HEAD + "decision: {name: d, type: noul}\nproperties:\n  variants:\n    max_flip_rate: 0\n    max_flip_rate: 1\n"
    )
    error = refusal(tmp_path, text)
    assert (error.code, error.problems[0].line) == ("duplicate_key", 7)
    assert "line 6" in str(error)
    assert error.problems[0].path == "properties.variants.max_flip_rate"
    twice = "policy:\n  routes:\n    - action: abstain\n      action: abstain\n"
    error = refusal(tmp_path, HEAD + "decision: {name: d, type: noul}\n" + twice)
    assert (error.problems[0].line, error.problems[0].path) == (7, "policy.routes[0].action")
    assert "line 6" in str(error)


def test_r4_a_broken_line_is_named_and_nothing_is_imported(tmp_path: Path) -> None:
    """file:143:column."""
    lines = [json.dumps({"id": f"row {number}", "input": "x"}) for number in range(1, 201)]
    lines[142] = '{"id": "row 143", "input": }'
    with pytest.raises(DataError) as caught:
        rows(tmp_path, "\n".join(lines) + "\n")
    assert f"{tmp_path / 'rows.jsonl'}:143:28: " in str(caught.value)


@pytest.mark.parametrize(
    ("content", "line"),
    [
        ("id,input,expected\na,x,1\nb,y\n", 3),
        ("id,input,expected\na,x,1\nb,y,2,3\n", 3),
        ("id,input,input\na,x,1\n", 1),
    ],
)
def test_r6_a_csv_row_of_the_wrong_width_is_an_error(tmp_path: Path, content: str, line: int) -> None:
    """A missing cell, an extra cell, a repeated header: nothing is guessed."""
    with pytest.raises(DataError) as caught:
        rows(tmp_path, content, "rows.csv")
    assert caught.value.problems[0].line == line


def test_r7_a_sequence_as_a_key_is_a_contract_error(tmp_path: Path) -> None:
    """Not a TypeError."""
    error = refusal(tmp_path, HEAD + "decision:\n  ? [a, b]\n  : c\n")
    assert (error.code, error.problems[0].line) == ("bad_key", 4)


def test_r8_a_misspelled_gate_is_an_error_with_the_suggestion(tmp_path: Path) -> None:
    """With line and dotted path."""
    error = refusal(tmp_path, HEAD + "decision: {name: d, type: noul}\nrequirements:\n  min_acuracy: 0.9\n")
    problem = error.problems[0]
    assert (problem.code, problem.line, problem.path) == ("unknown_key", 5, "requirements.min_acuracy")
    assert "min_accuracy" in (problem.hint or "")


@pytest.mark.parametrize(
    ("section", "path", "meant"),
    [
        ("propertis: {}", "propertis", "properties"),
        ("properties: {option_oder: {}}", "properties.option_oder", "option_order"),
        ("properties: {whitespace: {max_flip_rat: 0}}", "properties.whitespace.max_flip_rat", "max_flip_rate"),
        ("regression: {warnings: {max_acuracy_drop: 0}}", "regression.warnings.max_acuracy_drop", "max_accuracy_drop"),
        ("production: {segment: [a]}", "production.segment", "segments"),
        ("backends: {b: {provider: http, url: 'http://h', timout_s: 3}}", "backends.b.timout_s", "timeout_s"),
        ("oracles: {default: {provider: builtin, kep: []}}", "oracles.default.kep", "keep"),
        ("policy: {routes: [{acton: accept, action: abstain}]}", "policy.routes[0].acton", "action"),
    ],
)
def test_r8_a_misspelled_key_of_any_section_gets_its_suggestion(
    tmp_path: Path, section: str, path: str, meant: str
) -> None:
    """From the settings of the very section in which it stands."""
    error = refusal(tmp_path, f"{HEAD}decision: {{name: d, type: noul}}\n{section}\n")
    (problem,) = [problem for problem in error.problems if problem.code == "unknown_key"]
    assert (problem.line, problem.path, problem.hint) == (4, path, f"did you mean {meant!r}?")


@pytest.mark.parametrize(
    "monster", ["[" * 100_000 + "]" * 100_000, '{"a":' * 100_000 + "1" + "}" * 100_000, "7" * 5000]
)
def test_r9_monsters_are_refused_clearly(tmp_path: Path, monster: str) -> None:
    """100,000 levels and 5,000 digits: one clear error each, in data sets and contracts alike."""
    with pytest.raises(DataError) as caught:
        rows(tmp_path, f'{{"id":"a","input":{{"x":{monster}}}}}\n')
    assert caught.value.code in ("too_deep", "number_range")
    assert caught.value.problems[0].line == 1
    assert len(str(caught.value)) < 1000
    path = tmp_path / "contract.json"
    path.write_text('{"decision":' + monster + "}", encoding="utf-8")
    with pytest.raises(RobustError) as refused:
        load_contract(path)
    assert isinstance(refused.value, ContractError)
    assert len(str(refused.value)) < 1000


@pytest.mark.parametrize("monster", ["[" * 10_000 + "]" * 10_000, "{a: " * 10_000 + "1" + "}" * 10_000])
def test_r9_deep_yaml_is_refused_clearly(tmp_path: Path, monster: str) -> None:
    """As a contract error with its line, not as an exhausted stack; the C parser has a limit of its own."""
    error = refusal(tmp_path, "decision: " + monster)
    assert "nest" in str(error)
    assert error.problems[0].line == 1


def test_r9_a_monstrous_number_in_a_plugins_settings_is_refused(tmp_path: Path) -> None:
    """Free settings are plain JSON, in which it would become another number."""
    text = 'schema_version: "1"\ndecision: {name: d, type: noul}\nbackend: {provider: ours, n: ' + "7" * 5000 + "}\n"
    (problem,) = refusal(tmp_path, text).problems
    assert (problem.line, problem.path) == (3, "backend.n")
    assert len(str(problem)) < 500
