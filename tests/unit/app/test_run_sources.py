"""Where a run's cases come from, and everything that is refused before a model is asked."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from robust import (
    BackendError,
    CallableBackend,
    Case,
    CaseError,
    ContractError,
    DataError,
    DecisionRequest,
    IntegrityError,
    Manifest,
    OracleVerdict,
    Origin,
    RobustError,
    UsageError,
    run_contract,
)
from tests.run_fixtures import checks_of, contract_of, manifest_of, numbers, over_limit, right_model, run

SPLIT = {"dev": ["b1", "b1-v1"], "test": ["b2"]}
TWO = {"total 2000": [("total  2000", "invariant")], "total 30": []}


def _never(request: DecisionRequest) -> Any:
    raise AssertionError("nothing may be asked")


def _refused(kind: type[RobustError], folder: Path, **options: Any) -> RobustError:
    with pytest.raises(kind) as caught:
        run(folder, CallableBackend(_never), **options)
    assert not (folder / "run").exists(), "a refused run leaves nothing behind"
    return caught.value


def test_a_run_without_cases_is_refused(tmp_path: Path) -> None:
    """No source, an empty one, two of them, or a file without rows."""
    (tmp_path / "empty.jsonl").write_text("\n\n", encoding="utf-8")
    assert _refused(UsageError, tmp_path).code == "no_source"
    assert _refused(DataError, tmp_path, dataset=[]).code == "no_cases"
    assert _refused(DataError, tmp_path, dataset=tmp_path / "empty.jsonl").code == "no_cases"
    assert _refused(UsageError, tmp_path, dataset=numbers("number 5"), manifest=manifest_of(TWO)).code == "two_sources"


@pytest.mark.parametrize("expected", ["maybe", "Yes", True, 5, ["yes"], {"a": 1}])
def test_an_expected_answer_that_is_no_label_is_refused(tmp_path: Path, expected: Any) -> None:
    """The case, the answer and the labels are named, before anything is paid for."""
    cases = [*numbers("number 5"), Case("x", expected, case_id="odd", source_id="odd")]
    problem = _refused(DataError, tmp_path, dataset=cases).problems[0]
    assert (problem.code, problem.path, problem.hint) == ("unknown_label", "case 'odd'", "labels are yes, no")


def test_many_unknown_labels_are_reported_at_once(tmp_path: Path) -> None:
    """Up to fifty."""
    cases = [Case("x", "maybe", case_id=f"c{n}", source_id="s") for n in range(80)]
    assert len(_refused(DataError, tmp_path, dataset=cases).problems) == 50


def test_rows_from_python_are_read_like_those_of_a_file(tmp_path: Path) -> None:
    """They give the same evidence as cases; what is neither, or stands twice, is refused with its place."""
    rows = [{"id": "n1", "input": "number 5", "expected": "no"}]
    digests = {
        run(tmp_path, name=str(n), dataset=data).report["evidence_digest"]
        for n, data in enumerate((rows, numbers("number 5")))
    }
    assert len(digests) == 1
    for odd in ([{"id": "c"}], [*rows, "text"], [{"id": "c", "input": "x", "lable": 1}]):
        error = _refused(CaseError, tmp_path, dataset=odd)
        assert (error.problems[0].path or "").startswith(f"cases[{len(odd) - 1}]")
    twice = [Case("x", case_id="c", source_id="s"), Case("y", case_id="c", source_id="s")]
    problem = _refused(DataError, tmp_path, dataset=twice).problems[0]
    assert (problem.code, problem.path, problem.line) == ("duplicate_id", "cases[1]", None)
    assert problem.message == "the id 'c' stands here and in cases[0]"


def test_a_row_of_a_json_list_is_placed_by_its_path(tmp_path: Path) -> None:
    """Its index is no line: a list may be written over many lines, or over one."""
    file = tmp_path / "rows.json"
    for text in (
        '[\n{"id": "a",\n"input": "x"},\n\n{"id": "a", "input": "y"}]',
        '[{"id": "a", "input": "x"}, {"id": "a", "input": "y"}]',
    ):
        file.write_text(text, encoding="utf-8")
        error = _refused(DataError, tmp_path, dataset=file)
        assert str(error) == f"{file}: $[1]: the id 'a' stands here and in $[0]; give each row its own id"


def test_a_case_that_is_not_portable_json_is_refused(tmp_path: Path) -> None:
    """Found before anything is asked, with the path of the value."""
    odd = [*numbers("number 5"), Case({"deep": [float("nan")]}, case_id="odd", source_id="s")]
    error = _refused(CaseError, tmp_path, dataset=odd)
    assert "odd" in str(error)
    assert "deep[0]" in str(error)


def test_a_manifest_with_several_splits_needs_a_choice(tmp_path: Path) -> None:
    """The splits are named; one of them, from the contract or the call, will do."""
    frozen = manifest_of(TWO, splits=SPLIT)
    error = _refused(UsageError, tmp_path, manifest=frozen)
    assert (error.code, error.problems[0].hint) == ("split_needed", "name one of dev, test")
    assert _refused(UsageError, tmp_path, manifest=frozen, split="nope").problems[0].message.count("nope")
    by_contract = run(tmp_path, contract=contract_of(split="test", requirements={"min_accuracy": 0}), manifest=frozen)
    by_call = run(
        tmp_path,
        name="call",
        contract=contract_of(split="test", requirements={"min_accuracy": 0}),
        manifest=frozen,
        split="dev",
    )
    assert [finished.report["manifest"]["split"] for finished in (by_contract, by_call)] == ["test", "dev"]
    assert (
        _refused(UsageError, tmp_path / "x", dataset=numbers("number 5"), split="dev").code == "split_without_manifest"
    )


def test_another_manifest_than_the_pinned_one_is_an_integrity_error(tmp_path: Path) -> None:
    """Exit code 3, both digests named; the pinned one runs."""
    frozen, other = manifest_of(TWO), manifest_of({"total 2000": []})
    frozen.save(tmp_path / "m.manifest.jsonl")
    contract = contract_of(manifest="unused", manifest_digest=frozen.digest, requirements={"min_accuracy": 1})
    error = _refused(IntegrityError, tmp_path, contract=contract, manifest=other)
    assert (error.code, error.exit_code) == ("pin", 3)
    assert frozen.digest in str(error)
    assert other.digest in str(error)
    assert run(tmp_path, contract=contract, manifest=tmp_path / "m.manifest.jsonl").status == "pass"


def test_a_damaged_manifest_is_an_integrity_error(tmp_path: Path) -> None:
    """Before anything is asked."""
    file = tmp_path / "m.manifest.jsonl"
    manifest_of(TWO).save(file)
    file.write_bytes(file.read_bytes().replace(b"total 30", b"total 31"))
    assert _refused(IntegrityError, tmp_path, manifest=file).exit_code == 3


class _Judge:
    """An oracle with a name."""

    version = "1"

    def __init__(self, name: str) -> None:
        self.name = name

    def __call__(self, base: Case, candidate: Case) -> OracleVerdict:
        """Read the numbers."""
        return over_limit(base, candidate)


@pytest.mark.parametrize("identity", [{"name": "judge-7b"}, {"model": "judge-7b"}, {"model": " Judge-7B"}])
def test_a_model_may_not_be_the_oracle_of_its_own_manifest(tmp_path: Path, identity: dict[str, Any]) -> None:
    """By its name or its model; another model may be tested with it."""
    frozen = manifest_of(TWO, oracle=_Judge("judge-7b"))
    with pytest.raises(BackendError) as caught:
        run(tmp_path, CallableBackend(right_model, **identity), manifest=frozen)
    assert caught.value.code == "own_oracle"
    assert run(tmp_path, CallableBackend(right_model, model="other"), manifest=frozen).status == "pass"


def test_a_contract_that_pins_a_manifest_runs_no_data_set(tmp_path: Path) -> None:
    """The pin would say nothing about what was run."""
    contract = contract_of(manifest="m", manifest_digest=manifest_of(TWO).digest, requirements={"min_accuracy": 0})
    assert _refused(UsageError, tmp_path, contract=contract, dataset=numbers("number 5")).code == "pin"


def test_a_variant_is_scored_from_a_manifest_alone(tmp_path: Path) -> None:
    """G8: in a data set nothing vouches for it, whatever its metadata says."""
    base = numbers("total 2000")[0]
    origin = Origin(parent_id="n1", parent_content=base.content_digest, transform="by hand", relation="invariant")
    candidate = Case("total 20", "yes", case_id="v", source_id="n1", metadata={"validated": True}, origin=origin)
    problem = _refused(DataError, tmp_path, dataset=[base, candidate]).problems[0]
    assert (problem.code, problem.path) == ("validation_required", "case 'v'")


def test_paths_in_a_contract_are_relative_to_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the current directory; backslashes and the like stay what they are."""
    home = tmp_path / "home"
    home.mkdir()
    manifest_of(TWO).save(home / "m.manifest.jsonl")
    text = 'schema_version: "1"\ndecision: {name: q, type: noul}\nbackend: {provider: callable}\n'
    (home / "c.yaml").write_text(
        text + "manifest: m.manifest.jsonl\nrequirements: {min_accuracy: 1}\n", encoding="utf-8"
    )
    monkeypatch.chdir(tmp_path)
    model = CallableBackend(right_model)
    assert run_contract("home/c.yaml", backend=model, output="out").status == "pass"
    assert (
        run_contract(home / "c.yaml", backend=model, output="again").report["manifest"]["digest"]
        == Manifest.load(home / "m.manifest.jsonl").digest
    )


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ({"max_concurrency": 0}, "bad_concurrency"),
        ({"max_concurrency": 257}, "bad_concurrency"),
        ({"max_concurrency": True}, "bad_concurrency"),
        ({"only": "everything"}, "bad_mode"),
        ({"properties": ["variants"]}, "unknown_property"),
        ({"seed": 2**53}, "bad_seed"),
        ({"seed": 1.5}, "bad_seed"),
        ({"seed": True}, "bad_seed"),
    ],
)
def test_options_out_of_range_are_refused_at_once(tmp_path: Path, options: dict[str, Any], code: str) -> None:
    """Never after the calls are paid."""
    contract = contract_of(requirements={"min_accuracy": 0})
    assert _refused(UsageError, tmp_path, contract=contract, dataset=numbers("number 5"), **options).code == code


