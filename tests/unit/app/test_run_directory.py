"""The run directory: what it holds, and that an unfinished run can never be taken for a finished one."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import textwrap
import threading
from pathlib import Path
from typing import Any

import pytest

from robust import CallableBackend, DecisionRequest, IntegrityError, UsageError, run_contract, verify
from robust.canon import canonical_bytes, digest_bytes, digest_value, parse_canonical
from tests.programs import UNMEASURED, python
from tests.run_fixtures import contract_of, logical_records, manifest_of, numbers, right_model, run, sure, told

FILES = ["contract.json", "records.jsonl", "report.json"]


def _names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_every_file_is_canonical_and_complete(tmp_path: Path) -> None:
    """Contract, records and report; each line ends with a line feed, nothing else is left behind."""
    finished = run(
        tmp_path, manifest=manifest_of({"total 2000": [("total  2000", "invariant")]}), properties={"variants": {}}
    )
    assert _names(finished.path) == FILES
    for name in FILES:
        for line in (finished.path / name).read_bytes().removesuffix(b"\n").split(b"\n"):
            assert canonical_bytes(parse_canonical(line)) == line
    assert json.loads((finished.path / "report.json").read_bytes()) == finished.report
    assert digest_bytes((finished.path / "records.jsonl").read_bytes()) == finished.report["records"]["sha256"]
    without = {key: value for key, value in finished.report.items() if key not in ("digest", "observed")}
    assert digest_value(without) == finished.report["digest"]


def test_a_record_holds_the_question_and_the_answer(tmp_path: Path) -> None:
    """Decision and pair, field by field, as the specification names them."""
    frozen = manifest_of({"total 2000": [("total  2000", "invariant")]})
    finished = run(tmp_path, told({}), manifest=frozen, properties={"variants": {}})
    decision, pair = logical_records(finished)
    result = {
        "case_id": "b1",
        "decision": "over_limit",
        "decision_type": "noul",
        "labels": ["yes", "no"],
        "probabilities": {"yes": 0.9, "no": 1 - 0.9},
        "selected": "yes",
        "confidence": 0.9,
        "backend": "default",
        "provider": "callable",
        "model": "told",
        "model_version": None,
    }
    shared: dict[str, Any] = {
        "case_id": "b1",
        "source_id": "s1",
        "expected": "yes",
        "metadata": {},
        "media": [],
        "presentation": None,
    }
    # Where a property is judged, some base cases are asked twice, here the only one.
    trials = [{"probabilities": result["probabilities"]}]
    asked = {"kind": "decision", "id": "decision/b1", "input": "total 2000"}
    assert decision == {**asked, "result": result, "trials": trials, **shared}
    assert pair["result"] == {**result, "case_id": "b1-v1"}
    assert {key: pair[key] for key in shared} == shared
    assert (pair["id"], pair["property"], pair["sample"], pair["input"]) == (
        "variants/b1/0",
        "variants",
        0,
        "total  2000",
    )
    assert pair["validation"] == next(iter(frozen.validations)).digest
    assert (pair["provenance"]["variant_id"], pair["provenance"]["relation"]) == ("b1-v1", "invariant")
    assert (pair["steps"], pair["reduced"], pair["violations"]) == ([], None, [])


def test_a_finished_run_is_not_written_over(tmp_path: Path) -> None:
    """Unless told to; a refusal leaves every byte as it was."""
    first = run(tmp_path, dataset=numbers("number 5"))
    before = {name: (first.path / name).read_bytes() for name in _names(first.path)}
    with pytest.raises(UsageError) as caught:
        run(tmp_path, dataset=numbers("number 5", "number 6"))
    assert caught.value.code == "exists"
    assert {name: (first.path / name).read_bytes() for name in _names(first.path)} == before
    second = run(tmp_path, dataset=numbers("number 5", "number 6"), overwrite=True)
    assert second.report["counts"]["cases"] == 2
    assert verify(second.path).holds


@pytest.mark.parametrize("name", ["notes.txt", "sub"])
def test_a_folder_with_other_files_is_refused_and_left_alone(tmp_path: Path, name: str) -> None:
    """Also with overwrite: nobody's files are mixed with evidence."""
    target = tmp_path / "run"
    target.mkdir()
    (target / name).mkdir() if name == "sub" else (target / name).write_text("mine", encoding="utf-8")
    for overwrite in (False, True):
        with pytest.raises(UsageError) as caught:
            run(tmp_path, dataset=numbers("number 5"), overwrite=overwrite)
        assert caught.value.code == "not_a_run"
        assert repr(name) in str(caught.value)
    assert _names(target) == [name]


def test_a_path_that_cannot_be_a_folder_is_a_usage_error(tmp_path: Path) -> None:
    """A file in its place, or on the way to it."""
    (tmp_path / "file").write_text("x", encoding="utf-8")
    for name in ("file", "file/run"):
        with pytest.raises(UsageError) as caught:
            run(tmp_path, dataset=numbers("number 5"), name=name)
        assert caught.value.code == "unwritable"


@pytest.mark.parametrize("at_once", [1, 8])
def test_an_interrupted_run_is_unfinished_and_can_be_run_again(tmp_path: Path, at_once: int) -> None:
    """No report; verify says so; the same command then works."""
    cases = numbers(*(f"number {n}" for n in range(40)))

    def model(request: DecisionRequest) -> dict[str, float]:
        if request.case_id == "n20":
            raise KeyboardInterrupt
        return right_model(request)

    with pytest.raises(KeyboardInterrupt):
        run(tmp_path, CallableBackend(model), dataset=cases, max_concurrency=at_once)
    assert _names(tmp_path / "run") == ["answers.sqlite", "contract.json", "records.jsonl", "run.json"]
    verified = verify(tmp_path / "run")
    assert (verified.holds, verified.exit_code) == (False, 3)
    assert verified.checks[0].problems[0].code == "unfinished"
    assert run(tmp_path, dataset=cases, overwrite=True).status == "pass"
    assert _names(tmp_path / "run") == FILES


