"""``robust validate``: what it prints, where, and how it ends."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from robust.records.contract_schema import contract_schema
from robust.store.contracts import load_contract
from tests.contract_files import EXAMPLES, ROOT
from tests.run_fixtures import manifest_of, robust

CONTRACT = """\
schema_version: "1"
decision: {name: q, type: noul}
backend: {provider: mock, default: {yes: 0.2, no: 0.8}}
dataset: cases.jsonl
requirements: {min_accuracy: 0.5}
properties:
  whitespace:
    max_tv_distance: 0.1
    max_group_violation_rate: 0.05
oracles: {default: builtin}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a contract and a small data set."""
    (tmp_path / "contract.yaml").write_text(CONTRACT, encoding="utf-8")
    rows = "".join(f'{{"id": "c{n}", "input": "text {n}", "expected": "no"}}\n' for n in range(5))
    (tmp_path / "cases.jsonl").write_text(rows, encoding="utf-8")
    return tmp_path


def test_a_sound_contract_is_summed_up_and_its_digest_is_shown(folder: Path) -> None:
    """On standard output; warnings go to standard error and do not fail it; no run is made."""
    shown = robust("validate", "contract.yaml", cwd=folder)
    assert shown.returncode == 0
    assert shown.stdout.startswith("VALID  q (noul: yes, no)\n")
    assert load_contract(folder / "contract.yaml").digest in shown.stdout
    assert "5 cases of 5 sources, 5 with a known answer" in shown.stdout
    path = "properties.whitespace.max_group_violation_rate"
    assert shown.stderr.startswith(f"warning[too_few_groups]: contract.yaml:9: {path}: even without a violation")
    assert "needs 59 groups" in shown.stderr
    assert {path.name for path in folder.iterdir()} == {"contract.yaml", "cases.jsonl"}


def test_the_summary_is_also_json(folder: Path) -> None:
    """With the warnings in it."""
    shown = robust("validate", "contract.yaml", "-f", "json", cwd=folder)
    summary = json.loads(shown.stdout)
    assert shown.returncode == 0
    assert summary["digest"] == load_contract(folder / "contract.yaml").digest
    assert [note["code"] for note in summary["notes"]] == ["too_few_groups"]


def test_everything_that_is_wrong_is_named_at_once(folder: Path) -> None:
    """In the form of all messages, with exit code 2."""
    broken = CONTRACT.replace("min_accuracy: 0.5", "min_acuracy: 0.5, min_coverage: 0.9").replace("0.05", "5")
    (folder / "contract.yaml").write_text(broken, encoding="utf-8")
    shown = robust("validate", "contract.yaml", cwd=folder)
    assert (shown.returncode, shown.stdout) == (2, "")
    first, second, third = shown.stderr.splitlines()
    assert first.startswith("error[unknown_key]: contract.yaml:5: requirements.min_acuracy: there is no setting")
    assert first.endswith("; did you mean 'min_accuracy'?")
    needs = "requirements.min_coverage: needs evaluation.confidence_threshold"
    assert second == f"error[impossible_combination]: contract.yaml:5: {needs}"
    path = "properties.whitespace.max_group_violation_rate"
    assert third == f"error[wrong_value]: contract.yaml:9: {path}: must be at most 1 (found 5)"


def test_other_data_may_be_given(folder: Path) -> None:
    """A data set or a manifest, instead of what the contract names."""
    (folder / "more.jsonl").write_text('{"id": "a", "input": "b", "expected": "maybe"}\n', encoding="utf-8")
    shown = robust("validate", "contract.yaml", "--dataset", "more.jsonl", cwd=folder)
    assert shown.returncode == 2
    assert "error[unknown_label]: more.jsonl" in shown.stderr
    manifest_of({"I owe 5": [("I owe  5", "invariant")]}).save(folder / "m.jsonl")
    shown = robust("validate", "contract.yaml", "--manifest", "m.jsonl", cwd=folder)
    assert shown.returncode == 0
    assert "manifest numbers over the limit" in shown.stdout
    damaged = (folder / "m.jsonl").read_text(encoding="utf-8").replace("I owe 5", "I owe 6", 1)
    (folder / "m.jsonl").write_text(damaged, encoding="utf-8")
    assert robust("validate", "contract.yaml", "--manifest", "m.jsonl", cwd=folder).returncode == 3
    shown = robust("validate", "contract.yaml", "--manifest", "m.jsonl", "--dataset", "more.jsonl", cwd=folder)
    assert (shown.returncode, "error[two_sources]" in shown.stderr) == (2, True)


def test_nothing_is_asked_and_no_credential_is_needed(folder: Path) -> None:
    """A backend at an address where nobody listens, with a variable that is not set."""
    backend = "{provider: http, url: 'http://127.0.0.1:9/', bearer_token_env: ROBUST_TEST_UNSET}"
    text = CONTRACT.replace("{provider: mock, default: {yes: 0.2, no: 0.8}}", backend)
    (folder / "contract.yaml").write_text(text, encoding="utf-8")
    shown = robust("validate", "contract.yaml", cwd=folder)
    assert shown.returncode == 0
    assert "default: http" in shown.stdout


def test_the_schema_is_printed_for_editors() -> None:
    """As JSON, without a contract; with one it would be unclear what is asked for."""
    shown = robust("validate", "--schema")
    assert (shown.returncode, json.loads(shown.stdout)) == (0, contract_schema())
    for arguments in (["--schema", "c.yaml"], []):
        refused = robust("validate", *arguments)
        assert (refused.returncode, refused.stdout) == (2, "")
        assert refused.stderr.startswith("error[")


# The afternoon's manifest is made by its own commands, which also run its contract.
SHIPPED = [path for path in EXAMPLES if path.parent.name != "afternoon"]


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.parent.name)
def test_the_contracts_of_the_examples_are_sound(path: Path) -> None:
    """And need no warning."""
    shown = robust("validate", path, cwd=ROOT)
    assert (shown.returncode, shown.stderr) == (0, "")
