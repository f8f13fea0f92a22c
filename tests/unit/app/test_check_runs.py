"""Checks as run directories: what was saved is what is loaded, and a kill at any moment leaves no false report."""

from __future__ import annotations

import itertools
import json
import os
import signal
from pathlib import Path
from typing import Any

import pytest

from robust import DataError, IntegrityError, UsageError, format_report, generate_keys, verify
from robust.app.check_runs import CheckWriter, SavedCheck, load_check, save_check
from robust.app.checking import check
from robust.app.population import column_edits, invariance
from robust.canon import canonical_bytes, parse_canonical
from robust.render.check_formats import CHECK_FORMATS
from robust.store.runs import LOCK, RUN
from tests.programs import UNMEASURED, python, start_python
from tests.unit.app.relation_checks import CHECKS, FOOTER, ORDER, RECEIPT, last_number

SHAPES: list[Any] = [*CHECK_FORMATS]
FILES = ["contract.json", "records.jsonl", "report.json"]


def _names(folder: Path) -> list[str]:
    return sorted(item.name for item in folder.iterdir())


@pytest.mark.parametrize("name", CHECKS)
def test_what_was_saved_is_what_is_loaded(tmp_path: Path, name: str) -> None:
    """The report derives to what the result itself says, and again when it is loaded and verified."""
    result = CHECKS[name]()
    saved = save_check(result, tmp_path / "run")
    loaded = load_check(tmp_path / "run")
    assert (saved.report, saved.plan) == (loaded.report, loaded.plan)
    for each in (saved, loaded):
        assert (each.status, each.exit_code, each.verdicts) == (result.status, result.exit_code, result.verdicts)
    assert loaded.report["relations"] == parse_canonical(canonical_bytes(result.to_dict()["relations"]))
    assert list(loaded.records()) == [parse_canonical(canonical_bytes(record)) for record in result.records()]
    assert loaded.kind == "relations"
    assert loaded.digest == loaded.report["digest"]
    assert verify(tmp_path / "run").holds
    assert _names(tmp_path / "run") == FILES
    assert repr(loaded) == f"<SavedCheck {result.status} {tmp_path / 'run'}>"


def test_equal_checks_have_equal_evidence(tmp_path: Path) -> None:
    """Times and versions are in no digest of it."""
    first, second = (save_check(CHECKS["judged"](), tmp_path / name).report for name in ("a", "b"))
    assert first["evidence_digest"] == second["evidence_digest"]
    assert first["digest"] == second["digest"]


def test_what_could_not_be_told_again_is_counted(tmp_path: Path) -> None:
    """Assertions of the caller's own, and what oracles said."""
    assert save_check(CHECKS["custom"](), tmp_path / "a").report["notes"]["custom_assertions"] > 0
    assert save_check(CHECKS["judged"](), tmp_path / "b").report["notes"]["validations"] > 0
    (told,) = [check for check in verify(tmp_path / "a").checks if check.name == "not derived again"]
    assert told.detail.endswith("outcomes are as stored: their relations have assertions of the caller's own")
    assert (told.done, told.holds) == (False, True)


def test_a_population_test_is_saved_likewise(tmp_path: Path) -> None:
    """By its own method."""
    result = invariance(
        lambda rows: [row["x"] for row in rows], [{"x": 1.0}, {"x": 2.0}], column_edits.scaled("x", 2.0)
    )
    saved = result.save(tmp_path / "run")
    assert saved.verdicts == {"invariance": "violated"} == load_check(tmp_path / "run").verdicts
    assert (saved.kind, saved.exit_code) == ("population", 1)


def test_a_finished_check_is_written_over_only_when_that_is_asked(tmp_path: Path) -> None:
    """And nothing else in a folder ever is."""
    result = CHECKS["declared"]()
    save_check(result, tmp_path / "run")
    with pytest.raises(UsageError, match="a finished run is not written over"):
        save_check(result, tmp_path / "run")
    save_check(CHECKS["holds"](), tmp_path / "run", overwrite=True)
    assert load_check(tmp_path / "run").status == "pass"
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "notes.txt").write_text("mine", encoding="utf-8")
    for overwrite in (False, True):
        with pytest.raises(UsageError, match=r"notes\.txt"):
            save_check(result, tmp_path / "other", overwrite=overwrite)
    assert _names(tmp_path / "other") == ["notes.txt"]