def test_a_callable_contract_needs_its_model_from_python(tmp_path: Path) -> None:
    """The message says how."""
    with pytest.raises(ContractError) as caught:
        run_contract(
            contract_of(requirements={"min_accuracy": 0}), dataset=numbers("number 5"), output=tmp_path / "run"
        )
    assert "run_contract" in (caught.value.problems[0].hint or "")


def test_properties_can_be_chosen_by_name(tmp_path: Path) -> None:
    """All enabled ones by default, the named ones, none at all; or golden gates or properties alone."""
    contract = contract_of(properties={"variants": {}}, requirements={"min_accuracy": 1})
    choices: dict[str, dict[str, Any]] = {
        "default": {},
        "named": {"properties": ["variants"]},
        "none": {"properties": []},
        "golden": {"only": "golden"},
        "properties": {"only": "properties"},
    }
    runs = {
        name: run(tmp_path, name=name, contract=contract, manifest=manifest_of(TWO), **options)
        for name, options in choices.items()
    }
    pairs = {name: finished.report["counts"]["pairs"] for name, finished in runs.items()}
    assert pairs == {"default": 1, "named": 1, "none": 0, "golden": 0, "properties": 1}
    golden, variants = ["max_error_rate", "min_accuracy"], ["variants.max_violation_rate", "variants.max_error_rate"]
    assert list(checks_of(runs["golden"])) == list(checks_of(runs["none"])) == golden
    assert list(checks_of(runs["properties"])) == variants
    assert runs["default"].report["evidence_digest"] == runs["named"].report["evidence_digest"]
