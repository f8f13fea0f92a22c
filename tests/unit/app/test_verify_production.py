"""The run directory of a production check: whatever is edited in it is found, whoever made the digests new."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from robust import IntegrityError, UsageError, check_production, generate_keys, sign, verify, verify_all
from robust.app.verify_check import RecordsDigest
from robust.app.verify_production import StoredProduction
from robust.canon import canonical_bytes, digest_value
from robust.records.contract import Contract
from robust.records.report import report_digest
from robust.run.production_records import read_production
from robust.run.production_report import production_evidence, production_report
from robust.store.contracts import read_contract
from tests.production_files import contract_data, records, write_lines

CONTRACT = contract_data(
    {"segments": ["region"], "requirements": {"min_accuracy": 0.1, "max_accuracy_drop": 0.9}},
    evaluation={"confidence_threshold": 0.6},
)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with records and the run directory of their check."""
    folder = tmp_path_factory.mktemp("made")
    write_lines(folder / "records.jsonl", records(300))
    write_lines(folder / "before.jsonl", records(200, seed=5))
    check_production(CONTRACT, folder / "records.jsonl", baseline=folder / "before.jsonl", output=folder / "run")
    return folder


@pytest.fixture
def run(made: Path, tmp_path: Path) -> Path:
    """A copy of the run directory."""
    return Path(shutil.copytree(made / "run", tmp_path / "elsewhere"))


def _lines(run: Path) -> list[Any]:
    return [json.loads(line) for line in (run / "records.jsonl").read_text(encoding="utf-8").splitlines()]


def _store(run: Path, lines: list[Any], report: Any) -> None:
    """Write records and report anew, every digest as it would be."""
    digest, written = RecordsDigest(), b""
    for record in lines:
        line = canonical_bytes(record)
        digest.add(line, record)
        written += line + b"\n"
    (run / "records.jsonl").write_bytes(written)
    report["records"] = digest.summary()
    report["evidence_digest"] = digest_value(
        production_evidence(report["contract"]["digest"], report["records"]["root"])
    )
    report["digest"] = report_digest(report)
    (run / "report.json").write_bytes(canonical_bytes(report) + b"\n")


def _cell(name: str) -> Callable[[Any], Any]:
    return lambda lines: next(line for line in lines if line["id"] == name)["statistics"]


def _set(of: Callable[[Any], Any], *path: Any, by: Callable[[Any], Any]) -> Callable[[list[Any]], None]:
    def edit(lines: list[Any]) -> None:
        place = of(lines)
        for step in path[:-1]:
            place = place[step]
        place[path[-1]] = by(place[path[-1]])

    return edit


def _one_more(value: Any) -> Any:
    return value + 1


def _equal(count: int, value: float) -> dict[str, Any]:
    """A distribution of equal numbers."""
    ends = {"least": value, "most": value}
    return {"count": count, "total": count * value, **ends, "shift": 0, "values": [value], "counts": [count]}


