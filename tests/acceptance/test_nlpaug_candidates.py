"""Candidates that nlpaug makes come in through ``variants import`` and are validated like any others."""

from __future__ import annotations

import json
import subprocess
from collections import Counter
from pathlib import Path

import pytest

from robust import Case, Manifest, Validation, validate_variants
from robust.oracle.preserves import PreservesOracle
from robust.store.datasets import read_dataset
from tests.run_fixtures import robust
from tests.tool_environments import tool_python

# What its user would write: every augmenter on every row, two texts each.
PROGRAM = """
import json, random, sys

import numpy
from nlpaug.augmenter.char import KeyboardAug, OcrAug
from nlpaug.augmenter.word import SpellingAug

random.seed(7)
numpy.random.seed(7)
augmenters = {"keyboard": KeyboardAug(aug_char_max=2), "ocr": OcrAug(), "spelling": SpellingAug(aug_max=2)}
for line in sys.stdin:
    row = json.loads(line)
    for name, augmenter in augmenters.items():
        print(json.dumps({"of": row["id"], "made": augmenter.augment(row["input"], n=2), "by": "nlpaug " + name}))
"""
ROWS = [
    {"id": "c1", "input": "The invoice of 1,250.00 EUR is due on 4 March 2025.", "expected": "yes"},
    {"id": "c2", "input": "They do not ship the spare parts before Friday.", "expected": "no"},
    {"id": "c3", "input": "Please send the signed contract to the office again.", "expected": "yes"},
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Bases, what nlpaug made of them, and the candidates of that."""
    place = tmp_path_factory.mktemp("nlpaug")
    lines = "".join(json.dumps(row) + "\n" for row in ROWS)
    (place / "bases.jsonl").write_text(lines, encoding="utf-8")
    (place / "augment.py").write_text(PROGRAM, encoding="utf-8")
    program = tool_python("nlpaug", "nlpaug==1.1.11")
    made = subprocess.run(
        [program, "augment.py"], cwd=place, input=lines, capture_output=True, text=True, check=True, timeout=300
    )
    (place / "made.jsonl").write_text(made.stdout, encoding="utf-8")
    done = robust(
        "variants", "import", "bases.jsonl", "made.jsonl", "--parent", "of", "--text", "made",
        "--transform-column", "by", "--relation", "invariant", "--report", "report.json",
        "-o", "candidates.jsonl", cwd=place,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return place


def candidates(folder: Path) -> list[Case]:
    lines = (folder / "candidates.jsonl").read_text(encoding="utf-8").splitlines()
    return [Case.from_json(json.loads(line)) for line in lines]


def test_every_text_that_nlpaug_made_is_a_candidate_or_counted(folder: Path) -> None:
    """Each names its augmenter and has no answer."""
    report = json.loads((folder / "report.json").read_text(encoding="utf-8"))
    made = candidates(folder)
    assert report["rows"] == 9
    assert len(made) == report["candidates"] == 18 - report["unchanged"] - report["duplicate"] > 9
    transforms = Counter(case.origin.transform for case in made if case.origin)
    assert set(transforms) == {"nlpaug keyboard", "nlpaug ocr", "nlpaug spelling"}
    assert {case.expected for case in made} == {None}


def test_what_nlpaug_made_of_amounts_and_dates_is_refused(folder: Path) -> None:
    """It takes "1,250.00" apart wherever it works; of the rest the built-in oracle vouches for nothing."""
    bases = {case.case_id: case for case in read_dataset(folder / "bases.jsonl")}
    pairs = [(bases[case.origin.parent_id], case) for case in candidates(folder) if case.origin]
    records = list(
        validate_variants(pairs, contract="robust.preserves/v1", validator=PreservesOracle(), require_answers=False)
    )
    amounts = [record for record in records if record.data["base"]["case_id"] == "c1"]
    assert amounts
    assert {record.status for record in amounts} == {"invalid"}
    assert "valid" not in {record.status for record in records}


def test_an_oracle_that_knows_the_task_judges_them_all(folder: Path) -> None:
    """Over pipes, into a manifest of those that it accepts."""
    (folder / "oracle.py").write_text(
        "import json, sys\n"
        "for line in sys.stdin:\n"
        "    q = json.loads(line)\n"
        "    a, b = ('no' if ' not ' in q[side]['input'] else 'yes' for side in ('base', 'candidate'))\n"
        "    print(json.dumps({'id': q['id'], 'valid': True, 'reason': 'read', 'base_expected': a,\n"
        "                      'variant_expected': b, 'evidence': {'read': [a, b]}}), flush=True)\n",
        encoding="utf-8",
    )
    program = tool_python("nlpaug", "nlpaug==1.1.11")
    done = robust(
        "variants", "validate", "bases.jsonl", "candidates.jsonl", "--contract", "ships/v1", "--oracle-command",
        f"{program} oracle.py", "--oracle-name", "ships", "-o", "records.jsonl", cwd=folder,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    records = list(Validation.load_all(folder / "records.jsonl"))
    assert len(records) == len(candidates(folder))
    valid = [record for record in records if record.status == "valid"]
    manifest = Manifest.build("shipping", validations=valid)
    assert {case.expected for case in manifest.cases} == {"yes", "no"}
