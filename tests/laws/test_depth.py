"""The law of depth: what becomes part of a record can be written and read back, or is refused before."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from robust import Case, CaseError, Manifest, ManifestError, Validation, validate_variants
from robust.canon import MAX_PART_DEPTH
from tests.builders import CONTRACT, judged, pair, said, saying, valid_variant, verdict


def nested(depth: int, in_lists: bool = True) -> Any:
    value: Any = [] if in_lists else {}
    for _ in range(depth - 1):
        value = [value] if in_lists else {"k": value}
    return value


DEPTHS = [1, 100, MAX_PART_DEPTH - 3, MAX_PART_DEPTH - 1, MAX_PART_DEPTH, MAX_PART_DEPTH + 1, 198, 199, 200, 201, 300]


def survives(validation: Validation, folder: Path) -> bool:
    """Whether a record, saved alone and in a journal, reads back to itself."""
    Validation.save_all(folder / "v.jsonl", [validation], overwrite=True)
    return [item.line() for item in Validation.load_all(folder / "v.jsonl")] == [validation.line()]


@pytest.mark.parametrize("depth", DEPTHS)
@pytest.mark.parametrize("field", ["input", "expected", "metadata"])
def test_a_deep_case_is_refused_or_survives_everything(tmp_path: Path, field: str, depth: int) -> None:
    """Up to the limit a case goes through record, journal and manifest; beyond it no validator runs."""
    fields: dict[str, Any] = {"input": {"q": 1}, "expected": None, "metadata": {}, field: {"deep": nested(depth)}}
    base = Case(fields["input"], fields["expected"], case_id="base", source_id="s", metadata=fields["metadata"] or {})
    candidate = Case("other", case_id="variant", source_id="s")
    answer = fields["expected"] or 6
    terms: Any = {"relation": "counterfactual", "contract": CONTRACT, "validator": saying(verdict(True, answer))}
    try:
        [validation] = validate_variants([(base, candidate)], journal=tmp_path / "journal", **terms)
    except CaseError as error:
        assert depth + 2 > MAX_PART_DEPTH
        assert [problem.code for problem in error.problems] == ["not_portable"]
        assert (error.problems[0].path or "").startswith(f"pairs[0].base.{field}.deep")
        return
    assert depth + 2 <= MAX_PART_DEPTH
    assert survives(validation, tmp_path)
    [again] = validate_variants([(base, candidate)], journal=tmp_path / "journal", **terms)
    assert again.line() == validation.line()
    manifest = validation.manifest("deep")
    manifest.save(tmp_path / "m.jsonl")
    assert Manifest.load(tmp_path / "m.jsonl") == manifest
    assert list(manifest.cases) == list(Manifest.load(tmp_path / "m.jsonl").cases)


@pytest.mark.parametrize("in_lists", [True, False])
@pytest.mark.parametrize("depth", DEPTHS)
def test_deep_evidence_and_answers_are_kept_or_named(tmp_path: Path, depth: int, in_lists: bool) -> None:
    """Whatever an oracle returns, the record can be written and read."""
    deep = nested(depth, in_lists)
    for validation, code in (
        (said(verdict(evidence={"deep": deep, "good": 1})), "evidence_malformed"),
        (said(verdict(base=deep)), "verdict_malformed"),
    ):
        assert survives(validation, tmp_path)
        assert (code in validation.issues) == (depth + (code == "evidence_malformed") > MAX_PART_DEPTH)


def test_deep_answers_that_differ_fit_into_a_record(tmp_path: Path) -> None:
    """The distinct verdicts of a flaky oracle stand deepest of all, and survive."""
    turns = iter([nested(MAX_PART_DEPTH), nested(MAX_PART_DEPTH, False)])
    validation = judged(lambda base, candidate: verdict(base=next(turns)), pair(), repeats=2)
    assert validation.issues == ("validator_flaky",)
    assert survives(validation, tmp_path)


def test_deep_provenance_is_refused_or_survives(tmp_path: Path) -> None:
    """The header of a manifest obeys the same law."""
    for depth in DEPTHS:
        try:
            manifest = Manifest.build("p", validations=[valid_variant()], provenance={"deep": nested(depth)})
        except ManifestError:
            assert depth + 1 > MAX_PART_DEPTH
            continue
        manifest.save(tmp_path / f"{depth}.jsonl")
        assert Manifest.load(tmp_path / f"{depth}.jsonl") == manifest