NOTHING: dict[str, Any] = {"count": 0, "total": 0, "least": None, "most": None, "shift": 0, "values": [], "counts": []}
CURRENT, BEFORE, NORTH = _cell("current"), _cell("baseline"), _cell("segment[region=north]")
EDITS: dict[str, Callable[[list[Any]], None]] = {
    "a record right": _set(CURRENT, "right", by=_one_more),
    "a record more": _set(CURRENT, "records", by=_one_more),
    "a bin": _set(CURRENT, "bins", "records", 9, by=_one_more),
    "a bin's confidence": _set(CURRENT, "bins", "confidence", 5, by=lambda value: value * 1.5),
    "right in a bin": _set(CURRENT, "bins", "right", 5, by=_one_more),
    "fewer bins": _set(CURRENT, "bins", "known", by=lambda value: value[:-1]),
    "covered": _set(CURRENT, "covered", by=_one_more),
    "no threshold": _set(CURRENT, "covered", by=lambda _: None),
    "brier": _set(CURRENT, "brier", "total", by=lambda value: value + 5),
    "negative deviations": _set(CURRENT, "brier", "deviations", by=lambda _: -1),
    "an action": _set(CURRENT, "actions", "accept", by=_one_more),
    "a fallback": _set(CURRENT, "fallbacks", by=lambda value: value + 200),
    "a latency": _set(CURRENT, "latency_ms", "counts", 0, by=_one_more),
    "latencies out of order": _set(CURRENT, "latency_ms", "values", by=lambda value: value[::-1]),
    "the sum of latencies": _set(CURRENT, "latency_ms", "total", by=lambda value: value * 2),
    "the largest latency": _set(CURRENT, "latency_ms", "most", by=_one_more),
    "coarser latencies": _set(CURRENT, "latency_ms", "shift", by=lambda _: 40),
    "a confidence": _set(CURRENT, "confidence", "values", 0, by=lambda value: value - 1e-3),
    "text for a count": _set(CURRENT, "known", by=str),
    "true for a count": _set(CURRENT, "outcomes", by=lambda _: True),
    "one field more": _set(lambda lines: [CURRENT(lines)], 0, by=lambda cell: cell.update(more=1) or cell),
    "a segment's records": _set(NORTH, "right", by=lambda value: value - 1),
    "the baseline": _set(BEFORE, "right", by=lambda value: value - 1),
    "the file's digest": _set(lambda lines: lines[0], "sample", "sha256", by=lambda value: value[:-1]),
    "more ids than records": _set(lambda lines: lines[0], "sample", "ids", by=lambda _: 10**6),
    "other keys": _set(lambda lines: lines[0], "segment_by", by=lambda _: ["tier"]),
    "no baseline": _set(lambda lines: lines[0], "baseline", by=lambda _: None),
    "a baseline of both kinds": _set(lambda lines: lines[0], "baseline", "source", by=lambda _: "report"),
    "another schema": _set(lambda lines: lines[0], "schema", by=lambda _: "robust.production-records/2"),
    "a segment gone": lambda lines: lines.pop(),
    "a segment twice": lambda lines: lines.append(lines[-1]),
    "segments in another order": lambda lines: lines.append(lines.pop(-2)),
    "a segment's name": _set(lambda lines: lines[-1], "value", by=lambda _: "east"),
    "a segment that is an object": _set(lambda lines: lines[-1], "value", by=lambda _: {"a": 1}),
    "the cell gone": lambda lines: lines.pop(1),
    "everything gone": lambda lines: lines.clear(),
}


LAWLESS: dict[str, Callable[[list[Any]], None]] = {
    "no confidence": _set(CURRENT, "confidence", by=lambda _: {**NOTHING}),
    "no confidence in the baseline": _set(BEFORE, "confidence", by=lambda _: {**NOTHING}),
    "confidences beyond 1": _set(CURRENT, "confidence", by=lambda _: _equal(300, 500)),
    "more latencies than records": _set(BEFORE, "latency_ms", by=lambda _: _equal(201, 1)),
    "a latency beyond all": _set(BEFORE, "latency_ms", by=lambda _: _equal(1, 1.5e15)),
    "no timestamps, and a first one": _set(lambda lines: lines[0], "sample", "timestamps", by=lambda _: 0),
    "timestamps without a first one": _set(lambda lines: lines[0], "sample", "first", by=lambda _: None),
    "a first timestamp that is none": _set(lambda lines: lines[0], "sample", "first", by=lambda _: "<b>"),
    "a last timestamp in another form": _set(lambda lines: lines[0], "sample", "last", by=lambda told: told + " "),
    "a first timestamp after the last": _set(
        lambda lines: lines[0], "sample", "first", by=lambda _: "2027-01-01T00:00:00+00:00"
    ),
    "fewer bytes than records": _set(lambda lines: lines[0], "baseline", "sample", "bytes", by=lambda _: 199),
}


