"""Oracles at run time, at their worst: what they say is judged again where it can be, and never ends a run."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from robust import Case, ContractError, DecisionRequest, OracleVerdict, run_contract, validate_variant, verify
from robust.canon import JsonObject, canonical_bytes
from robust.records.case import Origin
from robust.store.validations import write_validations
from tests.property_runs import FLIP, contract, pairs_of, run
from tests.run_fixtures import right_model
from tests.unit.app.forging import StoredRun

TEXT = "I owe 2000 euros. Please wait until tomorrow."
CASES = [Case(TEXT, "yes", case_id="c", source_id="s"), Case("I owe 5. It is late.", "no", case_id="d", source_id="t")]
MINE: JsonObject = {"default": {"provider": "mine"}}


def always_yes(request: DecisionRequest) -> dict[str, float]:
    """A model that sees nothing."""
    return dict.fromkeys(request.decision.labels, 0.0) | {"yes": 1.0}


@pytest.mark.parametrize("code", [0, 1, None])
@pytest.mark.parametrize("waits", [True, False])
def test_an_oracle_that_ends_the_program_is_an_error_of_the_oracle(tmp_path: Path, code: Any, waits: bool) -> None:
    """It must not choose the exit code of a run."""

    class Leaving:
        name = "leaving"

        def __call__(self, base: Case, candidate: Case) -> OracleVerdict:
            sys.exit(code)

    oracle = Leaving()
    oracle.waits = waits  # type: ignore[attr-defined]
    finished = run(tmp_path, {"whitespace": FLIP}, CASES, right_model, oracles=MINE, validators={"mine": oracle})
    assert {record["validation"]["issues"][0] for record in pairs_of(finished)} == {"validator_error"}
    assert finished.exit_code == 1
    assert verify(finished.path).holds


def _reviews(folder: Path, comparator: str) -> Path:
    """A file of one review, whose answers are equal only under a comparator."""

    def compare(base: Case, candidate: Case) -> OracleVerdict:
        return OracleVerdict(True, "read by a person", "2000", "2000.0", {"read": [base.input, candidate.input]})

    first = run(folder, {"whitespace": {**FLIP, "samples": 1}}, CASES[:1], right_model, name="first")
    (pair,) = pairs_of(first)
    origin = Origin(parent_id="c", parent_content=CASES[0].content_digest, relation="invariant")
    candidate = Case(pair["input"], case_id="v", source_id="s", origin=origin)
    base = Case(TEXT, None, case_id="c", source_id="s")
    found = validate_variant(
        base, candidate, relation="invariant", contract="read/v1", validator=compare, comparator=comparator
    )
    assert found.status == "valid"
    write_validations(folder / "reviews.jsonl", [found])
    return folder / "reviews.jsonl"


def test_a_review_is_judged_by_its_own_comparator_and_can_be_read_again(tmp_path: Path) -> None:
    """Numbers that are written otherwise are one answer there."""
    path = _reviews(tmp_path, "number")
    base = [Case(TEXT, None, case_id="c", source_id="s")]
    oracles = {"default": {"provider": "reviewed", "path": str(path)}}
    finished = run(tmp_path, {"whitespace": {**FLIP, "samples": 1}}, base, right_model, oracles=oracles)
    assert [record["validation"]["status"] for record in pairs_of(finished)] == ["valid"]
    assert verify(finished.path).holds


def test_what_a_built_in_oracle_said_is_derived_again(tmp_path: Path) -> None:
    """Other words in its verdict are refused, although the record is sound in itself."""
    oracles = {"default": {"provider": "builtin"}}
    cases = [Case("Please wait until tomorrow. It is late.", None, case_id="c", source_id="s")]
    finished = run(tmp_path, {"whitespace": {**FLIP, "samples": 1}}, cases, always_yes, oracles=oracles)
    assert verify(finished.path).holds
    stored = StoredRun(finished.path)
    validation = next(record["validation"] for record in stored.records if record["kind"] == "pair")
    assert validation["status"] == "valid"
    validation["verdict"]["reason"] = "it looked well"
    (finished.path / "records.jsonl").write_bytes(b"".join(canonical_bytes(each) + b"\n" for each in stored.records))
    checked = verify(finished.path)
    assert not checked.holds
    paths = {problem.path for check in checked.checks for problem in check.problems}
    assert any(path is not None and path.startswith("$.validation") for path in paths)


def test_a_stored_oracle_that_is_the_tested_model_is_refused(tmp_path: Path) -> None:
    """The rule of running holds when a run is read, too."""

    def mine(base: Case, candidate: Case) -> OracleVerdict:
        return OracleVerdict(True, "looked at", None, None, {"by": "hand"})

    properties: JsonObject = {"whitespace": {**FLIP, "samples": 1}}
    finished = run(tmp_path, properties, CASES, right_model, oracles=MINE, validators={"mine": mine})
    stored = StoredRun(finished.path)
    name = stored.report["properties"]["whitespace"]["oracles"][0]["name"]
    stored.report["backend"]["model"] = name
    for record in stored.records:
        if "result" in record:
            record["result"]["model"] = name
    (finished.path / "records.jsonl").write_bytes(b"".join(canonical_bytes(each) + b"\n" for each in stored.records))
    stored.fit_records()
    stored.fit_digests()
    (finished.path / "report.json").write_bytes(canonical_bytes(stored.report) + b"\n")
    problems = [problem.code for check in verify(finished.path).checks for problem in check.problems]
    assert "own_oracle" in problems


@pytest.mark.parametrize("fragment", [" ", "\u200b", "a\x00b"])
def test_a_fragment_that_cannot_be_seen_is_no_fragment(tmp_path: Path, fragment: str) -> None:
    """Nor one with a NUL character."""
    with pytest.raises(ContractError, match="fragment"):
        run_contract(
            contract({"irrelevant_context": {**FLIP, "fragments": [fragment]}}), dataset=CASES, output=tmp_path / "r"
        )
