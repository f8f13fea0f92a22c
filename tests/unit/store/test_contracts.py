"""Contract files: what stands there is what is read, and every problem is named at once."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml

from robust import ContractError, UsageError
from robust.records.contract import Contract
from robust.store.contracts import load_contract, read_contract
from robust.store.yaml_nodes import yaml_nodes

GOOD = """\
schema_version: "1"
decision:
  name: eligible
  type: choice
  options: [yes, no, 010, 1.0, null, 2024-01-01]
backend:
  provider: mock
"""


def contract(tmp_path: Path, text: str, name: str = "contract.yaml") -> Contract:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return load_contract(path)


def refusal(tmp_path: Path, text: str, name: str = "contract.yaml") -> list[tuple[str, int | None, str | None]]:
    with pytest.raises(ContractError) as caught:
        contract(tmp_path, text, name)
    assert all(problem.file == str(tmp_path / name) for problem in caught.value.problems)
    return [(problem.code, problem.line, problem.path) for problem in caught.value.problems]


def test_labels_are_the_texts_that_stand_there(tmp_path: Path) -> None:
    """Words that YAML 1.1 takes for booleans, numbers, null or dates are labels."""
    assert contract(tmp_path, GOOD).decision.label_order == ("yes", "no", "010", "1.0", "null", "2024-01-01")


def test_json_contracts_read_the_same(tmp_path: Path) -> None:
    """A number in JSON is the label of its own text."""
    data = {
        "schema_version": "1",
        "decision": {"name": "d", "type": "score", "levels": [1, "2", 3]},
        "backend": "mock",
    }
    text = json.dumps(data).replace("[1,", "[1.0,")
    assert contract(tmp_path, text, "contract.json").decision.levels == ("1.0", "2", "3")
    assert read_contract(data).decision.levels == ("1", "2", "3")
    assert refusal(tmp_path, GOOD, "contract.json")[0][:2] == ("json_syntax", 1)


def test_every_problem_is_named_at_once_with_line_and_path(tmp_path: Path) -> None:
    """Four mistakes, four problems, in the order of their lines."""
    text = GOOD.replace("type: choice", "type: choise").replace("provider: mock", "provider: mock\n  seed: soon")
    text += "evaluation:\n  calibration_bin: 5\nrequirements:\n  min_accuracy: 1.5\n"
    assert refusal(tmp_path, text) == [
        ("wrong_value", 4, "decision.type"),
        ("wrong_value", 8, "backend.seed"),
        ("unknown_key", 10, "evaluation.calibration_bin"),
        ("wrong_value", 12, "requirements.min_accuracy"),
    ]


@pytest.mark.parametrize(
    ("old", "new", "path"),
    [
        ("options: [yes", "options: [no", "decision.options"),
        ("[yes, no, 010, 1.0, null, 2024-01-01]", "[only]", "decision.options"),
        ("[yes, no,", "['', no,", "decision.options[0]"),
        ("[yes, no,", "[' yes', no,", "decision.options[0]"),
        ("[yes, no,", '["a\\nb", no,', "decision.options[0]"),
        ("options: ", "levels: ", "decision.levels"),
        ("name: eligible", "name: not eligible", "decision.name"),
        ("type: choice", "type: noul", "decision.options"),
        ("options: [yes", "options: [[yes]", "decision.options[0]"),
        ('"1"', '"2"', "schema_version"),
        ("provider: mock", "provider: a b", "backend.provider"),
        ("provider: mock", "provider: callable\n  noise: 0.1", "backend.noise"),
    ],
)
def test_impossible_contracts_are_refused(tmp_path: Path, old: str, new: str, path: str) -> None:
    """Each names the part of the contract."""
    assert old in GOOD
    assert path in [found for _, _, found in refusal(tmp_path, GOOD.replace(old, new))]


def test_sections_must_fit_each_other(tmp_path: Path) -> None:
    """Data set and manifest exclude each other, pins need a manifest, coverage gates need a threshold."""
    for extra in (
        "dataset: a.jsonl\nmanifest: b.jsonl\n",
        "manifest_digest: sha256:" + "0" * 64 + "\n",
        "manifest: b.jsonl\nmanifest_digest: sha256:0\n",
        "requirements:\n  min_coverage: 0.5\n",
        "warnings:\n  max_abstention_rate: 0.5\n",
    ):
        assert refusal(tmp_path, GOOD + extra)[0][0] == "impossible_combination"


def test_the_digest_is_of_the_meaning(tmp_path: Path) -> None:
    """Comments, order, quotes and spelled-out defaults change nothing; another limit does."""
    plain = contract(tmp_path, GOOD).digest
    same = "# said again\nbackend: 'mock'\nevaluation: {calibration_bins: 10}\n" + GOOD.split("backend", maxsplit=1)[0]
    assert contract(tmp_path, same).digest == plain
    assert contract(tmp_path, GOOD + "requirements: {min_accuracy: 0.9}\n").digest != plain
    assert read_contract(contract(tmp_path, GOOD).normalised()).digest == plain


@pytest.mark.parametrize(
    ("text", "code", "line"),
    [
        ("", "empty", None),
        ("a: [1", "yaml_syntax", None),
        ("a: 1\n b: 2\n", "yaml_syntax", 2),
        ("a: 1\n---\nb: 2\n", "yaml_syntax", 2),
        ("a: 1\nb: 2\na: 3\n", "duplicate_key", 3),
        ("a: *nothing\n", "yaml_alias", 1),
        ("a: &a [*a]\n", "yaml_alias", 1),
        ("a: !!python/object:os.system x\n", "yaml_tag", 1),
        ("a: !!int 1\n", "yaml_tag", 1),
        ("? [a, b]\n: 1\n", "bad_key", 1),
        ("a: \x07\n", "yaml_syntax", None),
        ("[" * 300 + "]" * 300, "too_deep", 1),
    ],
)
def test_yaml_that_is_not_plain_data_is_refused(text: str, code: str, line: int | None) -> None:
    """Syntax, tags, aliases that go nowhere or round in circles, odd keys, depth; by either parser."""
    for loader in (yaml.SafeLoader, getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
        with pytest.raises(ContractError) as caught:
            yaml_nodes(text, file="c.yaml", loader=loader)
        assert caught.value.code == code
        assert line is None or caught.value.problems[0].line == line


def test_aliases_may_not_expand_without_end() -> None:
    """A billion laughs stop at the limit."""
    laughs = "a0: &a0 [x]\n" + "".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]\n" for n in range(1, 12))
    with pytest.raises(ContractError) as caught:
        yaml_nodes(laughs)
    assert caught.value.code == "too_large"


def test_aliases_are_followed(tmp_path: Path) -> None:
    """An anchor is a shorthand for what it names."""
    text = GOOD + "requirements: &limits {min_accuracy: 0.9}\nwarnings: *limits\n"
    assert contract(tmp_path, text).warnings.limits() == {"min_accuracy": 0.9}


def test_other_files_are_refused(tmp_path: Path) -> None:
    """By their ending, their size, their bytes, or because they are not there."""
    assert refusal(tmp_path, GOOD, "contract.txt")[0][0] == "unknown_format"
    assert refusal(tmp_path, GOOD + "#" * 1_000_000)[0][0] == "too_large"
    (tmp_path / "latin.yaml").write_bytes(b"a: caf\xe9\n")
    with pytest.raises(ContractError, match="is not UTF-8"):
        load_contract(tmp_path / "latin.yaml")
    with pytest.raises(UsageError):
        load_contract(tmp_path / "missing.yaml")