@pytest.mark.parametrize("name", LAWLESS)
def test_counts_that_no_records_have_are_refused_by_themselves(run: Path, name: str) -> None:
    """Whatever a report that was derived from them says."""
    lines = _lines(run)
    read_production(iter(enumerate(lines, start=1)), contract_of_run(), "records.jsonl")
    LAWLESS[name](lines)
    with pytest.raises(IntegrityError):
        read_production(iter(enumerate(lines, start=1)), contract_of_run(), "records.jsonl")


@pytest.mark.parametrize("name", EDITS)
def test_records_that_contradict_themselves_are_refused(run: Path, name: str) -> None:
    """Though every digest was made anew."""
    lines = _lines(run)
    EDITS[name](lines)
    assert lines != _lines(run)
    _store(run, lines, json.loads((run / "report.json").read_bytes()))
    found = verify(run)
    assert not found.holds
    with pytest.raises(IntegrityError) as caught:
        StoredProduction.load(run)
    assert caught.value.problems[0].file is not None


REPORT_EDITS: dict[str, Callable[[Any], Any]] = {
    "status": lambda report: report.update(status="fail"),
    "exit code": lambda report: report.update(exit_code=1),
    "metric": lambda report: report["metrics"]["accuracy"].update(value=0.99),
    "interval": lambda report: report["metrics"]["accuracy"].update(interval=[0.9, 1]),
    "percentile": lambda report: report["latency_ms"].update(p95=1),
    "drift": lambda report: report["drift"]["accuracy_drop"].update(value=0),
    "check": lambda report: report["checks"][0].update(value=0.9),
    "segment": lambda report: report["segments"][0]["metrics"]["ece"].update(value=0),
    "segment gone": lambda report: report["segments"].pop(),
    "sample": lambda report: report["sample"].update(name="other.jsonl"),
    "counts": lambda report: report["counts"].update(records=5),
    "threshold": lambda report: report["settings"].update(threshold=0.1),
    "judge": lambda report: report["settings"].update(judge="bound"),
    "labels": lambda report: report["contract"].update(labels=["a", "b"]),
    "fail on warn": lambda report: report["settings"].update(fail_on_warn="no"),
    "more": lambda report: report.update(more=1),
    "nothing observed": lambda report: report.update(observed=None),
}


@pytest.mark.parametrize("name", REPORT_EDITS)
def test_a_report_that_does_not_follow_is_refused(run: Path, name: str) -> None:
    """E3, for production records: with both values."""
    report = json.loads((run / "report.json").read_bytes())
    REPORT_EDITS[name](report)
    _store(run, _lines(run), report)
    found = verify(run)
    assert (found.holds, found.exit_code) == (False, 3)
    problems = [problem for check in found.checks for problem in check.problems]
    assert problems[0].path


def test_another_contract_is_refused(run: Path) -> None:
    """Its gates would be others."""
    contract = json.loads((run / "contract.json").read_bytes())
    contract["production"]["requirements"]["min_accuracy"] = 0.01
    (run / "contract.json").write_bytes(canonical_bytes(contract) + b"\n")
    assert not verify(run).holds


@pytest.mark.parametrize("file", ["report.json", "records.jsonl", "contract.json"])
@pytest.mark.parametrize("how", ["cut", "gone", "empty", "other bytes"])
def test_a_damaged_file_is_refused(run: Path, file: str, how: str) -> None:
    """E4: with exit code 3."""
    path = run / file
    data = path.read_bytes()
    if how == "gone":
        path.unlink()
    else:
        path.write_bytes(
            {"cut": data[:-20], "empty": b"", "other bytes": data.replace(b"claim", b"clail", 1) + b"x"}[how]
        )
    found = verify(run)
    assert (found.holds, found.exit_code) == (False, 3)