def test_two_writers_do_not_share_a_folder(tmp_path: Path) -> None:
    """The second is told at once."""
    result = CHECKS["declared"]()
    with CheckWriter(tmp_path / "run", result.plan()), pytest.raises(UsageError) as caught:
        save_check(result, tmp_path / "run")
    assert caught.value.code == "in_use"


def test_an_unfinished_check_is_visibly_so_and_the_same_is_begun_anew(tmp_path: Path) -> None:
    """Another one is refused, and every difference is named."""
    result = CHECKS["declared"]()
    with CheckWriter(tmp_path / "run", result.plan()) as writer:
        for record in list(result.records())[:3]:
            writer.write(record)
    assert RUN in _names(tmp_path / "run")
    with pytest.raises(IntegrityError, match="unfinished"):
        load_check(tmp_path / "run")
    assert verify(tmp_path / "run").exit_code == 3
    with pytest.raises(UsageError) as caught:
        save_check(CHECKS["holds"](), tmp_path / "run")
    assert (caught.value.code, caught.value.problems[0].path) == ("other_run", "$.identity.plan")
    assert save_check(result, tmp_path / "run").status == "fail"
    assert _names(tmp_path / "run") == FILES


def test_records_that_the_plan_does_not_make_due_are_never_sealed(tmp_path: Path) -> None:
    """A writer that is given something else stays unfinished."""
    result = CHECKS["declared"]()
    records = list(result.records())
    with CheckWriter(tmp_path / "run", result.plan()) as writer:
        for record in records[:-2]:
            writer.write(record)
        with pytest.raises(IntegrityError) as caught:
            writer.seal({})
    assert caught.value.code == "missing_record"
    assert "report.json" not in _names(tmp_path / "run")


def test_a_record_that_is_no_json_is_refused(tmp_path: Path) -> None:
    """Where it is written."""
    with CheckWriter(tmp_path / "run", CHECKS["declared"]().plan()) as writer, pytest.raises(DataError):
        writer.write({"kind": "input", "id": "0", "input": float("nan")})


def test_a_check_can_be_signed_when_it_is_saved(tmp_path: Path) -> None:
    """One in which nothing could be tested is not."""
    keys = generate_keys(tmp_path / "keys")
    save_check(CHECKS["declared"](), tmp_path / "run", sign=keys.private)
    verified = verify(tmp_path / "run", public_keys=[keys.public], require_signature=True)
    assert (verified.holds, verified.authentic) == (True, True)
    attestation = json.loads((tmp_path / "run" / "attestation.dsse.json").read_bytes())
    assert len(attestation["signatures"]) == 1
    save_check(CHECKS["raising"](), tmp_path / "error", sign=keys.private)
    assert _names(tmp_path / "error") == FILES
    with pytest.raises((DataError, UsageError)):
        save_check(CHECKS["declared"](), tmp_path / "none", sign=tmp_path / "no-such-key")
    assert not (tmp_path / "none").exists()


def test_the_run_of_a_contract_is_no_check(tmp_path: Path) -> None:
    """And a folder without a run is none either."""
    (tmp_path / "run").mkdir()
    with pytest.raises(UsageError, match="this is no run directory"):
        load_check(tmp_path / "run")
    (tmp_path / "run" / "contract.json").write_text('{"schema_version": "1"}', encoding="utf-8")
    with pytest.raises(UsageError, match="the run of a contract"):
        load_check(tmp_path / "run")
    with pytest.raises(UsageError, match="no such folder"):
        load_check(tmp_path / "nowhere")


SAVING = """
import sys
from tests.unit.app.relation_checks import CHECKS
from robust.app.check_runs import CheckWriter
result = CHECKS["declared"]()
writer = CheckWriter(sys.argv[1], result.plan())
for record in result.records():
    writer.write(record)
print("ready", flush=True)
sys.stdin.read()
"""


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="nothing else is as sudden")
def test_a_kill_leaves_an_unfinished_run_that_holds_nobody_up(tmp_path: Path) -> None:
    """Its lock goes with it, and the same check takes its place."""
    process = start_python(SAVING, str(tmp_path / "run"))
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        os.kill(process.pid, signal.SIGKILL)
    finally:
        process.wait()
        for stream in (process.stdin, process.stdout, process.stderr):
            if stream is not None:
                stream.close()
    assert "report.json" not in _names(tmp_path / "run")
    assert save_check(CHECKS["declared"](), tmp_path / "run").status == "fail"
    assert set(_names(tmp_path / "run")) - {LOCK} == set(FILES)


