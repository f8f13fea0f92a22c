"""Candidates written by hand, judged by several processes, compared as JSON says."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from robust import Validation
from tests.run_fixtures import robust

ORACLE = """
import json, sys
for line in sys.stdin:
    question = json.loads(line)
    before, after = (float(question[side]["input"].split()[0]) for side in ("base", "candidate"))
    print(json.dumps({"id": question["id"], "valid": True, "reason": "read", "base_expected": before,
                      "variant_expected": after, "evidence": {"read": [before, after]}}), flush=True)
"""
BASES = '{"id": "b", "input": "1.25 EUR", "source_id": "invoice 7"}\n'
ROW = '{"id": "v", "input": "1.254 EUR", "origin": {"parent_id": "b", "relation": "invariant"}}\n'


def validate(folder: Path, candidates: str, *more: str, name: str = "candidates.jsonl") -> tuple[int, str]:
    (folder / "oracle.py").write_text(ORACLE, encoding="utf-8")
    (folder / "bases.jsonl").write_text(BASES, encoding="utf-8")
    (folder / name).write_text(candidates, encoding="utf-8")
    done = robust(
        "variants", "validate", "bases.jsonl", name, "--contract", "amounts/v1",
        "--oracle-command", f"{sys.executable} oracle.py", "-o", "v.jsonl", *more, cwd=folder,
    )  # fmt: skip
    return done.returncode, done.stderr


def test_a_row_with_an_origin_is_a_candidate(tmp_path: Path) -> None:
    """Source and content of the parent need not be repeated."""
    comparator = '{"name":"number","abs_tol":0.01}'
    assert validate(tmp_path, ROW, "--comparator", comparator, "--workers", "3") == (0, "")
    [record] = Validation.load_all(tmp_path / "v.jsonl")
    candidate = record.data["candidate"]
    assert (record.status, candidate["source_id"]) == ("valid", "invoice 7")
    assert candidate["origin"]["parent_content"].startswith("sha256:")
    assert record.data["comparator"] == {"name": "number", "abs_tol": 0.01, "rel_tol": 0}


@pytest.mark.parametrize(
    ("change", "error"),
    [
        ({"origin": {"parent_id": "x"}}, "error[no_parent]: candidates.jsonl:1: $.origin.parent_id: "),
        ({"origin": {"parent_id": "b", "by": 1}}, "error[unknown_field]: candidates.jsonl:1: $.origin.by: "),
        ({"origin": 5}, "error[wrong_value]: candidates.jsonl:1: $.origin: "),
        ({"metadata": 5}, "error[wrong_value]: candidates.jsonl:1: $.metadata: "),
        ({"source_id": "else"}, "error[different_sources]: "),
    ],
)
def test_a_wrong_row_is_named(tmp_path: Path, change: dict[str, object], error: str) -> None:
    """With its line and path."""
    code, shown = validate(tmp_path, json.dumps({**json.loads(ROW), **change}) + "\n")
    assert code == 2
    assert shown.startswith(error)


@pytest.mark.parametrize("suffix", [".csv", ".json"])
def test_a_form_without_origins_is_refused_at_once(tmp_path: Path, suffix: str) -> None:
    """With what to write instead."""
    code, shown = validate(tmp_path, "id,input\nv,x\n", name=f"candidates{suffix}")
    assert code == 2
    assert shown.startswith(f"error[unknown_format]: candidates{suffix}: ")
    assert ".jsonl" in shown


@pytest.mark.parametrize("comparator", ['{"name":', '{"name":"number","abs_tol":-1}', '{"tol":1}', "numbers"])
def test_a_comparator_that_is_none_is_refused(tmp_path: Path, comparator: str) -> None:
    """JSON that cannot be read, or settings that are wrong."""
    code, shown = validate(tmp_path, ROW, "--comparator", comparator)
    assert code == 2
    assert "comparator" in shown.splitlines()[0]