def test_it_verifies_elsewhere_and_with_its_records(made: Path, run: Path) -> None:
    """E5: moved, by itself, and against the file that was read."""
    alone = verify(run)
    assert alone.holds
    assert [check.done for check in alone.checks if check.name == "production records"] == [False]
    both = list(verify_all([run, made / "records.jsonl"]))
    assert all(not isinstance(each, Exception) and each.holds for each in both)
    told = next(check for each in both for check in each.checks if check.name == "production records")  # type: ignore[union-attr]
    assert told.done and "300 records" in told.detail


def test_other_records_are_found_to_be_others(made: Path, run: Path) -> None:
    """Also such as differ in one byte only."""
    other = run.parent / "other.jsonl"
    other.write_bytes((made / "records.jsonl").read_bytes() + b"\n")
    (found, _) = verify_all([run, other])
    assert not isinstance(found, Exception) and not found.holds
    (problem,) = [each for check in found.checks for each in check.problems if each.path == "$.sample.sha256"]
    assert "stored" in problem.message


def test_consistent_forged_counts_are_found_with_the_records(made: Path, run: Path) -> None:
    """What agrees with itself can only be told from the truth by the records, or by who signed it."""
    lines = _lines(run)
    for cell in (CURRENT(lines), NORTH(lines)):
        cell["latency_ms"]["total"] += 1e-6
    report = json.loads((run / "report.json").read_bytes())
    _store(run, lines, report)
    found = read_production(iter(enumerate(lines, start=1)), contract_of_run(), "records.jsonl")
    forged = production_report(
        contract_of_run(), found, report["records"], fail_on_warn=False, observed=report["observed"]
    )
    (run / "report.json").write_bytes(canonical_bytes(forged) + b"\n")
    assert verify(run).holds
    (with_records, _) = verify_all([run, made / "records.jsonl"])
    assert not isinstance(with_records, Exception) and not with_records.holds
    problems = [problem for check in with_records.checks for problem in check.problems]
    assert [problem.path for problem in problems] == ["$.current.latency_ms.total"]


def contract_of_run() -> Contract:
    """The contract of the runs here."""
    return read_contract(CONTRACT)


def test_it_is_signed_as_every_run_is(run: Path, tmp_path: Path) -> None:
    """And the signature speaks of the result, of the contract and of the file of the records."""
    keys = generate_keys(tmp_path / "keys")
    signed = sign(run, keys.private)
    assert signed.kind == "run"
    found = verify(run, public_keys=[keys.public], require_signature=True)
    assert found.authentic
    (run / "records.jsonl").write_bytes((run / "records.jsonl").read_bytes().replace(b"0", b"1", 1))
    assert verify(run, public_keys=[keys.public], require_signature=True).exit_code == 3


def test_it_is_no_run_of_a_contract(run: Path) -> None:
    """What reads those says what reads it."""
    from robust import report_run

    with pytest.raises(UsageError, match="production records"):
        report_run(run)


def test_a_finished_check_is_not_written_over(made: Path, run: Path) -> None:
    """But where that is asked for; and one that was stopped is made anew."""
    arguments: dict[str, Any] = {"baseline": made / "before.jsonl", "output": run}
    with pytest.raises(UsageError, match="not written over"):
        check_production(CONTRACT, made / "records.jsonl", **arguments)
    check_production(CONTRACT, made / "records.jsonl", overwrite=True, **arguments)
    (run / "report.json").unlink()
    check_production(CONTRACT, made / "records.jsonl", overwrite=True, **arguments)
    assert verify(run).holds


def test_a_check_that_fails_leaves_nothing_behind(made: Path, tmp_path: Path) -> None:
    """No empty folder, and no run."""
    broken = tmp_path / "broken.jsonl"
    broken.write_text("{}\n", encoding="utf-8")
    with pytest.raises(Exception, match="missing"):
        check_production(CONTRACT, broken, output=tmp_path / "out")
    assert not (tmp_path / "out").exists()