FULL = """
import resource, sys
from tests.unit.app.relation_checks import CHECKS
from robust import UsageError
from robust.app.check_runs import save_check
import signal
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
result = CHECKS["holds"]()
resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))
try:
    save_check(result, sys.argv[1])
except UsageError as error:
    print(error.code)
"""


@pytest.mark.skipif(os.name != "posix", reason="limits of files are POSIX")
def test_a_full_disk_leaves_an_unfinished_run(tmp_path: Path) -> None:
    """It is told, and there is no report."""
    done = python(FULL, str(tmp_path / "run"), **UNMEASURED)
    assert (done.stdout, done.stderr) == ("unwritable\n", "")
    assert "report.json" not in _names(tmp_path / "run")


def test_a_batch_is_written_while_it_goes_on(tmp_path: Path) -> None:
    """What is on disk then is what saving it afterwards gives."""
    from robust.app.check_many import check_many

    told: dict[str, Any] = {"samples": 4, "workers": 1, "output": tmp_path / "run"}
    report = check_many(last_number, [RECEIPT, RECEIPT[1:]], [ORDER], **told)
    loaded = load_check(tmp_path / "run")
    assert loaded.verdicts == report.verdicts
    again: SavedCheck = report.save(tmp_path / "again")
    assert again.report["evidence_digest"] == loaded.report["evidence_digest"]


def test_a_saved_check_is_shown_in_every_format(tmp_path: Path) -> None:
    """By the function that shows the runs of contracts, which reads everything again."""
    saved = save_check(CHECKS["declared"](), tmp_path / "run")
    assert json.loads(format_report(saved, "json")) == saved.report
    assert format_report(load_check(tmp_path / "run"), "text").startswith("FAIL  declared: 2 relations on 1 input\n")
    with pytest.raises(UsageError, match="has no format 'html'"):
        format_report(saved, "html")
    (tmp_path / "run" / "records.jsonl").write_bytes(b"{}\n")
    with pytest.raises(IntegrityError):
        format_report(saved, "text")


def test_what_looks_like_a_credential_is_not_shown(tmp_path: Path) -> None:
    """Neither of inputs and outputs, nor of what was raised; the records keep inputs and outputs as they are."""
    given = ["api_key=EXAMPLE-ONLY", "Bearer EXAMPLE-ONLY"]

    def system(lines: list[str]) -> str:
        if lines[0].startswith("Bearer"):
            raise ValueError("refused: password: EXAMPLE-ONLY")
        return f"{lines[0]} {len(lines)}"

    checked = check(system, given, [ORDER, FOOTER], deterministic_system=True)
    assert set(checked.verdicts.values()) == {"violated", "errored"}
    saved = save_check(checked, tmp_path / "run")
    for shape in SHAPES:
        text = format_report(saved, shape)
        assert "EXAMPLE-ONLY" not in text
        assert "redacted" in text or shape == "json"


def test_numbers_that_python_does_not_write_are_shown_somehow(tmp_path: Path) -> None:
    """Integers of many digits, and values that are no JSON."""
    outputs = itertools.cycle([10**5000, float("nan"), (1, b"x"), {2: 3}, object()])
    checked = check(lambda _: next(outputs), RECEIPT, [FOOTER], deterministic_system=True, early_stop=False)
    saved = save_check(checked, tmp_path / "run")
    assert saved.status == "fail"
    for shape in SHAPES:
        assert format_report(saved, shape)
    assert "<repr raised ValueError>" in format_report(saved)


def test_a_single_check_saves_itself(tmp_path: Path) -> None:
    """Like every other result."""
    saved = check(last_number, RECEIPT, [ORDER], subject="totals").save(tmp_path / "run")
    assert saved.report["plan"]["name"] == "totals"
    assert {"started_at", "finished_at", "calls", "robust_version", "python", "platform"} <= set(
        saved.report["observed"]
    )