def test_an_interrupted_coroutine_leaves_an_unfinished_run_too(tmp_path: Path) -> None:
    """The other way of being asynchronous."""

    async def model(request: DecisionRequest) -> dict[str, float]:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(tmp_path, CallableBackend(model), dataset=numbers("number 5"))
    assert not (tmp_path / "run" / "report.json").exists()


def test_overwriting_makes_the_old_run_unfinished_first(tmp_path: Path) -> None:
    """A kill in between must not leave an old report beside new records."""
    run(tmp_path, dataset=numbers("number 5"))

    def model(request: DecisionRequest) -> dict[str, float]:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(tmp_path, CallableBackend(model), dataset=numbers("number 6"), overwrite=True)
    assert "report.json" not in _names(tmp_path / "run")


def test_the_second_of_two_runs_into_one_folder_stops_clearly(tmp_path: Path) -> None:
    """B6: the first goes on and is whole."""
    inside, leave = threading.Event(), threading.Event()

    def model(request: DecisionRequest) -> dict[str, float]:
        inside.set()
        assert leave.wait(30)
        return sure("no")

    outcome: list[Any] = []
    first = threading.Thread(
        target=lambda: outcome.append(run(tmp_path, CallableBackend(model), dataset=numbers("number 5")))
    )
    first.start()
    try:
        assert inside.wait(30)
        with pytest.raises(UsageError) as caught:
            run(tmp_path, dataset=numbers("number 6"), overwrite=True)
    finally:
        leave.set()
        first.join()
    assert caught.value.code == "in_use"
    assert outcome[0].status == "pass"
    assert _names(tmp_path / "run") == FILES


def test_a_full_disk_leaves_no_report(tmp_path: Path) -> None:
    """A limit on the size of files stands for it: one clear error, exit code 2, and an unfinished run."""
    script = textwrap.dedent(
        """
        import resource, sys
        from robust import RobustError
        from tests.run_fixtures import numbers, run
        from pathlib import Path
        limit = int(sys.argv[2])
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
        try:
            run(Path(sys.argv[1]), dataset=numbers(*(f"number {n}" for n in range(100))))
        except RobustError as error:
            print(error.code, error.problems[0].file)
            sys.exit(error.exit_code)
        """
    )
    # Too small for the contract, for the records, and for the report alone.
    for limit, name in ((100, "records.jsonl"), (9000, "records.jsonl"), (1000, "records.jsonl")):
        folder = tmp_path / str(limit)
        done = python(script, str(folder), str(limit), **UNMEASURED)
        assert done.returncode == 2, done.stderr
        assert done.stdout.split()[0] == "unwritable"
        assert not (folder / "run" / "report.json").exists(), name
        assert not [item for item in _names(folder / "run") if item.endswith(".partial")]


def test_a_killed_run_is_unfinished(tmp_path: Path) -> None:
    """SIGKILL in the middle: no report; another run is refused there, and takes the folder over when told to."""
    script = textwrap.dedent(
        """
        import os, signal, sys
        from pathlib import Path
        from robust import CallableBackend
        from tests.run_fixtures import numbers, right_model, run
        def model(request):
            if request.case_id == "n50":
                os.kill(os.getpid(), signal.SIGKILL)
            return right_model(request)
        run(Path(sys.argv[1]), CallableBackend(model), dataset=numbers(*(f"number {n}" for n in range(100))))
        """
    )
    done = subprocess.run([sys.executable, "-c", script, tmp_path], check=False, cwd=Path.cwd(), timeout=60)
    assert done.returncode == -signal.SIGKILL
    assert "report.json" not in _names(tmp_path / "run")
    with pytest.raises(UsageError) as caught:
        run(tmp_path, dataset=numbers("number 5"))
    assert caught.value.code == "other_run"
    assert run(tmp_path, dataset=numbers("number 5"), overwrite=True).status == "pass"
    assert _names(tmp_path / "run") == FILES


def test_the_default_folder_is_named_after_the_decision_and_the_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Safe on every platform; two runs never share one."""
    monkeypatch.chdir(tmp_path)
    contract = contract_of(requirements={"min_accuracy": 1})
    paths = [
        run_contract(contract, backend=CallableBackend(right_model), dataset=numbers("number 5")).path for _ in range(2)
    ]
    assert len(set(paths)) == 2
    for path in paths:
        assert path.parent == Path("runs")
        assert path.name.startswith("over_limit-")
        assert not set(path.name) & set(':*?"<>|\\')


def test_records_are_streamed_from_disk_and_checked(tmp_path: Path) -> None:
    """A line that was edited since is an integrity error where it stands."""
    finished = run(tmp_path, dataset=numbers("number 5", "number 6", "number 7"))
    assert [record["id"] for record in finished.records()] == ["decision/n1", "decision/n2", "decision/n3"]
    assert finished.failures == []
    file = finished.path / "records.jsonl"
    file.write_bytes(file.read_bytes().replace(b'"number 6"', b'"number 6" '))
    stream = finished.records()
    assert next(stream)["id"] == "decision/n1"
    with pytest.raises(IntegrityError) as caught:
        next(stream)
    assert caught.value.problems[0].line == 2
